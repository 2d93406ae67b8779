"""Whole ladders in memory: how many matches a pairing policy needs until the table is right.

A simulated bot has a skill drawn from a normal distribution; in a match each side performs at its skill plus
normal luck of standard deviation beta, and the better performance wins (the model of TrueSkill). Some bots
crash now and then and forfeit; some enter late. The table is right when Kendall's tau between the
rating means and the true order, that of the expected score against the whole field, reaches a target.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median, stdev

import numpy as np
from numpy.typing import NDArray

from arena.errors import UsageError
from arena.ladder.pairing import Field, Pairing, policy
from arena.ladder.rank_correlation import kendall_tau
from arena.ladder.rating import RatingSettings, update_two
from arena.ladder.truncation import cumulative

FloatArray = NDArray[np.float64]

PLACEMENT_GAMES = 10
"""A newcomer's rank is compared with the true one after so many games of its own."""
ENTRY_MATCHES = 5
"""Newcomers enter one by one while the first so many matches a bot are played."""


@dataclass(frozen=True)
class Plan:
    """One ladder to simulate. Raises :class:`~arena.errors.UsageError` for a value outside its range."""

    bots: int = 100
    """Size of the field, newcomers included; 2 or more."""
    policy: str = "informative"
    """Name of the pairing policy."""
    seed: int = 0
    """Seed of skills, faults and luck; the same plan gives the same outcome."""
    batch: int = 0
    """Matches chosen at once, before their results are known; 0 for a fifth of the field."""
    spread: float = 25.0 / 3.0
    """Standard deviation of the true skills."""
    faulty: float = 0.0
    """Share of the bots that crash now and then, from 0 to 1."""
    fault_rate: float = 0.1
    """Probability that such a bot forfeits a match, from 0 to 1."""
    newcomers: float = 0.0
    """Share of the bots that enter late, from 0 to below 1."""
    target: float = 0.9
    """Kendall's tau at which the table is right, above 0 and below 1."""
    most: int = 400
    """The simulation gives up after this number of matches a bot."""
    settings: RatingSettings = field(default_factory=RatingSettings)
    """Settings of the ratings; beta is the luck of the simulated matches too."""

    def __post_init__(self) -> None:
        for name, right, range_ in (
            ("bots", self.bots >= 2, "2 or more"),
            ("batch", self.batch >= 0, "0 or more"),
            ("spread", 0 < self.spread < math.inf, "above 0"),
            ("faulty", 0 <= self.faulty <= 1, "from 0 to 1"),
            ("fault_rate", 0 <= self.fault_rate <= 1, "from 0 to 1"),
            (
                "newcomers",
                0 <= self.newcomers < 1 and self.founders >= 2,
                "from 0 to below 1, with two founders",
            ),
            ("target", 0 < self.target < 1, "above 0 and below 1"),
            ("most", self.most >= 1, "1 or more"),
        ):
            if not right:
                raise UsageError(f"simulation setting {name} is {getattr(self, name)!r}; it must be {range_}")
        policy(self.policy)

    @property
    def founders(self) -> int:
        """Bots that are there from the start."""
        return self.bots - int(self.newcomers * self.bots)

    @property
    def batch_size(self) -> int:
        """Matches chosen at once."""
        return self.batch or max(1, self.bots // 5)


@dataclass(frozen=True)
class Outcome:
    """What came of one simulated ladder."""

    matches: float | None
    """Matches until tau reached the target, interpolated between batches; None if it never did."""
    curve: list[tuple[int, float]]
    """Kendall's tau by number of matches, from the entry of the last newcomer on."""
    games: tuple[int, int]
    """Games of the bot with the fewest and of the bot with the most, at the end."""
    placement_errors: list[float]
    """Distance of each newcomer's rank from the true one after 10 games, as a share of the field."""
    placement_matches: list[int]
    """Matches of the whole ladder from the entry of each such newcomer until it had 10 games."""


@dataclass(frozen=True)
class Comparison:
    """One policy against random pairing, over several ladders."""

    policy: str
    ladders: int
    matches: float
    """Mean number of matches until the target."""
    ratio: float
    """Mean matches over the mean matches of random pairing."""
    ratio_error: float
    """Standard error of the ratio, from the spread over the ladders; nan for one ladder."""
    placement_error: float
    """Median distance of a newcomer's rank from the true one after 10 games, as a share of the field; nan
    without newcomers."""
    placement_matches: float
    """Median matches of the ladder, over its bots, until a newcomer had 10 games; nan without newcomers."""


def simulate(plan: Plan) -> Outcome:
    """Play one ladder until the table is right or the plan gives up."""
    return _Ladder(plan).play()


def compare(plan: Plan, policies: Sequence[str], ladders: int) -> list[Comparison]:
    """Play ``ladders`` ladders, seeds counting up from the plan's, by every policy and by random pairing.

    All policies meet the same fields. Raises :class:`~arena.errors.UsageError` if a ladder never reaches the
    target, for there is no mean then.
    """
    if ladders < 1:
        raise UsageError(f"cannot compare policies over {ladders} ladders; one or more are needed")
    names = list(dict.fromkeys(["random", *policies]))
    outcomes = {
        name: [simulate(replace(plan, policy=name, seed=plan.seed + k)) for k in range(ladders)]
        for name in names
    }
    base = _needed(plan, "random", outcomes["random"])
    return [_compared(plan, name, outcomes[name], base) for name in names]


class _Ladder:
    """State of one ladder in play; founders come first, newcomers after them in the order of entry."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.choose = policy(plan.policy)
        # Two streams, so that every policy meets the same field.
        field_rng, self.rng = (np.random.default_rng(s) for s in np.random.SeedSequence(plan.seed).spawn(2))
        self.skill = field_rng.normal(plan.settings.mu, plan.spread, plan.bots)
        self.fault = np.where(field_rng.random(plan.bots) < plan.faulty, plan.fault_rate, 0.0)
        self.truth = expected_scores(self.skill, self.fault, plan.settings.beta)
        self.present = plan.founders
        self.mu = [plan.settings.mu] * plan.bots
        self.sigma = [plan.settings.sigma] * plan.bots
        self.games = [0] * plan.bots
        self.lead = [0] * plan.bots
        self.meetings: dict[tuple[int, int], int] = {}
        self.played = 0
        self.entered: dict[int, int] = {}
        self.placed: dict[int, tuple[float, int]] = {}

    def play(self) -> Outcome:
        plan = self.plan
        curve: list[tuple[int, float]] = []
        while self.played < plan.most * plan.bots:
            self._enter()
            self._play_batch()
            self._place()
            if self.present == plan.bots:
                curve.append((self.played, kendall_tau(self.mu, self.truth)))
                if curve[-1][1] >= plan.target:
                    return self._outcome(_crossing(curve, plan.target), curve)
        return self._outcome(None, curve)

    def _outcome(self, matches: float | None, curve: list[tuple[int, float]]) -> Outcome:
        placements = list(self.placed.values())
        games = (min(self.games), max(self.games))
        errors, took = [error for error, _ in placements], [took for _, took in placements]
        return Outcome(matches, curve, games, errors, took)

    def _enter(self) -> None:
        plan = self.plan
        late = plan.bots - plan.founders
        due = plan.founders + int(late * min(1.0, self.played / (ENTRY_MATCHES * plan.bots)))
        self.entered.update((bot, self.played) for bot in range(self.present, due))
        self.present = due

    def _play_batch(self) -> None:
        here = self.present
        here_now = Field(
            np.array(self.mu[:here]),
            np.array(self.sigma[:here]),
            np.array(self.games[:here], dtype=np.int64),
            np.array(self.lead[:here], dtype=np.int64),
            self.meetings,
        )
        key = int(self.rng.integers(2**63))
        pairings = self.choose(here_now, self.plan.batch_size, key, self.plan.settings.beta)
        for pairing, margin in zip(pairings, self._margins(pairings), strict=True):
            self._rate(pairing, margin)

    def _margins(self, pairings: list[Pairing]) -> list[float]:
        """Performance of the first seat over the second in each match; infinite where one side forfeits."""
        seats = np.array(pairings)
        skill, fault = self.skill[seats], self.fault[seats]
        performance = skill + self.plan.settings.beta * self.rng.standard_normal(skill.shape)
        crashed = self.rng.random(fault.shape) < fault
        forfeit = np.where(crashed[:, 1], math.inf, -math.inf)
        margins = np.where(crashed[:, 0] ^ crashed[:, 1], forfeit, performance[:, 0] - performance[:, 1])
        result: list[float] = margins.tolist()
        return result

    def _rate(self, pairing: Pairing, margin: float) -> None:
        a, b = pairing if margin >= 0 else pairing[::-1]
        mu, sigma, settings = self.mu, self.sigma, self.plan.settings
        drawn = abs(margin) < settings.margin
        mu[a], sigma[a], mu[b], sigma[b], _ = update_two(settings, mu[a], sigma[a], mu[b], sigma[b], drawn)
        self.games[a] += 1
        self.games[b] += 1
        self.lead[pairing.first] += 1
        self.lead[pairing.second] -= 1
        self.meetings[pairing] = self.meetings.get(pairing, 0) + 1
        self.played += 1

    def _place(self) -> None:
        waiting = [b for b in self.entered if b not in self.placed and self.games[b] >= PLACEMENT_GAMES]
        if not waiting:
            return
        mu, truth = np.array(self.mu[: self.present]), self.truth[: self.present]
        for bot in waiting:
            places_off = int((mu > mu[bot]).sum()) - int((truth > truth[bot]).sum())
            self.placed[bot] = (abs(places_off) / self.present, self.played - self.entered[bot])


def expected_scores(skill: FloatArray, fault: FloatArray, beta: float) -> FloatArray:
    """Expected score, from 0 to 1, of each bot against the whole field, itself included as its equal.

    ``fault`` is the probability with which each bot forfeits; if both do, the match goes by performance.
    """
    grid = np.linspace(skill.min(), skill.max(), 513)
    z = np.linspace(-8.0, 8.0, 4001)
    normal = np.array([cumulative(x) for x in z.tolist()])
    reach = (grid[:, None] - skill[None, :]) / (math.sqrt(2.0) * beta)
    table = np.interp(reach, z, normal)
    sound = np.interp(skill, grid, (table * (1.0 - fault)).mean(axis=1))
    either = np.interp(skill, grid, (table * fault).mean(axis=1))
    result: FloatArray = (1.0 - fault) * (sound + fault.mean()) + fault * either
    return result


def _crossing(curve: list[tuple[int, float]], target: float) -> float:
    last, tau = curve[-1]
    before, tau_before = curve[-2] if len(curve) > 1 else (0, 0.0)
    return before + (last - before) * (target - tau_before) / (tau - tau_before)


def _needed(plan: Plan, name: str, outcomes: list[Outcome]) -> list[float]:
    reached = [outcome.matches for outcome in outcomes if outcome.matches is not None]
    if len(reached) < len(outcomes):
        raise UsageError(
            f"policy {name!r} did not reach tau {plan.target} within {plan.most} matches a bot in "
            f"{len(outcomes) - len(reached)} of {len(outcomes)} ladders; allow more matches or a lower target"
        )
    return reached


def _compared(plan: Plan, name: str, outcomes: list[Outcome], base: list[float]) -> Comparison:
    needed = _needed(plan, name, outcomes)
    ratio = fmean(needed) / fmean(base)
    # Delta method for a ratio of means over ladders that share their fields.
    residuals = [(own - ratio * random) / fmean(base) for own, random in zip(needed, base, strict=True)]
    error = stdev(residuals) / math.sqrt(len(residuals)) if len(residuals) > 1 else math.nan
    errors = [error for outcome in outcomes for error in outcome.placement_errors]
    took = [matches / plan.bots for outcome in outcomes for matches in outcome.placement_matches]
    return Comparison(
        policy=name,
        ladders=len(outcomes),
        matches=fmean(needed),
        ratio=ratio,
        ratio_error=error,
        placement_error=median(errors) if errors else math.nan,
        placement_matches=median(took) if took else math.nan,
    )
