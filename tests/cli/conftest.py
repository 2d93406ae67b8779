"""Running the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Arena = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    """Return a function that runs ``arena`` with arguments in an empty folder."""

    def run(*arguments: str, timeout: float = 300, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "arena", *arguments],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        # What a bot wrote is shown indented; a traceback of our own would not be.
        assert "\nTraceback" not in "\n" + done.stderr, done.stderr
        return done

    return run
