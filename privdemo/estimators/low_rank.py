"""A low-rank prior of images with correlated pixels, x = μ + F u + e, learned from releases alone.

`learned_low_rank_prior` takes unbiased estimates of the clean pixels from the mechanism, and keeps as many factors as
the correlations of pixels show. The posterior of each pixel then uses the release of all pixels. Everything is on the
scale 0 (black) to 1 (white).

The rank is found by factor analysis with an own variance for each pixel, e and the noise together: see
`_shared_factors`. Sizes of factors are those without the bias of sample eigenvalues (Baik & Silverstein 2006; Gavish &
Donoho 2017, eq. 1.10). docs/rank.md compares the rule with others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, eigh, qr, solve_triangular

from privdemo.estimators.chunks import Rows, in_chunks
from privdemo.estimators.pixel_priors import GaussianPrior, Prior, posterior_moments, suited_prior
from privdemo.mechanisms import GaussianNoise, LaplaceNoise, PixelMechanism, RandomisedResponse

Array = NDArray[np.floating]

# The largest eigenvalue of pure noise passes the edge by more than this many of its own deviations once in a thousand
# times (Tracy & Widom, β = 1; Johnstone 2001).
TRACY_WIDOM = 3.27
# The most factors that are kept, a limit of cost: each person's are found from r × r numbers. At weak noise more would
# be left.
MOST_FACTORS = 48
# The most times that the factors are found anew, with the pixels' own variances that those before left.
MOST_ROUNDS = 8
# Steps of subspace iteration in each round but the first.
N_ITERATIONS = 2
# Directions beyond the most factors that take part in it.
SPARE = 16
# The least variance that a pixel has beyond its factors, and the least precision of a release of it.
LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class LowRankPrior:
    """p(x) = N(mean, factors factorsᵀ + diag rest): `mean` (D,), `factors` (D, r), `rest` (D,), all on the unit scale.

    `pixels` is the prior of each pixel by itself, in the mechanism's own domain, for the posterior of a
    pixel given its own release alone.
    """

    mean: Array
    factors: Array
    rest: Array
    pixels: Prior

    @property
    def rank(self) -> int:
        """How many directions pixels vary in together."""
        return self.factors.shape[1]

    def check(self, mechanism: PixelMechanism, n_pixels: int) -> None:
        """Raise ``ValueError`` unless this is a prior of `n_pixels` pixels."""
        shapes = (np.shape(self.mean), np.shape(self.factors), np.shape(self.rest))
        wanted = ((n_pixels,), (n_pixels, self.rank), (n_pixels,))
        if shapes != wanted:
            raise ValueError(f"prior must be of shapes {wanted} for this data, got {shapes}")
        if not (all(np.isfinite(part).all() for part in (self.mean, self.factors, self.rest)) and self.rest.min() >= 0):
            raise ValueError("prior must have finite means and factors, and variances of 0 or more")
        self.pixels.check(mechanism, n_pixels)


def learned_low_rank_prior(mechanism: PixelMechanism, released: Rows, pixels: Prior | None = None) -> LowRankPrior:
    """Return the low-rank prior learned from `released` (n, D) alone; time grows with n, memory hardly.

    `pixels` is the prior of each pixel by itself, where it is learned already.

    The rank is the number of `_shared_factors`. The factors are those or as many principal components in units of the
    noise, whichever lead to the better guesses (`_linear_error`): with images, of which few factors are found but many
    more are there, the components are better, as they have most of the variance; where single pixels vary by
    themselves, components are such pixels.

    A mechanism of one's own has no factors until `unbiased.register` and `noise_variance.register` give its unbiased
    estimate of a pixel and the variance of that. Errors as in `pixel_priors.learned_prior`.
    """
    pixels = pixels or suited_prior(mechanism, released, learned=True)
    found = _beside_noise(mechanism, released)
    shared = _shared_factors(found) if found else np.empty((released.shape[1], 0))
    prior = _with_factors(mechanism, pixels, shared)
    if not found or not prior.rank:
        return prior
    components = _with_factors(mechanism, pixels, _principal_factors(found)[:, : prior.rank])
    return min(prior, components, key=lambda each: _linear_error(found, each))


def learned_principal_prior(mechanism: PixelMechanism, released: Rows, pixels: Prior | None = None) -> LowRankPrior:
    """Return the same with all principal components whose variance noise alone cannot explain, shared by pixels or not.

    A model of the classes is found in these, as in principal components of clean images: classes may differ in a
    direction although pixels do not vary in it together. Their number is no rank: a pixel that varies by itself counts.
    """
    pixels = pixels or suited_prior(mechanism, released, learned=True)
    found = _beside_noise(mechanism, released)
    return _with_factors(mechanism, pixels, _principal_factors(found) if found else np.empty((released.shape[1], 0)))


def _with_factors(mechanism: PixelMechanism, pixels: Prior, factors: Array) -> LowRankPrior:
    """Return the prior of these factors (D, r), with no pixel's part beyond the variance of its own prior."""
    mean, variance = _moments(pixels, mechanism)
    squares = np.square(factors).sum(axis=1)
    shrink = np.sqrt(np.divide(variance, squares, out=np.ones_like(squares), where=squares > variance))
    factors = factors * shrink[:, None]
    return LowRankPrior(mean, factors, np.maximum(variance - np.square(factors).sum(axis=1), 0.0), pixels)


class _Released(NamedTuple):
    """Mean (D,), mean square (D,) and covariance (D, D) of unbiased values z of people's pixels."""

    mean: Array
    square: Array
    covariance: Array


def _second_moments(released: Rows, mechanism: PixelMechanism) -> _Released:
    n, n_pixels = released.shape
    centre: Array | None = None
    gram, total = np.zeros((n_pixels, n_pixels)), np.zeros(n_pixels)
    for chunk in in_chunks(released):
        z = unbiased(mechanism, chunk)
        if centre is None:
            centre = z.mean(axis=0, dtype=float).astype(np.float32)
        z = z - centre
        gram += z.T @ z
        total += z.sum(axis=0, dtype=float)
    assert centre is not None
    shift = total / n
    covariance = gram / n - np.outer(shift, shift)
    mean = centre + shift
    return _Released(mean, covariance.diagonal() + mean**2, covariance)


@singledispatch
def unbiased(mechanism: PixelMechanism, released: NDArray) -> NDArray[np.float32]:
    """Return values z of `released` pixels, of their shape, on the unit scale, whose mean is the clean pixel."""
    raise TypeError(f"unbiased values are not known of {type(mechanism).__name__}: say them by unbiased.register")


@unbiased.register(GaussianNoise)
@unbiased.register(LaplaceNoise)
def _(mechanism: GaussianNoise | LaplaceNoise, released: Array) -> NDArray[np.float32]:
    return released.astype(np.float32, copy=False)


@unbiased.register(RandomisedResponse)
def _(mechanism: RandomisedResponse, released: NDArray[np.integer]) -> NDArray[np.float32]:
    """Return (x̃ − q/2)/(1 − q): with probability q a pixel is resampled, around ½."""
    resample_prob = mechanism.resample_prob
    return (mechanism.to_unit(released) - np.float32(resample_prob / 2)) / np.float32(1 - resample_prob)


@singledispatch
def noise_variance(mechanism: PixelMechanism, moments: _Released) -> Array:
    """Return the variance (D,) of z about the clean pixel, over people."""
    raise TypeError(f"the noise is not known of {type(mechanism).__name__}: say it by noise_variance.register")


@noise_variance.register
def _(mechanism: GaussianNoise, moments: _Released) -> Array:
    return np.full_like(moments.mean, mechanism.sigma**2)


@noise_variance.register
def _(mechanism: LaplaceNoise, moments: _Released) -> Array:
    return np.full_like(moments.mean, 2 * mechanism.scale**2)


@noise_variance.register
def _(mechanism: RandomisedResponse, moments: _Released) -> Array:
    """Return var z = E[z²] − E[x²], where E[x̃²] = (1−q) E[x²] + q (2k−1)/(6(k−1))."""
    k, resample_prob = mechanism.n_states, mechanism.resample_prob
    released_square = (
        np.square(1 - resample_prob) * moments.square
        + resample_prob * (1 - resample_prob) * moments.mean
        + resample_prob**2 / 4
    )
    clean_square = (released_square - resample_prob * (2 * k - 1) / (6 * (k - 1))) / (1 - resample_prob)
    clean_square = np.clip(clean_square, np.square(moments.mean.clip(0, 1)), moments.mean.clip(0, 1))
    return np.maximum(moments.square - clean_square, LEAST)


def marchenko_pastur_edge(n: int, n_pixels: int) -> float:
    """Return the largest eigenvalue of the sample covariance of pure unit noise: (1 + √γ)², γ = D/n, and `TRACY_WIDOM`
    of its
    deviations, (1 + √γ)(1 + 1/√γ)^⅓ n^(−⅔)."""
    root = np.sqrt(n_pixels / n)
    return (1 + root) ** 2 + TRACY_WIDOM * (1 + root) * (1 + 1 / root) ** (1 / 3) * n ** (-2 / 3)


class _BesideNoise(NamedTuple):
    """The covariance (D, D) of unbiased values z of n people's pixels, and the variance (D,) of the noise in them."""

    n: int
    covariance: Array
    noise: Array

    @property
    def edge(self) -> float:
        """The most variance of a direction in which independent pixels of variance 1 seem to vary."""
        return marchenko_pastur_edge(self.n, len(self.noise))

    def sizes(self, eigenvalues: Array) -> Array:
        """Return ℓ − 1 of eigenvalues λ above the edge; ℓ is λ without its bias."""
        around = eigenvalues + 1 - len(self.noise) / self.n
        return (around + np.sqrt(around**2 - 4 * eigenvalues)) / 2 - 1


def _beside_noise(mechanism: PixelMechanism, released: Rows) -> _BesideNoise | None:
    """Return what releases say of factors: nothing without noise, where they are independent of the pixels, and
    without an unbiased estimate.
    """
    says_nothing = isinstance(mechanism, RandomisedResponse) and mechanism.resample_prob >= 1
    if says_nothing or unbiased.dispatch(type(mechanism)) is unbiased.dispatch(object):
        return None
    moments = _second_moments(released, mechanism)
    noise = noise_variance(mechanism, moments)
    return _BesideNoise(len(released), moments.covariance, noise) if noise.min() > LEAST else None


def _principal_factors(found: _BesideNoise) -> Array:
    """Return F = N^½ U (ℓ − 1)^½ of the eigenvalues λ of N^−½ S N^−½ above the edge, with N the noise. (D, r)."""
    root = np.sqrt(found.noise)
    eigenvalues, directions = eigh(found.covariance / np.outer(root, root), subset_by_value=(found.edge, np.inf))
    first = slice(None, -MOST_FACTORS - 1, -1)  # the largest come last
    return root[:, None] * directions[:, first] * np.sqrt(found.sizes(eigenvalues)[first])


def _shared_factors(found: _BesideNoise) -> Array:
    """Return F = V^½ U (ℓ − 1)^½ of the eigenvalues λ of V^−½ S V^−½ above the edge, with V all that a pixel varies by
    itself, noise and e. (D, r).

    V is diag S at first, so that independent pixels have the covariance 1. The variance that the factors explain is
    then taken off, but for the noise, and factors are found anew until there are no more of them: a strong factor hides
    a weak one in diag S. A V that is too large hides factors and adds none (Guttman 1954).
    """
    covariance = found.covariance.astype(np.float32)
    variance = np.maximum(found.covariance.diagonal(), found.noise)
    n_pixels, own, n_factors = len(variance), variance, 0
    directions = None
    for _ in range(MOST_ROUNDS):
        root = np.sqrt(own).astype(np.float32)
        scaled = covariance / root[:, None] / root
        if directions is None:
            last = (max(n_pixels - MOST_FACTORS - SPARE, 0), n_pixels - 1)
            eigenvalues, directions = eigh(scaled, subset_by_index=last, check_finite=False)
        else:  # from those before, which is faster, and finds no larger eigenvalues than there are
            for _ in range(N_ITERATIONS):
                directions = qr(scaled @ directions, mode="economic", check_finite=False)[0]
            eigenvalues, turned = eigh(directions.T @ scaled @ directions)
            directions = directions @ turned
        kept = np.flatnonzero(eigenvalues > found.edge)[: -MOST_FACTORS - 1 : -1]
        factors = root[:, None] * directions[:, kept] * np.sqrt(found.sizes(eigenvalues[kept].astype(float)))
        if len(kept) in (n_factors, MOST_FACTORS):
            break
        n_factors = len(kept)
        own = np.clip(variance - np.square(factors).sum(axis=1), found.noise, variance)
    return factors


def _linear_error(found: _BesideNoise, prior: LowRankPrior) -> float:
    """Return the summed squared error of guesses that are linear in the releases, as the releases themselves tell it.

    With C = F Fᵀ + diag ψ, such a guess misses by N (C + N)⁻¹ z less the noise in z, so that the error is
    tr H S Hᵀ − 2 tr H N + tr N, H = N (C + N)⁻¹ (Stein's unbiased estimate), whatever the pixels are really like.
    """
    noise, factors = found.noise, prior.factors
    precision = 1 / (prior.rest + noise)
    weighed = precision[:, None] * factors
    back = np.linalg.solve(np.eye(prior.rank) + factors.T @ weighed, weighed.T)
    seen = found.covariance @ weighed
    inverse = precision - (weighed * back.T).sum(axis=1)
    spread = (
        precision**2 * found.covariance.diagonal()
        - 2 * precision * (seen * back.T).sum(axis=1)
        + ((back.T @ (weighed.T @ seen)) * back.T).sum(axis=1)
    )
    return float((noise**2 * (spread - 2 * inverse) + noise).sum())


class LowRankMoments(NamedTuple):
    """The clean pixels of n people given their releases: N(mean_n, diag(variance_n) + common commonᵀ).

    `mean` (n, D), `variance` (n, D), or (1, D) where it is the same for all, `common` (D, r). Their factors are
    N(u_n, left): `u` (n, r), and `left` (r, r), taken as the same for all.
    """

    mean: Array
    variance: Array
    common: Array
    u: Array
    left: Array


def low_rank_moments(
    mechanism: PixelMechanism, released: NDArray, prior: LowRankPrior, dtype: type[np.floating] = np.float64
) -> LowRankMoments:
    """Return the posterior of every person's pixels given their release (n, D), on the unit scale.

    The release of one pixel, with that pixel's own prior, becomes a Gaussian factor: precision τ = 1/v − 1/v₀
    and shift η = m/v − m₀/v₀ of its moments after and before (moment division; exact for Gaussian noise). Then u is
    Gaussian with precision A = 1 + Fᵀ diag(τ/(1 + ψτ)) F, and x given u each pixel by itself (Woodbury): r × r, never
    D × D. Each person has an own mean; the covariance of u is taken at the mean of τ/(1 + ψτ), the same for all: exact
    where all releases are equally precise (Gaussian noise), elsewhere an approximation that saves n matrices.
    """
    precision, shift = _sites(mechanism, released, prior, dtype)
    rest, factors, centre = (part.astype(dtype) for part in (prior.rest, prior.factors, prior.mean))
    damp = 1 / (1 + rest * precision)
    toward = ((shift - precision * centre) * damp) @ factors
    weights = precision * damp
    u = np.linalg.solve(_precisions(weights, factors), toward[:, :, None])[:, :, 0]
    mean = (u @ factors.T + centre + rest * shift) * damp
    root = np.linalg.cholesky(_precisions(weights.mean(axis=0, keepdims=True), factors)[0])
    common = damp.mean(axis=0)[:, None] * solve_triangular(root, factors.T, lower=True).T
    return LowRankMoments(mean, rest * damp, common, u, cho_solve((root, True), np.eye(len(root), dtype=dtype)))


def low_rank_mean(mechanism: PixelMechanism, released: NDArray, prior: LowRankPrior) -> Array:
    """Return E[x | x̃] of every pixel of `released` (n, D), kept within 0 to 1: the adversary's guess, on the unit
    scale.
    """
    parts = [low_rank_moments(mechanism, chunk, prior, np.float32).mean for chunk in in_chunks(released)]
    return np.concatenate(parts).clip(0, 1)


def _precisions(weights: Array, factors: Array) -> Array:
    """Return 1 + Fᵀ diag(w_n) F of every row of `weights` (n, D): (n, r, r)."""
    r = factors.shape[1]
    row, column = np.tril_indices(r)
    pairs = weights @ (factors[:, row] * factors[:, column])
    precisions = np.empty((len(weights), r, r), factors.dtype)
    precisions[:, row, column] = precisions[:, column, row] = pairs
    return precisions + np.eye(r, dtype=factors.dtype)


def _sites(
    mechanism: PixelMechanism, released: NDArray, prior: LowRankPrior, dtype: type[np.floating]
) -> tuple[Array, Array]:
    """Return τ (n, D) or (1, D) and η (n, D) of the Gaussian factor of each pixel's release."""
    if isinstance(prior.pixels, GaussianPrior):  # Gaussian noise
        assert isinstance(mechanism, GaussianNoise)
        noise_precision = dtype(1 / max(mechanism.sigma**2, LEAST))
        return np.full((1, released.shape[1]), noise_precision), released.astype(dtype) * noise_precision
    mean, variance = posterior_moments(mechanism, released, prior.pixels, dtype)
    before, spread = (part.astype(dtype) for part in _moments(prior.pixels, mechanism))
    mean /= mechanism.white
    variance /= mechanism.white**2
    known = spread <= LEAST**2  # a constant pixel: its release adds nothing
    prior_precision = np.divide(1, spread, out=np.zeros_like(spread), where=~known)
    precision = 1 / np.maximum(variance, LEAST) - prior_precision
    precision = np.where(known, 0, np.maximum(precision, LEAST))
    return precision, np.where(known, 0, mean * (prior_precision + precision) - before * prior_precision)


def _moments(pixels: Prior, mechanism: PixelMechanism) -> tuple[Array, Array]:
    """Return mean and variance (D,) of every pixel under its own prior, on the unit scale."""
    if isinstance(pixels, GaussianPrior):
        return pixels.mean, pixels.variance
    values = np.asarray(pixels.support / mechanism.white)
    mean, square = pixels.probs @ values, pixels.probs @ np.square(values)
    return mean, np.maximum(square - np.square(mean), 0.0)
