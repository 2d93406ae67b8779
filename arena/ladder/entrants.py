"""What a BOT on the command line stands for: a shipped bot, a folder, or a ladder's bot."""

from __future__ import annotations

from pathlib import Path

from arena.errors import ManifestError
from arena.ladder.store import DEFAULT_STORE, Store
from arena.referee.manifest import BotPackage, find_package, shipped_names
from arena.referee.remote import REMOTE, remote_package


def find_entrant(bot: str, store: Path | None = None, *, remote: bool = False) -> BotPackage:
    """Return the package that BOT names.

    Args:
        bot: ``@name``, a folder with a ``bot.toml``, a name registered in the ladder, or ``remote``.
        store: the ladder's store; by default ``arena.db`` here, if it exists.
        remote: whether a seat may wait for a bot that is started elsewhere.

    Raises:
        ManifestError: it names nothing, or a package with an error.
        StoreError: the store cannot be used.
    """
    if not bot.strip():
        raise ManifestError("an empty BOT names nothing: give a folder, @simple, or a ladder's bot")
    if bot == REMOTE and not Path(bot).exists():
        if not remote:
            raise ManifestError(f"{REMOTE!r} is a seat of `arena match` only: name a bot here")
        return remote_package()
    if bot.startswith("@") or Path(bot).exists() or "/" in bot:
        return find_package(bot)
    path = store or Path(DEFAULT_STORE)
    if store is not None or path.exists():
        with Store(path) as ladder:
            for row in ladder.bots():
                if row.name == bot and row.active:
                    return find_package(row.source)
    known = ", ".join(f"@{name}" for name in shipped_names())
    raise ManifestError(
        f"there is no bot {bot!r}: give a folder with a bot.toml, a shipped bot ({known}), "
        f"or a name registered in a ladder ({path})"
    )
