"""Prints 64 MB without a line end, and goes on."""

import os

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    for _ in range(1000):
        os.write(1, b"x" * 64_000)
    wire.answer(request)


play(_wrong)
