"""A wrong strategy on purpose: melds taken one by one, which is not always the least deadwood.

It tells which recorded requests catch a bot that melds greedily.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.engine.cards import POINTS, Cards, parse_card, parse_cards, points_of
from arena.engine.melds import melds_in


def greedy_unmatched(cards: Cards) -> int:
    """Return the deadwood left after taking, again and again, the meld worth most points."""
    while melds := melds_in(cards):
        cards ^= max(melds, key=points_of)
    return points_of(cards)


def greedy_deadwood(cards: Sequence[str], actions: Sequence[str]) -> str:
    """Return the discard or knock that the simple policy would choose if it melded greedily."""
    hand = parse_cards(" ".join(cards))
    calls = [a for a in actions if a.startswith("knock")] or [a for a in actions if a.startswith("discard")]

    def order(action: str) -> tuple[int, int, int, int]:
        card = parse_card(action.split()[1])
        return (greedy_unmatched(hand ^ 1 << card), -POINTS[card], -(card % 13), -(card // 13))

    return min(calls, key=order)
