"""What a fault costs: a forfeited game, or a default action up to a number of strikes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from arena.engine.actions import DRAW_STOCK, KNOCK, PASS, SPREAD, Action
from arena.engine.state import Hand
from arena.errors import UsageError

ON_FAULT: Final = ("forfeit", "substitute")
"""What can follow a fault; docs/faults.md describes both."""


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """What a fault costs in a match; written into the match log."""

    on_fault: str = "forfeit"
    """``forfeit``: the game is lost. ``substitute``: the default action is played instead."""
    strikes: int = 3
    """With ``substitute``: faults in one game for which an action is played; the next one forfeits it."""
    faulty_games: int = 3
    """Games that a seat may forfeit; with the last of them it forfeits the match."""

    def __post_init__(self) -> None:
        """Refuse what is no policy.

        Raises:
            UsageError: a value is not allowed.
        """
        if self.on_fault not in ON_FAULT:
            raise UsageError(f"{self.on_fault!r} cannot follow a fault: take {' or '.join(ON_FAULT)}")
        if self.strikes < 1 or self.faulty_games < 1:
            raise UsageError("strikes and faulty games are counted from 1")

    @property
    def text(self) -> str:
        """The policy as the match log has it: ``forfeit; match after 3 games``."""
        what = f"substitute {self.strikes} strikes" if self.on_fault == "substitute" else "forfeit"
        return f"{what}; match after {self.faulty_games} games"

    def options(self) -> str:
        """Return the command-line options that ask for it."""
        strikes = f" --strikes {self.strikes}" if self.on_fault == "substitute" else ""
        return f"--on-fault {self.on_fault}{strikes} --faulty-games {self.faulty_games}"


def parse_policy(text: str) -> FaultPolicy:
    """Return the policy that :attr:`FaultPolicy.text` wrote.

    Raises:
        UsageError: it is none.
    """
    match = _POLICY.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is no fault policy: write it as {FaultPolicy().text!r}")
    games = int(match[3])
    if match[2]:
        return FaultPolicy("substitute", int(match[2]), games)
    return FaultPolicy("forfeit", faulty_games=games)


_POLICY: Final = re.compile(r"(forfeit|substitute (\d+) strikes)(?:; match after (\d+) games)")


def default_action(hand: Hand) -> Action:
    """Return the action that is played for a bot at fault.

    It passes where it may, draws from the stock where it may, spreads, and discards the legal card
    of the highest rank (of equal ranks the last in the order clubs, diamonds, hearts, spades). It
    never knocks. Where none of these is legal it is the first legal action.
    """
    legal = hand.legal_actions()
    for action in (PASS, DRAW_STOCK, SPREAD):
        if action in legal:
            return action
    discards = [action for action in legal if action < KNOCK]
    return max(discards, key=lambda card: (card % 13, card)) if discards else legal[0]
