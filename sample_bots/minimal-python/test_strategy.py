"""Tests of the strategy: ``python -m unittest``."""

from __future__ import annotations

import unittest
from pathlib import Path

from google.protobuf import json_format
from strategy import choose, deadwood, makes_meld, mask

from arena.protocol.v1.bot_pb2 import DecisionRequest

REQUEST = Path(__file__).parent / "testdata" / "request.json"


def hand(cards: str) -> int:
    """Return the set of some cards separated by spaces."""
    return mask(cards.split())


class StrategyTest(unittest.TestCase):
    """The policy on a request that a referee sent, and its parts on hands that are easy to get wrong."""

    def test_recorded_request(self) -> None:
        """Keep the tens and the jacks as sets; the run of hearts would leave more deadwood."""
        request = json_format.Parse(REQUEST.read_text(), DecisionRequest())
        self.assertEqual(choose(request), "knock 4C")

    def test_least_deadwood_shares_cards_between_sets_and_runs_in_the_best_way(self) -> None:
        """The sevens cost the spades their upper end; aces and fives cost the hearts their run."""
        self.assertEqual(deadwood(hand("4S 5S 6S 7S 8S 7H 7D KC KD KH")), 8)
        self.assertEqual(deadwood(hand("AC 2C 3C 4C 5D AH 3H 4H 5H 5S AD")), 7)

    def test_ace_is_low_only(self) -> None:
        """Ace, two, three is a run; queen, king, ace is none."""
        self.assertTrue(makes_meld(["2S", "3S"], "AS"))
        self.assertFalse(makes_meld(["QS", "KS"], "AS"))


if __name__ == "__main__":
    unittest.main()
