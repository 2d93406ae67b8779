"""Every misbehaviour ends in its verdict, hurts nobody else, and leaves nothing behind."""

from __future__ import annotations

import asyncio

import pytest

from arena.testing.faults.cases import BOTS, CASES, Case
from arena.testing.faults.suite import run_case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_misbehaviour_ends_in_its_verdict(case: Case) -> None:
    finding = asyncio.run(run_case(case))
    assert finding.ok, "; ".join(finding.problems)


def test_every_bot_of_the_suite_is_run() -> None:
    assert {path.name for path in BOTS.iterdir()} == {case.bot for case in CASES} | {"witness"}
