"""The asymmetric binary channel, whose flip probability depends on the true value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import accounting, limits
from privdemo.mechanisms.states import check_states

Array = NDArray[np.floating]


@dataclass(frozen=True)
class BinaryChannel:
    """An asymmetric lie: 0 is reported as 1 with `p10`, 1 as 0 with `p01` (Barber, section 3.2).

    ε is the largest log ratio in a row of [[1−p10, p01], [p10, 1−p01]]. When p10 + p01 = 1 the
    answer is independent of the truth, and `inverse_matrix` does not exist.
    """

    p10: float
    p01: float

    def __post_init__(self) -> None:
        limits.P10.check(self.p10)
        limits.P01.check(self.p01)

    @property
    def n_states(self) -> int:
        """Two: the channel is binary."""
        return 2

    @property
    def channel_matrix(self) -> Array:
        """P(observed | true), shape (2, 2), indexed [observed, true]; columns sum to 1."""
        return np.array([[1 - self.p10, self.p01], [self.p10, 1 - self.p01]])

    @property
    def is_truthful(self) -> bool:
        """Whether every answer is the truth."""
        return self.p10 == self.p01 == 0

    @property
    def contrast(self) -> float:
        """1 − p10 − p01: by how much a truth of 1 makes the answer 1 likelier. At 0 the answer is independent of the
        truth.
        """
        return 0.0 if math.isclose(self.p10 + self.p01, 1.0, rel_tol=1e-12) else 1 - self.p10 - self.p01

    @property
    def inverse_matrix(self) -> Array:
        """The inverse of `channel_matrix`; ``ValueError`` when 1 − p10 − p01 = 0."""
        if not self.contrast:
            raise ValueError(
                f"p10 + p01 must differ from 1, got {self.p10:g} + {self.p01:g}; "
                "such an answer carries no information, so nothing can be inverted"
            )
        return np.array([[1 - self.p01, -self.p01], [-self.p10, 1 - self.p10]]) / self.contrast

    @property
    def epsilon(self) -> float:
        """ε of one value; ∞ when an answer rules out one of the truths."""
        return accounting.channel_epsilon(self.channel_matrix)

    def epsilon_at(self, delta: float, n_values: int = 1) -> float:
        """Return the exact ε of `n_values` (at most 64) values together at `delta`."""
        return accounting.binary_channel_epsilon(self.p10, self.p01, delta, n_values)

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """Return the exact δ of `n_values` (at most 64) values together at `epsilon`."""
        return accounting.binary_channel_delta(self.p10, self.p01, epsilon, n_values)

    def sample_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """Return one uniform in [0, 1) for each value; it does not depend on p10 or p01.

        In double precision: ε near 0 and near ∞ hangs on the last digits of both probabilities.
        """
        return rng.random(shape)

    def apply(self, x: NDArray[np.integer], noise: Array) -> NDArray[np.integer]:
        """Release `x` with given noise: flipped where the uniform number is below p10 (or p01)."""
        x = check_states(x, 2)
        flips = noise < np.array([self.p10, self.p01])[x]
        return x ^ flips.astype(x.dtype)

    def randomise(self, x: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """Release 0s and 1s of any shape and integer dtype; `x` is left as it was.

        Raises ``TypeError`` for other dtypes, ``ValueError`` for values other than 0 and 1.
        """
        x = check_states(x, 2)
        return self.apply(x, self.sample_noise(x.shape, rng))
