"""Answers a request twice."""

from arena.testing.faults.wire import play


def wrong(wire, request):
    wire.answer(request)
    wire.answer(request)


play(wrong)
