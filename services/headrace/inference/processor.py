"""The work of the inference service: frames of tokens to frames of scores, many Triton requests under way at once."""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

import structlog
from tritonclient.utils import InferenceServerException

from headrace.errors import FrameError
from headrace.inference.gathering import Gathering
from headrace.inference.retry import RetryQueue
from headrace.inference.triton import Verdict, verdict_of
from headrace.scoring.batching import RequestShape
from headrace.scoring.events import Poison
from headrace.stream.emission import Emission
from headrace.stream.frames import decode_frame
from headrace.stream.processor import Finished

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from headrace.inference.merge import Merged, Refusals, Request
    from headrace.inference.settings import InferenceSettings
    from headrace.inference.triton import TritonScorer
    from headrace.stream.dead_letters import DeadLetterBox
    from headrace.stream.frames import Frame
    from headrace.stream.ledger import Ticket
    from headrace.stream.processor import FinishedQueue, Work

    Answer: TypeAlias = npt.NDArray[np.float32] | InferenceServerException
    OnRefused: TypeAlias = Callable[[Ticket, list[Emission], int, Refusals], None]

log = structlog.get_logger()


class InferenceProcessor:
    """Merges frames by version, sends requests, puts answers together; a `processor.Processor`."""

    rows_per_work = 1
    """One record is one frame."""

    def __init__(
        self,
        settings: InferenceSettings,
        scorer: TritonScorer,
        target: str,
        dead_letters: DeadLetterBox,
        finished: FinishedQueue,
        on_refused: OnRefused,
    ) -> None:
        """Prepare.

        Args:
            settings: Shape of requests and retries.
            scorer: The client of Triton.
            target: Topic of the frames of scores.
            dead_letters: Makes dead letters of records that are no frames.
            finished: Where results are reported.
            on_refused: Finishes a ticket some of whose events will never be scored: it is given the ticket, its
                emissions so far, the partition and the refusals, and reads the originals again, which takes time.
        """
        self._shape = RequestShape(settings.target_rows, settings.min_rows, settings.max_padding, settings.max_tokens)
        self._most_requests = settings.requests_in_flight
        self._gathering = Gathering(settings.target_rows, settings.gather_s)
        self._retries = RetryQueue(settings.retry_first_s, settings.retry_cap_s)
        self._scorer = scorer
        self._target = target
        self._dead_letters = dead_letters
        self._finished = finished
        self._on_refused = on_refused
        self._requests: deque[Request] = deque()
        self._answers: SimpleQueue[tuple[Request, Answer]] = SimpleQueue()
        self._under_way = 0

    def start(self, work: Work) -> None:
        """Take one frame; a record that is none goes to dead-letters as it is."""
        message = work.messages[0]
        try:
            frame = decode_frame(message.value())
            frame.tokens  # noqa: B018 (a frame of scores is refused here)
        except FrameError as error:
            letter = self._dead_letters.emission([(message, Poison(0, "bad-frame", str(error)))])
            self._finished.put(Finished(work.ticket, [letter]))
        else:
            self._gathering.add(work.ticket, frame, time.monotonic())

    def advance(self, now: float, *, hurry: bool) -> None:
        """Take in answers, merge what is due, send what may be sent."""
        while True:
            try:
                request, answer = self._answers.get_nowait()
            except Empty:
                break
            self._take(request, answer, now)
        for merged in self._gathering.due(now, hurry=hurry):
            self._requests.extend(merged.requests(self._shape))
            self._finish_if_answered(merged)
        self._requests.extend(self._retries.due(now))
        while self._requests and self._under_way < self._most_requests:
            self._send(self._requests.popleft())

    def blocked(self) -> str | None:
        """Inference obeys its frames; it never waits for a model before it reads."""
        return None

    def close(self) -> None:
        """As in the protocol."""
        self._scorer.close()

    def _send(self, request: Request) -> None:
        merged = request.merged
        self._under_way += 1
        self._scorer.submit(merged.model, merged.version, request.matrix(), partial(self._answered, request))

    def _answered(self, request: Request, answer: Answer) -> None:
        """Called from a thread of gRPC."""
        self._answers.put((request, answer))

    def _take(self, request: Request, answer: Answer, now: float) -> None:
        self._under_way -= 1
        if not isinstance(answer, InferenceServerException):
            request.merged.answer(request.rows, answer)
        elif verdict_of(answer) is Verdict.OUTAGE:
            again = request.again()
            wait = self._retries.put(again, now)
            log.warning("outage", error=_text(answer), model=request.merged.model, attempt=again.attempt, pause_s=wait)
        elif len(request.rows) > 1:
            # Some row is to blame; its neighbours are not.
            self._requests.extendleft(request.halves())
        else:
            request.merged.refuse(request.rows, f"Triton refuses it: {_text(answer)}.")
        self._finish_if_answered(request.merged)

    def _finish_if_answered(self, merged: Merged) -> None:
        if merged.unanswered:
            return
        for ticket, scored, refusals in merged.results():
            emissions = [self._emission(scored)] if scored is not None else []
            if refusals:
                self._on_refused(ticket, emissions, merged.frames[0][1].header.partition, refusals)
            else:
                self._finished.put(Finished(ticket, emissions))

    def _emission(self, frame: Frame) -> Emission:
        value = frame.encode()
        return Emission(self._target, frame.header.partition, [{"value": value, "key": None}], len(value))


def _text(error: InferenceServerException) -> str:
    return f"{error.status()}: {error.message()}"
