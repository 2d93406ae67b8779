"""A log as text: one line a turn, hands melded and sorted, scores, faults, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.engine.actions import BIG_GIN, DRAW_DISCARD, DRAW_STOCK, KNOCK, PASS
from arena.engine.cards import Card
from arena.engine.game import Finished, Game, Scored
from arena.engine.scoring import NOBODY, Showing
from arena.engine.view import SawAction, SawDeal, SawShowdown, Sight, observe
from arena.errors import LogError
from arena.log.lines import Decision, End, GameEnd, GameStart, Header, LoggedFault, Value, Void
from arena.log.reader import Log, LogStream
from arena.log.replayer import Replayer
from arena.log.terminal import Terminal, clean, duration, pad
from arena.log.viewing import Opening, Step, Viewer, walk

_NAME_WIDTH = 16
_ACTION_WIDTH = 32
_DEAD = {
    "stock": "the stock ran out",
    "swaps": "both only swapped discards",
    "returned": "the card just taken was returned twice in a row",
    "wall": "the last discard was passed at the wall",
}
_ENDS = {
    "target": "the target was reached",
    "hands": "all hands were played",
    "dead hands": "too many dead hands in a row",
}


def render(
    log: Log | LogStream, viewer: Viewer | None = None, terminal: Terminal | None = None
) -> Iterator[str]:
    """Yield the lines of a log as text.

    A log that is cut off or not true is shown as far as it goes, with a last line that says so;
    then what is wrong is raised.

    Raises:
        UsageError: the log has no such seat, game or place.
        LogError: anything is wrong with the log.
    """
    replayer = Replayer(log.header)
    printer = _Printer(replayer, viewer or Viewer(), terminal or Terminal())
    try:
        for step in walk(log, replayer, printer.viewer):
            yield from printer.opening() if isinstance(step, Opening) else printer.step(step)
    except LogError:
        yield from printer.broken(log)
        raise


@dataclass(slots=True)
class _Turn:
    """A turn of which only the draw has been seen."""

    place: str
    drawn: str
    took_us: int
    notes: list[str]


class _Printer:
    """The text of one step after the other."""

    def __init__(self, replayer: Replayer, viewer: Viewer, terminal: Terminal) -> None:
        self.viewer = viewer
        self._replayer = replayer
        self._terminal = terminal
        self._names = [clean(seat.name) for seat in replayer.header.seats]
        self._width = min(max(map(len, self._names)), _NAME_WIDTH)
        self._turns: dict[int, _Turn] = {}

    # ------------------------------------------------------------------ steps

    def step(self, step: Step) -> Iterator[str]:
        """Yield the lines of one step."""
        value = step.line.value
        if not isinstance(value, Decision):
            yield from self._unfinished()
        yield from self._event(value)
        for sight in step.sights:
            yield from self._sight(sight, value)

    def _event(self, value: Value) -> Iterator[str]:
        match value:
            case Header():
                yield from self._header(value)
            case GameStart():
                yield ""
                yield self._terminal.strong(f"Game {value.number}")
            case LoggedFault():
                yield from self._fault(value)
            case Void():
                yield self._terminal.alarm(
                    f"  game {value.game} is void and played again: {clean(value.reason)}"
                )
            case End():
                yield from self._end(value)

    def _sight(self, sight: Sight, value: Value) -> Iterator[str]:
        if isinstance(sight, SawAction):
            assert isinstance(value, Decision)
            yield from self._action(sight, value)
            return
        yield from self._unfinished()
        if isinstance(sight, SawDeal):
            yield from self._deal(sight)
        elif isinstance(sight, SawShowdown):
            yield from self._showdown(sight)
        elif isinstance(sight, Scored):
            yield f"  score  {self._scores(sight.scores)}"
        else:
            assert isinstance(value, Decision | GameEnd), "a game ends by a decision or a forfeit"
            yield self._game_end(sight, value.game)

    # ------------------------------------------------------------------ the match

    def _header(self, header: Header) -> Iterator[str]:
        games = "1 game" if header.games == 1 else f"{header.games} games"
        yield self._terminal.strong(f"Match {clean(header.match_id)}") + (
            f": {clean(header.rules.name)}, {header.format}, {games}, {clean(header.time)} time control"
        )
        for seat, info in enumerate(header.seats):
            parts = [clean(part) for part in (info.version, info.language) if part]
            yield f"  seat {seat}  {self._names[seat]}" + (f" ({', '.join(parts)})" if parts else "")
        if self.viewer.seat is not None:
            yield f"  as seen by seat {self.viewer.seat}, {self._names[self.viewer.seat]}"

    def _end(self, end: End) -> Iterator[str]:
        yield ""
        wins = self._wins(end.wins)
        played = f"games won {wins}, {duration(end.elapsed_ms * 1000)}"
        if end.verdict == "completed":
            yield self._terminal.strong(f"{self._winner(end.wins)}") + f": {played}"
        else:
            yield self._terminal.alarm(f"The match ended unfinished ({clean(end.verdict)})") + f": {played}"
            if end.reason:
                yield f"  {clean(end.reason)}"

    def _winner(self, wins: tuple[int, ...]) -> str:
        best = [seat for seat, won in enumerate(wins) if won == max(wins)]
        if len(best) == len(wins):
            return "The match is drawn"
        return f"{self._won(best)} the match"

    def broken(self, log: Log | LogStream) -> Iterator[str]:
        """Yield what is known where a log ends before its match."""
        yield from self._unfinished()
        last = log.last
        assert last is not None, "a log that is open has a first line"
        yield ""
        yield self._terminal.alarm(f"The log goes no further than line {last.number} ({last.place})")
        replayer = self._replayer
        yield f"  games won {self._wins(tuple(replayer.wins))}" + (
            f"; score in game {replayer.number} {self._scores(replayer.game.race.scores)}"
            if replayer.playing and replayer.game is not None
            else ""
        )

    def _fault(self, fault: LoggedFault) -> Iterator[str]:
        where = "" if fault.phase is None else f" in the phase '{clean(fault.phase)}'"
        name = self._names[fault.seat]
        if not self.viewer.sees(fault.seat):
            yield self._terminal.alarm(f"  fault of {name}: {clean(fault.verdict)}")
            return
        yield self._terminal.alarm(f"  fault of {name}{where}: {clean(fault.verdict)}: {clean(fault.reason)}")
        for line in fault.stderr:
            yield self._terminal.faint(f"    stderr: {clean(line)}")

    # ------------------------------------------------------------------ hands

    def _deal(self, deal: SawDeal) -> Iterator[str]:
        game = self._game
        if deal.table == 0 or self.viewer.seat is not None:
            yield ""
            title = f"Hand {self._replayer.number}.{deal.hand}"
            yield self._terminal.strong(title) + f"  score {self._scores(game.race.scores)}"
        if deal.plan is None or deal.upcard is None:
            yield f"  {self._names[self.viewer.seat or 0]} sits this hand out"
            return
        dealer = deal.plan.dealer_seat
        other = next(seat for seat in deal.plan.seats if seat != dealer)
        limit = "with gin only" if deal.knock_limit == 0 else f"at {deal.knock_limit} or less"
        doubled = ", points double" if game.rules.spades_double and deal.upcard >= 39 else ""
        yield (
            f"  {self._names[dealer]} deals to {self._names[other]}: "
            f"upcard {self._terminal.card(deal.upcard)}, knock {limit}{doubled}"
        )
        yield from self._hands(game, deal.plan.seats)

    def _hands(self, game: Game, seats: tuple[int, ...]) -> Iterator[str]:
        held = self.viewer.held(game)
        for seat in seats:
            if seat in held:
                laid, deadwood = self._terminal.hand(held[seat])
                yield f"    {self._name(seat)}  {deadwood:>3}  {laid}"

    def opening(self) -> Iterator[str]:
        """Yield the position in which a viewer begins."""
        game = self._game
        yield ""
        place = f"{self._replayer.number}.{game.hand_number}.{self._replayer.decisions}"
        yield self._terminal.strong(f"At {place}") + f"  score {self._scores(game.race.scores)}"
        for table in game.tables:
            if self.viewer.seat not in (None, *table.seats):
                continue
            # What both players know, so either of them may be asked.
            seen = observe(table.hand, 0 if self.viewer.seat != table.seats[1] else 1)
            yield (
                f"  discard pile {self._terminal.cards(seen.discard_pile) or 'empty'}, "
                f"{seen.stock_count} cards in the stock, knock limit {seen.knock_limit}"
            )
            yield from self._hands(game, table.seats)

    # ------------------------------------------------------------------ turns

    def _action(self, sight: SawAction, decision: Decision) -> Iterator[str]:
        place = f"{decision.game}.{decision.hand}.{decision.asked.decision}"
        asked = decision.asked
        notes = [asked.note] if asked.note else []
        turn = self._turns.pop(sight.seat, None)
        if sight.action in (DRAW_STOCK, DRAW_DISCARD):
            self._turns[sight.seat] = _Turn(place, self._drawn(sight), asked.time_us, notes)
            if asked.substituted:
                self._turns[sight.seat].drawn += " (default)"
            return
        text = self._played(sight)
        if asked.substituted:
            text += " (default)"
        took = asked.time_us
        if turn is not None:
            place, text, took, notes = (
                turn.place,
                f"{turn.drawn}, {text}",
                took + turn.took_us,
                turn.notes + notes,
            )
        yield self._turn_line(sight.seat, place, text, took)
        yield from self._notes(sight.seat, notes)

    def _unfinished(self) -> Iterator[str]:
        """Yield the turns that end with their draw."""
        for seat, turn in self._turns.items():
            yield self._turn_line(seat, turn.place, turn.drawn, turn.took_us)
            yield from self._notes(seat, turn.notes)
        self._turns.clear()

    def _turn_line(self, seat: int, place: str, text: str, took_us: int) -> str:
        line = f"  {place:<9} {self._name(seat)}  {pad(text, _ACTION_WIDTH)}"
        held = self.viewer.held(self._game).get(seat)
        if held is None:
            return line.rstrip()
        laid, deadwood = self._terminal.hand(held)
        time = self._terminal.faint(f"{duration(took_us):>8}")
        return f"{line} {time}  {deadwood:>3}  {laid}"

    def _notes(self, seat: int, notes: list[str]) -> Iterator[str]:
        if self.viewer.sees(seat):
            for note in notes:
                yield self._terminal.faint(f"            note: {clean(note)}")

    def _drawn(self, sight: SawAction) -> str:
        if sight.action == DRAW_DISCARD:
            return f"takes {self._card(sight.card)}"
        return "draws" if sight.card is None else f"draws {self._card(sight.card)}"

    def _played(self, sight: SawAction) -> str:
        action = sight.action
        if action is None:
            return "knocks face down"
        if action < KNOCK:
            return f"discards {self._card(action)}"
        if action < DRAW_STOCK:
            return f"knocks with {self._card(action - KNOCK)}"
        if action == PASS:
            return "passes"
        return "declares big gin" if action == BIG_GIN else "shows its hand"

    # ------------------------------------------------------------------ results

    def _showdown(self, sight: SawShowdown) -> Iterator[str]:
        result, seats = sight.result, sight.plan.seats
        if result.showings is not None:
            for seat, showing in zip(seats, result.showings, strict=True):
                yield f"    {self._name(seat)}  {showing.deadwood:>3}  {self._shown(showing)}"
        if result.outcome == "dead":
            yield f"  dead hand, {_DEAD[result.dead_reason]}"
        elif result.winner == NOBODY:
            yield "  tie, nobody scores"
        else:
            yield f"  {result.outcome}, {self._names[seats[result.winner]]} scores {result.points}"

    def _shown(self, showing: Showing) -> str:
        text = self._terminal.groups(showing.melds, showing.unmatched)
        for layoff in showing.layoffs:
            text += f", {self._terminal.card(layoff.card)} laid off on meld {layoff.meld + 1}"
        return text

    def _game_end(self, finished: Finished, number: int) -> str:
        settlement = finished.settlement
        if finished.forfeited_by is not None:
            why = f"{self._names[finished.forfeited_by]} forfeits"
        else:
            why = _ENDS[finished.reason]
        winners = [s for s, side in enumerate(self._replayer.form.sides) if side in settlement.winners]
        won = self._won(winners) if winners else "drawn"
        title = self._terminal.strong(f"Game {number}: {won}")
        return f"{title} ({why}), totals {self._scores(settlement.totals)}"

    # ------------------------------------------------------------------ words

    @property
    def _game(self) -> Game:
        game = self._replayer.game
        assert game is not None, "there is a game to be seen"
        return game

    def _name(self, seat: int) -> str:
        return pad(self._names[seat][: self._width], self._width)

    def _card(self, card: Card | None) -> str:
        return "a card" if card is None else self._terminal.card(card)

    def _side(self, side: int) -> str:
        return self._joined([seat for seat, s in enumerate(self._replayer.form.sides) if s == side])

    def _won(self, seats: list[int]) -> str:
        return f"{self._joined(seats)} {'wins' if len(seats) == 1 else 'win'}"

    def _joined(self, seats: list[int]) -> str:
        return " and ".join(self._names[seat] for seat in seats)

    def _scores(self, scores: tuple[int, ...]) -> str:
        return ", ".join(f"{self._side(side)} {score}" for side, score in enumerate(scores))

    def _wins(self, wins: tuple[int, ...]) -> str:
        return ", ".join(f"{name} {won}" for name, won in zip(self._names, wins, strict=True))
