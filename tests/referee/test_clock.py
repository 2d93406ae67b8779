"""Time controls as text, and what is left on a clock."""

from __future__ import annotations

import pytest

from arena.errors import UsageError
from arena.referee.clock import UNLIMITED, Clock, parse_duration, parse_time_control


@pytest.mark.parametrize(
    ("text", "seconds"), [("200ms", 0.2), ("1.5s", 1.5), ("2m", 120), (" 10S ", 10), ("1ms", 0.001)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "200", "ms", "-1s", "1h", "1e3ms", "0s", "0.5ms", "25000m", "1s 2s", "١s"]
)
def test_what_is_no_duration_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_duration(text)
    message = str(refused.value)
    assert repr(text) in message and "\n" not in message
    assert "200ms" in message or "take 1ms" in message


@pytest.mark.parametrize(
    ("text", "move_s", "game_s", "increment_s"),
    [
        ("none", None, None, 0),
        ("200ms", 0.2, None, 0),
        ("30s/game", None, 30, 0),
        ("30s+0.1s", None, 30, 0.1),
        ("30s/game+0.1s", None, 30, 0.1),
        ("30s/game,500ms", 0.5, 30, 0),
        ("30s+100ms,2s", 2, 30, 0.1),
        (" 30S / game , 500ms ", 0.5, 30, 0),
    ],
)
def test_time_controls(text: str, move_s: float | None, game_s: float | None, increment_s: float) -> None:
    control = parse_time_control(text)
    assert (control.move_s, control.game_s, control.increment_s) == (move_s, game_s, increment_s)
    assert parse_time_control(control.text) == control


@pytest.mark.parametrize(
    "text", ["fast", "200", "30s,500ms", "30s/game,", "30s+", "+1s", "/game", "30s/match"]
)
def test_what_is_no_time_control_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_time_control(text)
    assert "\n" not in str(refused.value)


def test_a_limit_for_each_decision_is_not_used_up() -> None:
    clock = Clock(parse_time_control("200ms"))
    clock.spend(0.15)
    assert clock.allowed_s == pytest.approx(0.2)


def test_a_bank_is_used_up_and_never_negative() -> None:
    clock = Clock(parse_time_control("1s/game"))
    clock.spend(0.75)
    assert clock.allowed_s == pytest.approx(0.25)
    clock.spend(5)
    assert clock.allowed_s == 0


def test_an_increment_is_added_after_each_decision() -> None:
    clock = Clock(parse_time_control("1s+0.1s"))
    clock.spend(0.05)
    assert clock.allowed_s == pytest.approx(1.05)


def test_a_cap_holds_until_the_bank_is_smaller() -> None:
    clock = Clock(parse_time_control("1s/game,500ms"))
    assert clock.allowed_s == pytest.approx(0.5)
    clock.spend(0.8)
    assert clock.allowed_s == pytest.approx(0.2)


def test_no_limit() -> None:
    clock = Clock(UNLIMITED)
    clock.spend(1e6)
    assert clock.allowed_s is None
