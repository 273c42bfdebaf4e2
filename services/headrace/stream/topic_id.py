"""The identity of a topic, which a new topic of the same name does not share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from headrace.errors import UnreachableError
from headrace.stream.clients import connection_config

if TYPE_CHECKING:
    from headrace.settings import Settings

TIMEOUT_S = 30.0


def topic_id(settings: Settings, topic: str) -> str:
    """The broker's UUID of a topic; its name where the broker gives none.

    Raises:
        UnreachableError: The broker does not answer, or has no such topic.
    """
    admin = AdminClient(connection_config(settings, "headrace-topic-id"))
    try:
        found = admin.describe_topics(TopicCollection([topic]), request_timeout=TIMEOUT_S)[topic].result()
    except KafkaException as error:
        raise UnreachableError(
            f"topic {topic} cannot be described: {error.args[0].str()}. Check the broker with `headrace doctor`."
        ) from error
    identity = found.topic_id
    return str(identity) if identity is not None and identity.get_most_significant_bits() else topic
