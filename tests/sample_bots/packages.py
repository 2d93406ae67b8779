"""The sample bots under test: which there are, what builds and tests them, and builds one at a time."""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from arena.referee.launcher import build
from arena.referee.manifest import BotPackage, load_package, shipped_folder

TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "minimal-python": (),
    "simple-python": (),
    "simple-go": ("go", "gofmt"),
    "simple-typescript": ("node", "npm"),
    "simple-rust": ("cargo",),
    "simple-java": ("java", "mvn"),
    "simple-cpp": ("make", "cmake", "g++", "pkg-config", "protoc", "grpc_cpp_plugin"),
}
"""The bots that play the simple policy, each with the programs that build and run it."""
OWN_TESTS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "minimal-python": ((sys.executable, "-m", "unittest"),),
    "simple-python": ((sys.executable, "-m", "unittest"),),
    "simple-go": (("go", "vet", "./..."), ("go", "test", "./...")),
    "simple-typescript": (("npm", "install"), ("npm", "test")),
    "simple-rust": (("cargo", "fmt", "--check"), ("cargo", "test", "--locked")),
    "simple-java": (("mvn", "-q", "-B", "test"),),
    "simple-cpp": (("make", "test"),),
}
"""What an author runs in each package to test it."""
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
        pytest.fail(f"{reason} (and {REQUIRE_ALL}=1)", pytrace=False)
    pytest.skip(reason)


@contextmanager
def building(name: str) -> Iterator[None]:
    """Let one process at a time build a package."""
    with (Path(tempfile.gettempdir()) / f"arena-build-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def built(name: str) -> BotPackage:
    """Return a bot's package after running its build command, which does no more than is stale.

    Raises:
        AssertionError: the build failed; with the end of its output.
    """
    package = load_package(shipped_folder() / name)
    with building(name):
        fault = build(package, BUILD_PATIENCE_S)
    assert fault is None, f"{fault.reason}\n" + "\n".join(fault.stderr)
    return package


def run(command: tuple[str, ...], folder: Path, **environment: str) -> str:
    """Run a command in a folder and return what it wrote.

    Raises:
        AssertionError: its exit code is not 0; with its output.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)} failed:\n{done.stdout}"
    return done.stdout
