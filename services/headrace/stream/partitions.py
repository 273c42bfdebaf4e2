"""The partitions that a stage holds: their ledgers, and commits of what they have delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from headrace.stream.ledger import PartitionLedger, Ticket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from confluent_kafka import Consumer

    from headrace.stream.emission import Emission

log = structlog.get_logger()


class Partitions:
    """Ledgers by partition number, and the offsets that the group has committed."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._ledgers: dict[int, PartitionLedger] = {}
        self._committed: dict[int, int] = {}
        self._commit_under_way = False
        self.bytes_in_flight = 0

    def add(self, partitions: Iterable[int]) -> None:
        """Take partitions over."""
        for partition in partitions:
            self._ledgers[partition] = PartitionLedger(partition)

    def drop(self, partitions: Iterable[int]) -> int:
        """Give partitions up; returns how many tickets were on their way: others will work on them again."""
        left = 0
        for partition in partitions:
            ledger = self._ledgers.pop(partition, None)
            self._committed.pop(partition, None)
            if ledger is not None:
                self.bytes_in_flight -= ledger.bytes_in_flight
                left += ledger.abandon()
        return left

    def holds(self, partition: int) -> bool:
        """Whether the partition is held now."""
        return partition in self._ledgers

    @property
    def numbers(self) -> list[int]:
        """Partitions held."""
        return list(self._ledgers)

    def in_flight(self, partitions: Iterable[int] | None = None) -> int:
        """Tickets on their way, in all partitions or in some."""
        chosen = self._ledgers if partitions is None else partitions
        return sum(len(self._ledgers[partition]) for partition in chosen if partition in self._ledgers)

    def open(self, partition: int, first_offset: int, last_offset: int, size: int) -> Ticket:
        """A ticket for delivered offsets of a partition that is held."""
        self.bytes_in_flight += size
        return self._ledgers[partition].open(first_offset, last_offset, size)

    def finish(self, ticket: Ticket, emissions: list[Emission]) -> list[Ticket]:
        """Note outputs; returns the tickets whose outputs may leave."""
        return [] if ticket.abandoned else self._ledgers[ticket.partition].finish(ticket, emissions)

    def delivered(self, ticket: Ticket) -> None:
        """Note that a ticket's outputs are all acknowledged."""
        self.bytes_in_flight -= ticket.size
        self._ledgers[ticket.partition].delivered(ticket)

    def commit(self, consumer: Consumer) -> None:
        """Commit in the background what is delivered and not committed yet; one commit at a time."""
        offsets = self._uncommitted(self._ledgers)
        if offsets and not self._commit_under_way:
            self._commit_under_way = True
            consumer.commit(offsets=offsets, asynchronous=True)

    def commit_now(self, consumer: Consumer, partitions: Iterable[int]) -> None:
        """Commit and wait for the answer, before partitions are given up."""
        offsets = self._uncommitted(partitions)
        if not offsets:
            return
        try:
            self.committed(None, consumer.commit(offsets=offsets, asynchronous=False) or [])
        except KafkaException as error:
            # The next owner starts from the last commit: duplicates, never a loss.
            log.warning("commit failed", error=error.args[0].str(), partitions=list(partitions))

    def committed(self, error: KafkaError | None, offsets: list[TopicPartition]) -> None:
        """Take in the answer to a commit (librdkafka's `on_commit`); what failed is tried again with the next one."""
        self._commit_under_way = False
        if error is not None and error.code() != KafkaError._NO_OFFSET:  # noqa: SLF001 (librdkafka's name)
            log.warning("commit failed", error=error.str())
            return
        for entry in offsets:
            if entry.error is not None:
                log.warning("commit failed", error=entry.error.str(), partition=entry.partition)
            elif entry.partition in self._ledgers:
                self._committed[entry.partition] = entry.offset

    def _uncommitted(self, partitions: Iterable[int]) -> list[TopicPartition]:
        found = []
        for partition in partitions:
            ledger = self._ledgers.get(partition)
            offset = ledger.committable if ledger is not None else None
            if offset is not None and offset != self._committed.get(partition):
                found.append(TopicPartition(self._topic, partition, offset))
        return found
