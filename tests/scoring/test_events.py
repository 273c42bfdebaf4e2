"""Raw records to events: every kind of poison is told apart, and never takes its batch down."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import SettingsError
from headrace.scoring.events import EventDecoder
from headrace.stream.settings import FieldSettings

LIMIT = 1_000
DECODER = EventDecoder(FieldSettings(), LIMIT)
GOOD = b'{"text":"fine","id":"g"}'

POISON: dict[str, list[bytes | None]] = {
    "null-value": [None],
    "invalid-utf8": [b'{"text":"\xff"}', b'{"text":"\xed\xa0\x80"}', b"\x80", b'{"text":"a","other":"\xc3"}'],
    "lone-surrogate": [b'{"text":"\\ud800"}', b'{"text":"a\\udc00b"}', b'{"text":"a","id":"\\ud83d"}'],
    "bad-json": [
        b"",
        b" ",
        b"hello",
        b'{"text":"a"',
        b'{"text":"a"}{"text":"b"}',
        b'{"text":"a"},{"text":"b"}',
        b'{"text":"a"}\n{"text":"b"}',
        b'\xef\xbb\xbf{"text":"a"}',
        b"\0\0\0",
        b'{"text":"a","x":' + b"[" * 100 + b"]" * 99 + b"}",
    ],
    "no-text": [b"{}", b'{"id":"a"}', b'{"Text":"a"}'],
    "wrong-type": [
        b"[]",
        b'"text"',
        b"7",
        b"null",
        b'{"text":null}',
        b'{"text":7}',
        b'{"text":["a"]}',
        b'{"text":"a","id":true}',
        b'{"text":"a","id":1.5}',
        b'{"text":"a","id":{}}',
        b'{"text":"a","model":3}',
    ],
    "oversized": [b'{"text":"' + b"a" * LIMIT + b'"}', b"x" * (LIMIT + 1)],
}
CASES = [(error, value) for error, values in POISON.items() for value in values]


@pytest.mark.parametrize(("error", "value"), CASES)
def test_poison_is_named_and_its_neighbours_are_scored(error: str, value: bytes | None) -> None:
    batch = DECODER.decode([GOOD, value, GOOD])
    assert [(fault.row, fault.error) for fault in batch.poison] == [(1, error)]
    assert batch.poison[0].reason.endswith(".")
    assert list(batch.rows) == [0, 2]
    assert batch.texts == ["fine", "fine"]


def test_every_kind_at_once_is_isolated() -> None:
    values = [value for pair in ((GOOD, value) for _, value in CASES) for value in pair]
    batch = DECODER.decode(values)
    assert list(batch.rows) == list(range(0, len(values), 2))
    assert [fault.error for fault in batch.poison] == [error for error, _ in CASES]


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_deep_nesting_ends_neither_in_a_crash_nor_in_the_batch(depth: int) -> None:
    decoder = EventDecoder(FieldSettings(), 10_000_000)
    value = b'{"text":"a","x":' + b"[" * depth + b"]" * depth + b"}"
    batch = decoder.decode([GOOD, value])
    assert batch.texts[0] == "fine"
    assert len(batch.texts) + len(batch.poison) == 2


def test_what_is_not_poison_is_scored() -> None:
    values: list[bytes | None] = [
        b'{"text":""}',
        b' {"text" : "a", "extra": [1, {"b": null}], "text2": 5}\n',
        b'{"text":"a\\u0000b","id":12345678901234567890123}',
        b'{"text":"\\ud83d\\ude00","id":"","context":{"a":[1, 2]}}',
        b'{"text":"a","id":null,"model":null,"context":null}',
    ]
    batch = DECODER.decode(values)
    assert batch.poison == []
    assert batch.texts == ["", "a", "a\0b", "\U0001f600", "a"]
    assert batch.ids == [None, None, 12345678901234567890123, "", None]
    assert [bytes(raw) for raw in batch.contexts] == [b"", b"", b"", b'{"a":[1, 2]}', b"null"]


def test_the_id_of_a_poison_record_is_found_where_it_can_be() -> None:
    batch = DECODER.decode([b'{"id":"x-1"}', b'{"id":17,"text":1}', b'{"id":true,"text":1}', b"{"])
    assert [fault.id for fault in batch.poison] == ["x-1", "17", None, None]


def test_parts_lie_where_the_settings_say() -> None:
    fields = FieldSettings(text="payload.body", id="meta.ids.event", model="meta.model", context="payload.extra")
    decoder = EventDecoder(fields, LIMIT)
    full = b'{"payload":{"body":"hi","extra":[1]},"meta":{"ids":{"event":7},"model":"m"}}'
    batch = decoder.decode(
        [full, b'{"payload":{"body":"hi"},"meta":{}}', b'{"payload":{"body":"hi"}}', b'{"payload":{}}']
    )
    assert batch.texts == ["hi"] * 3
    assert batch.ids == [7, None, None]
    assert batch.models == ["m", None, None]
    assert [bytes(raw) for raw in batch.contexts] == [b"[1]", b"", b""]
    assert [fault.error for fault in batch.poison] == ["no-text"]


@pytest.mark.parametrize(
    "fields",
    [
        FieldSettings(text="a", id="a"),
        FieldSettings(text="a.b", id="a"),
        FieldSettings(text="a..b"),
        FieldSettings(text=""),
    ],
)
def test_paths_that_collide_are_refused(fields: FieldSettings) -> None:
    with pytest.raises(SettingsError):
        EventDecoder(fields, LIMIT)


@given(st.lists(st.one_of(st.binary(max_size=40), st.none(), st.text(max_size=20).map(json.dumps).map(str.encode))))
def test_no_bytes_whatever_escape_the_decoder(values: list[bytes | None]) -> None:
    batch = DECODER.decode([*values, GOOD])
    rows = [*batch.rows, *(fault.row for fault in batch.poison)]
    assert sorted(rows) == list(range(len(values) + 1))
    assert batch.texts[-1] == "fine"
