"""Greets with a protocol version of the future."""

import time

from arena.testing.faults.wire import Wire

wire = Wire()
wire.greet(protocol=99)
time.sleep(600)
