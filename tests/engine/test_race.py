"""The race to the target: settlement, boxes, shutout, Hollywood columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.engine.presets import PRESETS, preset
from arena.engine.race import Race
from arena.engine.rules import RuleSet, override

A, B = 0, 1


def raced(rules: RuleSet, *hands: tuple[int, int]) -> Race:
    """Return the race after hands won by a side for so many points."""
    race = Race(rules)
    for side, points in hands:
        race.enter((side,), points)
    return race


def test_first_to_the_target_wins_by_its_points() -> None:
    race = raced(preset("classic"), (A, 60), (B, 99), (A, 40))
    assert race.over
    settlement = race.settle()
    assert settlement.winners == (A,)
    assert settlement.totals == (100, 99)


def test_quick_ends_at_fifty() -> None:
    assert not raced(preset("quick"), (A, 49)).over
    assert raced(preset("quick"), (A, 50)).over


def test_italian_pays_the_game_and_each_side_its_boxes() -> None:
    race = raced(preset("italian"), (A, 70), (B, 20), (B, 10), (A, 40))
    assert race.settle().totals == (110 + 100 + 2 * 25, 30 + 2 * 25)


def test_italian_shutout_doubles_points_and_game_before_the_boxes() -> None:
    race = raced(preset("italian"), (A, 60), (A, 45))
    assert race.settle().totals == (2 * (105 + 100) + 2 * 25, 0)


def test_the_loser_of_the_race_wins_the_settlement_with_more_boxes() -> None:
    """Nine hands of eleven points against one hundred in one: boxes decide under ``difference``."""
    hands = [(B, 11)] * 9 + [(A, 100)]
    settlement = raced(preset("italian"), *hands).settle()
    assert settlement.totals == (100 + 100 + 25, 99 + 9 * 25)
    assert settlement.winners == (B,)


def test_spanish_pays_boxes_to_the_winner_of_the_race_only() -> None:
    settlement = raced(preset("spanish"), (B, 30), (A, 60), (A, 45)).settle()
    assert settlement.totals == (105 + 100 + 2 * 25, 30)
    assert settlement.winners == (A,)


def test_extra_boxes_count_as_boxes() -> None:
    race = Race(override(preset("italian"), ["shutout=none"]))
    race.enter((A,), 100, boxes=3)
    assert race.settle().totals == (100 + 100 + 3 * 25, 0)


def test_a_game_cut_short_is_settled_by_its_totals() -> None:
    assert raced(preset("classic"), (A, 10), (B, 30)).settle().winners == (B,)
    assert raced(preset("classic"), (A, 30), (B, 30)).settle().winners == ()


class TestHollywood:
    """Three columns, under ``modern``."""

    def test_wins_enter_one_two_and_three_columns(self) -> None:
        race = raced(preset("modern"), (A, 10), (A, 20), (A, 30), (A, 5))
        assert [column.points[A] for column in race.columns] == [65, 55, 35]

    def test_a_closed_column_takes_no_more(self) -> None:
        race = raced(preset("modern"), (A, 100), (A, 20))
        assert [column.points[A] for column in race.columns] == [100, 20, 0]
        assert [column.closed for column in race.columns] == [True, False, False]

    def test_a_side_blank_in_a_closed_column_starts_in_the_next(self) -> None:
        race = raced(preset("modern"), (A, 100), (B, 15), (B, 25))
        assert [column.points[B] for column in race.columns] == [0, 40, 25]

    def test_it_is_over_when_all_columns_are_closed(self) -> None:
        race = raced(preset("modern"), (A, 50), (A, 50), (A, 50))
        assert [column.points[A] for column in race.columns] == [100, 100, 50]
        assert not race.over
        race.enter((A,), 50)
        assert race.over

    def test_bonuses_are_paid_in_each_column(self) -> None:
        """B wins one hand, entered in column 1: columns 2 and 3 are shutouts."""
        race = raced(preset("modern"), (B, 40), (A, 100), (A, 100), (A, 100))
        first = 100 + 100 + 1 * 25
        second = 2 * (100 + 100) + 1 * 25
        third = 2 * (100 + 100) + 1 * 25
        assert [column.points[A] for column in race.columns] == [100, 100, 100]
        assert race.settle().totals == (first + second + third, 40 + 25)


hands = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 130)), max_size=60)


@given(st.sampled_from(sorted(PRESETS)), hands)
def test_points_are_conserved_and_ranks_agree_with_winners(name: str, played: list[tuple[int, int]]) -> None:
    rules = preset(name)
    race = Race(rules)
    for side, points in played:
        if race.over:
            break
        before = race.scores
        race.enter((side,), points)
        gained = [now - was for now, was in zip(race.scores, before, strict=True)]
        assert gained[1 - side] == 0
        assert gained[side] % max(1, points) == 0 and gained[side] <= points * rules.columns
        assert points == 0 or gained[side] > 0, "an open game enters every win somewhere"
    settlement = race.settle()
    assert sum(settlement.hands_won) <= len(played)
    assert [s for s in (A, B) if settlement.ranks[s] == 0] == (list(settlement.winners) or [A, B])
