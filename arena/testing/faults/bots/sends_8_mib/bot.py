"""Sends a message of 8 MiB."""

from arena.protocol.v1 import bot_pb2
from arena.testing.faults.wire import Request, Wire, play


def _wrong(wire: Wire, request: Request) -> None:
    wire.send(bot_pb2.BotMessage(decision=bot_pb2.Decision(note="x" * (8 << 20))))


play(_wrong)
