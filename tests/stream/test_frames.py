"""Frames: what goes in comes out, and what is no frame is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.errors import FrameError
from headrace.scoring.ragged import Ragged
from headrace.stream.frames import CARRIED, FORMAT, Frame, FrameHeader, decode_frame

HEADER = FrameHeader("spam", 3, "d1gest", "active", "headrace.events", 2, 10, 19)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text(),
            "offset": st.integers(0, 2**62),
            "timestamp": st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
            "key": st.none() | st.binary(),
            "deadline": st.none(),
            "origin": st.none() | st.text(),
            "traceparent": st.none() | st.text(),
            "context": st.none() | st.binary(),
            "tokens": st.lists(st.integers(0, 2**31 - 1), max_size=5),
        }
    ),
    min_size=1,
    max_size=20,
)


def frame_of(rows: list[dict[str, object]]) -> Frame:
    carried = pa.RecordBatch.from_pylist([{k: v for k, v in row.items() if k != "tokens"} for row in rows], CARRIED)
    return Frame.of_tokens(HEADER, carried, Ragged.from_lists([row["tokens"] for row in rows]))  # type: ignore[misc]


SMALL = frame_of(
    [
        {"id": str(n), "offset": n, "timestamp": 0, "key": None, "context": None, "tokens": list(range(n))}
        | dict.fromkeys(("deadline", "origin", "traceparent"))
        for n in range(4)
    ]
)


@given(ROWS)
@settings(max_examples=50)
def test_a_frame_of_tokens_comes_back(rows: list[dict[str, object]]) -> None:
    frame = frame_of(rows)
    back = decode_frame(frame.encode())
    assert back.header == HEADER
    assert back.batch.equals(frame.batch)
    assert back.tokens.tolist() == [row["tokens"] for row in rows]


def test_scores_take_the_place_of_tokens_and_all_else_stays() -> None:
    scores = np.arange(8, dtype=np.float32).reshape(4, 2)
    back = decode_frame(SMALL.with_scores(scores).encode())
    assert back.scores.tolist() == scores.tolist()
    assert back.batch.drop_columns(["scores"]).equals(SMALL.batch.drop_columns(["tokens"]))
    with pytest.raises(FrameError, match="no column 'tokens'"):
        back.tokens  # noqa: B018


def test_a_slice_of_a_frame_is_a_frame() -> None:
    part = Frame(HEADER, SMALL.batch.slice(2, 2))
    assert part.tokens.tolist() == [[0, 1], [0, 1, 2]]
    assert decode_frame(part.encode()).tokens.tolist() == [[0, 1], [0, 1, 2]]


def test_ten_lines_of_pyarrow_read_a_frame() -> None:
    with pa.ipc.open_stream(SMALL.encode()) as reader:
        metadata, table = reader.schema.metadata, reader.read_all()
    assert metadata[b"model"] == b"spam"
    assert table["tokens"].to_pylist() == [[], [0], [0, 1], [0, 1, 2]]


def test_a_later_format_is_refused_by_name() -> None:
    later = _with_metadata(format=str(FORMAT + 1))
    with pytest.raises(FrameError, match=f"format {FORMAT + 1}.*update this service"):
        decode_frame(later)


@pytest.mark.parametrize("changes", [{"version": "x"}, {"format": ""}, {"surplus": "1"}])
def test_damaged_metadata_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(FrameError):
        decode_frame(_with_metadata(**changes))


@pytest.mark.parametrize("data", [None, b"", b"hello", b"\0" * 100, b"\xff\xff\xff\xff\x7f\xff\xff\xff"])
def test_what_is_no_frame_is_refused(data: bytes | None) -> None:
    with pytest.raises(FrameError):
        decode_frame(data)


def test_a_frame_that_lacks_a_column_is_refused() -> None:
    short = replace(SMALL, batch=SMALL.batch.drop_columns(["key"]))
    with pytest.raises(FrameError, match="key"):
        decode_frame(short.encode())


@given(st.data())
@settings(max_examples=300)
def test_a_frame_cut_short_or_altered_never_crashes_the_reader(data: st.DataObject) -> None:
    encoded = bytearray(SMALL.encode())
    if data.draw(st.booleans()):
        encoded = encoded[: data.draw(st.integers(0, len(encoded) - 1))]
    else:
        for _ in range(data.draw(st.integers(1, 4))):
            encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    try:
        frame = decode_frame(bytes(encoded))
        frame.tokens.tolist()
    except FrameError:
        pass


def _with_metadata(**changes: str) -> bytes:
    with pa.ipc.open_stream(SMALL.encode()) as reader:
        schema, batches = reader.schema, list(reader)
    metadata = {**schema.metadata, **{key.encode(): value.encode() for key, value in changes.items()}}
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema.with_metadata(metadata)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())
