"""How rows become requests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.scoring.batching import RequestShape, plan_requests

SHAPE = RequestShape(target_rows=4_096, min_rows=16, max_padding=0.05, max_tokens=262_144)


def padding(lengths: np.ndarray, requests: list[np.ndarray]) -> float:
    slots = sum(max(1, int(lengths[rows].max())) * len(rows) for rows in requests)
    return 1 - float(np.maximum(lengths[np.concatenate(requests)], 1).sum()) / slots


@given(st.lists(st.integers(0, 600), max_size=400), st.integers(1, 80), st.integers(1, 900))
def test_every_row_travels_once_within_all_bounds(lengths: list[int], target: int, tokens: int) -> None:
    shape = RequestShape(target_rows=target, min_rows=16, max_padding=0.05, max_tokens=tokens)
    array = np.array(lengths, dtype=np.int32)
    requests = plan_requests(array, shape)
    assert sorted(row for rows in requests for row in rows.tolist()) == list(range(len(lengths)))
    for number, rows in enumerate(requests):
        assert len(rows) <= target
        width = max(1, int(array[rows].max()))
        assert len(rows) == 1 or len(rows) * width <= tokens
        assert len(rows) <= shape.min_rows or padding(array, requests[: number + 1]) <= shape.max_padding + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_mixed_lengths_of_a_busy_stream_are_padded_by_less_than_five_percent(seed: int) -> None:
    lengths = np.random.default_rng(seed).lognormal(3, 0.6, 16_384).astype(np.int32)
    requests = plan_requests(lengths, SHAPE)
    assert padding(lengths, requests) < 0.0505
    assert len(lengths) / len(requests) >= 256


def test_equal_lengths_fill_requests_to_the_target() -> None:
    requests = plan_requests(np.full(10_000, 20, dtype=np.int32), SHAPE)
    assert [len(rows) for rows in requests] == [4_096, 4_096, 1_808]


def test_no_rows_make_no_request() -> None:
    assert plan_requests(np.zeros(0, dtype=np.int32), SHAPE) == []


def test_one_row_longer_than_the_bound_travels_alone() -> None:
    requests = plan_requests(np.array([300_000, 3], dtype=np.int32), SHAPE)
    assert [rows.tolist() for rows in requests] == [[0], [1]]
