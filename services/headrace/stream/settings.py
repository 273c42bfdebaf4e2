"""Settings of the stream core: where Kafka is, what the topics are called, how much work may be in flight."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, SecretStr


class KafkaSettings(BaseModel, extra="forbid"):
    """`HEADRACE_KAFKA__…`: the connection to the broker."""

    bootstrap_servers: str | None = None
    """Addresses of brokers, `host:port[,host:port…]`. Unset: the local stack's (and `headrace up` starts one)."""

    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    """How to talk to the broker."""

    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] | None = None
    """How to authenticate; needs a SASL security protocol."""

    sasl_username: str | None = None
    """User name for PLAIN and SCRAM."""

    sasl_password: SecretStr | None = None
    """Password for PLAIN and SCRAM."""

    ssl_ca_location: str | None = None
    """File with the certificate authority's certificates; unset: the system's."""

    session_timeout_ms: int = Field(default=6_000, ge=1_000)
    """How long a consumer may be silent before its partitions go to others, in milliseconds. The local broker lets a
    group form after half of it."""

    client: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Any other librdkafka property, for producers, consumers and admin clients alike; it wins over ours."""


class TopicSettings(BaseModel, extra="forbid"):
    """`HEADRACE_TOPICS__…`: names of topics, so that existing ones serve. Unset, a name is prefix + default name."""

    prefix: str = "headrace."
    """What the default names begin with."""

    events: str | None = None
    """Text events in, one JSON object a record."""

    tokens: str | None = None
    """Frames of tokens, from tokenizer to inference."""

    scores: str | None = None
    """Frames of scores, from inference to postprocess."""

    predictions: str | None = None
    """Predictions out, one JSON object a record."""

    dead_letters: str | None = None
    """Originals of records that cannot be scored."""

    control: str | None = None
    """Rollout states, compacted, one partition."""

    partitions: int = Field(default=4, ge=1)
    """Partitions of a topic of the stream, when Headrace creates it."""

    replication: int = Field(default=1, ge=1)
    """Replicas of a topic, when Headrace creates it."""

    def name(self, role: Role) -> str:
        """The full name of the topic that plays `role`."""
        chosen: str | None = getattr(self, role)
        return chosen if chosen is not None else self.prefix + role.replace("_", "-")


Role = Literal["events", "tokens", "scores", "predictions", "dead_letters", "control"]
STREAM_ROLES: tuple[Role, ...] = ("events", "tokens", "scores", "predictions")
"""Topics that must have equal numbers of partitions, in the order of the flow."""


class FieldSettings(BaseModel, extra="forbid"):
    """`HEADRACE_FIELDS__…`: where an event's parts lie in its JSON, as dotted paths (`payload.body`)."""

    text: str = "text"
    """The text to score; must lead to a string."""

    id: str = "id"
    """Optional; a string or an integer. Without one the id is made of topic id, partition and offset."""

    model: str = "model"
    """Optional; the model to score with. Without one: the default model."""

    context: str = "context"
    """Optional; any JSON value, carried to the prediction untouched."""


class StreamSettings(BaseModel, extra="forbid"):
    """`HEADRACE_STREAM__…`: bounds and periods of a stage's loop."""

    group_prefix: str = "headrace-"
    """Consumer groups are called this and the stage's name."""

    frame_rows: int = Field(default=8_192, ge=1)
    """Most rows of one frame. Below 1,000 the cost of a record and of a call shows."""

    frame_bytes: int = Field(default=1_000_000, ge=10_000)
    """Most bytes of one frame. A broker's usual limit on a record is 1,048,576."""

    max_event_bytes: int = Field(default=900_000, ge=1_000)
    """An event larger than this goes to dead-letters as `oversized`: what is made of it must fit a record, too."""

    in_flight_frames: int = Field(default=16, ge=1)
    """Batches that a stage works on or waits for at once; past it, it pauses."""

    in_flight_bytes: int = Field(default=64_000_000, ge=1_000_000)
    """Bytes of source records that a stage works on at once; past it, it pauses."""

    resume_share: float = Field(default=0.5, gt=0, lt=1)
    """A paused stage resumes when what is in flight is below this share of both bounds. (Pausing discards what the
    client has fetched already, so it should be rare.)"""

    pause_after_s: float = Field(default=1.0, ge=0)
    """A full stage waits this long for work to end before it pauses, in seconds: a short peak costs no prefetch."""

    batch_wait_s: float = Field(default=0.005, ge=0)
    """How long a stage gathers records into one batch, in seconds, once the first is there."""

    commit_interval_s: float = Field(default=0.2, gt=0)
    """Seconds between commits of what is delivered; what a crash repeats is at most this and what was in flight."""

    drain_deadline_s: float = Field(default=8.0, gt=0)
    """On revoke and on SIGTERM: seconds in which to finish, deliver and commit what is in flight."""
