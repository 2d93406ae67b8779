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
    table = game.table_of(seat)
    assert table is not None, "a seat that sits out is never asked"
    player = table.seats.index(seat)
    seen = observe(table.hand, player)
    request = bot_pb2.DecisionRequest(
        match_id=match_id,
        request_id=request_id,
        game=game_number,
        hand=game.hand_number,
        decision=decision,
        phase=PHASES[seen.phase],
        seat=seat,
        opponent=table.seats[1 - player],
        dealer=table.seats[table.hand.dealer],
        cards=_names(cards_of(seen.cards)),
        upcard=CARD_NAMES[seen.upcard],
        discard_pile=_names(seen.discard_pile),
        own_discards=_names(seen.own_discards),
        opponent_discards=_names(seen.opponent_discards),
        opponent_taken=_names(seen.opponent_taken),
        opponent_known=_names(cards_of(seen.opponent_known)),
        stock_count=seen.stock_count,
        knock_limit=seen.knock_limit,
        doubled=seen.doubled,
        scores=game.race.scores,
        hands_won=game.race.hands_won,
        rules=rules,
        legal_actions=[_TEXTS[action] for action in seen.legal_actions],
        time_left_ms=time_left_ms,
        events=events,
    )
    if seen.taken != NO_CARD:
        request.taken = CARD_NAMES[seen.taken]
    if seen.knocker_showing is not None:
        request.knocker_showing.CopyFrom(_showing(seen.knocker_showing, table.seats[table.hand.knocker]))
    if seen.knock_card is not None:
        request.knock_card = CARD_NAMES[seen.knock_card]
    return request


# ---------------------------------------------------------------------- events


def event_message(sight: Sight, game_number: int) -> game_pb2.Event:
    """Return the wire's form of what a seat saw."""
    if isinstance(sight, SawAction):
        return game_pb2.Event(acted=_acted(sight))
    if isinstance(sight, SawDeal):
        return game_pb2.Event(hand_dealt=_hand_dealt(sight))
    if isinstance(sight, SawShowdown):
        return game_pb2.Event(hand_ended=_hand_ended(sight))
    if isinstance(sight, Scored):
        return game_pb2.Event(hand_scored=game_pb2.HandScored(winners=sight.winners, scores=sight.scores))
    return game_pb2.Event(game_ended=_game_ended(sight, game_number))


def _acted(sight: SawAction) -> game_pb2.Acted:
    acted = game_pb2.Acted(
        seat=sight.seat,
        action="knock" if sight.action is None else _TEXTS[sight.action],
        card="" if sight.card is None else CARD_NAMES[sight.card],
    )
    if sight.declaration is not None:
        acted.melds.extend(_melds(sight.declaration.melds))
        acted.layoffs.extend(_layoffs(sight.declaration.layoffs))
    return acted


def _hand_dealt(sight: SawDeal) -> game_pb2.HandDealt:
    if sight.plan is None or sight.upcard is None:
        return game_pb2.HandDealt(hand=sight.hand, sits_out=True)
    return game_pb2.HandDealt(
        hand=sight.hand,
        cards=_names(cards_of(sight.cards)),
        dealer=sight.plan.dealer_seat,
        opponent=sight.opponent,
        upcard=CARD_NAMES[sight.upcard],
        knock_limit=sight.knock_limit,
    )


def _hand_ended(sight: SawShowdown) -> game_pb2.HandEnded:
    result, seats = sight.result, sight.plan.seats
    ended = game_pb2.HandEnded(
        outcome=result.outcome,
        dead_reason=result.dead_reason,
        winner=NOBODY if result.winner == NOBODY else seats[result.winner],
        points=result.points,
        knocker=NOBODY if result.knocker == NOBODY else seats[result.knocker],
        knock_card="" if result.knock_card is None else CARD_NAMES[result.knock_card],
        table=sight.table,
    )
    if result.showings is not None:
        ended.showings.extend(
            _showing(showing, seat) for showing, seat in zip(result.showings, seats, strict=True)
        )
    return ended


def _game_ended(sight: Finished, game_number: int) -> game_pb2.GameEnded:
    settlement = sight.settlement
    return game_pb2.GameEnded(
        game=game_number,
        reason=sight.reason,
        winners=settlement.winners,
        totals=settlement.totals,
        ranks=settlement.ranks,
        forfeited_by=-1 if sight.forfeited_by is None else sight.forfeited_by,
    )


def _showing(showing: Showing, seat: int) -> game_pb2.Showing:
    return game_pb2.Showing(
        seat=seat,
        melds=_melds(showing.melds),
        unmatched=_names(cards_of(showing.unmatched)),
        layoffs=_layoffs(showing.layoffs),
        deadwood=showing.deadwood,
    )


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
