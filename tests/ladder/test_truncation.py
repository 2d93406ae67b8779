"""Truncated normals against values computed with 150 digits, and their laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.truncation import cumulative, density, draw_corrections, mills_ratio, win_corrections

WINS = [
    (6.0, 6.0758828558176764e-9, 3.6455297171822411e-8),
    (2.0, 0.055247862678989959, 0.11354805168857645),
    (0.0, 0.79788456080286536, 0.63661977236758134),
    (-2.0, 2.3732155328228409, 0.88572089958591874),
    (-8.0, 8.1213681122361127, 0.98567511655665909),
    (-29.0, 29.034401237736326, 0.99881933951123252),
    (-31.0, 31.032191276777725, 0.99896585841004661),
    (-50.0, 50.01998403190564, 0.9996009568131961),
    (-1000.0, 1000.000999998, 0.99999900000599995),
]
DRAWS = [
    (0.0, 0.001, 0.0, 0.99999966666671111),
    (0.5, 0.01, -0.49998333358333115, 0.99996666727776865),
    (-2.0, 0.1, 1.9933598610891454, 0.99669750686177745),
    (4.9, 0.5, -4.6022879126116549, 0.96551565322055826),
    (5.1, 0.01, -5.0998300317362331, 0.99996668444329253),
    (-12.0, 0.01, 11.99960038879284, 0.99996676288847801),
    (33.0, 0.1, -32.930068680975365, 0.999135336934442),
    (300.0, 0.01, -299.99328367601104, 0.99998988523088324),
    (1.0, 3.0, -0.055112703041381514, 0.11408451730865699),
]

differences = st.floats(-1e6, 1e6)
margins = st.floats(0.0, 10.0)


@pytest.mark.parametrize(("x", "v", "w"), WINS)
def test_win_corrections(x: float, v: float, w: float) -> None:
    assert win_corrections(x) == pytest.approx((v, w), rel=1e-9)


@pytest.mark.parametrize(("difference", "margin", "v", "w"), DRAWS)
def test_draw_corrections(difference: float, margin: float, v: float, w: float) -> None:
    assert draw_corrections(difference, margin) == pytest.approx((v, w), rel=1e-9, abs=1e-15)


@given(differences)
def test_a_win_raises_the_difference_and_takes_some_of_its_variance(x: float) -> None:
    v, w = win_corrections(x)
    assert v >= 0
    assert 0 <= w < 1
    assert v >= -x


@given(differences, margins)
def test_a_draw_draws_the_difference_towards_0(difference: float, margin: float) -> None:
    v, w = draw_corrections(difference, margin)
    assert v * difference <= 0
    assert 0 <= w < 1
    assert abs(v) <= abs(difference) * (1 + 1e-9)


@given(differences, margins)
def test_draws_are_symmetric(difference: float, margin: float) -> None:
    v, w = draw_corrections(difference, margin)
    mirrored_v, mirrored_w = draw_corrections(-difference, margin)
    assert (mirrored_v, mirrored_w) == (-v, w)


@given(st.floats(-30.5, 30.0))
def test_w_is_the_slope_of_v(x: float) -> None:
    h = 1e-4
    slope = (win_corrections(x - h)[0] - win_corrections(x + h)[0]) / (2 * h)
    assert win_corrections(x)[1] == pytest.approx(slope, abs=1e-6)


def test_a_draw_at_margin_0_takes_nearly_all_variance() -> None:
    assert draw_corrections(0.0, 0.0) == pytest.approx((0.0, 1.0), abs=1e-8)


@given(st.floats(0.0, 25.0))
def test_mills_ratio_is_tail_over_density(t: float) -> None:
    assert mills_ratio(t) == pytest.approx(cumulative(-t) / density(t), rel=1e-9)


def test_mills_ratio_is_smooth_where_the_series_begins() -> None:
    below, above = mills_ratio(math.nextafter(30.0, 0.0)), mills_ratio(30.0)
    assert below == pytest.approx(above, rel=1e-12)
