"""How good a hand is at a glance: its deadwood, less a credit for the melds that it may still make."""

from __future__ import annotations

from typing import Final

from hands import unmatched

from arena.engine.cards import POINTS, cards_of

PAIR_CREDIT: Final = 1.0
"""Points that each live card is worth which makes a set of a pair."""
END_CREDIT: Final = 1.0
"""Points that each live card is worth which makes a run of two neighbours."""
GAP_CREDIT: Final = 1.0
"""Points that the live card is worth which closes a gap in a suit."""


def _partials() -> tuple[tuple[tuple[int, int, float], ...], ...]:
    """For each card, the higher cards that go with it: the card, the cards that make a meld, the credit."""
    table: list[tuple[tuple[int, int, float], ...]] = []
    for card in range(52):
        rank, suit = card % 13, card - card % 13
        same = [rank + 13 * other for other in range(4)]
        found = [
            (mate, sum(1 << third for third in same if third not in (card, mate)), PAIR_CREDIT)
            for mate in same
            if mate > card
        ]
        if rank < 12:
            ends = [end for end in (rank - 1, rank + 2) if 0 <= end < 13]
            found.append((card + 1, sum(1 << suit + end for end in ends), END_CREDIT))
        if rank < 11:
            found.append((card + 2, 1 << card + 1, GAP_CREDIT))
        table.append(tuple(found))
    return tuple(table)


_PARTIALS: Final = _partials()


def cost(cards: int, unseen: int) -> float:
    """Return how bad a hand of ten is, in points; ``unseen`` are the cards that may still come."""
    left = unmatched(cards)
    points = 0.0
    for card in cards_of(left):
        points += POINTS[card]
        for mate, makers, credit in _PARTIALS[card]:
            if left >> mate & 1:
                points -= credit * (unseen & makers).bit_count()
    return points
