"""librdkafka configurations: the one place where its properties are chosen, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.settings import Settings

Config = dict[str, Any]


def connection_config(settings: Settings, client_id: str) -> Config:
    """What every client needs: addresses, security and the user's own properties (which win).

    Raises:
        SettingsError: No broker is set and no local stack runs.
    """
    kafka = settings.kafka
    secret = kafka.sasl_password.get_secret_value() if kafka.sasl_password else None
    optional = {
        "sasl.mechanisms": kafka.sasl_mechanism,
        "sasl.username": kafka.sasl_username,
        "sasl.password": secret,
        "ssl.ca.location": kafka.ssl_ca_location,
    }
    return {
        "bootstrap.servers": settings.bootstrap_servers(),
        "client.id": client_id,
        "security.protocol": kafka.security_protocol,
        # Topics are made by `headrace up` and `headrace topics`, with the partitions that the pipeline needs.
        "allow.auto.create.topics": False,
        **{name: value for name, value in optional.items() if value is not None},
    }


def consumer_config(settings: Settings, client_id: str, group: str) -> Config:
    """A consumer that commits only what it is told to."""
    return {
        **connection_config(settings, client_id),
        "group.id": group,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
        "partition.assignment.strategy": "cooperative-sticky",
        "session.timeout.ms": settings.kafka.session_timeout_ms,
        "heartbeat.interval.ms": max(100, settings.kafka.session_timeout_ms // 4),
        # The default of 1000 leaves a fast consumer without records for a second whenever its queue was full.
        "fetch.queue.backoff.ms": 2,
        # A pause discards this much at most; more only costs memory.
        "queued.max.messages.kbytes": 32_768,
        "fetch.message.max.bytes": 2_097_152,
        "fetch.wait.max.ms": 50,
        **settings.kafka.client,
    }


def producer_config(settings: Settings, client_id: str) -> Config:
    """An idempotent producer for large batches."""
    return {
        **connection_config(settings, client_id),
        "enable.idempotence": True,
        "acks": "all",
        # Idempotence keeps order with up to five requests under way.
        "max.in.flight.requests.per.connection": 5,
        "linger.ms": 5,
        "batch.size": 1_000_000,
        "batch.num.messages": 10_000,
        # The topics' own limits decide; an original of any size that the broker took must fit into dead-letters.
        "message.max.bytes": 10_000_000,
        "queue.buffering.max.messages": 500_000,
        "queue.buffering.max.kbytes": 262_144,
        # An unreachable broker is an outage, not a loss: records wait, and the stage's bounds hold the rest back.
        "message.timeout.ms": 0,
        **settings.kafka.client,
    }
