"""The ledger of one partition: which offsets are in work, which outputs may leave, what may be committed. Pure.

Work is taken in as *tickets*, each a run of delivered offsets. Tickets may finish in any order; their outputs leave in
the order of the tickets; an offset may be committed when its ticket and all before it are acknowledged downstream.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.stream.emission import Emission


class Progress(Enum):
    """How far a ticket has come."""

    IN_WORK = auto()
    FINISHED = auto()
    """Its outputs are known and wait for their turn."""
    RELEASED = auto()
    """Its outputs are on their way downstream."""
    DELIVERED = auto()


@dataclass(slots=True, eq=False)
class Ticket:
    """One run of delivered offsets in work."""

    partition: int
    first_offset: int
    last_offset: int
    """Inclusive. Offsets between may be missing (compaction, transaction markers)."""
    size: int
    """Bytes of the source records."""
    progress: Progress = Progress.IN_WORK
    emissions: list[Emission] = field(default_factory=list)
    undelivered: int = 0
    """Records that downstream has not acknowledged yet."""
    abandoned: bool = False
    """Its partition was taken away: whatever comes of it is dropped."""


class PartitionLedger:
    """Tickets of one partition, oldest first."""

    def __init__(self, partition: int) -> None:
        self.partition = partition
        self._tickets: deque[Ticket] = deque()
        self._unreleased: deque[Ticket] = deque()
        self._last_opened = -1
        self._committable: int | None = None

    def __len__(self) -> int:
        """Tickets that are not delivered, or wait for one that is not."""
        return len(self._tickets)

    def open(self, first_offset: int, last_offset: int, size: int) -> Ticket:
        """Take in a run of delivered offsets.

        Raises:
            ValueError: The offsets do not follow those that were taken in before: a bug or a seek.
        """
        if not self._last_opened < first_offset <= last_offset:
            raise ValueError(
                f"partition {self.partition}: offsets {first_offset}..{last_offset} do not follow {self._last_opened}"
            )
        self._last_opened = last_offset
        ticket = Ticket(self.partition, first_offset, last_offset, size)
        self._tickets.append(ticket)
        self._unreleased.append(ticket)
        return ticket

    def finish(self, ticket: Ticket, emissions: list[Emission]) -> list[Ticket]:
        """Note the outputs of a ticket.

        Returns:
            Tickets whose outputs may leave now, in order.
        """
        ticket.progress = Progress.FINISHED
        ticket.emissions = emissions
        released: list[Ticket] = []
        while self._unreleased and self._unreleased[0].progress is Progress.FINISHED:
            head = self._unreleased.popleft()
            head.progress = Progress.RELEASED
            released.append(head)
        return released

    def delivered(self, ticket: Ticket) -> None:
        """Note that everything made from a released ticket is acknowledged."""
        ticket.progress = Progress.DELIVERED
        while self._tickets and self._tickets[0].progress is Progress.DELIVERED:
            self._committable = self._tickets.popleft().last_offset + 1

    @property
    def bytes_in_flight(self) -> int:
        """Bytes of the tickets that are not delivered."""
        return sum(ticket.size for ticket in self._tickets if ticket.progress is not Progress.DELIVERED)

    @property
    def committable(self) -> int | None:
        """The offset to commit, that is the next one to read; None when nothing was delivered yet."""
        return self._committable

    def abandon(self) -> int:
        """Give the partition up.

        Returns:
            Number of tickets that were still on their way.
        """
        left = len(self._tickets)
        for ticket in self._tickets:
            ticket.abandoned = True
        self._tickets.clear()
        self._unreleased.clear()
        return left
