"""Declares big gin whatever it holds."""

from arena.testing.faults.wire import play

play(lambda wire, request: wire.answer(request, "big gin"))
