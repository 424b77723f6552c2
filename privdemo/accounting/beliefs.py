"""What an adversary believes after a release, by Bayes' rule, and how often a guess can be right."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit
from scipy.stats import binom

from privdemo import limits

Array = NDArray[np.floating]


def posterior(channel: ArrayLike, prior: ArrayLike, observed: int) -> Array:
    """Return P(true | observed) ∝ channel[observed, true] · prior[true], shape (n_true,).

    `channel` (n_observed, n_true) has columns that sum to 1, `prior` (n_true,) sums to 1, and `observed` is the number
    of a row. Raises ``ValueError`` for a prior that is none, and where `observed` is impossible.
    """
    matrix, belief = np.asarray(channel, dtype=float), np.asarray(prior, dtype=float)
    if belief.shape != matrix.shape[1:] or (belief < 0).any() or not math.isclose(belief.sum(), 1.0):
        raise ValueError(f"prior must be {matrix.shape[1]} probabilities that sum to 1, got {belief}")
    limits.Limit("observed", 0, len(matrix) - 1, integer=True).check(observed)
    joint = matrix[observed] * belief
    if joint.sum() == 0:
        raise ValueError(f"observed = {observed} cannot happen under this channel and prior")
    return joint / joint.sum()


def log_odds(probability: float) -> float:
    """Return ln(p / (1 − p)) of a `probability` p: −∞ at 0, ∞ at 1."""
    limits.Limit("probability", 0.0, 1.0).check(probability)
    return float(logit(probability))


def most_guessed_right(epsilon: float, delta: float, n_states: int = 2) -> float:
    """Return the most that (ε, δ) allows a guess among `n_states` equally likely values, k of them, to be right:
    (e^ε + (k − 1)δ)/(e^ε + k − 1), of two that of Kairouz, Oh & Viswanath 2015.

    Let a guess v be right with the chance R(v). If u is true instead, v is guessed with a chance of at least
    (R(v) − δ)/e^ε. Added over all u and v, all chances are k, so that k ≥ ΣR + (k − 1)(ΣR − kδ)/e^ε. Whoever tells the
    value with the chance δ, and otherwise sends it through randomised response of ε, reaches it.
    """
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.N_STATES.check(n_states)
    others = (n_states - 1) * math.exp(-epsilon)
    return (1 + others * delta) / (1 + others)


def most_guessed_right_again(epsilon: float, delta: float, n_releases: int) -> float:
    """Return the most that `n_releases` of one secret, n of them, allow a guess between two equally likely values to be
    right: 1 − (1 − δ)ⁿ (1 − P), where P is how often the more common of n bits is the true one, each of which is true
    with the chance e^ε/(1 + e^ε).

    Each release keeps (ε, δ), and may depend on those before. No n releases tell more than n times randomised response
    of ε that tells the value with the chance δ (Kairouz, Oh & Viswanath 2015, theorem 3.3). Two values are as often
    guessed right by a coin where as many bits are true as false.
    """
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.Limit("n_releases", 1, math.inf, integer=True).check(n_releases)
    right = binom(n_releases, most_guessed_right(epsilon, 0.0))
    ties = right.pmf(n_releases / 2) / 2 if n_releases % 2 == 0 else 0.0
    by_bits = float(right.sf(n_releases // 2) + ties)
    return 1 - (1 - delta) ** n_releases * (1 - by_bits)


def most_right_of_100(epsilon: float, delta: float, n_states: int = 2) -> int:
    """Return `most_guessed_right` in whole times of 100, rounded up: at most as often is what (ε, δ) promises."""
    return _whole_times(most_guessed_right(epsilon, delta, n_states))


def _whole_times(share: float) -> int:
    return math.ceil(100 * share - 1e-9)


def right_of_100_words(epsilon: float, delta: float, n_states: int = 2) -> str:
    """Return how often a guess can be right by `most_guessed_right`, in the words of `of_100_words`."""
    return of_100_words(most_guessed_right(epsilon, delta, n_states))


def of_100_words(probability: float) -> str:
    """Return that a chance is no larger than a `probability` in words: “at most 75 of 100 times”, “fewer than 74 of 100
    times” of 0.731, “up to nearly 100 of 100 times”.
    """
    limits.Limit("probability", 0.0, 1.0).check(probability)
    if probability > 0.99:
        return "up to nearly 100 of 100 times"
    times = _whole_times(probability)
    bound = "at most" if abs(100 * probability - times) < 1e-9 else "fewer than"
    return f"{bound} {times} of 100 times"
