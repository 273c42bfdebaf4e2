"""Raw records to the columns that a frame carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from confluent_kafka import Message

from headrace.stream.dead_letters import DEADLINE, ORIGIN, TRACEPARENT, raw_headers
from headrace.stream.frames import CARRIED, INSTANT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.scoring.events import EventBatch


def carried_columns(messages: Sequence[Message], batch: EventBatch, id_prefix: str) -> pa.RecordBatch:
    """Columns of frames.CARRIED for the events of a batch.

    Args:
        messages: The raw records of the batch.
        batch: Events decoded from them; their `rows` lead into `messages`.
        id_prefix: What ids of events without one begin with; partition and offset follow.
    """
    if len(batch.rows) != len(messages):
        messages = [messages[row] for row in batch.rows]
    offsets = list(map(Message.offset, messages))
    columns = {
        "id": pa.array(_ids(batch.ids, messages, id_prefix), pa.string()),
        "offset": pa.array(offsets, pa.int64()),
        "timestamp": pa.array([stamp for _, stamp in map(Message.timestamp, messages)], pa.int64()).cast(INSTANT),
        "key": pa.array(list(map(Message.key, messages)), pa.binary()),
        "context": _contexts(batch.contexts),
        **_header_columns(messages),
    }
    return pa.RecordBatch.from_arrays([columns[field.name] for field in CARRIED], schema=CARRIED)


def _ids(ids: list[str | int | None], messages: Sequence[Message], prefix: str) -> list[Any]:
    if set(map(type, ids)) == {str}:
        return ids
    return [
        f"{prefix}-{message.partition()}-{message.offset()}" if given is None else str(given)
        for given, message in zip(ids, messages, strict=True)
    ]


def _contexts(contexts: list[Any]) -> pa.Array:
    # msgspec.Raw has the length of its JSON; an absent context has none.
    if not any(map(len, contexts)):
        return pa.nulls(len(contexts), pa.binary())
    return pa.array([bytes(raw) if len(raw) else None for raw in contexts], pa.binary())


def _header_columns(messages: Sequence[Message]) -> dict[str, pa.Array]:
    rows = list(map(Message.headers, messages))
    if not any(rows):
        empty = {"origin": pa.string(), "traceparent": pa.string(), "deadline": INSTANT}
        return {name: pa.nulls(len(rows), kind) for name, kind in empty.items()}
    headers = [dict(raw_headers(message)) for message in messages]
    return {
        "origin": pa.array([_text(row.get(ORIGIN)) for row in headers], pa.string()),
        "traceparent": pa.array([_text(row.get(TRACEPARENT)) for row in headers], pa.string()),
        "deadline": pa.array([_milliseconds(row.get(DEADLINE)) for row in headers], pa.int64()).cast(INSTANT),
    }


def _text(value: bytes | None) -> str | None:
    return value.decode(errors="replace") if value is not None else None


def _milliseconds(value: bytes | None) -> int | None:
    # A deadline that is not a number of at most 15 digits is none: it would not fit the column.
    return int(value) if value is not None and value.isdigit() and len(value) <= 15 else None  # noqa: PLR2004
