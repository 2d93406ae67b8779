"""Is ended by signal 11 in the middle of its turn."""

import os
import signal

from arena.testing.faults.wire import play

play(lambda wire, request: os.kill(os.getpid(), signal.SIGSEGV))
