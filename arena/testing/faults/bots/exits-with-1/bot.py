"""Exits with code 1 in the middle of its turn, with a message."""

import os
import sys

from arena.testing.faults.wire import play


def wrong(wire, request):
    print("cannot go on: no idea", file=sys.stderr, flush=True)
    os._exit(1)


play(wrong)
