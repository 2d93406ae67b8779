"""Failure bundles: all that is needed to look into one fault, in one zip file.

A bundle is made from the match log, so it can be made anew at any time. It holds

* ``fault.json``: the verdict, the reason, where it happened, versions, and the commands that show
  the decision again;
* ``request.json``: the request as the bot got it, in protobuf's JSON mapping;
* ``view.txt``: what the seat saw of the game up to there;
* ``log.jsonl``: the lines of the game up to the fault;
* ``output.txt``: the last lines that the bot wrote.
"""

from __future__ import annotations

import io
import json
import platform
import shlex
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import grpc
from google.protobuf.json_format import MessageToJson

import arena
from arena.log import GameStart, Header, Log, LoggedFault, Viewer, read_log, render
from arena.referee.rerun import request_at

SUFFIX: Final = ".zip"
BUNDLES: Final = 10
"""Bundles of one match; a bot that goes wrong more often does so in the same way."""
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same log gives the same bytes."""


async def bundles(log: bytes, log_name: str, bots: Sequence[str] = ()) -> list[tuple[str, bytes]]:
    """Return the name and the content of a bundle for each fault of a match, the first ones.

    Args:
        log: the match log.
        log_name: how the commands in the bundle are to name it.
        bots: how they are to name the bots, by seat; by default by the names in the log.

    Raises:
        LogError: the log cannot be read.
    """
    read = read_log(log)
    faults = [line.value for line in read.lines if isinstance(line.value, LoggedFault)]
    made: list[tuple[str, bytes]] = []
    for number, fault in enumerate(faults[:BUNDLES], 1):
        name = f"{read.header.match_id}.fault{number}-seat{fault.seat}{SUFFIX}"
        bot = bots[fault.seat] if bots else read.header.seats[fault.seat].name
        made.append((name, await _bundle(read, fault, _commands(fault, log_name, bot))))
    return made


async def _bundle(log: Log, fault: LoggedFault, commands: dict[str, str]) -> bytes:
    members = {
        "fault.json": json.dumps(_facts(log.header, fault, commands), indent=2, ensure_ascii=False) + "\n",
        "log.jsonl": "".join(f"{text}\n" for text in _slice(log, fault)),
        "output.txt": "".join(f"{text}\n" for text in fault.stderr),
    }
    if fault.game is not None and fault.hand is not None and fault.decision is not None:
        place = (fault.game, fault.hand, fault.decision)
        request, _ = await request_at(log, place)
        members["request.json"] = MessageToJson(request) + "\n"
        members["view.txt"] = "".join(f"{text}\n" for text in _view(log, fault))
    return _zipped(members)


def _facts(header: Header, fault: LoggedFault, commands: dict[str, str]) -> dict[str, Any]:
    seat = header.seats[fault.seat]
    return {
        "match_id": header.match_id,
        "verdict": fault.verdict,
        "reason": fault.reason,
        "seat": fault.seat,
        "bot": {"name": seat.name, "version": seat.version, "software": seat.software},
        "game": fault.game,
        "hand": fault.hand,
        "decision": fault.decision,
        "phase": fault.phase,
        "request_id": fault.request_id,
        "time_control": header.time,
        "on_fault": header.on_fault,
        "versions": {
            "gin-arena": arena.__version__,
            "python": platform.python_version(),
            "grpc": grpc.__version__,
            "system": platform.platform(),
        },
        "commands": commands,
    }


def _commands(fault: LoggedFault, log_name: str, bot: str) -> dict[str, str]:
    """Return the commands that show a decision again, and put the bot before it again."""
    if fault.game is None or fault.hand is None or fault.decision is None:
        return {"start": f"arena check {shlex.quote(bot)}"}
    log_name, bot = shlex.quote(log_name), shlex.quote(bot)
    place = f"{fault.game}.{fault.hand}.{fault.decision}"
    return {
        "reproduce": f"arena replay {log_name} --rerun {bot} --seat {fault.seat} --stop-at {place}",
        "see": f"arena replay {log_name} --seat {fault.seat} --game {fault.game}",
    }


def _slice(log: Log, fault: LoggedFault) -> Iterator[str]:
    """Yield the header and the lines of the game up to the fault."""
    lines: list[str] = []
    for line in log.lines:
        if isinstance(line.value, GameStart):
            lines = lines[:1]
        lines.append(line.text)
        if line.value is fault:
            break
    yield from lines


def _view(log: Log, fault: LoggedFault) -> Iterator[str]:
    """Yield what the seat saw of the game, up to the fault."""
    until = next(index for index, line in enumerate(log.lines) if line.value is fault)
    yield from render(replace(log, lines=log.lines[: until + 1]), Viewer(fault.seat, fault.game))


def _zipped(members: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(members):
            file.writestr(zipfile.ZipInfo(name, _DATE), members[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()
