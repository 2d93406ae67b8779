"""Exhaustive search for the least deadwood and for the defender's joint optimum.

Independent of :mod:`arena.engine.melds`: no tables of runs, no reasoning about which sets compete.
Every way to use the lowest card is tried (unmatched, or in each meld that begins with it), and
every order in which cards can be laid off is walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

SUITS = 4
RANKS = 13


def _bit(suit: int, rank: int) -> int:
    return 1 << suit * RANKS + rank


def all_melds() -> list[int]:
    """Return all sets, and all runs of up to five cards (longer ones are made of these)."""
    found = []
    for rank in range(RANKS):
        four = [_bit(suit, rank) for suit in range(SUITS)]
        found.append(sum(four))
        found.extend(sum(four) - one for one in four)
    for suit in range(SUITS):
        for length in (3, 4, 5):
            for low in range(RANKS - length + 1):
                found.append(sum(_bit(suit, rank) for rank in range(low, low + length)))
    return found


def _by_lowest_card() -> dict[int, list[int]]:
    """Return the melds by the bit of their lowest card."""
    melds = all_melds()
    assert len(melds) == 13 * 5 + 4 * (11 + 10 + 9)
    return {1 << card: [meld for meld in melds if meld & -meld == 1 << card] for card in range(52)}


BY_LOWEST = _by_lowest_card()
POINT = {1 << card: min(card % RANKS + 1, 10) for card in range(52)}


def least_deadwood(cards: int) -> int:
    """Return the least deadwood points, each use of each card tried."""
    if not cards:
        return 0
    low = cards & -cards
    best = POINT[low] + least_deadwood(cards ^ low)
    for meld in BY_LOWEST[low]:
        if meld & cards == meld:
            best = min(best, least_deadwood(cards ^ meld))
    return best


@cache
def fitting(meld: int) -> int:
    """Return the cards that can be laid off on a meld as it lies on the table."""
    members = [card for card in range(52) if meld >> card & 1]
    low, high = members[0], members[-1]
    if low // RANKS != high // RANKS:
        return sum(_bit(suit, low % RANKS) for suit in range(SUITS)) & ~meld
    below = 1 << low - 1 if low % RANKS > 0 else 0
    above = 1 << high + 1 if high % RANKS < RANKS - 1 else 0
    return below | above


def least_after_layoffs(knocker_melds: Sequence[int], cards: int) -> int:
    """Return the defender's least deadwood over all sequences of layoffs and all own melds."""
    start = (tuple(knocker_melds), cards)
    best = least_deadwood(cards)
    seen = {start}
    waiting = [start]
    while waiting:
        table, held = waiting.pop()
        for index, meld in enumerate(table):
            cards_that_fit = fitting(meld) & held
            while cards_that_fit:
                card = cards_that_fit & -cards_that_fit
                cards_that_fit ^= card
                after = ((*table[:index], meld | card, *table[index + 1 :]), held ^ card)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
                    best = min(best, least_deadwood(after[1]))
    return best
