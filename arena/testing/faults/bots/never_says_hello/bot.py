"""Opens a stream and never says hello on it."""

import time

from arena.testing.faults.wire import Wire

wire = Wire()
time.sleep(600)
