"""Answers its third request with a flood of answers to no request."""

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    for number in range(100_000):
        wire.answer(request, request_id=1_000_000 + number)


play(_wrong)
