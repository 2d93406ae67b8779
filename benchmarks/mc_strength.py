"""How strong the sample bot mc is: duplicate game pairs on the engine, in one process.

    python benchmarks/mc_strength.py --pairs 100 --time-ms 100 --cpu
    python benchmarks/mc_strength.py --pairs 100 --samples 40 --opponent simple --rules eaai --json

A pair is two games with the same decks and the seats swapped. Requests are made as in a match but
do not go over gRPC, so that nothing but thinking takes time. With ``--samples`` a run is repeatable.
With ``--time-ms`` mc thinks by the clock, and a busy machine makes it weaker; ``--cpu`` lets it
think by the processor time of its own process instead, which is what a free core would give it.

The interval is for the mean over pairs (normal, 95%).
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.bot import Bot, MatchStart, Request
from arena.engine.dealing import deck, derive_secret, first_dealer
from arena.engine.formats import format_for
from arena.engine.game import Game, Showed
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet
from arena.engine.scoring import NOBODY
from arena.protocol import codec
from arena.protocol.v1.bot_pb2 import Decision

BOTS = Path(__file__).resolve().parent.parent / "sample_bots"


def module(package: str, name: str) -> ModuleType:
    """Import a module of a bot package, and with it the siblings that it needs."""
    path = str(BOTS / package)
    if path not in sys.path:
        sys.path.insert(0, path)
    return importlib.import_module(name)


def bot_kind(name: str) -> type[Bot]:
    """Return the class of a bot."""
    if name == "mc":
        mc: type[Bot] = module("mc-python", "bot").McBot
        return mc
    simple = module("simple-python", "strategy").choose

    class Simple(Bot):
        def decide(self, request: Request) -> str:
            action: str = simple(request)
            return action

    class Random(Bot):
        def decide(self, request: Request) -> str:
            return self.random.choice(request.legal_actions)

    return {"simple": Simple, "random": Random}[name]


@dataclass
class Tally:
    """The results of mc."""

    pairs: list[float] = field(default_factory=list)
    """Share of the games won, by pair."""
    points: list[int] = field(default_factory=list)
    """Points by hand, negative if the opponent scored them."""
    outcomes: Counter[str] = field(default_factory=Counter)
    think_ms: list[float] = field(default_factory=list)
    """Wall time by decision."""

    def record(self, game: Game, seat: int) -> None:
        """Enter the hands of a game."""
        for record in game.records:
            if isinstance(record, Showed):
                result = record.result
                scored = result.winner != NOBODY
                won = scored and record.plan.seats[result.winner] == seat
                self.points.append(result.points if won else -result.points)
                self.outcomes[f"{'+' if won else '-' if scored else ''}{result.outcome}"] += 1

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        think = sorted(self.think_ms)
        return {
            "games": 2 * len(self.pairs),
            "wins_percent": _interval([100 * share for share in self.pairs]),
            "points_a_hand": _interval([float(points) for points in self.points]),
            "hands": len(self.points),
            "outcomes": dict(sorted(self.outcomes.items())),
            "think_ms": {
                "mean": round(sum(think) / len(think), 2),
                "p99": round(think[len(think) * 99 // 100], 2),
            },
        }


def _interval(values: list[float]) -> dict[str, float]:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
    return {"mean": round(mean, 2), "margin": round(1.96 * math.sqrt(variance / len(values)), 2)}


@dataclass(frozen=True)
class Contest:
    """Two bot classes, mc first, and the conditions under which they meet."""

    kinds: tuple[type[Bot], type[Bot]]
    rules: RuleSet
    seed: str
    time_ms: int

    def play_pair(self, pair: int, tally: Tally) -> None:
        """Play a pair of games."""
        secret = derive_secret(self.seed, f"pair {pair}")
        tally.pairs.append(sum(self._play_game(secret, pair, seat, tally) for seat in (0, 1)) / 2)

    def _play_game(self, secret: bytes, pair: int, seat: int, tally: Tally) -> float:
        """Play a game with mc in a seat and return its share of the win."""
        game = Game(self.rules, format_for("duel", 2), first_dealer(secret, self.rules.first_dealer, 0))
        bots = [
            self.kinds[place != seat](MatchStart(match_id=f"{self.seed}/{pair}", seat=place))
            for place in (0, 1)
        ]
        asked = 0
        while game.finished is None:
            if game.decks_needed:
                game.deal([deck(secret, 0, game.hand_number + 1)])
            (to_act,) = game.to_act()
            asked += 1
            request = self._request(game, to_act, asked)
            started = time.perf_counter()
            answer = bots[to_act].decide(request)
            if to_act == seat:
                tally.think_ms.append(1000 * (time.perf_counter() - started))
            game.apply(to_act, *codec.read_decision(Decision(action=str(answer))))
        tally.record(game, seat)
        winners = game.finished.settlement.winners
        return float(seat in winners) if winners else 0.5

    def _request(self, game: Game, seat: int, number: int) -> Request:
        return codec.request_message(
            game,
            seat,
            match_id=self.seed,
            request_id=number,
            game_number=0,
            decision=number,
            rules=codec.rules_message(self.rules),
            time_left_ms=self.time_ms,
            events=(),
        )


def main() -> None:
    """Play the pairs and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=100, help="pairs of games (default: %(default)s)")
    parser.add_argument("--seed", default="mc", help="seed of the decks (default: %(default)s)")
    parser.add_argument("--time-ms", type=int, default=100, help="time for a decision (default: %(default)s)")
    parser.add_argument("--cpu", action="store_true", help="mc thinks by processor time, not by the clock")
    parser.add_argument("--samples", type=int, default=0, help="think for so many samples, not by time")
    parser.add_argument("--opponent", default="simple", choices=["simple", "random", "mc"])
    parser.add_argument("--rules", default="classic", choices=list(PRESETS))
    parser.add_argument("--json", action="store_true", help="print JSON only")
    args = parser.parse_args()
    kind = bot_kind("mc")
    if args.cpu:
        kind.clock = staticmethod(time.process_time)  # type: ignore[attr-defined]
    if args.samples:
        os.environ["ARENA_MC_SAMPLES"] = str(args.samples)
    contest = Contest((kind, bot_kind(args.opponent)), preset(args.rules), args.seed, args.time_ms)
    tally = Tally()
    for pair in range(args.pairs):
        contest.play_pair(pair, tally)
        if not args.json and (pair + 1) % 10 == 0:
            report(tally)
    print(json.dumps(tally.as_dict()) if args.json else "done")


def report(tally: Tally) -> None:
    """Print one line of how it stands."""
    figures = tally.as_dict()
    wins, points, think = figures["wins_percent"], figures["points_a_hand"], figures["think_ms"]
    print(
        f"{figures['games']} games: {wins['mean']}% +- {wins['margin']} won, "
        f"{points['mean']:+} +- {points['margin']} points a hand over {figures['hands']} hands, "
        f"{think['mean']} ms a decision (p99 {think['p99']})",
        flush=True,
    )


if __name__ == "__main__":
    main()
