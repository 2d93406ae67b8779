"""Ends its side of the stream and lives on."""

import time

from arena.testing.faults.wire import play


def wrong(wire, request):
    wire.close()
    time.sleep(600)


play(wrong)
