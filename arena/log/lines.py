"""What a match log says, one value a line: the events of a match in the order in which they were.

Numbers of games, hands, decisions, tables and seats count from 0. Times are the only values that
may differ between two runs of the same match; they are named in :data:`TIME_FIELDS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.engine.actions import Action, Declaration
from arena.engine.cards import Card, Cards
from arena.engine.dealing import Deck
from arena.engine.melds import Layoff, Meld
from arena.engine.rules import RuleSet

FORMAT_NAME: Final = "gin-arena match log"
"""How the first line of every log names its format."""
LOG_VERSION: Final = 1
"""The version of the format that this code writes, and the latest that it reads."""
TIME_FIELDS: Final = ("started_at", "took_us", "ended_at", "elapsed_ms")
"""Every member of the object ``time``, which holds all that may differ between identical runs."""

PHASES: Final = (
    "offer non-dealer",
    "offer dealer",
    "draw",
    "forced draw",
    "discard",
    "wall",
    "wall knock",
    "spread",
)
"""What a log calls the engine's phases (:mod:`arena.engine.state`), by their number."""


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """Who plays at a seat."""

    name: str
    version: str
    language: str
    software: str
    """What the bot says that it is written in and with."""
    bot_seed: str
    """The seed that the bot was given for its own randomness; empty if it was given none."""


@dataclass(frozen=True, slots=True)
class Header:
    """``match``: the first line, and what was agreed before the first deal."""

    match_id: str
    rules: RuleSet
    format: str
    """Name of the format, as :func:`arena.engine.formats.format_for` takes it."""
    games: int
    """Games to be played."""
    pairing: str
    """``single``, or ``duplicate`` where games share their decks with the dealers swapped."""
    dealing: str
    """``plain``, or ``aligned`` where the dealer draws from the bottom of the stock."""
    time: str
    """The time control as it was asked for, as ``200ms``."""
    seats: tuple[SeatInfo, ...]
    commitment: str
    """Hex digest that commits to the match secret (:func:`arena.engine.dealing.commitment`)."""
    on_fault: str
    """What follows a fault of a bot."""
    started_at: str
    """ISO 8601 in UTC. A time field."""
    arena_version: str


@dataclass(frozen=True, slots=True)
class GameStart:
    """``game``: a game began."""

    number: int
    pair: int
    """Number that the decks of the game derive from."""
    first_dealer: int


class DealtTable(NamedTuple):
    """One table of a deal."""

    seats: tuple[int, int]
    dealer: int
    """The seat that deals."""
    deck: Deck


@dataclass(frozen=True, slots=True)
class Deal:
    """``deal``: a hand was dealt."""

    game: int
    hand: int
    tables: tuple[DealtTable, ...]


class Asked(NamedTuple):
    """How a decision came about."""

    request_id: int
    decision: int
    """Number of the decision in its hand, over all tables."""
    time_us: int
    """Microseconds from the request to the answer. A time field."""
    note: str = ""
    """The bot's own note."""
    substituted: bool = False
    """Whether the default action was played for a bot at fault."""


class Decision(NamedTuple):
    """``decision``: a seat acted."""

    game: int
    hand: int
    asked: Asked
    table: int
    seat: int
    phase: int
    """The engine's number of the phase in which it acted."""
    action: Action
    declaration: Declaration | None
    card: Card | None
    """The card drawn, if it was a draw."""


class ShownHand(NamedTuple):
    """What one seat showed."""

    seat: int
    melds: tuple[Meld, ...]
    unmatched: Cards
    layoffs: tuple[Layoff, ...]
    deadwood: int


@dataclass(frozen=True, slots=True)
class Show:
    """``show``: the hand of one table ended."""

    game: int
    hand: int
    table: int
    outcome: str
    dead_reason: str
    winner: int | None
    """The seat that scores."""
    points: int
    knocker: int | None
    """The seat that knocked."""
    knock_card: Card | None
    showings: tuple[ShownHand, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """``score``: the hands of all tables were entered."""

    game: int
    hand: int
    winners: tuple[int, ...]
    """Sides."""
    scores: tuple[int, ...]
    """Points by side so far, bonuses not included."""


@dataclass(frozen=True, slots=True)
class GameEnd:
    """``game_end``: a game ended and counts."""

    game: int
    reason: str
    winners: tuple[int, ...]
    """Sides."""
    totals: tuple[int, ...]
    points: tuple[int, ...]
    hands_won: tuple[int, ...]
    ranks: tuple[int, ...]
    forfeited_by: int | None


@dataclass(frozen=True, slots=True)
class LoggedFault:
    """``fault``: a bot did not do what it had to."""

    game: int | None
    hand: int | None
    decision: int | None
    """Where it happened, as far as the match had come."""
    seat: int
    verdict: str
    phase: str | None
    """One of :data:`PHASES`, if it was to decide."""
    request_id: int | None
    reason: str
    stderr: tuple[str, ...] = ()
    """The last lines that it wrote to its standard error."""
    time_us: int = 0
    """Microseconds from the request to the fault. A time field."""


@dataclass(frozen=True, slots=True)
class Void:
    """``void``: the game in play does not count and is played again."""

    game: int
    reason: str


@dataclass(frozen=True, slots=True)
class End:
    """``end``: the last line, and how the match ended."""

    verdict: str
    """``completed``, ``aborted``, or the verdict on the fault that ended the match."""
    wins: tuple[int, ...]
    """Games won, by seat."""
    faults: tuple[int, ...]
    """Faults, by seat."""
    reason: str
    secret: bytes
    """The match secret, from which all decks derive."""
    ended_at: str
    """ISO 8601 in UTC. A time field."""
    elapsed_ms: int
    """A time field."""


Value = Header | GameStart | Deal | Decision | Show | Score | GameEnd | LoggedFault | Void | End
"""What a line says."""


def place_of(value: Value) -> str:
    """Return what a line is about, for people: ``decision 0.3.14``."""
    match value:
        case Header():
            return "the header"
        case GameStart():
            return f"start of game {value.number}"
        case Deal():
            return f"deal of hand {value.game}.{value.hand}"
        case Decision():
            return f"decision {value.game}.{value.hand}.{value.asked.decision}"
        case Show():
            return f"end of hand {value.game}.{value.hand}"
        case Score():
            return f"score of hand {value.game}.{value.hand}"
        case GameEnd() | Void():
            return f"end of game {value.game}"
        case LoggedFault():
            return f"fault of seat {value.seat}"
        case End():
            return "end of the match"
