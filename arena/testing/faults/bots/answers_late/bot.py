"""Answers its third request well after its time is over."""

import time

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    time.sleep(4)
    wire.answer(request)


play(_wrong)
