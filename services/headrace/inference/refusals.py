"""Dead letters of events that Triton refuses: their originals are read again, in a thread beside the stage loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from headrace.scoring.events import Poison
from headrace.stream.processor import Finished

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from headrace.inference.merge import Refusals
    from headrace.stream.dead_letters import DeadLetterBox
    from headrace.stream.emission import Emission
    from headrace.stream.ledger import Ticket
    from headrace.stream.originals import Originals
    from headrace.stream.processor import FinishedQueue

log = structlog.get_logger()


class RefusalDesk:
    """Finishes tickets with refused events."""

    def __init__(
        self, originals: Originals, dead_letters: DeadLetterBox, executor: Executor, finished: FinishedQueue
    ) -> None:
        self._originals = originals
        self._dead_letters = dead_letters
        self._executor = executor
        self._finished = finished

    def take(self, ticket: Ticket, emissions: list[Emission], partition: int, refusals: Refusals) -> None:
        """Finish a ticket later, with dead letters beside what it has already."""
        self._executor.submit(self._finish, ticket, emissions, partition, refusals)

    def _finish(self, ticket: Ticket, emissions: list[Emission], partition: int, refusals: Refusals) -> None:
        try:
            letters = self._letters(partition, refusals)
        except BaseException as error:  # noqa: BLE001 (it is raised again in the stage loop)
            self._finished.put(Finished(ticket, [], error))
        else:
            self._finished.put(Finished(ticket, [*emissions, *letters]))

    def _letters(self, partition: int, refusals: Refusals) -> list[Emission]:
        found = self._originals.read(partition, sorted(refusal.offset for refusal in refusals))
        gone = [refusal.offset for refusal in refusals if refusal.offset not in found]
        if gone:
            log.error(
                "originals are gone", partition=partition, offsets=gone, remedy="longer retention of the events topic"
            )
        pairs = [
            (found[refusal.offset], Poison(0, "refused", refusal.reason, refusal.id))
            for refusal in refusals
            if refusal.offset in found
        ]
        return [self._dead_letters.emission(pairs)] if pairs else []
