"""TrueSkill ratings: one result at a time by the ``trueskill`` package, in bulk by a closed form.

The package passes the messages of the factor graph; the truncation corrections that it is given are those of
:mod:`arena.ladder.truncation`, so extreme upsets and draws at draw probability 0 have an answer. Such results
are marked in :attr:`RatingUpdate.guarded`. Source of the model: Herbrich, Minka and Graepel, *TrueSkill: A
Bayesian Skill Rating System* (NIPS 2006).
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Any, Generic, NamedTuple, TypeVar

import trueskill

from arena.errors import UsageError
from arena.ladder.truncation import cumulative, density, draw_corrections, win_corrections

Bot = TypeVar("Bot", bound=Hashable)

UPSET_SIGMAS = 8.0
"""A result that lies further than this from what the ratings expect is marked as guarded; it was expected
less than once in 10^15 games."""


@dataclass(frozen=True)
class RatingSettings:
    """The TrueSkill environment. Raises :class:`~arena.errors.UsageError` for a value outside its range."""

    mu: float = 25.0
    """Mean of a newcomer's skill; any finite number."""
    sigma: float = 25.0 / 3.0
    """Standard deviation of a newcomer's skill; above 0."""
    beta: float = 25.0 / 6.0
    """Standard deviation of a performance around the skill, in one result: the luck; above 0."""
    tau: float = 0.0
    """Standard deviation of the drift of a skill between results; 0 for bots, which do not change."""
    draw_probability: float = 0.01
    """Share of drawn results between equals, from 0 to below 1; nearly every game has a winner."""

    def __post_init__(self) -> None:
        finite = all(map(math.isfinite, (self.mu, self.sigma, self.beta, self.tau, self.draw_probability)))
        for name, right, range_ in (
            ("mu", finite, "every rating setting a finite number"),
            ("sigma", self.sigma > 0, "above 0"),
            ("beta", self.beta > 0, "above 0"),
            ("tau", self.tau >= 0, "0 or more"),
            ("draw_probability", 0 <= self.draw_probability < 1, "from 0 to below 1"),
        ):
            if not right:
                raise UsageError(f"rating setting {name} is {getattr(self, name)!r}; it must be {range_}")

    @cached_property
    def margin(self) -> float:
        """Draw margin of one player against one, in units of skill."""
        return NormalDist().inv_cdf(0.5 + self.draw_probability / 2) * math.sqrt(2.0) * self.beta

    def newcomer(self) -> "Rating":
        """Rating of a bot without results."""
        return Rating(self.mu, self.sigma)


@dataclass(frozen=True, slots=True)
class Rating:
    """A skill as a normal distribution. Raises :class:`~arena.errors.UsageError` for a value that is none."""

    mu: float
    """Mean; finite."""
    sigma: float
    """Standard deviation; finite and above 0."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mu) and 0.0 < self.sigma < math.inf):
            raise UsageError(
                f"rating mu={self.mu!r} sigma={self.sigma!r}: mu must be finite, sigma finite and above 0"
            )

    @property
    def conservative(self) -> float:
        """Skill that the bot has with 99.9% certainty: mu - 3 sigma."""
        return self.mu - 3.0 * self.sigma


@dataclass(frozen=True, slots=True)
class RatingUpdate:
    """Ratings after one result."""

    groups: list[tuple[Rating, ...]]
    """New ratings, by team and place, in the order given."""
    guarded: str | None = None
    """Why the plain formulas have no answer here, for a message that names the match; None as a rule."""


class Result(NamedTuple, Generic[Bot]):
    """One rated result: the teams and the rank of each."""

    teams: Sequence[Sequence[Bot]]
    """Bots of each team, by seat."""
    ranks: Sequence[float]
    """Rank of each team, the lower the better; equal ranks are a draw."""
    match: str = ""
    """Name of the match, for messages."""


class GuardedResult(NamedTuple):
    """A result whose update was guarded."""

    match: str
    reason: str


@dataclass(frozen=True, slots=True)
class Recomputed(Generic[Bot]):
    """Ratings from a whole stream of results."""

    ratings: dict[Bot, Rating]
    guarded: list[GuardedResult] = field(default_factory=list)


def rate(
    settings: RatingSettings, groups: Sequence[Sequence[Rating]], ranks: Sequence[float]
) -> RatingUpdate:
    """Rate one result of any number of teams of any size by the ``trueskill`` package.

    ``ranks`` holds one rank a team, the lower the better, equal ones drawn. Always gives finite ratings: the
    old ones where even the guarded update fails. Raises :class:`~arena.errors.UsageError` for fewer than two
    teams, an empty team, or another number of ranks than teams.
    """
    if len(groups) < 2 or not all(groups) or len(ranks) != len(groups):
        raise UsageError(
            f"cannot rate {len(groups)} teams with {len(ranks)} ranks: two teams or more, none empty"
        )
    notes: list[str] = []
    environment = _environment(settings, notes)
    try:
        rated = environment.rate(
            [[trueskill.Rating(r.mu, r.sigma) for r in group] for group in groups], list(ranks)
        )
        new = [tuple(Rating(float(r.mu), float(r.sigma)) for r in group) for group in rated]
    except (ArithmeticError, ValueError, UsageError) as error:
        return _kept(groups, f"{type(error).__name__} in the update ({error})")
    if _widened(settings, groups, new):
        return _kept(groups, "the update widened a rating beyond tau")
    return RatingUpdate(new, notes[0] if notes else None)


def rate_two(settings: RatingSettings, a: Rating, b: Rating, drawn: bool = False) -> RatingUpdate:
    """Rate one result of two bots by the closed form: ``a`` won, unless ``drawn``; equal to :func:`rate`."""
    *new, guarded = update_two(settings, a.mu, a.sigma, b.mu, b.sigma, drawn)
    mu_a, sigma_a, mu_b, sigma_b = new
    return RatingUpdate([(Rating(mu_a, sigma_a),), (Rating(mu_b, sigma_b),)], guarded)


def update_two(
    settings: RatingSettings, mu_a: float, sigma_a: float, mu_b: float, sigma_b: float, drawn: bool = False
) -> tuple[float, float, float, float, str | None]:
    """Closed-form update on bare numbers, for bulk: ``a`` won, unless ``drawn``.

    Returns mu and sigma of ``a``, mu and sigma of ``b``, and the guard's reason or None. Equations as in
    Herbrich et al., section 3, for two players; the arguments are not validated.
    """
    drift = settings.tau * settings.tau
    var_a, var_b = sigma_a * sigma_a + drift, sigma_b * sigma_b + drift
    var = 2.0 * settings.beta * settings.beta + var_a + var_b
    c = math.sqrt(var)
    difference, margin = (mu_a - mu_b) / c, settings.margin / c
    guarded = None
    if drawn:
        v, w = draw_corrections(difference, margin)
        if settings.margin == 0.0 or abs(difference) - margin > UPSET_SIGMAS:
            guarded = _draw_note(difference, margin)
    else:
        x = difference - margin
        v, w = win_corrections(x)
        if x < -UPSET_SIGMAS:
            guarded = _upset_note(x)
    return (
        mu_a + var_a / c * v,
        math.sqrt(var_a * (1.0 - var_a / var * w)),
        mu_b - var_b / c * v,
        math.sqrt(var_b * (1.0 - var_b / var * w)),
        guarded,
    )


def recompute(
    settings: RatingSettings,
    results: Iterable[Result[Bot]],
    start: Mapping[Bot, Rating] | None = None,
) -> Recomputed[Bot]:
    """Fold results, in their order, into ratings.

    Results of two bots take the closed form, others :func:`rate`. Bots not in ``start`` begin as newcomers.
    Raises :class:`~arena.errors.UsageError` for a bot that sits in one result twice.
    """
    newcomer = (settings.mu, settings.sigma)
    skills = {bot: (r.mu, r.sigma) for bot, r in (start or {}).items()}
    guarded: list[GuardedResult] = []
    for teams, ranks, match in results:
        if len(teams) == 2 and len(teams[0]) == len(teams[1]) == 1:
            (a,), (b,) = teams
            rank_a, rank_b = ranks
            if rank_a > rank_b:
                a, b = b, a
            if a == b:
                raise UsageError(f"result {match!r} has bot {a!r} twice; a bot is not rated against itself")
            mu_a, sigma_a = skills.get(a, newcomer)
            mu_b, sigma_b = skills.get(b, newcomer)
            mu_a, sigma_a, mu_b, sigma_b, note = update_two(
                settings, mu_a, sigma_a, mu_b, sigma_b, rank_a == rank_b
            )
            skills[a], skills[b] = (mu_a, sigma_a), (mu_b, sigma_b)
        else:
            note = _fold_teams(settings, skills, teams, ranks, match)
        if note is not None:
            guarded.append(GuardedResult(match, note))
    return Recomputed({bot: Rating(mu, sigma) for bot, (mu, sigma) in skills.items()}, guarded)


def _fold_teams(
    settings: RatingSettings,
    skills: dict[Bot, tuple[float, float]],
    teams: Sequence[Sequence[Bot]],
    ranks: Sequence[float],
    match: str,
) -> str | None:
    bots = [bot for team in teams for bot in team]
    if len(set(bots)) != len(bots):
        raise UsageError(f"result {match!r} has a bot twice in {bots}; a bot is not rated against itself")
    newcomer = (settings.mu, settings.sigma)
    update = rate(settings, [[Rating(*skills.get(bot, newcomer)) for bot in team] for team in teams], ranks)
    for team, new in zip(teams, update.groups, strict=True):
        skills.update((bot, (r.mu, r.sigma)) for bot, r in zip(team, new, strict=True))
    return update.guarded


def _environment(settings: RatingSettings, notes: list[str]) -> Any:
    """TrueSkill environment whose corrections have no holes and leave a note where the package's own have."""
    environment = trueskill.TrueSkill(
        mu=settings.mu,
        sigma=settings.sigma,
        beta=settings.beta,
        tau=settings.tau,
        draw_probability=settings.draw_probability,
        backend=(cumulative, density, NormalDist().inv_cdf),
    )

    def w_win(difference: float, margin: float) -> float:
        if difference - margin < -UPSET_SIGMAS:
            notes.append(_upset_note(difference - margin))
        return win_corrections(difference - margin)[1]

    def w_draw(difference: float, margin: float) -> float:
        if margin == 0.0 or abs(difference) - margin > UPSET_SIGMAS:
            notes.append(_draw_note(difference, margin))
        return draw_corrections(difference, margin)[1]

    environment.v_win = lambda difference, margin: win_corrections(difference - margin)[0]
    environment.v_draw = lambda difference, margin: draw_corrections(difference, margin)[0]
    environment.w_win, environment.w_draw = w_win, w_draw
    return environment


def _upset_note(x: float) -> str:
    return f"extreme upset: the result lies {-x:.1f} standard deviations from what the ratings expect"


def _draw_note(difference: float, margin: float) -> str:
    if margin == 0.0:
        return "a draw although draw_probability is 0: rated as the narrowest draw"
    return f"extreme draw: the ratings lie {abs(difference):.1f} standard deviations apart"


def _kept(groups: Sequence[Sequence[Rating]], reason: str) -> RatingUpdate:
    return RatingUpdate([tuple(group) for group in groups], f"{reason}: the ratings are kept")


def _widened(
    settings: RatingSettings, old: Sequence[Sequence[Rating]], new: Sequence[Sequence[Rating]]
) -> bool:
    return any(
        after.sigma > math.hypot(before.sigma, settings.tau) * (1 + 1e-9)
        for olds, news in zip(old, new, strict=True)
        for before, after in zip(olds, news, strict=True)
    )
