"""Remote seats: a bot that somebody else starts, in a debugger or on another machine, and that dials in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.referee.contestant import Contestant, Instance
from arena.referee.manifest import BotPackage
from arena.referee.session import Connection, Door
from arena.referee.verdict import Fault

REMOTE: Final = "remote"
"""What a command line names such a seat."""


def remote_package() -> BotPackage:
    """Return what stands for the package of a bot that is not started here."""
    return BotPackage(Path(), REMOTE, "0", "unknown", run=())


def is_remote(package: BotPackage) -> bool:
    """Return whether a seat waits for a bot that is not started here."""
    return not package.run


class RemoteContestant(Contestant):
    """A seat that is taken by whoever brings its token, and taken again if its stream was lost.

    Args:
        door: where its streams come in.
        announce: called with the token, so that people can be told; and again when it is waited for.
    """

    def __init__(self, door: Door, announce: Callable[[str], None]) -> None:
        super().__init__(remote_package(), door, "", bot_seed="")
        self._announce = announce
        self._arrived: asyncio.Queue[Connection] = asyncio.Queue()
        self._token = door.expect(self._arrive)

    def _arrive(self, connection: Connection) -> str:
        if any(instance.alive for instance in self._instances):
            return "this seat is taken by another stream"
        self._arrived.put_nowait(connection)
        return ""

    async def _start(self) -> Instance | Fault:
        """Wait for a bot to dial in, for as long as it takes."""
        self._announce(self._token)
        connection = await self._arrived.get()
        while connection.closed.is_set():
            connection = await self._arrived.get()
        hello = connection.hello
        assert hello is not None, "the door hands over greeted streams only"
        self.software = hello.software[:100]
        return Instance(connection, None, "", max(1, hello.max_matches))
