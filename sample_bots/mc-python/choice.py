"""The decision: which actions are worth a thought, and what each of them is worth in one sample."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

from beliefs import Beliefs, Deal
from budget import Budget
from hands import NO_CARD, best_discard
from outlook import cost
from position import Position, read_position
from race import Candidate, race
from rollout import Side, knock_points, play_out
from stakes import Stakes, read_stakes

from arena.bot import Phase, Request
from arena.engine.cards import CARD_NAMES, cards_of, mask_of

DISCARDS: Final = 4
"""Most discards that are played out where no knock is possible."""
DISCARDS_BESIDE_KNOCK: Final = 2
"""The same where one is."""
WINDOW: Final = 6.0
"""Points by which a discard may look worse at a glance than the best."""
OWN_CREDITS: Final = (2.0, 1.0)
"""Credits of the own side in rollouts for cards next to each other and two steps apart."""
GIN_ONLY: Final = 0


class Player:
    """Plays one match; remembers its beliefs from one decision of a hand to the next.

    Args:
        rng: the source of all chance.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._hand = (-1, -1)
        self._stakes: Stakes | None = None
        self._beliefs: Beliefs | None = None

    def choose(self, request: Request, budget: Budget) -> str:
        """Return the legal action that did best in the samples."""
        if len(request.legal_actions) == 1:
            return request.legal_actions[0]
        if (request.game, request.hand) != self._hand:
            self._hand = (request.game, request.hand)
            self._stakes = self._beliefs = None
        if self._stakes is None:
            self._stakes = read_stakes(request)
        position = read_position(request)
        candidates = find_candidates(request, position, self._stakes)
        if len(candidates) == 1:
            return candidates[0].action
        self._beliefs = Beliefs(position, self._rng, self._beliefs)
        return race(candidates, self._beliefs, budget)


def find_candidates(request: Request, position: Position, stakes: Stakes) -> list[Candidate]:
    """Return the actions worth a thought in a request."""
    if request.phase == Phase.PHASE_WALL:
        return [_take(position, stakes, 0.0), Candidate("pass", lambda deal: stakes.dead, 0.0)]
    if request.phase in (Phase.PHASE_DISCARD, Phase.PHASE_WALL_KNOCK):
        return _ends(request, position, stakes) or _discards(position, stakes)
    return _draws(request, position, stakes)


def _ends(request: Request, position: Position, stakes: Stakes) -> list[Candidate]:
    """Return what there is to choose from where the hand can be ended; nothing where it cannot."""
    legal = request.legal_actions
    big_gin = [Candidate("big gin", lambda deal: 0.0, 0.0)] if "big gin" in legal else []
    if big_gin and request.rules.big_gin_bonus >= request.rules.gin_bonus:
        return big_gin
    if not any(action.startswith("knock") for action in legal):
        return big_gin
    left, gone = best_discard(position.cards, position.taken)
    knock = _knock(position, stakes, left, gone)
    if left == 0 or not legal[0].startswith("discard"):
        return [knock]
    candidates = [knock]
    for card, looks in sensible_discards(position)[:DISCARDS_BESIDE_KNOCK]:
        candidates.append(_discard(position, stakes, card, looks))
        candidates.append(_discard(position, stakes, card, looks, GIN_ONLY))
    return candidates


def _discards(position: Position, stakes: Stakes) -> list[Candidate]:
    """Return the most sensible discards."""
    return [_discard(position, stakes, card, looks) for card, looks in sensible_discards(position)[:DISCARDS]]


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


def _knock(position: Position, stakes: Stakes, left: int, gone: int) -> Candidate:
    """Return the knock that leaves so much deadwood."""
    shown = position.cards ^ 1 << gone

    def play(deal: Deal) -> float:
        return stakes.worth(knock_points(stakes, shown, deal.theirs, left))

    return Candidate(f"knock {CARD_NAMES[gone]}", play, 0.0)


def _discard(
    position: Position, stakes: Stakes, card: int, looks: float, knock_at: int | None = None
) -> Candidate:
    """Return a discard, after which the own side knocks as it can, or at another limit."""
    sides = _sides(position, knock_at)
    kept = position.cards ^ 1 << card

    def play(deal: Deal) -> float:
        return play_out(stakes, sides, (kept, deal.theirs), deal.stock, 1, card)

    return Candidate(f"discard {CARD_NAMES[card]}", play, looks)


def _sides(position: Position, knock_at: int | None = None) -> tuple[Side, Side]:
    limit = position.knock_limit
    return Side(limit if knock_at is None else knock_at, *OWN_CREDITS), Side(limit)


def _draws(request: Request, position: Position, stakes: Stakes) -> list[Candidate]:
    """Return the two draws, or the offered upcard and the pass."""
    other = next(action for action in request.legal_actions if action != "draw discard")
    turn = 0 if other == "draw stock" else 1
    sides = _sides(position)

    def leave(deal: Deal) -> float:
        return play_out(stakes, sides, (position.cards, deal.theirs), deal.stock, turn, NO_CARD)

    looks = cost(position.cards, mask_of(position.unseen))
    return [_take(position, stakes, looks), Candidate(other, leave, 0.0)]


def _take(position: Position, stakes: Stakes, looks: float) -> Candidate:
    """Return the taking of the discard, followed by the knock or the discard that looks best.

    Args:
        position: before the draw.
        stakes: what the hand is played for.
        looks: the cost of the hand as it is.
    """
    after = replace(position, cards=position.cards | 1 << position.top, taken=position.top)
    left, gone = best_discard(after.cards, after.taken)
    if left <= position.knock_limit:
        return Candidate("draw discard", _knock(after, stakes, left, gone).play, 0.0)
    card, _ = sensible_discards(after)[0]
    gain = cost(after.cards ^ 1 << card, mask_of(position.unseen)) - looks
    return Candidate("draw discard", _discard(after, stakes, card, 0.0).play, gain)
