"""What a stage does between reading and writing: the interface between the stage loop and a service."""

from __future__ import annotations

from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from confluent_kafka import Message

    from headrace.stream.emission import Emission
    from headrace.stream.ledger import Ticket


@dataclass(frozen=True, slots=True)
class Work:
    """Records of one partition to be worked on together."""

    ticket: Ticket
    messages: list[Message]


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a piece of work: its outputs, or the error that ends the stage."""

    ticket: Ticket
    emissions: list[Emission]
    error: BaseException | None = None


FinishedQueue = SimpleQueue[Finished]
"""Where work reports, from whichever thread it finishes in. The stage loop reads it."""


class Processor(Protocol):
    """Works on records. The loop calls every method from one thread; none may block for long."""

    rows_per_work: int
    """Most records of one piece of work: many events, or one frame."""

    def start(self, work: Work) -> None:
        """Take a piece of work; it is reported to the queue when done."""

    def advance(self, now: float, *, hurry: bool) -> None:
        """Do what is due at `now` (monotonic seconds): what has waited long enough; everything at once when `hurry`."""

    def blocked(self) -> str | None:
        """Why no record may be read now; None when all is well."""

    def close(self) -> None:
        """Let go of threads and connections; unfinished work is dropped."""


class PureWork(Protocol):
    """Work that is a plain function of its records."""

    def __call__(self, work: Work) -> list[Emission]: ...


class ThreadedProcessor:
    """Runs a plain function in a thread of its own, so that the loop goes on polling meanwhile."""

    def __init__(self, function: PureWork, executor: Executor, finished: FinishedQueue, rows_per_work: int) -> None:
        """Prepare.

        Args:
            function: Turns work into outputs; an exception of it ends the stage.
            executor: Where it runs. One thread keeps the cost of switching low; processes are what scales.
            finished: Where results are reported.
            rows_per_work: As in the protocol.
        """
        self.rows_per_work = rows_per_work
        self._function = function
        self._executor = executor
        self._finished = finished

    def start(self, work: Work) -> None:
        """As in the protocol."""
        self._executor.submit(self._run, work)

    def advance(self, now: float, *, hurry: bool) -> None:
        """Nothing ever waits here."""

    def blocked(self) -> str | None:
        """A plain function is always ready."""
        return None

    def close(self) -> None:
        """As in the protocol."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _run(self, work: Work) -> None:
        try:
            finished = Finished(work.ticket, self._function(work))
        except BaseException as error:  # noqa: BLE001 (it is raised again in the stage loop)
            finished = Finished(work.ticket, [], error)
        self._finished.put(finished)
