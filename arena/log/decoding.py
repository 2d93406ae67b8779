"""The members of a line back into values; whatever does not fit is refused by name.

Members that this version does not know are passed over, so that later ones may add some.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from arena.engine.cards import parse_card, parse_cards
from arena.engine.formats import format_for
from arena.engine.melds import Layoff
from arena.engine.rules import RuleSet, rules_from_dict
from arena.engine.state import NO_CARD
from arena.errors import LogError, NotationError, RuleError, UsageError
from arena.log.lines import (
    FORMAT_NAME,
    LOG_VERSION,
    PHASES,
    Asked,
    Deal,
    DealtTable,
    Decision,
    End,
    GameEnd,
    GameStart,
    Header,
    LoggedFault,
    Score,
    SeatInfo,
    Show,
    ShownHand,
    Value,
    Void,
)
from arena.log.members import CARDS_BY_NAME, PLAIN_ACTIONS, Members, quoted
from arena.log.terminal import clean

_NUMBER: Final = "(0|[1-9][0-9]{0,14})"
_PLAIN_DECISION: Final = re.compile(
    rf'{{"type":"decision","at":"{_NUMBER}\.{_NUMBER}\.{_NUMBER}"(?:,"table":{_NUMBER})?,"seat":{_NUMBER}'
    rf',"phase":"([a-z -]+)","action":"([A-Za-z0-9 ]+)"(?:,"card":"([A-Z0-9]{{2}})")?'
    rf',"request":{_NUMBER},"time":{{"took_us":{_NUMBER}}}}}'
)
"""A decision as gin-arena writes it, without note or declaration: nine lines of ten."""
_PHASE_NUMBERS: Final = {name: phase for phase, name in enumerate(PHASES)}


def plain_decision(text: str) -> Decision | None:
    """Return a decision from its text, three times as fast as :func:`decode`; none if it is not plain."""
    found = _PLAIN_DECISION.fullmatch(text)
    if found is None:
        return None
    game, hand, number, table, seat, phase_name, action_name, card_name, request, took_us = found.groups()
    phase = _PHASE_NUMBERS.get(phase_name)
    action = PLAIN_ACTIONS.get(action_name)
    card = None if card_name is None else CARDS_BY_NAME.get(card_name, NO_CARD)
    if phase is None or action is None or card == NO_CARD:
        return None
    asked = Asked(int(request), int(number), int(took_us))
    return Decision(int(game), int(hand), asked, int(table or 0), int(seat), phase, action, None, card)


def decode(data: object) -> Value:
    """Return what a line says.

    Raises:
        LogError: it says nothing that this version understands; the message names the member.
    """
    members = Members(data)
    kind = members.text("type")
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise LogError(f"{quoted(kind)} is no type of line in log version {LOG_VERSION}")
    return decoder(members)


def decode_header(data: object) -> Header:
    """Return what the first line says.

    Raises:
        LogError: it is not the first line of a log, or one of a later version, or does not fit.
    """
    if not isinstance(data, dict) or data.get("type") != "match" or data.get("format") != FORMAT_NAME:
        raise LogError("it is no gin-arena match log: its first line does not say so")
    members = Members(data)
    version = members.integer("log_version", low=1)
    if version > LOG_VERSION:
        raise LogError(
            f"it is of log version {version}, written by a later gin-arena than this one, which reads "
            f"up to version {LOG_VERSION}: upgrade gin-arena"
        )
    return _header(members)


def _header(members: Members) -> Header:
    header = Header(
        match_id=members.text("match_id"),
        rules=_rules(members),
        format=members.text("game_format"),
        games=members.integer("games", low=1),
        pairing=members.word("pairing", ("single", "duplicate")),
        dealing=members.word("dealing", ("plain", "aligned")),
        time=members.text("time_control"),
        seats=tuple(_seat(seat) for seat in members.objects("seats")),
        commitment=members.text("commitment"),
        on_fault=members.text("on_fault"),
        started_at=members.object("time").text("started_at"),
        arena_version=members.text("arena_version"),
    )
    try:
        format_for(header.format, len(header.seats))
    except UsageError as error:
        raise LogError(f"'game_format' does not fit 'seats': {error}") from None
    return header


def _rules(members: Members) -> RuleSet:
    rules = members.object("rules")
    rules.text("name")
    try:
        return rules_from_dict(rules.raw())
    except RuleError as error:
        raise LogError(f"'rules' cannot be played by: {clean(str(error))}") from None


def _seat(members: Members) -> SeatInfo:
    return SeatInfo(
        members.text("name"),
        members.text("version"),
        members.text("language"),
        members.text("software"),
        members.text("bot_seed"),
    )


def _game_start(members: Members) -> GameStart:
    return GameStart(members.integer("game"), members.integer("pair"), members.integer("first_dealer"))


def _deal(members: Members) -> Deal:
    game, hand = members.place(2)
    tables = []
    for table in members.objects("tables"):
        seats = table.numbers("seats")
        if len(seats) != 2:
            raise LogError("a table of the deal does not have two seats")
        tables.append(DealtTable((seats[0], seats[1]), table.integer("dealer"), table.deck("deck")))
    return Deal(game, hand, tuple(tables))


def _decision(members: Members) -> Decision:
    game, hand, number = members.place(3)
    phase = PHASES.index(members.word("phase", PHASES))
    action, declaration = members.action("action")
    return Decision(
        game,
        hand,
        Asked(
            members.integer("request"),
            number,
            members.object("time").integer("took_us"),
            members.text("note", ""),
            members.flag("substituted"),
        ),
        _optional(members, "table") or 0,
        members.integer("seat"),
        phase,
        action,
        declaration,
        members.card("card"),
    )


def _optional(members: Members, name: str) -> int | None:
    return members.integer(name) if members.has(name) else None


def _show(members: Members) -> Show:
    game, hand = members.place(2)
    return Show(
        game,
        hand,
        _optional(members, "table") or 0,
        members.text("outcome"),
        members.text("dead_reason", ""),
        _optional(members, "winner"),
        members.integer("points"),
        _optional(members, "knocker"),
        members.card("knock_card"),
        tuple(_shown_hand(hand) for hand in members.objects("showings")),
    )


def _shown_hand(members: Members) -> ShownHand:
    try:
        melds = tuple(parse_cards(meld) for meld in members.texts("melds"))
        layoffs = tuple(_layoff(text) for text in members.texts("layoffs"))
    except NotationError as error:
        raise LogError(f"what a seat shows cannot be read: {error}") from None
    return ShownHand(
        members.integer("seat"), melds, members.cards("unmatched"), layoffs, members.integer("deadwood")
    )


def _layoff(text: str) -> Layoff:
    card, _, meld = text.partition(" on ")
    if not (meld.isascii() and meld.isdecimal() and len(meld) < 3 and int(meld)):
        raise NotationError(f"{text!r} is no layoff, as 7C on 2")
    return Layoff(parse_card(card), int(meld) - 1)


def _score(members: Members) -> Score:
    game, hand = members.place(2)
    return Score(game, hand, members.numbers("winners"), members.numbers("scores"))


def _game_end(members: Members) -> GameEnd:
    return GameEnd(
        members.integer("game"),
        members.text("reason"),
        members.numbers("winners"),
        members.numbers("totals"),
        members.numbers("points"),
        members.numbers("hands_won"),
        members.numbers("ranks"),
        _optional(members, "forfeited_by"),
    )


def _fault(members: Members) -> LoggedFault:
    parts = min(members.text("at").count(".") + 1, 3) if members.has("at") else 0
    place = members.place(parts) if parts else ()
    return LoggedFault(
        game=place[0] if parts > 0 else None,
        hand=place[1] if parts > 1 else None,
        decision=place[2] if parts > 2 else None,
        seat=members.integer("seat"),
        verdict=members.text("verdict"),
        phase=members.word("phase", PHASES) if members.has("phase") else None,
        request_id=_optional(members, "request"),
        reason=members.text("reason"),
        stderr=members.texts("stderr"),
        time_us=members.object("time").integer("took_us"),
    )


def _void(members: Members) -> Void:
    return Void(members.integer("game"), members.text("reason"))


def _end(members: Members) -> End:
    secret = members.text("secret")
    try:
        secret_bytes = bytes.fromhex(secret)
    except ValueError:
        raise LogError(f"'secret' is {quoted(secret)}, where hex digits belong") from None
    time = members.object("time")
    members.text("sha256")
    return End(
        verdict=members.text("verdict"),
        wins=members.numbers("wins"),
        faults=members.numbers("faults"),
        reason=members.text("reason"),
        secret=secret_bytes,
        ended_at=time.text("ended_at"),
        elapsed_ms=time.integer("elapsed_ms"),
    )


_DECODERS: Final[dict[str, Callable[[Members], Value]]] = {
    "match": _header,
    "game": _game_start,
    "deal": _deal,
    "decision": _decision,
    "show": _show,
    "score": _score,
    "game_end": _game_end,
    "fault": _fault,
    "void": _void,
    "end": _end,
}
