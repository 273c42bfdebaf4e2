"""Predictions as JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from headrace.scoring.labels import Labelled
from headrace.scoring.predictions import encode_predictions


@given(st.lists(st.text(), max_size=20))
def test_one_json_object_a_row_whatever_the_ids_hold(ids: list[str]) -> None:
    labelled = Labelled(["a"] * len(ids), [0.5] * len(ids), None)
    rows = [json.loads(value) for value in encode_predictions("m", 3, ids, labelled)]
    assert rows == [{"id": id_, "model": "m", "version": 3, "label": "a", "score": 0.5} for id_ in ids]


def test_a_context_comes_back_byte_for_byte_and_only_where_it_was() -> None:
    context = b'{ "a" : [1,\n 2.50], "a": 1e400 }'
    labelled = Labelled(["x", "y"], [0.25, 1.0], None)
    values = encode_predictions("m", 1, ["1", "2"], labelled, [context, None])
    assert context in values[0]
    assert b"context" not in values[1]


def test_scores_and_traceparent_stand_where_they_are_asked_for() -> None:
    labelled = Labelled(["x"], [0.75], [{"x": 0.75, "y": 0.25}])
    (value,) = encode_predictions("m", 1, ["1"], labelled, None, ["00-ab-cd-01"])
    row = json.loads(value)
    assert row["scores"] == {"x": 0.75, "y": 0.25}
    assert row["traceparent"] == "00-ab-cd-01"
