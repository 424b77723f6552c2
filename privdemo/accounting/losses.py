"""Privacy loss distributions: their profile, its inverse, and composition.

The privacy loss of inputs x and x′ is L = ln P(o|x)/P(o|x′) with o ~ P(·|x). The privacy profile depends on its
distribution alone, δ(ε) = E[(1 − e^{ε−L})₊] (Sommer, Meiser & Mohammadi 2019), and the losses of independent values
add, so that the loss of a whole record is a convolution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The privacy loss of one worst-case pair of inputs, as atoms sorted by loss.

    `losses` (m,) in nats, increasing; `masses` (m,) their probabilities under x; `infinite_mass` the probability of an
    output that x′ could never have produced.
    """

    losses: Array
    masses: Array
    infinite_mass: float = 0.0

    @classmethod
    def certain(cls) -> PrivacyLoss:
        """Return the loss of a release that shows the input as it is: infinite."""
        return cls(np.zeros(1), np.zeros(1), infinite_mass=1.0)

    def delta(self, epsilon: float) -> float:
        """Return the smallest δ at `epsilon`: Σ masses · (1 − e^{ε−loss})₊ + infinite_mass."""
        limits.EPSILON.check(epsilon)
        above = self.losses > epsilon
        finite = self.masses[above] @ -np.expm1(epsilon - self.losses[above])
        return min(1.0, float(finite) + self.infinite_mass)

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε ≥ 0 with δ(ε) ≤ `delta`; infinity where no ε meets it.

        Between two atoms l_j ≤ ε < l_{j+1} the profile is δ(ε) = T_j − e^{ε−l_j} S_j with T_j = Σ_{i>j} m_i and
        S_j = Σ_{i>j} m_i e^{l_j−l_i}, which inverts in closed form.
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
        epsilon = round_up_epsilon(float(epsilon), self.delta, delta)
        if self.delta(epsilon) > delta:  # a plateau, flat to the last digit: δ is met somewhere beyond it
            return smallest_private(lambda beyond: self.delta(beyond) <= delta, epsilon, float(self.losses[-1]))
        return epsilon

    def _profile(self) -> tuple[Array, Array, Array]:
        """Return l_j, log S_j and δ(l_j) at 0 and at every positive loss (the others never count at ε ≥ 0).

        Only positive terms are added, so nothing cancels: δ(l_j) − δ(l_{j+1}) = (e^{gap} − 1) S_j.
        """
        counts = (self.losses > 0) & (self.masses > 0)
        losses = np.append(0.0, self.losses[counts])
        log_terms = np.append(-np.inf, np.log(self.masses[counts]) - losses[1:])
        log_s = losses + np.append(np.logaddexp.accumulate(log_terms[:0:-1])[::-1], -np.inf)
        gaps = np.diff(losses)
        drops = np.exp(gaps + np.log(-np.expm1(-gaps)) + log_s[:-1])
        return losses, log_s, np.append(np.cumsum(drops[::-1])[::-1], 0.0)


def round_up_epsilon(epsilon: float, profile: Callable[[float], float], delta: float) -> float:
    """Return `epsilon`, moved up by the few last digits that make ``profile(epsilon) <= delta`` hold."""
    step = math.ulp(1.0)
    while profile(epsilon) > delta and step < 1e-3:
        epsilon = epsilon * (1 + step) + step * step
        step *= 2
    return epsilon


def smallest_private(private: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest noise level or ε in (low, high] that is `private`; `private(high)` must hold.

    Bisection to a relative 1e-13 that always returns a value seen to be private: the inverse rounds toward privacy.
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


def compose(epsilon: float, n_releases: int) -> float:
    """Return ε of `n_releases` releases of the same value, each with `epsilon`: the sum (Dwork & Roth 2014, theorem
    3.14).
    """
    limits.EPSILON.check(epsilon)
    limits.Limit("n_releases", 1, math.inf, integer=True).check(n_releases)
    return n_releases * epsilon
