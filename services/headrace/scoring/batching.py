"""How rows become requests: merged up to a target, parted by length so that little of a request is padding. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from headrace.scoring.ragged import Indices, Int32s


@dataclass(frozen=True, slots=True)
class RequestShape:
    """Bounds of one request."""

    target_rows: int
    min_rows: int
    max_padding: float
    """Largest share of padding of a request that has more than `min_rows` rows."""
    max_tokens: int
    """Most slots, rows x width; one row may always go."""


def plan_requests(lengths: Int32s, shape: RequestShape) -> list[Indices]:
    """Part rows into requests.

    Rows are taken from the longest to the shortest. A request takes rows as long as its padding stays under the limit,
    or it has fewer than `min_rows`; it never takes more than `target_rows` rows or `max_tokens` slots.

    Args:
        lengths: Tokens of each row, int32[rows].
        shape: The bounds.

    Returns:
        Places of the rows of each request, intp[n]; every row stands in exactly one.
    """
    order = np.argsort(-lengths, kind="stable")
    widths = np.maximum(lengths[order], 1).astype(np.int64)
    totals = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths)])
    requests: list[Indices] = []
    start = 0
    while start < len(order):
        stop = start + _rows_of_request(widths, totals, start, shape)
        requests.append(order[start:stop])
        start = stop
    return requests


def _rows_of_request(
    widths: npt.NDArray[np.int64], totals: npt.NDArray[np.int64], start: int, shape: RequestShape
) -> int:
    """Rows of the request that begins at `start` of the rows sorted by falling length."""
    width = int(widths[start])
    most = max(1, min(shape.target_rows, shape.max_tokens // width, len(widths) - start))
    counts = np.arange(1, most + 1)
    filled = (totals[start + 1 : start + most + 1] - totals[start]) / (width * counts)
    # Padding only grows with each shorter row, so the last row that fits is found by bisection.
    within = int(np.searchsorted(-filled, -(1 - shape.max_padding), side="right"))
    return min(most, max(within, shape.min_rows, 1))
