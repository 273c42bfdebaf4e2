"""Rows of different lengths in flat arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.scoring.ragged import Ragged, offsets_of

ROWS = st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=9), max_size=30)


@given(ROWS)
def test_lists_come_back_as_they_went_in(rows: list[list[int]]) -> None:
    ragged = Ragged.from_lists(rows)
    assert ragged.tolist() == rows
    assert len(ragged) == len(rows)
    assert ragged.lengths.tolist() == [len(row) for row in rows]


@given(ROWS, st.integers(0, 12))
def test_cut_keeps_the_first_values_of_each_row(rows: list[list[int]], longest: int) -> None:
    assert Ragged.from_lists(rows).cut(longest).tolist() == [row[:longest] for row in rows]


@given(ROWS, st.lists(st.integers(0, 9), max_size=3), st.lists(st.integers(0, 9), max_size=3))
def test_wrap_puts_ids_around_every_row(rows: list[list[int]], before: list[int], behind: list[int]) -> None:
    assert Ragged.from_lists(rows).wrap(before, behind).tolist() == [[*before, *row, *behind] for row in rows]


@given(st.lists(ROWS, max_size=4))
def test_concat_keeps_all_rows_in_order(parts: list[list[list[int]]]) -> None:
    joined = Ragged.concat([Ragged.from_lists(rows) for rows in parts])
    assert joined.tolist() == [row for rows in parts for row in rows]


@given(ROWS.filter(bool), st.data())
def test_take_and_padded_choose_rows(rows: list[list[int]], data: st.DataObject) -> None:
    chosen = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1)), dtype=np.intp)
    ragged = Ragged.from_lists(rows)
    assert ragged.take(chosen).tolist() == [rows[i] for i in chosen]
    matrix = ragged.padded(chosen, -1)
    width = max(1, *(len(rows[i]) for i in chosen)) if len(chosen) else 1
    assert matrix.dtype == np.int32
    assert matrix.tolist() == [rows[i] + [-1] * (width - len(rows[i])) for i in chosen]


def test_more_values_than_an_int32_counts_are_refused() -> None:
    with pytest.raises(OverflowError, match="smaller batches"):
        offsets_of(np.full(3, 2**30, dtype=np.int32))
