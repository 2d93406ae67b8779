"""A ladder that is killed, interrupted or cut off at any instant loses nothing and repeats nothing."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.ladder.store import Store
from arena.log import strip_times
from arena.referee.sandbox import why_no_bwrap

ARENA = (sys.executable, "-m", "arena")
HANG_S = 120.0
MARK = "LC_ARENA_TEST"
"""A variable that bots inherit, by which the processes of a test are known."""


def command(store: Path, matches: int) -> tuple[str, ...]:
    return (
        *(*ARENA, "ladder", "run", "--store", str(store), "--matches", str(matches), "--jobs", "2"),
        *("--rule", "hands=1", "--seed", "resume", "--move-time", "30s", "--start-time", "60s"),
    )


def environment(store: Path) -> dict[str, str]:
    return {**os.environ, MARK: str(store)}


def new_store(store: Path) -> Path:
    subprocess.run(
        (*ARENA, "ladder", "add", "@random", "@simple", "--store", str(store)), check=True, timeout=HANG_S
    )
    return store


def finish(store: Path, matches: int) -> subprocess.CompletedProcess[str]:
    """Run a ladder to its end."""
    return subprocess.run(
        command(store, matches),
        env=environment(store),
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )


@contextlib.contextmanager
def running(store: Path, matches: int, *prefix: str) -> Iterator[subprocess.Popen[str]]:
    """Start a ladder run, and see that nothing of it stays."""
    with subprocess.Popen(
        (*prefix, *command(store, matches)),
        env=environment(store),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
            process.communicate()
    assert nothing_runs(store), "the run left processes behind"


def nothing_runs(store: Path) -> bool:
    """Wait until no process of a test runs; return whether it came to that."""
    mark = f"{MARK}={store}".encode()
    until = time.monotonic() + HANG_S
    while time.monotonic() < until:
        if not any(mark in environ for environ in environs()):
            return True
        time.sleep(0.05)
    return False


def environs() -> Iterator[bytes]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            yield path.read_bytes()


def contents(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that a store holds, times aside."""
    tables: dict[str, list[tuple[Any, ...]]] = {}
    with contextlib.closing(sqlite3.connect(store)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            kept = [column for column in columns if not column.endswith(("_at", "_ms")) and column != "data"]
            rows = connection.execute(f"SELECT {', '.join(kept)} FROM {name}")
            tables[name] = sorted(rows.fetchall())
    with Store(store) as ladder:
        tables["log lines"] = [(match_id, *strip_times(log)) for match_id, log in ladder.logs()]
    return tables


def stored(store: Path) -> int:
    with contextlib.closing(sqlite3.connect(store)) as connection:
        return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])


def wait_for_matches(store: Path, process: subprocess.Popen[str], count: int) -> None:
    until = time.monotonic() + HANG_S
    while stored(store) < count and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    assert process.poll() is None, process.communicate()


def kill_once(store: Path, matches: int, rng: random.Random, least: int) -> None:
    """Kill a run at a random instant after so many matches.

    Starting is a good part of a run: every third instant lies in it.
    """
    with running(store, matches) as process:
        if rng.randrange(3):
            while stored(store) < least and process.poll() is None:
                time.sleep(0.005)
            wait_s = rng.uniform(0.0, 0.1)
        else:
            wait_s = rng.uniform(0.0, 1.0)
        try:
            process.wait(wait_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)


def unfinished(store: Path) -> bool:
    """Return whether the same command would go on with a run, or begin the first one."""
    with Store(store) as ladder:
        return ladder.open_run() is not None or not ladder.matches()


@pytest.mark.parametrize(("matches", "kills"), [(12, 3), pytest.param(40, 20, marks=pytest.mark.slow)])
def test_killed_at_any_instant_it_ends_as_if_never_killed(tmp_path: Path, matches: int, kills: int) -> None:
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    whole = new_store(tmp_path / "whole.db")
    assert finish(whole, matches).returncode == 0
    store = new_store(tmp_path / "killed.db")
    for least in sorted(rng.sample(range(matches), kills)):
        # A run that came to its end all the same would be followed by another one.
        if unfinished(store):
            kill_once(store, matches, rng, least)
    if unfinished(store):
        done = finish(store, matches)
        assert done.returncode == 0, done.stderr
    assert stored(store) == matches, f"seed {seed}"
    assert contents(store) == contents(whole), f"seed {seed}"


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    store = new_store(tmp_path / "arena.db")
    with running(store, 1000) as process:
        wait_for_matches(store, process, 2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert "the same command goes on where it stopped" in err and "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_it_as_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    store = new_store(tmp_path / "arena.db")
    with running(store, 1000) as process:
        wait_for_matches(store, process, 1)
        process.send_signal(number)
        _, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert "the same command goes on where it stopped" in err and "Traceback" not in err


def test_ctrl_c_twice_ends_at_once(tmp_path: Path) -> None:
    store = new_store(tmp_path / "arena.db")
    with running(store, 1000) as process:
        wait_for_matches(store, process, 1)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG_S)
    assert process.returncode not in (0, None)
    assert "Traceback" not in err
    assert finish(store, stored(store)).returncode == 0


def test_a_second_runner_is_refused_in_one_line(tmp_path: Path) -> None:
    store = new_store(tmp_path / "arena.db")
    with running(store, 1000) as process:
        wait_for_matches(store, process, 1)
        second = finish(store, 5)
        assert second.returncode == 1
        assert second.stderr.count("\n") == 1 and "is being run by another process" in second.stderr


def test_a_full_disk_stops_it_in_one_line_and_loses_nothing(tmp_path: Path) -> None:
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        pytest.skip("prlimit is not installed")
    store = new_store(tmp_path / "arena.db")
    with running(store, 1000, prlimit, f"--fsize={200 * 1024}") as process:
        _, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 1
    assert err.count("\n") == 1 and err.startswith(f"arena: {store}: "), err
    before = stored(store)
    assert before > 0
    assert finish(store, before + 2).returncode == 0
    assert stored(store) == before + 2


def test_a_read_only_store_stops_it_in_one_line(tmp_path: Path) -> None:
    if why_no_bwrap():
        pytest.skip(why_no_bwrap())
    folder = tmp_path / "readonly"
    folder.mkdir()
    store = new_store(folder / "arena.db")
    mounts = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", str(folder), str(folder))
    with running(store, 5, *mounts) as process:
        _, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 1
    assert err.count("\n") == 1 and "Traceback" not in err
    assert stored(store) == 0
