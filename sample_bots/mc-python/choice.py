"""The decision: which actions are worth a thought, and what each is worth in one sample."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

from beliefs import Beliefs, Deal
from budget import Budget
from hands import best_discard
from outlook import cost
from position import Position, read_position
from race import Candidate, race
from rollout import Side, knock_points, play_out
from stakes import Stakes, read_stakes

from arena.bot import Phase, Request
from arena.engine.cards import CARD_NAMES, cards_of, mask_of
from arena.engine.melds import deadwood

CANDIDATES: Final = 4
"""Most discards that are played out."""
WINDOW: Final = 6.0
"""Points by which a candidate may look worse at a glance than the best."""


class Player:
    """Plays one match; remembers its beliefs from one decision of a hand to the next.

    Args:
        rng: the source of all chance.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._hand = (-1, -1)
        self._beliefs: Beliefs | None = None

    def choose(self, request: Request, budget: Budget) -> str:
        """Return the legal action that did best in the samples."""
        legal = list(request.legal_actions)
        if len(legal) == 1:
            return legal[0]
        if "big gin" in legal:
            return "big gin"
        if request.phase == Phase.PHASE_WALL:
            return "draw discard"
        position = read_position(request)
        candidates = find_candidates(request, position)
        if len(candidates) == 1:
            return candidates[0].action
        return race(candidates, self._believe(request, position), budget)

    def _believe(self, request: Request, position: Position) -> Beliefs:
        hand = (request.game, request.hand)
        before = self._beliefs if hand == self._hand else None
        self._hand = hand
        self._beliefs = Beliefs(position, self._rng, before)
        return self._beliefs


def find_candidates(request: Request, position: Position) -> list[Candidate]:
    """Return the actions worth a thought in a request."""
    legal = list(request.legal_actions)
    stakes = read_stakes(request)
    if request.phase in (Phase.PHASE_DISCARD, Phase.PHASE_WALL_KNOCK):
        return discards(position, stakes, legal)
    return draws(position, stakes, legal)


def _sides(position: Position, own_limit: int) -> tuple[Side, Side]:
    return Side(own_limit, 2.0, 1.0), Side(position.knock_limit, 0.0, 0.0)


def discards(position: Position, stakes: Stakes, legal: list[str]) -> list[Candidate]:
    """Return the candidates of the discard phase: a knock, and the most sensible discards."""
    candidates: list[Candidate] = []
    if any(action.startswith("knock") for action in legal):
        candidates.append(_knock(position, stakes))
        left = deadwood(position.cards ^ 1 << best_discard(position.cards, position.taken)[1])
        if left == 0 or not legal[0].startswith("discard"):
            return candidates
    for card, looks in sensible_discards(position)[: CANDIDATES if not candidates else 2]:
        candidates.append(_discard(position, stakes, card, looks, position.knock_limit))
        if len(candidates) > 1 and candidates[0].action.startswith("knock"):
            candidates.append(_discard(position, stakes, card, looks, 0))
    return candidates


def sensible_discards(position: Position) -> list[tuple[int, float]]:
    """Return the discards that look best, with how much worse than the best of them they look."""
    unseen = mask_of(position.unseen)
    costs = sorted(
        (cost(position.cards ^ 1 << card, unseen), -(card % 13), -card)
        for card in cards_of(position.cards)
        if card != position.taken
    )
    least = costs[0][0]
    return [(-card, looks - least) for looks, _, card in costs if looks - least <= WINDOW]


def _knock(position: Position, stakes: Stakes) -> Candidate:
    left, gone = best_discard(position.cards, position.taken)
    shown = position.cards ^ 1 << gone

    def play(deal: Deal) -> float:
        return stakes.worth(knock_points(stakes, shown, deal.theirs, left))

    return Candidate(f"knock {CARD_NAMES[gone]}", play, 0.0)


def _discard(position: Position, stakes: Stakes, card: int, looks: float, own_limit: int) -> Candidate:
    sides = _sides(position, own_limit)
    kept = position.cards ^ 1 << card

    def play(deal: Deal) -> float:
        return play_out(stakes, sides, (kept, deal.theirs), deal.stock, 1, card)

    return Candidate(f"discard {CARD_NAMES[card]}", play, looks)


def draws(position: Position, stakes: Stakes, legal: list[str]) -> list[Candidate]:
    """Return the candidates of a draw: take the discard, or not."""
    other = next(action for action in legal if action != "draw discard")
    turn = 0 if other == "draw stock" else 1
    sides = _sides(position, position.knock_limit)

    def leave(deal: Deal) -> float:
        return play_out(stakes, sides, (position.cards, deal.theirs), deal.stock, turn, -1)

    looks = cost(position.cards, mask_of(position.unseen))
    return [_take(position, stakes, looks), Candidate(other, leave, 0.0)]


def _take(position: Position, stakes: Stakes, looks: float) -> Candidate:
    """Return the taking of the discard, followed by the knock or the discard that looks best."""
    eleven = position.cards | 1 << position.top
    left, _gone = best_discard(eleven, position.top)
    after = replace(position, cards=eleven, taken=position.top)
    if left <= position.knock_limit:
        return Candidate("draw discard", _knock(after, stakes).play, 0.0)
    card, _ = sensible_discards(after)[0]
    gain = cost(eleven ^ 1 << card, mask_of(position.unseen)) - looks
    return Candidate("draw discard", _discard(after, stakes, card, 0.0, position.knock_limit).play, gain)
