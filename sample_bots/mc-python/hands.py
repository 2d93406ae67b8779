"""What a rollout asks of a hand many thousand times a second; cards and masks are the engine's."""

from __future__ import annotations

from typing import Final

from arena.engine.cards import POINTS, SUIT_POINTS, cards_of
from arena.engine.melds import arrange, deadwood

NO_CARD: Final = -1
RANK: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""The four aces; shifted by a rank, the four cards of that rank."""
_RANK_OF: Final = tuple(card % 13 for card in range(52))
_SUIT_SHIFT: Final = tuple(card - card % 13 for card in range(52))


def _in_runs_table() -> list[int]:
    """The cards that stand in at least one run, for each subset of a suit."""
    table = []
    for mask in range(8192):
        middles = mask & mask << 1 & mask >> 1
        table.append((middles | middles << 1 | middles >> 1) & 8191)
    return table


def _left_table() -> list[int]:
    """The cards that the best runs leave unmatched, for each subset of a suit."""
    table = [0] * 8192
    for mask in range(1, 8192):
        low = mask & -mask
        best = table[mask ^ low] | low
        run, top = low, low << 1
        while mask & top:
            run |= top
            top <<= 1
            if run.bit_count() >= 3 and SUIT_POINTS[table[mask ^ run]] < SUIT_POINTS[best]:
                best = table[mask ^ run]
        table[mask] = best
    return table


_IN_RUNS: Final = _in_runs_table()
_LEFT: Final = _left_table()
_SETS: Final = tuple(
    tuple(suits for suits in (15, 14, 13, 11, 7) if suits & have == suits) for have in range(16)
)
"""The sets, as four suit bits, that can be made of one rank's cards, by the suits held."""


def makes_meld(cards: int, card: int) -> bool:
    """Return whether a card of a hand stands in some meld that the hand allows."""
    rank = _RANK_OF[card]
    if _IN_RUNS[cards >> _SUIT_SHIFT[card] & 8191] >> rank & 1:
        return True
    return (cards >> rank & RANK).bit_count() >= 3


def unmatched(cards: int) -> int:
    """Return the cards that an arrangement of least deadwood leaves unmatched."""
    c = cards & 8191
    d = cards >> 13 & 8191
    h = cards >> 26 & 8191
    s = cards >> 39
    sets = c & d & (h | s) | h & s & (c | d)
    if sets:
        rivals = sets & (_IN_RUNS[c] | _IN_RUNS[d] | _IN_RUNS[h] | _IN_RUNS[s])
        keep = ~(sets ^ rivals)
        c, d, h, s = c & keep, d & keep, h & keep, s & keep
        if rivals:
            return _least_left(c, d, h, s, rivals)[1]
    return _LEFT[c] | _LEFT[d] << 13 | _LEFT[h] << 26 | _LEFT[s] << 39


def _least_left(c: int, d: int, h: int, s: int, ranks: int) -> tuple[int, int]:
    """Return the least deadwood and its cards, where sets of some ranks compete with runs."""
    if not ranks:
        c, d, h, s = _LEFT[c], _LEFT[d], _LEFT[h], _LEFT[s]
        points = SUIT_POINTS[c] + SUIT_POINTS[d] + SUIT_POINTS[h] + SUIT_POINTS[s]
        return points, c | d << 13 | h << 26 | s << 39
    bit = ranks & -ranks
    rest = ranks ^ bit
    best = _least_left(c, d, h, s, rest)
    have = (1 if c & bit else 0) | (2 if d & bit else 0) | (4 if h & bit else 0) | (8 if s & bit else 0)
    for suits in _SETS[have]:
        c2 = c ^ bit if suits & 1 else c
        d2 = d ^ bit if suits & 2 else d
        h2 = h ^ bit if suits & 4 else h
        s2 = s ^ bit if suits & 8 else s
        found = _least_left(c2, d2, h2, s2, rest)
        if found < best:
            best = found
    return best


def melds_of(cards: int) -> tuple[int, ...]:
    """Return the melds of an arrangement of least deadwood."""
    melded = cards & ~unmatched(cards)
    c = melded & 8191
    d = melded >> 13 & 8191
    h = melded >> 26 & 8191
    s = melded >> 39
    sets = c & d & (h | s) | h & s & (c | d)
    if sets & (_IN_RUNS[c] | _IN_RUNS[d] | _IN_RUNS[h] | _IN_RUNS[s]):
        return arrange(cards).melds
    melds: list[int] = []
    while sets:
        rank = (sets & -sets).bit_length() - 1
        melds.append(melded & RANK << rank)
        melded &= ~(RANK << rank)
        sets &= sets - 1
    while melded:
        low = melded & -melded
        # Adding the lowest card carries through its run, but a run ends with its suit.
        suit = (low.bit_length() - 1) // 13
        run = melded & ~(melded + low) & 8191 << 13 * suit
        melds.append(run)
        melded ^= run
    return tuple(melds)


def best_discard(cards: int, taken: int) -> tuple[int, int]:
    """Return the least deadwood that one discard leaves, and that discard.

    Args:
        cards: eleven cards.
        taken: the one of them that may not be discarded, or :data:`NO_CARD`.
    """
    best, choice = 1000, NO_CARD
    for card in cards_of(cards):
        if card != taken:
            left = deadwood(cards ^ 1 << card)
            if left < best or (left == best and POINTS[card] > POINTS[choice]):
                best, choice = left, card
    return best, choice
