"""Cancels its call and lives on."""

import time

from arena.testing.faults.wire import play


def wrong(wire, request):
    wire.cancel()
    time.sleep(600)


play(wrong)
