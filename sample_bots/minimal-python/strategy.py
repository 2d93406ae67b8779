"""The simple policy: take what makes a meld, drop the highest deadwood, knock as soon as possible.

A card is a number, suit * 13 + rank, with suits and ranks in the order of the two strings below; a
set of cards is an ``int`` with one bit a card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.protocol.v1.bot_pb2 import DecisionRequest
from arena.protocol.v1.game_pb2 import PHASE_DISCARD, PHASE_WALL, PHASE_WALL_KNOCK

RANKS = "A23456789TJQK"
SUITS = "CDHS"
ONE_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39


def choose(request: DecisionRequest) -> str:
    """Return one of the request's legal actions."""
    legal = list(request.legal_actions)
    if request.phase in (PHASE_DISCARD, PHASE_WALL_KNOCK):
        if "big gin" in legal:
            return "big gin"
        knocks = [action for action in legal if action.startswith("knock")]
        return least_deadwood(request.cards, knocks or legal)
    if len(legal) == 1:
        return legal[0]
    # At the wall the last discard may be taken only to knock, so taking it ends the hand.
    if request.phase == PHASE_WALL or makes_meld(request.cards, request.discard_pile[-1]):
        return "draw discard"
    return "draw stock" if "draw stock" in legal else "pass"


def makes_meld(cards: Iterable[str], offered: str) -> bool:
    """Return whether some set or run can be made of the offered card and the own ones."""
    card = number(offered)
    held = mask(cards) | 1 << card
    if (held & ONE_RANK << card % 13).bit_count() >= 3:
        return True
    suit, rank = held >> card - card % 13 & 0x1FFF, card % 13
    runs = suit & suit >> 1 & suit >> 2
    return bool((runs | runs << 1 | runs << 2) >> rank & 1)


def least_deadwood(cards: Iterable[str], actions: Sequence[str]) -> str:
    """Return the discard or knock that leaves the least deadwood.

    Of those that leave equally little: the card worth most points, then of the highest rank, then of
    the highest suit.
    """
    hand = mask(cards)

    def order(action: str) -> tuple[int, int, int, int]:
        card = number(action.split()[1])
        return (deadwood(hand ^ 1 << card), -points(card), -(card % 13), -(card // 13))

    return min(actions, key=order)


def deadwood(cards: int) -> int:
    """Return the least deadwood points over all ways to meld the cards.

    The lowest card is unmatched, or the start of a run, or in a set: each is tried with what is left.
    """
    if not cards:
        return 0
    lowest = cards & -cards
    card = lowest.bit_length() - 1
    best = points(card) + deadwood(cards ^ lowest)
    run = lowest
    for following in range(card + 1, card - card % 13 + 13):
        if not cards >> following & 1:
            break
        run |= 1 << following
        if run.bit_count() >= 3:
            best = min(best, deadwood(cards ^ run))
    same_rank = cards & ONE_RANK << card % 13
    if same_rank.bit_count() >= 3:
        best = min(best, deadwood(cards ^ same_rank))
    if same_rank.bit_count() == 4:
        for other in range(card + 13, 52, 13):
            best = min(best, deadwood(cards ^ same_rank ^ 1 << other))
    return best


def points(card: int) -> int:
    """Return a card's deadwood points: ace 1, number cards their face, J Q K 10."""
    return min(card % 13 + 1, 10)


def number(name: str) -> int:
    """Return the number of a card written as in ``7D``."""
    return SUITS.index(name[1]) * 13 + RANKS.index(name[0])


def mask(cards: Iterable[str]) -> int:
    """Return the set of some cards written as in ``7D``."""
    return sum(1 << number(card) for card in cards)
