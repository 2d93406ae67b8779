"""Bot packages: a folder with a ``bot.toml``, or one of the shipped bots by ``@name``.

::

    [bot]
    name = "my-bot"          # letters, digits, . _ - ; up to 64
    version = "1.0.0"
    language = "python"
    author = "me"            # optional

    [build]                  # optional
    command = "make"

    [run]
    command = "python bot.py"

    [limits]                 # optional
    matches = 8              # at most so many matches at once in one process
"""

from __future__ import annotations

import hashlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import arena
from arena.errors import ManifestError

MANIFEST: Final = "bot.toml"
NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEYS: Final[dict[str, dict[str, type]]] = {
    "bot": {"name": str, "version": str, "language": str, "author": str},
    "build": {"command": str},
    "run": {"command": str},
    "limits": {"matches": int},
}
_REQUIRED: Final = (("bot", "name"), ("bot", "version"), ("bot", "language"), ("run", "command"))
_MATCHES_MAX: Final = 1000
_MESSAGE_LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class BotPackage:
    """A bot as its manifest describes it."""

    folder: Path
    name: str
    version: str
    language: str
    run: tuple[str, ...]
    """The command and its arguments, run in the folder."""
    build: tuple[str, ...] | None = None
    author: str = ""
    matches: int | None = None
    """How many matches one process may play at once at most; by default as many as its hello says."""
    shipped: bool = False
    """Whether it came with gin-arena, as ``@name``, and is trusted."""

    def digest(self) -> str:
        """Return a SHA-256 over the package's own files; build outputs and hidden files left out."""
        total = hashlib.sha256()
        for path in sorted(_own_files(self.folder)):
            total.update(path.relative_to(self.folder).as_posix().encode() + b"\0")
            total.update(hashlib.sha256(path.read_bytes()).digest())
        return total.hexdigest()


_BUILD_OUTPUTS: Final = frozenset({"target", "node_modules", "build", "dist", "bin", "__pycache__"})


def _own_files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in _BUILD_OUTPUTS or path.is_symlink():
            continue
        if path.is_dir():
            yield from _own_files(path)
        elif path.is_file():
            yield path


def load_package(folder: Path, *, shipped: bool = False) -> BotPackage:
    """Return the package in a folder.

    Raises:
        ManifestError: no folder, no ``bot.toml``, or an error in it; the message names the key.
    """
    path = folder / MANIFEST
    if not folder.is_dir():
        raise _refusal(f"there is no bot folder {str(folder)!r}: `arena new NAME` writes one")
    try:
        with path.open("rb") as file:
            data = tomllib.load(file)
    except FileNotFoundError:
        raise _refusal(f"{folder} has no {MANIFEST}: `arena new NAME` shows how one looks") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _refusal(f"{path} is not valid TOML: {error}") from None
    except OSError as error:
        raise _refusal(f"{path} cannot be read: {error.strerror}") from None
    return _package(folder.resolve(), path, data, shipped)


def _refusal(message: str) -> ManifestError:
    """Return the error; what a manifest holds may have line ends and other marks in it."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
    return ManifestError(shown if len(shown) <= _MESSAGE_LENGTH else f"{shown[:_MESSAGE_LENGTH]}...")


def _package(folder: Path, path: Path, data: dict[str, Any], shipped: bool) -> BotPackage:
    _check_keys(path, data)
    bot = data["bot"]
    if not NAME_PATTERN.fullmatch(bot["name"]):
        raise _refusal(
            f"{path}: bot.name {bot['name'][:80]!r} is not allowed: "
            "use 1 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit"
        )
    if bot["name"] == "remote":
        raise ManifestError(f"{path}: bot.name 'remote' is what a remote seat is called: take another name")
    if not NAME_PATTERN.fullmatch(bot["version"]):
        raise _refusal(f"{path}: bot.version {bot['version'][:80]!r} is not allowed: write it as 1.0.0")
    matches = data.get("limits", {}).get("matches")
    if matches is not None and not 1 <= matches <= _MATCHES_MAX:
        raise _refusal(f"{path}: limits.matches = {matches} is not allowed: take 1 to {_MATCHES_MAX}")
    build = data.get("build", {}).get("command")
    return BotPackage(
        folder=folder,
        name=bot["name"],
        version=bot["version"],
        language=bot["language"],
        author=bot.get("author", ""),
        run=_command(path, "run.command", data["run"]["command"]),
        build=_command(path, "build.command", build) if build is not None else None,
        matches=matches,
        shipped=shipped,
    )


def _check_keys(path: Path, data: dict[str, Any]) -> None:
    for section, values in data.items():
        if section not in _KEYS:
            raise _refusal(f"{path}: unknown section [{section}]: allowed are [{'], ['.join(_KEYS)}]")
        if not isinstance(values, dict):
            raise _refusal(f"{path}: {section} must be a section: write [{section}]")
        for key, value in values.items():
            wanted = _KEYS[section].get(key)
            if wanted is None:
                raise _refusal(
                    f"{path}: unknown key {section}.{key}: allowed are {', '.join(_KEYS[section])}"
                )
            if type(value) is not wanted:
                kind = "a number" if wanted is int else "a text in quotes"
                raise _refusal(f"{path}: {section}.{key} = {value!r} must be {kind}")
    for section, key in _REQUIRED:
        if key not in data.get(section, {}):
            raise _refusal(f"{path}: {section}.{key} is missing")


def _command(path: Path, key: str, text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise _refusal(f"{path}: {key} cannot be read: {error}") from None
    if not words:
        raise _refusal(f"{path}: {key} is empty")
    return words


def shipped_folder() -> Path:
    """Return the folder of the bots that come with gin-arena."""
    package = Path(arena.__file__).resolve().parent
    installed = package / "_sample_bots"
    return installed if installed.is_dir() else package.parent / "sample_bots"


def shipped_names() -> list[str]:
    """Return the names by which ``@`` finds a shipped bot."""
    folders = sorted(path.parent.name for path in shipped_folder().glob(f"*/{MANIFEST}"))
    return [folder.removesuffix("-python") for folder in folders]


def find_package(bot: str) -> BotPackage:
    """Return the package that a command line's BOT names: ``@name`` or a folder.

    Raises:
        ManifestError: there is none, or it has an error.
    """
    if not bot.startswith("@"):
        return load_package(Path(bot))
    if bot[1:] not in shipped_names():
        raise _refusal(f"there is no shipped bot {bot!r}: there are @{', @'.join(shipped_names())}")
    folder = shipped_folder() / bot[1:]
    if not (folder / MANIFEST).is_file():
        folder = shipped_folder() / f"{bot[1:]}-python"
    return load_package(folder, shipped=True)
