"""Logs of every version of the format, as files: later code must read, verify and show them alike."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from arena.log import LOG_VERSION, read_log, report
from tests.log.golden_logs import golden, plays, shown, transcript_of

LOGS = golden()


def test_there_is_a_golden_log_of_every_kind_for_this_version() -> None:
    names = {log.name for log in LOGS}
    assert {f"v{LOG_VERSION}-{name}.jsonl.zst" for name in plays()} <= names


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_golden_log_is_still_true(log: Path) -> None:
    assert report(log.name, log).text == f"{log.name}: ok"


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_golden_log_is_still_shown_the_same(log: Path) -> None:
    assert shown(log) == transcript_of(log).read_text(encoding="utf-8")


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_golden_log_fits_the_schema_of_its_version(log: Path) -> None:
    version = log.name[1 : log.name.index("-")]
    schema = json.loads(files("arena.log").joinpath(f"schema-v{version}.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for line in read_log(log):
        validator.validate(json.loads(line.text))
