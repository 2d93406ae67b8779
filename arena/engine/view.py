"""What a seat may see: the only place that turns the state of a game into one seat's knowledge.

:func:`observe` is the self-sufficient picture behind a decision request; :func:`news` is what has
happened, as that seat saw it, since it was last told. Hidden from a seat are the order of the
stock, the other hand but for the cards seen taken from the discard pile, a face-down knock's
discard, and the hands of a dead hand. A seat that does not play at a table learns only how that
table's hand ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from arena.engine.actions import DRAW_DISCARD, DRAW_STOCK, KNOCK, Action, Declaration
from arena.engine.cards import Card, Cards, mask_of
from arena.engine.formats import Plan
from arena.engine.game import Acted, Dealt, Finished, Game, Scored, Showed
from arena.engine.scoring import HandResult, Showing
from arena.engine.state import NO_CARD, SPREAD_PHASE, Hand, knock_limit


class Observation(NamedTuple):
    """What a player of a hand knows when it is asked to act."""

    phase: int
    cards: Cards
    """The own hand, ten or eleven cards."""
    upcard: Card
    """The first upcard of the hand."""
    discard_pile: tuple[Card, ...]
    """The discard pile, bottom to top; its top can be taken."""
    taken: Card
    """The card taken from the pile in this turn, or :data:`~arena.engine.state.NO_CARD`."""
    own_discards: tuple[Card, ...]
    """All the own discards of this hand in order, those taken by the opponent included."""
    opponent_discards: tuple[Card, ...]
    opponent_taken: tuple[Card, ...]
    """The cards that the opponent took from the pile, in order, even if discarded since."""
    opponent_known: Cards
    """The cards that the opponent is known to hold."""
    stock_count: int
    knock_limit: int
    doubled: bool
    """Whether this hand's points count double."""
    is_dealer: bool
    legal_actions: tuple[Action, ...]
    knocker_showing: Showing | None
    """In the spread phase, what the knocker has laid out."""
    knock_card: Card | None
    """In the spread phase, the knock's discard, unless it lies face down."""


def observe(hand: Hand, player: int) -> Observation:
    """Return what a player of a hand (0 or 1) knows; legal actions only if it is to act."""
    other = 1 - player
    to_act = hand.turn == player
    spreading = to_act and hand.phase == SPREAD_PHASE
    face_down = hand.rules.knock_face_down
    return Observation(
        phase=hand.phase,
        cards=hand.hands[player],
        upcard=hand.upcard,
        discard_pile=tuple(hand.discards),
        taken=hand.taken if to_act else NO_CARD,
        own_discards=tuple(hand.discarded[player]),
        opponent_discards=tuple(hand.discarded[other]),
        opponent_taken=tuple(hand.took[other]),
        opponent_known=hand.known[other],
        stock_count=hand.back - hand.front,
        knock_limit=hand.knock_limit,
        doubled=hand.doubled,
        is_dealer=hand.dealer == player,
        legal_actions=hand.legal_actions() if to_act else (),
        knocker_showing=hand.knocker_showing() if spreading else None,
        knock_card=hand.knock_card if spreading and not face_down and hand.knock_card >= 0 else None,
    )


@dataclass(frozen=True, slots=True)
class SawDeal:
    """A hand began."""

    hand: int
    table: int
    plan: Plan | None
    """Who plays at the own table and who deals; none for a seat that sits this hand out."""
    cards: Cards
    """The ten cards dealt to this seat; none if it sits out."""
    upcard: Card | None
    knock_limit: int
    opponent: int = -1
    """The seat played against; -1 for a seat that sits out."""


class SawAction(NamedTuple):
    """A player at the own table acted."""

    seat: int
    action: Action | None
    """The action; none for a knock whose discard lies face down."""
    card: Card | None
    """The card drawn, where this seat saw it."""
    declaration: Declaration | None


@dataclass(frozen=True, slots=True)
class SawShowdown:
    """A table's hand ended."""

    table: int
    plan: Plan
    result: HandResult
    """With the cards as this seat saw them: none of another table's or of a dead hand."""


Sight = SawDeal | SawAction | SawShowdown | Scored | Finished
"""A record as one seat saw it."""


def news(game: Game, seat: int, since: int = 0) -> list[Sight]:
    """Return what a seat saw of a game's records from number ``since`` on."""
    seen: list[Sight] = []
    for record in game.records[since:]:
        if isinstance(record, Acted):
            if seat in record.seats:
                seen.append(_saw_action(game, seat, record))
        elif isinstance(record, Dealt):
            seen.append(_saw_deal(game, seat, record))
        elif isinstance(record, Showed):
            seen.append(_saw_showdown(game, seat, record))
        else:
            seen.append(record)
    return seen


def _saw_deal(game: Game, seat: int, dealt: Dealt) -> SawDeal:
    for table, plan in enumerate(dealt.seating):
        if seat in plan.seats:
            deck = dealt.decks[table]
            cards = mask_of(deck[int(seat == plan.dealer_seat) : 20 : 2])
            limit = knock_limit(game.rules, deck[20])
            opponent = plan.seats[1 - plan.seats.index(seat)]
            return SawDeal(dealt.hand, table, plan, cards, deck[20], limit, opponent)
    return SawDeal(dealt.hand, 0, None, 0, None, 0)


def _saw_action(game: Game, seat: int, record: Acted) -> SawAction:
    own = record.seat == seat
    hidden = not own and game.rules.knock_face_down and KNOCK <= record.action < DRAW_STOCK
    return SawAction(
        record.seat,
        None if hidden else record.action,
        record.card if own or record.action == DRAW_DISCARD else None,
        record.declaration,
    )


def _saw_showdown(game: Game, seat: int, record: Showed) -> SawShowdown:
    plan, result = record.plan, record.result
    if seat not in plan.seats:
        result = replace(result, knock_card=None, showings=None)
    elif game.rules.knock_face_down and result.knocker >= 0 and plan.seats[result.knocker] != seat:
        result = replace(result, knock_card=None)
    return SawShowdown(record.table, plan, result)
