"""When a stage stops reading: bounds on what is in flight, with hysteresis. Pure but for the clock that it is given."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.stream.settings import StreamSettings


class Intake(Enum):
    """What the stage does about new records."""

    OPEN = auto()
    FULL = auto()
    """Over a bound, for so short a time that pausing (which discards the client's prefetch) does not pay."""
    PAUSED = auto()
    """Partitions are to be paused; the loop keeps polling."""


@dataclass(slots=True)
class Backpressure:
    """Decides from counts of tickets and bytes."""

    settings: StreamSettings
    intake: Intake = Intake.OPEN
    _full_since: float = 0.0

    def regulate(self, tickets: int, size: int, now: float) -> Intake:
        """Decide anew.

        Args:
            tickets: Tickets in flight.
            size: Bytes of their source records.
            now: Monotonic seconds.
        """
        if self.intake is Intake.PAUSED:
            if self._share(tickets, size) < self.settings.resume_share:
                self.intake = Intake.OPEN
        elif self._share(tickets, size) < 1:
            self.intake = Intake.OPEN
        elif self.intake is Intake.OPEN:
            self.intake, self._full_since = Intake.FULL, now
        elif now - self._full_since >= self.settings.pause_after_s:
            self.intake = Intake.PAUSED
        return self.intake

    def _share(self, tickets: int, size: int) -> float:
        return max(tickets / self.settings.in_flight_frames, size / self.settings.in_flight_bytes)
