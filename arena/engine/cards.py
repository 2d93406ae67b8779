"""Cards as small integers and hands as 52-bit masks.

A card is ``suit * 13 + rank`` (0..51) with suits in the order clubs, diamonds, hearts, spades and
ranks ace (0) to king (12), ace low. A set of cards is an ``int`` whose bit ``card`` is set, so that
union, difference and membership are single machine operations.
"""

from __future__ import annotations

from typing import Final

from arena.errors import NotationError

Card = int
"""A card: ``suit * 13 + rank``, 0..51."""
Cards = int
"""A set of cards: a 52-bit mask."""

RANKS: Final = "A23456789TJQK"
"""Rank letters in ascending order, ace low."""
SUITS: Final = "CDHS"
"""Suit letters: clubs, diamonds, hearts, spades."""
SUIT_SYMBOLS: Final = "♣♦♥♠"
"""Suit symbols in the order of :data:`SUITS`."""

FULL_DECK: Final = (1 << 52) - 1
"""The mask of all 52 cards."""
SUIT_MASK: Final = (1 << 13) - 1
"""The thirteen bits of one suit, clubs in place."""

RANK_POINTS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
"""Deadwood points by rank: ace 1, number cards their face, J Q K 10."""
POINTS: Final = RANK_POINTS * 4
"""Deadwood points by card."""


def _suit_points_table() -> list[int]:
    """Total points of each of the 8192 subsets of a suit."""
    table = [0] * 8192
    for mask in range(1, 8192):
        table[mask] = table[mask & (mask - 1)] + RANK_POINTS[(mask & -mask).bit_length() - 1]
    return table


def _suit_cards_tables() -> list[list[tuple[int, ...]]]:
    """For each suit, the cards of each of its 8192 subsets in ascending order."""
    tables: list[list[tuple[int, ...]]] = []
    for suit in range(4):
        table: list[tuple[int, ...]] = [()] * 8192
        base = suit * 13 - 1
        for mask in range(1, 8192):
            table[mask] = (base + (mask & -mask).bit_length(), *table[mask & (mask - 1)])
        tables.append(table)
    return tables


SUIT_POINTS: Final = _suit_points_table()
"""Total points of a suit's 13-bit mask."""
_CLUBS, _DIAMONDS, _HEARTS, _SPADES = _suit_cards_tables()


def cards_of(cards: Cards) -> tuple[Card, ...]:
    """Return the cards of a mask in ascending order.

    >>> cards_of(0b101)
    (0, 2)
    """
    return (
        _CLUBS[cards & 8191]
        + _DIAMONDS[cards >> 13 & 8191]
        + _HEARTS[cards >> 26 & 8191]
        + _SPADES[cards >> 39]
    )


def mask_of(cards: list[Card] | tuple[Card, ...]) -> Cards:
    """Return the mask of some cards.

    >>> mask_of((0, 2))
    5
    """
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def points_of(cards: Cards) -> int:
    """Return the deadwood points of all cards of a mask, melds not considered.

    >>> points_of(parse_cards("AS TD KH"))
    21
    """
    return (
        SUIT_POINTS[cards & 8191]
        + SUIT_POINTS[cards >> 13 & 8191]
        + SUIT_POINTS[cards >> 26 & 8191]
        + SUIT_POINTS[cards >> 39]
    )


def card_name(card: Card) -> str:
    """Return a card's two-letter name, rank then suit.

    >>> card_name(0), card_name(51)
    ('AC', 'KS')
    """
    return CARD_NAMES[card]


CARD_NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Two-letter names by card."""
_CARD_BY_NAME: Final = {name: card for card, name in enumerate(CARD_NAMES)}


def parse_card(text: str) -> Card:
    """Return the card that a name such as ``7D``, ``td`` or ``10d`` stands for.

    Raises:
        NotationError: the text names no card.
    """
    name = text.strip().upper()
    card = _CARD_BY_NAME.get("T" + name[2:] if name.startswith("10") else name)
    if card is None:
        raise NotationError(f"{text!r} is no card: write a rank (A 2-9 T J Q K) and a suit (C D H S), as 7D")
    return card


def cards_text(cards: Cards) -> str:
    """Return the names of a mask's cards in ascending order, separated by spaces.

    >>> cards_text(parse_cards("KS AC"))
    'AC KS'
    """
    return " ".join(CARD_NAMES[card] for card in cards_of(cards))


def parse_cards(text: str) -> Cards:
    """Return the mask of the cards named in a text, separated by spaces or commas.

    Raises:
        NotationError: a word names no card, or a card stands twice.
    """
    mask = 0
    for word in text.replace(",", " ").split():
        bit = 1 << parse_card(word)
        if mask & bit:
            raise NotationError(f"{word!r} stands twice in {text!r}")
        mask |= bit
    return mask
