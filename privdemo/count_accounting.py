"""ε and δ of released label counts: exact profiles of the noise, and the least noise that meets (ε, δ).

Counts η (c,) of a set's labels are private, their sum is public; neighbours move one label from a class i to another j.
The mechanisms are those of Iyer, Nath & Sarawagi, "Privacy preserving class ratio estimation" (KDD 2016), section 3.

Scaled Dirichlet releases θ ~ Dir(ση). The density ratio of neighbours is (θ_i/θ_j)^σ / Λ_ij and depends on θ_i/θ_j
alone, with θ_i/(θ_i + θ_j) ~ Beta(ση_i, ση_j). So its privacy profile, which the paper bounds by an integral "not easy
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
from scipy.special import betainc, betaincc, betaln, expit, gammaln, logsumexp, ndtr

from privdemo import accounting, limits

# A label moves from a class of `a` to a class of `b`.
Move = tuple[int, int]
# Moving one label changes two counts by 1: the L1 and the L2 sensitivity.
L1, L2 = 2.0, math.sqrt(2)
SIGMA = limits.Limit("sigma", 1e-15, 1e15, "σ scales counts to the parameters of a Dirichlet distribution")
# The smallest scale σ of a Dirichlet that is tried.
LEAST_SIGMA = 1e-9
# Beyond these log odds a share is too near to 0 for a number, and a Beta tail its power series' first term.
FAR = 700.0
# Stirling's series is exact to the last digit from here on.
LARGE = 20.0
# Parameters beyond which Beta tails are taken from their expansion: the library's lose digits from 1e11 on.
HUGE = 1e7


class NoSuchNoise(ValueError):
    """No noise level of the mechanism meets the wanted (ε, δ)."""


# --- Laplace and Gaussian noise on counts ------------------------------------------------------


def published_laplace_scale(epsilon: float) -> float:
    """The scale 2/ε of Laplace noise on every count: ε-private at δ = 0 (Dwork & Roth 2014)."""
    limits.RELEASE_EPSILON.check(epsilon)
    scale = L1 / epsilon
    return scale if L1 / scale <= epsilon else math.nextafter(scale, math.inf)


def laplace_counts_delta(scale: float, epsilon: float) -> float:
    """δ(ε) = 1 − (1 + t/4) e^{−t/2}, t = max(0, 2/b − ε), of Laplace noise of scale b on all counts.

    Exact: two counts move by 1, and the loss of each is 1/b or −1/b, or between them with density ¼ e^{(l − 1/b)/2};
    the sum of two such losses gives this profile.
    """
    limits.SCALE.check(scale)
    limits.EPSILON.check(epsilon)
    if scale == 0:
        return 1.0
    t = max(0.0, L1 / scale - epsilon)
    return max(0.0, -math.expm1(-t / 2) - t / 4 * math.exp(-t / 2))


def laplace_counts_scale(epsilon: float, delta: float) -> float:
    """The smallest scale of Laplace noise on counts whose exact profile meets (ε, δ); 2/ε for δ = 0."""
    limits.RELEASE_EPSILON.check(epsilon)
    limits.RELEASE_DELTA.check(delta)
    return accounting.least(
        lambda scale: laplace_counts_delta(scale, epsilon) <= delta, 0.0, published_laplace_scale(epsilon)
    )


def published_gaussian_sigma(epsilon: float, delta: float) -> float:
    """σ = √2 √(2 ln(1.25/δ)) / ε of Gaussian noise on counts (Dwork & Roth 2014, theorem A.1), proved for ε < 1."""
    limits.RELEASE_EPSILON.check(epsilon)
    _check_delta(delta, "Gaussian noise")
    return L2 * math.sqrt(2 * (math.log(1.25) - math.log(delta))) / epsilon


def gaussian_counts_sigma(epsilon: float, delta: float) -> float:
    """The smallest σ of Gaussian noise on counts that meets (ε, δ): analytic calibration with sensitivity √2."""
    limits.RELEASE_EPSILON.check(epsilon)
    _check_delta(delta, "Gaussian noise")
    return accounting.gaussian_sigma(epsilon, delta, L2)


# --- scaled Dirichlet --------------------------------------------------------------------------


def neighbouring_moves(counts: ArrayLike) -> tuple[Move, ...]:
    """The moves among which the worst neighbours of `counts` (c,) are: those of its two smallest classes.

    Both ways: from `counts` to a neighbour and from a neighbour back, (a, b) being the counts before the label moves.
    """
    smallest, second = (int(n) for n in np.sort(np.asarray(counts))[:2])
    away = ((smallest, second), (second, smallest))
    return away + tuple((b + 1, a - 1) for a, b in away)


def moves_away(counts: ArrayLike) -> tuple[Move, ...]:
    """The moves away from `counts`, at which alone the paper looks, that can be worst by its criterion.

    Those among the two smallest classes and the largest: unlike δ, the criterion may grow with a count.
    """
    ordered = np.sort(np.asarray(counts))
    ends = [int(n) for n in (*ordered[:2], *ordered[2:][-1:])]
    return tuple((a, b) for i, a in enumerate(ends) for j, b in enumerate(ends) if i != j)


def public_moves(n_min: int) -> tuple[Move, ...]:
    """The move that is the worst of all between counts of at least `n_min`: (n_min + 1, n_min)."""
    limits.N_MIN.check(n_min)
    return ((n_min + 1, n_min),)


def dirichlet_delta(sigma: float, move: Move, epsilon: float) -> float:
    """δ(ε) of Dir(ση) when a label moves from a class of a to one of b: P(bad) − e^ε Q(bad), exact.

    P is Beta(σa, σb), Q Beta(σ(a − 1), σ(b + 1)), and bad is θ_i/θ_j > (Λ e^ε)^{1/σ}. It is 1 where a class is empty
    before or after: it has no share then, and its share gives that away.
    """
    if (known := _plain_delta(sigma, move, epsilon)) is not None:
        return known
    a, b = move
    level = _log_ratio(sigma, move, epsilon)
    # Both tails by one method: their errors would not cancel otherwise.
    tail = _huge_beta_tail if sigma * min(a - 1, b) > HUGE else _beta_tail
    p, q = tail(sigma * a, sigma * b, level), tail(sigma * (a - 1), sigma * (b + 1), level)
    return max(0.0, p - math.exp(min(0.0, epsilon + math.log(q)))) if q > 0 else p


def published_dirichlet_delta(sigma: float, move: Move, epsilon: float) -> float:
    """P(θ_i/θ_j > (Λ_ij e^ε)^{1/σ}), the paper's equation 9: how likely the loss exceeds ε.

    Sufficient for δ in the direction of the `move`, not exact. The integral that the paper leaves is the tail of
    Beta(σa, σb).
    """
    if (known := _plain_delta(sigma, move, epsilon)) is not None:
        return known
    a, b = move
    tail = _huge_beta_tail if sigma * min(a, b) > HUGE else _beta_tail
    return tail(sigma * a, sigma * b, _log_ratio(sigma, move, epsilon))


def _plain_delta(sigma: float, move: Move, epsilon: float) -> float | None:
    """The δ that needs no tail: 1 where a class is empty before or after, 0 for ε = ∞; else None."""
    SIGMA.check(sigma)
    limits.EPSILON.check(epsilon)
    a, b = move
    if a < 2 or b < 1:
        return 1.0
    return 0.0 if math.isinf(epsilon) else None


def dirichlet_losses(
    here: ArrayLike, there: ArrayLike, epsilon: float, n: int, rng: np.random.Generator
) -> NDArray[np.floating]:
    """(1 − e^{ε − L})₊ of `n` samples of Dir(`here`), L = ln p_here/p_there: their mean is δ(ε) between the two.

    `here` and `there` (c,) are the parameters, each above 0. Two Dirichlets of different sums have no closed form, as
    L = ln B(there) − ln B(here) + Σ (here − there)_i ln θ_i has c terms. Logarithms throughout: a gamma variable of
    shape a is drawn as one of shape a + 1 times u^{1/a}.
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
    """The largest σ at which `profile` is at most `delta` for every one of the `moves`: the least noise.

    The exact δ grows with σ; the published criterion may also fall where it is above 0.15, so σ is sought from above.
    Raises `NoSuchNoise` where not even the smallest σ will do: as σ → 0 the loss goes to the difference of two
    exponentials of means 1/b and 1/a, plus log(ab/((a − 1)(b + 1))), and not to 0.
    """
    limits.RELEASE_EPSILON.check(epsilon)
    _check_delta(delta, "scaled Dirichlet")

    def private(sigma: float) -> bool:
        return all(profile(sigma, move, epsilon) <= delta for move in moves)

    # Where the loss is nearly Gaussian, a σ with the standard deviation of the Gaussian mechanism's loss.
    loss = 1 / accounting.gaussian_sigma(epsilon, delta)
    high = max(LEAST_SIGMA, loss**2 / max(1 / max(a, 1) + 1 / max(b, 1) for a, b in moves))
    while private(high) and 2 * high < SIGMA.high:
        high *= 2
    low = high / 2
    while not private(low):
        low, high = low / 2, low
        if high < LEAST_SIGMA:
            least = min(min(move) for move in moves)
            raise NoSuchNoise(f"no σ meets ε = {epsilon:g}, δ = {delta:g} with counts of {least}")
    return 1 / accounting.least(lambda noise: private(1 / noise), 1 / high, 1 / low)


def smallest_count(
    epsilon: float,
    delta: float,
    moves: Callable[[int], Sequence[Move]] = public_moves,
    profile: Callable[[float, Move, float], float] = dirichlet_delta,
) -> int:
    """The smallest n_min (or, by other `moves`, count of all classes) for which some σ meets (ε, δ)."""

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
    """log (Λ e^ε)^{1/σ}, Λ = Γ(σa) Γ(σb) / (Γ(σa − σ) Γ(σb + σ)): the log odds beyond which the loss exceeds ε."""
    a, b = move
    return (epsilon + _log_rise(sigma * (a - 1), sigma) - _log_rise(sigma * b, sigma)) / sigma


def _log_rise(x: float, h: float) -> float:
    """log Γ(x + h) − log Γ(x), by Stirling's series where the two are so large that their digits would cancel."""
    if x < LARGE:
        return float(gammaln(x + h) - gammaln(x))
    return (x - 0.5) * math.log1p(h / x) - h + h * math.log(x + h) + _stirling(x + h) - _stirling(x)


def _stirling(x: float) -> float:
    square = x * x
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / x


def _beta_tail(p: float, q: float, log_odds: float) -> float:
    """P(log B/(1 − B) > `log_odds`) for B ~ Beta(p, q), also where B itself would round to 0 or 1."""
    if log_odds > FAR:
        return math.exp(-log_odds * q - math.log(q) - float(betaln(p, q)))
    if log_odds < -FAR:
        return -math.expm1(log_odds * p - math.log(p) - float(betaln(p, q)))
    return float(betainc(q, p, expit(-log_odds)) if log_odds > 0 else betaincc(p, q, expit(log_odds)))


def _huge_beta_tail(p: float, q: float, log_odds: float) -> float:
    """The same by Temme's expansion for large p + q (DLMF 8.18.9, two terms, c₀ at its centre): errors below 1e-7."""
    n, share = p + q, p / (p + q)
    from_mean = log_odds - math.log(p / q)
    if abs(from_mean) > 1:  # a thousand standard deviations
        return 0.0 if from_mean > 0 else 1.0
    half_square = max(0.0, math.log1p(share * math.expm1(from_mean)) - share * from_mean)  # ½ η²
    eta = math.copysign(math.sqrt(2 * half_square), from_mean)
    skew = (1 - 2 * share) / (3 * math.sqrt(share * (1 - share)))
    return float(ndtr(-eta * math.sqrt(n))) - math.exp(-n * half_square) * skew / math.sqrt(2 * math.pi * n)


def _check_delta(delta: float, name: str) -> None:
    limits.RELEASE_DELTA.check(delta)
    if delta == 0:
        raise ValueError(f"delta must be above 0 for {name}, which never meets δ = 0; use Laplace noise")
