"""A stage of its own for tests: the real loop and real clients around a processor that the test controls."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, Producer, TopicPartition

from headrace.stream.clients import connection_config, producer_config
from headrace.stream.emission import Emission
from headrace.stream.processor import Finished, FinishedQueue, Work
from headrace.stream.service import StageSpec, build_stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headrace.settings import Settings
    from headrace.stream.stage import Stage


class HeldProcessor:
    """Copies records to `tokens`, finishing work when and in the order that the test says."""

    rows_per_work = 100

    def __init__(self, settings: Settings, finished: FinishedQueue) -> None:
        self._target = settings.topics.name("tokens")
        self._finished = finished
        self.held: list[Work] = []
        self.hold = threading.Event()
        self.newest_first = False
        self.block_reason: str | None = None
        self.most_held = 0
        self.fault: BaseException | None = None

    def start(self, work: Work) -> None:
        self.held.append(work)
        self.most_held = max(self.most_held, len(self.held))

    def advance(self, now: float, *, hurry: bool) -> None:
        del now, hurry
        if self.hold.is_set():
            return
        if self.newest_first:
            self.held.reverse()
        for work in self.held:
            records = [{"value": message.value(), "key": message.key()} for message in work.messages]
            emission = Emission(self._target, work.ticket.partition, records, work.ticket.size)
            self._finished.put(Finished(work.ticket, [emission], self.fault))
        self.held.clear()

    def blocked(self) -> str | None:
        return self.block_reason

    def close(self) -> None:
        pass


class RunningStage:
    """A stage in a thread."""

    def __init__(self, settings: Settings, name: str) -> None:
        settings.kafka.session_timeout_ms = 1_500  # the local broker lets a group form after half of it
        finished: FinishedQueue = SimpleQueue()
        self.processor = HeldProcessor(settings, finished)
        spec = StageSpec("copy", "events", lambda _settings, _finished: self.processor)
        self.stage: Stage = build_stage(spec, settings, name, finished)
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, name=name)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.stage.run()
        except BaseException as error:  # noqa: BLE001 (the test looks at it)
            self.error = error

    def stop(self) -> None:
        self.processor.hold.clear()
        self.stage.stop()
        self.thread.join(30)
        assert not self.thread.is_alive()


@contextmanager
def running(settings: Settings, name: str = "copy") -> Iterator[RunningStage]:
    """A stage that is stopped when the test is done with it."""
    stage = RunningStage(settings, name)
    try:
        yield stage
    finally:
        stage.stop()


def send(settings: Settings, count: int, start: int = 0) -> None:
    """Numbered events, spread over all partitions by number."""
    producer = Producer(producer_config(settings, "sender"))
    topic = settings.topics.name("events")
    for number in range(start, start + count):
        producer.produce(topic, b"%d" % number, partition=number % settings.topics.partitions)
    assert producer.flush(20) == 0


class Reader:
    """Everything that comes out, by partition."""

    def __init__(self, settings: Settings) -> None:
        self._consumer = Consumer({**connection_config(settings, "reader"), "group.id": "reader"})
        topic = settings.topics.name("tokens")
        self._consumer.assign([TopicPartition(topic, number, 0) for number in range(settings.topics.partitions)])
        self.numbers: dict[int, list[int]] = {number: [] for number in range(settings.topics.partitions)}

    @property
    def count(self) -> int:
        return sum(map(len, self.numbers.values()))

    def read(self, count: int, patience_s: float = 20.0) -> None:
        """Read until `count` records are there; fails when none comes for `patience_s`."""
        while self.count < count:
            messages = self._consumer.consume(min(1_000, count - self.count), patience_s)
            assert messages, f"{self.count} of {count} records came"
            self.take(messages)

    def read_rest(self, patience_s: float = 1.0) -> None:
        """Read until nothing comes for `patience_s`."""
        while messages := self._consumer.consume(1_000, patience_s):
            self.take(messages)

    def take(self, messages: list[object]) -> None:
        for message in messages:
            self.numbers[message.partition()].append(int(message.value()))  # type: ignore[attr-defined]


def committed(settings: Settings) -> list[int]:
    """Committed offset of each partition of the stage's group, -1001 where nothing is committed."""
    topic = settings.topics.name("events")
    group = settings.stream.group_prefix + "copy"
    consumer = Consumer({**connection_config(settings, "committed"), "group.id": group})
    entries = [TopicPartition(topic, number) for number in range(settings.topics.partitions)]
    offsets = [entry.offset for entry in consumer.committed(entries, timeout=10)]
    consumer.close()
    return offsets
