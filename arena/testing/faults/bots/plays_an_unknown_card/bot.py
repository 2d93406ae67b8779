"""Discards a card that no deck has."""

from arena.testing.faults.wire import play

play(lambda wire, request: wire.answer(request, "discard 1X"))
