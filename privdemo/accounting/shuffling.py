"""Shuffling: every answer has a local ε₀, and a shuffler permutes the answers before they are counted.

The counts alone are then released, with a far smaller ε. This module has the exact profile for two answers
(`shuffled_poll_…`), an upper bound for any ε₀-private mechanism on any number of answers (`shuffled_…`), the reduction
to clones of Feldman, McMillan & Talwar, "Hiding among the clones" (FOCS 2021), and a tighter one for k-ary randomised
response (`shuffled_response_…`), the privacy blanket of Balle, Bell, Gascón & Nissim (CRYPTO 2019).

The first two rest on one sum. With p = 1/(e^ε₀ + 1) one person adds a 1 to a count A of the others' ones with
probability 1 − p or p. As A is log-concave, the likelihood ratio of the two counts rises with the count, so that the
worst set of releases is those of at least some t: with α = (1 − p) − e^ε p and β = e^ε − 1

    δ(ε) = max over t of  α P(A = t − 1) − β P(A ≥ t).                                          (1)

The answer of a further person is further noise, so that more people never raise δ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from privdemo import limits
from privdemo.accounting.losses import smallest_private

Array = NDArray[np.floating]
Counts = NDArray[np.signedinteger]

# Counts farther from their mean than Bernstein's inequality allows once in e^70 are left out, and that is added to δ.
LOG_LEFT_OUT = 70.0
# Of the others at most so many have every number of ones, and all beyond them have a 1: there (1) is largest, but for
# what the lattice of whole numbers does. Up to a variance of `WIDE` so many other numbers of ones are tried as well.
FREE, SPACED, WIDE = 64, 32, 128.0
# Numbers of clones are taken in at most so many steps, each as if all in it were the fewest.
STEPS = 2000
# The library's binomial probabilities are this exact, and its tails of ten million answers.
PROBABILITY_ERROR, TAIL_ERROR = 1e-11, 1e-8
# A largest ε₀ is found to this share of it.
EXACT = 1e-6
# (2) is a sum over so many pairs (A, B) at most, else a Fourier series of so many terms, up to the frequency of which
# normal noise leaves e^(−9²/2) < 10⁻¹⁷.
CELLS, TERMS, LAST = 5000, 2048, 9.0
# Pairs that are less likely are left out of the sum, and the most that they add is added to δ.
UNLIKELY = 1e-22
# Its rounding errors are below this share of its period, by arithmetic of more digits at 1,500 settings.
SERIES_ERROR = 1e-14
# Up to this δ rounding may be more than (2), so that the reduction to clones, which is above (2), may be less.
ROUNDED = 1e-12


def shuffled_poll_delta(local_epsilon: float, n_voters: int, epsilon: float) -> float:
    """Return the exact δ(ε) of the count of ones among `n_voters` answers yes or no, each a lie with p = 1/(e^ε₀ + 1).

    It is (1) with A = Bin(m, 1 − p) + Bin(n − 1 − m, p), of the worst number m of others whose truth is a 1. By
    symmetry a 1 that becomes a 0 is as bad as a 0 that becomes a 1 among n − 1 − m. Up to 65 people all m are tried;
    of more the last 64 are, and 32 in between unless v = (n − 1)p(1 − p) is above 128. In between δ swings by up to
    1/(8v) of itself with the place of t among whole numbers, so that 1/(4 max(v, 128)), at most 0.2 %, is added.
    """
    _check(local_epsilon, n_voters)
    limits.EPSILON.check(epsilon)
    return _Poll(local_epsilon, n_voters).delta(epsilon)


def shuffled_poll_delta_among_ones(local_epsilon: float, n_voters: int, epsilon: float) -> float:
    """Return the δ(ε) of `shuffled_poll_delta` if the truth of everybody else is a 1: never above it.

    It takes a tenth of the time or less, so that a search begins with it.
    """
    _check(local_epsilon, n_voters)
    limits.EPSILON.check(epsilon)
    if epsilon >= local_epsilon:
        return 0.0
    alpha, beta = _weights(local_epsilon, epsilon)
    lie, others = 1 / (math.exp(local_epsilon) + 1), n_voters - 1
    ones = _count_distributions([others], [0], lie, others * lie * (1 - lie))
    return max(0.0, float((alpha * ones - beta * _upper_tails(ones)).max()))


def shuffled_poll_epsilon(local_epsilon: float, n_voters: int, delta: float) -> float:
    """Return the smallest ε at which the count of ones among shuffled answers meets `delta`; at most ε₀."""
    _check(local_epsilon, n_voters)
    limits.DELTA.check(delta)
    return _smallest_epsilon(_Poll(local_epsilon, n_voters).delta, local_epsilon, delta)


def shuffled_poll_local_epsilon(epsilon: float, delta: float, n_voters: int) -> float:
    """Return the largest local ε₀ with which the count of ones among `n_voters` shuffled answers is (ε, δ)-private."""
    return _largest_local_epsilon(shuffled_poll_delta, epsilon, delta, n_voters)


def shuffled_delta(local_epsilon: float, n_voters: int, epsilon: float) -> float:
    """Return an upper bound on δ(ε) of all shuffled reports, each by the same ε₀-private mechanism on any number
    of answers.

    Feldman, McMillan & Talwar 2021, theorem 3.2: each of the others is distributed as the person concerned, with either
    answer, with probability e^−ε₀/2. So C ~ Bin(n − 1, e^−ε₀) hide that person, and given C the count is (1) with
    A ~ Bin(C, ½), where the largest term is at t = ⌊ρ(C + 1)/(1 + ρ)⌋ + 1, ρ = 1 + β/α.
    """
    _check(local_epsilon, n_voters)
    limits.EPSILON.check(epsilon)
    if epsilon >= local_epsilon:
        return 0.0
    alpha, beta = _weights(local_epsilon, epsilon)
    clones = math.exp(-local_epsilon)
    hidden = _likely_counts(n_voters - 1, clones, (n_voters - 1) * clones * (1 - clones))
    share = (alpha + beta) / (2 * alpha + beta)  # ρ/(1 + ρ)
    first = np.arange(0, len(hidden), -(-len(hidden) // STEPS))
    chances, fewest = np.add.reduceat(binom.pmf(hidden, n_voters - 1, clones), first), hidden[first]
    below = np.floor(share * (fewest + 1))
    gain, loss = alpha * binom.pmf(below, fewest, 0.5), beta * binom.sf(below, fewest, 0.5)
    given = np.maximum(0.0, gain * (1 + PROBABILITY_ERROR) - loss * (1 - TAIL_ERROR))
    return min(1.0, float(chances @ given) * (1 + PROBABILITY_ERROR) + 2 * math.exp(-LOG_LEFT_OUT))


def shuffled_epsilon(local_epsilon: float, n_voters: int, delta: float) -> float:
    """Return the smallest ε at which the bound `shuffled_delta` meets `delta`; at most ε₀."""
    _check(local_epsilon, n_voters)
    limits.DELTA.check(delta)
    return _smallest_epsilon(lambda epsilon: shuffled_delta(local_epsilon, n_voters, epsilon), local_epsilon, delta)


def shuffled_local_epsilon(epsilon: float, delta: float, n_voters: int) -> float:
    """Return the largest local ε₀ with which the bound `shuffled_delta` keeps (ε, δ) for `n_voters` shuffled
    reports.
    """
    return _largest_local_epsilon(shuffled_delta, epsilon, delta, n_voters)


def shuffled_response_delta(local_epsilon: float, n_voters: int, epsilon: float, n_states: int = 2) -> float:
    """Return δ(ε) of shuffled answers, each by k-ary randomised response with ε₀: exact for two answers, else an upper
    bound, the least that is known here.

    With q = 1/(e^ε₀ + k − 1) everybody sends each of the k answers with q, and else, with (e^ε₀ − 1)q, the truth. Tell
    whoever looks on which of the others sent their truth, and what: that only adds to what is seen, so that δ of the
    rest is an upper bound, for all true answers. The rest are M − 1 uniform answers, the *blanket*, and that of the
    person concerned; among those M the likelihoods of two truths a, b depend on the numbers A and B of answers a and b
    alone: with g = e^ε₀ − 1 they are to each other as M + gA to M + gB. Averaged over M,

        δ(ε) ≤ E[(g(A − e^ε B) − (e^ε − 1)M)₊] / n,                                                      (2)

    of a multinomial (A, B, M − A − B) of n people with probabilities q, q, (k − 2)q (Balle, Bell, Gascón & Nissim 2019,
    section 5; no other decomposition of the others' answers gives less: Su, Cheng & Wang 2025, arXiv 2504.07414).

    With the numbers of answers a and b alone, in the way of Feldman, McMillan & Talwar, "Stronger privacy amplification
    by shuffling" (2022), before its erratum, there is no such proof, and no bound: the numbers of other answers say
    something as well. If nobody else's truth is a or b, that δ is what can at least be seen; (2) is hardly above it.

    Few A and B are summed over. Else (2), the mean of a convex function of a sum, is not lowered by noise of mean 0 on
    that sum: with normal noise, of some 2 % of the sum's deviation, it is a short Fourier series.
    """
    limits.N_STATES.check(n_states)
    if n_states == 2:
        return shuffled_poll_delta(local_epsilon, n_voters, epsilon)
    _check(local_epsilon, n_voters)
    limits.EPSILON.check(epsilon)
    if epsilon >= local_epsilon:
        return 0.0
    found = _blanket_delta(local_epsilon, n_voters, epsilon, n_states)
    return found if found > ROUNDED else min(found, shuffled_delta(local_epsilon, n_voters, epsilon))


def shuffled_response_epsilon(local_epsilon: float, n_voters: int, delta: float, n_states: int = 2) -> float:
    """Return the smallest ε at which `shuffled_response_delta` meets `delta`; at most ε₀."""
    limits.N_STATES.check(n_states)
    if n_states == 2:
        return shuffled_poll_epsilon(local_epsilon, n_voters, delta)
    _check(local_epsilon, n_voters)
    limits.DELTA.check(delta)
    profile = partial(shuffled_response_delta, local_epsilon, n_voters, n_states=n_states)
    return _smallest_epsilon(profile, local_epsilon, delta)


def shuffled_response_local_epsilon(epsilon: float, delta: float, n_voters: int, n_states: int = 2) -> float:
    """Return the largest local ε₀ of k-ary randomised response with which `shuffled_response_delta` keeps (ε, δ)."""
    limits.N_STATES.check(n_states)
    return _largest_local_epsilon(partial(shuffled_response_delta, n_states=n_states), epsilon, delta, n_voters)


def published_shuffled_epsilon(local_epsilon: float, n_voters: int, delta: float) -> float:
    """Return the closed bound on ε, `closed_shuffled_epsilon`; at most ε₀, and where it does not hold ε₀ itself.

    Feldman, McMillan & Talwar 2021, theorem 3.1, for ε₀ ≤ ln(n/(16 ln(2/δ))).
    """
    _check(local_epsilon, n_voters)
    if local_epsilon > shuffled_closed_form_ends(n_voters, delta):
        return local_epsilon
    return min(local_epsilon, closed_shuffled_epsilon(local_epsilon, n_voters, delta))


def shuffled_closed_form_ends(n_voters: int, delta: float) -> float:
    """Return ln(n/(16 ln(2/δ))), the largest ε₀ for which theorem 3.1 of Feldman, McMillan & Talwar 2021 holds."""
    limits.N_VOTERS.check(n_voters)
    if limits.DELTA.check(delta) == 0:
        return -math.inf
    return math.log(n_voters) - math.log(16 * (math.log(2) - math.log(delta)))


def closed_shuffled_epsilon(local_epsilon: float, n_voters: int, delta: float) -> float:
    """Return ln(1 + (e^ε₀ − 1)/(e^ε₀ + 1) · (8√(e^ε₀ ln(4/δ)/n) + 8e^ε₀/n)), whether it is a bound there or not."""
    _check(local_epsilon, n_voters)
    if limits.DELTA.check(delta) == 0:
        return math.inf
    odds = math.exp(local_epsilon)
    bracket = 8 * math.sqrt(odds * (math.log(4) - math.log(delta)) / n_voters) + 8 * odds / n_voters
    return math.log1p(math.tanh(local_epsilon / 2) * bracket)


class _Poll:
    """P(A = c) of the others' ones for each m that is tried, (numbers of ones, counts), and P(A > c)."""

    def __init__(self, local_epsilon: float, n_voters: int) -> None:
        self.local_epsilon = local_epsilon
        lie, n = 1 / (math.exp(local_epsilon) + 1), n_voters - 1
        variance = n * lie * (1 - lie)
        free = min(n, FREE)
        base = _count_distributions([n - free], [0], lie, variance)[0]
        tables = [np.stack([np.convolve(base, row) for row in _few_count_distributions(free, lie)])]
        self.more = 1.0
        if n > free:
            self.more += 1 / (4 * max(variance, WIDE))
        if n > free and variance <= WIDE:
            ones = np.unique(np.linspace(0, n - free - 1, SPACED).astype(int))
            tables.append(_count_distributions(ones, n - ones, lie, variance))
        self.tables = [(table, _upper_tails(table)) for table in tables]

    def delta(self, epsilon: float) -> float:
        if epsilon >= self.local_epsilon:
            return 0.0
        alpha, beta = _weights(self.local_epsilon, epsilon)
        alpha, beta = alpha * (1 + PROBABILITY_ERROR), beta * (1 - PROBABILITY_ERROR)
        worst = max(float((alpha * table - beta * beyond).max()) for table, beyond in self.tables)
        return min(1.0, self.more * worst + 4 * math.exp(-LOG_LEFT_OUT))


def _blanket_delta(local_epsilon: float, n_voters: int, epsilon: float, n_states: int) -> float:
    """Return (2), from above. The sum is in units of what an answer a adds to it, g − β for β = e^ε − 1."""
    gain, beta = math.expm1(local_epsilon), math.expm1(epsilon)
    unit = math.exp(epsilon) * math.expm1(local_epsilon - epsilon)
    chance = 1 / (gain + n_states)
    values = np.array([1.0, -math.expm1(local_epsilon + epsilon) / unit, -beta / unit])
    # The sum is at most A, so that an answer that takes more than any likely A off it may as well take just that.
    highest = int(_likely_counts(n_voters, chance, n_voters * chance * (1 - chance))[-1])
    if highest * (1 + highest / -values[1]) <= CELLS:
        found = _sum_over_counts(highest, n_voters, chance, n_states, values)
    else:
        chances = chance * np.array([1, 1, n_states - 2])
        found = _series(n_voters, chances, values.clip(-highest), highest)
    return unit * (found / n_voters + 3 * math.exp(-LOG_LEFT_OUT))


def _sum_over_counts(highest: int, n: int, chance: float, n_states: int, values: Array) -> float:
    """Return E[(A + vB + wZ)₊] for `values` 1, v, w as a sum over A up to `highest` and B; Z, the others of the M,
    given those is binomial.
    """
    _, taken, rest = -values
    a, b = (each.ravel() for each in np.meshgrid(np.arange(1, highest + 1), np.arange(int(highest / taken) + 1)))
    both = binom.pmf(np.arange(a.max() + b.max() + 1), n, 2 * chance)
    counted = (a > taken * b) & (both[a + b] > UNLIKELY)
    a, b = a[counted], b[counted]
    chances = both[a + b] * binom.pmf(a, a + b, 0.5)
    likely = chances > UNLIKELY
    a, b, chances = a[likely], b[likely], chances[likely]
    above, others, share = a - taken * b, n - a - b, (n_states - 2) * chance / (1 - 2 * chance)
    left_out = UNLIKELY * CELLS * highest
    if rest == 0:
        return float(chances @ above) * (1 + TAIL_ERROR) + left_out
    most = np.floor(np.minimum(above / rest, others))
    gained = above * binom.cdf(most, others, share)
    lost = rest * others * share * binom.cdf(most - 1, np.maximum(others - 1, 0), share)
    return float(chances @ np.maximum(0.0, gained * (1 + TAIL_ERROR) - lost * (1 - TAIL_ERROR))) + left_out


def _series(n: int, chances: Array, values: Array, highest: int) -> float:
    """Return E[(S + N)₊] of the sum S of `n` independent values and normal noise N, by the Fourier series of max(0, x).

    The series has a period: what is below wraps round to above, which adds to it, and e^−70 above the period is lost.
    """
    mean, variance = n * float(chances @ values), n * float(chances @ values**2)
    end = min(highest, mean + _reach(1 - mean / n, variance))
    if end <= 0:
        return 0.0
    lowest = min(0.0, mean - _reach(mean / n - values.min(), variance))
    noise = LAST * (end - lowest) / (2 * math.pi * TERMS - 2 * LAST**2)
    end += LAST * noise
    period = end - lowest + LAST * noise
    frequency = 2 * math.pi / period * np.arange(1, TERMS + 1)
    angles = values[:, None] * frequency
    # Sums of three are quicker than products of matrices, which may start threads.
    weights = chances[:, None]
    real, imaginary = (-2 * weights * np.sin(angles / 2) ** 2).sum(axis=0), (weights * np.sin(angles)).sum(axis=0)
    log_size = (n * np.log1p(2 * real + real**2 + imaginary**2) - (noise * frequency) ** 2) / 2
    phase, turn = n * np.arctan2(imaginary, 1 + real), frequency * end
    coefficients = (np.cos(phase - turn) - turn * np.sin(phase - turn) - np.cos(phase)) / frequency**2
    found = (end**2 / 2 + 2 * float((np.exp(log_size) * coefficients).sum())) / period
    return found * (1 + PROBABILITY_ERROR) + SERIES_ERROR * period


def _reach(width: float, variance: float) -> float:
    """Return how far a sum of this `variance` is above its mean with e^−70 at most, where no part is so by more than
    `width` (Bernstein).
    """
    third = LOG_LEFT_OUT * width / 3
    return third + math.sqrt(third * third + 2 * LOG_LEFT_OUT * variance)


def _weights(local_epsilon: float, epsilon: float) -> tuple[float, float]:
    """Return α and β of (1)."""
    return math.exp(epsilon) * math.expm1(local_epsilon - epsilon) / (math.exp(local_epsilon) + 1), math.expm1(epsilon)


def _likely_counts(n: int, chance: float, variance: float) -> Counts:
    """Return the counts about the mean of n answers outside of which are at most 2e^−70, for any true answers.

    Bernstein: P(|A − μ| ≥ w) ≤ 2 exp(−w²/(2(v + w/3))).
    """
    mean, reach = n * chance, _reach(1.0, variance)
    return np.arange(max(0, math.floor(mean - reach)), min(n, math.ceil(mean + reach)) + 1)


def _count_distributions(ones: ArrayLike, zeros: ArrayLike, lie: float, variance: float) -> Array:
    """Return P(A = c) of so many ones and zeros, (m,) each, about the mean: (m, w)."""
    truthful, lied = (
        _likely_probabilities(np.asarray(n), chance, variance) for n, chance in ((ones, 1 - lie), (zeros, lie))
    )
    return np.stack([np.convolve(*both) for both in zip(truthful, lied, strict=True)])


def _likely_probabilities(n: Counts, chance: float, variance: float) -> Array:
    """Return the probabilities of the likely counts of each number of answers in `n` (m,), from the first on: (m,
    w).
    """
    likely = [_likely_counts(int(each), chance, variance) for each in n]
    first = np.array([[counts[0]] for counts in likely])
    return np.asarray(binom.pmf(first + np.arange(max(map(len, likely))), n[:, None], chance))


def _few_count_distributions(n: int, lie: float) -> Array:
    """Return P(A = c) of n others of whom m have a 1, row m of (n + 1, n + 1)."""
    table = np.ones((1, 1))
    for size in range(n):
        grown = np.zeros((size + 2, size + 2))
        grown[:-1, :-1] += (1 - lie) * table
        grown[:-1, 1:] += lie * table
        grown[-1, :-1] += lie * table[-1]
        grown[-1, 1:] += (1 - lie) * table[-1]
        table = grown
    return table


def _upper_tails(table: Array) -> Array:
    """Return P(A > c) of every row, summed from the far end so that small tails keep their digits."""
    return np.cumsum(table[:, ::-1], axis=1)[:, ::-1] - table


def _smallest_epsilon(profile: Callable[[float], float], local_epsilon: float, delta: float) -> float:
    if profile(0.0) <= delta:
        return 0.0
    return smallest_private(lambda epsilon: profile(epsilon) <= delta, 0.0, local_epsilon)


def _largest_local_epsilon(
    profile: Callable[[float, int, float], float], epsilon: float, delta: float, n_voters: int
) -> float:
    """Return the largest ε₀ in the limits at which `profile` meets (ε, δ), from below; ε itself always does."""
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    _check(limits.LOCAL_EPSILON.low, n_voters)
    low, high = min(epsilon, limits.LOCAL_EPSILON.high), limits.LOCAL_EPSILON.high
    if profile(high, n_voters, epsilon) <= delta:
        return high
    while high - low > EXACT * high:
        middle = (low + high) / 2
        if profile(middle, n_voters, epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low


def _check(local_epsilon: float, n_voters: int) -> None:
    limits.LOCAL_EPSILON.check(local_epsilon)
    limits.N_VOTERS.check(n_voters)
