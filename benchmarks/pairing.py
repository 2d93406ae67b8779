"""Pairing: the time to choose a batch, and the matches that each policy needs.

    python benchmarks/pairing.py [--bots 10000] [--count 100] [--repeats 20] [--ladders 0] [--json]

Method. ``milliseconds``: choosing ``--count`` matches among ``--bots`` bots with ratings, games and 200,000
past meetings drawn at random, by each policy; median and worst of the repeats. ``matches``: with
``--ladders`` above 0, whole ladders of 100 and of 1,000 bots are simulated by each policy until Kendall's tau
is 0.9 (``arena.ladder.simulate``); a minute or two for 10 ladders.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from arena.ladder.pairing import POLICIES, Field
from arena.ladder.simulate import Plan, compare

MEETINGS = 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description="Pairing speed and thrift.")
    parser.add_argument("--bots", type=int, default=10_000)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--ladders", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {
        "bots": arguments.bots,
        "count": arguments.count,
        "milliseconds": milliseconds(arguments.bots, arguments.count, arguments.repeats),
    }
    if arguments.ladders:
        figures["matches"] = matches(arguments.ladders)
    print(json.dumps(figures, indent=2) if arguments.json else text(figures))


def milliseconds(bots: int, count: int, repeats: int) -> dict[str, dict[str, float]]:
    """Median and worst time of each policy for one batch."""
    field = a_field(bots)
    found = {}
    for name, choose in POLICIES.items():
        times = []
        for key in range(repeats):
            start = time.perf_counter()
            choose(field, count, key, 25 / 6)
            times.append((time.perf_counter() - start) * 1e3)
        found[name] = {"median": statistics.median(times), "worst": max(times)}
    return found


def a_field(bots: int) -> Field:
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, bots, (MEETINGS, 2)).tolist()
    return Field(
        rng.normal(25, 8, bots),
        rng.uniform(0.7, 8.3, bots),
        rng.integers(0, 100, bots),
        np.zeros(bots, dtype=np.int64),
        {(first, second): 1 for first, second in pairs if first != second},
    )


def matches(ladders: int) -> dict[int, list[dict[str, Any]]]:
    """Matches that each policy needs, by size of the field."""
    return {
        bots: [asdict(found) for found in compare(Plan(bots=bots), list(POLICIES), ladders)]
        for bots in (100, 1000)
    }


def text(figures: dict[str, Any]) -> str:
    lines = [
        __doc__ or "",
        f"milliseconds to choose {figures['count']} matches among {figures['bots']:,} bots",
    ]
    for name, found in figures["milliseconds"].items():
        lines.append(f"  {name:12} median {found['median']:8.2f}   worst {found['worst']:8.2f}")
    for bots, policies in figures.get("matches", {}).items():
        lines.append(f"matches until tau 0.9 among {bots:,} bots")
        lines += [
            f"  {p['policy']:12} {p['matches']:10,.0f}   {p['ratio']:.3f} +- {p['ratio_error']:.3f} x random"
            for p in policies
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
