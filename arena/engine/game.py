"""A whole game: hand after hand to the target, for any format.

:class:`Game` is given a deck for every table of every hand; nothing in it is random. Seats are the
contestants' places in the match, 0 up; what happened is kept in order as :data:`Record` values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from arena.engine.actions import Action, Declaration
from arena.engine.cards import Card
from arena.engine.dealing import Deck
from arena.engine.formats import Format, Plan, Seating
from arena.engine.race import Race, Settlement
from arena.engine.rules import RuleSet
from arena.engine.scoring import HandResult
from arena.engine.state import OVER, Hand
from arena.errors import IllegalAction

EndReason = Literal["target", "hands", "dead hands", "forfeit"]


class Dealt(NamedTuple):
    """A hand was dealt at every table."""

    hand: int
    """Number of the hand in its game, from 0."""
    seating: Seating
    decks: tuple[Deck, ...]
    """By table, in dealing order. Secret."""


class Acted(NamedTuple):
    """A seat acted."""

    table: int
    seats: tuple[int, int]
    """The two seats at that table."""
    seat: int
    phase: int
    """The phase in which it acted."""
    action: Action
    card: Card | None
    """The card drawn, if it was a draw. Secret if it came from the stock."""
    declaration: Declaration | None


class Showed(NamedTuple):
    """The hand of one table ended."""

    table: int
    plan: Plan
    """The seats that are players 0 and 1 of the result, and who dealt."""
    result: HandResult


class Scored(NamedTuple):
    """All tables' hands ended and were entered."""

    hand: int
    winners: tuple[int, ...]
    """The sides that scored."""
    scores: tuple[int, ...]
    """Points by side after it, bonuses not included."""


class Finished(NamedTuple):
    """The game ended."""

    reason: EndReason
    settlement: Settlement
    forfeited_by: int | None = None
    """The seat that forfeited, if one did."""


Record = Dealt | Acted | Showed | Scored | Finished


class Table:
    """One table of the hand in play."""

    __slots__ = ("hand", "index", "seats")

    def __init__(self, index: int, plan: Plan, hand: Hand) -> None:
        self.index: int = index
        self.seats: tuple[int, int] = plan.seats
        self.hand: Hand = hand

    def clone(self) -> Table:
        """Return an independent copy."""
        new = Table.__new__(Table)
        new.index = self.index
        new.seats = self.seats
        new.hand = self.hand.clone()
        return new

    @property
    def turn_seat(self) -> int | None:
        """The seat to act; none when the table's hand is over."""
        return None if self.hand.phase == OVER else self.seats[self.hand.turn]


class Game:
    """One game between the seats of a format.

    Args:
        rules: the settings.
        form: the format.
        first_dealer: which of the format's dealers deals the first hand.
        aligned: deal from both ends of the stock (see :class:`~arena.engine.state.Hand`).
    """

    __slots__ = (
        "aligned",
        "dead_in_a_row",
        "finished",
        "form",
        "hand_number",
        "race",
        "records",
        "rules",
        "seating",
        "tables",
    )

    def __init__(self, rules: RuleSet, form: Format, first_dealer: int, *, aligned: bool = False) -> None:
        self.rules: RuleSet = rules
        self.form: Format = form
        self.aligned: bool = aligned
        self.race: Race = Race(rules, max(form.sides) + 1)
        self.seating: Seating = form.first(first_dealer)
        self.tables: list[Table] = []
        """The tables of the hand in play, or of the last one."""
        self.hand_number: int = -1
        self.dead_in_a_row: int = 0
        self.finished: Finished | None = None
        self.records: list[Record] = []

    @property
    def in_hand(self) -> bool:
        """Whether some table's hand is in play."""
        for table in self.tables:  # noqa: SIM110  # asked at every decision: a loop is the fastest
            if table.hand.phase != OVER:
                return True
        return False

    @property
    def decks_needed(self) -> int:
        """How many decks the next :meth:`deal` takes; 0 when there is nothing to deal."""
        return 0 if self.finished or self.in_hand else len(self.seating)

    def deal(self, decks: Sequence[Deck]) -> None:
        """Deal the next hand at every table.

        Args:
            decks: a deck for each of :attr:`decks_needed` tables.

        Raises:
            IllegalAction: a hand is in play, or the game is over.
        """
        if not self.decks_needed or len(decks) != self.decks_needed:
            raise IllegalAction(f"{len(decks)} decks were given where {self.decks_needed} can be dealt")
        self.hand_number += 1
        self.tables = [
            Table(index, plan, Hand(self.rules, deck, plan.dealer, aligned=self.aligned))
            for index, (plan, deck) in enumerate(zip(self.seating, decks, strict=True))
        ]
        self.records.append(Dealt(self.hand_number, self.seating, tuple(decks)))

    def table_of(self, seat: int) -> Table | None:
        """Return the table at which a seat plays in this hand; none if it sits out."""
        for table in self.tables:
            if seat in table.seats:
                return table
        return None

    def to_act(self) -> tuple[int, ...]:
        """Return the seats whose action is awaited, one a table in play."""
        return tuple([t.seats[t.hand.turn] for t in self.tables if t.hand.phase != OVER])

    def apply(self, seat: int, action: Action, declaration: Declaration | None = None) -> None:
        """Let a seat act.

        Raises:
            IllegalAction: it is not that seat's turn, or the rules refuse the action; nothing changes.
        """
        table = self.table_of(seat)
        if table is None or table.turn_seat != seat:
            raise IllegalAction(f"seat {seat} is not to act")
        hand = table.hand
        phase = hand.phase
        hand.apply(action, declaration)
        card = hand.events[-1] >> 8 if 104 <= action <= 105 else None
        self.records.append(Acted(table.index, table.seats, seat, phase, action, card, declaration))
        if hand.result is not None:
            self.records.append(Showed(table.index, self.seating[table.index], hand.result))
            if not self.in_hand:
                self._score()

    def _score(self) -> None:
        """Enter the hand, and end the game or choose who plays the next one."""
        results = [table.hand.result for table in self.tables if table.hand.result is not None]
        winners = self.form.enter(self.race, self.seating, results)
        self.records.append(Scored(self.hand_number, winners, self.race.scores))
        self.dead_in_a_row = 0 if winners else self.dead_in_a_row + 1
        if self.race.over:
            self._finish("target")
        elif self.rules.hands is not None and self.hand_number + 1 >= self.rules.hands:
            self._finish("hands")
        elif self.dead_in_a_row >= self.rules.dead_hand_cap:
            self._finish("dead hands")
        else:
            self.seating = self.form.next(self.seating, results, self.rules)

    def _finish(self, reason: EndReason) -> None:
        self.finished = Finished(reason, self.race.settle())
        self.records.append(self.finished)

    def forfeit(self, seat: int) -> None:
        """End the game as a forfeit: the seat's side comes last, the others stand as they are.

        Raises:
            IllegalAction: the game is over already.
        """
        if self.finished:
            raise IllegalAction("the game is over")
        side = self.form.sides[seat]
        self.finished = Finished("forfeit", _without(self.race.settle(), side), seat)
        self.records.append(self.finished)

    def clone(self) -> Game:
        """Return an independent copy."""
        new = Game.__new__(Game)
        new.rules = self.rules
        new.form = self.form
        new.aligned = self.aligned
        new.race = self.race.clone()
        new.seating = self.seating
        new.tables = [table.clone() for table in self.tables]
        new.hand_number = self.hand_number
        new.dead_in_a_row = self.dead_in_a_row
        new.finished = self.finished
        new.records = self.records[:]
        return new


def _without(settlement: Settlement, side: int) -> Settlement:
    """Return a settlement with one side placed last."""
    others = [rank for s, rank in enumerate(settlement.ranks) if s != side]
    ranks = tuple(
        len(others) if s == side else sum(other < rank for other in others)
        for s, rank in enumerate(settlement.ranks)
    )
    return Settlement(
        totals=settlement.totals,
        points=settlement.points,
        hands_won=settlement.hands_won,
        winners=tuple(s for s, rank in enumerate(ranks) if rank == 0),
        ranks=ranks,
    )
