"""Three estimators of the share that voted for A from randomised answers, and their uncertainty.

Every estimator here is a monotone map from the observed share f̃ of answers "A" to an estimate of the
true share θ. So each has the same two measures of its uncertainty: the map of Wilson's interval for
f̃, and the standard deviation of the map over the binomial number of answers "A".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize.elementwise import find_root
from scipy.special import expit, xlogy
from scipy.stats import binom

from privdemo import limits
from privdemo.intervals import Estimate, exact_interval, wilson_ends
from privdemo.mechanisms import BinaryChannel

Array = NDArray[np.floating]
Estimator = Callable[[ArrayLike, BinaryChannel], Array]
# log-odds of the shares at which the reconstruction objective is evaluated: 2·10⁻⁹ … 1 − 2·10⁻⁹.
LOG_ODDS = np.linspace(-20, 20, 20_001)


def naive(shares: ArrayLike, channel: BinaryChannel) -> Array:
    """Return the observed `shares` as they are (Barber eq. 34). On average p10 + (1 − p10 − p01) θ, not θ."""
    return _checked(shares)


def corrected(shares: ArrayLike, channel: BinaryChannel) -> Array:
    """Return θ̂ = (f̃ − p10) / (1 − p10 − p01): where the spread likelihood (Barber eq. 22) is stationary.

    Unbiased; it may leave [0, 1] and is not clipped. Barber's eq. (2) and (24) print f̃ + p10, which
    does not recover θ. Raises ``ValueError`` where 1 − p10 − p01 = 0.
    """
    from_b, from_a = channel.inverse_matrix[1]
    observed = _checked(shares)
    return from_b * (1 - observed) + from_a * observed


def corrected_mle(shares: ArrayLike, channel: BinaryChannel) -> Array:
    """Return the maximum of the spread likelihood on [0, 1]: `corrected`, projected.

    That likelihood is concave in θ: where its stationary point lies outside, the nearer end is best.
    """
    return np.clip(corrected(shares, channel), 0.0, 1.0)


def reconstruction_objective(theta: ArrayLike, share: ArrayLike, channel: BinaryChannel) -> Array:
    """Return J(θ) = Σ_x̃ f̃_x̃ Σ_x p_θ(x|x̃) ln p_θ(x), the posterior inside moving with θ (Barber eq. 36–38).

    `theta` and `share` broadcast. With the long-run share p10 + (1 − p10 − p01) θ₀ it is J∞.
    J ≤ 0 everywhere, and J = 0 at both ends of [0, 1] when every lie is possible: a learner who takes
    everybody for a voter of A reconstructs nothing but votes for A, and finds them certain.
    """
    theta, observed = _checked(theta), _checked(share)
    after_b, after_a = (posterior for posterior, _ in _posteriors(theta, channel))
    voted_a = observed * after_a + (1 - observed) * after_b
    return xlogy(voted_a, theta) + xlogy(1 - voted_a, 1 - theta)


def reconstruction(shares: ArrayLike, channel: BinaryChannel) -> Array:
    """Return the local maximum of J (`reconstruction_objective`) that is uphill from the observed share.

    Where both lies are possible J is largest at 0 and at 1 whatever the answers, so its global maximum
    is uninformative. An ascent from f̃ (from 1 − f̃ where most answers are lies) ends in the one inner
    maximum if that lies on its way, else at an end. Without lies the inner maximum is f̃; at symmetric
    lies above (2 − √2)/4 = 0.146 there is none for any f̃. A `reconstruction_tied` start, from which both
    ends are equally uphill, is kept. For shares of any shape; each distinct one is solved once.
    """
    distinct, where = np.unique(_checked(shares), return_inverse=True)
    found, _ = _ascend(distinct, channel)
    return found[where].reshape(np.shape(shares))


def reconstruction_tied(shares: ArrayLike, channel: BinaryChannel) -> NDArray[np.bool_]:
    """Return where J is level but least at the start of the ascent: a little more either way leads to 0 or to 1.

    So at f̃ = ½ under symmetric lies above 0.146: of many polls around it, half end at 0 and half at 1.
    """
    values = _checked(shares)
    return _ascend(values.ravel(), channel)[1].reshape(values.shape)


def _ascend(shares: Array, channel: BinaryChannel) -> tuple[Array, NDArray[np.bool_]]:
    """Return where the ascent from each of `shares` (n,) ends, and whether both ends are equally uphill, (n,)."""
    start = np.clip(shares if channel.contrast >= 0 else 1 - shares, 1e-12, 1 - 1e-12)
    slope = _slope(start, shares, channel)
    inner = _inner_maximum(shares, channel)
    there = np.abs(inner - start) < 1e-6  # without an inner maximum (nan) there is none
    uphill = (inner - start) * slope > 0
    tied = (np.abs(slope) < 1e-9) & ~there
    ends = np.where(tied, start, np.where(slope > 0, 1.0, 0.0))
    return np.where((there | uphill) & ~tied, inner, ends), tied


ESTIMATORS: dict[str, Estimator] = {
    "naive": naive,
    "reconstruction": reconstruction,
    "spread": corrected,
    "spread MLE": corrected_mle,
}


class VoteEstimate(NamedTuple):
    """An estimate of the true share, its standard error and the ends of its 95 % interval.

    `doubtful` is true if no share from 0 to 1 explains the answers: see the function `doubtful`.
    """

    value: float
    standard_error: float
    low: float
    high: float
    doubtful: bool = False

    @property
    def interval(self) -> Estimate:
        """The estimate with its interval alone."""
        return Estimate(self.value, self.low, self.high)


def estimate(name: str, answers_for_a: int, n_voters: int, channel: BinaryChannel) -> VoteEstimate:
    """Return the estimator called `name` on one election: `answers_for_a` of `n_voters` are A.

    Raises ``ValueError`` for impossible counts, and for the spread estimators where the answers
    carry no information.
    """
    limits.N_VOTERS.check(n_voters)
    limits.Limit("answers_for_a", 0, n_voters, integer=True).check(answers_for_a)
    share = answers_for_a / n_voters
    value = float(_estimators(name)(share, channel))
    low, high = interval(name, share, n_voters, channel)
    unfit = _estimators(name) in (corrected, corrected_mle) and bool(doubtful(share, n_voters, channel))
    return VoteEstimate(value, law(name, share, n_voters, channel).deviation, float(low), float(high), unfit)


def interval(name: str, shares: ArrayLike, n_voters: int, channel: BinaryChannel) -> tuple[Array, Array]:
    """Return 95 % intervals for `shares` of answers "A": the estimator applied to both ends of Wilson's.

    It covers what the estimator tends to. That is θ for the spread estimators; for the naive and the
    reconstruction estimate it is wherever the lies lead them.
    """
    limits.N_VOTERS.check(n_voters)
    ends = [_estimators(name)(end, channel) for end in wilson_ends(_checked(shares), n_voters)]
    return np.minimum(*ends), np.maximum(*ends)


def exact(answers_for_a: int, n_voters: int, channel: BinaryChannel, miss: float = 0.05) -> Estimate:
    """Return `corrected` with a 95 % interval that is right for a class too: the map of the exact one for the answers
    "A".

    Like `corrected` it is not cut at 0 and 1. Of people sampled at random it contains the true share of all at least 95
    times of 100; the share of those very people, where only the lies are random, more often still. With another `miss`
    it may miss the share so often.
    """
    limits.N_VOTERS.check(n_voters)
    found = exact_interval(answers_for_a, n_voters, miss)
    value, *ends = (float(corrected(share, channel)) for share in found)
    return Estimate(value, min(ends), max(ends))


def doubtful(shares: ArrayLike, n_voters: int, channel: BinaryChannel) -> NDArray[np.bool_]:
    """Return where the raw spread interval lies outside [0, 1], so that `channel` hardly describes the lies.

    If it does, that happens in at most about 1 poll of 40, mostly in far fewer: the interval must miss the true share
    on one side. The projected interval is then one end of [0, 1], of width 0, which is no certainty.
    """
    low, high = interval("spread", shares, n_voters, channel)
    return (high < 0) | (low > 1)


class Law(NamedTuple):
    """The distribution of an estimator: `values` (m,) and their probabilities `weights` (m,), summing to 1."""

    values: Array
    weights: Array

    @property
    def mean(self) -> float:
        """Σ weights · values."""
        return float(self.weights @ self.values)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(float(self.weights @ (self.values - self.mean) ** 2))


def law(name: str, answer_prob: float, n_voters: int, channel: BinaryChannel) -> Law:
    """Return the estimator's distribution when each of `n_voters` answers "A" with `answer_prob`, independently.

    One value for every number of answers "A", without the outermost 10⁻¹⁵ of the binomial on either side.
    With `answer_prob` = f̃ its deviation is the plug-in standard error: √(f̃(1−f̃)/N) for the naive
    and √(f̃(1−f̃)/N) / |1 − p10 − p01| for the raw spread estimate.
    """
    limits.N_VOTERS.check(n_voters)
    limits.ANSWER_PROB.check(answer_prob)
    tails = binom.ppf([1e-15, 1 - 1e-15], n_voters, answer_prob)
    counts = np.arange(tails[0], tails[1] + 1)
    weights = binom.pmf(counts, n_voters, answer_prob)
    return Law(_estimators(name)(counts / n_voters, channel), weights / weights.sum())


def _estimators(name: str) -> Estimator:
    if name not in list(ESTIMATORS):
        raise ValueError(f"name must be one of {', '.join(ESTIMATORS)}, got {name!r}")
    return ESTIMATORS[name]


def _checked(shares: ArrayLike) -> Array:
    try:
        values = np.asarray(shares, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"shares must be numbers in [0, 1], got {shares!r}") from None
    if not ((values >= 0) & (values <= 1)).all():
        wrong = values[~((values >= 0) & (values <= 1))].flat[0]
        limits.SHARE.check(float(wrong))
    return values


def _posteriors(theta: Array, channel: BinaryChannel) -> list[tuple[Array, Array]]:
    """Return P(voted A | answer) and its derivative in θ, for the answers B and A.

    With P(answer | A) = a and P(answer | B) = b they are aθ/(aθ + b(1−θ)) and ab/(aθ + b(1−θ))².
    """
    found = []
    for b, a in channel.channel_matrix:
        chance = np.maximum(a * theta + b * (1 - theta), 1e-150)
        posterior = a * theta / chance if b else np.full(theta.shape, float(a > 0))  # certain without that lie
        found.append((posterior, a * b / chance**2))
    return found


def _slopes(theta: Array, channel: BinaryChannel) -> tuple[Array, Array]:
    """Return the derivatives of what one answer B, and one answer A, adds to J; θ inside (0, 1)."""
    log_odds = np.log(theta) - np.log1p(-theta)
    after_b, after_a = (
        moved * log_odds + posterior / theta - (1 - posterior) / (1 - theta)
        for posterior, moved in _posteriors(theta, channel)
    )
    return after_b, after_a


def _slope(theta: Array, share: Array, channel: BinaryChannel) -> Array:
    """Return dJ/dθ, linear in the observed share."""
    after_b, after_a = _slopes(theta, channel)
    return (1 - share) * after_b + share * after_a


@lru_cache(maxsize=256)
def _maxima(channel: BinaryChannel) -> tuple[Array, Array]:
    """Return all inner maxima of J for this channel: the θ, and the share that has its maximum there, increasing.

    As dJ/dθ is linear in the share, every θ is stationary for one share at most; it is a maximum
    where dJ/dθ falls as θ passes.
    """
    theta = expit(LOG_ODDS)
    after_b, after_a = _slopes(theta, channel)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = after_b / (after_b - after_a)
    here, there = theta[1:-1], share[1:-1]
    with np.errstate(invalid="ignore"):
        falls = (_slope(theta[:-2], there, channel) > 0) & (_slope(theta[2:], there, channel) < 0)
        kept = falls & (there >= 0) & (there <= 1)
    order = np.argsort(there[kept])
    return here[kept][order], there[kept][order]


def _inner_maximum(shares: Array, channel: BinaryChannel) -> Array:
    """Return where J has its maximum inside (0, 1) for each of `shares`; nan where it has none."""
    found = np.full(shares.shape, np.nan)
    theta, stationary_for = _maxima(channel)
    if not len(theta):
        return found
    has_one = (shares >= stationary_for[0]) & (shares <= stationary_for[-1])
    share = shares[has_one]
    guess = np.interp(share, stationary_for, theta)
    step = 2 * guess * (1 - guess) * (LOG_ODDS[1] - LOG_ODDS[0])
    ends = np.maximum(guess - step, 1e-12), np.minimum(guess + step, 1 - 1e-12)
    exact = find_root(lambda theta, share: _slope(theta, share, channel), ends, args=(share,))
    found[has_one] = np.where(exact.success, exact.x, guess)  # no root in sight: a maximum about to vanish
    return found
