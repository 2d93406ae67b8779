"""Writing a new bot package: a copy of the shipped ``simple`` bot of a language under a new name.

The sample bots are the templates, so that what ``arena new`` writes is what CI builds and plays.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from arena.errors import UsageError
from arena.referee.manifest import MANIFEST, NAME_PATTERN, shipped_folder

_LEFT_OUT: Final = shutil.ignore_patterns(
    "target", "node_modules", "build", "dist", "bin", "__pycache__", ".built*", "*.egg-info"
)


def languages() -> list[str]:
    """Return the languages that there is a template for."""
    return sorted(
        path.parent.name.removeprefix("simple-") for path in shipped_folder().glob(f"simple-*/{MANIFEST}")
    )


def new_package(folder: Path, language: str) -> list[Path]:
    """Write a bot package named like its folder; return its files.

    Args:
        folder: where to; it must not exist.
        language: one of :func:`languages`.

    Raises:
        UsageError: the folder exists, its name cannot be a bot's, or there is no such template.
    """
    if language not in languages():
        raise UsageError(f"there is no template for {language!r}: take one of {', '.join(languages())}")
    if not NAME_PATTERN.fullmatch(folder.name) or folder.name == "remote":
        raise UsageError(
            f"{folder.name[:80]!r} cannot be a bot's name: "
            "use 1 to 64 letters, digits, dots, dashes and underscores"
        )
    if folder.exists():
        raise UsageError(f"{folder} exists already: take another name, or remove it first")
    template = shipped_folder() / f"simple-{language}"
    try:
        shutil.copytree(template, folder, ignore=_LEFT_OUT)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
    _rename(folder)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _rename(folder: Path) -> None:
    """Give the copy its own name in the manifest and the title of its README."""
    manifest = folder / MANIFEST
    text = manifest.read_text("utf-8")
    text = re.sub(r'(?m)^name = ".*"', f'name = "{folder.name}"', text, count=1)
    text = re.sub(r'(?m)^version = ".*"', 'version = "0.1.0"', text, count=1)
    text = re.sub(r'(?m)^author = ".*"\n', "", text, count=1)
    manifest.write_text(text, "utf-8")
    readme = folder / "README.md"
    if readme.is_file():
        readme.write_text(re.sub(r"\A# .*", f"# {folder.name}", readme.read_text("utf-8")), "utf-8")
