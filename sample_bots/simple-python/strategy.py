"""The simple policy: take what makes a meld, drop the highest deadwood, knock as soon as possible.

Every ``simple-*`` sample bot plays by these rules, ties included, so that all give the same answer
to the same request:

1. Offered a discard, take it only if it would stand in a meld of some best arrangement, that is if
   the least deadwood of the eleven cards is less than that of the own ten plus the card's points.
2. Holding eleven cards, declare big gin if it is legal; else knock if it is legal, with the
   discard that leaves the least deadwood; else discard what leaves the least deadwood.
3. Of discards that leave equally little, take the one worth most points, then the highest rank,
   then the highest suit in the order clubs, diamonds, hearts, spades.
4. At the wall pass, unless taking the card is legal. At the showdown, spread.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.bot import Request
from arena.engine.cards import POINTS, parse_card, parse_cards
from arena.engine.melds import deadwood


def choose(request: Request) -> str:
    """Return the simple policy's action for a request."""
    legal = request.legal_actions
    if "big gin" in legal:
        return "big gin"
    knocks = [action for action in legal if action.startswith("knock ")]
    if knocks:
        return best_discard(request.cards, knocks)
    discards = [action for action in legal if action.startswith("discard ")]
    if discards:
        return best_discard(request.cards, discards)
    if "draw discard" in legal and (len(legal) == 1 or takes(request)):
        return "draw discard"
    return legal[0] if legal[0] != "draw discard" else legal[-1]


def takes(request: Request) -> bool:
    """Return whether the top discard would stand in a meld."""
    top = parse_card(request.discard_pile[-1])
    hand = parse_cards(" ".join(request.cards))
    if any(action == "pass" for action in request.legal_actions) and request.stock_count <= 2:
        return True
    return deadwood(hand | 1 << top) < deadwood(hand) + POINTS[top]


def best_discard(cards: Sequence[str], actions: Sequence[str]) -> str:
    """Return the action whose discard leaves the least deadwood."""
    hand = parse_cards(" ".join(cards))

    def order(action: str) -> tuple[int, int, int, int]:
        card = parse_card(action.split()[-1])
        return (deadwood(hand ^ (1 << card)), -POINTS[card], -(card % 13), -(card // 13))

    return min(actions, key=order)
