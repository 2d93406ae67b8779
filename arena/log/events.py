"""A log as JSON lines for machines: its own lines, or the events that one seat was told of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict

from arena.engine.view import SawDeal, Sight
from arena.log.lines import Decision, End, GameStart, Header, LoggedFault, Value, Void
from arena.log.reader import Line, Log, LogStream
from arena.log.replayer import Replayer
from arena.log.viewing import Opening, Viewer, walk
from arena.protocol.codec import event_message


def events(log: Log | LogStream, viewer: Viewer) -> Iterator[str]:
    """Yield lines of JSON: those of the log, or what one seat saw.

    A seat's events are those that it was sent while it played (``arena.v1.Event`` in protobuf's
    JSON mapping), each with its place in the member ``at``. Header, faults and match end are the
    log's lines without what the seat could not know.

    Raises:
        UsageError: the log has no such seat, game or place.
        LogError: anything is wrong with the log; what is good of it was yielded before.
    """
    replayer = Replayer(log.header)
    for step in walk(log, replayer, viewer):
        if isinstance(step, Opening):
            continue
        if viewer.seat is None:
            yield step.line.text
            continue
        yield from _told(step.line, viewer)
        for sight in step.sights:
            yield _text(_event(sight, step.line.value, replayer))


def _told(line: Line, viewer: Viewer) -> Iterator[str]:
    """Yield a line that tells a seat something beside the events."""
    data = json.loads(line.text)
    match line.value:
        case Header():
            for seat, info in enumerate(data["seats"]):
                if seat != viewer.seat:
                    del info["bot_seed"]
            yield _text(data)
        case GameStart():
            yield _text({"at": f"{data['game']}", "game_started": {"game": data["game"]}})
        case LoggedFault(seat=seat):
            yield _text(data if viewer.sees(seat) else {k: data[k] for k in ("type", "seat", "verdict")})
        case Void() | End():
            yield _text(data)


def _event(sight: Sight, value: Value, replayer: Replayer) -> dict[str, Any]:
    game = value.game if isinstance(value, Decision) else replayer.number
    message = event_message(sight, game)
    event = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return {"at": _at(sight, value, game), **event}


def _at(sight: Sight, value: Value, game: int) -> str:
    if isinstance(value, Decision):
        return f"{game}.{value.hand}.{value.asked.decision}"
    return f"{game}.{sight.hand}" if isinstance(sight, SawDeal) else f"{game}"


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
