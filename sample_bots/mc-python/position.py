"""A request as numbers: what is known, what is hidden, and what the opponent has done so far.

Cards are the engine's: ``suit * 13 + rank``, sets of cards are 52-bit masks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hands import NO_CARD

from arena.bot import Phase, Request
from arena.engine.cards import FULL_DECK, cards_of, parse_card, parse_cards


class Turn(NamedTuple):
    """One finished turn of the opponent."""

    offered: int
    """The top discard when the turn began; :data:`NO_CARD` if it could not be taken."""
    took: bool
    """Whether the opponent took it."""
    discard: int


@dataclass(frozen=True, slots=True)
class Position:
    """What one request tells."""

    cards: int
    """The own hand, ten or eleven cards."""
    known: int
    """Cards that the opponent certainly holds."""
    unseen: tuple[int, ...]
    """The cards that are in the opponent's hand or in the stock, nobody but it knows which."""
    stock_count: int
    top: int
    """The top of the discard pile, or :data:`NO_CARD` while it is in a hand."""
    taken: int
    """The card taken from the pile in this turn, which may not be discarded; else :data:`NO_CARD`."""
    knock_limit: int
    turns: tuple[Turn, ...]
    """The opponent's turns, the latest last."""
    refused_upcard: int
    """The upcard, if the opponent passed it before anybody's turn; else :data:`NO_CARD`."""

    @property
    def hidden_count(self) -> int:
        """How many of the unseen cards the opponent holds."""
        return 10 - self.known.bit_count()


def read_position(request: Request) -> Position:
    """Return what a request tells."""
    cards = parse_cards(" ".join(request.cards))
    known = parse_cards(" ".join(request.opponent_known))
    pile = [parse_card(name) for name in request.discard_pile]
    seen = cards | known
    for card in pile:
        seen |= 1 << card
    legal_return = request.rules.returned_discard_legal
    return Position(
        cards=cards,
        known=known,
        unseen=cards_of(FULL_DECK & ~seen),
        stock_count=request.stock_count,
        top=pile[-1] if pile else NO_CARD,
        taken=parse_card(request.taken) if request.taken and not legal_return else NO_CARD,
        knock_limit=request.knock_limit,
        turns=opponent_turns(request),
        refused_upcard=refused_upcard(request),
    )


def opponent_turns(request: Request) -> tuple[Turn, ...]:
    """Return the opponent's turns; both sides' discards alternate, so the lists tell the order."""
    own = [parse_card(name) for name in request.own_discards]
    theirs = [parse_card(name) for name in request.opponent_discards]
    taken = [parse_card(name) for name in request.opponent_taken]
    offers = own if len(theirs) <= len(own) else [parse_card(request.upcard), *own]
    turns: list[Turn] = []
    for offered, discard in zip(offers, theirs, strict=False):
        took = bool(taken) and taken[0] == offered
        if took:
            taken.pop(0)
        turns.append(Turn(offered, took, discard))
    return tuple(turns)


def refused_upcard(request: Request) -> int:
    """Return the upcard if the opponent has passed it; :data:`NO_CARD` if it never could or took it."""
    if not request.rules.upcard_offer:
        return NO_CARD
    began = len(request.opponent_discards) > len(request.own_discards)
    if request.dealer != request.opponent:
        refused = not began or request.upcard not in request.opponent_taken[:1]
    else:
        # The dealer is asked after the non-dealer's pass; an upcard that both passed stays where it is.
        asked = request.phase not in (Phase.PHASE_OFFER_NON_DEALER, Phase.PHASE_OFFER_DEALER)
        lies = request.upcard in request.discard_pile[:1] and request.upcard not in request.own_discards
        refused = asked and lies and not began
    return parse_card(request.upcard) if refused else NO_CARD
