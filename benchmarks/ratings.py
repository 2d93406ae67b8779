"""Rating speed: single updates by each means, and a whole ladder recomputed.

    python benchmarks/ratings.py [--results 1000000] [--updates 20000] [--repeats 3] [--json]

Method. ``updates``: games of two bots with ratings drawn once (mu normal around 25, sigma from 0.5 to 8.3),
rated one by one; the same games for the closed form on bare numbers, the closed form on ratings, this
project's guarded factor graph, the plain ``trueskill`` package, and ``openskill`` (Plackett-Luce) where it is
installed. The means take turns, several times; rates are medians. ``recompute``: results of two among 1,000
bots, held in memory, folded into ratings; one run.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import trueskill

from arena.ladder.rating import Rating, RatingSettings, Result, rate, rate_two, recompute, update_two

SETTINGS = RatingSettings()
BOTS = 1_000

Game = tuple[Rating, Rating]
Means = Callable[[list[Game]], None]


def main() -> None:
    parser = argparse.ArgumentParser(description="Rating speed.")
    parser.add_argument("--results", type=int, default=1_000_000)
    parser.add_argument("--updates", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = {
        "updates_per_second": updates(arguments.updates, arguments.repeats),
        "recompute": recomputation(arguments.results),
    }
    print(json.dumps(figures, indent=2) if arguments.json else text(figures))


def updates(count: int, repeats: int) -> dict[str, float]:
    """Updates a second by each means."""
    rng = random.Random(1)

    def drawn() -> Rating:
        return Rating(rng.gauss(25, 8), rng.uniform(0.5, 8.3))

    games = [(drawn(), drawn()) for _ in range(count)]
    rates: dict[str, list[float]] = {name: [] for name in means()}
    for _ in range(repeats):
        for name, run in means().items():
            start = time.perf_counter()
            run(games)
            rates[name].append(count / (time.perf_counter() - start))
    return {name: statistics.median(found) for name, found in rates.items()}


def means() -> dict[str, Means]:
    found: dict[str, Means] = {
        "closed form, bare numbers": closed_form_numbers,
        "closed form, ratings": closed_form_ratings,
        "factor graph, guarded": factor_graph,
        "trueskill package": package,
    }
    if find_spec("openskill"):
        found["openskill, Plackett-Luce"] = plackett_luce
    return found


def closed_form_numbers(games: list[Game]) -> None:
    for a, b in games:
        update_two(SETTINGS, a.mu, a.sigma, b.mu, b.sigma)


def closed_form_ratings(games: list[Game]) -> None:
    for a, b in games:
        rate_two(SETTINGS, a, b)


def factor_graph(games: list[Game]) -> None:
    for a, b in games:
        rate(SETTINGS, [[a], [b]], [0, 1])


def package(games: list[Game]) -> None:
    environment = trueskill.TrueSkill(tau=0.0, draw_probability=SETTINGS.draw_probability)
    for a, b in games:
        environment.rate([(trueskill.Rating(a.mu, a.sigma),), (trueskill.Rating(b.mu, b.sigma),)])


def plackett_luce(games: list[Game]) -> None:
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    for a, b in games:
        model.rate([[model.rating(a.mu, a.sigma)], [model.rating(b.mu, b.sigma)]])


def recomputation(count: int) -> dict[str, float]:
    rng = random.Random(2)
    pairs = (rng.sample(range(BOTS), 2) for _ in range(count))
    results = [Result(((first,), (second,)), (0, 1)) for first, second in pairs]
    start = time.perf_counter()
    recompute(SETTINGS, results)
    seconds = time.perf_counter() - start
    return {"results": count, "seconds": seconds, "seconds_a_million": seconds / count * 1e6}


def text(figures: dict[str, Any]) -> str:
    lines = [__doc__ or "", "updates a second"]
    rates = figures["updates_per_second"]
    base = rates["trueskill package"]
    lines += [f"  {name:28} {rate:12,.0f}   {rate / base:6.1f} x trueskill" for name, rate in rates.items()]
    found = figures["recompute"]
    lines.append(f"recompute of {found['results']:,} results: {found['seconds']:.1f} s")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
