"""Samples the hidden cards, plays each sample out, and takes what did best."""

from __future__ import annotations

import os
import time

from budget import Allowance, Budget
from choice import Player

from arena.bot import Bot, MatchStart, Request, run


class McBot(Bot):
    """An opponent worth beating: its strength grows with the time it is given."""

    name = "mc"
    version = "1.0.0"
    max_matches = 1

    def __init__(self, start: MatchStart) -> None:
        super().__init__(start)
        self.samples = samples_wanted(os.environ.get("ARENA_MC_SAMPLES", "0"))
        """Samples to a decision, for repeatable tests; 0 to think by the clock."""
        self.allowance = Allowance(start, self.clock)
        self.player = Player(self.random)

    @staticmethod
    def clock() -> float:
        """Return the seconds from some start, which thinking is timed by."""
        return time.monotonic()

    def decide(self, request: Request) -> str:
        """Return the legal action that did best over the samples that the time allows."""
        if self.samples:
            return self.player.choose(request, Budget.of_samples(self.samples))
        action = self.player.choose(request, self.allowance.begin(request))
        self.allowance.end()
        return action


def samples_wanted(text: str) -> int:
    """Return the number of samples that ARENA_MC_SAMPLES asks for; 0 to think by the clock."""
    if not text.isdecimal():
        raise SystemExit(f"bot: ARENA_MC_SAMPLES={text} is no number of samples: set it to 50, or not at all")
    return int(text)


if __name__ == "__main__":
    run(McBot)
