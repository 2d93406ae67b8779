"""docs/log-format.md says what is so: its example is a golden log's, and its rules derive real decks."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.engine.cards import CARD_NAMES
from arena.log import TIME_FIELDS, read_log
from tests.log.golden_logs import FOLDER, golden

DOCUMENT = Path(__file__).parents[2] / "docs" / "log-format.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
SCHEMA = Path(__file__).parents[2] / "arena" / "log" / "schema-v1.json"


def stream(secret: bytes, label: str) -> Iterator[int]:
    key = hmac.new(secret, label.encode(), hashlib.sha256).digest()
    counter = 0
    while True:
        yield from hmac.new(key, counter.to_bytes(8, "big"), hashlib.sha256).digest()
        counter += 1


def below(bytes_: Iterator[int], choices: int) -> int:
    return next(byte for byte in bytes_ if byte < 256 // choices * choices) % choices


def documented_deck(secret: bytes, pair: int, hand: int, table: int) -> str:
    source = stream(secret, f"gin-arena deck 1 {pair} {hand} {table}")
    cards = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    for place in range(51, 0, -1):
        other = below(source, place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    return " ".join(cards)


def documented_dealer(secret: bytes, rule: str, game: int, dealers: int) -> int:
    turn, step = divmod(game, dealers)
    drawn = stream(secret, f"gin-arena dealer 1 {turn}")
    base = below(drawn, dealers) if rule == "random" else int(rule[-1])
    return (base + step) % dealers


def lines_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line.text) for line in read_log(log)]


def test_the_example_is_part_of_a_golden_log() -> None:
    (example,) = re.findall(r"```json\n(.*?)\n```", TEXT, re.DOTALL)
    lines = [line.text for line in read_log(FOLDER / "v1-wall.jsonl.zst")]
    parts = example.split("\n...\n")
    assert len(parts) == 3
    assert all(part in "\n".join(lines) for part in parts)
    assert parts[0].startswith(lines[0]) and parts[-1] == lines[-1]


@pytest.mark.parametrize("log", golden(), ids=lambda log: log.name)
def test_decks_dealers_and_commitment_are_as_documented(log: Path) -> None:
    lines = lines_of(log)
    secret = bytes.fromhex(lines[-1]["secret"])
    header = lines[0]
    dealers = 3 if header["game_format"] in ("cutthroat", "captain") else 2
    assert header["commitment"] == hashlib.sha256(b"gin-arena secret " + secret).hexdigest()
    pair = -1
    for line in lines:
        if line["type"] == "game":
            pair = line["pair"]
            assert pair == (line["game"] // dealers if header["pairing"] == "duplicate" else line["game"])
            rule = header["rules"]["first_dealer"]
            assert line["first_dealer"] == documented_dealer(secret, rule, line["game"], dealers)
        elif line["type"] == "deal":
            hand = int(line["at"].split(".")[1])
            for number, table in enumerate(line["tables"]):
                assert table["deck"] == documented_deck(secret, pair, hand, number)


@pytest.mark.parametrize("log", golden(), ids=lambda log: log.name)
def test_the_digest_is_as_documented(log: Path) -> None:
    lines = lines_of(log)
    for line in lines:
        line.pop("time", None)
    digest = lines[-1].pop("sha256")
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_cards_are_dealt_and_drawn_as_documented() -> None:
    lines = lines_of(FOLDER / "v1-declared.jsonl.zst")
    assert lines[0]["dealing"] == "aligned"
    table = lines[2]["tables"][0]
    stock = table["deck"].split(" ")[21:]
    for line in lines[3:]:
        if line["type"] != "decision":
            break
        if line["action"] == "draw stock":
            assert line["card"] == stock.pop(-1 if line["seat"] == table["dealer"] else 0)
    assert len(stock) < 31 and set(stock) <= set(CARD_NAMES)


def test_every_type_member_and_word_of_the_schema_is_documented() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for reference in schema["oneOf"]:
        kind = reference["$ref"].rpartition("/")[2]
        section = TEXT[TEXT.index(f"### `{kind}`") :].split("\n### ")[0].split("\n## ")[0]
        properties = schema["$defs"][kind]["properties"]
        for name in properties:
            assert name == "type" or f"`{name}`" in section, (kind, name)
            for word in properties[name].get("enum", ()):
                assert f"`{word}`" in section, (kind, word)
    for word in (*schema["$defs"]["phase"]["enum"], *TIME_FIELDS):
        assert f"`{word}`" in TEXT
