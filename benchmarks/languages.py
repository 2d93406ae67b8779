"""What a decision costs beyond the bare wire, by the language that the bot is written in.

    python benchmarks/languages.py [--bots simple-go simple-rust ...] [--rounds 4] [--repeats 3] [--json]

Method. Every bot plays the same policy and answers the 500 recorded requests of tests/sample_bots,
asked by a referee that only writes a request and reads the answer, over a unix socket. A bot is
started, warmed up with two rounds of all requests, then asked ``--rounds`` rounds one request after
the other (p50, p99: microseconds from before the write until the answer is read), then as many rounds
in 16 matches at once (rate). ``cpu`` is the bot process's processor time a decision in the first of
the two, ``start`` the milliseconds from the start of the process until its hello was answered,
``first`` those of its first answer, ``memory`` its resident size at the end. The bots are measured in
turn, ``--repeats`` times; figures are medians over the repeats. ``beside`` is p50 divided by that of
simple-python. Bots whose toolchain is not installed are left out and named.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psutil

from arena.protocol.transport import run_async
from arena.protocol.v1 import bot_pb2
from arena.referee.launcher import build
from arena.referee.manifest import BotPackage, load_package, shipped_folder
from tests.sample_bots.fake_referee import FakeReferee, ask_all, conversing
from tests.sample_bots.packages import TOOLS
from tests.sample_bots.record_requests import read_recorded

BASE: Final = "simple-python"
WARM_UP_ROUNDS: Final = 2
MATCHES_AT_ONCE: Final = 16
BUILD_S: Final = 1800.0

Requests = Sequence[bot_pb2.DecisionRequest]


async def _measure(package: BotPackage, requests: Requests, rounds: int) -> dict[str, float]:
    """Start a bot, measure it and let it end."""
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        began = time.perf_counter()
        async with conversing(package, f"unix:{folder}/s") as (referee, bot):
            started = time.perf_counter()
            first = await _one_by_one(referee, requests[:1])
            await _one_by_one(referee, list(requests) * WARM_UP_ROUNDS)
            asked = list(requests) * rounds
            process = psutil.Process(bot.pid)
            cpu = _cpu_s(process)
            took = sorted(await _one_by_one(referee, asked))
            cpu = _cpu_s(process) - cpu
            at_once = time.perf_counter()
            await ask_all(referee, asked, MATCHES_AT_ONCE)
            at_once = time.perf_counter() - at_once
            memory = process.memory_info().rss
            referee.finish()
            ended = await bot.ended()
    assert ended.code == 0, f"{package.name}: {ended.stderr}"
    return {
        "start_ms": (started - began) * 1e3,
        "first_ms": first[0] * 1e3,
        "p50_us": took[len(took) // 2] * 1e6,
        "p99_us": took[int(len(took) * 0.99)] * 1e6,
        "cpu_us": cpu / len(took) * 1e6,
        "rate_per_s": len(asked) / at_once,
        "memory_mb": memory / 1e6,
    }


async def _one_by_one(referee: FakeReferee, requests: Requests) -> list[float]:
    """Ask requests one after the other and return how long each answer took."""
    match_id = f"alone {time.monotonic_ns()}"
    await referee.start_match(match_id)
    took = []
    for number, recorded in enumerate(requests):
        request = bot_pb2.DecisionRequest()
        request.CopyFrom(recorded)
        request.match_id, request.request_id = match_id, number
        began = time.perf_counter()
        await referee.ask(request)
        took.append(time.perf_counter() - began)
    await referee.end_match(match_id)
    return took


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _packages(names: Sequence[str]) -> list[BotPackage]:
    """Return the packages that can be built here, built."""
    packages = []
    for name in names:
        missing = [tool for tool in TOOLS[name] if shutil.which(tool) is None]
        if missing:
            print(f"left out: {name}, without {', '.join(missing)}", file=sys.stderr)
            continue
        package = load_package(shipped_folder() / name)
        fault = build(package, BUILD_S)
        if fault is not None:
            raise SystemExit(f"{name}: {fault.reason}\n" + "\n".join(fault.stderr))
        packages.append(package)
    return packages


def measure(names: Sequence[str], rounds: int, repeats: int) -> list[dict[str, Any]]:
    """Measure bots in turn and return a row of medians for each."""
    packages = _packages(names)
    requests = [recorded.request for recorded in read_recorded()]
    runs: dict[Path, list[dict[str, float]]] = {package.folder: [] for package in packages}
    for _ in range(repeats):
        for package in packages:
            runs[package.folder].append(run_async(_measure(package, requests, rounds)))
    rows: list[dict[str, Any]] = [
        {"bot": folder.name, **{key: statistics.median(run[key] for run in done) for key in done[0]}}
        for folder, done in runs.items()
    ]
    base = next((row["p50_us"] for row in rows if row["bot"] == BASE), None)
    for row in rows:
        row["beside_python"] = None if base is None else row["p50_us"] / base
    return rows


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bots", nargs="+", choices=list(TOOLS), default=list(TOOLS), metavar="BOT")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = measure(arguments.bots, arguments.rounds, arguments.repeats)
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    print(__doc__)
    print("bot                start ms  first ms  p50 us  p99 us  beside  cpu us  rate/s  memory MB")
    for row in rows:
        beside = "-" if row["beside_python"] is None else f"{row['beside_python']:.2f}"
        print(
            f"{row['bot']:18} {row['start_ms']:8.0f}  {row['first_ms']:8.1f}  {row['p50_us']:6.0f}"
            f"  {row['p99_us']:6.0f}  {beside:>6}  {row['cpu_us']:6.0f}  {row['rate_per_s']:6.0f}"
            f"  {row['memory_mb']:9.0f}"
        )


if __name__ == "__main__":
    main()
