"""Where the logs that a command reads come from: files, or a ladder store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from arena.errors import UsageError

store_option = click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A ladder store: LOG is then a match id, and the last match is taken where none is named.",
)


def log_source(log: str | None, store: Path | None) -> str | bytes:
    """Return the path of a log, or its bytes out of a store (the last match's where none is named).

    Raises:
        UsageError: neither a log nor a store is named.
        StoreError: the store cannot be used, or has no such match.
    """
    if store is not None:
        from arena.ladder.store import load_log

        return load_log(store, log)
    if log is None:
        raise UsageError("no log is named: name its file, or a ladder store with --store FILE")
    return log


def log_sources(logs: tuple[str, ...], store: Path | None) -> Iterator[tuple[str, str | bytes]]:
    """Yield the names and sources of several logs; all of a store's where none is named.

    Raises:
        UsageError: neither a log nor a store is named.
        StoreError: the store cannot be used, or has no such match.
    """
    if store is not None and not logs:
        from arena.ladder.store import load_logs

        yield from load_logs(store)
        return
    for log in logs or (None,):
        yield log or "", log_source(log, store)
