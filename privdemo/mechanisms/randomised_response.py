"""Randomised response: answers that are sometimes replaced by a random one (Warner 1965)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import accounting, limits

Array = NDArray[np.floating]

# Values are drawn in blocks of this many, so that a large array needs little extra memory.
# The block size is part of what a seed means: changing it changes every seeded draw.
BLOCK = 1 << 18
# Uniforms are 24-bit multiples of 2⁻²⁴; a probability is rounded *up* to that grid, which means
# at most 6·10⁻⁸ more noise than asked for, never less.
GRID = 2.0**24


class ResponseDraws(NamedTuple):
    """The randomness behind one release, drawn before the noise level is known.

    `uniform` float32 in [0, 1) decides whether a value is redrawn, `replacement` what it becomes.
    """

    uniform: NDArray[np.float32]
    replacement: NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class RandomisedResponse:
    """k-ary randomised response: keep the true state with 1 − p, else one of the other k − 1.

    `flip_prob` p lies in [0, (k−1)/k] and `n_states` is k; states are the integers 0 … k−1.
    ε = ln((1−p)(k−1)/p) for one value (Kairouz, Oh & Viswanath 2014, eq. 8).

    It is drawn in the equivalent form "with probability q = p·k/(k−1) redraw uniformly from *all*
    k states" (`redraw_prob`; some libraries call this q their flip probability). Raising p with
    the same draws then only ever redraws more values, and at p = (k−1)/k nothing of x is left.
    """

    flip_prob: float
    n_states: int = 2

    def __post_init__(self) -> None:
        limits.N_STATES.check(self.n_states)
        limits.flip_prob_limit(self.n_states).check(self.flip_prob)

    @classmethod
    def from_epsilon(
        cls, epsilon: float, n_states: int = 2, delta: float = 0.0, n_values: int = 1
    ) -> RandomisedResponse:
        """The least noise with which `n_values` values together are (ε, δ)-private."""
        return cls(accounting.randomised_response_flip_prob(epsilon, n_states, delta, n_values), n_states)

    @property
    def redraw_prob(self) -> float:
        """q = p·k/(k−1), rounded up to a multiple of 2⁻²⁴: what the draws are compared with."""
        exact = self.flip_prob * self.n_states / (self.n_states - 1)
        return min(1.0, math.ceil(exact * GRID) / GRID)

    @property
    def channel_matrix(self) -> Array:
        """P(observed | true), shape (k, k), indexed [observed, true]; columns sum to 1."""
        k, p = self.n_states, self.flip_prob
        matrix = np.full((k, k), p / (k - 1))
        np.fill_diagonal(matrix, 1 - p)
        return matrix

    @property
    def one_against_rest(self) -> BinaryChannel:
        """What becomes of "this state or another": an asymmetric lie with p10 = p/(k−1) and p01 = p."""
        return BinaryChannel(self.flip_prob / (self.n_states - 1), self.flip_prob)

    @property
    def epsilon(self) -> float:
        """ε of one value; ∞ for p = 0."""
        return accounting.randomised_response_epsilon(self.flip_prob, self.n_states)

    def epsilon_at(self, delta: float, n_values: int = 1) -> float:
        """The exact ε of `n_values` values together at `delta` (at δ = 0, n_values · ε)."""
        return accounting.randomised_response_epsilon(self.flip_prob, self.n_states, delta, n_values)

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """The exact δ of `n_values` values together at `epsilon`."""
        return accounting.randomised_response_delta(self.flip_prob, epsilon, self.n_states, n_values)

    def draws(self, shape: tuple[int, ...], rng: np.random.Generator) -> ResponseDraws:
        """The randomness for values of this shape; it does not depend on `flip_prob`."""
        parts = [self._draw_block(size, rng) for size in _block_sizes(math.prod(shape))]
        uniform = np.concatenate([u for u, _ in parts]) if parts else np.empty(0, np.float32)
        replacement = np.concatenate([r for _, r in parts]) if parts else np.empty(0, np.uint8)
        return ResponseDraws(uniform.reshape(shape), replacement.reshape(shape))

    def apply(self, x: NDArray[np.integer], draws: ResponseDraws) -> NDArray[np.integer]:
        """Release `x` with given draws: the replacement where uniform < q, else x. Same dtype."""
        x = self._checked(x)
        return _redraw(x, draws.uniform, draws.replacement, self.redraw_prob)

    def randomise(self, x: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """Release states `x` of any shape and integer dtype; `x` is left as it was.

        Equals ``apply(x, draws(x.shape, rng))`` but holds only one block of draws at a time.
        Raises ``TypeError`` for other dtypes, ``ValueError`` for states outside 0 … k−1.
        """
        x = self._checked(x)
        flat, released = x.reshape(-1), np.empty(x.size, x.dtype)
        start = 0
        for size in _block_sizes(x.size):
            block = slice(start, start + size)
            uniform, replacement = self._draw_block(size, rng)
            released[block] = _redraw(flat[block], uniform, replacement, self.redraw_prob)
            start += size
        return released.reshape(x.shape)

    def log_likelihood(self, released: NDArray[np.integer], states: NDArray[np.integer]) -> Array:
        """ln P(released | state), broadcast over both arguments."""
        with np.errstate(divide="ignore"):
            kept, flipped = np.log1p(-self.flip_prob), np.log(self.flip_prob / (self.n_states - 1))
        return np.where(np.equal(released, states), float(kept), float(flipped))

    def _draw_block(self, size: int, rng: np.random.Generator) -> ResponseDraws:
        uniform = rng.random(size, dtype=np.float32)
        small = np.min_scalar_type(self.n_states - 1)
        return ResponseDraws(uniform, rng.integers(0, self.n_states, size, dtype=small))

    def _checked(self, x: NDArray[np.integer]) -> NDArray[np.integer]:
        return check_states(x, self.n_states)


@dataclass(frozen=True)
class BinaryChannel:
    """An asymmetric lie: 0 is reported as 1 with `p10`, 1 as 0 with `p01` (Barber, section 3.2).

    ε is the largest log ratio in a row of [[1−p10, p01], [p10, 1−p01]]. When p10 + p01 = 1 the
    answer says nothing about the truth, and `inverse_matrix` has no value to give.
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
    def contrast(self) -> float:
        """1 − p10 − p01: by how much a truth of 1 makes the answer 1 likelier. 0 tells nothing, below 0 reverses."""
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
        """The exact ε of `n_values` (at most 64) values together at `delta`."""
        return accounting.binary_channel_epsilon(self.p10, self.p01, delta, n_values)

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """The exact δ of `n_values` (at most 64) values together at `epsilon`."""
        return accounting.binary_channel_delta(self.p10, self.p01, epsilon, n_values)

    def draws(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """One uniform in [0, 1) for each value; it does not depend on p10 or p01.

        In double precision: ε near 0 and near ∞ hangs on the last digits of both probabilities.
        """
        return rng.random(shape)

    def apply(self, x: NDArray[np.integer], draws: Array) -> NDArray[np.integer]:
        """Release `x` with given draws: flipped where the uniform is below p10 (or p01)."""
        x = check_states(x, 2)
        flips = draws < np.array([self.p10, self.p01])[x]
        return x ^ flips.astype(x.dtype)

    def randomise(self, x: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """Release 0s and 1s of any shape and integer dtype; `x` is left as it was.

        Raises ``TypeError`` for other dtypes, ``ValueError`` for values other than 0 and 1.
        """
        x = check_states(x, 2)
        return self.apply(x, self.draws(x.shape, rng))


def _block_sizes(size: int) -> list[int]:
    full, rest = divmod(size, BLOCK)
    return [BLOCK] * full + [rest] * (rest > 0)


def _redraw(
    x: NDArray[np.integer],
    uniform: NDArray[np.float32],
    replacement: NDArray[np.unsignedinteger],
    redraw_prob: float,
) -> NDArray[np.integer]:
    """`replacement` where uniform < redraw_prob, else `x`: a masked exclusive-or, without branches."""
    with np.errstate(over="ignore"):  # −1 of an unsigned type: all bits set
        mask = -(uniform < np.float32(redraw_prob)).astype(x.dtype)
    return x ^ ((x ^ replacement.astype(x.dtype)) & mask)


def check_states(x: NDArray[np.integer], n_states: int) -> NDArray[np.integer]:
    """`x` as an array, or ``TypeError`` for other than whole numbers, ``ValueError`` for those outside 0 … k−1."""
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.integer):
        raise TypeError(
            f"x must hold whole-number states 0 to {n_states - 1}, got dtype {x.dtype}; "
            "use GaussianNoise or LaplaceNoise for real values"
        )
    if n_states - 1 > np.iinfo(x.dtype).max:
        raise TypeError(
            f"x must have a dtype that holds states 0 to {n_states - 1}, got {x.dtype}; "
            f"use x.astype(np.{np.min_scalar_type(n_states - 1)})"
        )
    if x.size and (n_states <= np.iinfo(x.dtype).max or x.dtype.kind == "i"):
        low, high = int(x.min()), int(x.max())
        if low < 0 or high >= n_states:
            raise ValueError(
                f"x must hold states in [0, {n_states - 1}], got {low if low < 0 else high}; "
                "is n_states right for this data?"
            )
    return x
