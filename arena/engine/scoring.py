"""What a hand scores: outcome, winner and points of a showdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from arena.engine.cards import Card, Cards
from arena.engine.melds import Layoff, Meld
from arena.engine.rules import RuleSet

Outcome = Literal["knock", "undercut", "gin", "big gin", "tie", "dead"]
DeadReason = Literal["", "stock", "swaps", "returned", "wall"]
NOBODY: Final = -1


class Points(NamedTuple):
    """What a showdown is worth."""

    outcome: Outcome
    knocker_wins: bool
    points: int
    """Zero for a tie that scores nothing."""


def score_showdown(
    rules: RuleSet, knocker_deadwood: int, defender_deadwood: int, *, big_gin: bool, doubled: bool
) -> Points:
    """Return the outcome of a knock from both sides' deadwood, after layoffs if there were any.

    Gin is scored even if the defender has none either; a defender that reaches zero by laying off
    undercuts. Source: rules.md, "Scoring a hand" (S0-S4).
    """
    factor = 2 if doubled else 1
    if big_gin:
        return Points("big gin", True, factor * (defender_deadwood + (rules.big_gin_bonus or 0)))
    if knocker_deadwood == 0:
        return Points("gin", True, factor * (defender_deadwood + rules.gin_bonus))
    difference = defender_deadwood - knocker_deadwood
    if difference > 0:
        return Points("knock", True, factor * difference)
    if difference == 0 and rules.tie == "nothing":
        return Points("tie", False, 0)
    return Points("undercut", False, factor * (rules.undercut_bonus - difference))


@dataclass(frozen=True, slots=True)
class Showing:
    """What one player showed at the end of a hand."""

    melds: tuple[Meld, ...]
    unmatched: Cards
    layoffs: tuple[Layoff, ...] = ()
    deadwood: int = 0
    """Points of the unmatched cards."""


@dataclass(frozen=True, slots=True)
class HandResult:
    """How a hand ended. Players are the hand's own 0 and 1."""

    outcome: Outcome
    winner: int = NOBODY
    """The player who scores, or :data:`NOBODY`."""
    points: int = 0
    knocker: int = NOBODY
    """The player who knocked; :data:`NOBODY` for a dead hand."""
    knock_card: Card | None = None
    """The knock's discard; none for big gin and dead hands."""
    showings: tuple[Showing, Showing] | None = None
    """Both hands by player as the showdown reveals them; none for a dead hand."""
    dead_reason: DeadReason = ""
    """Why the hand is dead: the stock ran out, swaps reached their cap, discards were returned
    twice, or the wall was passed."""
