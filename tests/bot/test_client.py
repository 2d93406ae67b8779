"""The bot's end of the stream: when it connects again, and when it gives up."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from arena.bot import Bot
from arena.bot import client as client_module
from arena.bot.client import _Client


def unavailable() -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata(), "gone")


def streams(monkeypatch: pytest.MonkeyPatch, *, welcomed: bool, lasts_s: float, broken: int) -> list[int]:
    """Let so many streams break, each after so long, and the next end well; return the streams tried."""
    tried: list[int] = []

    async def play_stream(self: _Client) -> None:
        tried.append(len(tried))
        if len(tried) > broken:
            return
        self._greeted = welcomed
        await asyncio.sleep(lasts_s)
        raise unavailable()

    monkeypatch.setattr(_Client, "_play_stream", play_stream)
    monkeypatch.setattr(client_module, "RECONNECT_S", 0.3)
    asyncio.run(_Client(Bot, "unix:/nowhere", "token").play())
    return tried


def test_a_stream_that_was_open_for_long_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time to come back counts from the break, not from the bot's start."""
    assert len(streams(monkeypatch, welcomed=True, lasts_s=0.4, broken=2)) == 3


def test_a_referee_that_is_not_there_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(grpc.aio.AioRpcError):
        streams(monkeypatch, welcomed=False, lasts_s=0.05, broken=1000)
