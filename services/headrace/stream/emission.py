"""What a stage gives to its producer: records for one partition of one topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RawHeaders = list[tuple[str, bytes | None]]
"""Kafka headers as confluent-kafka takes and gives them; names may repeat."""


@dataclass(frozen=True, slots=True)
class Emission:
    """Records in order, for one partition of one topic."""

    topic: str
    partition: int
    records: list[dict[str, Any]]
    """`value` and `key` (bytes or None) of each, in the form of `Producer.produce_batch`."""
    size: int
    """Bytes of all values, for the producer's budget; an estimate will do."""
    headers: list[RawHeaders] | None = None
    """One list a record. `produce_batch` carries none, so records with headers go one by one: keep them rare."""
