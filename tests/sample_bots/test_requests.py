"""The recorded requests are many, of every kind, and such that a wrong strategy fails on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from arena.engine.cards import POINTS, parse_card, parse_cards
from arena.engine.melds import deadwood
from arena.engine.presets import PRESETS
from arena.protocol.v1 import game_pb2
from tests.sample_bots.greedy import greedy_unmatched
from tests.sample_bots.record_requests import (
    REQUESTS,
    Request,
    contents,
    kind_of,
    read_recorded,
    simple,
    stored,
)

RECORDED = read_recorded()


def test_recorded_files_are_current() -> None:
    """Otherwise: python -m tests.sample_bots.record_requests."""
    stale = [str(path) for path, text in contents().items() if stored(path) != text]
    assert stale == []


def test_recorded_actions_are_those_of_the_python_strategy() -> None:
    assert len(RECORDED) == REQUESTS
    assert [simple(r.request) for r in RECORDED] == [r.action for r in RECORDED]


def test_every_phase_and_preset_is_among_them() -> None:
    phases = Counter(r.request.phase for r in RECORDED)
    assert set(phases) == set(game_pb2.Phase.values()) - {game_pb2.PHASE_UNSPECIFIED}
    assert min(phases.values()) >= 15
    assert {r.request.rules.name for r in RECORDED} >= set(PRESETS)
    assert any(r.request.rules.melds_declared and r.action == "spread" for r in RECORDED)
    assert any(r.request.knocker_showing.melds for r in RECORDED)
    assert any(r.request.doubled for r in RECORDED)
    assert sum(r.action == "big gin" for r in RECORDED) >= 10
    assert sum("greedy" in kind_of(r.request, r.action) for r in RECORDED) >= 50


def discards_by(order: Callable[[int, int], tuple[int, ...]]) -> Callable[[Request], str]:
    """Return the simple policy with another order of discards, given the hand left and the card."""

    def choose(request: Request) -> str:
        action = simple(request)
        if not action.startswith(("discard", "knock")):
            return action
        verb = action.split()[0]
        hand = parse_cards(" ".join(request.cards))
        cards = [parse_card(a.split()[1]) for a in request.legal_actions if a.startswith(verb)]
        best = min(cards, key=lambda card: order(hand ^ 1 << card, card))
        return next(
            a for a in request.legal_actions if a.split()[0] == verb and parse_card(a.split()[1]) == best
        )

    return choose


def never_big_gin(request: Request) -> str:
    quiet = Request()
    quiet.CopyFrom(request)
    quiet.legal_actions[:] = [a for a in request.legal_actions if a != "big gin"]
    return simple(quiet)


def never_knock(request: Request) -> str:
    quiet = Request()
    quiet.CopyFrom(request)
    discards = [a for a in request.legal_actions if not a.startswith("knock")]
    quiet.legal_actions[:] = discards or request.legal_actions
    return simple(quiet)


def first_legal(request: Request) -> str:
    return request.legal_actions[0]


WRONG: dict[str, Callable[[Request], str]] = {
    "melds greedily": discards_by(
        lambda left, card: (greedy_unmatched(left), -POINTS[card], -(card % 13), -(card // 13))
    ),
    "counts no points in ties": discards_by(lambda left, card: (deadwood(left), card % 13, -(card // 13))),
    "takes the lower rank in ties": discards_by(
        lambda left, card: (deadwood(left), -POINTS[card], card % 13, -(card // 13))
    ),
    "takes the lower suit in ties": discards_by(
        lambda left, card: (deadwood(left), -POINTS[card], -(card % 13), card // 13)
    ),
    "never declares big gin": never_big_gin,
    "never knocks": never_knock,
    "takes the first legal action": first_legal,
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_strategy_is_found_out(wrong: Callable[[Request], str]) -> None:
    assert sum(wrong(r.request) != r.action for r in RECORDED) >= 5


def test_the_right_strategy_is_not_found_out_by_the_same_means() -> None:
    right = discards_by(lambda left, card: (deadwood(left), -POINTS[card], -(card % 13), -(card // 13)))
    assert [right(r.request) for r in RECORDED] == [r.action for r in RECORDED]
