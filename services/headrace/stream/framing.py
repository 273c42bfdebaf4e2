"""Cutting rows into frames, bounded by rows and by bytes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from headrace.scoring.ragged import Ragged

FRAME_OVERHEAD = 8_192
"""Bytes of a frame beside its rows: schema, metadata, padding of buffers."""

ROW_OVERHEAD = 64
"""Bytes of a row beside its texts and tokens: offsets, validity bits, fixed-size columns."""

VARIABLE_COLUMNS = ("id", "key", "origin", "traceparent", "context")


def row_sizes(carried: pa.RecordBatch, tokens: Ragged) -> npt.NDArray[np.int64]:
    """Upper bound of the bytes that each row takes in a frame, int64[rows]."""
    sizes = tokens.lengths.astype(np.int64) * 4 + ROW_OVERHEAD
    for name in VARIABLE_COLUMNS:
        column = carried.column(carried.schema.get_field_index(name))
        sizes += pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False)
    return sizes


def frame_bounds(sizes: npt.NDArray[np.int64], most_rows: int, most_bytes: int) -> list[tuple[int, int]]:
    """Cut rows into runs that fit a frame each.

    Args:
        sizes: Bytes of each row, int64[rows].
        most_rows: Rows of a frame.
        most_bytes: Bytes of a frame. A row larger than that gets a run of its own; the caller has to refuse it before.

    Returns:
        First row and end of each run.
    """
    ends = np.cumsum(sizes)
    bounds: list[tuple[int, int]] = []
    start, used = 0, 0
    while start < len(sizes):
        fits = int(np.searchsorted(ends, used + most_bytes - FRAME_OVERHEAD, side="right"))
        stop = min(max(fits, start + 1), start + most_rows)
        bounds.append((start, stop))
        start, used = stop, int(ends[stop - 1])
    return bounds
