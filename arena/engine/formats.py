"""Who plays whom, hand by hand: the formats of a game, each a small immutable object.

``duel`` is the ordinary game of two. ``cutthroat`` and ``captain`` are three-handed: two play, the
winner stays and the loser gives place to the one who sat out; in ``captain`` the two who play the
box are partners, so the captain's hands score for both. ``partnership`` sets two sides of equal
size against each other at as many tables as a side has players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.engine.race import Race
from arena.engine.rules import RuleSet
from arena.engine.scoring import NOBODY, HandResult
from arena.errors import UsageError


class Plan(NamedTuple):
    """One table of a hand: which seats are its players 0 and 1, and which of the two deals."""

    seats: tuple[int, int]
    dealer: int
    """The player, 0 or 1, who deals."""

    @property
    def dealer_seat(self) -> int:
        """The seat that deals."""
        return self.seats[self.dealer]


Seating = tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Format:
    """A format for a number of seats; the base is the duel."""

    name: str = "duel"
    seats: int = 2

    @property
    def sides(self) -> tuple[int, ...]:
        """The side that each seat belongs to."""
        return tuple(range(self.seats))

    @property
    def dealers(self) -> int:
        """How many first dealers there are to choose from."""
        return self.seats

    def first(self, dealer: int) -> Seating:
        """Return the seating of a game's first hand.

        Args:
            dealer: which of the :attr:`dealers` deals first (and is in the box where there is one).
        """
        return (Plan((0, 1), dealer),)

    def next(self, seating: Seating, results: Sequence[HandResult], rules: RuleSet) -> Seating:
        """Return the seating of the hand that follows these results."""
        (plan,) = seating
        return (Plan(plan.seats, _next_dealer(plan.dealer, results[0].winner, rules)),)

    def enter(self, race: Race, seating: Seating, results: Sequence[HandResult]) -> tuple[int, ...]:
        """Enter the results of one hand in the race and return the sides that scored."""
        (plan,), (result,) = seating, results
        if result.winner == NOBODY:
            return ()
        winners = self.scoring(plan, result.winner)
        race.enter(winners, result.points, boxes=boxes(race.rules, result))
        return winners

    def scoring(self, plan: Plan, winner: int) -> tuple[int, ...]:
        """Return the sides that score when a player of a table wins its hand."""
        return (plan.seats[winner],)


@dataclass(frozen=True, slots=True)
class Cutthroat(Format):
    """Three seats, everyone for itself; the loser of a hand gives place to the one who sat out."""

    name: str = "cutthroat"
    seats: int = 3

    def first(self, dealer: int) -> Seating:
        """Seat ``dealer`` deals to the next seat; the third sits out."""
        return (Plan((dealer, (dealer + 1) % 3), 0),)

    def next(self, seating: Seating, results: Sequence[HandResult], rules: RuleSet) -> Seating:
        """The winner stays as player 0, and deals where the rules let the winner or neither deal."""
        (plan,), (result,) = seating, results
        if result.winner == NOBODY:
            return (Plan(plan.seats, _next_dealer(plan.dealer, NOBODY, rules)),)
        stays = plan.seats[result.winner]
        enters = 3 - sum(plan.seats)
        winner_dealt = result.winner == plan.dealer
        winner_deals = {
            "winner": True,
            "loser": False,
            "alternate": not winner_dealt,
            "same": winner_dealt,
        }[rules.next_dealer]
        return (Plan((stays, enters), 0 if winner_deals else 1),)


@dataclass(frozen=True, slots=True)
class Captain(Cutthroat):
    """Three seats, one in the box against the other two, who play it by turns as captain.

    Player 0 of the table is in the box. The rotation is that of :class:`Cutthroat`; a hand that the
    captain wins scores for both of the box's opponents.
    """

    name: str = "captain"

    def scoring(self, plan: Plan, winner: int) -> tuple[int, ...]:
        """The box scores for itself, the captain also for the one who sits out."""
        if winner == 0:
            return (plan.seats[0],)
        return (plan.seats[1], 3 - sum(plan.seats))


@dataclass(frozen=True, slots=True)
class Partnership(Format):
    """Two sides of ``seats / 2`` partners each; the first half of the seats is side 0.

    Partners play at the same time, each against one opponent, and opponents swap from hand to hand.
    The points of all tables are added up; the side with more scores the difference and one box.
    """

    name: str = "partnership"
    seats: int = 4

    @property
    def sides(self) -> tuple[int, ...]:
        """Side 0 for the first half of the seats, side 1 for the others."""
        half = self.seats // 2
        return (0,) * half + (1,) * half

    @property
    def dealers(self) -> int:
        """A side deals at all tables."""
        return 2

    def first(self, dealer: int) -> Seating:
        """Partner ``i`` of one side meets partner ``i`` of the other."""
        half = self.seats // 2
        return tuple(Plan((i, half + i), dealer) for i in range(half))

    def next(self, seating: Seating, results: Sequence[HandResult], rules: RuleSet) -> Seating:
        """Every partner of side 0 meets the next partner of side 1."""
        half = self.seats // 2
        net = sum(_signed(result) for result in results)
        winner = NOBODY if net == 0 else int(net < 0)
        dealer = _next_dealer(seating[0].dealer, winner, rules)
        return tuple(
            Plan((plan.seats[0], half + (plan.seats[1] - half + 1) % half), dealer) for plan in seating
        )

    def enter(self, race: Race, seating: Seating, results: Sequence[HandResult]) -> tuple[int, ...]:
        """Score the difference of both sides' points for the side with more, and one box."""
        net = sum(_signed(result) for result in results)
        if net == 0:
            return ()
        winners = (int(net < 0),)
        race.enter(winners, abs(net), boxes=1)
        return winners


def _signed(result: HandResult) -> int:
    """Return a hand's points, positive for player 0."""
    return result.points if result.winner == 0 else -result.points


def _next_dealer(dealer: int, winner: int, rules: RuleSet) -> int:
    """Return the player who deals next at a table whose players stay."""
    if winner == NOBODY:
        return dealer if rules.dealer_after_dead_hand == "same" else 1 - dealer
    return {"winner": winner, "loser": 1 - winner, "alternate": 1 - dealer, "same": dealer}[rules.next_dealer]


def boxes(rules: RuleSet, result: HandResult) -> int:
    """Return the boxes of a scored hand, extra ones for undercut and gin included."""
    if result.outcome == "undercut":
        return 1 + rules.undercut_boxes
    if result.outcome in ("gin", "big gin"):
        return 1 + rules.gin_boxes
    return 1


FORMATS: Final = ("duel", "cutthroat", "captain", "partnership")
"""Names of all formats."""


def usual_changes(name: str) -> tuple[str, ...]:
    """Return the settings that a format changes unless they are given, as ``--rule`` takes them (S0)."""
    return ("target=125",) if name == "partnership" else ()


def format_for(name: str, seats: int) -> Format:
    """Return the format of a name for a number of contestants.

    Raises:
        UsageError: no such format, or not for that number of contestants.
    """
    if name == "partnership":
        if seats < 4 or seats % 2:
            raise UsageError(f"format partnership takes 4, 6, 8, ... contestants, not {seats}")
        return Partnership(seats=seats)
    fixed = {"duel": Format(), "cutthroat": Cutthroat(), "captain": Captain()}.get(name)
    if fixed is None:
        raise UsageError(f"there is no format {name!r}: take one of {', '.join(FORMATS)}")
    if fixed.seats != seats:
        raise UsageError(f"format {name} takes {fixed.seats} contestants, not {seats}")
    return fixed
