"""ε, δ, composition, calibration and posterior odds: what a mechanism promises, exactly.

A mechanism is (ε, δ)-private if, for any two inputs x and x′ and any set S of outputs,
P(S | x) ≤ e^ε P(S | x′) + δ. The smallest such δ at a given ε is the *privacy profile*

    δ(ε) = sup over (x, x′) of  Σ_o max(0, P(o|x) − e^ε P(o|x′)),

which depends only on the distribution of the *privacy loss* L = ln P(o|x)/P(o|x′) with o ~ P(·|x)
(Sommer, Meiser & Mohammadi 2019): δ(ε) = E[(1 − e^{ε−L})₊]. Losses of independent values add, so
the loss of a whole record is a convolution. All rounding here is toward the cautious side: a
reported ε or δ is never below the true one, a calibrated noise level never too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft
from scipy.special import log_ndtr, logit

from privdemo import limits

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The privacy loss of one worst-case pair of inputs, as atoms sorted by loss.

    `losses` (m,) in nats, increasing; `masses` (m,) their probabilities under x; `infinite_mass`
    the probability of an output that x′ could never have produced.
    """

    losses: Array
    masses: Array
    infinite_mass: float = 0.0

    def delta(self, epsilon: float) -> float:
        """The smallest δ at `epsilon`: Σ masses · (1 − e^{ε−loss})₊ + infinite_mass."""
        limits.EPSILON.check(epsilon)
        above = self.losses > epsilon
        finite = self.masses[above] @ -np.expm1(epsilon - self.losses[above])
        return min(1.0, float(finite) + self.infinite_mass)

    def epsilon(self, delta: float) -> float:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`; infinity where none will do.

        Between two atoms l_j ≤ ε < l_{j+1} the profile is δ(ε) = T_j − e^{ε−l_j} S_j with
        T_j = Σ_{i>j} m_i and S_j = Σ_{i>j} m_i e^{l_j−l_i}, which inverts in closed form.
        """
        limits.DELTA.check(delta)
        finite = delta - self.infinite_mass
        if finite < 0:
            return math.inf
        if self.delta(0.0) <= delta:
            return 0.0
        if finite == 0:
            return max(0.0, float(self.losses[-1]))
        losses, log_s, profile = self._profile()
        j = int(np.searchsorted(-profile, -finite, side="right")) - 1
        excess = profile[j] - finite
        epsilon = losses[j] + (np.logaddexp(0.0, math.log(excess) - log_s[j]) if excess > 0 else 0.0)
        epsilon = _round_up_epsilon(float(epsilon), self.delta, delta)
        if self.delta(epsilon) > delta:  # a plateau, flat to the last digit: δ is met somewhere beyond it
            return least(lambda beyond: self.delta(beyond) <= delta, epsilon, float(self.losses[-1]))
        return epsilon

    def _profile(self) -> tuple[Array, Array, Array]:
        """l_j, log S_j and δ(l_j) at 0 and at every positive loss (the others never count at ε ≥ 0).

        Only positive terms are added, so nothing cancels: δ(l_j) − δ(l_{j+1}) = (e^{gap} − 1) S_j.
        """
        counts = (self.losses > 0) & (self.masses > 0)
        losses = np.append(0.0, self.losses[counts])
        log_terms = np.append(-np.inf, np.log(self.masses[counts]) - losses[1:])
        log_s = losses + np.append(np.logaddexp.accumulate(log_terms[:0:-1])[::-1], -np.inf)
        gaps = np.diff(losses)
        drops = np.exp(gaps + np.log(-np.expm1(-gaps)) + log_s[:-1])
        return losses, log_s, np.append(np.cumsum(drops[::-1])[::-1], 0.0)


def _round_up_epsilon(epsilon: float, profile: Callable[[float], float], delta: float) -> float:
    """`epsilon`, moved up by the few last digits that make ``profile(epsilon) <= delta`` hold."""
    step = math.ulp(1.0)
    while profile(epsilon) > delta and step < 1e-3:
        epsilon = epsilon * (1 + step) + step * step
        step *= 2
    return epsilon


def least(private: Callable[[float], bool], low: float, high: float) -> float:
    """The smallest noise level or ε in (low, high] that is `private`; `private(high)` must hold.

    Bisection that always returns a value seen to be private: the inverse rounds toward privacy.
    """
    for _ in range(200):
        middle = 0.5 * (low + high) if low > 0 else high / 2
        if middle <= low or middle >= high or high - low <= 1e-13 * high:
            break
        if private(middle):
            high = middle
        else:
            low = middle
    return high


# --- k-ary randomised response -----------------------------------------------------------------


def randomised_response_epsilon(flip_prob: float, n_states: int = 2) -> float:
    """ε = ln((1−p)(k−1)/p) of one value; ∞ at p = 0, 0 at p = (k−1)/k (Kairouz et al. 2014)."""
    limits.N_STATES.check(n_states)
    limits.flip_prob_limit(n_states).check(flip_prob)
    if flip_prob == 0:
        return math.inf
    if flip_prob >= (n_states - 1) / n_states:
        return 0.0
    gain = (1 - flip_prob) * (n_states - 1) - flip_prob
    if gain < flip_prob:  # near ε = 0 the three logarithms below would cancel
        return max(0.0, math.log1p(gain / flip_prob))
    return math.log1p(-flip_prob) + math.log(n_states - 1) - math.log(flip_prob)


def randomised_response_loss(flip_prob: float, n_states: int = 2, n_values: int = 1) -> PrivacyLoss:
    """The loss of D = `n_values` independent values that all differ between the two records.

    One value loses +ε₀ with probability 1−p, −ε₀ with p/(k−1) and 0 otherwise; the D-fold sum lives
    on the lattice jε₀, −D ≤ j ≤ D, and its probabilities are the D-th power of that trinomial.
    Convolving positive numbers keeps full relative precision however small the tail.
    """
    limits.N_VALUES.check(n_values)
    epsilon = randomised_response_epsilon(flip_prob, n_states)
    if math.isinf(epsilon):
        return PrivacyLoss(np.zeros(1), np.zeros(1), infinite_mass=1.0)
    if epsilon == 0:
        return PrivacyLoss(np.zeros(1), np.ones(1))
    down = flip_prob / (n_states - 1)
    masses = _convolution_power(np.array([down, flip_prob - down, 1 - flip_prob]), n_values)
    # Atoms whose mass underflows to 0 stay: the last one is the pure ε, D · ε₀.
    return PrivacyLoss(epsilon * np.arange(-n_values, n_values + 1), masses)


def _convolution_power(masses: Array, n: int) -> Array:
    """`masses` convolved with itself `n` times, by squaring."""
    power = np.ones(1)
    while n:
        if n & 1:
            power = np.convolve(power, masses)
        n >>= 1
        if n:
            masses = np.convolve(masses, masses)
    return power


def flip_prob_for(epsilon: float, n_states: int = 2, delta: float = 0.0, n_values: int = 1) -> float:
    """The smallest flip probability that makes `n_values` values together (ε, δ)-private.

    For δ = 0 this is p = (k−1)/(k−1+e^{ε/D}); otherwise the exact profile is bisected.
    """
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.N_STATES.check(n_states)
    limits.N_VALUES.check(n_values)
    useless = (n_states - 1) / n_states
    if math.isinf(epsilon) or delta >= 1:
        return 0.0
    pure = epsilon / n_values
    flip_prob = min(useless, (n_states - 1) / (n_states - 1 + math.exp(min(pure, 700.0))))
    while randomised_response_epsilon(flip_prob, n_states) > pure and flip_prob < useless:
        flip_prob = min(useless, math.nextafter(flip_prob, 1.0))
    if delta == 0:
        return flip_prob

    def private(p: float) -> bool:
        return randomised_response_loss(p, n_states, n_values).delta(epsilon) <= delta

    return least(private, 0.0, flip_prob)


# --- the asymmetric binary channel ---------------------------------------------------------------


BINARY_VALUES = replace(
    limits.N_VALUES, high=64, advice="the atoms of an asymmetric channel's loss grow with its square"
)


def channel_epsilon(channel: ArrayLike) -> float:
    """ε of releasing once through `channel` [observed, true]: the largest log ratio in any row."""
    matrix = np.asarray(channel, dtype=float)
    rows = matrix[matrix.max(axis=1) > 0]
    if (rows.min(axis=1) == 0).any():
        return math.inf
    return float((np.log(rows.max(axis=1)) - np.log(rows.min(axis=1))).max())


def binary_channel_losses(p10: float, p01: float, n_values: int = 1) -> list[PrivacyLoss]:
    """The losses of every pair of records that differ in all D = `n_values` binary values.

    An asymmetric channel loses differently for 0 → 1 and 1 → 0, so the worst pair may have any
    number m of the D values in one direction: one loss for each m, two binomials added.
    """
    limits.P10.check(p10)
    limits.P01.check(p01)
    BINARY_VALUES.check(n_values)
    zero, one = np.array([1 - p10, p10]), np.array([p01, 1 - p01])
    return [_sum_of_losses([(zero, one)] * m + [(one, zero)] * (n_values - m)) for m in range(n_values + 1)]


def _sum_of_losses(pairs: list[tuple[Array, Array]]) -> PrivacyLoss:
    """The loss of independent values with the given (P(·|x), P(·|x′)), merging equal losses."""
    losses: Array = np.zeros(1)
    masses: Array = np.ones(1)
    finite = 1.0
    for p, q in pairs:
        possible = (p > 0) & (q > 0)
        finite *= float(p[possible].sum())
        step = np.log(p[possible]) - np.log(q[possible])
        sums = np.add.outer(losses, step).ravel()
        weights = np.multiply.outer(masses, p[possible]).ravel()
        losses, where = np.unique(np.ceil(sums * 1e12) / 1e12, return_inverse=True)
        masses = np.bincount(where, weights=weights).astype(float)
    return PrivacyLoss(losses, masses, infinite_mass=max(0.0, 1 - finite))


# --- Gaussian noise ----------------------------------------------------------------------------


def gaussian_delta(sigma: float, epsilon: float, sensitivity: float = 1.0) -> float:
    """δ(ε) = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) (Balle & Wang 2018, theorem 8).

    `sensitivity` Δ is the largest L2 distance between two records: 1 for a value in [0, 1], √D for
    D of them. Computed in logs, so that neither a large ε nor a small δ overflows or cancels.
    """
    limits.SIGMA.check(sigma)
    limits.EPSILON.check(epsilon)
    limits.SENSITIVITY.check(sensitivity)
    if sigma == 0:
        return 1.0
    if math.isinf(epsilon):
        return 0.0
    shift, scaled = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
    log_p = float(log_ndtr(shift - scaled))
    log_ratio = epsilon + float(log_ndtr(-shift - scaled)) - log_p
    return max(0.0, math.exp(log_p) * -math.expm1(min(0.0, log_ratio)))


def gaussian_epsilon(sigma: float, delta: float, sensitivity: float = 1.0) -> float:
    """The smallest ε ≥ 0 at which Gaussian noise of standard deviation `sigma` meets `delta`."""
    limits.DELTA.check(delta)
    if gaussian_delta(sigma, 0.0, sensitivity) <= delta:
        return 0.0
    if delta == 0 or sigma == 0:
        return math.inf
    ratio = sensitivity / sigma
    high = 0.5 * ratio * ratio + ratio * math.sqrt(-2 * math.log(delta)) + 1.0  # Chernoff bound
    if math.isinf(high):
        return math.inf
    return least(lambda epsilon: gaussian_delta(sigma, epsilon, sensitivity) <= delta, 0.0, high)


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The smallest σ whose exact profile meets (ε, δ): the analytic Gaussian calibration."""
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.SENSITIVITY.check(sensitivity)
    if not 0 < delta < 1:
        raise ValueError(f"delta must be in (0, 1), got {delta:g}; Gaussian noise never meets δ = 0, use Laplace noise")
    if math.isinf(epsilon):
        return 0.0

    def private(sigma: float) -> bool:
        return gaussian_delta(sigma, epsilon, sensitivity) <= delta

    high = limits.SIGMA.high
    if not private(high):
        raise ValueError(f"epsilon = {epsilon:g} at delta = {delta:g} needs a sigma above {high:g}; raise either")
    return least(private, 0.0, high)


# --- Laplace noise ----------------------------------------------------------------------------


def laplace_delta(scale: float, epsilon: float, n_values: int = 1) -> float:
    """δ(ε) of D = `n_values` values in [0, 1] with Laplace noise of scale b.

    Exact for one value, (1 − e^{(ε − 1/b)/2})₊; an upper bound (`laplace_loss`) for more; 0 from
    ε = D/b on.
    """
    limits.SCALE.check(scale)
    limits.EPSILON.check(epsilon)
    limits.N_VALUES.check(n_values)
    if scale == 0:
        return 1.0
    if epsilon >= n_values / scale:
        return 0.0
    if n_values == 1:
        return -math.expm1((epsilon - 1 / scale) / 2)
    return laplace_loss(scale, n_values).delta(epsilon)


# Atoms per unit of distance when the continuous Laplace loss is put on a grid. 32 of them raise the
# ε of a 784-pixel image by less than 0.4 % for scales from 0.01, 0.1 % from 0.05; it falls with their number's square.
LAPLACE_STEPS = 32
# The transform's rounding error per composed value, taken as lost outright. Against direct
# convolution at D = 784 the whole error was below 10⁻¹², a seventh of what this allows.
TRANSFORM_ERROR = 1e-14


def laplace_loss(scale: float, n_values: int = 1) -> PrivacyLoss:
    """An upper bound on the loss of D values in [0, 1], all differing by 1, with scale b each.

    The continuous loss on [−1/b, 1/b] is replaced by atoms with the same profile at every grid
    point and a larger one between ("connect the dots", Doroshenko et al. 2022), then convolved.
    """
    limits.SCALE.check(scale)
    limits.N_VALUES.check(n_values)
    if scale == 0:
        return PrivacyLoss(np.zeros(1), np.zeros(1), infinite_mass=1.0)
    step = 1 / (scale * LAPLACE_STEPS)
    lattice = np.arange(-LAPLACE_STEPS, LAPLACE_STEPS + 1)
    profile = -np.expm1((step * lattice - 1 / scale) / 2)
    drops = -np.diff(profile)
    upper = (drops - math.exp(-step) * np.append(drops[1:], 0.0)) / -math.expm1(-step)
    masses = np.append(max(0.0, 1 - upper.sum()), np.maximum(upper, 0.0))
    if n_values == 1:
        return PrivacyLoss(step * lattice, masses)
    size = 2 * LAPLACE_STEPS * n_values + 1
    padded = fft.next_fast_len(size, real=True)  # prime lengths take seven times as long
    composed = fft.irfft(fft.rfft(masses, padded) ** n_values, padded)[:size]
    losses = step * np.arange(-LAPLACE_STEPS * n_values, LAPLACE_STEPS * n_values + 1)
    return PrivacyLoss(losses, np.maximum(composed, 0.0), infinite_mass=TRANSFORM_ERROR * n_values)


def laplace_epsilon(scale: float, delta: float = 0.0, n_values: int = 1) -> float:
    """The ε of D values: D/b for δ = 0, the exact (D = 1) or bounded profile otherwise."""
    limits.SCALE.check(scale)
    limits.DELTA.check(delta)
    limits.N_VALUES.check(n_values)
    if delta >= 1:
        return 0.0
    if scale == 0:
        return math.inf
    pure = n_values / scale
    if delta == 0:
        return pure
    if n_values == 1:
        epsilon = max(0.0, pure + 2 * math.log1p(-delta))
        return _round_up_epsilon(epsilon, lambda eps: laplace_delta(scale, eps), delta)
    return min(pure, laplace_loss(scale, n_values).epsilon(delta))


def laplace_scale(epsilon: float, delta: float = 0.0, n_values: int = 1) -> float:
    """The smallest scale b that makes `n_values` values in [0, 1] together (ε, δ)-private."""
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.N_VALUES.check(n_values)
    if epsilon == 0 and delta == 0:
        raise ValueError("epsilon must be above 0 where δ = 0, got 0; no finite Laplace noise gives that")
    if math.isinf(epsilon) or delta >= 1:
        return 0.0

    def private(scale: float) -> bool:
        return laplace_delta(scale, epsilon, n_values) <= delta

    high = limits.SCALE.high
    if epsilon * high > n_values:
        high = n_values / epsilon
        while n_values / high > epsilon:
            high = math.nextafter(high, math.inf)
    if not private(high):
        raise ValueError(f"epsilon = {epsilon:g} at delta = {delta:g} needs a scale above {high:g}; raise either")
    return high if delta == 0 else least(private, 0.0, high)


# --- what an adversary concludes -----------------------------------------------------------------


def posterior(channel: ArrayLike, prior: ArrayLike, observed: int) -> Array:
    """P(true | observed) ∝ channel[observed, true] · prior[true], shape (n_true,).

    `prior` (n_true,) sums to 1. Raises ``ValueError`` if `observed` is impossible under it.
    """
    matrix, belief = np.asarray(channel, dtype=float), np.asarray(prior, dtype=float)
    if belief.shape != matrix.shape[1:] or (belief < 0).any() or not math.isclose(belief.sum(), 1.0):
        raise ValueError(f"prior must be {matrix.shape[1]} probabilities that sum to 1, got {belief}")
    limits.Limit("observed", 0, len(matrix) - 1, integer=True).check(observed)
    joint = matrix[observed] * belief
    if joint.sum() == 0:
        raise ValueError(f"observed = {observed} cannot happen under this channel and prior")
    return joint / joint.sum()


def posterior_odds(prior_odds: float, epsilon: float) -> float:
    """The most that one ε-private release can raise `prior_odds` to: e^ε times them (Bayes)."""
    limits.Limit("prior_odds", 0.0, math.inf).check(prior_odds)
    limits.EPSILON.check(epsilon)
    return 0.0 if prior_odds == 0 else prior_odds * (math.exp(epsilon) if epsilon < 700 else math.inf)


def log_odds(probability: float) -> float:
    """ln(p / (1 − p)); ±∞ at 1 and 0."""
    limits.Limit("probability", 0.0, 1.0).check(probability)
    return float(logit(probability))


def compose(epsilon: float, n_releases: int) -> float:
    """ε of `n_releases` releases of the same value, each with `epsilon`: the sum (Dwork & Roth 2014, theorem 3.14)."""
    limits.EPSILON.check(epsilon)
    limits.Limit("n_releases", 1, math.inf, integer=True).check(n_releases)
    return n_releases * epsilon
