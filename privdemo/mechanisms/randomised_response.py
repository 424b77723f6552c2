"""Randomised response: answers that are sometimes replaced by a random one (Warner 1965)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from privdemo import accounting, limits
from privdemo.mechanisms.binary_channel import BinaryChannel
from privdemo.mechanisms.pixel_mechanism import Distortion
from privdemo.mechanisms.states import check_states, to_unit

Array = NDArray[np.floating]

# Values are sampled in blocks of this many, so that a large array needs little extra memory.
# The block size is part of what a seed means: changing it changes every seeded sample.
BLOCK = 1 << 18
# Uniforms are 24-bit multiples of 2⁻²⁴; a probability is rounded *up* to that grid, which means
# at most 6·10⁻⁸ more noise than given, never less.
GRID = 2.0**24


class ResponseNoise(NamedTuple):
    """The randomness behind one release, sampled before the noise level is known.

    `uniform` float32 in [0, 1) decides whether a value is resampled, `replacement` what it becomes.
    """

    uniform: NDArray[np.float32]
    replacement: NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class RandomisedResponse:
    """k-ary randomised response: keep the true state with 1 − p, else one of the other k − 1.

    `flip_prob` p lies in [0, (k−1)/k] and `n_states` is k; states are the integers 0 … k−1.
    ε = ln((1−p)(k−1)/p) for one value (Kairouz, Oh & Viswanath 2014, eq. 8).

    It is sampled in the equivalent form "with probability q = p·k/(k−1) resample uniformly from *all*
    k states" (`resample_prob`; some libraries call q the flip probability). Raising p with
    the same noise then only ever resamples more values, and at p = (k−1)/k the release is independent of x.
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
        """Return the least noise with which `n_values` values together are (ε, δ)-private."""
        return cls(accounting.randomised_response_flip_prob(epsilon, n_states, delta, n_values), n_states)

    @property
    def resample_prob(self) -> float:
        """q = p·k/(k−1), rounded up to a multiple of 2⁻²⁴: what `uniform` is compared with."""
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
        """Return the exact ε of `n_values` values together at `delta` (at δ = 0, n_values · ε)."""
        return accounting.randomised_response_epsilon(self.flip_prob, self.n_states, delta, n_values)

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """Return the exact δ of `n_values` values together at `epsilon`."""
        return accounting.randomised_response_delta(self.flip_prob, epsilon, self.n_states, n_values)

    def sample_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> ResponseNoise:
        """Return the randomness for values of this shape; it does not depend on `flip_prob`."""
        parts = [self._sample_block(size, rng) for size in _block_sizes(math.prod(shape))]
        uniform = np.concatenate([u for u, _ in parts]) if parts else np.empty(0, np.float32)
        replacement = np.concatenate([r for _, r in parts]) if parts else np.empty(0, np.uint8)
        return ResponseNoise(uniform.reshape(shape), replacement.reshape(shape))

    def noise_by_name(self, noise: ResponseNoise) -> dict[str, NDArray]:
        """Return `uniform` and `replacement`."""
        return noise._asdict()

    def noise_of_rows(self, noise: ResponseNoise, rows: NDArray[np.integer]) -> ResponseNoise:
        """Return the randomness of some rows of a release."""
        return ResponseNoise(noise.uniform[rows], noise.replacement[rows])

    def apply(self, x: NDArray[np.integer], noise: ResponseNoise) -> NDArray[np.integer]:
        """Release `x` with given noise: the replacement where uniform < q, else x. Same dtype."""
        x = check_states(x, self.n_states)
        return _resample(x, noise.uniform, noise.replacement, self.resample_prob)

    def randomise(self, x: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """Release states `x` of any shape and integer dtype; `x` is left as it was.

        Equals ``apply(x, sample_noise(x.shape, rng))`` but holds only one block of noise at a time.
        Raises ``TypeError`` for other dtypes, ``ValueError`` for states outside 0 … k−1.
        """
        x = check_states(x, self.n_states)
        flat, released = x.reshape(-1), np.empty(x.size, x.dtype)
        start = 0
        for size in _block_sizes(x.size):
            block = slice(start, start + size)
            uniform, replacement = self._sample_block(size, rng)
            released[block] = _resample(flat[block], uniform, replacement, self.resample_prob)
            start += size
        return released.reshape(x.shape)

    def log_likelihood(self, released: NDArray[np.integer], states: NDArray[np.integer]) -> Array:
        """Return ln P(released | state), broadcast over both arguments."""
        with np.errstate(divide="ignore"):
            kept, flipped = np.log1p(-self.flip_prob), np.log(self.flip_prob / (self.n_states - 1))
        return np.where(np.equal(released, states), float(kept), float(flipped))

    def pairwise_log_likelihood(self, released: NDArray[np.integer], candidates: NDArray[np.integer]) -> Array:
        """Return ln P(released_i | candidate_j) up to a constant, (n_released, n_candidates): from the number of flips.

        0 for a perfect match; where nothing is ever flipped −∞ for all others.
        """
        kept, flipped = self.log_likelihood(np.array([0, 0]), np.array([0, 1]))
        n_flipped = cdist(released, candidates, "hamming") * released.shape[1]
        if np.isinf(flipped):
            return np.where(n_flipped > 0, -np.inf, 0.0)
        return n_flipped * (flipped - kept)

    @property
    def white(self) -> int:
        """k − 1: the state of a white pixel."""
        return self.n_states - 1

    def from_states(self, states: NDArray[np.integer], n_states: int) -> NDArray:
        """Return the states themselves. Raises ``ValueError`` for another k than the mechanism's."""
        if n_states != self.n_states:
            raise ValueError(f"n_states must be the mechanism's {self.n_states}, got {n_states}")
        return states

    def to_unit(self, values: NDArray) -> NDArray[np.floating]:
        """Return states, or guesses between them, on the scale 0 (black) to 1 (white): x/(k−1).

        Whole numbers become float32, others keep their dtype.
        """
        values = np.asarray(values)
        if np.issubdtype(values.dtype, np.integer):
            return to_unit(values, self.n_states)
        return values / self.white

    def to_grey(self, values: NDArray) -> NDArray[np.uint8]:
        """Return states, or guesses between them, as grey levels 0 … 255, rounded half up."""
        return np.floor(np.asarray(values, dtype=float) * 255 / self.white + 0.5).astype(np.uint8)

    def expected_distortion(self, states: NDArray[np.integer]) -> Distortion:
        """Return the exact expected error over the noise and the pixels in `states`.

        With probability q = pk/(k−1) a pixel becomes uniform over the k levels, so the errors average over both.
        """
        k = self.n_states
        levels = np.arange(k) / (k - 1)
        share = np.bincount(states.ravel(), minlength=k) / states.size
        gaps = np.abs(np.subtract.outer(levels, levels))
        resample_prob = self.flip_prob * k / (k - 1)
        absolute, squared = gaps.mean(axis=0) @ share, (gaps**2).mean(axis=0) @ share
        return Distortion(resample_prob * float(absolute), resample_prob * float(squared))

    def check_released(self, X: NDArray) -> NDArray[np.integer]:
        """Return `X` if it holds states. Raises ``TypeError`` and ``ValueError`` as `check_states`."""
        return check_states(X, self.n_states)

    def check_informative(self) -> None:
        """Raise ``ValueError`` where every state is resampled, so that nothing can be estimated."""
        if self.resample_prob >= 1:
            raise ValueError(
                f"a flip probability of {self.flip_prob:.4g} replaces every pixel at random and leaves nothing of the "
                "image to learn from; lower it"
            )

    def _sample_block(self, size: int, rng: np.random.Generator) -> ResponseNoise:
        uniform = rng.random(size, dtype=np.float32)
        small = np.min_scalar_type(self.n_states - 1)
        return ResponseNoise(uniform, rng.integers(0, self.n_states, size, dtype=small))


def _block_sizes(size: int) -> list[int]:
    full, rest = divmod(size, BLOCK)
    return [BLOCK] * full + [rest] * (rest > 0)


def _resample(
    x: NDArray[np.integer],
    uniform: NDArray[np.float32],
    replacement: NDArray[np.unsignedinteger],
    resample_prob: float,
) -> NDArray[np.integer]:
    """Return `replacement` where uniform < resample_prob, else `x`: a masked exclusive-or, without branches."""
    with np.errstate(over="ignore"):  # −1 of an unsigned type: all bits set
        mask = -(uniform < np.float32(resample_prob)).astype(x.dtype)
    return x ^ ((x ^ replacement.astype(x.dtype)) & mask)
