"""When a request is sent again after an outage: capped exponential backoff with full jitter."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.inference.merge import Request


def pause_s(attempt: int, first_s: float, cap_s: float, chance: float) -> float:
    """Seconds to wait before attempt `attempt` + 1.

    Full jitter after M. Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).

    Args:
        attempt: Failures so far, from 1.
        first_s: Bound of the first pause.
        cap_s: Bound of all pauses.
        chance: Uniform in [0, 1).
    """
    # The exponent is bounded: after an hour of outage 2**attempt would overflow a float.
    bound: float = min(cap_s, first_s * 2 ** min(attempt - 1, 30))
    return bound * chance


@dataclass(slots=True)
class RetryQueue:
    """Requests that wait until their time has come."""

    first_s: float
    cap_s: float
    _heap: list[tuple[float, int, Request]] = field(default_factory=list)
    _count: int = 0

    def put(self, request: Request, now: float) -> float:
        """Take a request that failed; returns its pause in seconds."""
        wait = pause_s(request.attempt, self.first_s, self.cap_s, random.random())  # noqa: S311 (jitter)
        self._count += 1
        heapq.heappush(self._heap, (now + wait, self._count, request))
        return wait

    def due(self, now: float) -> list[Request]:
        """Requests whose time has come."""
        found = []
        while self._heap and self._heap[0][0] <= now:
            found.append(heapq.heappop(self._heap)[2])
        return found
