"""Plays several matches at once, and crashes in one of them."""

import os

from arena.testing.faults.wire import play

play(lambda wire, request: os._exit(5), at=9, max_matches=8)
