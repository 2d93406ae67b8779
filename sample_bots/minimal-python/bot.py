"""The bot's end of the stream, with gRPC and the generated stubs alone."""

from __future__ import annotations

import os
import platform
import queue
import sys
from typing import NoReturn

import grpc
from strategy import choose

from arena.protocol.v1.bot_pb2 import BotMessage, Decision, Hello
from arena.protocol.v1.bot_pb2_grpc import ArenaStub

NAME = "minimal-python"
VERSION = "1.0.0"
MATCHES_AT_ONCE = 16
CONNECT_S = 5.0

CHANNEL_OPTIONS = (
    # A proxy in the environment cannot reach a referee on this machine.
    ("grpc.enable_http_proxy", 0),
    # Without pings, a referee whose machine vanished would be waited for without end.
    ("grpc.keepalive_time_ms", 20_000),
    # The referee may begin to listen a moment after the bot was started.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
)


def main() -> None:
    """Play every match that the referee gives, until it ends the stream."""
    address, token = setting("ARENA_ADDRESS"), setting("ARENA_TOKEN")
    with grpc.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=CONNECT_S)
        except grpc.FutureTimeoutError:
            fail(f"no referee answers at {address}")
        play(ArenaStub(channel), token)


def play(arena: ArenaStub, token: str) -> None:
    """Greet the referee and answer its requests, whichever of the matches they belong to."""
    outbox: queue.SimpleQueue[BotMessage | None] = queue.SimpleQueue()
    outbox.put(BotMessage(hello=hello(token)))
    stream = arena.Play(iter(outbox.get, None))
    try:
        for message in stream:
            if message.HasField("request"):
                request = message.request
                decision = Decision(
                    match_id=request.match_id, request_id=request.request_id, action=choose(request)
                )
                outbox.put(BotMessage(decision=decision))
            elif message.HasField("refusal"):
                fail(f"refused: {message.refusal.reason}")
    except grpc.RpcError:
        fail(f"the stream broke: {stream.details()}")
    finally:
        # gRPC's sending thread waits for the next message until it is told that there is none.
        outbox.put(None)


def hello(token: str) -> Hello:
    """Return the first message of the stream."""
    return Hello(
        protocol=1,
        token=token,
        name=NAME,
        version=VERSION,
        max_matches=MATCHES_AT_ONCE,
        software=f"python {platform.python_version()}, grpcio {grpc.__version__}",
    )


def setting(variable: str) -> str:
    """Return a variable of the environment that the referee sets for the bots that it starts."""
    return os.environ.get(variable) or fail(
        f"{variable} is not set: the referee sets it when it starts a bot"
    )


def fail(reason: str) -> NoReturn:
    """End the process with exit code 1 and one line on stderr."""
    print(f"{NAME}: {reason}", file=sys.stderr)
    raise SystemExit(1)


if __name__ == "__main__":
    main()
