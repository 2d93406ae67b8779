"""The measure of the event loop's own delay."""

from __future__ import annotations

import asyncio
import time

from arena.referee.overload import BEAT_S, LagMeter, machine_load
from arena.testing import ManualClock
from tests.referee.loops import in_loop


@in_loop
async def test_beats_on_time_are_no_delay() -> None:
    clock = ManualClock()
    meter = LagMeter(clock)
    meter.start()
    for _ in range(5):
        clock.advance(BEAT_S)
        meter.beat()
    assert meter.delay_s(0.0) == 0.0
    assert meter.worst_s == 0.0
    meter.stop()


@in_loop
async def test_late_beats_are_summed_over_the_time_asked_for() -> None:
    clock = ManualClock()
    meter = LagMeter(clock)
    meter.start()
    clock.advance(BEAT_S + 0.5)
    meter.beat()
    between = clock()
    clock.advance(BEAT_S + 0.25)
    meter.beat()
    assert abs(meter.delay_s(0.0) - 0.75) < 1e-9
    assert abs(meter.delay_s(between) - 0.25) < 1e-9
    assert meter.worst_s == 0.5
    meter.stop()


@in_loop
async def test_a_delay_counts_only_from_the_moment_asked_for() -> None:
    clock = ManualClock()
    meter = LagMeter(clock)
    meter.start()
    clock.advance(BEAT_S + 1.0)
    meter.beat()
    assert abs(meter.delay_s(BEAT_S + 0.75) - 0.25) < 1e-9
    meter.stop()


@in_loop
async def test_a_beat_that_is_overdue_counts() -> None:
    clock = ManualClock()
    meter = LagMeter(clock)
    meter.start()
    clock.advance(BEAT_S + 0.3)
    assert abs(meter.delay_s(0.0) - 0.3) < 1e-9
    meter.stop()


@in_loop
async def test_a_loop_that_is_held_up_is_noticed() -> None:
    meter = LagMeter()
    meter.start()
    began = time.perf_counter()
    await asyncio.sleep(2 * BEAT_S)
    time.sleep(0.3)  # noqa: ASYNC251  # the loop is held up on purpose
    await asyncio.sleep(2 * BEAT_S)
    assert meter.delay_s(began) >= 0.25
    meter.stop()


def test_the_machine_s_load_is_told() -> None:
    assert machine_load().startswith("load ")
