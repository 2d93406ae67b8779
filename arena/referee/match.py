"""The match loop: ask the seat to act, apply its answer, judge its faults, log it all."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import arena
from arena.engine.actions import Action, Declaration
from arena.engine.dealing import Deck, commitment, deck, first_dealer, pair_of
from arena.engine.formats import Format, format_for
from arena.engine.game import Finished, Game
from arena.engine.rules import RuleSet
from arena.engine.view import news
from arena.errors import IllegalAction, ProtocolError
from arena.log.lines import PHASES, Asked, End, Header, LoggedFault, SeatInfo
from arena.log.writer import MatchLog
from arena.protocol.codec import event_message, fill_event, fill_request, read_decision, rules_message
from arena.protocol.v1 import bot_pb2, game_pb2
from arena.referee.clock import Clock, TimeControl
from arena.referee.contestant import Contestant, Instance, explain
from arena.referee.policy import FaultPolicy, default_action
from arena.referee.session import Reply
from arena.referee.verdict import UNRATED, Fault, Verdict

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

VOIDED_GAMES: Final = 3
"""Games of a match that are played again because the referee was overloaded; then the match ends."""
MISSES_IN_A_ROW: Final = 3
"""Time limits that a process playing several matches may miss in a row before it is ended."""
_NOTE_LENGTH: Final = 500


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """What is to be played. The same spec and deterministic bots give the same log, times aside."""

    match_id: str
    rules: RuleSet
    secret: bytes
    """What the decks derive from; see :mod:`arena.engine.dealing`."""
    games: int = 1
    format: str = "duel"
    time: TimeControl = field(default_factory=TimeControl)
    duplicate: bool = False
    """Whether pairs of games share their decks with the dealers swapped."""
    aligned: bool = False
    """Whether both players draw from ends of the stock of their own."""
    policy: FaultPolicy = field(default_factory=FaultPolicy)
    """What a fault costs."""


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """How one game of a match ended."""

    winners: tuple[int, ...]
    """The seats that won; none for a draw."""
    ranks: tuple[int, ...]
    """Place of each seat from 0, equal places shared."""
    scores: tuple[int, ...]
    """Final totals by seat (a partnership's total for each partner)."""
    hands: int
    """Hands dealt."""
    reason: str
    """How it ended: target, hands, dead hands, forfeit."""


@dataclass(slots=True)
class MatchOutcome:
    """How a match ended."""

    match_id: str
    seats: tuple[SeatInfo, ...]
    games: list[GameOutcome] = field(default_factory=list)
    faults: list[int] = field(default_factory=list)
    """Faults by seat."""
    verdict: Verdict = Verdict.COMPLETED
    fault: Fault | None = None
    """The fault that ended the match, or the last one that cost a game."""
    forfeits: Counter[int] = field(default_factory=Counter)
    """Games lost by faults, by seat."""
    forfeited_by: int | None = None
    """The seat that forfeited the match, by too many faulty games."""
    log: bytes = b""
    """The match log, compressed."""

    @property
    def wins(self) -> tuple[int, ...]:
        """Games won by seat."""
        return tuple(sum(seat in game.winners for game in self.games) for seat in range(len(self.seats)))

    @property
    def rated(self) -> bool:
        """Whether the games count for ratings."""
        return self.verdict not in UNRATED


class _Seat:
    """A contestant in one match: its process, its clock, and what it has been told."""

    def __init__(self, number: int, contestant: Contestant) -> None:
        self.number = number
        self.contestant = contestant
        self.instance: Instance | None = None
        self.clock = Clock(TimeControl())
        self.told = 0
        """Number of the game's records that it knows."""
        self.backlog: list[game_pb2.Event] = []
        """Events of earlier games that it has not been told yet."""
        self.requests = 0
        self.forfeits = 0
        self.strikes = 0
        """Faults in this game for which an action was played."""

    def tell_events(
        self, events: RepeatedCompositeFieldContainer[game_pb2.Event], game: Game | None, game_number: int
    ) -> None:
        """Add the events that it has not been told yet to a message."""
        if self.backlog:
            events.extend(self.backlog)
            self.backlog = []
        if game is not None:
            for sight in news(game, self.number, self.told):
                fill_event(events.add(), sight, game_number)
            self.told = len(game.records)

    def keep_events(self, game: Game, game_number: int) -> None:
        """Keep what it has not been told of a game that ended, for its next message."""
        self.backlog += [event_message(sight, game_number) for sight in news(game, self.number, self.told)]


class Match:
    """One match in play.

    Args:
        spec: what is played.
        contestants: who plays, by seat.
        on_game: called after each game that counts, for progress.
    """

    def __init__(
        self,
        spec: MatchSpec,
        contestants: list[Contestant],
        on_game: Callable[[GameOutcome], None] | None = None,
    ) -> None:
        self._spec = spec
        self._form: Format = format_for(spec.format, len(contestants))
        self._seats = [_Seat(number, contestant) for number, contestant in enumerate(contestants)]
        self._rules = rules_message(spec.rules)
        self._on_game = on_game
        self._game: Game | None = None
        self._game_number = 0
        self._decision = 0
        self._logged = 0
        self._overload: Fault | None = None
        """Why the game in play does not count."""
        self._voided = 0
        self._log: MatchLog | None = None
        self._outcome = MatchOutcome(spec.match_id, self._infos(), faults=[0] * len(contestants))
        self._began = time.monotonic()

    # -------------------------------------------------------------- the whole match

    async def play(self) -> MatchOutcome:
        """Play the match to its end and return how it ended, whatever the bots do."""
        try:
            await self._play_all()
        except asyncio.CancelledError:
            self._close(Verdict.ABORTED, Fault(Verdict.ABORTED, "the operator interrupted the match"))
            if self._log is not None:
                self._outcome.log = self._log.to_bytes()
            raise
        finally:
            await self._release_all()
        assert self._log is not None
        # Encoding a long log takes a while, and the clocks of other matches are running.
        self._outcome.log = await asyncio.to_thread(self._log.to_bytes)
        return self._outcome

    @property
    def outcome(self) -> MatchOutcome:
        """How the match stands or ended; complete when :meth:`play` has returned or was cancelled."""
        return self._outcome

    async def _play_all(self) -> None:
        failed = await self._start_all()
        self._outcome.seats = self._infos()
        self._log = MatchLog(self._header())
        if failed is not None:
            self._note_fault(failed)
            self._close(failed.verdict, failed)
            return
        for number in range(self._spec.games):
            if not await self._play_until_it_counts(number):
                return
            loser = next((s for s in self._seats if s.forfeits >= self._spec.policy.faulty_games), None)
            if loser is not None and self._outcome.fault is not None and number + 1 < self._spec.games:
                self._outcome.forfeited_by = loser.number
                self._close(self._outcome.fault.verdict, self._outcome.fault)
                return
        self._close(Verdict.COMPLETED, self._outcome.fault)

    async def _play_until_it_counts(self, number: int) -> bool:
        """Play a game, again if an overload voids it; return whether the match goes on."""
        while True:
            self._begin_game(number)
            await self._play_game()
            if self._overload is None:
                self._end_game()
                return True
            fault, self._overload, self._game = self._overload, None, None
            assert self._log is not None
            self._log.voided(number, fault.reason)
            self._voided += 1
            if self._voided > VOIDED_GAMES:
                self._close(Verdict.OVERLOAD, fault)
                return False

    async def _start_all(self) -> Fault | None:
        """Get a process for every seat; return the fault of the first that has none."""
        results = await asyncio.gather(*(self._connect(seat) for seat in self._seats))
        return next((fault for fault in results if fault is not None), None)

    async def _connect(self, seat: _Seat) -> Fault | None:
        """See that a seat has a living process that knows of the match."""
        if seat.instance is not None and seat.instance.alive:
            return None
        if seat.instance is not None:
            await seat.contestant.release(seat.instance, healthy=False)
            seat.instance = None
        got = await seat.contestant.acquire()
        if isinstance(got, Fault):
            return replace(got, seat=seat.number)
        seat.instance = got
        got.connection.tell(bot_pb2.RefereeMessage(match_start=self._match_start(seat.number)))
        return None

    async def _release_all(self) -> None:
        for seat in self._seats:
            if seat.instance is not None:
                await seat.contestant.release(seat.instance)
                seat.instance = None

    # -------------------------------------------------------------- a game

    def _begin_game(self, number: int) -> None:
        spec, dealers = self._spec, self._form.dealers
        dealer = self._first_dealer(number)
        self._game = Game(spec.rules, self._form, dealer, aligned=spec.aligned)
        self._game_number = number
        self._logged = 0
        pair = pair_of(number, duplicate=spec.duplicate, dealers=dealers)
        assert self._log is not None
        self._log.game_started(number, pair, dealer)
        for seat in self._seats:
            seat.told = seat.strikes = 0
            seat.clock = Clock(spec.time)
            seat.backlog.append(game_pb2.Event(game_started=game_pb2.GameStarted(game=number)))

    async def _play_game(self) -> None:
        game = self._game
        assert game is not None
        while game.finished is None and self._overload is None:
            waiting = game.to_act()
            if not waiting:
                self._deal(game)
                continue
            if len(waiting) == 1:
                await self._turn(game, waiting[0])
            else:
                await self._turns(game, waiting)

    def _deal(self, game: Game) -> None:
        spec = self._spec
        pair = pair_of(self._game_number, duplicate=spec.duplicate, dealers=self._form.dealers)
        hand = game.hand_number + 1
        game.deal(self._decks(pair, hand, game.decks_needed))
        self._decision = 0
        self._log_records(game, None)

    def _first_dealer(self, number: int) -> int:
        return first_dealer(self._spec.secret, self._spec.rules.first_dealer, number, self._form.dealers)

    def _decks(self, pair: int, hand: int, tables: int) -> list[Deck]:
        return [deck(self._spec.secret, pair, hand, table) for table in range(tables)]

    def _commitment(self) -> str:
        return commitment(self._spec.secret)

    async def _turn(self, game: Game, number: int) -> None:
        self._judge(game, self._seats[number], await self._ask(game, self._seats[number], self._decision))

    async def _turns(self, game: Game, waiting: tuple[int, ...]) -> None:
        """Ask all tables at once; apply the answers in the order of the tables, whoever was first."""
        asked = [self._ask(game, self._seats[n], self._decision + i) for i, n in enumerate(waiting)]
        for number, answer in zip(waiting, await asyncio.gather(*asked), strict=True):
            if game.finished is None and self._overload is None:
                self._judge(game, self._seats[number], answer)

    async def _ask(self, game: Game, seat: _Seat, decision: int) -> Reply | Fault:
        """Ask a seat for a decision and spend its clock."""
        failed = await self._connect(seat)
        instance = seat.instance
        if failed is not None or instance is None:
            return _not_again(failed)
        allowed = seat.clock.allowed_s
        seat.requests += 1
        message = bot_pb2.RefereeMessage()
        request = message.request
        request.match_id = self._spec.match_id
        request.request_id = seat.requests
        request.game = self._game_number
        request.decision = decision
        request.time_left_ms = 0 if allowed is None else max(1, int(allowed * 1000))
        fill_request(request, game, seat.number, self._rules)
        seat.tell_events(request.events, game, self._game_number)
        answer = await instance.connection.ask(message, self._spec.match_id, seat.requests, allowed)
        if isinstance(answer, Reply):
            instance.misses = 0
            seat.clock.spend(answer.elapsed_s)
            return answer
        return await self._after_fault(seat, instance, answer)

    async def _after_fault(self, seat: _Seat, instance: Instance, fault: Fault) -> Fault:
        """Learn more about a fault, and end a process that cannot be trusted to go on."""
        fault = await explain(instance, fault)
        if fault.verdict == Verdict.TIMEOUT:
            instance.misses += 1
            if instance.load == 1 or instance.misses >= MISSES_IN_A_ROW:
                instance.connection.end(fault)
        return fault

    def _judge(self, game: Game, seat: _Seat, answer: Reply | Fault) -> None:
        """Apply an answer, or let what is wrong with it have its price."""
        if isinstance(answer, Fault):
            if answer.verdict == Verdict.OVERLOAD:
                self._overload = replace(answer, seat=seat.number, stderr=())
            else:
                self._punish(game, seat, answer)
            return
        elapsed_us = int(answer.elapsed_s * 1e6)
        try:
            action, declaration = read_decision(answer.decision)
        except ProtocolError as error:
            self._punish(game, seat, self._misanswer(seat, Verdict.PROTOCOL_ERROR, str(error), elapsed_us))
            return
        self._apply(game, seat, action, declaration, answer)

    def _apply(
        self, game: Game, seat: _Seat, action: Action, declaration: Declaration | None, answer: Reply
    ) -> None:
        elapsed_us = int(answer.elapsed_s * 1e6)
        try:
            game.apply(seat.number, action, declaration)
        except IllegalAction as error:
            text = f"{answer.decision.action!r}: {error}"
            self._punish(game, seat, self._misanswer(seat, Verdict.ILLEGAL_ACTION, text, elapsed_us))
            return
        note = answer.decision.note[:_NOTE_LENGTH]
        self._log_records(game, Asked(seat.requests, self._decision, elapsed_us, note))
        self._decision += 1

    @staticmethod
    def _misanswer(seat: _Seat, verdict: Verdict, reason: str, elapsed_us: int) -> Fault:
        tail = seat.instance.stderr_tail() if seat.instance else ()
        return Fault(verdict, reason[:1000], stderr=tail, elapsed_us=elapsed_us)

    def _punish(self, game: Game, seat: _Seat, fault: Fault) -> None:
        """Log a fault, and play the default action or end the game for it."""
        table, policy = game.table_of(seat.number), self._spec.policy
        assert table is not None, "a seat that sits out is never asked"
        fault = replace(fault, seat=seat.number, phase=PHASES[table.hand.phase], request_id=seat.requests)
        self._outcome.fault = fault
        self._note_fault(fault)
        if policy.on_fault == "substitute" and seat.strikes < policy.strikes:
            seat.strikes += 1
            game.apply(seat.number, default_action(table.hand))
            asked = Asked(seat.requests, self._decision, fault.elapsed_us, substituted=True)
            self._log_records(game, asked)
            self._decision += 1
            return
        seat.forfeits += 1
        self._outcome.forfeits[seat.number] += 1
        game.forfeit(seat.number)
        self._log_records(game, None)

    def _end_game(self) -> None:
        game = self._game
        assert game is not None and isinstance(game.finished, Finished)
        for seat in self._seats:
            seat.keep_events(game, self._game_number)
        settlement, sides = game.finished.settlement, self._form.sides
        outcome = GameOutcome(
            winners=tuple(s for s, side in enumerate(sides) if side in settlement.winners),
            ranks=tuple(settlement.ranks[side] for side in sides),
            scores=tuple(settlement.totals[side] for side in sides),
            hands=game.hand_number + 1,
            reason=game.finished.reason,
        )
        self._outcome.games.append(outcome)
        self._game = None
        if self._on_game:
            self._on_game(outcome)

    # -------------------------------------------------------------- the log and the ends

    def _log_records(self, game: Game, asked: Asked | None) -> None:
        assert self._log is not None
        for record in game.records[self._logged :]:
            self._log.record(game, record, decision=asked)
            asked = None
        self._logged = len(game.records)

    def _note_fault(self, fault: Fault) -> None:
        self._outcome.faults[fault.seat] += 1
        in_hand = self._game is not None and self._game.hand_number >= 0
        assert self._log is not None
        self._log.fault(
            LoggedFault(
                game=self._game_number if self._game is not None else None,
                hand=self._game.hand_number if self._game is not None and in_hand else None,
                decision=self._decision if in_hand else None,
                seat=fault.seat,
                verdict=fault.verdict,
                phase=fault.phase,
                request_id=fault.request_id,
                reason=fault.reason,
                stderr=fault.stderr,
                time_us=fault.elapsed_us,
            )
        )

    def _close(self, verdict: Verdict, fault: Fault | None) -> None:
        """Tell every bot how the match ended, and finish the log."""
        outcome = self._outcome
        outcome.verdict = verdict
        outcome.fault = fault
        reason = fault.reason if fault is not None else ""
        for seat in self._seats:
            if seat.instance is not None and seat.instance.alive:
                seat.instance.connection.tell(bot_pb2.RefereeMessage(match_end=self._match_end(seat, reason)))
        if self._log is None:
            self._log = MatchLog(self._header())
        self._log.ended(
            End(
                verdict=verdict,
                wins=outcome.wins,
                faults=tuple(outcome.faults),
                reason=reason,
                secret=self._spec.secret,
                ended_at=_now(),
                elapsed_ms=int((time.monotonic() - self._began) * 1000),
            )
        )

    def _match_end(self, seat: _Seat, reason: str) -> bot_pb2.MatchEnd:
        outcome = self._outcome
        end = bot_pb2.MatchEnd(
            match_id=self._spec.match_id,
            wins=outcome.wins,
            verdict=outcome.verdict,
            fault_seat=outcome.fault.seat if outcome.fault is not None else -1,
            reason=reason,
            secret=self._spec.secret.hex(),
        )
        seat.tell_events(end.events, self._game, self._game_number)
        return end

    def _match_start(self, seat: int) -> bot_pb2.MatchStart:
        spec = self._spec
        return bot_pb2.MatchStart(
            match_id=spec.match_id,
            seat=seat,
            players=[s.contestant.package.name for s in self._seats],
            rules=self._rules,
            format=spec.format,
            games=spec.games,
            time=bot_pb2.TimeControl(
                move_ms=int((spec.time.move_s or 0) * 1000),
                game_ms=int((spec.time.game_s or 0) * 1000),
                increment_ms=int(spec.time.increment_s * 1000),
            ),
            commitment=self._commitment(),
        )

    def _infos(self) -> tuple[SeatInfo, ...]:
        return tuple(
            SeatInfo(
                name=c.package.name,
                version=c.package.version,
                language=c.package.language,
                software=c.software,
                bot_seed=c.bot_seed,
            )
            for c in (seat.contestant for seat in self._seats)
        )

    def _header(self) -> Header:
        spec = self._spec
        return Header(
            match_id=spec.match_id,
            rules=spec.rules,
            format=spec.format,
            games=spec.games,
            pairing="duplicate" if spec.duplicate else "single",
            dealing="aligned" if spec.aligned else "plain",
            time=spec.time.text,
            seats=self._infos(),
            commitment=self._commitment(),
            on_fault=spec.policy.text,
            started_at=_now(),
            arena_version=arena.__version__,
        )


def _not_again(failed: Fault | None) -> Fault:
    """Return the fault of a bot that played already and cannot be started again: that costs a game."""
    fault = failed or Fault(Verdict.CRASH, "it has no process")
    return replace(fault, verdict=Verdict.CRASH, reason=f"it could not be started again: {fault.reason}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
