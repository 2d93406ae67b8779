"""The members of a line of JSON, each taken out by name with its type checked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from arena.engine.actions import ACTION_COUNT, Action, Declaration, action_text, parse_action
from arena.engine.cards import CARD_NAMES, Card, Cards, parse_cards
from arena.engine.dealing import Deck
from arena.errors import LogError, NotationError

_LARGEST: Final = 2**53
"""Whole numbers up to here are the same in every JSON reader."""
_LONGEST_NUMBER: Final = 9
"""Digits of a number in a place."""
PLAIN_ACTIONS: Final = {action_text(action): action for action in range(ACTION_COUNT)}
"""Actions by their texts, declarations left out."""
CARDS_BY_NAME: Final = {name: card for card, name in enumerate(CARD_NAMES)}
_LONGEST_ACTION: Final = 400
"""Characters of an action; the longest declaration has half as many."""
_MISSING: Final = object()


class Members:
    """The members of one JSON object, taken out with their types checked.

    Args:
        data: the object.
        path: where it stands in its line, for messages; empty for the line itself.
    """

    __slots__ = ("_data", "_path")

    def __init__(self, data: object, path: str = "") -> None:
        if not isinstance(data, dict):
            raise LogError(f"{path or 'the line'} is {quoted(data)}, where an object belongs")
        self._data: dict[str, Any] = data
        self._path = path

    def _bad(self, name: str, belongs: str) -> LogError:
        value = self._data.get(name, _MISSING)
        path = f"{self._path}.{name}" if self._path else name
        if value is _MISSING:
            return LogError(f"{path!r} is missing, where {belongs} belongs")
        return LogError(f"{path!r} is {quoted(value)}, where {belongs} belongs")

    def has(self, name: str) -> bool:
        """Return whether there is a member of that name."""
        return name in self._data

    def integer(self, name: str, high: int = _LARGEST, *, low: int = 0) -> int:
        """Return a whole number from ``low`` to ``high``."""
        value = self._data.get(name)
        if type(value) is not int or not low <= value <= high:
            raise self._bad(name, f"a whole number from {low} to {high}")
        return value

    def flag(self, name: str) -> bool:
        """Return a truth value; false where it is left out."""
        value = self._data.get(name, False)
        if type(value) is not bool:
            raise self._bad(name, "true or false")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text, or the default where it is left out and has one."""
        value = self._data.get(name, default)
        if type(value) is not str:
            raise self._bad(name, "a text")
        return value

    def word(self, name: str, words: tuple[str, ...]) -> str:
        """Return one of some words."""
        value = self._data.get(name)
        if value not in words:
            raise self._bad(name, f"one of {', '.join(words)}")
        return str(value)

    def numbers(self, name: str, *, low: int = 0) -> tuple[int, ...]:
        """Return a list of whole numbers."""
        value = self._data.get(name)
        if not isinstance(value, list) or not all(
            type(number) is int and low <= number <= _LARGEST for number in value
        ):
            raise self._bad(name, "a list of whole numbers")
        return tuple(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; empty where it is left out."""
        value = self._data.get(name, [])
        if not isinstance(value, list) or not all(type(text) is str for text in value):
            raise self._bad(name, "a list of texts")
        return tuple(value)

    def objects(self, name: str) -> list[Members]:
        """Return a list of objects; empty where it is left out."""
        value = self._data.get(name, [])
        if not isinstance(value, list):
            raise self._bad(name, "a list of objects")
        path = f"{self._path}.{name}" if self._path else name
        return [Members(each, f"{path}[{index}]") for index, each in enumerate(value)]

    def object(self, name: str) -> Members:
        """Return an object."""
        if not isinstance(self._data.get(name), dict):
            raise self._bad(name, "an object")
        return Members(self._data[name], f"{self._path}.{name}" if self._path else name)

    def raw(self) -> dict[str, Any]:
        """Return the object as it is."""
        return self._data

    def place(self, parts: int) -> tuple[int, ...]:
        """Return the member ``at``: game, hand and decision numbers, as many as asked for."""
        value = self._data.get("at")
        if type(value) is str:
            words = value.split(".")
            if len(words) == parts and all(map(_is_number, words)):
                return tuple(map(int, words))
        raise self._bad("at", ".".join(("GAME", "HAND", "DECISION")[:parts]))

    def card(self, name: str) -> Card | None:
        """Return a card; none where it is left out."""
        if name not in self._data:
            return None
        value = self._data[name]
        if type(value) is not str or value not in CARDS_BY_NAME:
            raise self._bad(name, "a card such as 7D")
        return CARDS_BY_NAME[value]

    def cards(self, name: str) -> Cards:
        """Return a set of cards."""
        try:
            return parse_cards(self.text(name))
        except NotationError:
            raise self._bad(name, "different cards such as 7D 8D") from None

    def deck(self, name: str) -> Deck:
        """Return the 52 cards in their order."""
        names = self.text(name).split(" ")
        if len(names) != 52 or set(names) != CARDS_BY_NAME.keys():
            raise self._bad(name, "all 52 cards, each once")
        return tuple(CARDS_BY_NAME[name] for name in names)

    def action(self, name: str) -> tuple[Action, Declaration | None]:
        """Return an action, and its declaration if it has one."""
        value = self._data.get(name)
        if type(value) is str and len(value) <= _LONGEST_ACTION:
            plain = PLAIN_ACTIONS.get(value)
            if plain is not None:
                return plain, None
            with suppress(NotationError):
                return parse_action(value)
        raise self._bad(name, "an action such as discard 7D")


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _LONGEST_NUMBER


def quoted(value: object) -> str:
    """Return a value as messages show it, on one line and not too long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
