from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from io import StringIO, TextIOWrapper
from typing import Any

import pytest

from arena.engine.cards import CARD_NAMES
from arena.engine.presets import preset
from arena.errors import LogError, UsageError
from arena.log import Terminal, Viewer, open_log, parse_place, read_log, render
from arena.log.encoding import line_text
from arena.log.events import events
from arena.log.terminal import clean, duration, pad
from arena.log.writer import compress
from tests.log.playing import FORMATS, Script, played

LETTERS = Terminal(symbols=False)
CARD = re.compile(r"(?<![0-9A-Za-z])[A2-9TJQK][CDHS](?![0-9A-Za-z])")


def shown(log: bytes, **viewer: Any) -> list[str]:
    """Return the text of a log, as far as it goes."""
    return collected(render(open_log(log), Viewer(**viewer), LETTERS))


def collected(lines: Any) -> list[str]:
    found: list[str] = []
    try:
        found.extend(lines_until_wrong(lines, found))
    except LogError as error:
        found.append(str(error))
    return found


def lines_until_wrong(lines: Any, found: list[str]) -> list[str]:
    for line in lines:
        found.append(line)
    return []


def lines_of(log: bytes) -> list[dict[str, Any]]:
    return [json.loads(line.text) for line in read_log(log)]


def text_of(lines: list[dict[str, Any]], seat: int) -> list[str]:
    """Return what a seat is shown of these lines, as text and as events."""
    log = compress([line_text(line) for line in lines])
    told = collected(events(open_log(log), Viewer(seat)))
    return shown(log, seat=seat) + [line for line in told if not line.startswith('{"type":"match"')]


# ---------------------------------------------------------------------- everything


def test_a_turn_is_one_line_with_its_place_action_time_and_hand() -> None:
    lines = shown(played("spanish"))
    assert lines[0] == "Match test-0: spanish, duel, 1 game, 200ms time control"
    turn = next(line for line in lines if line.startswith("  0.0.0 "))
    assert re.fullmatch(
        r"  0\.0\.0     east <b>  draws \w\w, discards \w\w +\d+ us +\d+  [ATJQK2-9CDHS |]+", turn
    )
    assert lines[-1] == "east <b> wins the match: games won north 0, east <b> 1, 60.00 s"


def test_a_showdown_says_who_scores_what_for_which_outcome() -> None:
    text = "\n".join(shown(played("spanish")))
    assert "  knock, north scores 44\n  score  north 44, east <b> 0\n" in text
    assert "laid off on meld 1" in text
    assert "Game 0: east <b> wins (the target was reached), totals north " in text


def test_a_hand_that_is_dead_says_why() -> None:
    swaps = replace(preset("classic"), swap_cap=2, dead_hand_cap=2, stock_end="wall")
    text = "\n".join(shown(played(swaps, policy=lambda hand, rng: hand.legal_actions()[0])))
    assert re.search(r"dead hand, (the last discard was passed|both only swapped|the stock ran out)", text)
    assert "Game 0: drawn (too many dead hands in a row)" in text
    assert text.endswith("The match is drawn: games won north 0, east <b> 0, 60.00 s")


def test_a_forfeit_shows_the_fault_its_reason_and_stderr_and_the_right_winner() -> None:
    lines = shown(played(script=Script(forfeits=(5,))))
    start = next(i for i, line in enumerate(lines) if "fault of" in line)
    assert lines[start:] == [
        "  fault of north in the phase 'discard': timeout: no answer within 200 ms",
        r"    stderr: Traceback \x1b[31m",
        "    stderr:   oops",
        "Game 0: east <b> wins (north forfeits), totals north 0, east <b> 0",
        "",
        "east <b> wins the match: games won north 0, east <b> 1, 60.00 s",
    ]


def test_a_draw_without_a_discard_is_shown_before_what_cut_it_off() -> None:
    lines = shown(played(script=Script(forfeits=(5,))))
    start = next(i for i, line in enumerate(lines) if "fault of" in line)
    assert re.match(r"  0\.0\.4     north     (draws|takes) \w\w  ", lines[start - 1])


def test_void_games_defaults_and_aborts_are_told() -> None:
    lines = shown(played(script=Script(voids=(3,), substitutes=(6,), aborts_at=25)))
    text = "\n".join(lines)
    assert "  game 0 is void and played again: the machine was too slow" in lines
    assert lines.count("Game 0") == 2
    assert "(default)" in text
    assert lines[-2] == "The match ended unfinished (aborted): games won north 0, east <b> 0, 60.00 s"
    assert lines[-1] == "  the operator interrupted the match"


def test_a_truncated_log_names_the_last_good_event_and_the_score() -> None:
    lines = lines_of(played(games=2))
    cut = next(i for i, line in enumerate(lines) if line["type"] == "score") + 8
    text = shown(compress([line_text(line) for line in lines[:cut]]))
    last = f"line {cut} (decision {lines[cut - 1]['at']})"
    scores = next(line["scores"] for line in lines if line["type"] == "score")
    assert text[-3:] == [
        f"The log goes no further than {last}",
        f"  games won north 0, east <b> 0; score in game 0 north {scores[0]}, east <b> {scores[1]}",
        f"the log is cut off after {last}: get it again whole",
    ]


def test_an_edited_log_is_shown_up_to_the_edit() -> None:
    lines = lines_of(played())
    lines[20]["seat"] = 5
    text = shown(compress([line_text(line) for line in lines]))
    assert text[-1] == f"mismatch at event 21 (decision {lines[20]['at']}): seat 5 is not to act"
    assert text[-3] == f"The log goes no further than line 21 (decision {lines[20]['at']})"


@pytest.mark.parametrize("form", FORMATS)
def test_every_decision_of_every_format_is_shown(form: str) -> None:
    log = played("modern", format=form, games=2)
    lines = shown(log)
    drawn = sum(line.count("draws ") + line.count("takes ") for line in lines if line.startswith("  "))
    acted = sum(bool(re.search(r"(discards|knocks with|passes|declares|shows its)", line)) for line in lines)
    decisions = [line for line in lines_of(log) if line["type"] == "decision"]
    assert drawn + acted == len(decisions)


# ---------------------------------------------------------------------- a part


def test_one_game_alone() -> None:
    lines = shown(played(games=3), game=1)
    assert next(line for line in lines if line.startswith("Game ")) == "Game 1"
    assert not any("0.0.0" in line or line.startswith("Game 2") or "the match" in line for line in lines)
    with pytest.raises(UsageError, match="the log has no game 3: its last is 2"):
        list(render(open_log(played(games=3)), Viewer(game=3)))


def test_from_a_place_on_with_the_position_first() -> None:
    log = played(games=2)
    lines = shown(log, at=(1, 0, 4))
    start = lines.index("")
    assert lines[start + 1].startswith("At 1.0.4  score north ")
    assert lines[start + 2].startswith("  discard pile ") and "cards in the stock" in lines[start + 2]
    assert lines[start + 5].startswith("  1.0.4 ")
    assert shown(log)[-5:] == lines[-5:]
    with pytest.raises(
        UsageError, match=r"the log has no decision 9\.0\.0 or later: it ends with end of the"
    ):
        list(render(open_log(log), Viewer(at=(9, 0, 0))))


@pytest.mark.parametrize(("text", "place"), [("1", (1, 0, 0)), ("0.3", (0, 3, 0)), ("0.3.14", (0, 3, 14))])
def test_a_place_is_read(text: str, place: tuple[int, int, int]) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize("text", ["", "1.2.3.4", "a", "1..2", "-1", "1.2.x", "9" * 30, "²"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"write GAME\.HAND\.DECISION, as 0\.3\.14"):
        parse_place(text)


# ---------------------------------------------------------------------- one seat's view


def hidden_from(lines: list[dict[str, Any]], seat: int) -> tuple[set[str], dict[str, Any]]:
    """Return the cards of the last hand in a log that a seat knows, and that hand's table."""
    deal = [line for line in lines if line["type"] == "deal"][-1]
    hand = deal["at"]
    known: set[str] = set()
    table: dict[str, Any] = {}
    for number, each in enumerate(deal["tables"]):
        if seat in each["seats"]:
            table = {**each, "number": number}
            deck = each["deck"].split(" ")
            known |= {*deck[int(seat == each["dealer"]) : 20 : 2], deck[20]}
    for line in lines[lines.index(deal) :]:
        if line["type"] != "decision" or line.get("table", 0) != table.get("number"):
            continue
        assert line["at"].startswith(hand)
        if line["seat"] == seat or line["action"] == "draw discard":
            known.add(line.get("card", ""))
        known.update(CARD.findall(line["action"].partition(":")[0]))
    return known, table


def showdown_has_begun(lines: list[dict[str, Any]]) -> bool:
    """Return whether anybody has called in the hand in which a log ends, or any table has ended it."""
    deal = max(i for i, line in enumerate(lines) if line["type"] == "deal")
    return any(
        line["type"] == "show" or line.get("action", "").startswith(("knock", "big")) for line in lines[deal:]
    )


CASES = [
    (name, form, seat)
    for name, form in [
        ("classic", "duel"),
        ("brazilian", "duel"),
        ("eaai", "duel"),
        ("spanish", "cutthroat"),
        ("modern", "captain"),
        ("oklahoma", "partnership"),
    ]
    for seat in range(FORMATS[form])
]


@pytest.mark.parametrize(("rules", "form", "seat"), CASES)
def test_a_seat_sees_only_the_cards_that_it_knows(rules: str, form: str, seat: int) -> None:
    """The log is cut in the middle of a hand, so that nothing of it has been shown yet."""
    lines = lines_of(played(replace(preset(rules), target=40), format=form, seed=seat))
    rng = random.Random(seat)
    cuts = [i for i, line in enumerate(lines) if line["type"] in ("deal", "decision")]
    for cut in rng.sample(cuts, 16):
        kept = lines[: cut + 1]
        if showdown_has_begun(kept):
            continue
        known, _ = hidden_from(kept, seat)
        text = text_of(kept, seat)
        title = "Hand " + [line for line in kept if line["type"] == "deal"][-1]["at"]
        start = next(i for i, line in enumerate(text) if line.startswith(title + " "))
        stop = next(i for i, line in enumerate(text) if line.startswith("The log goes"))
        found = set(CARD.findall("\n".join(text[start:stop])))
        assert found <= known, found - known
        assert found or not known


@pytest.mark.parametrize(("rules", "form", "seat"), CASES)
def test_hidden_cards_make_no_difference_to_what_a_seat_is_shown(rules: str, form: str, seat: int) -> None:
    """Text and events stay the same, letter for letter, when the cards a seat cannot know change places."""
    lines = lines_of(played(replace(preset(rules), target=40), format=form, seed=10 + seat))
    rng = random.Random(seat)
    cuts = [i for i, line in enumerate(lines) if line["type"] in ("deal", "decision")]
    compared = 0
    for cut in rng.sample(cuts, 16):
        kept = lines[: cut + 1]
        if showdown_has_begun(kept):
            continue
        other = shuffled_for(kept, seat, rng)
        assert other != kept
        assert text_of(other, seat) == text_of(kept, seat)
        compared += 1
    assert compared > 5


def shuffled_for(lines: list[dict[str, Any]], seat: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return a log whose last hand deals a seat's hidden cards in other places."""
    known, table = hidden_from(lines, seat)
    deal = max(i for i, line in enumerate(lines) if line["type"] == "deal")
    number = table.get("number", 0)
    public = known | {
        card
        for line in lines[deal:]
        if line["type"] == "decision" and line.get("table", 0) == number
        for card in CARD.findall(line["action"])
    }
    hidden = [card for card in CARD_NAMES if card not in public]
    new = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    result = json.loads(json.dumps(lines))
    dealt = result[deal]["tables"][number]
    dealt["deck"] = " ".join(new.get(card, card) for card in dealt["deck"].split(" "))
    for line in result[deal:]:
        if "card" in line and line.get("table", 0) == number:
            line["card"] = new.get(line["card"], line["card"])
    return list(result)


def test_a_seat_sees_no_notes_times_stderr_or_seed_of_others() -> None:
    log = played(script=Script(forfeits=(30,)))
    fault = next(line for line in lines_of(log) if line["type"] == "fault")
    own, other = (
        "\n".join(shown(log, seat=seat) + collected(events(open_log(log), Viewer(seat))))
        for seat in (fault["seat"], 1 - fault["seat"])
    )
    for secret in ("Traceback", "no answer within 200 ms", f"seed-{fault['seat']}"):
        assert secret in own and secret not in other
    decisions = [line for line in lines_of(log) if line["type"] == "decision"]
    theirs = {line["time"]["took_us"] for line in decisions if line["seat"] == fault["seat"]}
    assert theirs and not any(f" {took} us" in other for took in theirs)


def test_a_seat_that_sits_out_is_told_the_scores_only() -> None:
    log = played("spanish", format="cutthroat")
    dealt = next(line for line in lines_of(log) if line["type"] == "deal")
    (out,) = {0, 1, 2} - set(dealt["tables"][0]["seats"])
    lines = shown(log, seat=out)
    start = lines.index("Hand 0.0  score north 0, east <b> 0, sud♠ é 0")
    stop = next(i for i, line in enumerate(lines) if line.startswith("Hand 0.1"))
    assert lines[start + 1].endswith(" sits this hand out")
    assert not CARD.findall("\n".join(lines[start:stop]))
    assert any(line.startswith("  score ") for line in lines[start:stop])


def test_there_is_no_such_seat() -> None:
    with pytest.raises(UsageError, match="there is no seat 2: the log has seats 0 to 1"):
        list(render(open_log(played()), Viewer(seat=2)))


# ---------------------------------------------------------------------- events


def test_events_are_the_lines_of_the_log() -> None:
    log = played(games=2)
    assert list(events(open_log(log), Viewer())) == [line.text for line in read_log(log)]
    part = list(events(open_log(log), Viewer(game=1)))
    assert json.loads(part[0])["type"] == "match" and json.loads(part[1]) == {
        **json.loads(part[1]),
        "type": "game",
        "game": 1,
    }


def test_a_seats_events_are_those_that_it_was_sent() -> None:
    told = [json.loads(line) for line in events(open_log(played("spanish")), Viewer(0))]
    assert told[1] == {"at": "0", "game_started": {"game": 0}}
    assert told[2]["at"] == "0.0" and len(told[2]["hand_dealt"]["cards"]) == 10
    acted = [line for line in told if "acted" in line]
    assert {line["acted"]["card"] == "" for line in acted if line["acted"]["seat"] == 1} == {True, False}
    assert all(
        line["acted"]["card"] == ""
        for line in acted
        if line["acted"]["seat"] == 1 and line["acted"]["action"] == "draw stock"
    )
    assert "game_ended" in told[-2] and told[-1]["type"] == "end"


# ---------------------------------------------------------------------- the terminal


class Tty(StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_and_who_asks_for_it() -> None:
    assert Terminal.of(Tty(), {}).color
    assert not Terminal.of(Tty(), {"NO_COLOR": "1"}).color
    assert not Terminal.of(Tty(), {"TERM": "dumb"}).color
    assert not Terminal.of(StringIO(), {}).color
    assert Terminal.of(StringIO(), {"NO_COLOR": "1"}, color=True).color
    assert not Terminal.of(Tty(), {}, color=False).color


def test_suits_are_letters_where_symbols_cannot_be_shown() -> None:
    from io import BytesIO

    plain = Terminal.of(TextIOWrapper(BytesIO(), encoding="ascii"), {})
    assert plain.cards((0, 51)) == "AC KS"
    assert Terminal.of(TextIOWrapper(BytesIO(), encoding="utf-8"), {}).cards((0, 51)) == "A♣ K♠"
    assert plain.showable("é 7D") == "\\xe9 7D"


def test_hearts_and_diamonds_are_red() -> None:
    assert Terminal(color=True).cards((13, 0)) == "\x1b[31mA♦\x1b[0m A♣"
    assert pad("\x1b[31mA♦\x1b[0m", 4) == "\x1b[31mA♦\x1b[0m  "


def test_what_a_bot_writes_cannot_reach_the_terminal() -> None:
    assert clean("a\x1b[2J\n\ud800‮b") == "a\\x1b[2J\\n\\ud800\\u202eb"
    assert clean("x" * 1000) == "x" * 300 + "..."
    text = "\n".join(render(open_log(played(script=Script(forfeits=(5,))))))
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(0, "0 us"), (999, "999 us"), (1000, "1.0 ms"), (12_345, "12.3 ms"), (2_500_000, "2.50 s")],
)
def test_durations_have_the_unit_that_suits_them(microseconds: int, text: str) -> None:
    assert duration(microseconds) == text
