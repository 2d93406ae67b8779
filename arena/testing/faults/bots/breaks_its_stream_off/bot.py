"""Cancels its call and lives on."""

import time

from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    wire.cancel()
    time.sleep(600)


play(_wrong)
