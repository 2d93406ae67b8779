"""Playing a hand with all cards open to its end by a quick policy for both sides.

The policy takes the top discard if it makes a meld, knocks as soon as it can, and otherwise drops
the unmatched card with the most points, less a credit for each card that could still grow a meld
with it. A few microseconds a turn: deadwood is only worked out again when a meld changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from hands import NO_CARD, RANK, best_discard, makes_meld, melds_of, unmatched
from stakes import Stakes

from arena.engine.cards import POINTS, cards_of
from arena.engine.melds import deadwood, defence_deadwood

STOCK_LEFT_AT_END: Final = 2
SWAPS_MAX: Final = 6
"""Draws from the discard pile in a row after which the policy draws from the stock."""


def _close(card: int) -> int:
    """Return the cards that are next to a card in its suit or share its rank."""
    rank, suit = card % 13, card - card % 13
    beside = sum(1 << suit + near for near in (rank - 1, rank + 1) if 0 <= near < 13)
    return beside | RANK << rank & ~(1 << card)


def _gapped(card: int) -> int:
    """Return the cards two steps from a card in its suit."""
    rank, suit = card % 13, card - card % 13
    return sum(1 << suit + near for near in (rank - 2, rank + 2) if 0 <= near < 13)


_CLOSE: Final = tuple(map(_close, range(52)))
_GAPPED: Final = tuple(map(_gapped, range(52)))
_WORTH: Final = tuple(sum(1 << card for card in range(52) if POINTS[card] == points) for points in range(11))
"""The cards worth so many points."""
_WORTH_AT_LEAST: Final = tuple(sum(_WORTH[points:]) for points in range(11))


class Side(NamedTuple):
    """How one side plays a rollout."""

    knock_at: int
    """Most deadwood that it knocks with: the knock limit, or less to play for more."""
    close_credit: float = 0.0
    """Points that a neighbour or a card of the same rank is worth in keeping a card."""
    gap_credit: float = 0.0
    """Points that a card two steps off in the suit is worth."""


def dearest(cards: int) -> int:
    """Return one of the cards worth most points; there must be one."""
    points = 10
    while not cards & _WORTH[points]:
        points -= 1
    return (cards & _WORTH[points]).bit_length() - 1


def drop(left: int, side: Side) -> int:
    """Return the card that a side discards of its unmatched ones; there must be one."""
    close, gap = side.close_credit, side.gap_credit
    if not close:
        return dearest(left)
    best, choice = -1000.0, NO_CARD
    for card in cards_of(left):
        score = (
            POINTS[card]
            - close * (left & _CLOSE[card]).bit_count()
            - gap * (left & _GAPPED[card]).bit_count()
        )
        if score >= best:
            best, choice = score, card
    return choice


def play_out(
    stakes: Stakes,
    sides: tuple[Side, Side],
    hands: tuple[int, int],
    stock: Sequence[int],
    turn: int,
    top: int,
) -> float:
    """Play on from the start of a turn and return what the hand is worth to side 0.

    Args:
        stakes: what the end of the hand is worth.
        sides: how the two play.
        hands: their ten cards each.
        stock: the stock, drawn from its end.
        turn: who is to draw, 0 or 1.
        top: the discard that may be taken, or :data:`NO_CARD`.
    """
    # One long function: a call for each turn would cost as much as the turn.
    cards, other = hands[turn], hands[1 - turn]
    side, other_side = sides[turn], sides[1 - turn]
    left, other_left = unmatched(cards), unmatched(other)
    points, other_points = deadwood(cards), deadwood(other)
    place = len(stock)
    swaps = 0
    while True:
        if top != NO_CARD and swaps < SWAPS_MAX and makes_meld(cards | 1 << top, top):
            card = taken = top
            melded = True
            swaps += 1
        else:
            if place <= STOCK_LEFT_AT_END:
                return stakes.dead
            place -= 1
            swaps = 0
            card, taken = stock[place], NO_CARD
            melded = makes_meld(cards | 1 << card, card)
        cards |= 1 << card
        if melded:
            points = deadwood(cards)
            if points - 10 <= side.knock_at:
                least, choice = best_discard(cards, taken)
                if least <= side.knock_at:
                    return _showdown(stakes, turn, cards ^ 1 << choice, other, least)
            left = unmatched(cards)
            free = left & ~(1 << taken) if taken != NO_CARD else left
            if not free:
                gone = best_discard(cards, taken)[1]
                cards ^= 1 << gone
                left, points = unmatched(cards), deadwood(cards)
            else:
                gone = drop(free, side)
                cards ^= 1 << gone
                left ^= 1 << gone
                points -= POINTS[gone]
        else:
            left |= 1 << card
            points += POINTS[card]
            excess = points - side.knock_at
            if excess <= 10 and left & _WORTH_AT_LEAST[excess if excess > 0 else 0]:
                gone = dearest(left)
                return _showdown(stakes, turn, cards ^ 1 << gone, other, points - POINTS[gone])
            gone = drop(left, side)
            cards ^= 1 << gone
            left ^= 1 << gone
            points -= POINTS[gone]
        if place <= STOCK_LEFT_AT_END:
            return stakes.dead
        top = gone
        turn = 1 - turn
        cards, other = other, cards
        left, other_left = other_left, left
        points, other_points = other_points, points
        side, other_side = other_side, side


def _showdown(stakes: Stakes, knocker: int, shown: int, defender: int, left: int) -> float:
    """Return what a knock with some deadwood is worth to side 0."""
    points = knock_points(stakes, shown, defender, left)
    return stakes.worth(points if knocker == 0 else -points)


def knock_points(stakes: Stakes, shown: int, defender: int, left: int) -> int:
    """Return a knock's points for the knocker, negative if it is undercut.

    Args:
        stakes: the bonuses in force.
        shown: the knocker's ten cards.
        defender: the other's ten.
        left: the knocker's deadwood.
    """
    if left == 0:
        return deadwood(defender) + stakes.gin_bonus
    theirs = defence_deadwood(melds_of(shown), defender) if stakes.layoffs else deadwood(defender)
    if theirs > left or (theirs == left and stakes.tie_nothing):
        return theirs - left
    return theirs - left - stakes.undercut_bonus
