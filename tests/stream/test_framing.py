"""Rows cut into frames."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headrace.stream.framing import FRAME_OVERHEAD, frame_bounds


@given(st.lists(st.integers(1, 5_000), max_size=200), st.integers(1, 50), st.integers(5_000, 40_000))
def test_runs_hold_every_row_once_within_both_bounds(sizes: list[int], most_rows: int, room: int) -> None:
    bounds = frame_bounds(np.array(sizes, dtype=np.int64), most_rows, room + FRAME_OVERHEAD)
    assert [row for start, stop in bounds for row in range(start, stop)] == list(range(len(sizes)))
    for start, stop in bounds:
        assert 0 < stop - start <= most_rows
        assert sum(sizes[start:stop]) <= room


@given(st.lists(st.integers(1, 100), min_size=1, max_size=50))
def test_rows_that_fit_make_one_frame(sizes: list[int]) -> None:
    assert frame_bounds(np.array(sizes, dtype=np.int64), 100, 1_000_000) == [(0, len(sizes))]
