"""The sample bots under test: which there are, what builds them, and builds that are not repeated."""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

import pytest

from arena.referee.launcher import build
from arena.referee.manifest import BotPackage, load_package, shipped_folder

TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "minimal-python": (),
    "simple-python": (),
    "simple-go": ("go",),
    "simple-typescript": ("node", "npm"),
    "simple-rust": ("cargo",),
    "simple-java": ("java", "mvn"),
    "simple-cpp": ("cmake", "g++", "protoc", "grpc_cpp_plugin"),
}
"""The bots that play the simple policy, each with the programs that build and run it."""
REQUIRE_ALL: Final = "ARENA_REQUIRE_ALL"
"""Set to 1 where a missing toolchain is an error, as in CI."""
BUILD_PATIENCE_S: Final = 1800


def need(tools: tuple[str, ...]) -> None:
    """Skip the test, or fail it where all are required, if a program is missing."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if not missing:
        return
    reason = f"not installed: {', '.join(missing)}"
    if os.environ.get(REQUIRE_ALL) == "1":
        pytest.fail(f"{reason} (and {REQUIRE_ALL}=1)")
    pytest.skip(reason)


@functools.cache
def built(name: str) -> BotPackage:
    """Return a bot's package after running its build command, which does no more than is stale.

    Raises:
        AssertionError: the build failed; with the end of its output.
    """
    package = load_package(shipped_folder() / name)
    # Tests of several processes must not build in one folder at the same time.
    with (Path(tempfile.gettempdir()) / f"arena-build-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fault = build(package, BUILD_PATIENCE_S)
    assert fault is None, f"{fault.reason}\n" + "\n".join(fault.stderr)
    return package


def proto_folder(name: str) -> Path:
    """Return a package's own copy of the protocol."""
    return shipped_folder() / name / "proto"
