"""Pins: requests with the answers that a bot must go on giving, kept in a ``pins.toml``.

::

    [[pin]]
    at = "0.3.14"
    match = "c0123456789-0001"
    expect = "discard 9D"
    request = '''{...}'''        # the request in protobuf's JSON mapping

A pin has its request with it, so that the log it came from is not needed again.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from arena.engine.actions import action_text, parse_action
from arena.errors import ProtocolError, UsageError
from arena.protocol.codec import read_decision
from arena.protocol.v1 import bot_pb2
from arena.referee.contestant import Contestant, explain
from arena.referee.session import Reply
from arena.referee.verdict import Fault


@dataclass(frozen=True, slots=True)
class Pin:
    """One request and the answer that is expected."""

    at: str
    match: str
    expect: str
    request: bot_pb2.DecisionRequest


@dataclass(frozen=True, slots=True)
class Asked:
    """What a bot answered to one request."""

    action: str
    """The action, or the verdict and reason of a fault."""
    elapsed_ms: float = 0.0
    fault: Fault | None = None


def read_request(text: str, name: str) -> bot_pb2.DecisionRequest:
    """Return the request of a text in protobuf's JSON mapping.

    Raises:
        UsageError: it is none.
    """
    try:
        request = json_format.Parse(text, bot_pb2.DecisionRequest())
    except json_format.ParseError as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"{name} is no decision request in JSON: {reason}") from None
    if not request.legal_actions or not request.cards:
        raise UsageError(f"{name} is no decision request: it has no cards or no legal actions")
    return request


def request_json(request: bot_pb2.DecisionRequest) -> str:
    """Return a request in protobuf's JSON mapping, on several lines."""
    return json_format.MessageToJson(request, indent=1)


def read_pins(path: Path) -> list[Pin]:
    """Return the pins of a file.

    Raises:
        UsageError: it cannot be read, or is no file of pins; the message names the pin and the key.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from None
    pins = data.get("pin")
    if not isinstance(pins, list) or set(data) != {"pin"}:
        raise UsageError(f"{path} is no file of pins: `arena pin LOG --at G.H.D --expect ACTION` writes one")
    return [_pin(path, number, pin) for number, pin in enumerate(pins, 1)]


def _pin(path: Path, number: int, pin: dict[str, Any]) -> Pin:
    for key in ("at", "match", "expect", "request"):
        if not isinstance(pin.get(key), str):
            raise UsageError(f"{path}: pin {number}: {key} is missing or no text")
    request = read_request(pin["request"], f"{path}: pin {number}: request")
    return Pin(pin["at"], pin["match"], expected_text(pin["expect"]), request)


def expected_text(text: str) -> str:
    """Return an action as logs write it.

    Raises:
        NotationError: it is none.
    """
    return action_text(*parse_action(text))


def add_pin(path: Path, pin: Pin) -> None:
    """Append a pin to a file, which is made if need be.

    Raises:
        UsageError: the expected action was not legal there, the file has another pin of that place,
            is no file of pins, or cannot be written.
    """
    if pin.expect.split(":")[0] not in pin.request.legal_actions:
        legal = ", ".join(pin.request.legal_actions)
        raise UsageError(f"{pin.expect!r} is not legal at {pin.at}: legal are {legal}")
    for known in read_pins(path) if path.exists() else ():
        if (known.match, known.at) == (pin.match, pin.at):
            if known.expect == pin.expect:
                return
            raise UsageError(
                f"{path} expects {known.expect!r} at {pin.at} of that match already: remove that pin first"
            )
    lines = [f"{key} = {json.dumps(getattr(pin, key))}" for key in ("at", "match", "expect")]
    text = "\n".join(["[[pin]]", *lines, f"request = '''{request_json(pin.request)}'''", "", ""])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


async def ask(bot: Contestant, request: bot_pb2.DecisionRequest) -> Asked:
    """Send a bot one request, as the first of a match, and return its answer."""
    instance = await bot.acquire()
    if isinstance(instance, Fault):
        return Asked(f"{instance.verdict}: {instance.reason}", fault=instance)
    start = bot_pb2.MatchStart(
        match_id=request.match_id,
        seat=request.seat,
        players=[f"seat {seat}" for seat in range(max(request.seat, request.opponent) + 1)],
        rules=request.rules,
        format="duel",
        games=1,
    )
    instance.connection.tell(bot_pb2.RefereeMessage(match_start=start))
    message = bot_pb2.RefereeMessage(request=request)
    answer = await instance.connection.ask(message, request.match_id, request.request_id, None)
    if isinstance(answer, Fault):
        answer = await explain(instance, answer)
    await bot.release(instance)
    return _asked(answer)


def _asked(answer: Reply | Fault) -> Asked:
    if isinstance(answer, Fault):
        return Asked(f"{answer.verdict}: {answer.reason}", fault=answer)
    try:
        action = action_text(*read_decision(answer.decision))
    except ProtocolError as error:
        action = f"protocol_error: {error}"
    return Asked(action, answer.elapsed_s * 1000)
