"""The race to the target: points, boxes and columns of a game, and its settlement.

A side is a seat, or a partnership. With three columns (Hollywood) a side's first hand won is
entered in one column, its second in two, its third and later ones in all three; a closed column
takes no more entries, and a side still blank in it starts in the next column instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.engine.rules import RuleSet


@dataclass(slots=True)
class Column:
    """One score column, by side."""

    points: list[int]
    boxes: list[int]
    wins: list[int]
    """Hands won and entered in this column."""
    leader: int | None = None
    """The side that reached the target and closed the column."""

    @property
    def closed(self) -> bool:
        """Whether a side has reached the target in this column."""
        return self.leader is not None


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a game is settled, by side."""

    totals: tuple[int, ...]
    """Final totals, bonuses and boxes included, summed over columns."""
    points: tuple[int, ...]
    """Points of the hands, summed over columns."""
    hands_won: tuple[int, ...]
    winners: tuple[int, ...]
    """The side that won; several where they share the first place; none in a draw."""
    ranks: tuple[int, ...]
    """Place of each side from 0, equal places shared."""


@dataclass(slots=True)
class Race:
    """The running score of a game."""

    rules: RuleSet
    sides: int = 2
    columns: list[Column] = field(init=False)
    hands_won: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Open the columns."""
        self.hands_won = [0] * self.sides
        self.columns = [
            Column([0] * self.sides, [0] * self.sides, [0] * self.sides) for _ in range(self.rules.columns)
        ]

    @property
    def over(self) -> bool:
        """Whether every column is closed."""
        return all(column.closed for column in self.columns)

    @property
    def scores(self) -> tuple[int, ...]:
        """Points by side so far, summed over columns, without bonuses."""
        if len(self.columns) == 1:
            return tuple(self.columns[0].points)
        return tuple(sum(c.points[side] for c in self.columns) for side in range(self.sides))

    def enter(self, winners: Sequence[int], points: int, *, boxes: int = 1) -> None:
        """Enter a scored hand for the side (or sides) that won it.

        Args:
            winners: the sides that score, each the whole points.
            points: points of the hand, 0 or more.
            boxes: boxes won, extra ones included.
        """
        for side in winners:
            self.hands_won[side] += 1
            for column in self._due(side):
                column.points[side] += points
                column.boxes[side] += boxes
                column.wins[side] += 1
        for column in self.columns:
            if not column.closed:
                best = max(range(self.sides), key=lambda side: column.points[side])
                if column.points[best] >= self.rules.target:
                    column.leader = best

    def _due(self, side: int) -> list[Column]:
        """Return the open columns that a side's next win is entered in."""
        started = [c for c in self.columns if c.wins[side]]
        fresh = [c for c in self.columns if not c.wins[side] and not c.closed]
        return [c for c in started + fresh[:1] if not c.closed]

    def clone(self) -> Race:
        """Return an independent copy."""
        new = Race(self.rules, self.sides)
        new.hands_won = self.hands_won[:]
        new.columns = [Column(c.points[:], c.boxes[:], c.wins[:], c.leader) for c in self.columns]
        return new

    def settle(self) -> Settlement:
        """Return the settlement as the score stands now."""
        totals = [0] * self.sides
        for column in self.columns:
            for side, total in enumerate(self._column_totals(column)):
                totals[side] += total
        order = self._order(totals)
        ranks = tuple(sum(other > mine for other in order) for mine in order)
        winners = tuple(side for side in range(self.sides) if ranks[side] == 0)
        return Settlement(
            totals=tuple(totals),
            points=self.scores,
            hands_won=tuple(self.hands_won),
            winners=winners if len(winners) < self.sides else (),
            ranks=ranks,
        )

    def _column_totals(self, column: Column) -> list[int]:
        """Return each side's final total of one column (S0: doubling comes before the boxes)."""
        rules = self.rules
        totals = list(column.points)
        if column.leader is not None:
            totals[column.leader] += rules.game_bonus
            blank = not any(wins for side, wins in enumerate(column.wins) if side != column.leader)
            if blank and rules.shutout == "double":
                totals[column.leader] *= 2
        for side in range(self.sides):
            if rules.boxes_to == "each" or side == column.leader:
                totals[side] += rules.box_bonus * column.boxes[side]
        return totals

    def _order(self, totals: list[int]) -> list[tuple[int, int]]:
        """Return what each side is placed by; larger is better."""
        if self.rules.settlement == "difference":
            return [(0, total) for total in totals]
        led = [sum(c.leader == side for c in self.columns) for side in range(self.sides)]
        return list(zip(led, totals, strict=True))
