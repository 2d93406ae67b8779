"""Kendall's tau against its definition."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.ladder.rank_correlation import kendall_tau

columns = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)))
)


def by_definition(x: list[int], y: list[int]) -> float:
    def sign(value: int) -> int:
        return (value > 0) - (value < 0)

    pairs = [(sign(x[i] - x[j]), sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)]
    ordered = math.sqrt(sum(a * a for a, _ in pairs)) * math.sqrt(sum(b * b for _, b in pairs))
    return sum(a * b for a, b in pairs) / ordered if ordered else 0.0


@given(columns)
def test_tau_is_the_surplus_of_pairs_in_the_same_order(both: tuple[list[int], list[int]]) -> None:
    assert kendall_tau(*both) == pytest.approx(by_definition(*both))


@pytest.mark.parametrize(
    ("y", "tau"), [([1, 2, 3, 4], 1.0), ([4, 3, 2, 1], -1.0), ([1, 2, 4, 3], 4 / 6), ([7, 7, 7, 7], 0.0)]
)
def test_known_values(y: list[float], tau: float) -> None:
    assert kendall_tau([0.1, 0.2, 0.3, 0.4], y) == pytest.approx(tau)


def test_noise_on_a_large_column() -> None:
    rng = np.random.default_rng(13)
    x, noise = rng.normal(size=(2, 20_000))
    # Two normal columns of correlation r have tau 2 / pi asin r.
    assert kendall_tau(x, x + noise) == pytest.approx(2 / math.pi * math.asin(math.sqrt(0.5)), abs=0.01)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1.0], [1.0]), ([1.0, 2.0], [1.0, 2.0, 3.0])])
def test_columns_without_pairs_are_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(UsageError, match="no rank correlation"):
        kendall_tau(x, y)
