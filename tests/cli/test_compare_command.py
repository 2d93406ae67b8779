"""``arena compare`` and ``arena simulate``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Arena


def test_a_clear_difference_is_found_and_the_test_stops(arena: Arena) -> None:
    done = arena("compare", "@simple", "@random", "--elo0", "0", "--elo1", "400", "--seed", "1", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["test"]["verdict"] == "h1" and "simple is better than random" in result["verdict"]
    assert result["pairs"] == sum(result["pair_outcomes"].values()) < 100
    low, estimate, high = result["points_a_hand"]
    assert 0 < low < estimate < high


def test_a_bot_is_no_better_than_itself(arena: Arena) -> None:
    """Deterministic bots on the same decks win one game each: the margin of every pair is zero."""
    done = arena("compare", "@simple", "@simple", "--margin", "1", "--seed", "1", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["test"]["verdict"] == "h0"
    assert result["pair_outcomes"]["LW/DD"] == result["pairs"]


def test_it_goes_on_from_its_state_as_if_it_had_not_stopped(arena: Arena, tmp_path: Path) -> None:
    common = ("compare", "@simple", "@random", "--elo1", "400", "--seed", "4", "--json")
    whole = json.loads(arena(*common, "--max-games", "40").stdout)
    arena(*common, "--max-games", "20", "--state", "s.json", "--jobs", "1")
    assert sum(json.loads((tmp_path / "s.json").read_text())["tally"]["counts"]) == 10
    rest = json.loads(arena(*common, "--max-games", "40", "--state", "s.json", "--jobs", "3").stdout)
    assert rest == whole
    other = arena("compare", "@random", "@simple", "--elo1", "400", "--state", "s.json")
    assert other.returncode == 2 and "other bots, rules, time, test or seed" in other.stderr


def test_a_file_that_is_no_state_is_refused(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{}")
    done = arena("compare", "@random", "@simple", "--state", "s.json")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is no comparison of gin-arena" in done.stderr


def test_simulated_ladders_need_fewer_matches_by_our_policy(arena: Arena) -> None:
    done = arena("simulate", "--bots", "60", "--ladders", "3", "--policy", "informative", "--json")
    random, informative = json.loads(done.stdout)
    assert random["ratio"] == 1.0
    assert informative["ratio"] < 0.8
