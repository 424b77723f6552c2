"""Scaled Dirichlet releases θ ~ Dir(ση) of label counts η: the exact profile, and the largest σ that meets (ε, δ).

Counts η (c,) of a set's labels are private, their sum is public; neighbours move one label from a class i to another j
(Iyer, Nath & Sarawagi 2016, section 3). The density ratio of neighbours is (θ_i/θ_j)^σ / Λ_ij and depends on θ_i/θ_j
alone, with θ_i/(θ_i + θ_j) ~ Beta(ση_i, ση_j). So the privacy profile, which the paper bounds by an integral "not easy
to solve in closed form", is a difference of two Beta tails (`dirichlet_delta`).

Where the worst case lies: θ_i/θ_j = G_i/G_j with independent G ~ Gamma(ση), and the density ratio of (G_i, G_j) is that
same function of G_i/G_j. Adding an independent Gamma(σk) to either G turns a pair of counts (a, b) into one of larger
counts, whatever the labels: post-processing. So δ never grows with a or b, and over all neighbours whose counts are at
least n_min it is largest where the label leaves a class of n_min + 1 for one of n_min.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, logsumexp

from privdemo import limits
from privdemo.accounting.beta_tails import HUGE, beta_tail, huge_beta_tail, log_rise
from privdemo.accounting.counts import check_delta_above_0
from privdemo.accounting.gaussian import gaussian_sigma
from privdemo.accounting.losses import smallest_private

# A label moves from a class of `a` to a class of `b`.
Move = tuple[int, int]
# The smallest scale σ of a Dirichlet that is tried.
LEAST_SIGMA = 1e-9


class NoSuchNoise(ValueError):
    """No noise level of the mechanism meets the wanted (ε, δ)."""


def neighbouring_moves(counts: ArrayLike) -> tuple[Move, ...]:
    """Return the moves between `counts` (c,) and its neighbours that can be the worst: those of its two smallest
    classes.

    Both from `counts` to a neighbour and from a neighbour back; (a, b) are the counts before the label moves.
    """
    smallest, second = (int(n) for n in np.sort(np.asarray(counts))[:2])
    away = ((smallest, second), (second, smallest))
    return away + tuple((b + 1, a - 1) for a, b in away)


def moves_to_neighbours(counts: ArrayLike) -> tuple[Move, ...]:
    """Return the moves from `counts` (c,) to a neighbour that can be the worst by the paper's criterion.

    The criterion ignores the moves back.

    They are those among the two smallest classes and the largest: unlike δ, the criterion may grow with a count.
    """
    ordered = np.sort(np.asarray(counts))
    ends = [int(n) for n in (*ordered[:2], *ordered[2:][-1:])]
    return tuple((a, b) for i, a in enumerate(ends) for j, b in enumerate(ends) if i != j)


def public_moves(n_min: int) -> tuple[Move, ...]:
    """Return the worst move between any counts of at least `n_min`: (n_min + 1, n_min)."""
    limits.N_MIN.check(n_min)
    return ((n_min + 1, n_min),)


def dirichlet_delta(sigma: float, move: Move, epsilon: float) -> float:
    """Return the exact δ(ε) of Dir(ση) when a label moves from a class of a to one of b: P(bad) − e^ε Q(bad).

    P is Beta(σa, σb), Q is Beta(σ(a − 1), σ(b + 1)), and bad is θ_i/θ_j > (Λ e^ε)^{1/σ}. δ is 1 where a class is empty
    before or after the move: an empty class has no share, which gives it away.
    """
    if (known := _delta_without_tails(sigma, move, epsilon)) is not None:
        return known
    a, b = move
    level = _log_ratio(sigma, move, epsilon)
    # Both tails by one method: their errors would not cancel otherwise.
    tail = huge_beta_tail if sigma * min(a - 1, b) > HUGE else beta_tail
    p, q = tail(sigma * a, sigma * b, level), tail(sigma * (a - 1), sigma * (b + 1), level)
    return max(0.0, p - math.exp(min(0.0, epsilon + math.log(q)))) if q > 0 else p


def published_dirichlet_delta(sigma: float, move: Move, epsilon: float) -> float:
    """Return the paper's criterion P(θ_i/θ_j > (Λ_ij e^ε)^{1/σ}) (equation 9): how likely the loss exceeds ε.

    It is an upper bound on δ in the direction of the `move`. The integral that the paper leaves open is the tail of
    Beta(σa, σb).
    """
    if (known := _delta_without_tails(sigma, move, epsilon)) is not None:
        return known
    a, b = move
    tail = huge_beta_tail if sigma * min(a, b) > HUGE else beta_tail
    return tail(sigma * a, sigma * b, _log_ratio(sigma, move, epsilon))


def _delta_without_tails(sigma: float, move: Move, epsilon: float) -> float | None:
    """Return the δ that needs no tail: 1 where a class is empty before or after, 0 for ε = ∞; else None."""
    limits.DIRICHLET_SIGMA.check(sigma)
    limits.EPSILON.check(epsilon)
    a, b = move
    if a < 2 or b < 1:
        return 1.0
    return 0.0 if math.isinf(epsilon) else None


def dirichlet_delta_samples(
    here: ArrayLike, there: ArrayLike, epsilon: float, n: int, rng: np.random.Generator
) -> NDArray[np.floating]:
    """Return (1 − e^{ε − L})₊ of `n` samples of Dir(`here`), (n,), with L = ln p_here/p_there: their mean estimates
    δ(ε).

    `here` and `there` (c,) are the parameters, each above 0. Two Dirichlets of different sums have no closed form, as
    L = ln B(there) − ln B(here) + Σ (here − there)_i ln θ_i has c terms. Everything is in logs: a gamma variable of
    shape a is sampled as one of shape a + 1 times u^{1/a}. Raises ``ValueError`` for a parameter that is not above 0.
    """
    a, b = np.asarray(here, dtype=float), np.asarray(there, dtype=float)
    limits.Limit("smallest parameter", 0.0, math.inf, low_open=True).check(min(a.min(), b.min()))
    log_gamma = np.log(rng.standard_gamma(a + 1, (n, len(a)))) + np.log(rng.random((n, len(a)))) / a
    log_theta = log_gamma - logsumexp(log_gamma, axis=1, keepdims=True)
    log_beta = [gammaln(p).sum() - gammaln(p.sum()) for p in (a, b)]
    loss = log_beta[1] - log_beta[0] + log_theta @ (a - b)
    return -np.expm1(np.minimum(epsilon - loss, 0.0))


def dirichlet_sigma(
    epsilon: float,
    delta: float,
    moves: Sequence[Move],
    profile: Callable[[float, Move, float], float] = dirichlet_delta,
) -> float:
    """Return the largest σ, which is the least noise, at which `profile` is at most `delta` for each of the `moves`.

    The exact δ grows with σ; the published criterion may also fall where it is above 0.15, so σ is sought from above.
    Raises `NoSuchNoise` where no σ meets (ε, δ): as σ → 0 the loss does not go to 0, but to the difference of two
    exponential variables of means 1/b and 1/a, plus log(ab/((a − 1)(b + 1))).
    """
    limits.RELEASE_EPSILON.check(epsilon)
    check_delta_above_0(delta, "scaled Dirichlet")

    def private(sigma: float) -> bool:
        return all(profile(sigma, move, epsilon) <= delta for move in moves)

    # Where the loss is nearly Gaussian, a σ with the standard deviation of the Gaussian mechanism's loss.
    loss = 1 / gaussian_sigma(epsilon, delta)
    high = max(LEAST_SIGMA, loss**2 / max(1 / max(a, 1) + 1 / max(b, 1) for a, b in moves))
    while private(high) and 2 * high < limits.DIRICHLET_SIGMA.high:
        high *= 2
    low = high / 2
    while not private(low):
        low, high = low / 2, low
        if high < LEAST_SIGMA:
            least = min(min(move) for move in moves)
            raise NoSuchNoise(f"no σ meets ε = {epsilon:g}, δ = {delta:g} with counts of {least}")
    return 1 / smallest_private(lambda noise: private(1 / noise), 1 / high, 1 / low)


def dirichlet_smallest_count(
    epsilon: float,
    delta: float,
    moves: Callable[[int], Sequence[Move]] = public_moves,
    profile: Callable[[float, Move, float], float] = dirichlet_delta,
) -> int:
    """Return the smallest n for which some σ meets (ε, δ) by `profile` at all `moves(n)`.

    By default that is the smallest public minimum n_min of the counts of all classes.
    """

    def possible(n: int) -> bool:
        return all(profile(LEAST_SIGMA, move, epsilon) <= delta for move in moves(n))

    low, high = 0, 1
    while not possible(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if possible(middle) else (middle, high)
    return high


def _log_ratio(sigma: float, move: Move, epsilon: float) -> float:
    """Return log (Λ e^ε)^{1/σ}, Λ = Γ(σa) Γ(σb) / (Γ(σa − σ) Γ(σb + σ)): the log odds beyond which the loss exceeds
    ε.
    """
    a, b = move
    return (epsilon + log_rise(sigma * (a - 1), sigma) - log_rise(sigma * b, sigma)) / sigma
