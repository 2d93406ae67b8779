"""A bot inside the test's process that answers as it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from arena.protocol.codec import PROTOCOL
from arena.protocol.v1 import bot_pb2

Answers = Callable[[bot_pb2.DecisionRequest], Iterable[bot_pb2.BotMessage]]
"""What a bot sends when it is asked: nothing, one message, or several."""


def plays(choose: Callable[[bot_pb2.DecisionRequest], str]) -> Answers:
    """Return answers by a function from a request to the text of an action."""

    def answer(request: bot_pb2.DecisionRequest) -> Iterator[bot_pb2.BotMessage]:
        yield bot_pb2.BotMessage(
            decision=bot_pb2.Decision(
                match_id=request.match_id, request_id=request.request_id, action=choose(request)
            )
        )

    return answer


first_legal: Answers = plays(lambda request: request.legal_actions[0])
"""Plays the first legal action: legal, deterministic, and without any skill."""


class ScriptedBot:
    """Greets, keeps what it is sent, and answers each request as it was told.

    Args:
        answers: what it sends when it is asked.
        hello: its hello; a good one by default. Its token is filled in where it has none.
        max_matches: matches that it says it can play at once.
    """

    def __init__(
        self,
        answers: Answers = first_legal,
        *,
        hello: bot_pb2.BotMessage | None = None,
        max_matches: int = 1,
    ) -> None:
        self.answers = answers
        self.max_matches = max_matches
        self._hello = hello
        self.received: list[bot_pb2.RefereeMessage] = []
        """Everything that it was sent, over all of its streams."""

    @property
    def requests(self) -> list[bot_pb2.DecisionRequest]:
        """The requests that it was sent."""
        return [message.request for message in self.received if message.HasField("request")]

    @property
    def endings(self) -> list[bot_pb2.MatchEnd]:
        """How its matches ended, as it was told."""
        return [message.match_end for message in self.received if message.HasField("match_end")]

    def hello(self, token: str) -> bot_pb2.BotMessage:
        """Return its first message."""
        if self._hello is not None:
            hello = bot_pb2.BotMessage()
            hello.CopyFrom(self._hello)
            if hello.HasField("hello") and not hello.hello.token:
                hello.hello.token = token
            return hello
        return bot_pb2.BotMessage(
            hello=bot_pb2.Hello(
                protocol=PROTOCOL, token=token, max_matches=self.max_matches, software="scripted"
            )
        )

    def receive(self, message: bot_pb2.RefereeMessage) -> Iterable[bot_pb2.BotMessage]:
        """Take a message in and return what is sent back."""
        self.received.append(message)
        return self.answers(message.request) if message.HasField("request") else ()
