"""Packages that some tests need and a plain installation does not have."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def need(module: str, package: str) -> Any:
    """Import a module, or skip the test (or test file) that asks for it.

    With ``ARENA_REQUIRE_ALL=1`` in the environment nothing is skipped: what is missing fails.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        reason = f"{module} is not installed: pip install {package}"
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason, allow_module_level=True)
