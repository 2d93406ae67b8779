"""Moments of a standard normal known to lie in an interval, right in the far tails.

A game's result says that the difference of two performances lies above the draw margin (a win) or
within it (a draw). The corrections v (of the mean) and w (of the variance) that this knowledge brings are
those of Herbrich, Minka and Graepel, *TrueSkill: A Bayesian Skill Rating System* (NIPS 2006), section 3.
Their textbook quotients are 0/0 far out; here they are taken through Mills' ratio and its asymptotic
series (Abramowitz and Stegun 26.2.12), so that every finite argument has a finite answer.
"""

import math

SQRT_2 = math.sqrt(2.0)
SQRT_2PI = math.sqrt(2.0 * math.pi)
SERIES_FROM = 30.0
"""From this many standard deviations on the asymptotic series is exact to 1e-12."""
SCALED_FROM = 5.0
"""From this many standard deviations on a draw is computed relative to the density at the near edge."""
LEAST_MARGIN = 1e-4
"""The narrowest draw margin, in standard deviations: a narrower one would lose digits, and differs from it by
less than 1e-8 in w. A draw at draw probability 0 is rated by it."""
LEAST_VARIANCE = 1e-12
"""The least share of the variance that is left after a result: no result tells everything."""


def density(x: float) -> float:
    """Density of the standard normal at ``x``."""
    return math.exp(-0.5 * x * x) / SQRT_2PI


def cumulative(x: float) -> float:
    """Probability that a standard normal is below ``x``, with full relative precision in the lower tail."""
    return 0.5 * math.erfc(-x / SQRT_2)


def mills_ratio(t: float) -> float:
    """Upper tail probability over density at ``t``; ``t`` at least -37."""
    if t < SERIES_FROM:
        return 0.5 * math.erfc(t / SQRT_2) * SQRT_2PI * math.exp(0.5 * t * t)
    u = 1.0 / (t * t)
    return (1.0 - u * (1.0 - u * (3.0 - u * (15.0 - u * (105.0 - u * 945.0))))) / t


def win_corrections(x: float) -> tuple[float, float]:
    """Corrections (v, w) for a win, ``x`` being (difference - margin) in standard deviations.

    v >= 0 and 0 <= w < 1 for every finite ``x``; beyond -1e6 w is 1 - 1e-12.
    """
    if x > -SERIES_FROM:
        v = density(x) / cumulative(x)
        return v, v * (v + x)
    u = 1.0 / (x * x)
    v = -x * (1.0 + u * (1.0 - u * (2.0 - u * (10.0 - u * (74.0 - u * 706.0)))))
    left = u * (1.0 - u * (6.0 - u * (50.0 - u * (518.0 - u * 6354.0))))
    return v, 1.0 - max(left, LEAST_VARIANCE)


def draw_corrections(difference: float, margin: float) -> tuple[float, float]:
    """Corrections (v, w) for a draw, both arguments in standard deviations, ``margin`` 0 or more.

    v has the sign opposite to ``difference``; 0 <= w < 1.
    """
    distance, margin = abs(difference), max(margin, LEAST_MARGIN)
    near, far = distance - margin, distance + margin
    if near < SCALED_FROM:
        mass = cumulative(-near) - cumulative(-far)
        at_near, at_far = density(near), density(far)
    else:
        at_near, at_far = 1.0, math.exp(-2.0 * margin * distance)
        mass = mills_ratio(near) - at_far * mills_ratio(far)
    v = (at_far - at_near) / mass
    w = v * v + (far * at_far - near * at_near) / mass
    return math.copysign(v, -difference), min(max(w, 0.0), 1.0 - LEAST_VARIANCE)
