"""Needs a few seconds to start, and plays then."""

import time

from arena.testing.faults.wire import Wire, play_on

time.sleep(3)
wire = Wire()
wire.greet()
play_on(wire)
