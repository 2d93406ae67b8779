"""Perft: how many sequences of legal actions there are from fixed deals, to each depth, per preset.

The golden counts are in ``perft.json``; after a change of the rules that is meant::

    python -m tests.engine.test_perft --regenerate

writes them anew. A deal is named by its cards and the actions already played from it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.engine.presets import PRESETS
from arena.engine.rules import RuleSet
from arena.engine.state import SPREAD_PHASE, Hand
from tests.deals import dealt, draw_on
from tests.engine import openspiel
from tests.optional import need

GOLDEN = Path(__file__).with_name("perft.json")


class Deal(NamedTuple):
    """A deal, the draws already made from it, and how deep it is counted."""

    non_dealer: str
    dealer: str
    upcard: str
    stock: str
    draws: int
    """Stock draws already made, each discarded at once."""
    depth: int


DEALS = {
    "plain": Deal("2C 5D 9H KS 3S 8C JD 6H TS QC", "AC 4D 7H TD 2S 9C KD 5H 8S QH", "6C", "3H JC", 0, 7),
    "knocks at once": Deal(
        "AS 2S 3S 7H 7D 7C 9D TD JD 4C", "5H 6H 7S 8H KC KD KH 2C 2D 2H", "QD", "4D 4H", 0, 7
    ),
    "big gin": Deal("AS 2S 3S 8H 8D 8C 8S JD QD KD", "AC AD AH 2C 2D 2H 9C 6H TD 5S", "7C", "4S 3D", 0, 7),
    "an ace upcard": Deal(
        "2S 3S 4S 7H 7D 7C JD QD KD 9C", "5H 6H 8H 9H TC TD TS KC AD 2C", "AH", "AC 5C", 0, 7
    ),
    "two draws from the end": Deal(
        "AS 2S 3S 7H 7D 7C 9D TD JD 5S", "4C 5C 6C 8C 8H 8S JS QS KS 2H", "TH", "", 27, 6
    ),
}


def begin(rules: RuleSet, deal: Deal) -> Hand:
    """Return the hand that a deal is counted from."""
    hand = dealt(rules, deal.non_dealer, deal.dealer, deal.upcard, deal.stock)
    return draw_on(hand, deal.draws) if deal.draws else hand


def perft(hand: Hand, depth: int) -> int:
    """Return the number of sequences of ``depth`` legal actions."""
    actions = hand.legal_actions()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        after = hand.clone()
        after.apply(action)
        total += perft(after, depth - 1)
    return total


def count(rules: RuleSet, deal: Deal) -> list[int]:
    """Return the counts of a deal to each depth."""
    return [perft(begin(rules, deal), depth) for depth in range(1, deal.depth + 1)]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("deal", DEALS)
def test_golden_counts(name: str, deal: str) -> None:
    golden = json.loads(GOLDEN.read_text())
    assert count(PRESETS[name], DEALS[deal]) == golden[deal][name]


def test_golden_counts_are_of_the_presets_and_deals_there_are() -> None:
    golden = json.loads(GOLDEN.read_text())
    assert set(golden) == set(DEALS)
    assert all(set(counts) == set(PRESETS) for counts in golden.values())


@pytest.mark.parametrize("name", ["openspiel", "openspiel-oklahoma"])
@pytest.mark.parametrize("deal", DEALS)
def test_counts_are_those_of_openspiel(name: str, deal: str) -> None:
    pyspiel = need("pyspiel", "open_spiel")
    hand = begin(PRESETS[name], DEALS[deal])
    theirs = openspiel.following(pyspiel, hand)
    for depth in range(1, DEALS[deal].depth + 1):
        assert openspiel.perft(theirs, hand.stock, depth) == perft_to_the_knock(hand, depth)


def perft_to_the_knock(hand: Hand, depth: int) -> int:
    """Count as :func:`perft`, but let a hand end with its knock: their showdown is played card by card."""
    if hand.phase == SPREAD_PHASE:
        return 0
    if depth == 0:
        return 1
    total = 0
    for action in hand.legal_actions():
        after = hand.clone()
        after.apply(action)
        total += 1 if depth == 1 else perft_to_the_knock(after, depth - 1)
    return total


def regenerate() -> None:
    """Write the golden counts anew."""
    golden = {deal: {name: count(rules, DEALS[deal]) for name, rules in PRESETS.items()} for deal in DEALS}
    lines = []
    for deal, counts in golden.items():
        rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in counts.items())
        lines.append(f"  {json.dumps(deal)}: {{\n{rows}\n  }}")
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--regenerate"]:
        sys.exit("usage: python -m tests.engine.test_perft --regenerate")
    regenerate()
