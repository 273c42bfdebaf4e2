"""Frames that wait for others of their version, by age. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headrace.inference.merge import Merged

if TYPE_CHECKING:
    from headrace.stream.frames import Frame
    from headrace.stream.ledger import Ticket


@dataclass(slots=True)
class _Waiting:
    since: float
    rows: int = 0
    frames: list[tuple[Ticket, Frame]] = field(default_factory=list)


@dataclass(slots=True)
class Gathering:
    """Waiting frames by model and version. No frame waits longer than `gather_s`, whether others come or not."""

    target_rows: int
    gather_s: float
    _waiting: dict[tuple[str, int], _Waiting] = field(default_factory=dict)

    def add(self, ticket: Ticket, frame: Frame, now: float) -> None:
        """Take a frame."""
        waiting = self._waiting.setdefault((frame.header.model, frame.header.version), _Waiting(now))
        waiting.rows += frame.batch.num_rows
        waiting.frames.append((ticket, frame))

    def due(self, now: float, *, hurry: bool) -> list[Merged]:
        """Frames that go now: enough rows, old enough, or in a hurry."""
        ready = [
            version
            for version, waiting in self._waiting.items()
            if hurry or waiting.rows >= self.target_rows or now - waiting.since >= self.gather_s
        ]
        return [Merged.of(self._waiting.pop(version).frames) for version in ready]
