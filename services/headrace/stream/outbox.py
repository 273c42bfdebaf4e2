"""The way downstream: an idempotent producer that is never given more than it takes, and whose every answer is seen.

librdkafka refuses records when its queue is full, and `produce_batch` then takes some and leaves others out, not only
the last ones: sending those again would change the order. So the outbox counts what is under way and sends only what fits;
what does not fit waits here, within the bounds of the stage.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException

from headrace.errors import FatalClientError

if TYPE_CHECKING:
    from collections.abc import Callable

    from confluent_kafka import KafkaError, Message, Producer

    from headrace.stream.emission import Emission
    from headrace.stream.ledger import Ticket

MAX_RECORDS_AT_ONCE = 10_000
"""Records given to the client in one call: more would keep the loop from its other work for too long."""


class Outbox:
    """Sends the outputs of tickets in order and reports each ticket when all of them are acknowledged."""

    def __init__(
        self,
        producer: Producer,
        max_records: int,
        max_bytes: int,
        on_delivered: Callable[[Ticket], None],
    ) -> None:
        """Prepare.

        Args:
            producer: The client; nobody else may send with it.
            max_records: Most records under way; at most the client's `queue.buffering.max.messages`.
            max_bytes: Most bytes under way; one emission may always go. At most half the client's limit.
            on_delivered: Told each ticket whose outputs are all acknowledged.
        """
        self._producer = producer
        self._max_records = max_records
        self._max_bytes = max_bytes
        self._on_delivered = on_delivered
        self._waiting: deque[tuple[Ticket, Emission, int]] = deque()
        self._records = 0
        self._bytes = 0
        self._fault: KafkaError | None = None

    def put(self, ticket: Ticket) -> None:
        """Take the outputs of a released ticket."""
        ticket.undelivered = sum(len(emission.records) for emission in ticket.emissions)
        if not ticket.undelivered:
            self._on_delivered(ticket)
        for emission in ticket.emissions:
            self._waiting.append((ticket, emission, 0))

    def pump(self, timeout_s: float = 0.0) -> None:
        """Send what fits and take in what is acknowledged.

        Args:
            timeout_s: Seconds to wait for acknowledgements.

        Raises:
            FatalClientError: The broker refused a record for good: nothing after it may be committed.
        """
        while self._waiting and self._has_room():
            ticket, emission, start = self._waiting.popleft()
            if ticket.abandoned:
                continue
            stop = self._send(ticket, emission, start)
            if stop < len(emission.records):
                self._waiting.appendleft((ticket, emission, stop))
        self._producer.poll(timeout_s)
        if self._fault is not None:
            raise FatalClientError(
                f"the broker refused a record for good: {self._fault.str()}. Nothing of it was committed; "
                "mend the topic (limits, rights), and the stage goes on where it was."
            )

    def _has_room(self) -> bool:
        return self._records < self._max_records and (self._bytes < self._max_bytes or not self._records)

    def _send(self, ticket: Ticket, emission: Emission, start: int) -> int:
        """Send records from `start` on; return the place of the first one that was not sent."""
        stop = min(len(emission.records), start + self._max_records - self._records, start + MAX_RECORDS_AT_ONCE)
        delivery = _Delivery(self, ticket, stop - start, emission.size * (stop - start) // len(emission.records))
        self._records += delivery.remaining
        self._bytes += delivery.size
        if emission.headers is not None:
            self._send_singly(emission, start, stop, delivery)
        else:
            records = emission.records[start:stop]
            taken = self._producer.produce_batch(emission.topic, records, emission.partition, delivery)
            if taken < len(records):
                self._send_refused(emission, records, delivery)
        return stop

    def _send_singly(self, emission: Emission, start: int, stop: int, delivery: _Delivery) -> None:
        for record, headers in zip(emission.records[start:stop], (emission.headers or [])[start:stop], strict=True):
            self._produce(emission, value=record["value"], key=record["key"], headers=headers, on_delivery=delivery)

    def _send_refused(self, emission: Emission, records: list[dict[str, object]], delivery: _Delivery) -> None:
        """Send again what the client refused although it should have fitted: a smaller limit than it said."""
        for record in records:
            error = record.pop("_error", None)
            if error is not None:
                self._produce(emission, value=record["value"], key=record["key"], on_delivery=delivery)

    def _produce(self, emission: Emission, **record: object) -> None:
        while True:
            try:
                self._producer.produce(emission.topic, partition=emission.partition, **record)  # type: ignore[arg-type]
            except BufferError:
                # Full for a moment: acknowledgements make room.
                self._producer.poll(0.05)
            except KafkaException as error:
                self._fault = error.args[0]
                return
            else:
                return

    def _acknowledge(self, delivery: _Delivery) -> None:
        self._bytes -= delivery.size
        delivery.ticket.undelivered -= delivery.count
        if not delivery.ticket.undelivered and not delivery.ticket.abandoned:
            self._on_delivered(delivery.ticket)


class _Delivery:
    """Delivery callback of one call of the client: counts its records. The hottest Python code of a stage."""

    __slots__ = ("count", "outbox", "remaining", "size", "ticket")

    def __init__(self, outbox: Outbox, ticket: Ticket, count: int, size: int) -> None:
        self.outbox = outbox
        self.ticket = ticket
        self.count = count
        self.remaining = count
        self.size = size

    def __call__(self, error: KafkaError | None, _message: Message) -> None:
        outbox = self.outbox
        if error is not None:
            outbox._fault = error  # noqa: SLF001 (one unit of two classes)
            return
        outbox._records -= 1  # noqa: SLF001
        self.remaining -= 1
        if not self.remaining:
            outbox._acknowledge(self)  # noqa: SLF001
