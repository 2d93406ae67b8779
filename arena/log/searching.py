"""Finding events in logs: ``knock slow>50ms``, ``7D``, ``timeout``.

An expression is words that must all hold of one event:

* an action or its beginning: ``draw``, ``pass``, ``discard``, ``knock``, ``big gin`` (written ``biggin``);
* an outcome of a hand: ``gin``, ``undercut``, ``tie``, ``dead``;
* a verdict on a fault: ``timeout``, ``crash``, ``illegal_action`` ..., or ``fault`` for any;
* a card: discarded, drawn or knocked with;
* ``slow>50ms``, ``fast<1ms``: what the decision took;
* ``bot=NAME`` or ``seat=N``: who it was; ``note=TEXT``: the bot's note has that text in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arena.engine.actions import action_text
from arena.engine.cards import CARD_NAMES
from arena.errors import UsageError
from arena.log.lines import Decision, Header, LoggedFault, Show, Value

Predicate = Callable[[Header, Value], bool]

_ACTIONS: Final = ("draw", "pass", "discard", "knock", "biggin", "spread")
_OUTCOMES: Final = ("gin", "undercut", "tie", "dead")
_VERDICTS: Final = (
    *("fault", "timeout", "crash", "illegal_action", "protocol_error", "failed_start", "failed_build"),
    *("disconnect", "resource_limit", "overload", "aborted"),
)
_UNITS_US: Final = {"us": 1.0, "ms": 1000.0, "s": 1e6}


def parse_search(text: str) -> Predicate:
    """Return what tells whether an event fits an expression.

    Raises:
        UsageError: a word is none of those that the module names.
    """
    words = [_word(word) for word in text.split()]
    if not words:
        raise UsageError("an empty search finds nothing: write words such as knock, 7D, timeout, slow>50ms")
    return lambda header, value: all(word(header, value) for word in words)


def _word(word: str) -> Predicate:
    low = word.lower()
    if low in _ACTIONS:
        wanted = "big gin" if low == "biggin" else low
        return lambda _, value: isinstance(value, Decision) and action_text(value.action).startswith(wanted)
    if low in _OUTCOMES:
        return lambda _, value: isinstance(value, Show) and value.outcome == low
    if low in _VERDICTS:
        return lambda _, value: isinstance(value, LoggedFault) and low in ("fault", value.verdict)
    if word.upper() in CARD_NAMES:
        card = CARD_NAMES.index(word.upper())
        return lambda _, value: isinstance(value, Decision) and _plays(value, card)
    for mark, slower in ((">", True), ("<", False)):
        if low.startswith(("slow" if slower else "fast") + mark):
            limit_us = _duration_us(word[5:])
            return lambda _, value: _took(value) is not None and ((_took(value) or 0) > limit_us) == slower
    return _who(word)


def _who(word: str) -> Predicate:
    key, equals, text = word.partition("=")
    if equals and key == "seat" and text.isdecimal():
        return lambda _, value: _seat(value) == int(text)
    if equals and key == "bot":
        return lambda header, value: (seat := _seat(value)) is not None and header.seats[seat].name == text
    if equals and key == "note":
        return lambda _, value: isinstance(value, Decision) and text in value.asked.note
    raise UsageError(
        f"{word!r} is no search word: write an action ({', '.join(_ACTIONS)}), an outcome "
        f"({', '.join(_OUTCOMES)}), a verdict (fault, timeout, ...), a card, slow>50ms, bot=NAME, seat=N "
        "or note=TEXT"
    )


def _plays(decision: Decision, card: int) -> bool:
    action = decision.action
    return decision.card == card or (action < 104 and action % 52 == card)


def _took(value: Value) -> int | None:
    if isinstance(value, Decision):
        return value.asked.time_us
    return value.time_us if isinstance(value, LoggedFault) else None


def _seat(value: Value) -> int | None:
    if isinstance(value, (Decision, LoggedFault)):
        return value.seat if value.seat >= 0 else None
    return value.winner if isinstance(value, Show) else None


def _duration_us(text: str) -> float:
    for unit, factor in _UNITS_US.items():
        number = text.lower().removesuffix(unit)
        if number != text.lower() and number.replace(".", "", 1).isdecimal():
            return float(number) * factor
    raise UsageError(f"{text!r} is no duration: write a number and us, ms or s, as slow>50ms")
