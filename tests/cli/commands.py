"""Running the command line inside the test process."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from arena.cli import main


class Ran(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


def run(capsys: pytest.CaptureFixture[str], *args: str) -> Ran:
    """Run ``arena`` with these arguments."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(list(args))
    code = ended.value.code
    assert isinstance(code, int)
    return Ran(code, *capsys.readouterr())
