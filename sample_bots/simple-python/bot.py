"""Plays the simple policy of strategy.py."""

from strategy import choose

from arena.bot import Bot, Request, run


class SimpleBot(Bot):
    """An opponent that every serious bot should beat."""

    max_matches = 64

    def decide(self, request: Request) -> str:
        """Return the simple policy's action."""
        return choose(request)


run(SimpleBot)
