"""Prints bytes that are no text, and goes on."""

import os

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    os.write(2, bytes(range(256)) * 16 + b"\n")
    wire.answer(request)


play(_wrong)
