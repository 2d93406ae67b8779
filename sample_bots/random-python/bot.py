"""Plays any legal action, each as likely as the others."""

from arena.bot import Bot, Request, run


class RandomBot(Bot):
    """A floor for every ladder."""

    max_matches = 64

    def decide(self, request: Request) -> str:
        """Return one of the legal actions by chance."""
        return self.random.choice(request.legal_actions)


run(RandomBot)
