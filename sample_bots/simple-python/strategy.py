"""The simple policy: take what makes a meld, drop the highest deadwood, knock as soon as possible.

Every ``simple-*`` sample bot plays by these rules, ties included, so that all of them give the same
answer to the same request:

1. Offered the upcard or the top discard: take it if some set or run can be made of it and the own
   cards; else draw from the stock, or pass.
2. Holding eleven cards: declare big gin if it is legal; else knock if it is legal, with the discard
   that leaves the least deadwood; else discard what leaves the least deadwood.
3. Of discards that leave equally little take the one worth most points, then the highest rank, then
   the highest suit in the order clubs, diamonds, hearts, spades.
4. At the wall take the last discard if it is legal, which means that a knock follows; else pass.
   At the showdown spread, and let the referee find the best melds and layoffs.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.bot import Phase, Request
from arena.engine.cards import POINTS, parse_card, parse_cards
from arena.engine.melds import deadwood, melds_in


def choose(request: Request) -> str:
    """Return the simple policy's action for a request."""
    legal = list(request.legal_actions)
    if request.phase in (Phase.PHASE_DISCARD, Phase.PHASE_WALL_KNOCK):
        if "big gin" in legal:
            return "big gin"
        knocks = [action for action in legal if action.startswith("knock")]
        return least_deadwood(request.cards, knocks or legal)
    if len(legal) == 1:
        return legal[0]
    if request.phase == Phase.PHASE_WALL or makes_meld(request.cards, request.discard_pile[-1]):
        return "draw discard"
    return "draw stock" if "draw stock" in legal else "pass"


def makes_meld(cards: Sequence[str], offered: str) -> bool:
    """Return whether some set or run can be made of the offered card and the own ones."""
    card = parse_card(offered)
    return any(meld >> card & 1 for meld in melds_in(parse_cards(" ".join(cards)) | 1 << card))


def least_deadwood(cards: Sequence[str], actions: Sequence[str]) -> str:
    """Return the action, each a discard or a knock, whose discard leaves the least deadwood."""
    hand = parse_cards(" ".join(cards))

    def order(action: str) -> tuple[int, int, int, int]:
        card = parse_card(action.split()[-1])
        return (deadwood(hand ^ (1 << card)), -POINTS[card], -(card % 13), -(card // 13))

    return min(actions, key=order)
