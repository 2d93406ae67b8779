"""Exits with code 1 in the middle of its turn, with a message."""

import os
import sys

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    print("cannot go on: no idea", file=sys.stderr, flush=True)
    os._exit(1)


play(_wrong)
