"""Exits with code 0 in the middle of its turn."""

import os

from arena.testing.faults.wire import play

play(lambda wire, request: os._exit(0))
