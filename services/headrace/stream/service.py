"""Puts a stage together from settings and runs it as a process: signals, logs, readiness, clients."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING

import structlog
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from headrace.errors import HeadraceError
from headrace.settings import load_settings
from headrace.stream.clients import Config, consumer_config, producer_config
from headrace.stream.outbox import Outbox
from headrace.stream.stage import Stage
from headrace.telemetry.logs import configure_logs
from headrace.telemetry.notify import notify_ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from headrace.settings import Settings
    from headrace.stream.ledger import Ticket
    from headrace.stream.processor import FinishedQueue, Processor
    from headrace.stream.settings import Role

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StageSpec:
    """What tells one stage from another."""

    name: str
    source: Role
    """Role of the topic that it reads."""
    make_processor: Callable[[Settings, FinishedQueue], Processor]


def main(spec: StageSpec) -> None:
    """Run a stage as a process: an error that Headrace knows becomes one log line and its exit status."""
    try:
        run_stage(spec, load_settings())
    except HeadraceError as error:
        log.error("stopped by an error", code=error.code, error=str(error))
        sys.exit(error.exit_status)


def run_stage(spec: StageSpec, settings: Settings) -> None:
    """Run a stage until SIGTERM or SIGINT.

    Raises:
        SettingsError: No broker is set and no local stack runs.
        FatalClientError: A client can no longer be used.
    """
    instance = os.environ.get("HEADRACE_SERVICE_NAME", spec.name)
    configure_logs(settings.log, service=instance)
    finished: FinishedQueue = SimpleQueue()
    stage = build_stage(spec, settings, f"{instance}-{os.getpid()}", finished)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stage.stop())
    log.info("starting", source=settings.topics.name(spec.source))
    stage.run()
    log.info("stopped")


def build_stage(spec: StageSpec, settings: Settings, client_id: str, finished: FinishedQueue) -> Stage:
    """A stage with its clients and its processor."""
    return Stage(
        settings.stream,
        settings.topics.name(spec.source),
        partial(_consumer, consumer_config(settings, client_id, settings.stream.group_prefix + spec.name)),
        partial(_outbox, producer_config(settings, client_id)),
        spec.make_processor(settings, finished),
        finished,
        notify_ready,
    )


def _consumer(config: Config, on_commit: Callable[[KafkaError | None, list[TopicPartition]], None]) -> Consumer:
    return Consumer({**config, "on_commit": on_commit, "error_cb": _log_client_error})


def _outbox(config: Config, on_delivered: Callable[[Ticket], None]) -> Outbox:
    producer = Producer({**config, "error_cb": _log_client_error})
    records = int(config["queue.buffering.max.messages"])
    return Outbox(producer, records, int(config["queue.buffering.max.kbytes"]) * 1024 // 2, on_delivered)


def _log_client_error(error: KafkaError) -> None:
    """Librdkafka reconnects by itself; what it cannot mend comes back from the call that needs it."""
    log.warning("client error", error=error.str(), code=error.name())
