"""Takes more and more memory in the middle of its turn."""

import os
import time

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    eaten = [os.urandom(1 << 20) for _ in range(600)]
    time.sleep(600)
    wire.answer(request, request.legal_actions[len(eaten) % 1])


play(_wrong)
