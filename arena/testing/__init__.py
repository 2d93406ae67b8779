"""Tools for tests of bots and of the arena itself; nothing that plays matches imports them.

* :func:`request` builds the request that a bot gets at a position named by cards and actions;
* :func:`deck` builds a deck from the cards that matter;
* :class:`ScriptedBot` answers a referee inside the test's process, as told;
* :class:`MemoryArena` plays matches between such bots over streams in memory;
* :class:`ManualClock` is a clock that moves when the test says so.

A test of a bot's decision::

    from arena.testing import deck, request

    def test_it_takes_a_card_that_melds():
        dealt = deck("7C 8C 2D 4D 6H 9H JS QS KS 2C", "3C 4C 5D 8D TH JD QH KD 3S 5S", upcard="9C")
        assert decide(request("classic", dealt)) == "draw discard"
"""

from arena.testing.clock import ManualClock
from arena.testing.memory import MemoryArena, MemoryStream
from arena.testing.positions import deck, request
from arena.testing.scripted import Answers, ScriptedBot, first_legal, plays

__all__ = [
    "Answers",
    "ManualClock",
    "MemoryArena",
    "MemoryStream",
    "ScriptedBot",
    "deck",
    "first_legal",
    "plays",
    "request",
]
