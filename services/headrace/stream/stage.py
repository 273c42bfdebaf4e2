"""The stage loop: read, work, write, commit. All three stream services are this loop around a processor.

One thread runs the loop and owns all state. It never waits for work: it polls Kafka, takes in what has finished, sends
what fits, commits what is delivered, and pauses partitions while too much is in flight.
"""

from __future__ import annotations

import time
from itertools import groupby
from queue import Empty
from threading import Event
from typing import TYPE_CHECKING

import structlog
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from headrace.errors import FatalClientError
from headrace.stream.backpressure import Backpressure, Intake
from headrace.stream.deadline import Deadline
from headrace.stream.partitions import Partitions
from headrace.stream.processor import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from headrace.stream.ledger import Ticket
    from headrace.stream.outbox import Outbox
    from headrace.stream.processor import Finished, FinishedQueue, Processor
    from headrace.stream.settings import StreamSettings

log = structlog.get_logger()

IDLE_WAIT_S = 0.1
"""Longest wait for a record while nothing is in flight: bounds how late a signal is noticed."""

BUSY_WAIT_S = 0.002
"""Longest wait for a record while work is in flight: bounds how late its end is noticed."""


class Stage:
    """Runs one stage until it is told to stop."""

    def __init__(
        self,
        settings: StreamSettings,
        topic: str,
        make_consumer: Callable[[Callable[[KafkaError | None, list[TopicPartition]], None]], Consumer],
        make_outbox: Callable[[Callable[[Ticket], None]], Outbox],
        processor: Processor,
        finished: FinishedQueue,
        on_ready: Callable[[], None],
    ) -> None:
        """Put the parts together.

        Args:
            settings: Bounds and periods.
            topic: The topic that is read.
            make_consumer: Makes the client, given the function that takes in answers to commits.
            make_outbox: Makes the way downstream, given the function that takes in delivered tickets.
            processor: The work.
            finished: Where the processor reports.
            on_ready: Called once, when partitions are first assigned.
        """
        self._settings = settings
        self._topic = topic
        self._partitions = Partitions(topic)
        self._consumer = make_consumer(self._partitions.committed)
        self._outbox = make_outbox(self._partitions.delivered)
        self._processor = processor
        self._finished = finished
        self._on_ready = on_ready
        self._backpressure = Backpressure(settings)
        self._paused: set[int] = set()
        self._stop = Event()
        self._next_commit = 0.0

    def stop(self) -> None:
        """Ask the loop to end in good order; safe in a signal handler and from any thread."""
        self._stop.set()

    def run(self) -> None:
        """Run until `stop`.

        Raises:
            FatalClientError: A client can no longer be used.
        """
        self._consumer.subscribe([self._topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost)
        try:
            while not self._stop.is_set():
                self._read()
                self._turn(hurry=self._backpressure.intake is not Intake.OPEN)
            self._drain(self._partitions.numbers, Deadline(self._settings.drain_deadline_s))
        except KafkaException as error:
            raise FatalClientError(f"the client cannot go on: {error.args[0].str()}.") from error
        finally:
            # What is in flight after a fault is not committed, so closing (which revokes) must not wait for it.
            self._partitions.drop(self._partitions.numbers)
            self._processor.close()
            self._consumer.close()

    def _turn(self, *, hurry: bool, wait_s: float = 0.0) -> None:
        """Everything but reading."""
        now = time.monotonic()
        self._processor.advance(now, hurry=hurry)
        self._collect()
        self._outbox.pump(wait_s)
        if now >= self._next_commit:
            self._partitions.commit(self._consumer)
            self._next_commit = now + self._settings.commit_interval_s

    # Reading

    def _read(self) -> None:
        blocked = self._processor.blocked()
        intake = self._backpressure.regulate(
            self._partitions.in_flight(), self._partitions.bytes_in_flight, time.monotonic()
        )
        self._pause(blocked or ("too much is in flight" if intake is Intake.PAUSED else None))
        if intake is Intake.FULL and not self._paused:
            self._await_finished(BUSY_WAIT_S)
            return
        busy = self._partitions.in_flight() > 0
        self._accept(self._consume(BUSY_WAIT_S if busy else IDLE_WAIT_S))

    def _consume(self, wait_s: float) -> list[Message]:
        """Wait for a first record, then gather what comes within a short time."""
        messages = self._consumer.consume(1, wait_s)
        if messages and self._processor.rows_per_work > 1:
            messages += self._consumer.consume(self._processor.rows_per_work - 1, self._settings.batch_wait_s)
        return messages

    def _accept(self, messages: list[Message]) -> None:
        """Start work on records, by partition."""
        if any(map(Message.error, messages)):
            messages = [message for message in messages if not self._is_error(message)]
        runs: dict[int, list[Message]] = {}
        for partition, run in groupby(messages, key=Message.partition):
            runs.setdefault(partition, []).extend(run)  # type: ignore[arg-type] # a consumed record has a partition
        for partition, records in runs.items():
            # Records of a partition that was revoked since they were fetched belong to its next owner.
            if self._partitions.holds(partition):
                self._start(partition, records)

    def _start(self, partition: int, messages: list[Message]) -> None:
        size = sum(map(len, messages))
        ticket = self._partitions.open(partition, _offset(messages[0]), _offset(messages[-1]), size)
        self._processor.start(Work(ticket, messages))

    def _is_error(self, message: Message) -> bool:
        error = message.error()
        if error is None:
            return False
        if error.fatal():
            raise FatalClientError(f"the consumer cannot go on: {error.str()}. The process must be started anew.")
        log.warning("consumer error", error=error.str(), code=error.name())
        return True

    def _pause(self, reason: str | None) -> None:
        """Pause all partitions held, those just assigned too, when there is a reason; else resume them."""
        held = set(self._partitions.numbers)
        self._paused &= held
        wanted = held if reason else set()
        if wanted == self._paused:
            return
        if reason:
            self._consumer.pause(self._entries(wanted - self._paused))
        else:
            self._consumer.resume(self._entries(self._paused))
        log.info("paused" if reason else "resumed", reason=reason, in_flight=self._partitions.in_flight())
        self._paused = wanted

    def _entries(self, partitions: Iterable[int]) -> list[TopicPartition]:
        return [TopicPartition(self._topic, partition) for partition in sorted(partitions)]

    # Writing

    def _collect(self) -> None:
        while True:
            try:
                self._take(self._finished.get_nowait())
            except Empty:
                return

    def _await_finished(self, timeout_s: float) -> None:
        try:
            self._take(self._finished.get(timeout=timeout_s))
        except Empty:
            return

    def _take(self, finished: Finished) -> None:
        if finished.error is not None:
            raise finished.error
        for ticket in self._partitions.finish(finished.ticket, finished.emissions):
            self._outbox.put(ticket)

    # Rebalances and the end

    def _assigned(self, _consumer: Consumer, assigned: list[TopicPartition]) -> None:
        self._partitions.add(entry.partition for entry in assigned)
        log.info("assigned", partitions=sorted(entry.partition for entry in assigned))
        self._on_ready()

    def _revoked(self, _consumer: Consumer, revoked: list[TopicPartition]) -> None:
        partitions = [entry.partition for entry in revoked]
        self._drain(partitions, Deadline(self._settings.drain_deadline_s))
        log.info("revoked", partitions=sorted(partitions), unfinished=self._partitions.drop(partitions))

    def _lost(self, _consumer: Consumer, lost: list[TopicPartition]) -> None:
        partitions = [entry.partition for entry in lost]
        log.warning("lost", partitions=sorted(partitions), unfinished=self._partitions.drop(partitions))

    def _drain(self, partitions: Iterable[int], deadline: Deadline) -> None:
        """Finish, deliver and commit what is in flight of these partitions, as far as the deadline allows."""
        partitions = list(partitions)
        while self._partitions.in_flight(partitions) and not deadline.passed:
            self._turn(hurry=True, wait_s=BUSY_WAIT_S)
        left = self._partitions.in_flight(partitions)
        if left:
            log.warning(
                "drain deadline passed", unfinished=left, remedy="its events are worked on again by the next owner"
            )
        self._partitions.commit_now(self._consumer, partitions)


def _offset(message: Message) -> int:
    offset = message.offset()
    assert offset is not None, "a consumed record has an offset"  # noqa: S101 (narrows the client's type)
    return offset
