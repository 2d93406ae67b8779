"""Optional build step: compile the hot modules of the engine with mypyc.

Off unless ``ARENA_MYPYC=1`` is in the environment, so that an ordinary installation stays pure
Python and needs no compiler::

    ARENA_MYPYC=1 pip install .

The compiled modules lie beside their sources in the wheel and are imported instead of them.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED: Final = ("cards", "melds", "actions", "state")
"""The modules of ``arena.engine`` that are compiled."""


def wanted() -> bool:
    """Return whether the environment asks for the compiled engine."""
    return os.environ.get("ARENA_MYPYC") == "1"


class CompiledEngine(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel."""

    def dependencies(self) -> list[str]:
        """Return what the build needs beside hatchling."""
        return ["mypy[mypyc]>=1.18", "setuptools>=77"] if wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put what was compiled into the wheel."""
        if not wanted() or self.target_name != "wheel" or version == "editable":
            return
        folder = Path(tempfile.mkdtemp(prefix="arena-mypyc-"))
        compile_modules(Path(self.root), folder)
        compiled = folder / "lib"
        for library in (*compiled.rglob("*.so"), *compiled.rglob("*.pyd")):
            build_data["force_include"][str(library)] = str(library.relative_to(compiled))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compile_modules(root: Path, folder: Path) -> None:
    """Compile the modules; the libraries are put under ``folder/lib`` as they lie in the package."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    before = Path.cwd()
    os.chdir(root)
    try:
        sources = [f"arena/engine/{name}.py" for name in COMPILED]
        extensions = mypycify(["--config-file=", *sources], target_dir=str(folder / "c"))
        command = build_ext(Distribution({"name": "arena", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "c")
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(before)
