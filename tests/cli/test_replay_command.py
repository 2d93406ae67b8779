from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.log import Terminal, Viewer, read_log, render
from tests.cli.commands import run
from tests.log.playing import played, written

Capture = pytest.CaptureFixture[str]


def test_a_log_is_shown_as_text(tmp_path: Path, capsys: Capture) -> None:
    log = written(tmp_path)
    ran = run(capsys, "replay", str(log))
    assert ran.code == 0 and ran.err == ""
    assert ran.out.splitlines() == list(render(read_log(log)))


def test_a_part_of_it_for_one_seat(tmp_path: Path, capsys: Capture) -> None:
    log = written(tmp_path, games=2)
    ran = run(capsys, "replay", str(log), "--seat", "1", "--game", "1", "--at", "1.0.3")
    assert ran.out.splitlines() == list(render(read_log(log), Viewer(seat=1, game=1, at=(1, 0, 3))))


def test_colour_is_given_when_asked_for_and_not_in_plain_text(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path)
    coloured = "".join(f"{line}\n" for line in render(read_log(log), terminal=Terminal(color=True)))
    assert "\x1b[31m" in coloured
    assert run(capsys, "replay", str(log), "--color").out == coloured
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert run(capsys, "replay", str(log)).out == coloured
    for quiet in (["--no-color"], ["--plain"]):
        assert "\x1b" not in run(capsys, "replay", str(log), *quiet).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(capsys, "replay", str(log)).out


def test_events_are_json_lines(tmp_path: Path, capsys: Capture) -> None:
    log = written(tmp_path)
    ran = run(capsys, "replay", str(log), "--json")
    assert ran.out.splitlines() == [line.text for line in read_log(log)]
    ran = run(capsys, "replay", str(log), "--json", "--seat", "0")
    assert any("hand_dealt" in json.loads(line) for line in ran.out.splitlines())


def test_a_truncated_log_is_shown_as_far_as_it_goes(tmp_path: Path, capsys: Capture) -> None:
    log = written(tmp_path, games=6)
    log.write_bytes(log.read_bytes()[: log.stat().st_size * 2 // 3])
    ran = run(capsys, "replay", str(log))
    assert ran.code == 1
    assert "The log goes no further than line " in ran.out
    assert ran.err.startswith(f"arena: {log} is cut off after line ") and ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ([], 2, "no log is named: name its file, or a ladder store with --store FILE"),
        (["missing.zst"], 1, "missing.zst: there is no such file: "),
        (["."], 1, ".: it is a folder: name the logs in it, as "),
        (["match.jsonl.zst", "--seat", "2"], 2, "there is no seat 2: the log has seats 0 to 1"),
        (["match.jsonl.zst", "--game", "7"], 2, "match.jsonl.zst has no game 7: its last is 0"),
        (["match.jsonl.zst", "--at", "7.0.0"], 2, "match.jsonl.zst has no decision 7.0.0 or later"),
        (["match.jsonl.zst", "--at", "soon"], 2, "'soon' is no place in a log: write GAME.HAND.DECISION"),
    ],
)
def test_bad_input_is_one_line_with_the_remedy(
    args: list[str],
    code: int,
    message: str,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = run(capsys, "replay", *args)
    assert ran.code == code
    assert ran.err.startswith(f"arena: {message}") and ran.err.count("\n") == 1


def test_a_match_out_of_a_store(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Path, str | None]] = []

    def load_log(path: Path, match_id: str | None = None) -> bytes:
        asked.append((path, match_id))
        return played()

    monkeypatch.setattr("arena.ladder.store.load_log", load_log)
    for args in (["m7"], []):
        ran = run(capsys, "replay", *args, "--store", "my.db")
        assert ran.code == 0 and ran.out.splitlines() == list(render(read_log(played())))
    assert asked == [(Path("my.db"), "m7"), (Path("my.db"), None)]


def test_an_output_that_can_show_no_symbols_gets_letters(tmp_path: Path) -> None:
    log = written(tmp_path)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ran = subprocess.run(
        [sys.executable, "-m", "arena", "replay", str(log)], capture_output=True, env=environment, check=True
    )
    text = ran.stdout.decode("ascii")
    assert "upcard 5D" in text and ran.stderr == b""
