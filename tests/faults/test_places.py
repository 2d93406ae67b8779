"""Odd places and times: deep folders, long TMPDIR, ports in use, many matches, many launches, many runs."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.engine.dealing import derive_secret
from arena.engine.presets import preset
from arena.engine.rules import override
from arena.errors import RefereeError
from arena.referee.clock import parse_time_control
from arena.referee.manifest import find_package, load_package
from arena.referee.match import MatchOutcome, MatchSpec
from arena.referee.referee import Referee
from arena.referee.verdict import Fault, Verdict
from arena.testing.faults.cases import WITNESS
from tests.referee.loops import in_loop
from tests.referee.processes import own_children

SHORT = override(preset("classic"), ["hands=1"])
ARENA = (sys.executable, "-m", "arena")


def spec(number: int, time: str = "none") -> MatchSpec:
    return MatchSpec(f"m{number}", SHORT, derive_secret("places", str(number)), time=parse_time_control(time))


def run(*args: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (*ARENA, *args),
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_working_directory_150_characters_deep(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 75) / ("e" * 75)
    deep.mkdir(parents=True)
    done = run("match", "@random", "@random", "--rule", "hands=1", "--log-dir", "logs", cwd=deep)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list((deep / "logs").iterdir())) == 1


def test_a_temporary_folder_with_a_long_path(tmp_path: Path) -> None:
    long = tmp_path / ("t" * 120)
    long.mkdir()
    done = run("match", "@random", "@random", "--rule", "hands=1", TMPDIR=str(long), XDG_RUNTIME_DIR="")
    assert (done.returncode, done.stderr) == (0, "")


@in_loop
async def test_a_port_in_use_is_told_in_one_line() -> None:
    before = own_children()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(RefereeError) as refused:
            async with Referee(listen=address):
                raise AssertionError("it must not start")
    assert str(refused.value).startswith(f"cannot listen on {address}") and "\n" not in str(refused.value)
    assert own_children() == before


@in_loop
async def test_32_matches_in_parallel_all_progress() -> None:
    async with Referee(start_s=120.0) as referee:
        first, second = (referee.enter(load_package(WITNESS)) for _ in range(2))
        outcomes = await asyncio.gather(*(referee.play(spec(n), [first, second]) for n in range(32)))
    assert [outcome.verdict for outcome in outcomes] == [Verdict.COMPLETED] * 32
    assert not any(any(outcome.faults) for outcome in outcomes)


async def _many(matches: int) -> list[MatchOutcome]:
    at_once = 2 * len(os.sched_getaffinity(0))
    places = asyncio.Semaphore(at_once)
    async with Referee(start_s=120.0) as referee:
        bots = [referee.enter(find_package("@random")) for _ in range(2)]

        async def play(number: int) -> MatchOutcome:
            async with places:
                return await referee.play(spec(number, "100ms"), bots)

        return await asyncio.gather(*(play(number) for number in range(matches)))


@pytest.mark.parametrize("matches", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_instant_bots_never_time_out_on_a_full_machine(matches: int) -> None:
    outcomes = asyncio.run(_many(matches))
    charged = [outcome.fault for outcome in outcomes if any(outcome.faults)]
    assert not charged, charged
    assert all(outcome.verdict == Verdict.COMPLETED for outcome in outcomes)


@pytest.mark.parametrize("launches", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_many_launches_in_one_process(launches: int) -> None:
    async def main() -> None:
        before, descriptors = own_children(), len(list(Path("/proc/self/fd").iterdir()))
        async with Referee(start_s=120.0) as referee:
            for _ in range(launches // 10):
                bots = [referee.enter(load_package(WITNESS)) for _ in range(10)]
                started = await asyncio.gather(*(bot.acquire() for bot in bots))
                assert not [fault for fault in started if isinstance(fault, Fault)]
                await asyncio.gather(*(bot.close() for bot in bots))
        assert own_children() == before
        assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors + 8

    asyncio.run(main())


@pytest.mark.parametrize("runs", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_short_runs_in_a_row_end_cleanly(runs: int) -> None:
    for _ in range(runs):
        done = run("match", "@random", "@simple", "--rule", "hands=1", "--games", "1")
        assert (done.returncode, done.stderr) == (0, "")
