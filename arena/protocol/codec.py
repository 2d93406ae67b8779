"""The one translation between the engine's values and the wire's messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from arena.engine.actions import Action, Declaration, action_text, parse_action
from arena.engine.cards import CARD_NAMES, Cards, cards_of, parse_card
from arena.engine.game import Finished, Game, Scored
from arena.engine.melds import Layoff, Meld
from arena.engine.rules import RuleSet
from arena.engine.scoring import NOBODY, Showing
from arena.engine.state import (
    DISCARD_PHASE,
    DRAW,
    FORCED_DRAW,
    NO_CARD,
    OFFER_DEALER,
    OFFER_NON_DEALER,
    SPREAD_PHASE,
    WALL,
    WALL_KNOCK,
)
from arena.engine.view import SawAction, SawDeal, SawShowdown, Sight, observe
from arena.errors import NotationError, ProtocolError
from arena.protocol.v1 import bot_pb2, game_pb2

PROTOCOL: Final = 1
"""The protocol version that this code speaks."""

PHASES: Final = {
    OFFER_NON_DEALER: game_pb2.PHASE_OFFER_NON_DEALER,
    OFFER_DEALER: game_pb2.PHASE_OFFER_DEALER,
    DRAW: game_pb2.PHASE_DRAW,
    FORCED_DRAW: game_pb2.PHASE_FORCED_DRAW,
    DISCARD_PHASE: game_pb2.PHASE_DISCARD,
    WALL: game_pb2.PHASE_WALL,
    WALL_KNOCK: game_pb2.PHASE_WALL_KNOCK,
    SPREAD_PHASE: game_pb2.PHASE_SPREAD,
}
"""The wire's phase by the engine's."""
ENGINE_PHASES: Final = {wire: phase for phase, wire in PHASES.items()}
"""The engine's phase by the wire's."""

_TEXTS: Final = tuple(action_text(action) for action in range(109))


def _names(cards: Iterable[int]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


# ---------------------------------------------------------------------- rules


def rules_message(rules: RuleSet) -> game_pb2.Rules:
    """Return the wire's form of the rules."""
    from_upcard = rules.knock_limit == "upcard"
    return game_pb2.Rules(
        name=rules.name,
        upcard_offer=rules.upcard_offer,
        knock_limit=0 if rules.knock_limit == "upcard" else rules.knock_limit,
        knock_limit_upcard=from_upcard,
        ace_upcard_gin=rules.ace_upcard == "gin",
        spades_double=rules.spades_double,
        returned_discard_legal=rules.returned_discard != "illegal",
        wall=rules.stock_end == "wall",
        swap_cap=rules.swap_cap,
        swap_cap_total=rules.swap_cap_counts == "total",
        knock_face_down=rules.knock_face_down,
        melds_declared=rules.melds == "declared",
        layoffs=rules.layoffs,
        gin_bonus=rules.gin_bonus,
        big_gin_bonus=rules.big_gin_bonus,
        undercut_bonus=rules.undercut_bonus,
        tie_nothing=rules.tie == "nothing",
        first_dealer=rules.first_dealer,
        next_dealer=rules.next_dealer,
        dealer_after_dead_hand=rules.dealer_after_dead_hand,
        target=rules.target,
        columns=rules.columns,
        game_bonus=rules.game_bonus,
        box_bonus=rules.box_bonus,
        boxes_to_winner=rules.boxes_to == "winner",
        undercut_boxes=rules.undercut_boxes,
        gin_boxes=rules.gin_boxes,
        shutout_double=rules.shutout == "double",
        settle_by_difference=rules.settlement == "difference",
        hands=rules.hands,
        dead_hand_cap=rules.dead_hand_cap,
    )


def read_rules(message: game_pb2.Rules) -> RuleSet:
    """Return the rules of a message.

    Raises:
        RuleError: a value outside its setting's range.
    """
    return RuleSet(
        name=message.name,
        upcard_offer=message.upcard_offer,
        knock_limit="upcard" if message.knock_limit_upcard else message.knock_limit,
        ace_upcard="gin" if message.ace_upcard_gin else 1,
        spades_double=message.spades_double,
        returned_discard="dead_on_second" if message.returned_discard_legal else "illegal",
        stock_end="wall" if message.wall else "dead",
        swap_cap=message.swap_cap,
        swap_cap_counts="total" if message.swap_cap_total else "in_a_row",
        knock_face_down=message.knock_face_down,
        melds="declared" if message.melds_declared else "optimal",
        layoffs=message.layoffs,
        gin_bonus=message.gin_bonus,
        big_gin_bonus=message.big_gin_bonus if message.HasField("big_gin_bonus") else None,
        undercut_bonus=message.undercut_bonus,
        tie="nothing" if message.tie_nothing else "undercut",
        first_dealer=message.first_dealer,  # type: ignore[arg-type]  # checked by RuleSet
        next_dealer=message.next_dealer,  # type: ignore[arg-type]  # checked by RuleSet
        dealer_after_dead_hand=message.dealer_after_dead_hand,  # type: ignore[arg-type]  # checked by RuleSet
        target=message.target,
        columns=message.columns,  # type: ignore[arg-type]  # checked by RuleSet
        game_bonus=message.game_bonus,
        box_bonus=message.box_bonus,
        boxes_to="winner" if message.boxes_to_winner else "each",
        undercut_boxes=message.undercut_boxes,
        gin_boxes=message.gin_boxes,
        shutout="double" if message.shutout_double else "none",
        settlement="difference" if message.settle_by_difference else "first_to_target",
        hands=message.hands if message.HasField("hands") else None,
        dead_hand_cap=message.dead_hand_cap,
    )


# ---------------------------------------------------------------------- requests


def request_message(
    game: Game,
    seat: int,
    *,
    match_id: str,
    request_id: int,
    game_number: int,
    decision: int,
    rules: game_pb2.Rules,
    time_left_ms: int,
    events: Sequence[game_pb2.Event],
) -> bot_pb2.DecisionRequest:
    """Return the request for a seat that is to act.

    Args:
        game: the game in play.
        seat: the seat to act.
        match_id: the match's id.
        request_id: number of the request in the match for this seat.
        game_number: number of the game in the match, from 0.
        decision: number of the decision in the hand, from 0.
        rules: the game's rules, translated once a match.
        time_left_ms: time left for the decision, in milliseconds; 0 for no limit.
        events: what the seat saw since it was last told.
    """
    request = bot_pb2.DecisionRequest(
        match_id=match_id,
        request_id=request_id,
        game=game_number,
        decision=decision,
        time_left_ms=time_left_ms,
        events=events,
    )
    fill_request(request, game, seat, rules)
    return request


def fill_request(request: bot_pb2.DecisionRequest, game: Game, seat: int, rules: game_pb2.Rules) -> None:
    """Write what a seat that is to act knows of the game into a request.

    The message is filled in place: building parts and copying them in takes twice as long, and
    this is the larger part of the referee's own work for a decision.
    """
    table = game.table_of(seat)
    assert table is not None, "a seat that sits out is never asked"
    seats, hand = table.seats, table.hand
    player = seats.index(seat)
    seen = observe(hand, player)
    request.hand = game.hand_number
    request.phase = PHASES[seen.phase]
    request.seat = seat
    request.opponent = seats[1 - player]
    request.dealer = seats[hand.dealer]
    request.cards.extend(_names(cards_of(seen.cards)))
    request.upcard = CARD_NAMES[seen.upcard]
    request.discard_pile.extend(_names(seen.discard_pile))
    request.own_discards.extend(_names(seen.own_discards))
    request.opponent_discards.extend(_names(seen.opponent_discards))
    request.opponent_taken.extend(_names(seen.opponent_taken))
    request.opponent_known.extend(_names(cards_of(seen.opponent_known)))
    request.stock_count = seen.stock_count
    request.knock_limit = seen.knock_limit
    request.doubled = seen.doubled
    request.scores.extend(game.race.scores)
    request.hands_won.extend(game.race.hands_won)
    request.rules.CopyFrom(rules)
    request.legal_actions.extend([_TEXTS[action] for action in seen.legal_actions])
    if seen.taken != NO_CARD:
        request.taken = CARD_NAMES[seen.taken]
    if seen.knocker_showing is not None:
        _fill_showing(request.knocker_showing, seen.knocker_showing, seats[hand.knocker])
    if seen.knock_card is not None:
        request.knock_card = CARD_NAMES[seen.knock_card]


# ---------------------------------------------------------------------- events


def event_message(sight: Sight, game_number: int) -> game_pb2.Event:
    """Return the wire's form of what a seat saw."""
    event = game_pb2.Event()
    fill_event(event, sight, game_number)
    return event


def fill_event(event: game_pb2.Event, sight: Sight, game_number: int) -> None:
    """Write what a seat saw into an event."""
    if isinstance(sight, SawAction):
        _fill_acted(event.acted, sight)
    elif isinstance(sight, SawDeal):
        _fill_dealt(event.hand_dealt, sight)
    elif isinstance(sight, SawShowdown):
        _fill_ended(event.hand_ended, sight)
    elif isinstance(sight, Scored):
        # A hand that nobody won has no winners: the message must be there all the same.
        event.hand_scored.SetInParent()
        event.hand_scored.winners.extend(sight.winners)
        event.hand_scored.scores.extend(sight.scores)
    else:
        _fill_game_ended(event.game_ended, sight, game_number)


def _fill_acted(acted: game_pb2.Acted, sight: SawAction) -> None:
    acted.seat = sight.seat
    acted.action = "knock" if sight.action is None else _TEXTS[sight.action]
    if sight.card is not None:
        acted.card = CARD_NAMES[sight.card]
    if sight.declaration is not None:
        acted.melds.extend(_melds(sight.declaration.melds))
        acted.layoffs.extend(_layoffs(sight.declaration.layoffs))


def _fill_dealt(dealt: game_pb2.HandDealt, sight: SawDeal) -> None:
    dealt.hand = sight.hand
    if sight.plan is None or sight.upcard is None:
        dealt.sits_out = True
        return
    dealt.cards.extend(_names(cards_of(sight.cards)))
    dealt.dealer = sight.plan.dealer_seat
    dealt.opponent = sight.opponent
    dealt.upcard = CARD_NAMES[sight.upcard]
    dealt.knock_limit = sight.knock_limit


def _fill_ended(ended: game_pb2.HandEnded, sight: SawShowdown) -> None:
    result, seats = sight.result, sight.plan.seats
    ended.outcome = result.outcome
    ended.dead_reason = result.dead_reason
    ended.winner = NOBODY if result.winner == NOBODY else seats[result.winner]
    ended.points = result.points
    ended.knocker = NOBODY if result.knocker == NOBODY else seats[result.knocker]
    ended.table = sight.table
    if result.knock_card is not None:
        ended.knock_card = CARD_NAMES[result.knock_card]
    if result.showings is not None:
        for showing, seat in zip(result.showings, seats, strict=True):
            _fill_showing(ended.showings.add(), showing, seat)


def _fill_game_ended(ended: game_pb2.GameEnded, sight: Finished, game_number: int) -> None:
    ended.game = game_number
    ended.reason = sight.reason
    ended.winners.extend(sight.settlement.winners)
    ended.totals.extend(sight.settlement.totals)
    ended.ranks.extend(sight.settlement.ranks)
    ended.forfeited_by = -1 if sight.forfeited_by is None else sight.forfeited_by


def _fill_showing(message: game_pb2.Showing, showing: Showing, seat: int) -> None:
    message.seat = seat
    message.melds.extend(_melds(showing.melds))
    message.unmatched.extend(_names(cards_of(showing.unmatched)))
    message.layoffs.extend(_layoffs(showing.layoffs))
    message.deadwood = showing.deadwood


def _melds(melds: Iterable[Meld]) -> list[game_pb2.Meld]:
    return [game_pb2.Meld(cards=_names(cards_of(meld))) for meld in melds]


def _layoffs(layoffs: Iterable[Layoff]) -> list[game_pb2.Layoff]:
    return [game_pb2.Layoff(card=CARD_NAMES[layoff.card], meld=layoff.meld) for layoff in layoffs]


# ---------------------------------------------------------------------- decisions

_ACTIONS: Final = {text: action for action, text in enumerate(_TEXTS)}


def read_decision(message: bot_pb2.Decision) -> tuple[Action, Declaration | None]:
    """Return the action, and the declaration if there is one, that a bot answered.

    Raises:
        ProtocolError: no action of that text, no card of that name, a card twice in a meld.
    """
    action = _ACTIONS.get(message.action)
    if action is None:
        try:
            action, declaration = parse_action(message.action[:200])
        except NotationError as error:
            raise ProtocolError(f"Decision.action: {error}") from None
        if declaration is not None:
            raise ProtocolError("Decision.action: melds go into Decision.melds, not behind the action")
    if not message.melds and not message.layoffs:
        return action, None
    try:
        return action, Declaration(
            tuple(_read_meld(meld) for meld in message.melds[:11]),
            tuple(Layoff(parse_card(laid.card), laid.meld) for laid in message.layoffs[:11]),
        )
    except NotationError as error:
        raise ProtocolError(f"Decision.melds or layoffs: {error}") from None


def _read_meld(meld: game_pb2.Meld) -> Meld:
    mask: Cards = 0
    for name in meld.cards:
        bit = 1 << parse_card(name)
        if mask & bit:
            raise NotationError(f"{name!r} stands twice in one meld")
        mask |= bit
    return mask


def decision_message(
    match_id: str, request_id: int, action: Action, declaration: Declaration | None = None, note: str = ""
) -> bot_pb2.Decision:
    """Return the wire's form of a decision."""
    decision = bot_pb2.Decision(match_id=match_id, request_id=request_id, action=_TEXTS[action], note=note)
    if declaration is not None:
        decision.melds.extend(_melds(declaration.melds))
        decision.layoffs.extend(_layoffs(declaration.layoffs))
    return decision
