"""The settings of a game: one immutable :class:`RuleSet`, every rule of every variant a field.

A preset (:mod:`arena.engine.presets`) is a ``RuleSet`` with a name. :func:`override` changes single
settings from text, as ``--rule gin_bonus=20`` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from arena.errors import RuleError


class About(NamedTuple):
    """What a setting means, and its range where it is a number."""

    text: str
    low: int = 0
    high: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All settings of a game; a "hand" is one deal played out, a "game" the race to the target.

    Raises:
        RuleError: a value outside its setting's range.
    """

    name: str = "custom"
    """The preset's name; with overrides, the preset's name and a ``+``."""

    upcard_offer: Annotated[bool, About("the upcard is offered to the non-dealer, then to the dealer")] = True
    knock_limit: Annotated[
        int | Literal["upcard"],
        About("most deadwood to knock with; 'upcard' takes the value of the first upcard", high=100),
    ] = 10
    ace_upcard: Annotated[
        Literal[1, "gin"], About("limit under an ace where knock_limit=upcard: 1, or 'gin' for gin only")
    ] = 1
    spades_double: Annotated[bool, About("a spade as the first upcard doubles the hand's points")] = False
    returned_discard: Annotated[
        Literal["illegal", "dead_on_second"],
        About("discarding the card just taken: 'illegal', or legal with the second in a row a dead hand"),
    ] = "illegal"
    stock_end: Annotated[
        Literal["dead", "wall"],
        About("after a discard at two stock cards: a 'dead' hand, or the 'wall' (it may be taken to knock)"),
    ] = "dead"
    swap_cap: Annotated[
        int,
        About(
            "draws from the discard pile, the offered upcard aside, that make the hand dead", low=2, high=1000
        ),
    ] = 50
    swap_cap_counts: Annotated[
        Literal["in_a_row", "total"],
        About("what swap_cap counts: such draws 'in_a_row', or in 'total' over the hand"),
    ] = "in_a_row"
    knock_face_down: Annotated[bool, About("the other side never sees the knock's discard")] = False
    melds: Annotated[
        Literal["optimal", "declared"],
        About("who melds at the showdown: the engine ('optimal'), or the bots may ('declared')"),
    ] = "optimal"
    layoffs: Annotated[bool, About("the defender lays cards off on the knocker's melds")] = True

    gin_bonus: Annotated[int, About("points for gin, added to the defender's deadwood")] = 25
    big_gin_bonus: Annotated[
        int | None, About("points for big gin, added likewise; 'none' where there is no big gin")
    ] = None
    undercut_bonus: Annotated[int, About("points for an undercut, added to the difference")] = 25
    tie: Annotated[
        Literal["undercut", "nothing"], About("equal deadwood after a knock: an 'undercut', or 'nothing'")
    ] = "undercut"

    first_dealer: Annotated[
        Literal["random", "seat 0", "seat 1"],
        About("dealer of a game's first hand; in every second game of a match it is the other seat"),
    ] = "random"
    next_dealer: Annotated[
        Literal["winner", "loser", "alternate", "same"], About("who deals after a scored hand")
    ] = "winner"
    dealer_after_dead_hand: Annotated[
        Literal["same", "alternate"], About("who deals after a hand without a score")
    ] = "same"

    target: Annotated[int, About("points that end the game, or close a column", low=1)] = 100
    columns: Annotated[Literal[1, 3], About("score columns: 1, or 3 for Hollywood")] = 1
    game_bonus: Annotated[int, About("points for reaching the target first")] = 0
    box_bonus: Annotated[int, About("points for each box (hand won), at the end of the game")] = 0
    boxes_to: Annotated[
        Literal["each", "winner"], About("who is paid for boxes: 'each' side, or the 'winner' of the race")
    ] = "each"
    undercut_boxes: Annotated[int, About("extra boxes for an undercut", high=10)] = 0
    gin_boxes: Annotated[int, About("extra boxes for gin or big gin", high=10)] = 0
    shutout: Annotated[
        Literal["none", "double"],
        About("the loser won no hand: 'double' the winner's points and game bonus, before boxes"),
    ] = "none"
    settlement: Annotated[
        Literal["first_to_target", "difference"],
        About("the winner is who is 'first_to_target', or who has the larger final total ('difference')"),
    ] = "first_to_target"
    hands: Annotated[int | None, About("hands in a game; 'none' for as many as the target needs", low=1)] = (
        None
    )
    dead_hand_cap: Annotated[int, About("dead hands in a row that end the game as it stands", low=1)] = 100

    def __post_init__(self) -> None:
        """Check every value against its setting."""
        for setting in settings():
            _check(setting, getattr(self, setting))

    def as_dict(self) -> dict[str, Any]:
        """Return all settings by name, the preset's name first, as plain JSON values."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


_HINTS: Final = {
    name: hint for name, hint in get_type_hints(RuleSet, include_extras=True).items() if name != "name"
}


def settings() -> tuple[str, ...]:
    """Return the names of all settings, in the order in which rules are told."""
    return tuple(_HINTS)


def about(setting: str) -> str:
    """Return the one-line meaning of a setting.

    Raises:
        RuleError: there is no such setting.
    """
    return _about(setting).text


def allowed(setting: str) -> str:
    """Return the values that a setting takes, for people: ``yes|no``, ``0..100|upcard``.

    Raises:
        RuleError: there is no such setting.
    """
    note = _about(setting)
    return "|".join(f"{note.low}..{note.high}" if c is int else c for c in map(_word, _choices(setting)))


def _about(setting: str) -> About:
    if setting not in _HINTS:
        raise RuleError(f"there is no rule setting {setting!r}: `arena rules classic` lists them all")
    note: About = _HINTS[setting].__metadata__[0]
    return note


def _choices(setting: str) -> list[Any]:
    """Return the values a setting takes, with the type ``int`` standing for its whole range."""
    return _flatten(get_args(_HINTS[setting])[0])


def _flatten(hint: Any) -> list[Any]:
    if hint is bool:
        return [True, False]
    if hint is NoneType:
        return [None]
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        return [choice for part in get_args(hint) for choice in _flatten(part)]
    return [hint]


def _word(value: Any) -> Any:
    """Return how a value is written in ``--rule`` and in tables (``int`` stays itself)."""
    if value is int:
        return int
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def value_text(value: object) -> str:
    """Return how the value of a setting is written: ``yes``, ``none``, ``upcard``, ``25``."""
    return str(_word(value))


def _check(setting: str, value: object) -> None:
    note = _about(setting)
    for choice in _choices(setting):
        if choice is int and type(value) is int and note.low <= value <= note.high:
            return
        if choice is not int and choice == value and type(choice) is type(value):
            return
    raise RuleError(f"{setting}={value_text(value)} is not allowed: it takes {allowed(setting)}")


_LONGEST_NUMBER: Final = 9
"""Digits; a longer number is out of every range."""


def parse_value(setting: str, text: str) -> Any:
    """Return the value that a text stands for in a setting.

    Raises:
        RuleError: no such setting, or a value that it does not take.
    """
    _about(setting)
    word = text.strip().lower()
    aliases = {"true": "yes", "false": "no", "on": "yes", "off": "no"}
    for choice in _choices(setting):
        if choice is int:
            if len(word) <= _LONGEST_NUMBER and word.removeprefix("-").isdecimal():
                _check(setting, int(word))
                return int(word)
        elif _word(choice) in (word, aliases.get(word)):
            return choice
    raise RuleError(f"{setting}={text[:40]} is not allowed: it takes {allowed(setting)}")


def override(rules: RuleSet, assignments: Iterable[str]) -> RuleSet:
    """Return the rules with single settings changed by texts such as ``gin_bonus=20``.

    Raises:
        RuleError: a text without ``=``, an unknown setting, or a value that it does not take.
    """
    changes: dict[str, Any] = {}
    for assignment in assignments:
        setting, equals, text = assignment.partition("=")
        if not equals:
            raise RuleError(f"{assignment!r} is no rule: write SETTING=VALUE, as gin_bonus=20")
        changes[setting.strip()] = parse_value(setting.strip(), text)
    changed = {k: v for k, v in changes.items() if getattr(rules, k) != v}
    if not changed:
        return rules
    return replace(rules, name=rules.name.removesuffix("+") + "+", **changed)


def rules_from_dict(values: dict[str, Any]) -> RuleSet:
    """Return the rules that :meth:`RuleSet.as_dict` wrote.

    Raises:
        RuleError: an unknown setting, or a value that it does not take.
    """
    for setting in values:
        if setting != "name":
            _about(setting)
    return RuleSet(**values)
