from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
import zstandard

from arena.engine.rules import settings
from arena.log import TIME_FIELDS, LoggedFault, Void, read_log, strip_times
from arena.log.encoding import (
    end_data,
    fault_data,
    game_data,
    header_data,
    line_text,
    void_data,
    without_time,
)
from arena.log.lines import End, GameStart, Header
from arena.log.writer import BLOCK_BYTES
from tests.log.playing import FORMATS, Play, Script, every_rules, played
from tests.strategies import knock_seeking, swapping

SCHEMA = json.loads(files("arena.log").joinpath("schema-v1.json").read_text(encoding="utf-8"))
TROUBLE = Script(forfeits=(40,), voids=(5,), substitutes=(12,))


def texts(log: bytes) -> list[str]:
    return zstandard.ZstdDecompressor().decompress(log).decode().split("\n")[:-1]


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]["rules"]["properties"]) == {"name", *settings()}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("rules", every_rules(), ids=lambda rules: rules.name)
def test_every_line_of_every_preset_and_format_fits_the_schema(rules: Any, form: str) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for policy in (swapping, knock_seeking):
        log = Play(replace(rules, target=20, dead_hand_cap=3), form, policy=policy, script=TROUBLE).play()
        for line in log.lines():
            validator.validate(json.loads(line))


def test_all_types_of_lines_and_all_members_are_met_in_the_schema_test() -> None:
    """What no log has would be checked by nothing above."""
    seen: dict[str, set[str]] = {}
    for rules in every_rules():
        for policy in (swapping, knock_seeking):
            for form in ("duel", "partnership"):
                log = Play(rules, form, policy=policy, script=TROUBLE).play()
                for line in log.lines():
                    data = json.loads(line)
                    seen.setdefault(data["type"], set()).update(data)
    known = {ref["$ref"].rpartition("/")[2] for ref in SCHEMA["oneOf"]}
    assert set(seen) == known
    for kind in known:
        assert seen[kind] == set(SCHEMA["$defs"][kind]["properties"]), kind


def test_the_same_lines_give_the_same_bytes() -> None:
    assert played(seed=3) == played(seed=3)
    assert played(seed=3) != played(seed=4)


def test_what_differs_between_identical_runs_is_in_the_time_fields_only() -> None:
    first, second = played(script=TROUBLE), played(script=TROUBLE, clock=7)
    assert first != second
    assert strip_times(first) == strip_times(second)
    times: set[str] = set()
    for line in texts(first):
        times.update(json.loads(line).get("time", {}))
    assert times == set(TIME_FIELDS)


def test_times_are_cut_off_whatever_a_bot_writes_into_its_note() -> None:
    line = '{"type":"decision","note":",\\"time\\":{}}","time":{"took_us":5}}'
    assert without_time(line) == '{"type":"decision","note":",\\"time\\":{}}"}'
    assert without_time('{"a":1}') == '{"a":1}'
    assert without_time('{"a":{"b":1,"time":{"c":2}},"d":3}') == '{"a":{"b":1,"time":{"c":2}},"d":3}'


def test_lines_are_compact_and_in_the_order_of_the_match() -> None:
    lines = texts(played())
    kinds = [json.loads(line)["type"] for line in lines]
    assert kinds[:3] == ["match", "game", "deal"] and kinds[-2:] == ["game_end", "end"]
    for line in lines:
        assert line == json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))


def test_values_that_were_read_encode_to_the_same_line() -> None:
    """The engine's lines are compared with what the engine records by the replayer."""
    met = set()
    for line in read_log(played(script=TROUBLE, games=2)):
        value = line.value
        if isinstance(value, Header):
            assert line_text(header_data(value)) == line.text
        elif isinstance(value, GameStart):
            assert line_text(game_data(value.number, value.pair, value.first_dealer)) == line.text
        elif isinstance(value, LoggedFault):
            assert line_text(fault_data(value)) == line.text
        elif isinstance(value, Void):
            assert line_text(void_data(value.game, value.reason)) == line.text
        elif isinstance(value, End):
            assert line_text(end_data(value, json.loads(line.text)["sha256"])) == line.text
        met.add(type(value))
    assert {Header, GameStart, LoggedFault, Void, End} <= met


def test_a_fault_before_the_first_game_is_a_log_too() -> None:
    play = Play(every_rules()[0])
    fault = LoggedFault(None, None, None, 1, "failed_start", None, None, "it exited with 3", ("boom",))
    play.log.fault(fault)
    lines = [json.loads(line) for line in play.log.lines()]
    assert [line["type"] for line in lines] == ["match", "fault"]
    assert "at" not in lines[1] and "phase" not in lines[1] and "request" not in lines[1]


def test_a_log_cut_short_loses_little_more_than_its_last_block() -> None:
    log = played(games=20)
    text = zstandard.ZstdDecompressor().decompress(log)
    assert len(text) > 10 * BLOCK_BYTES
    part = zstandard.ZstdDecompressor().decompressobj().decompress(log[: len(log) // 2])
    assert len(part) > len(text) * 0.4 and text.startswith(part)
