"""Discrete Laplace and discrete Gaussian noise, sampled exactly: with whole numbers and fractions, never with floats.

The algorithms are 1 to 3 of Canonne, Kamath & Steinke, "The discrete Gaussian for differential privacy" (NeurIPS 2020),
for many samples at a time. All that is random are whole numbers that are uniform below a whole number. So every value
has exactly the probability that its law says, and its last digits cannot tell where it came from (Mironov 2012).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Bits of a random number that is compared with a fraction; where they agree with its first bits, as many more are.
_BITS = 62


def discrete_laplace(scale: Fraction, shape: tuple[int, ...], rng: np.random.Generator) -> Integers:
    """Return samples of the law P(y) ∝ exp(−|y|/scale) on the whole numbers; 0 for scale 0."""
    return _by_rejection(lambda n: _try_laplace(scale, n, rng), shape, scale == 0)


def discrete_gaussian(variance: Fraction, shape: tuple[int, ...], rng: np.random.Generator) -> Integers:
    """Return samples of the law P(y) ∝ exp(−y²/(2 variance)) on the whole numbers; 0 for variance 0.

    The variance of the samples is slightly below `variance`.
    """
    return _by_rejection(lambda n: _try_gaussian(variance, n, rng), shape, variance == 0)


def _by_rejection(tried: Any, shape: tuple[int, ...], is_constant: bool) -> Integers:
    """Return samples of `shape`; `tried(n)` returns those of n tries that were accepted, independent of each other."""
    found = np.zeros(math.prod(shape), dtype=np.int64)
    n_found = found.size if is_constant else 0
    while n_found < found.size:
        some = tried(found.size - n_found)
        found[n_found : n_found + len(some)] = some
        n_found += len(some)
    return found.reshape(shape)


def _try_laplace(scale: Fraction, n: int, rng: np.random.Generator) -> Integers:
    """Algorithm 2: |y| = ⌊x/s⌋ with x geometric of parameter exp(−1/t), for scale t/s."""
    t, s = scale.numerator, scale.denominator
    low = rng.integers(0, t, n)
    low = low[_bernoulli_exp(low, t, rng)]
    high = np.zeros(len(low), dtype=np.int64)
    counting = np.arange(len(low))
    while counting.size:
        counting = counting[_bernoulli_exp_fraction(np.ones(counting.size, dtype=np.int64), 1, rng)]
        high[counting] += 1
    size = ((low.astype(object) + t * high.astype(object)) // s).astype(np.int64)
    negative = rng.integers(0, 2, len(size)) == 1
    return np.where(negative, -size, size)[~negative | (size > 0)]


def _try_gaussian(variance: Fraction, n: int, rng: np.random.Generator) -> Integers:
    """Algorithm 3: y discrete Laplace of scale t = ⌊σ⌋ + 1, kept with probability exp(−(|y| − σ²/t)²/(2σ²))."""
    t = math.isqrt(variance.numerator // variance.denominator) + 1
    y = _try_laplace(Fraction(t), n, rng)
    a, b = variance.numerator, variance.denominator
    distance = np.abs(y).astype(object) * (b * t) - a
    return y[_bernoulli_exp(distance * distance, 2 * a * b * t * t, rng)]


def _bernoulli_exp(numerators: NDArray[Any], denominator: int, rng: np.random.Generator) -> Flags:
    """Algorithm 1: return for each γ = numerator/denominator ≥ 0 whether an event of probability exp(−γ) happened."""
    exact = numerators.astype(object)
    wholes, rests = exact // denominator, exact % denominator
    happened = np.ones(len(exact), dtype=bool)
    left = np.flatnonzero(wholes > 0)
    done = 0
    while left.size:  # exp(−1) to the power of the whole part
        kept = _bernoulli_exp_fraction(np.ones(left.size, dtype=np.int64), 1, rng)
        happened[left[~kept]] = False
        done += 1
        left = left[kept]
        left = left[wholes[left] > done]
    left = np.flatnonzero(happened)
    happened[left] = _bernoulli_exp_fraction(rests[left], denominator, rng)
    return happened


def _bernoulli_exp_fraction(numerators: NDArray[Any], denominator: int, rng: np.random.Generator) -> Flags:
    """Return the same for γ from 0 to 1: an event of probability γ/k is tried for k = 1, 2, … until it does not happen,
    at an odd k with probability exp(−γ).

    γ/k is tried as two independent events, of probability γ and 1/k.
    """
    first_bits = ((numerators.astype(object) << _BITS) // denominator).astype(np.int64)
    ended_odd = np.zeros(len(numerators), dtype=bool)
    left, k = np.arange(len(numerators)), 1
    while left.size:
        happened = _bernoulli(numerators[left], denominator, first_bits[left], rng)
        happened &= rng.integers(0, k, left.size) == 0
        ended_odd[left[~happened]] = k % 2 == 1
        left = left[happened]
        k += 1
    return ended_odd


def _bernoulli(numerators: NDArray[Any], denominator: int, first_bits: Integers, rng: np.random.Generator) -> Flags:
    """Return for each numerator/denominator from 0 to 1, whose first bits are given, whether an event of that
    probability happened.
    """
    drawn = rng.integers(0, 1 << _BITS, len(first_bits))
    happened = drawn < first_bits
    for i in np.flatnonzero(drawn == first_bits):  # seldom: the bits after these decide
        rest = ((int(numerators[i]) << _BITS) - int(first_bits[i]) * denominator) << _BITS
        happened[i] = _bernoulli(
            np.array([rest >> _BITS], dtype=object), denominator, np.array([rest // denominator]), rng
        )[0]
    return happened
