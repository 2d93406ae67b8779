"""Prints bytes that are no text, and goes on."""

import os

from arena.testing.faults.wire import play


def wrong(wire, request):
    os.write(2, bytes(range(256)) * 16 + b"\n")
    wire.answer(request)


play(wrong)
