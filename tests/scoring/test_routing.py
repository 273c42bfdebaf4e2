"""Which version an event goes to, and order when a batch is parted."""

from __future__ import annotations

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from headrace.scoring.routing import Route, Routes, part_in_order
from headrace.scoring.tokenizing import TextTokenizer

NO_TOKENIZER = cast("TextTokenizer", None)
SPAM = Route("spam", 2, NO_TOKENIZER, "digest")
FRAUD = Route("fraud", 1, NO_TOKENIZER, "digest")

ROUTED = st.lists(st.tuples(st.sampled_from("ABC"), st.none() | st.sampled_from([b"1", b"2", b"3"])))


@given(ROUTED)
def test_parts_hold_every_row_once_and_keep_the_order_of_each_key(rows: list[tuple[str, bytes | None]]) -> None:
    parts = part_in_order([route for route, _ in rows], [key for _, key in rows])
    sent = [row for _, part in parts for row in part]
    assert sorted(sent) == list(range(len(rows)))
    assert all(rows[row][0] == route for route, part in parts for row in part)
    for key in (b"1", b"2", b"3"):
        of_key = [row for row in sent if rows[row][1] == key]
        assert of_key == sorted(of_key)


def test_rows_without_keys_make_one_part_a_route() -> None:
    parts = part_in_order(["A", "B", "A", "B", "A"], [None] * 5)
    assert parts == [("A", [0, 2, 4]), ("B", [1, 3])]


def test_events_that_name_no_model_go_to_the_default() -> None:
    routes = Routes("spam", {"spam": SPAM, "fraud": FRAUD})
    assert routes.of(None) is SPAM
    assert routes.of("fraud") is FRAUD
    assert routes.of("other") is None


def test_events_wait_for_a_model_that_is_published_and_not_live_yet() -> None:
    routes = Routes("spam", {"fraud": FRAUD}, frozenset({"spam"}))
    assert routes.awaits([None])
    assert routes.awaits(["fraud", "spam"])
    assert not routes.awaits(["fraud", "other"])


def test_without_a_default_events_that_name_none_wait() -> None:
    assert Routes(None, {"fraud": FRAUD}).awaits([None])
