"""The bots' side of the wire with nothing between: what misbehaving bots are written with."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterator

import grpc

from arena.protocol.transport import CLIENT_OPTIONS
from arena.protocol.v1 import bot_pb2, bot_pb2_grpc

Request = bot_pb2.DecisionRequest


class Wire:
    """One blocking stream to the referee.

    Args:
        token: what it greets with; the environment's by default.
    """

    def __init__(self, token: str | None = None) -> None:
        self._token = os.environ["ARENA_TOKEN"] if token is None else token
        self._outbox: queue.SimpleQueue[bot_pb2.BotMessage | None] = queue.SimpleQueue()
        self._channel = grpc.insecure_channel(os.environ["ARENA_ADDRESS"], options=CLIENT_OPTIONS)
        stub = bot_pb2_grpc.ArenaStub(self._channel)
        self._stream = stub.Play(iter(self._outbox.get, None))

    def send(self, message: bot_pb2.BotMessage) -> None:
        """Send a message."""
        self._outbox.put(message)

    def greet(self, protocol: int = 1, max_matches: int = 1) -> None:
        """Send the hello."""
        hello = bot_pb2.Hello(protocol=protocol, token=self._token, max_matches=max_matches)
        self.send(bot_pb2.BotMessage(hello=hello))

    def messages(self) -> Iterator[bot_pb2.RefereeMessage]:
        """Yield what the referee sends, until the stream ends."""
        try:
            yield from self._stream
        except grpc.RpcError:
            return

    def requests(self) -> Iterator[Request]:
        """Yield the requests, until the stream ends."""
        for message in self.messages():
            if message.HasField("request"):
                yield message.request

    def answer(self, request: Request, action: str = "", request_id: int | None = None) -> None:
        """Answer a request: with its first legal action and its id, unless others are given."""
        self.send(
            bot_pb2.BotMessage(
                decision=bot_pb2.Decision(
                    match_id=request.match_id,
                    request_id=request.request_id if request_id is None else request_id,
                    action=action or request.legal_actions[0],
                )
            )
        )

    def close(self) -> None:
        """End the bot's side of the stream."""
        self._outbox.put(None)

    def cancel(self) -> None:
        """Break the call off."""
        self._stream.cancel()


Wrong = Callable[[Wire, Request], None]
"""What a bot does when it is asked, instead of answering."""


def play(wrong: Wrong, *, at: int = 3, max_matches: int = 1) -> None:
    """Play the first legal action, and go wrong at one request of the first match, counted from 1."""
    wire = Wire()
    wire.greet(max_matches=max_matches)
    play_on(wire, wrong, at=at)


def play_on(wire: Wire, wrong: Wrong | None = None, *, at: int = 3) -> None:
    """Go on playing on a stream that is open."""
    for number, request in enumerate(wire.requests(), 1):
        if number == at and wrong is not None:
            wrong(wire, request)
        else:
            wire.answer(request)
