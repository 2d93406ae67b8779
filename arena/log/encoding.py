"""The values of a match log as lines of JSON, in a fixed order of members.

A line's members that are empty or absent are left out. What may differ between two runs of the same
match is in the member ``time``, always the last one of its line, so that it can be cut off.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from arena.engine.actions import action_text
from arena.engine.cards import CARD_NAMES, cards_text
from arena.engine.game import Acted, Dealt, Finished, Scored, Showed
from arena.engine.melds import Layoff
from arena.engine.scoring import NOBODY, Showing
from arena.log.lines import FORMAT_NAME, LOG_VERSION, PHASES, Asked, End, Header, LoggedFault, SeatInfo

Data = dict[str, Any]
"""The members of a line."""

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_TIME: Final = ',"time":{'
_DIGEST: Final = ',"sha256":"'


def line_text(data: Data) -> str:
    """Return the text of a line."""
    return _ENCODER.encode(data)


def without_time(line: str) -> str:
    """Return a line without its member ``time``, if that is the last one.

    A quotation mark inside a JSON string is escaped, so the cut cannot fall into one.
    """
    start = line.rfind(_TIME)
    if start < 0 or not line.endswith("}}"):
        return line
    inside = line[start + len(_TIME) : -2]
    return line if "{" in inside or "}" in inside else line[:start] + "}"


class Digest:
    """The SHA-256 of a log's lines without their times, and without the last line's ``sha256``."""

    def __init__(self) -> None:
        self._lines = hashlib.sha256()

    def add(self, line: str) -> None:
        """Add a line, in its order."""
        self._lines.update(f"{without_time(line)}\n".encode())

    def end(self, line: str) -> str:
        """Return the digest in hex, given the last line with or without it."""
        text = without_time(line)
        start = text.rfind(_DIGEST)
        digest = self._lines.copy()
        digest.update((text if start < 0 else text[:start] + "}").encode() + b"\n")
        return digest.hexdigest()


# ---------------------------------------------------------------------- what the engine recorded


def deal_data(game: int, dealt: Dealt) -> Data:
    """Return the line of a deal."""
    return {
        "type": "deal",
        "at": f"{game}.{dealt.hand}",
        "tables": [
            {
                "seats": list(plan.seats),
                "dealer": plan.dealer_seat,
                "deck": " ".join(CARD_NAMES[card] for card in deck),
            }
            for plan, deck in zip(dealt.seating, dealt.decks, strict=True)
        ],
    }


def decision_text(game: int, hand: int, acted: Acted, asked: Asked) -> str:
    """Return the text of a decision's line; these are nine lines of ten, so it is put together by hand."""
    parts = [f'{{"type":"decision","at":"{game}.{hand}.{asked.decision}"']
    if acted.table:
        parts.append(f',"table":{acted.table}')
    parts.append(
        f',"seat":{acted.seat},"phase":"{PHASES[acted.phase]}"'
        f',"action":"{action_text(acted.action, acted.declaration)}"'
    )
    if acted.card is not None:
        parts.append(f',"card":"{CARD_NAMES[acted.card]}"')
    parts.append(f',"request":{asked.request_id}')
    if asked.substituted:
        parts.append(',"substituted":true')
    if asked.note:
        parts.append(f',"note":{_ENCODER.encode(asked.note)}')
    parts.append(f'{_TIME}"took_us":{asked.time_us}}}}}')
    return "".join(parts)


def show_data(game: int, hand: int, showed: Showed) -> Data:
    """Return the line of the end of a table's hand."""
    result, seats = showed.result, showed.plan.seats
    data: Data = {"type": "show", "at": f"{game}.{hand}"}
    if showed.table:
        data["table"] = showed.table
    data["outcome"] = result.outcome
    if result.dead_reason:
        data["dead_reason"] = result.dead_reason
    if result.winner != NOBODY:
        data["winner"] = seats[result.winner]
    data["points"] = result.points
    if result.knocker != NOBODY:
        data["knocker"] = seats[result.knocker]
    if result.knock_card is not None:
        data["knock_card"] = CARD_NAMES[result.knock_card]
    if result.showings is not None:
        data["showings"] = [
            _showing_data(seat, showing) for seat, showing in zip(seats, result.showings, strict=True)
        ]
    return data


def _showing_data(seat: int, showing: Showing) -> Data:
    data: Data = {
        "seat": seat,
        "melds": [cards_text(meld) for meld in showing.melds],
        "unmatched": cards_text(showing.unmatched),
    }
    if showing.layoffs:
        data["layoffs"] = _layoffs(showing.layoffs)
    data["deadwood"] = showing.deadwood
    return data


def _layoffs(layoffs: Iterable[Layoff]) -> list[str]:
    """Return layoffs as actions write them, the knocker's melds counted from 1."""
    return [f"{CARD_NAMES[layoff.card]} on {layoff.meld + 1}" for layoff in layoffs]


def score_data(game: int, scored: Scored) -> Data:
    """Return the line of a hand entered in the score."""
    return {
        "type": "score",
        "at": f"{game}.{scored.hand}",
        "winners": list(scored.winners),
        "scores": list(scored.scores),
    }


def game_end_data(game: int, finished: Finished) -> Data:
    """Return the line of the end of a game."""
    settlement = finished.settlement
    data: Data = {
        "type": "game_end",
        "game": game,
        "reason": finished.reason,
        "winners": list(settlement.winners),
        "totals": list(settlement.totals),
        "points": list(settlement.points),
        "hands_won": list(settlement.hands_won),
        "ranks": list(settlement.ranks),
    }
    if finished.forfeited_by is not None:
        data["forfeited_by"] = finished.forfeited_by
    return data


# ---------------------------------------------------------------------- what the referee adds


def header_data(header: Header) -> Data:
    """Return the first line."""
    return {
        "type": "match",
        "format": FORMAT_NAME,
        "log_version": LOG_VERSION,
        "arena_version": header.arena_version,
        "match_id": header.match_id,
        "rules": header.rules.as_dict(),
        "game_format": header.format,
        "games": header.games,
        "pairing": header.pairing,
        "dealing": header.dealing,
        "time_control": header.time,
        "on_fault": header.on_fault,
        "seats": [_seat_data(seat) for seat in header.seats],
        "commitment": header.commitment,
        "time": {"started_at": header.started_at},
    }


def _seat_data(seat: SeatInfo) -> Data:
    return {
        "name": seat.name,
        "version": seat.version,
        "language": seat.language,
        "software": seat.software,
        "bot_seed": seat.bot_seed,
    }


def game_data(number: int, pair: int, first_dealer: int) -> Data:
    """Return the line of the start of a game."""
    return {"type": "game", "game": number, "pair": pair, "first_dealer": first_dealer}


def fault_data(fault: LoggedFault) -> Data:
    """Return the line of a fault."""
    data: Data = {"type": "fault"}
    places = [place for place in (fault.game, fault.hand, fault.decision) if place is not None]
    if places:
        data["at"] = ".".join(map(str, places))
    data |= {"seat": fault.seat, "verdict": fault.verdict}
    if fault.phase is not None:
        data["phase"] = fault.phase
    if fault.request_id is not None:
        data["request"] = fault.request_id
    data["reason"] = fault.reason
    if fault.stderr:
        data["stderr"] = list(fault.stderr)
    data["time"] = {"took_us": fault.time_us}
    return data


def void_data(game: int, reason: str) -> Data:
    """Return the line of a game that does not count."""
    return {"type": "void", "game": game, "reason": reason}


def end_data(end: End, digest: str = "") -> Data:
    """Return the last line, with its :class:`Digest` if that is known."""
    data: Data = {
        "type": "end",
        "verdict": end.verdict,
        "reason": end.reason,
        "wins": list(end.wins),
        "faults": list(end.faults),
        "secret": end.secret.hex(),
    }
    if digest:
        data["sha256"] = digest
    data["time"] = {"ended_at": end.ended_at, "elapsed_ms": end.elapsed_ms}
    return data
