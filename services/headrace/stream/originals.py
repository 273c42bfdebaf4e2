"""Original records, read again from `events` by partition and offset: frames carry no original bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from confluent_kafka import Consumer, Message, TopicPartition

from headrace.errors import UnreachableError
from headrace.stream.clients import consumer_config
from headrace.stream.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.settings import Settings

log = structlog.get_logger()

TIMEOUT_S = 30.0


class Originals:
    """Reads records of one topic at given offsets. Not for the hot path, and for one thread at a time."""

    def __init__(self, settings: Settings, client_id: str) -> None:
        self._topic = settings.topics.name("events")
        # A group is required by the client; nothing is ever committed to it.
        self._consumer = Consumer(consumer_config(settings, client_id, f"{settings.stream.group_prefix}originals"))

    def read(self, partition: int, offsets: Sequence[int]) -> dict[int, Message]:
        """Records at some offsets of a partition.

        Args:
            partition: Its number.
            offsets: Offsets, rising.

        Returns:
            Offset → record; without those that retention has deleted.

        Raises:
            UnreachableError: The broker does not answer in time.
        """
        found: dict[int, Message] = {}
        deadline = Deadline(TIMEOUT_S)
        low, _ = self._consumer.get_watermark_offsets(TopicPartition(self._topic, partition), timeout=TIMEOUT_S)
        wanted = [offset for offset in offsets if offset >= low]
        if not wanted:
            return found
        self._consumer.assign([TopicPartition(self._topic, partition, wanted[0])])
        at = wanted[0]
        while at <= wanted[-1]:
            if deadline.passed:
                raise UnreachableError(
                    f"{self._topic}/{partition}: offset {at} could not be read again in {TIMEOUT_S} s."
                )
            for message in self._consumer.consume(1_000, 0.5):
                offset = message.offset()
                if message.error() is None and offset is not None:
                    at = offset + 1
                    found[offset] = message
        self._consumer.unassign()
        return {offset: found[offset] for offset in wanted if offset in found}

    def close(self) -> None:
        """Close the client."""
        self._consumer.close()
