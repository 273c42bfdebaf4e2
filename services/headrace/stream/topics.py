"""The topics that the pipeline needs: look at them, and create what is missing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from headrace.errors import SettingsError, UnreachableError
from headrace.stream.clients import connection_config
from headrace.stream.settings import STREAM_ROLES, Role, TopicSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headrace.settings import Settings

ROLES: tuple[Role, ...] = (*STREAM_ROLES, "dead_letters", "control")
DEAD_LETTER_BYTES = 4_194_304
"""Largest record of `dead-letters`: any original fits, and the headers that are put to it."""

TIMEOUT_S = 30.0
POLL_S = 0.05


class TopicState(msgspec.Struct, frozen=True, kw_only=True):
    """One topic as the broker has it."""

    name: str
    role: Role
    partitions: int | None
    """None: the topic does not exist."""


def inspect_topics(settings: Settings, timeout_s: float = TIMEOUT_S) -> list[TopicState]:
    """Ask the broker for every topic of the pipeline, in the order of the flow.

    Args:
        settings: Where the broker is and what the topics are called.
        timeout_s: Longest wait for an answer, in seconds.

    Raises:
        SettingsError: No broker is set.
        UnreachableError: The broker does not answer.
    """
    return _inspect(_admin(settings), settings.topics, timeout_s)


def partition_faults(states: Iterable[TopicState]) -> list[str]:
    """What is wrong with the partitions of topics that exist, a sentence each with its remedy; pure."""
    existing = [state for state in states if state.partitions is not None]
    stream = [state for state in existing if state.role in STREAM_ROLES]
    most = max((state.partitions or 0 for state in stream), default=0)
    faults = [
        f"topic {state.name} has {state.partitions} partitions, others of the stream have {most}, and all must have "
        "the same number: add partitions to it, or delete it so that it is made anew."
        for state in stream
        if state.partitions != most
    ]
    return faults + [
        f"topic {state.name} has {state.partitions} partitions and must have one: delete it so that it is made anew."
        for state in existing
        if state.role == "control" and state.partitions != 1
    ]


def ensure_topics(settings: Settings, timeout_s: float = TIMEOUT_S) -> list[str]:
    """Create the topics that are missing and wait until they can be used; existing ones are left as they are.

    Args:
        settings: Where the broker is, what the topics are called, partitions and replicas of new ones.
        timeout_s: Longest wait for each answer, and for the topics to become visible, in seconds.

    Returns:
        Names of the topics that were created.

    Raises:
        SettingsError: No broker is set, partitions differ, or the broker refuses a topic; names it and the remedy.
        UnreachableError: The broker does not answer, or the topics do not become visible.
    """
    admin = _admin(settings)
    states = _inspect(admin, settings.topics, timeout_s)
    _refuse_faults(states)
    partitions = _stream_partitions(states) or settings.topics.partitions
    missing = [_new_topic(state, partitions, settings.topics) for state in states if state.partitions is None]
    if not missing:
        return []
    created = _create(admin, missing, timeout_s)
    # Again: somebody else may have made one at the same time, with other partitions.
    _refuse_faults(_await_visible(admin, settings.topics, timeout_s))
    return created


def _admin(settings: Settings) -> AdminClient:
    # What librdkafka would print of a broker that is away is said by our own errors.
    return AdminClient({**connection_config(settings, "headrace-admin"), "log_level": 0, **settings.kafka.client})


def _inspect(admin: AdminClient, topics: TopicSettings, timeout_s: float) -> list[TopicState]:
    try:
        # All of them: a broker that makes topics on demand makes those that a client asks for by name.
        known = admin.list_topics(timeout=timeout_s).topics
    except KafkaException as error:
        raise _unreachable(error) from error
    counts = {name: len(topic.partitions) for name, topic in known.items() if topic.error is None and topic.partitions}
    names = {role: topics.name(role) for role in ROLES}
    return [TopicState(name=name, role=role, partitions=counts.get(name)) for role, name in names.items()]


def _stream_partitions(states: list[TopicState]) -> int | None:
    """Partitions of the stream's topics that exist; new ones must be like them."""
    return next((state.partitions for state in states if state.role in STREAM_ROLES and state.partitions), None)


def _refuse_faults(states: list[TopicState]) -> None:
    if faults := partition_faults(states):
        raise SettingsError(" ".join(faults))


def _new_topic(state: TopicState, partitions: int, topics: TopicSettings) -> NewTopic:
    config: dict[Role, dict[str, str]] = {
        "dead_letters": {"max.message.bytes": str(DEAD_LETTER_BYTES)},
        "control": {"cleanup.policy": "compact"},
    }
    count = 1 if state.role == "control" else partitions
    return NewTopic(state.name, count, topics.replication, config=config.get(state.role, {}))


def _create(admin: AdminClient, new: list[NewTopic], timeout_s: float) -> list[str]:
    created = []
    for name, outcome in admin.create_topics(new, operation_timeout=timeout_s, request_timeout=timeout_s).items():
        try:
            outcome.result()
        except KafkaException as error:
            reason = error.args[0]
            if reason.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                continue
            if reason.retriable() or reason.code() in (KafkaError._TIMED_OUT, KafkaError._TRANSPORT):  # noqa: SLF001
                raise _unreachable(error) from error
            raise SettingsError(
                f"the broker refuses to create topic {name}: {reason.str()}. Create it by hand, or correct the topic "
                "settings (HEADRACE_TOPICS__PARTITIONS, HEADRACE_TOPICS__REPLICATION) or the rights of this user."
            ) from error
        created.append(name)
    return created


def _await_visible(admin: AdminClient, topics: TopicSettings, timeout_s: float) -> list[TopicState]:
    deadline = time.monotonic() + timeout_s
    while True:
        states = _inspect(admin, topics, timeout_s)
        missing = [state.name for state in states if state.partitions is None]
        if not missing:
            return states
        if time.monotonic() > deadline:
            raise UnreachableError(f"created topics are still not visible ({', '.join(missing)}): is a broker down?")
        # Kafka has no event for this; the client's own events are served meanwhile.
        admin.poll(POLL_S)


def _unreachable(error: KafkaException) -> UnreachableError:
    return UnreachableError(
        f"the broker does not answer ({error.args[0].str()}): start it, or correct HEADRACE_KAFKA__BOOTSTRAP_SERVERS."
    )
