from __future__ import annotations

import json
from typing import Any

import pytest

from arena.engine.cards import FULL_DECK, mask_of
from arena.engine.game import Acted, Dealt, Finished, Scored, Showed
from arena.log import (
    Deal,
    Decision,
    GameEnd,
    GameStart,
    Mismatch,
    Replayer,
    Score,
    Show,
    Void,
    read_log,
)
from arena.log.encoding import line_text
from arena.log.writer import compress
from tests.log.playing import FORMATS, Script, played


def follow(log: bytes) -> Replayer:
    """Return a replayer at the end of a log."""
    lines = read_log(log, tolerant=True)
    replayer = Replayer(lines.header)
    for line in lines:
        replayer.follow(line)
    return replayer


def refused(lines: list[dict[str, Any]]) -> str:
    """Return why a log of these lines cannot be replayed."""
    with pytest.raises(Mismatch) as caught:
        follow(compress([line_text(line) for line in lines]))
    return caught.value.problem


def lines_of(log: bytes) -> list[dict[str, Any]]:
    return [json.loads(line.text) for line in read_log(log)]


@pytest.mark.parametrize("form", FORMATS)
def test_the_state_before_and_after_a_decision_is_at_hand(form: str) -> None:
    log = read_log(played("modern", format=form))
    replayer = Replayer(log.header)
    seen = 0
    for line in log:
        value = line.value
        if isinstance(value, Decision):
            game = replayer.game
            assert game is not None and replayer.playing
            assert value.seat in game.to_act()
            table = game.table_of(value.seat)
            assert table is not None and table.index == value.table
            hand = table.hand
            assert value.phase == hand.phase and value.action in hand.legal_actions()
            assert (value.game, value.hand, value.asked.decision) == (
                replayer.number,
                game.hand_number,
                replayer.decisions,
            )
            before = hand.clone()
            records = replayer.follow(line)
            assert isinstance(records[0], Acted) and records[0].action == value.action
            assert len(hand.events) == len(before.events) + 1
            held = hand.hands[0] | hand.hands[1] | mask_of(hand.discards)
            assert held & ~FULL_DECK == 0
            seen += 1
        else:
            replayer.follow(line)
    assert seen > 20


def test_a_result_is_recorded_with_the_decision_that_brought_it() -> None:
    log = read_log(played())
    replayer = Replayer(log.header)
    for line in log:
        records = replayer.follow(line)
        if isinstance(line.value, Decision) and len(records) > 1:
            assert [type(record) for record in records[:3]] == [Acted, Showed, Scored]
        elif isinstance(line.value, Deal):
            assert [type(record) for record in records] == [Dealt]
        elif isinstance(line.value, Show | Score | GameEnd):
            assert records == ()
    assert replayer.game is not None and isinstance(replayer.game.finished, Finished)
    assert replayer.end is not None and replayer.end.wins == tuple(replayer.wins)


def test_a_forfeit_is_recorded_with_the_end_of_its_game() -> None:
    log = read_log(played(script=Script(forfeits=(3,))))
    replayer = Replayer(log.header)
    for line in log:
        records = replayer.follow(line)
        if isinstance(line.value, GameEnd):
            assert [type(record) for record in records] == [Finished]
            assert records[0] == replayer.game.finished  # type: ignore[union-attr]
    assert sum(replayer.faults) == 1 and sum(replayer.wins) == 1


def test_a_void_game_is_played_again_under_its_number() -> None:
    log = read_log(played(games=2, script=Script(voids=(3, 5))))
    numbers = [line.value.number for line in log if isinstance(line.value, GameStart)]
    assert numbers == [0, 0, 0, 1]
    assert sum(isinstance(line.value, Void) for line in log) == 2
    assert sum(follow(played(games=2, script=Script(voids=(3, 5)))).wins) == 2


def test_an_aborted_match_ends_in_the_middle_of_its_game() -> None:
    replayer = follow(played(script=Script(aborts_at=10)))
    assert replayer.playing and replayer.decisions == 10 and replayer.wins == [0, 0]


@pytest.mark.parametrize(
    ("kind", "change", "problem"),
    [
        ("game", {"game": 1}, "it is game 1 where game 0 comes next"),
        ("game", {"first_dealer": 2}, "there is no dealer 2"),
        ("deal", {"at": "0.1"}, '\'at\' is "0.1" where the rules make it "0.0"'),
        ("deal", {"tables": []}, "0 decks were given where 1 can be dealt"),
        ("decision", {"seat": 7}, "seat 7 is not to act"),
        ("decision", {"at": "0.0.5"}, "it is decision 5 where decision 0 comes next"),
        ("decision", {"table": 1}, "'table' is 1 where the rules make it null"),
        ("decision", {"phase": "wall"}, '\'phase\' is "wall" where the rules make it "offer non-dealer"'),
        ("show", {"outcome": "gin"}, '\'outcome\' is "gin" where the rules make it "knock"'),
        ("show", {"more": 1}, "'more' is 1 where the rules make it null"),
        ("score", {"winners": []}, "'winners' is [] where the rules make it [0]"),
        ("game_end", {"reason": "hands"}, '\'reason\' is "hands" where the rules make it "target"'),
        ("fault", {"seat": 2}, "there is no seat 2"),
        ("fault", {"at": "0.0.9"}, "it is not where the match had come to: 0.0.2"),
        ("fault", {"phase": "wall"}, "seat 1 is in the phase 'forced draw', not 'wall'"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(kind: str, change: dict[str, Any], problem: str) -> None:
    lines = lines_of(played(script=Script(substitutes=(2,))))
    next(line for line in lines if line["type"] == kind).update(change)
    assert refused(lines) == problem


def test_lines_out_of_their_order_are_refused() -> None:
    lines = lines_of(played(games=2, script=Script(forfeits=(9,))))
    at = {kind: [i for i, line in enumerate(lines) if line["type"] == kind] for kind in ("show", "game_end")}
    start = [i for i, line in enumerate(lines) if line["type"] == "game"]
    assert refused([lines[0], lines[2]]) == "no game is in play"
    assert refused([lines[0], lines[3]]) == "no game is in play"
    assert refused([lines[0], lines[at["game_end"][0]]]) == "no game is in play"
    assert refused([*lines[:2], lines[start[1]]]) == "game 0 is still in play"
    assert refused([*lines[:3], lines[at["show"][0]]]) == "the rules do not end anything here"
    assert refused([*lines[:3], lines[at["game_end"][0]]]) == "seat 0 did nothing in this game to forfeit it"
    assert refused(lines[: at["show"][-1]] + lines[at["show"][-1] + 1 :]) == (
        '\'type\' is "score" where the rules make it "show"'
    )
    assert refused(lines[: at["game_end"][-1]] + lines[-1:]) == "the line 'game_end' is missing before it"
    assert refused([*lines[:-1], {**lines[start[1]], "game": 2}]) == "only 2 games were to be played"
    assert refused([lines[0], {"type": "void", "game": 0, "reason": ""}]) == "game 0 is not in play"
