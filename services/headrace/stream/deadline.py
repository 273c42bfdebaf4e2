"""One budget of time for several steps."""

from __future__ import annotations

import time


class Deadline:
    """Counts down from its creation; every step of a drain asks the same one how long it may take."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def remaining_s(self) -> float:
        """Seconds left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    @property
    def passed(self) -> bool:
        """Whether nothing is left."""
        return self.remaining_s <= 0
