"""Says that it can play several matches at once, and reads no more after its first request."""

import time

from arena.testing.faults.wire import play

play(lambda wire, request: time.sleep(600), at=1, max_matches=8)
