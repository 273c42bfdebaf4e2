"""Dead letters: the original record byte for byte, and headers that say what was wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headrace.stream.emission import Emission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from confluent_kafka import Message

    from headrace.scoring.events import Poison
    from headrace.stream.emission import RawHeaders

PREFIX = "headrace-"
ATTEMPTS = PREFIX + "attempts"
DEADLINE = PREFIX + "deadline"
"""Header of an event: milliseconds since the epoch, in decimal, after which its prediction is of no use."""
ORIGIN = PREFIX + "origin"
"""Header of an event: who waits for the answer."""
TRACEPARENT = "traceparent"
"""Header of an event, by W3C Trace Context."""

BY_KEY = -1
"""Partition of an emission whose records go by their keys: dead-letters may have any number of partitions."""


@dataclass(frozen=True, slots=True)
class DeadLetterBox:
    """Makes dead letters of one stage."""

    stage: str
    topic: str
    """Name of the dead-letter topic."""

    def emission(self, originals: Sequence[tuple[Message, Poison]]) -> Emission:
        """Dead letters of some records.

        Args:
            originals: Each record as it was read, with its fault.
        """
        return Emission(
            self.topic,
            BY_KEY,
            [{"value": message.value(), "key": message.key()} for message, _ in originals],
            sum(len(message) for message, _ in originals),
            [self._headers(message, poison) for message, poison in originals],
        )

    def _headers(self, message: Message, poison: Poison) -> RawHeaders:
        kept = [(name, value) for name, value in raw_headers(message) if name != ATTEMPTS]
        facts = {
            "stage": self.stage,
            "error": poison.error,
            "reason": poison.reason,
            "topic": message.topic(),
            "partition": message.partition(),
            "offset": message.offset(),
            "id": poison.id,
            "attempts": attempts(message) + 1,
        }
        return [*kept, *((PREFIX + name, str(fact).encode()) for name, fact in facts.items() if fact is not None)]


def raw_headers(message: Message) -> RawHeaders:
    """Headers of a record in order; an empty list when it has none."""
    headers = message.headers() or []
    return list(headers.items()) if isinstance(headers, dict) else list(headers)  # type: ignore[arg-type]


def attempts(message: Message) -> int:
    """How often the record has been a dead letter before."""
    digits = [value for name, value in raw_headers(message) if name == ATTEMPTS and value and value.isdigit()]
    return int(digits[-1]) if digits else 0
