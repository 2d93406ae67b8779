"""Playing a hand with all cards open to its end by a quick policy for both sides.

The policy takes the top discard if it makes a meld, knocks as soon as it can, and otherwise drops
the unmatched card with the most points, less a credit for each card that could still grow a meld
with it. A few microseconds a turn: deadwood is only worked out again when a meld changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from stakes import Stakes

from arena.engine.cards import POINTS, cards_of
from arena.engine.melds import arrange, deadwood, defence_deadwood

_RANK: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
_RANK_OF: Final = tuple(card % 13 for card in range(52))
_SUIT_SHIFT: Final = tuple(card - card % 13 for card in range(52))
STOCK_LEFT_AT_END: Final = 2
SWAPS_MAX: Final = 6
"""Draws from the discard pile in a row after which the policy draws from the stock."""


def _in_runs() -> list[int]:
    table = []
    for mask in range(8192):
        middles = mask & mask << 1 & mask >> 1
        table.append((middles | middles << 1 | middles >> 1) & 8191)
    return table


_IN_RUNS: Final = _in_runs()


def _close(card: int) -> int:
    """Return the cards that are next to a card in its suit or share its rank."""
    rank, suit = card % 13, card - card % 13
    mates = _RANK << rank
    for near in (rank - 1, rank + 1):
        if 0 <= near < 13:
            mates |= 1 << suit + near
    return mates & ~(1 << card)


def _gapped(card: int) -> int:
    """Return the cards two steps from a card in its suit."""
    rank, suit = card % 13, card - card % 13
    return sum(1 << suit + near for near in (rank - 2, rank + 2) if 0 <= near < 13)


CLOSE: Final = tuple(map(_close, range(52)))
GAPPED: Final = tuple(map(_gapped, range(52)))


def makes_meld(cards: int, card: int) -> bool:
    """Return whether a card of a hand stands in some meld that the hand allows."""
    rank = _RANK_OF[card]
    if (cards >> rank & _RANK).bit_count() >= 3:
        return True
    return bool(_IN_RUNS[cards >> _SUIT_SHIFT[card] & 8191] >> rank & 1)


class Side(NamedTuple):
    """How one side plays a rollout."""

    knock_at: int
    """Most deadwood that it knocks with: the knock limit, or less to play for more."""
    close_credit: float
    """Points that a neighbour or a card of the same rank is worth in keeping a card."""
    gap_credit: float


_unmatched: dict[int, int] = {}


def unmatched(cards: int) -> int:
    """Return the cards that the best arrangement of a hand leaves unmatched."""
    left = _unmatched.get(cards)
    if left is None:
        if len(_unmatched) > 200_000:
            _unmatched.clear()
        left = _unmatched[cards] = arrange(cards).unmatched
    return left


def best_knock(cards: int, taken: int) -> tuple[int, int]:
    """Return the least deadwood that one discard leaves, and that discard."""
    best, choice = 1000, -1
    for card in cards_of(cards):
        if card != taken:
            left = deadwood(cards ^ 1 << card)
            if left < best or (left == best and POINTS[card] > POINTS[choice]):
                best, choice = left, card
    return best, choice


def drop(left: int, taken: int, side: Side) -> int:
    """Return the unmatched card that a side discards; -1 if there is none that it may."""
    best, choice = -1000.0, -1
    close, gap = side.close_credit, side.gap_credit
    for card in cards_of(left):
        if card != taken:
            score = (
                POINTS[card]
                - close * (left & CLOSE[card]).bit_count()
                - gap * (left & GAPPED[card]).bit_count()
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
        top: the discard that may be taken, or -1.
    """
    cards = hands[turn]
    other = hands[1 - turn]
    side, other_side = sides[turn], sides[1 - turn]
    left, other_left = unmatched(cards), unmatched(other)
    points, other_points = deadwood(cards), deadwood(other)
    place = len(stock)
    swaps = 0
    while True:
        taken = -1
        if top >= 0 and swaps < SWAPS_MAX and makes_meld(cards | 1 << top, top):
            card = taken = top
            melded = True
            swaps += 1
        else:
            if place <= STOCK_LEFT_AT_END:
                return stakes.dead
            place -= 1
            swaps = 0
            card = stock[place]
            melded = makes_meld(cards | 1 << card, card)
        cards |= 1 << card
        if melded:
            best, choice = best_knock(cards, taken)
            if best <= side.knock_at:
                return _showdown(stakes, turn, cards ^ 1 << choice, other, best)
            left = unmatched(cards)
            gone = drop(left, taken, side)
            if gone < 0:
                gone = choice
            cards ^= 1 << gone
            left = left ^ 1 << gone if left >> gone & 1 else unmatched(cards)
            points = deadwood(cards)
        else:
            left |= 1 << card
            points += POINTS[card]
            if points - 10 <= side.knock_at:
                best, choice = best_knock(cards, taken)
                if best <= side.knock_at:
                    return _showdown(stakes, turn, cards ^ 1 << choice, other, best)
            gone = drop(left, taken, side)
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
    """Return a knock's points for the knocker, negative if it is undercut."""
    if left == 0:
        return deadwood(defender) + stakes.gin_bonus
    theirs = defence_deadwood(arrange(shown).melds, defender) if stakes.layoffs else deadwood(defender)
    if theirs > left:
        return theirs - left
    return 0 if theirs == left and stakes.tie_nothing else theirs - left - stakes.undercut_bonus
