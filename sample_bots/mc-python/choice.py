"""The decision: candidates, a race between them over shared samples, and the budget of the race."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from beliefs import Beliefs, Deal
from position import NO_CARD, Position, read_position
from rollout import Side, best_knock, drop, knock_points, play_out, unmatched
from stakes import Stakes, read_stakes

from arena.bot import Phase, Request
from arena.engine.cards import CARD_NAMES, POINTS, cards_of
from arena.engine.melds import deadwood

SHARE: Final = 1 / 3
"""How much of the time allowed is used."""
OWN_CAP_S: Final = 0.3
"""Most time for one decision, in seconds."""
PATIENT: Final = 0


@dataclass(slots=True)
class Budget:
    """How long to go on sampling: until a deadline, or for a number of samples."""

    samples: int
    deadline: float
    clock: Callable[[], float]
    done: int = 0

    @classmethod
    def of_samples(cls, samples: int) -> Budget:
        """Return a budget of so many samples."""
        return cls(samples, float("inf"), lambda: 0.0)

    @classmethod
    def of_time(cls, time_left_ms: int, clock: Callable[[], float]) -> Budget:
        """Return a budget of a third of the time left (0: no limit), by a clock in seconds."""
        allowed = time_left_ms / 1000 * SHARE if time_left_ms else OWN_CAP_S
        return cls(1_000_000_000, clock() + min(allowed, OWN_CAP_S), clock)

    def spend(self) -> bool:
        """Count one sample; false when the budget is used up."""
        self.done += 1
        return self.done <= self.samples and self.clock() < self.deadline


Play = Callable[[Deal], float]


def choose(request: Request, budget: Budget, rng: random.Random) -> str:
    """Return the legal action that did best in the samples."""
    legal = list(request.legal_actions)
    if len(legal) == 1:
        return legal[0]
    if "big gin" in legal:
        return "big gin"
    position = read_position(request)
    stakes = read_stakes(request)
    if request.phase == Phase.PHASE_WALL:
        return "draw discard"
    if request.phase in (Phase.PHASE_DISCARD, Phase.PHASE_WALL_KNOCK):
        plays = discards(position, stakes, legal)
    else:
        plays = draws(position, stakes, legal)
    return race(plays, position, budget, rng)


def race(plays: dict[str, Play], position: Position, budget: Budget, rng: random.Random) -> str:
    """Return the play with the best mean over shared samples."""
    if len(plays) == 1:
        return next(iter(plays)).split("!")[0]
    totals = dict.fromkeys(plays, 0.0)
    beliefs = Beliefs(position, rng)
    while budget.spend():
        deal = beliefs.sample()
        for name, play in plays.items():
            totals[name] += play(deal)
    return max(totals, key=lambda name: totals[name]).split("!")[0]


def _sides(position: Position, patient: bool) -> tuple[Side, Side]:
    limit = position.knock_limit
    return Side(PATIENT if patient else limit, 3.0, 1.5), Side(limit, 1.0, 0.5)


def discards(position: Position, stakes: Stakes, legal: list[str]) -> dict[str, Play]:
    """Return the candidates of the discard phase: a knock, and the most sensible discards."""
    cards = position.cards
    plays: dict[str, Play] = {}
    if any(action.startswith("knock") for action in legal):
        left, gone = best_knock(cards, position.taken)
        plays[f"knock {CARD_NAMES[gone]}"] = lambda deal: stakes.worth(
            knock_points(stakes, cards ^ 1 << gone, deal.theirs, left)
        )
        if left == 0 or "discard " not in legal[0]:
            return plays
    free = [card for card in cards_of(cards) if f"discard {CARD_NAMES[card]}" in legal]
    side = _sides(position, False)[0]
    least = min(deadwood(cards ^ 1 << card) for card in free)
    loose = 0
    for card in free:
        if deadwood(cards ^ 1 << card) <= least + 6:
            loose |= 1 << card
    for _ in range(4):
        card = drop(loose, -1, side)
        if card < 0:
            break
        loose ^= 1 << card
        name = f"discard {CARD_NAMES[card]}"
        plays[name] = _after_discard(position, stakes, card, False)
        if position.knock_limit and least <= position.knock_limit:
            plays[name + "!gin"] = _after_discard(position, stakes, card, True)
    return plays


def _after_discard(position: Position, stakes: Stakes, card: int, patient: bool) -> Play:
    sides = _sides(position, patient)
    kept = position.cards ^ 1 << card

    def play(deal: Deal) -> float:
        return play_out(stakes, sides, (kept, deal.theirs), deal.stock, 1, card)

    return play


def draws(position: Position, stakes: Stakes, legal: list[str]) -> dict[str, Play]:
    """Return the candidates of a draw: take the discard, or not."""
    other = next(action for action in legal if action != "draw discard")
    sides = _sides(position, False)
    cards, top = position.cards, position.top
    eleven = cards | 1 << top
    best, choice = best_knock(eleven, top)
    gone = drop(unmatched(eleven), top, sides[0])
    gone = choice if gone < 0 else gone

    def take(deal: Deal) -> float:
        if best <= position.knock_limit:
            return stakes.worth(knock_points(stakes, eleven ^ 1 << choice, deal.theirs, best))
        return play_out(stakes, sides, (eleven ^ 1 << gone, deal.theirs), deal.stock, 1, gone)

    def leave(deal: Deal) -> float:
        turn = 0 if other == "draw stock" else 1
        return play_out(stakes, sides, (cards, deal.theirs), deal.stock, turn, -1)

    return {other: leave, "draw discard": take}
