"""Answers a request that was never made."""

from arena.testing.faults.wire import play

play(lambda wire, request: wire.answer(request, request_id=999))
