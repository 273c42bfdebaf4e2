"""The outbox: nothing is lost, reordered or counted twice, whatever the client's queue takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from headrace.errors import FatalClientError
from headrace.stream.clients import connection_config, producer_config
from headrace.stream.emission import Emission
from headrace.stream.ledger import Ticket
from headrace.stream.outbox import Outbox

if TYPE_CHECKING:
    from headrace.settings import Settings

pytestmark = pytest.mark.integration


def emission(topic: str, start: int, count: int, *, headers: bool = False, partition: int = 0) -> Emission:
    records: list[dict[str, Any]] = [{"value": b"%d" % n, "key": b"k"} for n in range(start, start + count)]
    names: Any = [[("n", record["value"]), ("n", None)] for record in records] if headers else None
    return Emission(topic, partition, records, sum(len(record["value"]) for record in records), names)


def ticket(*emissions: Emission) -> Ticket:
    return Ticket(0, 0, 0, 0, emissions=list(emissions))


def read_all(settings: Settings, topic: str, count: int) -> list[Any]:
    consumer = Consumer({**connection_config(settings, "reader"), "group.id": "reader"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[Any] = []
    while len(found) < count:
        messages = consumer.consume(count, 5.0)
        assert messages, f"{len(found)} of {count} records came"
        found += messages
    consumer.close()
    return found


def drain(outbox: Outbox, delivered: list[Ticket], count: int) -> None:
    while len(delivered) < count:
        outbox.pump(0.05)


@pytest.mark.parametrize("most", [3, 1_000, 100_000])
def test_order_is_kept_and_every_ticket_reported_whatever_fits(settings: Settings, most: int) -> None:
    topic = settings.topics.name("predictions")
    delivered: list[Ticket] = []
    outbox = Outbox(Producer(producer_config(settings, "t")), most, 10_000, delivered.append)
    tickets = [ticket(emission(topic, start, 50), emission(topic, start + 50, 50, headers=True)) for start in (0, 100)]
    empty = ticket()
    for each in (*tickets, empty):
        outbox.put(each)
    drain(outbox, delivered, 3)
    assert set(map(id, delivered)) == set(map(id, (*tickets, empty)))
    assert [message.value() for message in read_all(settings, topic, 200)] == [b"%d" % n for n in range(200)]


def test_headers_arrive_as_they_were(settings: Settings) -> None:
    topic = settings.topics.name("dead_letters")
    delivered: list[Ticket] = []
    outbox = Outbox(Producer(producer_config(settings, "t")), 100, 10_000, delivered.append)
    outbox.put(ticket(emission(topic, 0, 1, headers=True)))
    drain(outbox, delivered, 1)
    assert read_all(settings, topic, 1)[0].headers() == [("n", b"0"), ("n", None)]


def test_records_that_the_client_refuses_all_the_same_are_sent_again(settings: Settings) -> None:
    """The outbox believes in a larger queue than the client has: `produce_batch` takes some and refuses others."""
    topic = settings.topics.name("predictions")
    producer = Producer({**producer_config(settings, "t"), "queue.buffering.max.messages": 7})
    delivered: list[Ticket] = []
    outbox = Outbox(producer, 100_000, 1_000_000, delivered.append)
    outbox.put(ticket(emission(topic, 0, 500)))
    drain(outbox, delivered, 1)
    found = sorted(int(message.value()) for message in read_all(settings, topic, 500))
    assert found == list(range(500))


def test_a_record_that_the_broker_never_takes_ends_the_stage_with_its_reason(settings: Settings) -> None:
    producer = Producer({**producer_config(settings, "t"), "message.max.bytes": 2_000})
    delivered: list[Ticket] = []
    outbox = Outbox(producer, 1_000, 1_000_000, delivered.append)
    huge = Emission(settings.topics.name("predictions"), 0, [{"value": b"x" * 5_000, "key": None}], 5_000)
    outbox.put(ticket(emission(huge.topic, 0, 3), huge))
    with pytest.raises(FatalClientError, match="(?i)message size"):
        drain(outbox, delivered, 1)
    assert delivered == []


def test_a_delivery_that_fails_is_seen(settings: Settings) -> None:
    """A time-out of the client's own, which `flush` alone would not show."""
    config = {**producer_config(settings, "t"), "bootstrap.servers": "127.0.0.1:1", "log_level": 0}
    outbox = Outbox(Producer({**config, "message.timeout.ms": 300}), 1_000, 1_000_000, lambda _: None)
    outbox.put(ticket(emission("nowhere", 0, 10)))
    with pytest.raises(FatalClientError, match="(?i)timed out"):
        for _ in range(100):
            outbox.pump(0.1)


def test_outputs_of_an_abandoned_ticket_are_not_sent(settings: Settings) -> None:
    topic = settings.topics.name("predictions")
    delivered: list[Ticket] = []
    outbox = Outbox(Producer(producer_config(settings, "t")), 1_000, 1_000_000, delivered.append)
    gone, kept = ticket(emission(topic, 0, 5)), ticket(emission(topic, 5, 5))
    outbox.put(gone)
    outbox.put(kept)
    gone.abandoned = True
    drain(outbox, delivered, 1)
    assert delivered == [kept]
    assert [message.value() for message in read_all(settings, topic, 5)] == [b"%d" % n for n in range(5, 10)]
