"""The ledger: order of outputs, and commits that never pass unfinished work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.stream.ledger import PartitionLedger, Ticket

RUNS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=20)
"""Gap before a run and its length."""


def opened(ledger: PartitionLedger, runs: list[tuple[int, int]]) -> list[Ticket]:
    tickets, at = [], 0
    for gap, length in runs:
        first = at + gap
        at = first + length
        tickets.append(ledger.open(first, at, 10))
    return tickets


@given(RUNS, st.randoms(use_true_random=False))
def test_outputs_leave_in_source_order_whatever_order_work_finishes_in(
    runs: list[tuple[int, int]], rng: object
) -> None:
    ledger = PartitionLedger(0)
    tickets = opened(ledger, runs)
    shuffled = list(tickets)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    released = [ticket for finished in shuffled for ticket in ledger.finish(finished, [])]
    assert released == tickets


@given(RUNS, st.randoms(use_true_random=False))
def test_a_commit_never_passes_what_is_not_delivered(runs: list[tuple[int, int]], rng: object) -> None:
    ledger = PartitionLedger(0)
    tickets = opened(ledger, runs)
    for ticket in tickets:
        ledger.finish(ticket, [])
    shuffled = list(tickets)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    done: set[int] = set()
    for ticket in shuffled:
        ledger.delivered(ticket)
        done.add(tickets.index(ticket))
        contiguous = next((i for i in range(len(tickets)) if i not in done), len(tickets))
        expected = tickets[contiguous - 1].last_offset + 1 if contiguous else None
        assert ledger.committable == expected
        assert len(ledger) == len(tickets) - contiguous
    assert ledger.bytes_in_flight == 0


@pytest.mark.parametrize(("first", "last"), [(9, 12), (10, 10), (15, 14), (3, 4)])
def test_offsets_that_do_not_follow_are_refused(first: int, last: int) -> None:
    ledger = PartitionLedger(7)
    ledger.open(5, 10, 1)
    with pytest.raises(ValueError, match="partition 7"):
        ledger.open(first, last, 1)


def test_an_abandoned_partition_marks_what_was_on_its_way() -> None:
    ledger = PartitionLedger(0)
    tickets = opened(ledger, [(1, 1), (1, 1)])
    assert ledger.abandon() == 2
    assert all(ticket.abandoned for ticket in tickets)
    assert len(ledger) == 0
    assert ledger.committable is None
