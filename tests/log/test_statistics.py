"""Counting, searching and exporting what is in logs, against counts made another way."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest

from arena.errors import UsageError
from arena.log import Decision, Header, Log, Show, Value, read_log
from arena.log.exporting import TABLES, write_csv, write_json_lines
from arena.log.searching import parse_search
from arena.log.statistics import Statistics
from tests.log.playing import FORMATS, Script, played


def logs() -> list[Log]:
    """Return a log of every format, one with faults among them."""
    found = [played("classic", format=form, games=2, seed=seed) for seed, form in enumerate(FORMATS)]
    found.append(played("modern", games=2, seed=9, script=Script(forfeits=(30,))))
    return [read_log(log) for log in found]


def values(log: Log) -> list[Value]:
    return [line.value for line in log]


def test_statistics_agree_with_the_logs_own_lines() -> None:
    statistics = Statistics()
    for log in logs():
        statistics.add(log.header, values(log))
    bots = [bot.as_dict() for bot in statistics.bots.values()]
    everything = [value for log in logs() for value in values(log)]
    shows = [value for value in everything if isinstance(value, Show)]
    decisions = [value for value in everything if isinstance(value, Decision)]
    assert sum(bot["hands"] for bot in bots) == 2 * len(shows)
    assert sum(bot["decisions"] for bot in bots) == sum(not d.asked.substituted for d in decisions)
    assert abs(sum(bot["points_a_hand"] * bot["hands"] for bot in bots)) < 1e-6, "what one wins another loses"
    knocks = sum(round(bot["knock_rate"] * bot["hands"]) for bot in bots)
    assert knocks == sum(show.knocker is not None for show in shows)
    assert sum(bot["faults"] for bot in bots) == 1
    for bot in bots:
        assert bot["p50_ms"] is None or bot["p50_ms"] <= bot["p99_ms"] <= bot["max_ms"]


def found(expression: str) -> list[tuple[Header, Value]]:
    fits = parse_search(expression)
    return [(log.header, value) for log in logs() for value in values(log) if fits(log.header, value)]


def test_search_finds_what_it_names() -> None:
    everything = [value for log in logs() for value in values(log)]
    counts = Counter(type(value) for value in everything)
    actions = sum(len(found(word)) for word in ("draw", "pass", "discard", "knock", "biggin", "spread"))
    assert actions == counts[Decision]
    outcomes = sum(isinstance(value, Show) and value.outcome != "knock" for value in everything)
    assert (
        sum(len(found(word)) for word in ("gin", "undercut", "tie", "dead"))
        + sum(isinstance(value, Show) and value.outcome == "big gin" for value in everything)
        == outcomes
    )
    assert len(found("fault")) == len(found("timeout")) == 1
    assert len(found("slow>0us")) + len(found("fast<0us")) >= counts[Decision] - len(found("fast<1us"))
    assert all(value.seat == 1 for _, value in found("discard seat=1") if isinstance(value, Decision))
    assert found("discard 7D") and not found("discard knock")
    assert {header.seats[0].name for header, _ in found("bot=north knock")} == {"north"}


@pytest.mark.parametrize("text", ["", "fold", "slow>fast", "slow>5", "seat=x", "1Z"])
def test_what_is_no_search_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_search(text)


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_same_in_both_text_forms(name: str) -> None:
    log = logs()[0]
    rows = list(TABLES[name](log.header, values(log)))
    assert rows
    as_csv, as_json = io.StringIO(), io.StringIO()
    write_csv(rows, as_csv)
    write_json_lines(rows, as_json)
    back = [json.loads(line) for line in as_json.getvalue().splitlines()]
    assert back == rows
    texts = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
    assert list(csv.DictReader(io.StringIO(as_csv.getvalue()))) == texts
