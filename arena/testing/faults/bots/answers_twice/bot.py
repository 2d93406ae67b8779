"""Answers a request twice."""

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    wire.answer(request)
    wire.answer(request)


play(_wrong)
