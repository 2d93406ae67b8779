"""Settings, their values, and the presets as their sources give them."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given

from arena.engine.presets import DEFAULT_PRESET, PRESETS, preset
from arena.engine.rules import (
    RuleSet,
    about,
    allowed,
    override,
    parse_value,
    rules_from_dict,
    settings,
    value_text,
)
from arena.errors import RuleError
from tests.strategies import rule_sets

# ---------------------------------------------------------------------- the presets

COLUMNS = ("italian", "classic", "quick", "brazilian", "spanish", "oklahoma", "modern")
TABLE: dict[str, tuple[Any, ...]] = {
    # setting: one value a column
    "upcard_offer": (True, True, True, False, False, True, True),
    "knock_limit": (10, 10, 10, 10, 10, "upcard", "upcard"),
    "gin_bonus": (25, 25, 25, 25, 25, 25, 25),
    "big_gin_bonus": (None, 31, 31, None, None, None, 31),
    "undercut_bonus": (25, 25, 25, 25, 25, 10, 25),
    "next_dealer": ("winner", "alternate", "alternate", "alternate", "alternate", "winner", "winner"),
    "dealer_after_dead_hand": ("same",) * 7,
    "target": (100, 100, 50, 100, 100, 100, 100),
    "columns": (1, 1, 1, 1, 1, 1, 3),
    "game_bonus": (100, 0, 0, 0, 100, 0, 100),
    "box_bonus": (25, 0, 0, 0, 25, 0, 25),
    "shutout": ("double", "none", "none", "none", "none", "none", "double"),
    "settlement": (
        "difference",
        "first_to_target",
        "first_to_target",
        "first_to_target",
        "first_to_target",
        "first_to_target",
        "difference",
    ),
    "knock_face_down": (False, False, False, True, True, False, False),
    "ace_upcard": (1,) * 7,
    "spades_double": (False,) * 7,
    "melds": ("optimal",) * 7,
    "layoffs": (True,) * 7,
    "tie": ("undercut",) * 7,
    "returned_discard": ("illegal",) * 7,
    "stock_end": ("dead",) * 7,
    "swap_cap": (50,) * 7,
    "swap_cap_counts": ("in_a_row",) * 7,
    "first_dealer": ("random",) * 7,
}


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [(name, row, values[column]) for row, values in TABLE.items() for column, name in enumerate(COLUMNS)],
)
def test_presets_of_the_source_documents(name: str, setting: str, value: Any) -> None:
    assert getattr(preset(name), setting) == value


def test_boxes_are_paid_to_each_side_or_to_the_winner() -> None:
    assert preset("italian").boxes_to == "each"
    assert preset("modern").boxes_to == "each"
    assert preset("spanish").boxes_to == "winner"


@pytest.mark.parametrize(
    ("name", "limit", "ace"), [("openspiel", 10, 1), ("openspiel-oklahoma", "upcard", "gin")]
)
def test_presets_of_openspiel(name: str, limit: Any, ace: Any) -> None:
    rules = preset(name)
    assert (rules.knock_limit, rules.ace_upcard) == (limit, ace)
    assert (rules.upcard_offer, rules.melds, rules.layoffs) == (True, "declared", True)
    assert (rules.returned_discard, rules.stock_end) == ("dead_on_second", "wall")
    assert (rules.swap_cap, rules.swap_cap_counts) == (50, "total")
    assert (rules.gin_bonus, rules.undercut_bonus, rules.big_gin_bonus, rules.tie) == (
        25,
        25,
        None,
        "nothing",
    )
    assert (rules.first_dealer, rules.hands) == ("seat 1", 1)


def test_preset_of_the_eaai_challenge() -> None:
    rules = preset("eaai")
    assert (rules.upcard_offer, rules.knock_limit, rules.melds) == (True, 10, "declared")
    assert (rules.returned_discard, rules.stock_end) == ("illegal", "dead")
    assert (rules.gin_bonus, rules.undercut_bonus, rules.big_gin_bonus, rules.tie) == (
        25,
        25,
        None,
        "undercut",
    )
    assert (rules.target, rules.next_dealer, rules.dealer_after_dead_hand) == (100, "alternate", "same")


def test_every_preset_is_known_by_its_name() -> None:
    assert set(COLUMNS) | {"openspiel", "openspiel-oklahoma", "eaai"} == set(PRESETS)
    assert all(rules.name == name for name, rules in PRESETS.items())
    assert DEFAULT_PRESET in PRESETS


def test_an_unknown_preset_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(RuleError, match=r"there is no preset 'clasic': did you mean 'classic'\?"):
        preset("clasic")
    with pytest.raises(RuleError, match="`arena rules` lists classic, quick, italian"):
        preset("bridge")


# ---------------------------------------------------------------------- single settings


@pytest.mark.parametrize(
    ("assignment", "setting", "value"),
    [
        ("gin_bonus=20", "gin_bonus", 20),
        ("gin_bonus = 20 ", "gin_bonus", 20),
        ("big_gin_bonus=none", "big_gin_bonus", None),
        ("big_gin_bonus=44", "big_gin_bonus", 44),
        ("knock_limit=upcard", "knock_limit", "upcard"),
        ("knock_limit=0", "knock_limit", 0),
        ("ace_upcard=gin", "ace_upcard", "gin"),
        ("ace_upcard=1", "ace_upcard", 1),
        ("spades_double=yes", "spades_double", True),
        ("spades_double=TRUE", "spades_double", True),
        ("upcard_offer=off", "upcard_offer", False),
        ("columns=3", "columns", 3),
        ("first_dealer=seat 0", "first_dealer", "seat 0"),
        ("hands=1", "hands", 1),
        ("melds=declared", "melds", "declared"),
    ],
)
def test_a_setting_is_changed_by_a_text(assignment: str, setting: str, value: Any) -> None:
    rules = override(preset("oklahoma"), [assignment])
    assert getattr(rules, setting) == value
    assert type(getattr(rules, setting)) is type(value)


@pytest.mark.parametrize(
    ("assignment", "reason"),
    [
        ("gin_bonus", "'gin_bonus' is no rule: write SETTING=VALUE, as gin_bonus=20"),
        ("gin=20", "there is no rule setting 'gin': `arena rules classic` lists them all"),
        ("name=mine", "there is no rule setting 'name'"),
        ("gin_bonus=", r"gin_bonus= is not allowed: it takes 0\.\.10000"),
        ("gin_bonus=many", r"gin_bonus=many is not allowed: it takes 0\.\.10000"),
        ("gin_bonus=-1", r"gin_bonus=-1 is not allowed"),
        ("gin_bonus=20.5", r"gin_bonus=20\.5 is not allowed"),
        ("gin_bonus=10001", "gin_bonus=10001 is not allowed"),
        ("knock_limit=101", r"knock_limit=101 is not allowed: it takes 0\.\.100\|upcard"),
        ("target=0", r"target=0 is not allowed: it takes 1\.\.10000"),
        ("swap_cap=1", r"swap_cap=1 is not allowed: it takes 2\.\.1000"),
        ("columns=2", r"columns=2 is not allowed: it takes 1\|3"),
        ("upcard_offer=perhaps", r"upcard_offer=perhaps is not allowed: it takes yes\|no"),
        ("tie=split", r"tie=split is not allowed: it takes undercut\|nothing"),
        ("big_gin_bonus=no", r"big_gin_bonus=no is not allowed: it takes 0\.\.10000\|none"),
    ],
)
def test_what_is_no_setting_or_no_value(assignment: str, reason: str) -> None:
    with pytest.raises(RuleError, match=reason):
        override(preset("classic"), [assignment])


def test_a_changed_preset_has_a_plus_to_its_name() -> None:
    changed = override(preset("classic"), ["gin_bonus=20"])
    assert changed.name == "classic+"
    assert override(changed, ["tie=nothing"]).name == "classic+"


def test_a_setting_at_its_own_value_changes_nothing() -> None:
    assert override(preset("classic"), ["gin_bonus=25"]) is preset("classic")
    assert override(preset("classic"), []) is preset("classic")


def test_of_two_values_for_a_setting_the_last_counts() -> None:
    assert override(preset("classic"), ["gin_bonus=20", "gin_bonus=30"]).gin_bonus == 30


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("gin_bonus", True),
        ("gin_bonus", "25"),
        ("gin_bonus", 25.0),
        ("upcard_offer", 1),
        ("ace_upcard", True),
    ],
)
def test_values_are_of_the_settings_own_type(setting: str, value: Any) -> None:
    with pytest.raises(RuleError, match=f"{setting}=.* is not allowed"):
        RuleSet(**{setting: value})


def test_a_rule_set_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        preset("classic").gin_bonus = 20  # type: ignore[misc]


# ---------------------------------------------------------------------- telling the rules


def test_every_setting_says_what_it_means_and_takes() -> None:
    for setting in settings():
        assert about(setting)
        assert allowed(setting)
    with pytest.raises(RuleError, match="there is no rule setting 'luck'"):
        about("luck")
    with pytest.raises(RuleError, match="there is no rule setting 'luck'"):
        allowed("luck")


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("knock_limit", "0..100|upcard"),
        ("big_gin_bonus", "0..10000|none"),
        ("upcard_offer", "yes|no"),
        ("ace_upcard", "1|gin"),
        ("columns", "1|3"),
    ],
)
def test_values_that_a_setting_takes(setting: str, values: str) -> None:
    assert allowed(setting) == values


@given(rule_sets())
def test_values_read_back_as_written(rules: RuleSet) -> None:
    for setting in settings():
        value = getattr(rules, setting)
        assert parse_value(setting, value_text(value)) == value


@given(rule_sets())
def test_rules_survive_json(rules: RuleSet) -> None:
    written = json.loads(json.dumps(rules.as_dict()))
    assert next(iter(written)) == "name"
    assert set(written) == {"name", *settings()}
    assert rules_from_dict(written) == rules


def test_rules_with_an_unknown_setting_are_refused() -> None:
    with pytest.raises(RuleError, match="there is no rule setting 'luck'"):
        rules_from_dict({"name": "mine", "luck": 1})
    with pytest.raises(RuleError, match="gin_bonus=-5 is not allowed"):
        rules_from_dict({"name": "mine", "gin_bonus": -5})
