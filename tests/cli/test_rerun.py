"""Debugging a bot from a log: ``replay --rerun``, ``request``, ``ask``, ``pin`` and ``check --pins``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import json_format

from arena.protocol.v1 import bot_pb2
from tests.cli.conftest import Arena


@pytest.fixture
def log(arena: Arena, tmp_path: Path) -> str:
    done = arena("match", "@simple", "@random", "--seed", "3", "--log-dir", "logs", "--json")
    found: str = json.loads(done.stdout)["logs"][0]
    return found


def test_the_same_bot_decides_the_same(arena: Arena, log: str) -> None:
    for bot, seat in (("@simple", "0"), ("@random", "1")):
        done = arena("replay", log, "--rerun", bot, "--seat", seat)
        assert done.returncode == 0, done.stdout
        assert "decisions are as recorded" in done.stdout


def test_another_bot_differs_and_the_first_place_is_told(arena: Arena, log: str) -> None:
    done = arena("replay", log, "--rerun", "@random", "--seat", "0")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    place, word, *_ = lines[0].split()
    assert word == "recorded" and "  now " in lines[0]
    assert lines[-1].endswith(f"the first at {place}")
    result = json.loads(arena("replay", log, "--rerun", "@random", "--seat", "0", "--json").stdout)
    assert result["different"] == sum(not row["same"] for row in result["decisions"]) == len(lines) - 1


def test_a_log_that_is_cut_off_is_played_as_far_as_it_goes(arena: Arena, log: str, tmp_path: Path) -> None:
    import zstandard

    text = zstandard.ZstdDecompressor().stream_reader((tmp_path / log).read_bytes()).read()
    lines = text.splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    done = arena("replay", "cut.jsonl", "--rerun", "@simple", "--seat", "0")
    assert done.returncode == 0 and "decisions are as recorded" in done.stdout


def test_a_request_can_be_asked_again_and_pinned(arena: Arena, log: str, tmp_path: Path) -> None:
    done = arena("request", log, "--at", "0.0.2")
    request = json_format.Parse(done.stdout, bot_pb2.DecisionRequest())
    assert (request.game, request.hand, request.decision) == (0, 0, 2)
    binary = subprocess.run(
        [sys.executable, "-m", "arena", "request", log, "--at", "0.0.2", "--binary"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert bot_pb2.DecisionRequest.FromString(binary.stdout) == request
    (tmp_path / "request.json").write_text(done.stdout)
    answer = arena("ask", "@simple", "request.json")
    assert answer.returncode == 0
    action = answer.stdout.split("  (")[0]
    assert arena("pin", log, "--at", "0.0.2").returncode == 0
    assert arena("pin", log, "--at", "0.0.2", "--expect", action).returncode == 0
    good = arena("check", "@simple", "--pins", "pins.toml")
    assert good.returncode == 0 and good.stdout.count("pin 0.0.2") == 1
    other = next(a for a in request.legal_actions if a != action)
    arena("pin", log, "--at", "0.0.2", "--expect", other, "--pins", "wrong.toml")
    bad = arena("check", "@simple", "--pins", "wrong.toml")
    assert bad.returncode == 1
    assert f"expected {other}, now {action}" in bad.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("request", "LOG", "--at", "9.9.9"), 1, "has no decision 9.9.9"),
        (("request", "LOG", "--at", "x"), 2, "'x' is no place"),
        (("pin", "LOG", "--at", "0.0.2", "--expect", "fold"), 2, "'fold' is no action"),
        (("pin", "LOG", "--at", "0.0.2", "--expect", "big gin"), 2, "is not legal at 0.0.2"),
        (("replay", "LOG", "--rerun", "@simple", "--seat", "7"), 2, "seats 0 to 1, not 7"),
        (("replay", "LOG", "--paced"), 2, "go with --rerun"),
        (("ask", "@simple", "pins.toml"), 2, "is no decision request in JSON"),
        (("check", "@simple", "--pins", "pins.toml"), 2, "pins.toml"),
    ],
)
def test_bad_input_is_told_in_one_line(
    arena: Arena, log: str, tmp_path: Path, arguments: tuple[str, ...], code: int, line: str
) -> None:
    (tmp_path / "pins.toml").write_text("other = 1\n")
    done = arena(*(log if word == "LOG" else word for word in arguments))
    assert done.returncode == code, done.stderr
    assert line in done.stderr


def test_a_pin_is_kept_once_and_another_answer_for_it_is_refused(
    arena: Arena, log: str, tmp_path: Path
) -> None:
    for _ in range(2):
        assert arena("pin", log, "--at", "0.0.2").returncode == 0
    assert (tmp_path / "pins.toml").read_text().count("[[pin]]") == 1
    legal = json.loads(arena("request", log, "--at", "0.0.2").stdout)["legalActions"]
    answers = [arena("pin", log, "--at", "0.0.2", "--expect", action) for action in legal[:2]]
    assert [done.returncode for done in answers].count(2) >= 1


def test_a_pin_is_not_appended_to_another_kind_of_file(arena: Arena, log: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print(1)\n")
    done = arena("pin", log, "--at", "0.0.2", "--pins", "script.py")
    assert done.returncode == 2 and (tmp_path / "script.py").read_text() == "print(1)\n"


@pytest.mark.parametrize("command", ["check", "ask", "replay"])
def test_a_bot_that_is_not_shipped_runs_in_the_sandbox(
    arena: Arena, log: str, tmp_path: Path, command: str
) -> None:
    """The line on stderr says what is in force; `--sandbox none` turns it off."""
    arena("new", "mine")
    (tmp_path / "request.json").write_text(arena("request", log, "--at", "0.0.2").stdout)
    arguments = {
        "check": ("check", "mine"),
        "ask": ("ask", "mine", "request.json"),
        "replay": ("replay", log, "--rerun", "mine", "--seat", "0"),
    }[command]
    for extra, line in ((), "sandbox: "), (("--sandbox", "none"), "sandbox: NONE"):
        done = arena(*arguments, *extra)
        assert done.returncode == 0, done.stdout + done.stderr
        assert line in done.stderr
