"""Tests of the strategy: ``python -m unittest`` in this folder."""

from __future__ import annotations

import unittest
from pathlib import Path

from google.protobuf import json_format
from strategy import choose, makes_meld

from arena.bot import Request

REQUEST = Path(__file__).parent / "testdata" / "request.json"


class StrategyTest(unittest.TestCase):
    """The policy on a request as a referee sent it, and its parts on small hands."""

    def test_recorded_request(self) -> None:
        """Keep the tens and the jacks as sets; the run of hearts would leave more deadwood."""
        request = json_format.Parse(REQUEST.read_text(), Request())
        self.assertEqual(choose(request), "knock 4C")

    def test_a_card_that_completes_a_run_makes_a_meld(self) -> None:
        """Ace, two, three is a run; queen, king, ace is none."""
        self.assertTrue(makes_meld(["2S", "3S"], "AS"))
        self.assertFalse(makes_meld(["QS", "KS"], "AS"))


if __name__ == "__main__":
    unittest.main()
