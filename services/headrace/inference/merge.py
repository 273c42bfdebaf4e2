"""Frames of one model version scored together: merged, parted into requests, put together again. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from headrace.repository.manifest import PADDING
from headrace.scoring.batching import RequestShape, plan_requests
from headrace.scoring.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from headrace.scoring.ragged import Indices, Int32s
    from headrace.stream.frames import Frame
    from headrace.stream.ledger import Ticket


@dataclass(slots=True, eq=False)
class Merged:
    """Frames of one version whose rows are scored in common requests."""

    model: str
    version: int
    frames: list[tuple[Ticket, Frame]]
    tokens: Ragged
    """Rows of all frames, in order."""
    scores: npt.NDArray[np.float32] | None = None
    """float32[rows, labels]; known with the first answer."""
    refused: dict[int, str] = field(default_factory=dict)
    """Row → why it will never be scored."""
    unanswered: int = 0
    """Rows without an answer."""

    @classmethod
    def of(cls, frames: list[tuple[Ticket, Frame]]) -> Merged:
        """Merge frames of one version; at least one."""
        header = frames[0][1].header
        tokens = Ragged.concat([frame.tokens for _, frame in frames])
        return cls(header.model, header.version, frames, tokens, unanswered=len(tokens))

    def requests(self, shape: RequestShape) -> list[Request]:
        """The rows as requests."""
        return [Request(self, rows) for rows in plan_requests(self.tokens.lengths, shape)]

    def answer(self, rows: Indices, scores: npt.NDArray[np.float32]) -> None:
        """Take in the answer to a request.

        Args:
            rows: Its rows.
            scores: float32[len(rows), labels]. A row that is not finite counts as refused.
        """
        if self.scores is None:
            self.scores = np.zeros((len(self.tokens), scores.shape[1]), dtype=np.float32)
        self.scores[rows] = scores
        finite = np.isfinite(scores).all(axis=1)
        for row in rows[~finite]:
            self.refused[int(row)] = "The model's scores are not finite numbers."
        self.unanswered -= len(rows)

    def refuse(self, rows: Indices, reason: str) -> None:
        """Note that rows will never be scored."""
        self.refused.update((int(row), reason) for row in rows)
        self.unanswered -= len(rows)

    def results(self) -> Iterator[tuple[Ticket, Frame | None, Refusals]]:
        """Each frame with its scores, without its refused rows (None when all were), and the offsets of those."""
        start = 0
        for ticket, frame in self.frames:
            stop = start + frame.batch.num_rows
            refused = sorted(row - start for row in self.refused if start <= row < stop)
            yield ticket, self._scored(frame, start, refused), self._refusals(frame, start, refused)
            start = stop

    def _scored(self, frame: Frame, start: int, refused: list[int]) -> Frame | None:
        rows = frame.batch.num_rows
        if self.scores is None or len(refused) == rows:
            return None
        scored = frame.with_scores(self.scores[start : start + rows])
        if not refused:
            return scored
        kept = np.setdiff1d(np.arange(rows), refused)
        return type(frame)(scored.header, scored.batch.take(pa.array(kept)))

    def _refusals(self, frame: Frame, start: int, refused: Sequence[int]) -> Refusals:
        offsets = frame.batch.column("offset")
        ids = frame.batch.column("id")
        return [Refusal(offsets[row].as_py(), ids[row].as_py(), self.refused[start + row]) for row in refused]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One event that will never be scored."""

    offset: int
    """In `events`."""
    id: str
    reason: str


Refusals = list[Refusal]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """Rows of merged frames that travel to Triton together."""

    merged: Merged
    rows: Indices
    attempt: int = 0
    """How often it was sent in vain."""

    def matrix(self) -> Int32s:
        """int32[rows, width], padded."""
        return self.merged.tokens.padded(self.rows, PADDING)

    def halves(self) -> tuple[Request, Request]:
        """The same rows as two requests."""
        middle = len(self.rows) // 2
        return Request(self.merged, self.rows[:middle]), Request(self.merged, self.rows[middle:])

    def again(self) -> Request:
        """The same request, sent once more in vain."""
        return Request(self.merged, self.rows, self.attempt + 1)
