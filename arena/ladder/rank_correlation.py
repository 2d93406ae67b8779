"""Kendall's rank correlation of two orders."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.errors import UsageError


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b of two columns: 1 for the same order, -1 for the opposite one, 0 for unrelated ones.

    A column of equal values has no order, and the answer is 0. O(n log n), after Knight, *A Computer
    Method for Calculating Kendall's Tau with Ungrouped Data* (JASA 61, 1966). Raises
    :class:`~arena.errors.UsageError` for columns of unequal length or of fewer than two values.
    """
    first, second = _ranks(np.asarray(x)), _ranks(np.asarray(y))
    n = len(first)
    if n < 2 or len(second) != n:
        raise UsageError(
            f"no rank correlation of columns of {n} and {len(second)} values; two or more in both"
        )
    pairs = n * (n - 1) // 2
    tied_x, tied_y = _tied_pairs(first), _tied_pairs(second)
    tied_both = _tied_pairs(_ranks(first * n + second))
    discordant = _inversions(second[np.lexsort((second, first))])
    ordered = math.sqrt(pairs - tied_x) * math.sqrt(pairs - tied_y)
    concordant_surplus = pairs - tied_x - tied_y + tied_both - 2 * discordant
    return concordant_surplus / ordered if ordered else 0.0


def _ranks(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Dense ranks from 0, equal values sharing one."""
    ranks: NDArray[np.int64] = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return ranks


def _tied_pairs(ranks: NDArray[np.int64]) -> int:
    sizes = np.bincount(ranks)
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(ranks: NDArray[np.int64]) -> int:
    """Pairs that stand in falling order.

    Two ranks differ first in one bit: at each bit, from the highest, the inversions are the zeros that stand
    behind ones among the ranks that share all higher bits.
    """
    inversions = 0
    for bit in range(int(ranks.max()).bit_length() - 1, -1, -1):
        group = ranks >> (bit + 1)
        order = np.argsort(group, kind="stable")
        ones = (ranks[order] >> bit) & 1
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        before = np.cumsum(ones) - ones
        ones_before = before - np.repeat(before[starts], np.diff(starts, append=len(ranks)))
        inversions += int(ones_before[ones == 0].sum())
    return inversions
