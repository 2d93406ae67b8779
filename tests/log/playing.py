"""Matches played without bots or a referee, and logged: what the tests of logs read."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena.engine.actions import BIG_GIN, KNOCK, SPREAD, Declaration
from arena.engine.dealing import commitment, deck, first_dealer, pair_of
from arena.engine.formats import format_for
from arena.engine.game import Acted, Game
from arena.engine.melds import arrange
from arena.engine.presets import PRESETS, preset
from arena.engine.rules import RuleSet, override
from arena.engine.state import Hand
from arena.log import PHASES, Asked, End, Header, LoggedFault, MatchLog, SeatInfo
from tests.strategies import knock_seeking

Policy = Callable[[Hand, random.Random], int]
NAMES = ("north", "east <b>", "sud\u2660 \u00e9", "west \U0001f600", "up", "down")
FORMATS = {"duel": 2, "cutthroat": 3, "captain": 3, "partnership": 4}
"""Every format with the seats that the tests play it with."""


def every_rules() -> list[RuleSet]:
    """Return every preset, and settings that no preset has."""
    swaps = override(preset("italian"), ["swap_cap=2", "knock_face_down=yes", "undercut_boxes=1"])
    return [*PRESETS.values(), swaps]


@dataclass
class Script:
    """What goes wrong in a match, at numbers of decisions counted over the match."""

    forfeits: tuple[int, ...] = ()
    """The seat to act forfeits the game."""
    voids: tuple[int, ...] = ()
    """The game is void and played again."""
    substitutes: tuple[int, ...] = ()
    """The seat to act is at fault, and the action is played for it."""
    aborts_at: int | None = None
    """The match ends unfinished."""
    verdict: str = "timeout"


@dataclass
class Play:
    """A match to be played; the same one gives the same log, times aside."""

    rules: RuleSet
    format: str = "duel"
    games: int = 1
    seed: int = 0
    policy: Policy = knock_seeking
    script: Script = field(default_factory=Script)
    duplicate: bool = False
    aligned: bool = False
    clock: int = 0
    """What the times start from."""
    log: MatchLog = field(init=False)

    def __post_init__(self) -> None:
        self.seats = FORMATS[self.format]
        self.secret = random.Random(f"secret {self.seed}").randbytes(32)
        self.rng = random.Random(self.seed)
        self.wins = [0] * self.seats
        self.faults = [0] * self.seats
        self.requests = [0] * self.seats
        self.count = 0
        self.log = MatchLog(self.header())

    def header(self) -> Header:
        infos = tuple(
            SeatInfo(NAMES[seat], f"1.{seat}", "python", "python 3.11", f"seed-{seat}")
            for seat in range(self.seats)
        )
        return Header(
            match_id=f"test-{self.seed}",
            rules=self.rules,
            format=self.format,
            games=self.games,
            pairing="duplicate" if self.duplicate else "single",
            dealing="aligned" if self.aligned else "plain",
            time="200ms",
            seats=infos,
            commitment=commitment(self.secret),
            on_fault="forfeit",
            started_at=f"2025-01-01T00:00:0{self.clock % 10}+00:00",
            arena_version="0.1.0",
        )

    def play(self) -> MatchLog:
        """Play the match and return its log."""
        number = 0
        while number < self.games:
            ending = self._game(number)
            if ending == "abort":
                self._close("aborted", "the operator interrupted the match")
                return self.log
            number += ending == "done"
        self._close("completed", "")
        return self.log

    def _game(self, number: int) -> str:
        form = format_for(self.format, self.seats)
        pair = pair_of(number, duplicate=self.duplicate, dealers=form.dealers)
        dealer = first_dealer(self.secret, self.rules.first_dealer, number, form.dealers)
        self.game = Game(self.rules, form, dealer, aligned=self.aligned)
        self.number, self.logged, self.decision = number, 0, 0
        self.log.game_started(number, pair, dealer)
        while not self.game.finished:
            if needed := self.game.decks_needed:
                hand = self.game.hand_number + 1
                self.game.deal([deck(self.secret, pair, hand, table) for table in range(needed)])
                self.decision = 0
                self._record(None)
            ending = self._turn()
            if ending:
                return ending
        settlement = self.game.finished.settlement
        for seat, side in enumerate(form.sides):
            self.wins[seat] += side in settlement.winners
        return "done"

    def _turn(self) -> str:
        """Let the seat to act do what the script says; return how the game ended by it, if so."""
        seat = self.rng.choice(self.game.to_act())
        self.requests[seat] += 1
        count, self.count = self.count, self.count + 1
        if count == self.script.aborts_at:
            return "abort"
        if count in self.script.voids:
            self.log.voided(self.number, "the machine was too slow")
            return "void"
        if count in self.script.forfeits or count in self.script.substitutes:
            self._fault(seat)
        if count in self.script.forfeits:
            self.game.forfeit(seat)
            self._record(None)
        else:
            self._act(seat, count)
        return ""

    def _act(self, seat: int, count: int) -> None:
        table = self.game.table_of(seat)
        assert table is not None
        action = self.policy(table.hand, self.rng)
        self.game.apply(seat, action, self._declaration(table.hand, action))
        note = "sure \u2665\n" if count % 7 == 0 else ""
        took = 100 * (self.clock + 1) + count
        self._record(Asked(self.requests[seat], self.decision, took, note, count in self.script.substitutes))
        self.decision += 1

    def _declaration(self, hand: Hand, action: int) -> Declaration | None:
        """Declare the best melds now and then, where the rules let bots declare."""
        if self.rules.melds != "declared" or self.rng.random() < 0.5:
            return None
        cards = hand.hands[hand.turn]
        if KNOCK <= action < KNOCK + 52:
            return Declaration(arrange(cards ^ 1 << action - KNOCK).melds)
        return Declaration(arrange(cards).melds) if action in (BIG_GIN, SPREAD) else None

    def _fault(self, seat: int) -> None:
        table = self.game.table_of(seat)
        assert table is not None
        self.faults[seat] += 1
        self.log.fault(
            LoggedFault(
                game=self.number,
                hand=self.game.hand_number,
                decision=self.decision,
                seat=seat,
                verdict=self.script.verdict,
                phase=PHASES[table.hand.phase],
                request_id=self.requests[seat],
                reason="no answer within 200 ms",
                stderr=("Traceback \x1b[31m", "  oops"),
                time_us=200_000 + self.clock,
            )
        )

    def _record(self, asked: Asked | None) -> None:
        for record in self.game.records[self.logged :]:
            self.log.record(self.game, record, decision=asked if isinstance(record, Acted) else None)
        self.logged = len(self.game.records)

    def _close(self, verdict: str, reason: str) -> None:
        self.log.ended(
            End(
                verdict=verdict,
                wins=tuple(self.wins),
                faults=tuple(self.faults),
                reason=reason,
                secret=self.secret,
                ended_at=f"2025-01-01T00:01:0{self.clock % 10}+00:00",
                elapsed_ms=60_000 + self.clock,
            )
        )


def played(rules: RuleSet | str = "classic", **settings: object) -> bytes:
    """Return the log of a match; see :class:`Play` for the settings."""
    settled = preset(rules) if isinstance(rules, str) else rules
    return Play(settled, **settings).play().to_bytes()  # type: ignore[arg-type]


def written(folder: Path, rules: RuleSet | str = "classic", **settings: object) -> Path:
    """Write the log of a match into a folder and return its path."""
    path = folder / "match.jsonl.zst"
    path.write_bytes(played(rules, **settings))
    return path
