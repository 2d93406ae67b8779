"""``arena doctor``, ``arena selftest``, and the options of play that concern faults and hosting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import arena
from arena.errors import RefereeError, UsageError
from arena.log import read_log
from arena.referee import sandbox
from arena.testing.faults.cases import BOTS

QUICK = ("--rule", "hands=1", "--move-time", "30s", "--start-time", "60s")


def invoke(*args: str) -> Result:
    return CliRunner().invoke(arena, args)


def test_the_doctor_tells_what_is_in_force() -> None:
    result = invoke("doctor")
    assert result.output.splitlines()[-1].startswith("sandbox: ")
    told = json.loads(invoke("doctor", "--json").output)
    assert {"means", "in_force"} == set(told)
    assert {"name", "ok", "detail", "needed"} == set(told["means"][0])


def test_a_case_of_the_selftest() -> None:
    result = invoke("selftest", "--case", "exits-with-1")
    assert result.exit_code == 0 and result.exception is None
    assert "1 of 1 cases ended as they must" in result.output
    assert "crash: its process exited with code 1" in result.output


@pytest.mark.parametrize("args", [(), ("--case", "none")])
def test_a_selftest_of_nothing_is_bad_usage(args: tuple[str, ...]) -> None:
    assert invoke("selftest", *args).exit_code == 2


def test_a_faulty_bot_leaves_a_log_and_a_bundle(tmp_path: Path) -> None:
    bot = str(BOTS / "plays_a_card_not_held")
    result = invoke(
        *("match", bot, "@simple", "--log-dir", str(tmp_path), "--json", "--sandbox", "none", "--games", "2"),
        *("--on-fault", "substitute", "--strikes", "5", "--faulty-games", "7", "--seed", "s", *QUICK),
    )
    assert result.exception is None, result.output
    told = json.loads(result.stdout)
    assert told["faults"] == [1, 0] and told["forfeited_by"] is None
    assert [game["reason"] for game in told["games"]] == ["hands", "hands"]
    (log,) = tmp_path.glob("*.zst")
    assert read_log(log.read_bytes()).header.on_fault == "substitute 5 strikes; match after 7 games"
    assert len(list(tmp_path.glob("*.fault1-seat0.zip"))) == 1
    assert "sandbox: NONE" in result.stderr


def test_a_bot_with_too_many_faulty_games_loses_the_match() -> None:
    bot = str(BOTS / "claims_a_gin_it_has_not")
    result = invoke(
        *("match", bot, "@simple", "--json", "--games", "20", "--sandbox", "none", "--jobs", "2"),
        *("--faulty-games", "1", "--seed", "s", *QUICK),
    )
    told = json.loads(result.stdout)
    assert told["forfeited_by"] == 0 and told["faults"] == [1, 0]
    assert len(told["games"]) == 1


def test_no_timeout_lifts_all_limits(tmp_path: Path) -> None:
    result = invoke(
        *("match", "@random", "@simple", "--no-timeout", "--rule", "hands=1", "--log-dir", str(tmp_path))
    )
    assert result.exception is None, result.output
    (log,) = tmp_path.glob("*.zst")
    assert read_log(log.read_bytes()).header.time == "none"


def test_bwrap_that_is_missing_is_refused_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "find_bwrap", lambda: None)
    result = invoke("match", "@random", "@simple", "--sandbox", "bwrap")
    assert isinstance(result.exception, RefereeError)


def test_a_start_time_that_is_none_is_bad_usage() -> None:
    result = invoke("match", str(BOTS / "witness"), "@simple", "--start-time", "soon")
    assert isinstance(result.exception, UsageError)
