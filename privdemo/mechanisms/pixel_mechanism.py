"""The interface of mechanisms on pixels."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


class Distortion(NamedTuple):
    """Mean absolute and mean squared error of a pixel, on the scale 0 (black) to 1 (white)."""

    absolute: float
    squared: float


@runtime_checkable
class PixelMechanism(Protocol):
    """A mechanism that releases every pixel of an image by itself.

    Its *domain* is what it takes and releases: states 0 … k−1, or values for which clean ones lie in [0, 1].
    """

    @property
    def n_states(self) -> int | None:
        """The number k of states in its domain; None where the domain is continuous."""

    @property
    def white(self) -> float:
        """A white pixel in its domain; a black one is 0."""

    @property
    def epsilon(self) -> float:
        """ε of one pixel at δ = 0."""

    def epsilon_at(self, delta: float, n_values: int = 1) -> float:
        """Return ε of `n_values` pixels together at `delta`."""

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """Return δ of `n_values` pixels together at `epsilon`."""

    def sample_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
        """Return the randomness of a release of this shape, which does not depend on the noise level."""

    def noise_by_name(self, noise: Any) -> dict[str, NDArray]:
        """Return the arrays that `noise` is made of, by name, each of the shape of the release."""

    def noise_of_rows(self, noise: Any, rows: NDArray[np.integer]) -> Any:
        """Return the randomness of some rows of a release."""

    def apply(self, x: NDArray, noise: Any) -> NDArray:
        """Release `x` with given noise; `x` is left as it was."""

    def randomise(self, x: NDArray, rng: np.random.Generator) -> NDArray:
        """Release `x` of any shape with fresh noise; `x` is left as it was."""

    def log_likelihood(self, released: NDArray, values: NDArray) -> Array:
        """Return ln P(released | true value) of each pixel, broadcast over both, up to a constant."""

    def pairwise_log_likelihood(self, released: NDArray, candidates: NDArray) -> Array:
        """Return ln P(released_i | candidate_j) of whole images, shape (n_released, n_candidates).

        `released` (n_released, d) and clean `candidates` (n_candidates, d) in the domain. Exact up to a constant of
        each released image, which no comparison of candidates needs.
        """

    def from_states(self, states: NDArray[np.integer], n_states: int) -> NDArray:
        """Return clean pixel `states` 0 … k−1 in the domain."""

    def to_unit(self, values: NDArray) -> NDArray[np.floating]:
        """Return values of the domain on the scale 0 (black) to 1 (white), not clipped."""

    def to_grey(self, values: NDArray) -> NDArray[np.uint8]:
        """Return values of the domain as grey levels 0 … 255, clipped for display only."""

    def expected_distortion(self, states: NDArray[np.integer]) -> Distortion:
        """Return the exact expected error of a released pixel, over the noise and the clean pixels in `states`."""

    def check_released(self, X: NDArray) -> NDArray:
        """Return `X` if the mechanism could have released it, else a ``TypeError`` or a ``ValueError``."""

    def check_informative(self) -> None:
        """Raise ``ValueError`` where a release is independent of the image."""
