from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.presets import preset
from arena.log import Mismatch, read_log, report, verify
from arena.log.encoding import line_text
from arena.log.writer import compress
from tests.log.playing import FORMATS, Play, Script, every_rules, played

Lines = list[dict[str, Any]]
Path = tuple[str | int, ...]


def lines_of(log: bytes) -> Lines:
    return [json.loads(line.text) for line in read_log(log)]


def rewritten(lines: Lines, *, digest: bool = True) -> bytes:
    """Return a log of these lines; with a digest that fits them, as a careful forger would."""
    texts = [line_text(line) for line in lines]
    if digest and lines[-1].get("type") == "end":
        bare = [{name: line[name] for name in line if name != "time"} for line in lines]
        bare[-1].pop("sha256", None)
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in bare)
        lines[-1]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        texts[-1] = line_text(lines[-1])
    return compress(texts)


def mismatch(lines: Lines, *, digest: bool = True) -> Mismatch | None:
    return report("x", rewritten(lines, digest=digest)).mismatch


# ---------------------------------------------------------------------- true logs


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("rules", every_rules(), ids=lambda rules: rules.name)
def test_a_played_match_is_true(rules: Any, form: str) -> None:
    rules = replace(rules, target=30)
    for duplicate, aligned in ((False, True), (True, False)):
        log = played(rules, format=form, games=3, duplicate=duplicate, aligned=aligned)
        assert report("x", log).text == "x: ok"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "script",
    [
        Script(forfeits=(0, 30, 31)),
        Script(voids=(0, 12, 13)),
        Script(substitutes=(1, 2, 3)),
        Script(aborts_at=0),
        Script(aborts_at=25),
        Script(forfeits=(9,), voids=(5,), substitutes=(7, 30), aborts_at=60),
    ],
)
def test_a_match_with_faults_is_true(script: Script, form: str) -> None:
    assert report("x", played("quick", format=form, games=4, script=script)).text == "x: ok"


def test_a_match_that_a_fault_ended_is_true() -> None:
    play = Play(preset("quick"), games=3, script=Script(forfeits=(9,), aborts_at=40))
    lines = lines_of(play.play().to_bytes())
    lines[-1]["verdict"] = "timeout"
    assert mismatch(lines) is None
    lines[-1]["verdict"] = "crash"
    found = mismatch(lines)
    assert found is not None and found.problem == "the verdict is 'crash', but there was no such fault last"


# ---------------------------------------------------------------------- what is named


def test_one_changed_card_of_a_deck_is_named_with_its_deal() -> None:
    lines = lines_of(played())
    deal = lines[2]["tables"][0]
    cards = deal["deck"].split(" ")
    cards[16], cards[40] = cards[40], cards[16]
    deal["deck"] = " ".join(cards)
    found = mismatch(lines, digest=False)
    assert found is not None
    assert str(found) == (
        f"mismatch at event 3 (deal of hand 0.0): card 17 of table 0's deck is {cards[16]} "
        f"where the secret makes it {cards[40]}"
    )


def test_a_changed_result_is_named_with_what_the_rules_make_of_it() -> None:
    lines = lines_of(played())
    number = next(i for i, line in enumerate(lines) if line["type"] == "show" and line["points"])
    right, lines[number]["points"] = lines[number]["points"], 7_000
    found = mismatch(lines, digest=False)
    assert found is not None and found.number == number + 1
    assert found.problem == f"'points' is 7000 where the rules make it {right}"


def test_an_illegal_action_is_named_with_its_reason() -> None:
    lines = lines_of(played())
    number = next(i for i, line in enumerate(lines) if line.get("action", "").startswith("discard"))
    lines[number]["action"] = "draw stock"
    found = mismatch(lines, digest=False)
    assert found is not None and (found.number, found.place) == (
        number + 1,
        f"decision {lines[number]['at']}",
    )
    assert found.problem == "it is not possible in the phase 'discard'"


def test_another_secret_does_not_fit_the_commitment() -> None:
    lines = lines_of(played())
    lines[-1]["secret"] = "00" * 32
    found = mismatch(lines)
    assert found is not None and found.number == len(lines)
    assert found.problem == "the secret is not the one that the header commits to"


def test_a_line_of_wrong_type_is_named_by_its_number() -> None:
    lines = lines_of(played())
    lines[5]["seat"] = "one"
    found = mismatch(lines)
    assert found is not None and found.number == 6 and "'seat' is 'one'" in found.problem


def test_a_log_without_its_end_is_cut_off() -> None:
    lines = lines_of(played())
    found = mismatch(lines[:-1])
    assert found is not None and found.number == len(lines) - 1
    assert found.problem == "the log is cut off after it"
    whole = read_log(rewritten(lines[:-1]), tolerant=True)
    assert str(verify(whole)) == str(found)


# ---------------------------------------------------------------------- nothing is missed

SCRIPTS = (
    Script(),
    Script(forfeits=(20,), substitutes=(6,)),
    Script(voids=(4,), aborts_at=30),
)
ONLY_THE_DIGEST_KNOWS = {
    "match": {"arena_version", "match_id", "rules", "games", "time_control", "seats", "on_fault"},
    "decision": {"note", "request", "substituted"},
    "fault": {"verdict", "phase", "request", "reason", "stderr", "seat"},
    "void": {"reason"},
    "end": {"verdict", "reason"},
}
"""Members that the rules do not determine; docs/log-format.md lists them too."""


@cache
def logs() -> tuple[bytes, ...]:
    """Return small logs of every kind."""
    return tuple(
        played(
            replace(preset(name), target=10), format=form, games=2, seed=seed, script=script, duplicate=True
        )
        for seed, (name, form) in enumerate(
            [("eaai", "duel"), ("spanish", "cutthroat"), ("modern", "captain"), ("openspiel", "partnership")]
        )
        for script in SCRIPTS
    )


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of everything in a line."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))


def changed(value: Any) -> list[Any]:
    """Return values that are not the given one."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, 0 if value else 7, str(value)]
    if isinstance(value, str):
        return [value + "x", value[:-1] if value else "x", _other_card(value), 3]
    if isinstance(value, list):
        return [value[:-1] if value else [0], [*value, value[0] if value else 0], value[::-1]]
    return [{}, None]


def _other_card(text: str) -> str:
    words = text.split(" ")
    words[-1] = "7D" if words[-1] != "7D" else "8C"
    return " ".join(words)


def edits(lines: Lines, number: int, path: Path) -> Iterator[Lines]:
    """Yield the lines with one value of one line changed, or left out."""
    *way, last = path
    holder: Any = lines[number]
    for step in way:
        holder = holder[step]
    for value in changed(holder[last]):
        if value != holder[last]:
            yield _with(lines, number, path, value)
    if isinstance(holder, dict):
        yield _with(lines, number, path, _GONE)


_GONE = object()


def _with(lines: Lines, number: int, path: Path, value: Any) -> Lines:
    result = [*lines]
    result[number] = copy.deepcopy(lines[number])
    result[-1] = copy.deepcopy(result[-1])
    *way, last = path
    holder: Any = result[number]
    for step in way:
        holder = holder[step]
    if value is _GONE:
        del holder[last]
    else:
        holder[last] = value
    return result


def determined(lines: Lines, number: int, path: Path) -> bool:
    """Return whether the rules alone say what a value must be."""
    line = lines[number]
    if path[0] in ONLY_THE_DIGEST_KNOWS.get(line["type"], ()) or path == ("sha256",):
        return False
    if line["type"] != "decision" or path != ("action",):
        return True
    # Which card was discarded shows only when the hands are laid out.
    hand, table = line["at"].rpartition(".")[0], line.get("table")
    return any(
        "showings" in later and later["at"] == hand and later.get("table") == table
        for later in lines[number:]
        if later["type"] == "show"
    )


def check_edit(lines: Lines, number: int, path: Path, *, digest: bool) -> None:
    """See that every change of one value is found; a forger may have mended the digest."""
    if "time" in path or (digest and not determined(lines, number, path)):
        return
    for edited in edits(lines, number, path):
        verdict = report("x", rewritten(edited, digest=digest))
        assert not verdict.ok, (number, path, edited[number])


@pytest.mark.parametrize("digest", [True, False], ids=["mended digest", "old digest"])
def test_every_change_of_every_value_of_a_small_log_is_found(digest: bool) -> None:
    lines = lines_of(played("openspiel", script=Script(substitutes=(6,))))
    for number, line in enumerate(lines):
        for path in leaves(line):
            check_edit(lines, number, path, digest=digest)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_change_of_any_value_of_any_log_is_found(data: st.DataObject) -> None:
    lines = lines_of(logs()[data.draw(st.integers(0, len(logs()) - 1))])
    number = data.draw(st.integers(0, len(lines) - 1))
    path = data.draw(st.sampled_from(list(leaves(lines[number]))))
    check_edit(lines, number, path, digest=data.draw(st.booleans()))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_lines_left_out_doubled_or_swapped_are_found(data: st.DataObject) -> None:
    lines = lines_of(logs()[data.draw(st.integers(0, len(logs()) - 1))])
    number = data.draw(st.integers(0, len(lines) - 2))
    kind = data.draw(st.sampled_from(["out", "double", "swap"]))
    if kind == "out":
        edited = [*lines[:number], *lines[number + 1 :]]
    elif kind == "double":
        edited = [*lines[: number + 1], *lines[number:]]
    else:
        edited = [*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]]
    assert not report("x", rewritten(copy.deepcopy(edited), digest=False)).ok
    # What comes right before a forfeit, a void game or an abort may as well not have happened.
    if {line["type"] for line in lines}.isdisjoint({"fault", "void"}):
        assert not report("x", rewritten(copy.deepcopy(edited))).ok


def test_times_may_differ() -> None:
    lines = lines_of(played())
    for line in lines:
        for name, value in line.get("time", {}).items():
            line["time"][name] = value + 1 if isinstance(value, int) else "2030-01-01T00:00:00Z"
    assert mismatch(lines, digest=False) is None
