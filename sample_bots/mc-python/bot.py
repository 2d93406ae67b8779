"""Samples the hidden cards, plays each sample out, and takes what did best; docs/mc.md explains it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from budget import Budget
from choice import Player

from arena.bot import Bot, MatchStart, Request, run


class McBot(Bot):
    """An opponent worth beating: its strength grows with the time it is given."""

    name = "mc"
    version = "1.0.0"
    max_matches = 1

    def __init__(self, start: MatchStart) -> None:
        super().__init__(start)
        self.samples = int(os.environ.get("ARENA_MC_SAMPLES", "0"))
        self.player = Player(self.random)
        self.clock: Callable[[], float] = time.monotonic

    def decide(self, request: Request) -> str:
        """Return the legal action that did best over the samples that the time allows."""
        if self.samples:
            budget = Budget.of_samples(self.samples)
        else:
            budget = Budget.of_time(request.time_left_ms, self.clock)
        return self.player.choose(request, budget)


if __name__ == "__main__":
    run(McBot)
