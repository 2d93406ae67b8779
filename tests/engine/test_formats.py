"""Who plays whom: dealer rotation, three-handed play, partnership."""

from __future__ import annotations

import pytest

from arena.engine.formats import Captain, Cutthroat, Format, Partnership, Plan, format_for
from arena.engine.presets import preset
from arena.engine.race import Race
from arena.engine.rules import override
from arena.engine.scoring import NOBODY, HandResult
from arena.errors import UsageError

DEAD = HandResult("dead", dead_reason="stock")


def won(player: int, points: int = 10, outcome: str = "knock") -> HandResult:
    return HandResult(outcome, winner=player, points=points, knocker=player)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "winner", "dealer", "following"),
    [
        ("italian", 0, 1, 0),
        ("italian", 1, 1, 1),
        ("modern", 0, 1, 0),
        ("oklahoma", 1, 0, 1),
        ("classic", 0, 0, 1),
        ("classic", 1, 0, 1),
        ("quick", 1, 1, 0),
        ("brazilian", 0, 1, 0),
        ("spanish", 1, 1, 0),
        ("eaai", 1, 0, 1),
    ],
)
def test_the_next_dealer_of_each_preset(name: str, winner: int, dealer: int, following: int) -> None:
    seating = Format().next((Plan((0, 1), dealer),), [won(winner)], preset(name))
    assert seating == (Plan((0, 1), following),)


def test_the_same_dealer_deals_again_after_a_dead_hand() -> None:
    for name in ("italian", "classic", "brazilian", "oklahoma"):
        assert Format().next((Plan((0, 1), 1),), [DEAD], preset(name)) == (Plan((0, 1), 1),)
    other = override(preset("classic"), ["dealer_after_dead_hand=alternate"])
    assert Format().next((Plan((0, 1), 1),), [DEAD], other) == (Plan((0, 1), 0),)


def test_a_tie_that_scores_nothing_is_followed_like_a_dead_hand() -> None:
    tie = HandResult("tie", winner=NOBODY, knocker=0)
    assert Format().next((Plan((0, 1), 0),), [tie], preset("openspiel")) == (Plan((0, 1), 0),)


class TestThreeHanded:
    """Cutthroat and captain rotate alike: the winner stays, the loser sits out."""

    def test_the_winner_stays_and_the_third_comes_in(self) -> None:
        first = Cutthroat().first(0)
        assert first == (Plan((0, 1), 0),)
        after_box = Cutthroat().next(first, [won(0)], preset("italian"))
        assert after_box[0].seats == (0, 2)
        after_loss = Cutthroat().next(first, [won(1)], preset("italian"))
        assert after_loss[0].seats == (1, 2)

    def test_the_winner_deals_where_the_winner_deals_next(self) -> None:
        seating = Cutthroat().next(Cutthroat().first(0), [won(1)], preset("italian"))
        assert seating[0].dealer_seat == 1

    def test_the_one_who_did_not_deal_deals_where_dealers_alternate(self) -> None:
        first = Cutthroat().first(0)
        assert Cutthroat().next(first, [won(1)], preset("classic"))[0].dealer_seat == 1
        assert Cutthroat().next(first, [won(0)], preset("classic"))[0].dealer_seat == 2

    def test_the_same_two_play_again_after_a_dead_hand(self) -> None:
        assert Cutthroat().next(Cutthroat().first(2), [DEAD], preset("classic"))[0].seats == (2, 0)

    def test_in_cutthroat_only_the_winner_scores(self) -> None:
        race = Race(preset("classic"), 3)
        Cutthroat().enter(race, Cutthroat().first(0), [won(1, 30)])
        assert race.scores == (0, 30, 0)

    def test_the_captains_hand_scores_for_both_partners(self) -> None:
        race = Race(preset("classic"), 3)
        Captain().enter(race, Captain().first(0), [won(1, 30)])
        assert race.scores == (0, 30, 30)
        Captain().enter(race, Captain().first(0), [won(0, 20)])
        assert race.scores == (20, 30, 30)


class TestPartnership:
    """Two against two, and n against n."""

    def test_partners_swap_opponents_from_hand_to_hand(self) -> None:
        form = Partnership(seats=4)
        first = form.first(0)
        assert [plan.seats for plan in first] == [(0, 2), (1, 3)]
        second = form.next(first, [won(0), won(0)], preset("classic"))
        assert [plan.seats for plan in second] == [(0, 3), (1, 2)]

    def test_in_a_round_of_three_everyone_meets_everyone(self) -> None:
        form, rules = Partnership(seats=6), preset("classic")
        seating, met = form.first(0), set()
        for _ in range(3):
            met |= {plan.seats for plan in seating}
            seating = form.next(seating, [DEAD] * 3, rules)
        assert met == {(a, b) for a in range(3) for b in range(3, 6)}

    def test_only_the_side_with_more_scores_the_difference_and_one_box(self) -> None:
        form, race = Partnership(seats=4), Race(preset("italian"))
        assert form.enter(race, form.first(0), [won(0, 30), won(1, 12)]) == (0,)
        assert race.scores == (18, 0)
        assert race.columns[0].boxes == [1, 0]

    def test_equal_points_and_dead_hands_score_nothing(self) -> None:
        form, race = Partnership(seats=4), Race(preset("italian"))
        assert form.enter(race, form.first(0), [won(0, 20), won(1, 20)]) == ()
        assert form.enter(race, form.first(0), [DEAD, DEAD]) == ()
        assert race.scores == (0, 0)

    def test_a_dead_hand_beside_a_scored_one_is_not_replayed(self) -> None:
        form, race = Partnership(seats=4), Race(preset("italian"))
        assert form.enter(race, form.first(0), [DEAD, won(1, 20)]) == (1,)
        assert race.scores == (0, 20)


@pytest.mark.parametrize(
    ("name", "seats", "what"),
    [
        ("duel", 3, "takes 2"),
        ("captain", 2, "takes 3"),
        ("partnership", 5, "takes 4, 6"),
        ("chess", 2, "no format"),
    ],
)
def test_a_wrong_format_is_refused_with_the_remedy(name: str, seats: int, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        format_for(name, seats)
