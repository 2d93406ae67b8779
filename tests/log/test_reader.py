from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.presets import preset
from arena.errors import LogError
from arena.log import CutOffError, Decision, End, Header, LineError, open_log, raw, read_log, reader, report
from arena.log.decoding import decode, plain_decision
from arena.log.writer import compress
from tests.log.playing import Play, Script, played, written

MATCH = Script(forfeits=(40,), voids=(5,), substitutes=(12,))


@cache
def small() -> bytes:
    """Return the log of one hand."""
    return played("openspiel", format="partnership", script=Script(substitutes=(3,)))


@cache
def lines() -> tuple[str, ...]:
    return tuple(line.text for line in read_log(small()))


def edited(change: Callable[[list[str]], None]) -> bytes:
    """Return the small log with its lines changed."""
    changed = list(lines())
    change(changed)
    return compress(changed)


# ---------------------------------------------------------------------- good logs


def test_a_log_is_read_from_a_file_and_from_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, script=MATCH)
    log = read_log(path)
    assert log.lines == read_log(path.read_bytes()).lines == read_log(str(path)).lines
    assert log.name == str(path) and log.problem is None
    assert [line.number for line in log] == list(range(1, len(log.lines) + 1))
    assert isinstance(log.lines[0].value, Header) and log.end == log.lines[-1].value


def test_values_have_their_types_again() -> None:
    play = Play(preset("eaai"), games=2, script=MATCH)
    log = read_log(play.play().to_bytes())
    assert log.header == play.header()
    assert log.end is not None and log.end.secret == play.secret and log.end.wins == tuple(play.wins)
    decisions = [line.value for line in log if isinstance(line.value, Decision)]
    assert any(decision.declaration for decision in decisions)
    assert [decision.asked.substituted for decision in decisions].count(True) == 1
    assert any(decision.asked.note for decision in decisions)


def test_plain_text_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    assert read_log(path).lines == read_log(small()).lines
    path.write_text("\n".join(lines()), encoding="utf-8")
    assert read_log(path).lines == read_log(small()).lines


def test_several_zstd_frames_are_one_log() -> None:
    text = zstandard.ZstdDecompressor().decompress(small())
    halves = [zstandard.compress(half) for half in (text[:1000], text[1000:])]
    assert read_log(b"".join(halves)).lines == read_log(small()).lines


def test_members_of_a_later_minor_version_are_passed_over() -> None:
    def add(texts: list[str]) -> None:
        texts[2] = texts[2].replace('{"type"', '{"weather":"fine","type"')

    assert len(read_log(edited(add)).lines) == len(lines())


def test_the_fast_way_to_read_a_decision_reads_the_same() -> None:
    fast = slow = 0
    for rules in ("classic", "eaai", "spanish"):
        for form in ("duel", "partnership"):
            for line in read_log(played(rules, format=form, script=MATCH)):
                plain = plain_decision(line.text)
                fast += plain is not None
                slow += plain is None
                assert plain is None or plain == decode(json.loads(line.text))
    assert fast > slow > 0


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"decision","at":"0.0.0","seat":0,"phase":"drow","action":"pass","request":1,"time":{"took_us":1}}',
        '{"type":"decision","at":"0.0.0","seat":0,"phase":"draw","action":"pas","request":1,"time":{"took_us":1}}',
        '{"type":"decision","at":"0.0.0","seat":01,"phase":"draw","action":"pass","request":1,"time":{"took_us":1}}',
        '{"type":"decision","at":"0.0.0","seat":0,"phase":"draw","action":"draw stock","card":"XX",'
        '"request":1,"time":{"took_us":1}}',
    ],
)
def test_the_fast_way_leaves_what_is_wrong_to_the_other(text: str) -> None:
    assert plain_decision(text) is None


# ---------------------------------------------------------------------- bad logs


def test_no_such_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"missing\.jsonl: there is no such file: "):
        read_log(tmp_path / "missing.jsonl")
    with pytest.raises(LogError, match=r"it is a folder: name the logs in it, as .*/\*.jsonl.zst"):
        read_log(tmp_path)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "it is empty"),
        (b"hello\n", "it is no match log, neither zstd nor JSON Lines"),
        (gzip.compress(b"{}", mtime=0), "it is no match log, neither zstd nor JSON Lines"),
        (b"\x28\xb5", "it is cut off"),
        (b'{"type":"deal"}\n', "its first line does not say so"),
        (b'{"type":"match"\n', "it is no JSON"),
        (zstandard.compress(b"\xff\xfe\n"), "it is no JSON"),
        (zstandard.compress(b"[]\n"), "its first line does not say so"),
        (zstandard.compress(b""), "it is cut off"),
        (zstandard.compress(b"[" * 100_000 + b"\n"), "it is no JSON"),
    ],
)
def test_what_is_no_log_says_so(source: bytes, message: str) -> None:
    with pytest.raises(LogError, match=message) as caught:
        read_log(source, name="x.zst")
    assert str(caught.value).startswith("x.zst: ") and "\n" not in str(caught.value)


def test_a_later_version_asks_for_an_upgrade_whatever_else_it_changed() -> None:
    later = lines()[0].replace('"log_version":1', '"log_version":2').replace('"games":', '"rounds":')
    with pytest.raises(LogError, match=r"log version 2, written by a later gin-arena .*: upgrade gin-arena"):
        read_log(compress([later]))


@pytest.mark.parametrize(
    ("number", "old", "new", "message"),
    [
        (1, '"game_format":"partnership"', '"game_format":"bridge"', "there is no format 'bridge'"),
        (1, '"gin_bonus":25', '"gin_bonus":-1', "gin_bonus=-1 is not allowed"),
        (1, '"tie":"nothing"', '"tie":"\\n\\u001b[2J"', r"tie=\\n\\x1b\[2J is not allowed"),
        (1, '"gin_bonus":25', '"gin":25', "there is no rule setting 'gin'"),
        (1, '"games":1', '"games":0', "'games' is 0, where a whole number from 1"),
        (1, '"version":"1.0"', '"version":1', r"'seats\[0\].version' is 1, where a text belongs"),
        (2, '"pair":0', '"pair":"0"', "'pair' is '0', where a whole number"),
        (2, '"type":"game"', '"type":"gamble"', "'gamble' is no type of line in log version 1"),
        (3, '"deck":"', '"deck":"AC ', "where all 52 cards, each once belongs"),
        (4, '"took_us":', '"took":', "'time.took_us' is missing"),
        (4, '"phase":"', '"phase":"un', "'phase' is 'unoffer"),
        (4, '"at":"0.0.0"', '"at":"0.0"', "'at' is '0.0', where GAME.HAND.DECISION belongs"),
        (4, '"at":"0.0.0"', '"at":"0.0.99999999999"', "where GAME.HAND.DECISION belongs"),
        (4, '"action":"pass"', f'"action":"spread: + 7C on {"9" * 5000}"', "'action' is 'spread: "),
        (4, '"action":"', '"action":"un', "where an action such as discard 7D belongs"),
    ],
)
def test_an_edited_line_is_named_with_its_member(number: int, old: str, new: str, message: str) -> None:
    def edit(texts: list[str]) -> None:
        assert old in texts[number - 1]
        texts[number - 1] = texts[number - 1].replace(old, new)

    with pytest.raises(LogError, match=message) as caught:
        read_log(edited(edit), name="x")
    if number > 1:
        assert isinstance(caught.value, LineError) and caught.value.number == number
        assert str(caught.value).startswith(f"x was edited or damaged in line {number}: ")


def test_lines_behind_the_end_or_a_second_header_are_refused() -> None:
    with pytest.raises(LineError, match="it follows the end of the match"):
        read_log(compress([*lines(), lines()[1]]))
    with pytest.raises(LineError, match="it is a second header"):
        read_log(compress([lines()[0], *lines()]))


def test_a_truncated_log_gives_its_good_lines_and_the_last_event() -> None:
    log = read_log(compress(lines()[:20]), name="x", tolerant=True)
    assert [line.text for line in log] == list(lines()[:20])
    assert log.end is None and isinstance(log.problem, CutOffError)
    assert str(log.problem).startswith(f"x is cut off after line 20 ({log.last.place}): ")
    with pytest.raises(CutOffError):
        read_log(compress(lines()[:20]))


def test_a_truncated_file_gives_a_prefix_of_its_lines_wherever_it_is_cut() -> None:
    whole = played(games=6)
    texts = [line.text for line in read_log(whole)]
    most = 0
    for cut in range(0, len(whole), 499):
        try:
            log = read_log(whole[:cut], tolerant=True)
        except LogError:
            continue
        assert log.problem is not None
        assert [line.text for line in log] == texts[: len(log.lines)]
        most = max(most, len(log.lines))
    assert most > len(texts) * 0.7


def test_plain_text_cut_in_a_line_is_cut_off_or_broken() -> None:
    text = ("\n".join(lines()) + "\n").encode()
    for cut in range(0, len(text) - 1, 31):
        with pytest.raises(LogError):
            read_log(text[:cut])


# ---------------------------------------------------------------------- bounds


def test_a_decompression_bomb_is_refused_early() -> None:
    head = (lines()[0] + "\n").encode()
    for filling in (b" ", b"\n", b"x"):
        bomb = zstandard.compress(head + filling * 200_000_000)
        assert len(bomb) < 100_000
        with pytest.raises(LineError) as caught:
            read_log(bomb)
        assert caught.value.number == 2


def test_a_line_has_a_length_and_a_log_read_at_once_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "LINE_BYTES_MAX", 10_000)
    long = lines()[1].replace('"type"', f'"x":"{"y" * 20_000}","type"')
    with pytest.raises(LineError, match="longer than 10000 bytes"):
        read_log(compress([lines()[0], long, *lines()[2:]]))
    monkeypatch.setattr(reader, "LINES_MAX", 10)
    with pytest.raises(LogError, match="more than 10 lines"):
        read_log(small())
    assert sum(1 for _ in open_log(small())) == len(lines())


# ---------------------------------------------------------------------- fuzz

CASES = [pytest.param(500, id="500"), pytest.param(100_000, id="100k", marks=pytest.mark.slow)]


def mutated(data: st.DataObject, original: bytes) -> bytes:
    """Return bytes cut, changed, doubled or left out somewhere."""
    result = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, max(0, len(result) - 1)))
        length = data.draw(st.integers(0, 12))
        kind = data.draw(st.sampled_from(["cut", "change", "insert", "delete", "double"]))
        if kind == "cut":
            del result[start:]
        elif kind == "change":
            result[start : start + length] = data.draw(st.binary(min_size=length, max_size=length))
        elif kind == "insert":
            result[start:start] = data.draw(st.binary(max_size=12))
        elif kind == "delete":
            del result[start : start + length]
        else:
            result[start:start] = result[start : start + 10 * length]
    return bytes(result)


def never_a_traceback(log: bytes) -> None:
    """Whatever the bytes are, they are a log, or the error says in one line what is wrong."""
    verdict = report("fuzzed", log)
    assert "\n" not in verdict.text
    json.dumps(verdict.data)
    try:
        for line in read_log(log, tolerant=True):
            assert line.place
    except LogError as error:
        assert str(error) and "\n" not in str(error)


@pytest.mark.parametrize("cases", CASES)
def test_mutated_bytes_never_give_a_traceback(cases: int) -> None:
    @settings(max_examples=cases, deadline=None, database=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        never_a_traceback(mutated(data, small()))

    check()


@pytest.mark.parametrize("cases", CASES)
def test_mutated_text_never_gives_a_traceback(cases: int) -> None:
    text = "".join(f"{line}\n" for line in lines()).encode()

    @settings(max_examples=cases, deadline=None, database=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        never_a_traceback(mutated(data, text))

    check()


def test_an_unbroken_log_is_unbroken_for_the_fuzz() -> None:
    never_a_traceback(small())
    assert report("whole", small()).ok and isinstance(read_log(small()).last.value, End)
