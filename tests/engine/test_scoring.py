"""The table of a hand's score, row by row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet
from arena.engine.scoring import Points, score_showdown
from tests.strategies import rule_sets

points = st.integers(0, 100)


def score(
    rules: RuleSet | str, knocker: int, defender: int, *, big_gin: bool = False, doubled: bool = False
) -> Points:
    settings = preset(rules) if isinstance(rules, str) else rules
    return score_showdown(settings, knocker, defender, big_gin=big_gin, doubled=doubled)


def test_a_knock_scores_the_difference() -> None:
    assert score("classic", 7, 30) == ("knock", True, 23)
    assert score("classic", 7, 8) == ("knock", True, 1)


@pytest.mark.parametrize(
    ("rules", "bonus"), [("classic", 25), ("italian", 25), ("oklahoma", 10), ("eaai", 25)]
)
def test_an_undercut_scores_the_difference_and_the_bonus(rules: str, bonus: int) -> None:
    assert score(rules, 10, 3) == ("undercut", False, 7 + bonus)
    assert score(rules, 10, 0) == ("undercut", False, 10 + bonus)


@pytest.mark.parametrize(("rules", "bonus"), [("classic", 25), ("oklahoma", 10), ("eaai", 25)])
def test_a_tie_is_an_undercut(rules: str, bonus: int) -> None:
    assert score(rules, 5, 5) == ("undercut", False, bonus)


@pytest.mark.parametrize("rules", ["openspiel", "openspiel-oklahoma"])
def test_a_tie_may_score_nothing(rules: str) -> None:
    assert score(rules, 5, 5) == ("tie", False, 0)


@pytest.mark.parametrize("rules", PRESETS)
def test_gin_scores_the_defenders_deadwood_and_the_bonus(rules: str) -> None:
    assert score(rules, 0, 40) == ("gin", True, 65)


@pytest.mark.parametrize("rules", PRESETS)
def test_gin_is_scored_even_against_zero(rules: str) -> None:
    assert score(rules, 0, 0) == ("gin", True, 25)


@pytest.mark.parametrize("rules", ["classic", "quick", "modern"])
def test_big_gin_has_a_bonus_of_its_own(rules: str) -> None:
    assert score(rules, 0, 40, big_gin=True) == ("big gin", True, 71)


def test_a_double_hand_doubles_every_outcome() -> None:
    assert score("classic", 7, 30, doubled=True).points == 46
    assert score("classic", 10, 3, doubled=True).points == 64
    assert score("classic", 5, 5, doubled=True).points == 50
    assert score("classic", 0, 40, doubled=True).points == 130
    assert score("classic", 0, 40, big_gin=True, doubled=True).points == 142
    assert score("openspiel", 5, 5, doubled=True).points == 0


@given(rule_sets(), points, points)
def test_who_wins_follows_from_the_deadwood(rules: RuleSet, knocker: int, defender: int) -> None:
    outcome, knocker_wins, scored = score(rules, knocker, defender)
    assert scored >= 0
    assert knocker_wins == (knocker == 0 or knocker < defender)
    assert (outcome == "gin") == (knocker == 0)
    assert (outcome == "tie") == (0 < knocker == defender and rules.tie == "nothing")


@given(rule_sets(), points, points, st.booleans())
def test_a_double_hand_is_worth_twice_the_points(
    rules: RuleSet, knocker: int, defender: int, big_gin: bool
) -> None:
    once = score(rules, knocker, defender, big_gin=big_gin)
    twice = score(rules, knocker, defender, big_gin=big_gin, doubled=True)
    assert twice == (once.outcome, once.knocker_wins, 2 * once.points)
