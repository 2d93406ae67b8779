"""``arena ladder``: the main job from an empty folder to the table."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from arena.ladder.store import Store
from tests.cli.conftest import Arena


def rows(arena: Arena) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(arena("ladder", "show", "--json").stdout)
    return found


def test_from_nothing_to_the_table(arena: Arena, tmp_path: Path) -> None:
    assert arena("ladder", "add", "@random", "@simple").returncode == 0
    done = arena("ladder", "run", "--matches", "4", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split()[:3] == ["rank", "bot", "version"]
    command = done.stdout.strip().splitlines()[-1].split()
    assert arena(*command[1:], "--plain").returncode == 0
    table = rows(arena)
    assert [row["name"] for row in table] == ["simple", "random"]
    keys = {"rank", "name", "version", "mu", "sigma", "rating", "games", "wins", "losses", "draws", "faults"}
    assert keys <= set(table[0])
    assert (table[0]["games"], table[0]["wins"]) == (8, 8)
    assert abs(float(str(table[0]["rating"])) - (table[0]["mu"] - 3 * table[0]["sigma"])) < 1e-9  # type: ignore[operator]
    as_csv = list(csv.DictReader(io.StringIO(arena("ladder", "show", "--csv").stdout)))
    assert [row["name"] for row in as_csv] == ["simple", "random"]
    assert arena("verify", "--store", "arena.db").returncode == 0
    assert arena("ladder", "export", "--log-dir", "logs").returncode == 0
    assert len(list((tmp_path / "logs").iterdir())) == 4


def test_recomputed_ratings_equal_the_live_ones(arena: Arena) -> None:
    arena("ladder", "add", "@random", "@simple")
    arena("ladder", "run", "--matches", "5", "--jobs", "3")
    before = rows(arena)
    assert arena("ladder", "recompute").returncode == 0
    for live, anew in zip(before, rows(arena), strict=True):
        assert abs(live["mu"] - anew["mu"]) < 1e-9 and abs(live["sigma"] - anew["sigma"]) < 1e-9  # type: ignore[operator]


def test_a_second_run_adds_to_the_first(arena: Arena) -> None:
    arena("ladder", "add", "@random", "@simple")
    arena("ladder", "run", "--matches", "2")
    arena("ladder", "run", "--matches", "3")
    assert rows(arena)[0]["games"] == 10


def test_a_removed_bot_leaves_the_table_and_a_ladder_of_one_does_not_run(arena: Arena) -> None:
    arena("ladder", "add", "@random", "@simple")
    assert arena("ladder", "remove", "random").returncode == 0
    assert [row["name"] for row in rows(arena)] == ["simple"]
    done = arena("ladder", "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "it takes 2 for duel" in done.stderr


def test_a_bot_that_cannot_start_is_named_and_nothing_is_rated(arena: Arena, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "bot.toml").write_text(
        '[bot]\nname = "broken"\nversion = "1"\nlanguage = "python"\n[run]\ncommand = "python -c 1/0"\n'
    )
    arena("ladder", "add", "@random", "broken")
    done = arena("ladder", "run", "--matches", "2")
    assert done.returncode == 1
    assert "failed_start: it exited with code 1 before its hello" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert all(row["games"] == 0 and row["mu"] == 25.0 for row in rows(arena))


def test_ctrl_c_ends_cleanly_and_the_same_command_goes_on(arena: Arena, tmp_path: Path) -> None:
    arena("ladder", "add", "@random", "@simple")
    command = [sys.executable, "-m", "arena", "ladder", "run", "--matches", "30", "--seed", "3"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=os.environ)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and played(tmp_path) < 3:
        time.sleep(0.1)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "goes on where it stopped" in stderr and "Traceback" not in stderr
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive
    before = played(tmp_path)
    assert 3 <= before < 30
    done = arena("ladder", "run", "--matches", "30", "--seed", "3")
    assert f"{before} are played" in done.stderr
    assert played(tmp_path) == 30


def played(folder: Path) -> int:
    with Store(folder / "arena.db") as store:
        return len(store.matches())


def test_an_interrupted_run_is_not_mixed_with_other_settings(arena: Arena, tmp_path: Path) -> None:
    arena("ladder", "add", "@random", "@simple")
    with Store(tmp_path / "arena.db") as store:
        from arena.engine.presets import preset
        from arena.ladder.ladder import RunSettings

        store.start_run(RunSettings(preset("italian")).to_json(), 5)
    done = arena("ladder", "run", "--matches", "5")
    assert done.returncode == 2
    assert "--rules italian --move-time 200ms --games 2" in done.stderr
    assert arena("ladder", "run", "--matches", "0").returncode == 0
    assert arena("ladder", "run", "--matches", "1").returncode == 0
