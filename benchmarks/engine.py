"""Speed of the engine: hands and decisions a second, and the parts that bots use most.

    python benchmarks/engine.py [--against openspiel] [--against rlcard] [--seconds 1] [--repeats 5] [--json]

Method. One process, one core, processor time. A "hand" is one deal from its shuffled deck to its
result; a "decision" is one call for the legal actions and one action applied. Two policies play both
sides: ``random`` takes any legal action uniformly; ``simple`` takes the discard only if it makes a
meld, drops the card that leaves the least deadwood (the higher one of equals) and knocks as soon as
it can; its thinking is the same code for every engine and is part of the time. Our hand is the full
state machine that the referee runs: every action is validated, the events are kept, and the
showdown is the joint optimum. Against another engine both are timed in turn, several times, in the
same run and with the same decks a side; rates are medians, the ratio is the median of the pairs'
ratios. OpenSpiel is given its cards from a shuffled deck, which is faster for it than listing the
chance outcomes, under the preset ``openspiel``; RLCard is driven by its game object, without its
environment's encoding, beside ``classic``.

The parts are timed over positions from play by ``simple``: ``deadwood`` of every hand of ten and
eleven cards that came up, ``defence_deadwood`` of every showdown with layoffs, ``clone`` of hands
after twelve actions, each copied twenty times; the loop around them is part of the time.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import arena.engine.state
from arena.engine.actions import BIG_GIN, DISCARD, DRAW_DISCARD, DRAW_STOCK, KNOCK, PASS
from arena.engine.cards import POINTS, Card, Cards
from arena.engine.melds import Meld, deadwood, defence_deadwood
from arena.engine.presets import preset
from arena.engine.rules import RuleSet
from arena.engine.state import DISCARD_PHASE, OVER, WALL_KNOCK, Hand

Play = Callable[[int, random.Random], int]
"""Plays so many hands and returns the number of decisions."""

TARGETS_US = {"deadwood_us": 1.0, "defence_us": 8.0, "clone_us": 2.0}


# ---------------------------------------------------------------------- the simple policy

_RANK_OF_ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39


def makes_meld(hand: Cards, card: Card) -> bool:
    """Return whether a card melds with cards of a hand."""
    rank = card % 13
    if (hand >> rank & _RANK_OF_ACES).bit_count() >= 2:
        return True
    held = hand >> card - rank & 8191
    near = (held << 2) >> rank & 31  # two ranks below to two above
    return near & 3 == 3 or near & 10 == 10 or near & 24 == 24


def worst(hand: Cards, free: tuple[Card, ...] | list[Card]) -> Card:
    """Return the card to drop: the one that leaves least deadwood, the higher of equal ones."""
    return min(free, key=lambda card: (deadwood(hand ^ (1 << card)), -POINTS[card]))


# ---------------------------------------------------------------------- our engine


def play_random(rules: RuleSet, hands: int, rng: random.Random) -> int:
    """Play hands of our engine at random."""
    deck, pick, decisions = list(range(52)), rng.random, 0
    for number in range(hands):
        rng.shuffle(deck)
        hand = Hand(rules, tuple(deck), number & 1)
        while hand.phase != OVER:
            legal = hand.legal_actions()
            hand.apply(legal[int(pick() * len(legal))])
            decisions += 1
    return decisions


def simple_action(hand: Hand, legal: tuple[int, ...]) -> int:
    """Return what the simple policy does."""
    cards = hand.hands[hand.turn]
    if hand.phase in (DISCARD_PHASE, WALL_KNOCK):
        if legal[-1] == BIG_GIN:
            return BIG_GIN
        knocks = [action - KNOCK for action in legal if action >= KNOCK]
        return KNOCK + worst(cards, knocks) if knocks else DISCARD + worst(cards, legal)
    if DRAW_DISCARD in legal and makes_meld(cards, hand.discards[-1]):
        return DRAW_DISCARD
    return DRAW_STOCK if DRAW_STOCK in legal else PASS if PASS in legal else legal[0]


def play_simple(rules: RuleSet, hands: int, rng: random.Random) -> int:
    """Play hands of our engine by the simple policy."""
    deck, decisions = list(range(52)), 0
    for number in range(hands):
        rng.shuffle(deck)
        hand = Hand(rules, tuple(deck), number & 1)
        while hand.phase != OVER:
            hand.apply(simple_action(hand, hand.legal_actions()))
            decisions += 1
    return decisions


# ---------------------------------------------------------------------- OpenSpiel


class OpenSpiel:
    """``gin_rummy`` of OpenSpiel, driven from Python."""

    rules = "openspiel"
    TAKE, DRAW, DECLINE, CALL = 52, 53, 54, 55

    def __init__(self) -> None:
        import pyspiel

        self.game: Any = pyspiel.load_game("gin_rummy")
        self.phases: Any = pyspiel.gin_rummy.Phase

    def play_random(self, hands: int, rng: random.Random) -> int:
        """Play hands at random."""
        deck, pick, decisions = list(range(52)), rng.random, 0
        for _ in range(hands):
            rng.shuffle(deck)
            cards = iter(deck)
            state = self.game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(next(cards))
                else:
                    legal = state.legal_actions()
                    state.apply_action(legal[int(pick() * len(legal))])
                    decisions += 1
        return decisions

    def play_simple(self, hands: int, rng: random.Random) -> int:
        """Play hands by the simple policy."""
        deck, decisions = list(range(52)), 0
        for _ in range(hands):
            rng.shuffle(deck)
            cards = iter(deck)
            state = self.game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(next(cards))
                else:
                    state.apply_action(self.simple_action(state, state.legal_actions()))
                    decisions += 1
        return decisions

    def simple_action(self, state: Any, legal: list[int]) -> int:
        """Return what the simple policy does; melds and layoffs are taken as they are offered."""
        phase = state.current_phase()
        if phase == self.phases.LAYOFF:
            return legal[-1] if legal[-1] > self.CALL else legal[0]
        if legal[-1] > self.DECLINE:
            return legal[-1]
        cards = sum(1 << card for card in state.hands()[state.current_player()])
        if phase in (self.phases.DISCARD, self.phases.KNOCK):
            # Laying melds has ended when only the pass is left.
            return worst(cards, legal) if legal[-1] < self.TAKE else legal[-1]
        if self.TAKE in legal and makes_meld(cards, state.upcard()):
            return self.TAKE
        return self.DRAW if self.DRAW in legal else self.DECLINE


# ---------------------------------------------------------------------- RLCard


class RLCard:
    """``gin-rummy`` of RLCard: its game object and judge."""

    rules = "classic"
    TAKE_CARD, TAKE_DISCARD, GIN, DROP, CALL = 2, 3, 5, 6, 58

    def __init__(self) -> None:
        import numpy
        from rlcard.games.gin_rummy.game import GinRummyGame
        from rlcard.games.gin_rummy.utils.utils import get_card_id

        self.new_game: Any = GinRummyGame
        self.card_id: Any = get_card_id
        self.state: Any = numpy.random.RandomState

    def play_random(self, hands: int, rng: random.Random) -> int:
        """Play hands at random."""
        return self.play(hands, rng, lambda game, legal: legal[int(rng.random() * len(legal))])

    def play_simple(self, hands: int, rng: random.Random) -> int:
        """Play hands by the simple policy."""
        return self.play(hands, rng, self.simple_action)

    def play(self, hands: int, rng: random.Random, choose: Callable[[Any, list[Any]], Any]) -> int:
        """Play hands, each with the actions that a function chooses."""
        decisions = 0
        game = self.new_game()
        game.np_random = self.state(rng.randrange(1 << 32))
        for _ in range(hands):
            game.init_game()
            while not game.is_over():
                game.step(choose(game, game.judge.get_legal_actions()))
                decisions += 1
        return decisions

    def simple_action(self, game: Any, legal: list[Any]) -> Any:
        """Return what the simple policy does."""
        by_id = {action.action_id: action for action in legal}
        cards = sum(1 << self.card_id(card) for card in game.get_current_player().hand)
        calls = [number - self.CALL for number in by_id if number >= self.CALL]
        drops = [number - self.DROP for number in by_id if self.DROP <= number < self.CALL]
        if calls or drops:
            number = self.CALL + worst(cards, calls) if calls else self.DROP + worst(cards, drops)
            return by_id[number]
        if self.TAKE_DISCARD in by_id:
            top = game.round.dealer.discard_pile[-1]
            if makes_meld(cards, self.card_id(top)):
                return by_id[self.TAKE_DISCARD]
        return legal[0]


RIVALS: dict[str, tuple[str, type[OpenSpiel] | type[RLCard]]] = {
    "openspiel": ("pyspiel", OpenSpiel),
    "rlcard": ("rlcard", RLCard),
}


# ---------------------------------------------------------------------- measuring


class Rate(NamedTuple):
    """What one timing gave."""

    hands_per_s: float
    decisions_per_s: float


def rate(play: Play, hands: int, seed: int) -> Rate:
    """Time so many hands."""
    began = time.process_time()
    decisions = play(hands, random.Random(seed))
    took = time.process_time() - began
    return Rate(hands / took, decisions / took)


def enough(play: Play, seconds: float) -> int:
    """Return how many hands take about so many seconds."""
    hands = 8
    while (pace := rate(play, hands, 0).hands_per_s) * seconds / 8 > hands:
        hands *= 2
    return max(4, round(pace * seconds))


def medians(rates: list[Rate]) -> dict[str, float]:
    """Return the median rates, to be printed."""
    return {
        "hands_per_s": round(statistics.median(r.hands_per_s for r in rates), 1),
        "decisions_per_s": round(statistics.median(r.decisions_per_s for r in rates), 1),
    }


def measure(ours: Play, theirs: Play | None, seconds: float, repeats: int) -> dict[str, Any]:
    """Time our engine, and another beside it, in turn."""
    plays = [ours, theirs] if theirs else [ours]
    hands = [enough(play, seconds) for play in plays]
    rounds = [[rate(play, n, seed) for play, n in zip(plays, hands, strict=True)] for seed in range(repeats)]
    report: dict[str, Any] = {"arena": medians([r[0] for r in rounds])}
    if theirs:
        report["other"] = medians([r[1] for r in rounds])
        for unit in ("hands_per_s", "decisions_per_s"):
            ratios = [getattr(r[0], unit) / getattr(r[1], unit) for r in rounds]
            report[f"ratio_{unit}"] = round(statistics.median(ratios), 2)
    return report


def positions(hands: int) -> tuple[list[Cards], list[tuple[tuple[Meld, ...], Cards]], list[Hand]]:
    """Return hands, showdowns with layoffs, and hands half played, from play by ``simple``."""
    seen: list[Cards] = []
    showdowns: list[tuple[tuple[Meld, ...], Cards]] = []
    half: list[Hand] = []
    rng, rules = random.Random(7), preset("classic")
    deck = list(range(52))
    for number in range(hands):
        rng.shuffle(deck)
        hand = Hand(rules, tuple(deck), number & 1)
        while hand.phase != OVER:
            seen.append(hand.hands[hand.turn])
            if len(hand.events) == 12:
                half.append(hand.clone())
            hand.apply(simple_action(hand, hand.legal_actions()))
        if hand.result and hand.result.outcome in ("knock", "undercut"):
            showdowns.append((hand.knocker_showing().melds, hand.hands[1 - hand.knocker]))
    return seen, showdowns, half


def per_call_us(call: Callable[..., object], arguments: list[tuple[Any, ...]], repeats: int) -> float:
    """Return the median time of one call in microseconds."""
    took = []
    for _ in range(repeats):
        began = time.process_time()
        for each in arguments:
            call(*each)
        took.append((time.process_time() - began) / len(arguments) * 1e6)
    return round(statistics.median(took), 3)


def parts(repeats: int) -> dict[str, float]:
    """Time the parts."""
    seen, showdowns, half = positions(2_000)
    return {
        "deadwood_us": per_call_us(deadwood, [(cards,) for cards in seen], repeats),
        "defence_us": per_call_us(defence_deadwood, list(showdowns), repeats),
        "clone_us": per_call_us(Hand.clone, [(hand,) for hand in half[:500] for _ in range(20)], repeats),
    }


# ---------------------------------------------------------------------- the command


def run(against: list[str], seconds: float, repeats: int) -> dict[str, Any]:
    """Return all figures."""
    compiled = not (arena.engine.state.__file__ or "").endswith(".py")
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "compiled": compiled,
        "parts": parts(repeats),
        "alone": {
            "random": measure(partial(play_random, preset("classic")), None, seconds, repeats),
            "simple": measure(partial(play_simple, preset("classic")), None, seconds, repeats),
        },
    }
    for name in against:
        other = RIVALS[name][1]()
        rules = preset(other.rules)
        report[name] = {
            "random": measure(partial(play_random, rules), other.play_random, seconds, repeats),
            "simple": measure(partial(play_simple, rules), other.play_simple, seconds, repeats),
        }
    return report


def show(report: dict[str, Any], against: list[str]) -> None:
    """Print the figures for people."""
    print((__doc__ or "").split("Method. ")[1])
    print(f"Python {report['python']}, engine {'compiled' if report['compiled'] else 'in plain Python'}")
    for name, limit in TARGETS_US.items():
        print(f"  {name.removesuffix('_us'):<9}{report['parts'][name]:8.2f} us a call   (target {limit:g})")
    for name in ("alone", *against):
        for policy, figures in report[name].items():
            rates = [("arena", figures["arena"])] + ([(name, figures["other"])] if "other" in figures else [])
            for engine, values in rates:
                print(
                    f"  {policy:<7} {engine:<10}{values['hands_per_s']:10,.0f} hands/s"
                    f"{values['decisions_per_s']:12,.0f} decisions/s"
                )
            if "other" in figures:
                print(
                    f"  {policy:<7} ratio     {figures['ratio_hands_per_s']:10.1f}"
                    f"{figures['ratio_decisions_per_s']:20.1f}"
                )


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Speed of the engine.")
    parser.add_argument("--against", action="append", choices=sorted(RIVALS), default=[])
    parser.add_argument("--seconds", type=float, default=1.0, help="of one timing (default 1)")
    parser.add_argument("--repeats", type=int, default=5, help="timings of each (default 5)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in options.against:
        if importlib.util.find_spec(RIVALS[name][0]) is None:
            package = "open_spiel" if name == "openspiel" else name
            print(f"{name} is not installed: pip install {package}", file=sys.stderr)
            return 2
    report = run(options.against, options.seconds, options.repeats)
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report, options.against)
    return 0


if __name__ == "__main__":
    sys.exit(main())
