"""Raw records to events: a whole batch at once, and record by record only when one of them is poison.

A new kind of poison is one more rule in `diagnose`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from headrace.scoring.event_schema import EventSchema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.stream.settings import FieldSettings

SURROGATE = re.compile("[\ud800-\udfff]")
UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError, AttributeError)
"""What decoding may raise; the last two are those of a null value."""


@dataclass(frozen=True, slots=True)
class Poison:
    """A record that cannot be scored, and why."""

    row: int
    """Its place in the batch."""
    error: str
    """Class of the fault: stands in a header of the dead letter and never changes."""
    reason: str
    """One sentence for a person."""
    id: str | None = None


@dataclass(slots=True)
class EventBatch:
    """Events of a batch as columns of equal length, with the records that were refused."""

    rows: Sequence[int]
    """Places in the batch of raw records."""
    texts: list[str]
    ids: list[str | int | None]
    models: list[str | None]
    """Names of models; None: the default one."""
    contexts: list[Any]
    """msgspec.Raw of the context's JSON; empty when absent."""
    poison: list[Poison] = field(default_factory=list)


class EventDecoder:
    """Decodes batches of records by one schema."""

    def __init__(self, fields: FieldSettings, max_event_bytes: int) -> None:
        """Prepare.

        Args:
            fields: Where text, id, model and context lie.
            max_event_bytes: A larger record is poison.

        Raises:
            SettingsError: Two paths collide.
        """
        self._schema = EventSchema(fields)
        self._fields = fields
        self._max_bytes = max_event_bytes

    def decode(self, values: Sequence[bytes | None]) -> EventBatch:
        """Decode a batch; never raises for what stands in it.

        Args:
            values: Values of records; None is a null value.
        """
        try:
            # msgspec does not look into strings that it skips. No character spans two records: JSON ends are ASCII.
            b"".join(values).decode()  # type: ignore[arg-type] # None raises TypeError
            events = list(map(self._schema.decode, values))  # type: ignore[arg-type]
        except UNDECODABLE:
            return self._decode_singly(values)
        if max(map(len, values), default=0) > self._max_bytes:  # type: ignore[arg-type] # none is None here
            return self._decode_singly(values)
        return self._columns(range(len(values)), events)

    def _decode_singly(self, values: Sequence[bytes | None]) -> EventBatch:
        rows: list[int] = []
        events: list[Any] = []
        poison: list[Poison] = []
        for row, value in enumerate(values):
            event = self._decode_one(row, value)
            if isinstance(event, Poison):
                poison.append(event)
            else:
                rows.append(row)
                events.append(event)
        batch = self._columns(rows, events)
        batch.poison = poison
        return batch

    def _decode_one(self, row: int, value: bytes | None) -> Any:  # noqa: ANN401 (an event of the schema, or Poison)
        if value is not None and len(value) > self._max_bytes:
            reason = (
                f"The record has {len(value)} bytes, {self._max_bytes} are allowed (HEADRACE_STREAM__MAX_EVENT_BYTES)."
            )
            return Poison(row, "oversized", reason)
        try:
            value.decode()  # type: ignore[union-attr] # None raises AttributeError
            return self._schema.decode(value)  # type: ignore[arg-type]
        except UNDECODABLE as fault:
            error, reason = diagnose(value, self._fields.text, fault)
            return Poison(row, error, reason, _id_of(value, self._fields.id))

    def _columns(self, rows: Sequence[int], events: list[Any]) -> EventBatch:
        schema = self._schema
        return EventBatch(
            rows=rows,
            texts=list(map(schema.text, events)),
            ids=list(map(schema.id, events)),
            models=list(map(schema.model, events)),
            contexts=list(map(schema.context, events)),
        )


def diagnose(  # noqa: PLR0911 (one line a kind of poison)
    value: bytes | None, text_path: str, fault: Exception
) -> tuple[str, str]:
    """Name the fault of a record that does not decode.

    Args:
        value: The record's value.
        text_path: Where the text should be, for the reason.
        fault: What decoding raised.

    Returns:
        Class of the fault and a sentence.
    """
    if value is None:
        return "null-value", "The record has no value (a tombstone)."
    try:
        value.decode()
    except UnicodeDecodeError as error:
        return "invalid-utf8", f"The record is not UTF-8: {error.reason} at byte {error.start}."
    if isinstance(fault, RecursionError):
        return "bad-json", "The JSON is nested too deeply."
    if not isinstance(fault, msgspec.ValidationError):
        if _has_lone_surrogate(value):
            return "lone-surrogate", "A string holds half of a surrogate pair, which is no character."
        return "bad-json", f"The record is not JSON: {fault}."
    if "missing required field" in str(fault):
        return "no-text", f"The event has no text at {text_path!r}."
    return "wrong-type", f"A field has the wrong type: {fault}."


def _has_lone_surrogate(value: bytes) -> bool:
    try:
        return bool(SURROGATE.search(json.dumps(json.loads(value), ensure_ascii=False)))
    except (ValueError, RecursionError):
        return False


def _id_of(value: bytes | None, path: str) -> str | None:
    """The id of a record that is JSON all the same, so that its dead letter can be found."""
    try:
        node = json.loads(value) if value is not None else None
    except (ValueError, RecursionError):
        return None
    for name in path.split("."):
        node = node.get(name) if isinstance(node, dict) else None
    if isinstance(node, bool) or not isinstance(node, str | int):
        return None
    return str(node).encode(errors="replace").decode()
