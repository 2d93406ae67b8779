"""The referee process: the gRPC server, the contestants' processes, and matches side by side."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.errors import RefereeError
from arena.protocol.transport import PATIENT_SERVER_OPTIONS, SERVER_OPTIONS
from arena.protocol.v1 import bot_pb2_grpc
from arena.referee.contestant import START_S, Contestant
from arena.referee.launcher import Wrap, adopt_orphans
from arena.referee.limits import Limits, Warden
from arena.referee.manifest import BotPackage
from arena.referee.match import GameOutcome, Match, MatchOutcome, MatchSpec
from arena.referee.overload import LagMeter
from arena.referee.remote import RemoteContestant
from arena.referee.session import ArenaService, Door
from arena.referee.watchdog import Watchdog

SOCKET_PATH_BYTES: Final = 107
"""Longest path of a unix socket on Linux."""
READ_BYTES: Final = 12 * 1024 * 1024
"""Longest message that is read at all. One over MAX_MESSAGE_BYTES is a fault; to be blamed on its
sender it must be read, since gRPC says of a message over its own limit only that the stream ended."""
_SERVICE: Final = "arena.v1.Arena"


class Referee:
    """A running referee; use it as ``async with Referee() as referee``.

    Args:
        listen: also listen on this ``host:port``, for remote bots.
        wrap: turns the command of a bot that is not trusted into the one executed (a sandbox).
        limits: what each process of such a bot may use, its children included.
        start_s: seconds from a process's start to its hello; ``None`` for no limit.
        patient: never take a silent bot for dead: it may stand at a breakpoint.
    """

    def __init__(
        self,
        *,
        listen: str | None = None,
        wrap: Wrap | None = None,
        limits: Limits | None = None,
        start_s: float | None = START_S,
        patient: bool = False,
    ) -> None:
        self._listen = listen
        options = dict(PATIENT_SERVER_OPTIONS if patient else SERVER_OPTIONS)
        self._options = tuple({**options, "grpc.max_receive_message_length": READ_BYTES}.items())
        self._wrap = wrap
        self._warden = Warden(limits) if limits is not None else None
        self._start_s = start_s
        self.lag = LagMeter()
        """How late this process's event loop runs."""
        self._door = Door()
        self._service = ArenaService(self._door, self.lag)
        self._watchdog: Watchdog | None = None
        self._contestants: list[Contestant] = []
        self._server: grpc.aio.Server | None = None
        self._folder: str | None = None
        self.address = ""
        """What launched bots dial: ``unix:/path``."""

    async def __aenter__(self) -> Referee:
        """Start the server.

        Raises:
            RefereeError: no socket can be opened.
        """
        adopt_orphans()
        self._folder = _runtime_folder()
        self._watchdog = Watchdog(self._folder)
        self.address = f"unix:{self._folder}/s"
        server = grpc.aio.server(options=self._options)
        bot_pb2_grpc.add_ArenaServicer_to_server(self._service, server)
        servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
        reflection.enable_server_reflection(
            (_SERVICE, "grpc.health.v1.Health", reflection.SERVICE_NAME), server
        )
        await servicer.set(_SERVICE, health_pb2.HealthCheckResponse.SERVING)
        try:
            for address in filter(None, (self.address, self._listen)):
                if not server.add_insecure_port(address):
                    raise RuntimeError("not bound")
        except RuntimeError:
            await server.stop(grace=None)
            self._watchdog.stop()
            raise RefereeError(
                f"cannot listen on {address}: it is in use or not ours to use; take another address"
            ) from None
        await server.start()
        self._server = server
        self.lag.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """End all streams and processes, and the server."""
        self.lag.stop()
        try:
            await asyncio.gather(*(contestant.close() for contestant in self._contestants))
            self._service.end_all()
            if self._server is not None:
                await self._server.stop(grace=0.5)
        finally:
            if self._watchdog is not None:
                self._watchdog.stop()

    def enter(self, package: BotPackage, *, bot_seed: str = "") -> Contestant:
        """Enter a bot in the contest; its processes are started when they are needed."""
        contestant = Contestant(
            package,
            self._door,
            self.address,
            bot_seed=bot_seed,
            wrap=None if package.shipped else self._wrap,
            warden=None if package.shipped else self._warden,
            start_s=self._start_s,
        )
        self._contestants.append(contestant)
        return contestant

    def enter_remote(self, announce: Callable[[str], None]) -> Contestant:
        """Enter a bot that somebody else starts; ``announce`` is called with its token when it is awaited."""
        contestant = RemoteContestant(self._door, announce)
        self._contestants.append(contestant)
        return contestant

    async def play(
        self,
        spec: MatchSpec,
        contestants: list[Contestant],
        on_game: Callable[[GameOutcome], None] | None = None,
    ) -> MatchOutcome:
        """Play one match to its end."""
        return await Match(spec, contestants, on_game).play()


def _runtime_folder() -> str:
    """Return a new folder with a short path for the socket.

    Raises:
        RefereeError: there is no place whose path is short enough.
    """
    for base in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):
        if base and Path(base).is_dir() and len(base.encode()) + 20 < SOCKET_PATH_BYTES:
            with contextlib.suppress(OSError):
                return tempfile.mkdtemp(prefix="arena-", dir=base)
    raise RefereeError(
        "no folder for the referee's socket: set TMPDIR to a writable folder with a short path"
    )
