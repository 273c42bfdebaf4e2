"""How rows become requests: merged up to a target, parted by length so that little of a request is padding. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from headrace.scoring.ragged import Indices, Int32s


@dataclass(frozen=True, slots=True)
class RequestShape:
    """Bounds of one request."""

    target_rows: int
    min_rows: int
    max_padding: float
    """Share of padding above which a request of at least `min_rows` rows takes no more."""
    max_tokens: int
    """Most slots, rows x width; one row may always go."""


def plan_requests(lengths: Int32s, shape: RequestShape) -> list[Indices]:
    """Part rows into requests.

    Rows are taken from the longest to the shortest. A request takes rows as long as padding stays under the limit, counted
    over it and all before it, or it has fewer than `min_rows`; so the few longest rows, which differ most, may take more
    and the many others make up for it. It never takes more than `target_rows` rows or `max_tokens` slots.

    Args:
        lengths: Tokens of each row, int32[rows].
        shape: The bounds.

    Returns:
        Places of the rows of each request, intp[n]; every row stands in exactly one.
    """
    order = np.argsort(-lengths, kind="stable")
    widths = np.maximum(lengths[order], 1).astype(np.int64)
    filled = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths)])
    requests: list[Indices] = []
    start, slots = 0, 0
    while start < len(order):
        width = int(widths[start])
        most = max(1, min(shape.target_rows, shape.max_tokens // width, len(order) - start))
        # Padding grows with each shorter row, so one bisection finds how many rows fit.
        shares = filled[start + 1 : start + most + 1] / (slots + width * np.arange(1, most + 1))
        fitting = int(np.searchsorted(-shares, shape.max_padding - 1, side="right"))
        rows = min(most, max(fitting, shape.min_rows))
        requests.append(order[start : start + rows])
        start, slots = start + rows, slots + rows * width
    return requests
