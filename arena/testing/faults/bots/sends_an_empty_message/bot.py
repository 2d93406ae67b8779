"""Sends a message with nothing in it."""

from arena.protocol.v1 import bot_pb2
from arena.testing.faults.wire import play

play(lambda wire, request: wire.send(bot_pb2.BotMessage()))
