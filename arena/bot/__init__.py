"""The Python SDK: what a bot author imports.

A bot is a function from a request to an action, or a :class:`Bot` class with memory of its match::

    import random
    from arena.bot import Request, run

    def decide(request: Request) -> str:
        return random.choice(request.legal_actions)

    run(decide)

:func:`run` connects to the referee that started the process, plays every match that it is given and
returns when the referee is done. The request's fields are described in docs/bots.md and in
proto/arena/protocol/v1/bot.proto.
"""

from arena.bot.bot import Answer, Bot, Decide
from arena.bot.client import run
from arena.protocol.v1.bot_pb2 import DecisionRequest as Request
from arena.protocol.v1.bot_pb2 import MatchEnd, MatchStart
from arena.protocol.v1.game_pb2 import Event, Layoff, Meld, Phase, Rules

__all__ = [
    "Answer",
    "Bot",
    "Decide",
    "Event",
    "Layoff",
    "MatchEnd",
    "MatchStart",
    "Meld",
    "Phase",
    "Request",
    "Rules",
    "run",
]
