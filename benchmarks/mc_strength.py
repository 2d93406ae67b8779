"""How strong mc is: duplicate game pairs of two bot classes on the engine, in one process.

    python benchmarks/mc_strength.py --pairs 100 --time-ms 100
    python benchmarks/mc_strength.py --pairs 100 --samples 40 --opponent simple --rules eaai --json

A pair is two games with the same decks and the seats swapped. Requests go through the codec as in a
match but not over gRPC, so that nothing but the bots' thinking takes time. With ``--samples`` a run
is repeatable; with ``--time-ms`` mc thinks by the clock, and a busy machine makes it weaker.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena.bot import Bot, MatchStart, Request
from arena.engine.dealing import deck, derive_secret, first_dealer
from arena.engine.formats import format_for
from arena.engine.game import Game, Showed
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet
from arena.engine.scoring import NOBODY
from arena.protocol import codec

BOTS = Path(__file__).resolve().parent.parent / "sample_bots"


class SimpleBot(Bot):
    """Plays the simple policy."""

    def __init__(self, start: MatchStart) -> None:
        super().__init__(start)
        self._choose: Callable[[Request], str] = _module("simple-python", "strategy").choose

    def decide(self, request: Request) -> str:
        return self._choose(request)


class RandomBot(Bot):
    """Plays any legal action."""

    def decide(self, request: Request) -> str:
        return self.random.choice(request.legal_actions)


def _module(folder: str, name: str):  # type: ignore[no-untyped-def]
    path = str(BOTS / folder)
    if path not in sys.path:
        sys.path.insert(0, path)
    return importlib.import_module(name)


def bot_kind(name: str) -> type[Bot]:
    """Return the bot class of a name."""
    if name == "mc":
        kind: type[Bot] = _module("mc-python", "bot").McBot
        return kind
    return {"simple": SimpleBot, "random": RandomBot}[name]


@dataclass
class Tally:
    """Results of the first bot."""

    games: int = 0
    wins: float = 0.0
    pair_wins: list[float] = field(default_factory=list)
    hands: int = 0
    points: int = 0
    point_squares: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    decisions: int = 0
    slowest_ms: float = 0.0
    seconds: float = 0.0


def play_game(
    rules: RuleSet,
    bots: tuple[Bot, Bot],
    dealer: int,
    secret: bytes,
    pair: int,
    args: argparse.Namespace,
    tally: Tally,
    mine: int,
) -> float:
    game = Game(rules, format_for("duel", 2), dealer)
    message = codec.rules_message(rules)
    hand = 0
    number = 0
    decision = 0
    while game.finished is None:
        if game.decks_needed:
            game.deal([deck(secret, pair, hand)])
            hand += 1
            decision = 0
            continue
        (seat,) = game.to_act()
        number += 1
        request = codec.request_message(
            game,
            seat,
            match_id="m",
            request_id=number,
            game_number=0,
            decision=decision,
            rules=message,
            time_left_ms=args.time_ms,
            events=(),
        )
        decision += 1
        started = time.perf_counter()
        answer = bots[seat].decide(request)
        if seat == mine:
            took = time.perf_counter() - started
            tally.decisions += 1
            tally.seconds += took
            tally.slowest_ms = max(tally.slowest_ms, took * 1000)
        assert isinstance(answer, str)
        action, declaration = codec.read_decision(codec.bot_pb2.Decision(action=answer))
        game.apply(seat, action, declaration)
    for record in game.records:
        if isinstance(record, Showed):
            result = record.result
            tally.hands += 1
            won = result.winner == mine
            points = 0 if result.winner == NOBODY else result.points if won else -result.points
            tally.points += points
            tally.point_squares += points * points
            key = result.outcome if result.winner == NOBODY else f"{'+' if won else '-'}{result.outcome}"
            tally.outcomes[key] = tally.outcomes.get(key, 0) + 1
    winners = game.finished.settlement.winners
    return 0.5 if not winners else float(mine in winners)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--seed", default="mc")
    parser.add_argument("--time-ms", type=int, default=100)
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--opponent", default="simple", choices=["simple", "random", "mc"])
    parser.add_argument("--rules", default="classic", choices=sorted(PRESETS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.samples:
        os.environ["ARENA_MC_SAMPLES"] = str(args.samples)
    rules = preset(args.rules)
    tally = Tally()
    kinds = (bot_kind("mc"), bot_kind(args.opponent))
    for pair in range(args.pairs):
        secret = derive_secret(args.seed, f"pair {pair}")
        dealer = first_dealer(secret, rules.first_dealer, 0)
        score = 0.0
        for mine in (0, 1):
            bots = [kinds[0](MatchStart(match_id=f"{args.seed}/{pair}", seat=mine))]
            bots.insert(1 - mine, kinds[1](MatchStart(match_id=f"{args.seed}/{pair}", seat=1 - mine)))
            score += play_game(rules, (bots[0], bots[1]), dealer, secret, pair, args, tally, mine)
        tally.pair_wins.append(score / 2)
        if not args.json and pair % 10 == 9:
            report(tally)
    report(tally)


def report(tally: Tally) -> None:
    n = len(tally.pair_wins)
    mean = sum(tally.pair_wins) / n
    var = sum((x - mean) ** 2 for x in tally.pair_wins) / max(1, n - 1)
    half = 1.96 * math.sqrt(var / n)
    pts = tally.points / tally.hands
    sd = math.sqrt(tally.point_squares / tally.hands - pts**2)
    print(
        f"{2 * n} games: {mean:.1%} +- {half:.1%}; {pts:+.2f} +- {1.96 * sd / math.sqrt(tally.hands):.2f} points a hand over {tally.hands} hands; {tally.seconds / tally.decisions * 1000:.2f} ms a decision, slowest {tally.slowest_ms:.0f} ms",
        json.dumps(tally.outcomes),
        flush=True,
    )


if __name__ == "__main__":
    main()
