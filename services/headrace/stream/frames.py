"""Frames: many events of one partition and one model version in one Kafka record, as an Arrow IPC stream.

A new column is one more field of `CARRIED` and one more line where the tokenizer builds its columns; every stage passes
columns through that it does not know. A change that an older reader would misread raises `FORMAT`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from headrace.errors import FrameError
from headrace.scoring.ragged import Ragged

if TYPE_CHECKING:
    import numpy.typing as npt

FORMAT = 1
"""Version of the form. A reader refuses a later one."""

INSTANT = pa.timestamp("ms", tz="UTC")
CARRIED = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("timestamp", INSTANT, nullable=False),
        pa.field("key", pa.binary()),
        pa.field("deadline", INSTANT),
        pa.field("origin", pa.string()),
        pa.field("traceparent", pa.string()),
        pa.field("context", pa.binary()),
    ]
)
"""Columns that go with an event from `events` to `predictions`; `offset` is that of the source event."""

TOKENS = pa.field("tokens", pa.list_(pa.int32()), nullable=False)
Traffic = Literal["active", "canary", "shadow"]


@dataclass(frozen=True, slots=True)
class FrameHeader:
    """What all rows of a frame have in common; stands in the Arrow schema's metadata."""

    model: str
    version: int
    tokenizer_digest: str
    traffic: Traffic
    topic: str
    """Source topic, that is `events`."""
    partition: int
    first_offset: int
    last_offset: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A header and a record batch of CARRIED plus `tokens` or `scores`."""

    header: FrameHeader
    batch: pa.RecordBatch

    @classmethod
    def of_tokens(cls, header: FrameHeader, carried: pa.RecordBatch, tokens: Ragged) -> Frame:
        """A frame of tokens.

        Args:
            header: What the rows share.
            carried: Columns of CARRIED, n rows.
            tokens: n rows.
        """
        column = pa.ListArray.from_arrays(pa.array(tokens.offsets), pa.array(tokens.values))
        return cls(header, carried.append_column(TOKENS, column))

    def with_scores(self, scores: npt.NDArray[np.float32]) -> Frame:
        """The same rows with scores instead of tokens.

        Args:
            scores: float32[rows, labels].
        """
        flat = pa.array(np.ascontiguousarray(scores).reshape(-1))
        column = pa.FixedSizeListArray.from_arrays(flat, scores.shape[1])
        carried = self.batch.drop_columns(["tokens"])
        return Frame(self.header, carried.append_column(pa.field("scores", column.type, nullable=False), column))

    @property
    def tokens(self) -> Ragged:
        """Token ids of the rows.

        Raises:
            FrameError: This is no frame of tokens.
        """
        column = self._column("tokens", TOKENS.type)
        return Ragged(column.offsets.to_numpy() - column.offsets[0].as_py(), column.flatten().to_numpy())

    @property
    def scores(self) -> npt.NDArray[np.float32]:
        """float32[rows, labels].

        Raises:
            FrameError: This is no frame of scores.
        """
        column = self._column("scores", None)
        if not pa.types.is_fixed_size_list(column.type) or column.type.value_type != pa.float32():
            raise FrameError(f"column scores has type {column.type}; it must be a fixed-size list of float32.")
        flat: npt.NDArray[np.float32] = column.flatten().to_numpy()
        return flat.reshape(len(column), column.type.list_size)

    def encode(self) -> bytes:
        """The frame as an Arrow IPC stream of one record batch."""
        fields = {key.encode(): str(value).encode() for key, value in asdict(self.header).items()}
        schema = self.batch.schema.with_metadata({b"format": str(FORMAT).encode(), **fields})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as writer:
            writer.write_batch(self.batch)
        encoded: bytes = sink.getvalue().to_pybytes()
        return encoded

    def _column(self, name: str, wanted: pa.DataType | None) -> pa.Array:
        position = self.batch.schema.get_field_index(name)
        if position < 0:
            raise FrameError(f"the frame has no column {name!r}: is the topic the one of this stage?")
        column = self.batch.column(position)
        if wanted is not None and column.type != wanted:
            raise FrameError(f"column {name} has type {column.type}; it must be {wanted}.")
        return column


def decode_frame(data: bytes | None) -> Frame:
    """Read a frame.

    Raises:
        FrameError: The bytes are no frame, are cut short, or were written by a later version.
    """
    if data is None:
        raise FrameError("the record has no value.")
    try:
        with pa.ipc.open_stream(data) as reader:
            batches = list(reader)
            metadata = reader.schema.metadata or {}
        for batch in batches:
            # Offsets that lead outside their buffers would crash the process when they are used.
            batch.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise FrameError(f"not a frame: {error}.") from error
    if len(batches) != 1:
        raise FrameError(f"a frame holds one record batch, this one {len(batches)}.")
    header = _header(metadata)
    missing = [field.name for field in CARRIED if batches[0].schema.get_field_index(field.name) < 0]
    if missing:
        raise FrameError(f"the frame lacks the columns {', '.join(missing)}.")
    return Frame(header, batches[0])


def _header(metadata: dict[bytes, bytes]) -> FrameHeader:
    try:
        texts = {key.decode(): value.decode() for key, value in metadata.items()}
        version = int(texts.pop("format"))
        if version > FORMAT:
            raise FrameError(
                f"the frame has format {version}, this reader knows up to {FORMAT}: update this service first."
            )
        numbers = {name: int(texts.pop(name)) for name in ("version", "partition", "first_offset", "last_offset")}
        return FrameHeader(**numbers, **texts)  # type: ignore[arg-type] # the next line refuses other keys
    except (KeyError, ValueError, TypeError) as error:
        raise FrameError(f"the frame's metadata is damaged: {error!r}.") from error
