"""When a stage stops reading and when it goes on."""

from __future__ import annotations

from headrace.stream.backpressure import Backpressure, Intake
from headrace.stream.settings import StreamSettings

SETTINGS = StreamSettings(in_flight_frames=10, in_flight_bytes=1_000_000, pause_after_s=1.0, resume_share=0.5)


def test_a_short_peak_is_waited_out_without_a_pause() -> None:
    pressure = Backpressure(SETTINGS)
    assert pressure.regulate(9, 0, 0.0) is Intake.OPEN
    assert pressure.regulate(10, 0, 0.1) is Intake.FULL
    assert pressure.regulate(10, 0, 1.0) is Intake.FULL
    assert pressure.regulate(9, 0, 1.2) is Intake.OPEN


def test_a_lasting_peak_pauses_and_resumes_only_well_below_the_bound() -> None:
    pressure = Backpressure(SETTINGS)
    pressure.regulate(10, 0, 0.0)
    assert pressure.regulate(12, 0, 1.0) is Intake.PAUSED
    assert pressure.regulate(9, 0, 1.1) is Intake.PAUSED
    assert pressure.regulate(5, 0, 1.2) is Intake.PAUSED
    assert pressure.regulate(4, 0, 1.3) is Intake.OPEN


def test_bytes_bound_as_well_as_frames() -> None:
    pressure = Backpressure(SETTINGS)
    assert pressure.regulate(1, 1_000_000, 0.0) is Intake.FULL
    assert pressure.regulate(1, 1_000_000, 5.0) is Intake.PAUSED
    assert pressure.regulate(1, 600_000, 5.1) is Intake.PAUSED
    assert pressure.regulate(1, 400_000, 5.2) is Intake.OPEN


def test_the_time_of_a_new_peak_counts_from_its_own_start() -> None:
    pressure = Backpressure(SETTINGS)
    pressure.regulate(10, 0, 0.0)
    pressure.regulate(1, 0, 0.5)
    assert pressure.regulate(10, 0, 1.4) is Intake.FULL
    assert pressure.regulate(10, 0, 2.3) is Intake.FULL
    assert pressure.regulate(10, 0, 2.4) is Intake.PAUSED
