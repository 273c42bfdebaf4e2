"""Scores to labels, by the policy of the bundle. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from headrace.repository.manifest import Policy

    Scores = npt.NDArray[np.float32]

DIGITS = 6
"""Decimals of a score in a prediction: what float32 can tell apart between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Decisions for n rows."""

    labels: list[str]
    scores: list[float]
    """Score of the label given; for a fallback that is no label of the model, the best score of the row."""
    details: list[dict[str, float]] | None
    """Scores of the best labels, best first, where the policy asks for them."""


class Labeller:
    """Decides for one model version."""

    def __init__(self, labels: list[str], policy: Policy) -> None:
        """Prepare.

        Args:
            labels: Names of the columns of scores.
            policy: Thresholds, fallback and how many scores to show.
        """
        self._names = labels if policy.fallback is None or policy.fallback in labels else [*labels, policy.fallback]
        self._labels = labels
        self._thresholds = np.array([policy.thresholds.get(label, 0.0) for label in labels], dtype=np.float32)
        self._fallback = self._names.index(policy.fallback) if policy.fallback is not None else None
        self._shown = len(labels) if policy.top_k == 0 else policy.top_k

    def decide(self, scores: Scores) -> Labelled:
        """Label rows.

        Args:
            scores: float32[rows, labels].
        """
        best = scores.argmax(axis=1)
        winner = np.where(scores >= self._thresholds, scores, -1).argmax(axis=1)
        reached = (scores >= self._thresholds).any(axis=1)
        chosen = np.where(reached, winner, best if self._fallback is None else self._fallback)
        column = np.where(chosen < len(self._labels), chosen, best)
        values = np.take_along_axis(scores, column[:, None], axis=1)[:, 0]
        names = self._names
        return Labelled([names[i] for i in chosen.tolist()], _rounded(values), self._details(scores))

    def _details(self, scores: Scores) -> list[dict[str, float]] | None:
        if self._shown is None:
            return None
        order = np.argsort(-scores, axis=1, kind="stable")[:, : self._shown]
        values = np.take_along_axis(scores, order, axis=1)
        return [
            dict(zip([self._labels[i] for i in row], shown, strict=True))
            for row, shown in zip(order.tolist(), _rounded(values), strict=True)
        ]


def _rounded(scores: Scores) -> list[Any]:
    rounded: list[Any] = scores.astype(np.float64).round(DIGITS).tolist()
    return rounded
