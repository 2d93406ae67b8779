"""A whole game: hands to the target, forfeits, every format; laws by random play."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.actions import KNOCK
from arena.engine.cards import FULL_DECK
from arena.engine.dealing import deck
from arena.engine.formats import format_for
from arena.engine.game import Acted, Dealt, Finished, Game, Scored, Showed
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet, override
from arena.errors import IllegalAction
from tests.deals import deck_of

SEATS = {"duel": 2, "cutthroat": 3, "captain": 3, "partnership": 4}


def play_out(rules: RuleSet, form: str, seed: int, *, hands: int = 3, aligned: bool = False) -> Game:
    """Play a game of at most so many hands by chance, knocking when it can be."""
    rules = override(rules, [f"hands={hands}"]) if rules.hands is None else rules
    game = Game(rules, format_for(form, SEATS[form]), seed % 2, aligned=aligned)
    rng = random.Random(seed)
    while not game.finished:
        if game.decks_needed:
            secret = seed.to_bytes(8, "big")
            game.deal([deck(secret, 0, game.hand_number + 1, t) for t in range(game.decks_needed)])
        for seat in game.to_act():
            table = game.table_of(seat)
            assert table is not None
            legal = table.hand.legal_actions()
            knocks = [a for a in legal if KNOCK <= a < 104]
            game.apply(seat, rng.choice(knocks or legal))
    return game


@given(st.sampled_from(sorted(PRESETS)), st.sampled_from(sorted(SEATS)), st.integers(0, 2**32), st.booleans())
@settings(max_examples=60, deadline=None)
def test_laws_of_every_preset_and_format(name: str, form: str, seed: int, aligned: bool) -> None:
    game = play_out(preset(name), form, seed, aligned=aligned)
    assert isinstance(game.finished, Finished)
    for table in game.tables:
        hand = table.hand
        held = hand.hands[0] | hand.hands[1]
        knock = 0 if hand.knock_card < 0 else 1 << hand.knock_card
        rest = sum(1 << c for c in (*hand.discards, *hand.stock[hand.front : hand.back]))
        assert held | knock | rest == FULL_DECK
        assert (held | knock).bit_count() + rest.bit_count() == 52
    scored = [record for record in game.records if isinstance(record, Scored)]
    assert scored[-1].scores == game.race.scores
    settlement = game.finished.settlement
    assert all((rank == 0) == (side in settlement.winners) for side, rank in enumerate(settlement.ranks)) or (
        settlement.winners == () and set(settlement.ranks) == {0}
    )


@given(st.sampled_from(sorted(SEATS)), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_points_of_a_hand_go_where_the_format_says(form: str, seed: int) -> None:
    game = play_out(preset("classic"), form, seed)
    before = (0,) * game.race.sides
    for record in game.records:
        if isinstance(record, Scored):
            gained = [b - a for a, b in zip(before, record.scores, strict=True)]
            assert all((gain > 0) <= (side in record.winners) for side, gain in enumerate(gained))
            before = record.scores


def test_records_tell_the_game_in_order() -> None:
    game = play_out(preset("classic"), "duel", 5, hands=1)
    kinds = [type(record) for record in game.records]
    assert kinds[0] is Dealt
    assert kinds[-3:] == [Showed, Scored, Finished]
    assert set(kinds[1:-3]) == {Acted}


def gin_deck() -> tuple[int, ...]:
    """The non-dealer has gin once it draws the first stock card and discards it."""
    return deck_of("AS 2S 3S 7H 7D 7C 9D TD JD QD", "2C 4H 6C 8H TC QH AD 3H 5C KS", "5D", "KH")


def test_an_undercut_that_reaches_the_target_gives_the_game_to_the_undercutter() -> None:
    rules = override(preset("classic"), ["target=26"])
    game = Game(rules, format_for("duel", 2), 1)
    knocker = "4C 5C 6C 9S 9H 9D QC QH QD 5S"
    defender = "2C 2D 2H TS JS QS KD KH KC 4S"
    game.deal([deck_of(knocker, defender, "AS", "8D")])
    for seat, action in ((0, 106), (1, 106), (0, 104)):
        game.apply(seat, action)
    eight = 7 + 13
    game.apply(0, KNOCK + eight)
    assert game.finished is not None
    assert game.finished.settlement.winners == (1,)
    assert game.finished.settlement.totals == (0, 26)


def test_gin_ends_a_game_to_twenty_five() -> None:
    game = Game(override(preset("classic"), ["target=25"]), format_for("duel", 2), 1)
    game.deal([gin_deck()])
    for seat, action in ((0, 106), (1, 106), (0, 104)):
        game.apply(seat, action)
    game.apply(0, KNOCK + 38)
    assert game.finished is not None and game.finished.reason == "target"
    assert game.finished.settlement.winners == (0,)


def test_a_game_of_dead_hands_ends_at_the_cap() -> None:
    rules = override(preset("classic"), ["dead_hand_cap=2", "knock_limit=0", "big_gin_bonus=none"])
    game = Game(rules, format_for("duel", 2), 0)
    while not game.finished:
        if game.decks_needed:
            game.deal([deck(b"dead", 0, game.hand_number + 1)])
        seat = game.to_act()[0]
        game.apply(seat, game.tables[0].hand.legal_actions()[0])
    assert game.finished.reason == "dead hands"
    assert game.hand_number == 1
    assert game.finished.settlement.winners == ()


class TestForfeit:
    """The seat's side comes last, whatever the score."""

    def test_in_a_duel_the_other_wins(self) -> None:
        game = Game(preset("classic"), format_for("duel", 2), 0)
        game.race.enter((0,), 90)
        game.forfeit(0)
        assert game.finished is not None
        assert game.finished.settlement.winners == (1,)
        assert game.finished.forfeited_by == 0
        assert game.finished.settlement.totals == (90, 0), "points stand as they are"

    def test_of_three_the_others_stand_by_their_scores(self) -> None:
        game = Game(preset("classic"), format_for("cutthroat", 3), 0)
        game.race.enter((0,), 90)
        game.race.enter((1,), 20)
        game.forfeit(0)
        assert game.finished is not None
        assert game.finished.settlement.ranks == (2, 0, 1)

    def test_in_partnership_the_side_forfeits(self) -> None:
        game = Game(preset("classic"), format_for("partnership", 4), 0)
        game.forfeit(3)
        assert game.finished is not None
        assert game.finished.settlement.winners == (0,)

    def test_a_finished_game_cannot_be_forfeited(self) -> None:
        game = Game(preset("classic"), format_for("duel", 2), 0)
        game.forfeit(0)
        with pytest.raises(IllegalAction):
            game.forfeit(1)


def test_only_the_seat_to_act_may_act_and_only_a_needed_deck_is_dealt() -> None:
    game = Game(preset("classic"), format_for("duel", 2), 0)
    with pytest.raises(IllegalAction, match="not to act"):
        game.apply(0, 104)
    game.deal([gin_deck()])
    with pytest.raises(IllegalAction, match="not to act"):
        game.apply(0, 105)
    with pytest.raises(IllegalAction, match="decks"):
        game.deal([gin_deck()])
    assert game.to_act() == (1,)
