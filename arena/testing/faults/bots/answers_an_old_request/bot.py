"""Answers the request before once more."""

from arena.testing.faults.wire import play

play(lambda wire, request: wire.answer(request, request_id=request.request_id - 1))
