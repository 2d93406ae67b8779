"""``arena match`` and what a BOT may be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Arena


def test_json_is_the_documented_interface(arena: Arena, tmp_path: Path) -> None:
    done = arena(
        "match",
        "@simple",
        "@random",
        "--games",
        "3",
        "--seed",
        "1",
        "--log-dir",
        "logs",
        "--json",
        "--jobs",
        "1",
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["rules"] == "classic"
    assert [bot["name"] for bot in result["bots"]] == ["simple", "random"]
    assert len(result["games"]) == 3
    assert set(result["games"][0]) >= {"winner", "scores", "hands", "reason"}
    assert sum(result["wins"]) == 3 and result["faults"] == [0, 0]
    assert len(result["logs"]) == 2
    assert all((tmp_path / log).is_file() for log in result["logs"])
    assert not list((tmp_path / "logs").glob(".*")), "no partial file is left"


def test_the_same_seed_gives_the_same_games_whatever_is_played_at_once(arena: Arena) -> None:
    common = ("match", "@simple", "@simple", "--games", "4", "--seed", "7", "--json")
    one, two = arena(*common, "--jobs", "1"), arena(*common, "--jobs", "3")
    assert json.loads(one.stdout) == json.loads(two.stdout)
    other = arena("match", "@simple", "@simple", "--games", "4", "--seed", "8", "--json")
    assert json.loads(other.stdout)["games"] != json.loads(one.stdout)["games"]


def test_text_ends_with_how_to_replay(arena: Arena) -> None:
    done = arena("match", "@simple", "@random", "--log-dir", "logs")
    assert done.returncode == 0
    command = done.stdout.strip().splitlines()[-1].split()
    assert command[:2] == ["arena", "replay"]
    assert arena(*command[1:], "--plain").returncode == 0


@pytest.mark.parametrize("form", ["cutthroat", "captain"])
def test_three_handed(arena: Arena, form: str) -> None:
    done = arena(
        "match",
        "@simple",
        "@random",
        "@simple",
        "--format",
        form,
        "--games",
        "3",
        "--seed",
        "2",
        "--json",
        "--rules",
        "italian",
        "--log-dir",
        "logs",
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert len(result["wins"]) == 3 and len(result["games"]) == 3
    assert arena("verify", *result["logs"]).returncode == 0


def test_partnership(arena: Arena) -> None:
    done = arena(
        "match",
        "@simple",
        "@simple",
        "@random",
        "@random",
        "--format",
        "partnership",
        "--json",
        "--log-dir",
        "logs",
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["wins"][0] == result["wins"][1] > result["wins"][2]
    assert arena("verify", *result["logs"]).returncode == 0


def bot(folder: Path, manifest: str, script: str = "") -> str:
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(manifest)
    if script:
        (folder / "bot.py").write_text(script)
    return str(folder)


GOOD = '[bot]\nname = "b"\nversion = "1"\nlanguage = "python"\n'


@pytest.mark.parametrize(
    ("manifest", "script", "code", "line"),
    [
        (GOOD + '[run]\ncommand = "no-such-program"\n', "", 1, "is not found: install it"),
        (GOOD + '[run]\ncommand = "./missing"\n', "", 1, "'./missing' does not exist"),
        (GOOD + '[run]\ncommand = "./bot.py"\n', "x", 1, r"is not executable: chmod \+x"),
        (
            GOOD + '[run]\ncommand = "python bot.py"\n',
            "raise SystemExit(3)",
            1,
            "exited with code 3 before its hello",
        ),
        (GOOD + '[run]\ncommand = "python bot.py"\n[more]\n', "", 2, r"unknown section \[more\]"),
        (GOOD + '[run]\ncommand = "python bot.py"\ncolour = "red"\n', "", 2, "unknown key run.colour"),
        (GOOD + "[run]\ncommand = 7\n", "", 2, "run.command = 7 must be a text"),
        (GOOD, "", 2, "run.command is missing"),
        ("[bot\n", "", 2, "is not valid TOML"),
    ],
)
def test_a_bot_that_cannot_play_is_one_line_with_the_remedy(
    arena: Arena, tmp_path: Path, manifest: str, script: str, code: int, line: str
) -> None:
    import re

    path = bot(tmp_path / "b", manifest, script)
    done = arena("match", path, "@random", "--json")
    assert (done.returncode, done.stdout) == (code, "")
    told = [text for text in done.stderr.splitlines() if text.startswith("arena: ")]
    assert len(told) == 1 and re.search(line, told[0]), done.stderr


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("match", "@simple", "@nobody"), "there is no shipped bot '@nobody'"),
        (("match", "@simple", "nobody"), "there is no bot 'nobody'"),
        (("match", "@simple", "./nobody"), "there is no bot folder"),
        (("match", "@simple"), "format duel takes 2 contestants, not 1"),
        (("match", "@simple", "@random", "--rules", "clasic"), "did you mean 'classic'"),
        (("match", "@simple", "@random", "--rule", "gin=3"), "no rule setting 'gin'"),
        (("match", "@simple", "@random", "--rule", "target=0"), "target=0 is not allowed: it takes 1..10000"),
        (("match", "@simple", "@random", "--move-time", "fast"), "'fast' is no duration"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(arena: Arena, arguments: tuple[str, ...], line: str) -> None:
    done = arena(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_log_folder_that_cannot_be_made(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = arena("match", "@simple", "@random", "--log-dir", "file/logs")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr and len(done.stderr.strip().splitlines()) == 1
