"""The control topic: a bell. Whoever changes what is live rings it; services then read the state files, the truth.

A bell that was not heard costs `REREAD_S`, not the truth, so all survives the loss of the topic.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

import structlog
from confluent_kafka import OFFSET_END, Consumer, Producer, TopicPartition

from headrace.stream.clients import consumer_config, producer_config

if TYPE_CHECKING:
    from collections.abc import Callable

    from headrace.settings import Settings

log = structlog.get_logger()

REREAD_S = 1.0
"""Seconds after which the state is read without a bell."""


class Bell:
    """Rings the bell."""

    def __init__(self, settings: Settings, client_id: str) -> None:
        self._topic = settings.topics.name("control")
        # Unlike the stream's records, a bell is of no use when it comes late.
        self._producer = Producer({**producer_config(settings, client_id), "message.timeout.ms": 5_000})

    def ring(self, model: str, state: bytes) -> None:
        """Tell services that a model's state has changed.

        Args:
            model: Key of the record: the topic is compacted to one record a model.
            state: The state as JSON, for whoever reads the topic; services read the file.
        """
        self._producer.produce(self._topic, key=model.encode(), value=state, on_delivery=_log_failure)
        self._producer.flush(5.0)


class BellListener:
    """Calls a function at every bell, and every `REREAD_S` without one, in a thread of its own."""

    def __init__(self, settings: Settings, client_id: str, on_bell: Callable[[], None]) -> None:
        """Prepare; `start` begins.

        Args:
            settings: Where the broker is.
            client_id: Name of the client.
            on_bell: Called from the thread; it must log its own troubles: what it raises ends the listening.
        """
        self._on_bell = on_bell
        self._topic = settings.topics.name("control")
        self._consumer = Consumer(consumer_config(settings, client_id, f"{settings.stream.group_prefix}bell"))
        self._stop = Event()
        self._thread = Thread(target=self._listen, name="bell", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """End within about `REREAD_S`."""
        self._stop.set()
        self._thread.join()

    def _listen(self) -> None:
        # Assigned, not subscribed: every process hears every bell, and nothing is committed.
        self._consumer.assign([TopicPartition(self._topic, 0, OFFSET_END)])
        try:
            while not self._stop.is_set():
                self._consumer.poll(REREAD_S)
                self._on_bell()
        finally:
            self._consumer.close()


def _log_failure(error: object, _message: object) -> None:
    if error is not None:
        log.warning("bell not heard", error=str(error))
