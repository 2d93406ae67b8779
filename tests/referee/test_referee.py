"""The referee's server: reflection and health, so that people can talk to it by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from arena.errors import RefereeError
from arena.protocol.transport import CLIENT_OPTIONS
from arena.referee.referee import Referee

Found = TypeVar("Found")


def asked(question: Callable[[grpc.Channel], Found]) -> Found:
    """Start a referee, put a question to its server from another thread, and end it."""

    async def run() -> Found:
        async with Referee() as referee:

            def ask() -> Found:
                with grpc.insecure_channel(referee.address, options=CLIENT_OPTIONS) as channel:
                    return question(channel)

            return await asyncio.to_thread(ask)

    return asyncio.run(run())


def test_reflection_lists_the_services_and_describes_the_messages() -> None:
    def question(channel: grpc.Channel) -> tuple[set[str], list[str]]:
        database = ProtoReflectionDescriptorDatabase(channel)
        file = database.FindFileContainingSymbol("arena.v1.DecisionRequest")
        return set(database.get_services()), [message.name for message in file.message_type]

    services, messages = asked(question)
    assert {"arena.v1.Arena", "grpc.health.v1.Health"} <= services
    assert "DecisionRequest" in messages


def test_health_is_serving() -> None:
    def question(channel: grpc.Channel) -> int:
        request = health_pb2.HealthCheckRequest(service="arena.v1.Arena")
        return int(health_pb2_grpc.HealthStub(channel).Check(request).status)

    assert asked(question) == health_pb2.HealthCheckResponse.SERVING


def test_no_folder_for_the_socket_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.referee.referee.SOCKET_PATH_BYTES", 10)

    async def run() -> None:
        async with Referee():
            pass

    with pytest.raises(RefereeError, match="set TMPDIR to a writable folder with a short path"):
        asyncio.run(run())
