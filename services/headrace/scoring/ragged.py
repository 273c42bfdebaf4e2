"""Rows of different lengths in two flat arrays: the form in which tokens travel, without padding."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Int32s = npt.NDArray[np.int32]
    Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Ragged:
    """`n` rows of int32; row `i` is `values[offsets[i]:offsets[i + 1]]`."""

    offsets: Int32s
    """int32[n + 1], starts at 0, never decreases."""
    values: Int32s
    """int32[offsets[n]]."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int32s:
        """int32[n]: length of each row."""
        return np.diff(self.offsets)

    @classmethod
    def from_lists(cls, rows: Sequence[Sequence[int]]) -> Ragged:
        """Build from Python lists."""
        lengths = np.fromiter(map(len, rows), dtype=np.int32, count=len(rows))
        offsets = offsets_of(lengths)
        values = np.fromiter((value for row in rows for value in row), dtype=np.int32, count=int(offsets[-1]))
        return cls(offsets, values)

    @classmethod
    def concat(cls, parts: Sequence[Ragged]) -> Ragged:
        """Rows of all parts, in order."""
        if len(parts) == 1:
            return parts[0]
        offsets = offsets_of(np.concatenate([part.lengths for part in parts]) if parts else np.zeros(0, np.int32))
        values = np.concatenate([part.values for part in parts]) if parts else np.zeros(0, np.int32)
        return cls(offsets, values)

    def tolist(self) -> list[list[int]]:
        """Rows as Python lists."""
        bounds = self.offsets.tolist()
        flat = self.values.tolist()
        return [flat[start:stop] for start, stop in pairwise(bounds)]

    def take(self, rows: Indices) -> Ragged:
        """The rows at `rows` (intp[m]), in that order."""
        lengths = self.lengths[rows]
        offsets = offsets_of(lengths)
        sources = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1], dtype=np.int32)
        return Ragged(offsets, self.values[sources])

    def cut(self, longest: int) -> Ragged:
        """Every row cut to its first `longest` values."""
        lengths = self.lengths
        if len(lengths) == 0 or int(lengths.max()) <= longest:
            return self
        kept = np.minimum(lengths, longest)
        offsets = offsets_of(kept)
        sources = np.repeat(self.offsets[:-1] - offsets[:-1], kept) + np.arange(offsets[-1], dtype=np.int32)
        return Ragged(offsets, self.values[sources])

    def wrap(self, prefix: Sequence[int], suffix: Sequence[int]) -> Ragged:
        """Every row with `prefix` before and `suffix` behind it."""
        extra = len(prefix) + len(suffix)
        if not extra:
            return self
        offsets = self.offsets + np.arange(len(self.offsets), dtype=np.int32) * np.int32(extra)
        values = np.empty(int(offsets[-1]), dtype=np.int32)
        inner = np.ones(len(values), dtype=bool)
        for position, value in enumerate(prefix):
            inner[offsets[:-1] + position] = False
            values[offsets[:-1] + position] = value
        for position, value in enumerate(suffix):
            inner[offsets[1:] - len(suffix) + position] = False
            values[offsets[1:] - len(suffix) + position] = value
        values[inner] = self.values
        return Ragged(offsets, values)

    def padded(self, rows: Indices, fill: int) -> Int32s:
        """The rows at `rows` as one matrix.

        Returns:
            int32[len(rows), w], w being the longest of these rows but at least 1; shorter rows end in `fill`.
        """
        lengths = self.lengths[rows]
        width = max(1, int(lengths.max(initial=0)))
        columns = np.arange(width, dtype=np.int32)
        inside = columns < lengths[:, None]
        matrix = np.full((len(rows), width), fill, dtype=np.int32)
        sources = self.offsets[rows][:, None] + columns
        matrix[inside] = self.values[sources[inside]]
        return matrix


def offsets_of(lengths: Int32s) -> Int32s:
    """Running sums of row lengths, int32[n + 1], starting at 0.

    Raises:
        OverflowError: The rows hold more values than an int32 counts.
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise OverflowError(f"{offsets[-1]} values are more than one batch may hold; send smaller batches.")
    return offsets.astype(np.int32)
