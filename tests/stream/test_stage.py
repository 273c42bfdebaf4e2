"""The stage loop against a real broker: order, commits, backpressure, drains, rebalances, faults."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from stage_runner import Reader, committed, running, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from headrace.settings import Settings

pytestmark = pytest.mark.integration


def wait_until(condition: Callable[[], bool], limit_s: float = 20.0) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def expected(settings: Settings, count: int) -> dict[int, list[int]]:
    partitions = settings.topics.partitions
    return {number: list(range(number, count, partitions)) for number in range(partitions)}


def test_every_record_comes_out_once_in_order_in_its_partition(settings: Settings) -> None:
    send(settings, 5_000)
    reader = Reader(settings)
    with running(settings):
        reader.read(5_000)
    reader.read_rest()
    assert reader.numbers == expected(settings, 5_000)
    assert sum(committed(settings)) == 5_000


def test_order_holds_when_work_finishes_in_another_order(settings: Settings) -> None:
    reader = Reader(settings)
    with running(settings) as stage:
        stage.processor.newest_first = True
        stage.processor.hold.set()
        for start in range(0, 2_000, 200):
            send(settings, 200, start)
            wait_until(lambda: stage.stage._partitions.in_flight() > 0)
        wait_until(lambda: len(stage.processor.held) > 4)
        stage.processor.hold.clear()
        reader.read(2_000)
    assert reader.numbers == expected(settings, 2_000)


def test_nothing_is_committed_before_it_is_delivered(settings: Settings) -> None:
    send(settings, 400)
    with running(settings) as stage:
        stage.processor.hold.set()
        wait_until(lambda: stage.stage._partitions.in_flight() > 0)
        time.sleep(3 * settings.stream.commit_interval_s)
        assert max(committed(settings)) < 0
        stage.processor.hold.clear()
        wait_until(lambda: sum(committed(settings)) == 400)


def test_work_in_flight_is_bounded_and_the_rest_is_read_later(settings: Settings) -> None:
    settings.stream.in_flight_frames = 4
    settings.stream.pause_after_s = 0.1
    send(settings, 4_000)
    reader = Reader(settings)
    with running(settings) as stage:
        stage.processor.hold.set()
        wait_until(lambda: bool(stage.stage._paused))
        send(settings, 4_000, 4_000)
        time.sleep(0.5)
        held = stage.processor.most_held
        # One read may bring records of every partition beyond the bound.
        assert held <= 4 + settings.topics.partitions
        stage.processor.hold.clear()
        reader.read(8_000)
    assert reader.numbers == expected(settings, 8_000)


def test_a_blocked_stage_reads_nothing_and_goes_on_when_it_may(settings: Settings) -> None:
    reader = Reader(settings)
    with running(settings) as stage:
        stage.processor.block_reason = "no model is live"
        send(settings, 100)
        wait_until(lambda: bool(stage.stage._paused))
        assert stage.processor.held == []
        stage.processor.block_reason = None
        reader.read(100)


def test_a_stop_finishes_what_is_in_flight_and_repeats_nothing(settings: Settings) -> None:
    reader = Reader(settings)
    for start in range(0, 6_000, 2_000):
        send(settings, 2_000, start)
        with running(settings):
            reader.read(start + 500)
    with running(settings):
        reader.read(6_000)
    reader.read_rest()
    assert reader.numbers == expected(settings, 6_000)


def test_a_second_replica_takes_partitions_over_without_loss_or_repetition(settings: Settings) -> None:
    send(settings, 2_000)
    reader = Reader(settings)
    with running(settings, "one") as one:
        reader.read(1_000)
        with running(settings, "two") as two:
            wait_until(lambda: len(two.stage._partitions.numbers) == len(one.stage._partitions.numbers) == 2, 40)
            send(settings, 2_000, 2_000)
            reader.read(4_000)
        send(settings, 1_000, 4_000)
        reader.read(5_000)
    reader.read_rest()
    assert reader.numbers == expected(settings, 5_000)


def test_a_fault_of_the_work_ends_the_stage_and_commits_nothing_of_it(settings: Settings) -> None:
    send(settings, 100)
    with running(settings) as stage:
        stage.processor.fault = RuntimeError("a bug")
        stage.thread.join(30)
        assert isinstance(stage.error, RuntimeError)
    assert max(committed(settings)) < 0
    reader = Reader(settings)
    with running(settings):
        reader.read(100)
    assert reader.numbers == expected(settings, 100)


def test_work_that_outlasts_the_drain_deadline_is_done_again_by_the_next_owner(settings: Settings) -> None:
    settings.stream.drain_deadline_s = 0.5
    send(settings, 100)
    with running(settings) as stage:
        stage.processor.hold.set()
        wait_until(lambda: stage.stage._partitions.in_flight() > 0)
        stage.stage.stop()
        stage.thread.join(30)
        assert not stage.thread.is_alive()
    reader = Reader(settings)
    with running(settings):
        reader.read(100)
    assert reader.numbers == expected(settings, 100)
