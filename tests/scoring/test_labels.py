"""Scores to labels by the bundle's policy."""

from __future__ import annotations

import numpy as np

from headrace.repository.manifest import Policy
from headrace.scoring.labels import Labeller

LABELS = ["ham", "spam", "scam"]
SCORES = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.1, 0.45, 0.45], [0.2, 0.2, 0.6]], dtype=np.float32)


def test_without_thresholds_the_best_score_wins() -> None:
    labelled = Labeller(LABELS, Policy()).decide(SCORES)
    assert labelled.labels == ["ham", "spam", "spam", "scam"]
    assert labelled.scores == [0.7, 0.4, 0.45, 0.6]
    assert labelled.details is None


def test_a_label_under_its_threshold_gives_way_to_the_next_best() -> None:
    labelled = Labeller(LABELS, Policy(thresholds={"spam": 0.5})).decide(SCORES)
    assert labelled.labels == ["ham", "ham", "scam", "scam"]
    assert labelled.scores == [0.7, 0.3, 0.45, 0.6]


def test_the_fallback_stands_in_when_no_label_reaches_its_threshold() -> None:
    thresholds = {"ham": 0.65, "spam": 0.5, "scam": 0.5}
    labelled = Labeller(LABELS, Policy(thresholds=thresholds, fallback="unsure")).decide(SCORES)
    assert labelled.labels == ["ham", "unsure", "unsure", "scam"]
    assert labelled.scores == [0.7, 0.4, 0.45, 0.6]
    labelled = Labeller(LABELS, Policy(thresholds=thresholds, fallback="ham")).decide(SCORES)
    assert labelled.labels == ["ham", "ham", "ham", "scam"]
    assert labelled.scores == [0.7, 0.3, 0.1, 0.6]


def test_without_a_fallback_the_best_score_stands() -> None:
    labelled = Labeller(LABELS, Policy(thresholds=dict.fromkeys(LABELS, 0.99))).decide(SCORES)
    assert labelled.labels == ["ham", "spam", "spam", "scam"]


def test_the_best_k_or_all_scores_are_shown_best_first() -> None:
    two = Labeller(LABELS, Policy(top_k=2)).decide(SCORES[:1])
    assert two.details == [{"ham": 0.7, "spam": 0.2}]
    every = Labeller(LABELS, Policy(top_k=0)).decide(SCORES[3:])
    assert every.details is not None
    assert list(every.details[0].items()) == [("scam", 0.6), ("ham", 0.2), ("spam", 0.2)]


def test_no_rows_give_no_labels() -> None:
    assert Labeller(LABELS, Policy(top_k=0)).decide(np.zeros((0, 3), dtype=np.float32)).labels == []
