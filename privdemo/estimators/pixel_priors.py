"""Priors of clean pixels: factorised, flat, learned or true (Barber, section 5.2).

A `PixelPrior` is one distribution per pixel over `support`, the values a clean pixel can take, in the mechanism's own
domain: states 0 … k−1 for randomised response, values in [0, 1] for additive noise. A `GaussianPrior` is a mean and a
variance per pixel, for Gaussian noise.

Priors and posteriors are computed from the mechanism's `log_likelihood` alone, for any mechanism on states. A function
dispatches on the mechanism only where one has an exact formula, or where continuous values need another method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo.estimators.chunks import Rows, deviation, in_chunks, mean_and_variance
from privdemo.estimators.frequencies import em, randomised_response_mle
from privdemo.mechanisms import GaussianNoise, PixelMechanism, RandomisedResponse
from privdemo.mechanisms.additive import AdditiveNoise

Array = NDArray[np.floating]

# The learned prior under added noise: deconvolution on this many support points and output bins.
SUPPORT_POINTS = 33
OUTPUT_BINS = 64
# With 1000 the guesses' squared error changed by 0.2 % at σ = 1 and 2.5 % at σ = 3 with twenty people;
# the certified `gap` bounds the rest.
MAX_ITERATIONS = 40


@dataclass(frozen=True, eq=False)
class PixelPrior:
    """p(x[d] = support[g]) = probs[d, g]; shapes (g,) and (n_pixels, g), rows sum to 1.

    `gap` bounds how far a learned prior still is from its maximum likelihood, in nats per
    observed pixel; 0 where it is exact.
    """

    support: NDArray
    probs: Array
    gap: float = 0.0

    def check(self, mechanism: PixelMechanism, n_pixels: int) -> None:
        """Raise ``ValueError`` unless these are distributions of `n_pixels` pixels over the mechanism's states."""
        n_states = mechanism.n_states or len(self.support)
        _check_shape((n_pixels, n_states), np.shape(self.probs), (n_states,), np.shape(self.support))
        if not ((self.probs >= 0).all() and (np.abs(self.probs.sum(axis=1) - 1) <= 1e-3).all()):
            raise ValueError("prior must hold probabilities, every pixel's summing to 1")

    def weighted_sums(self, samples: NDArray[np.integer], unit: Array, weights: Array) -> NDArray:
        """Return the `weights` (n,) of `samples` (n, n_pixels) in each state of each pixel, (n_pixels · g,)."""
        n, n_pixels = unit.shape
        keys = samples.reshape(n, -1) + np.arange(n_pixels) * self.probs.shape[1]
        return np.bincount(keys.ravel(), np.repeat(weights, n_pixels), minlength=self.probs.size)

    def refitted(self, sums: Array, n: float) -> PixelPrior:
        """Return the prior that makes samples of these `weighted_sums`, `n` in all, likeliest (Barber eq. 65)."""
        return PixelPrior(self.support, sums.reshape(self.probs.shape) / n)


@dataclass(frozen=True, eq=False)
class GaussianPrior:
    """p(x[d]) = N(mean[d], variance[d]), for Gaussian noise (Barber eq. 66); both (n_pixels,)."""

    mean: Array
    variance: Array

    def check(self, mechanism: PixelMechanism, n_pixels: int) -> None:
        """Raise ``ValueError`` unless mean and variance are those of `n_pixels` pixels."""
        _check_shape((n_pixels,), np.shape(self.mean), (n_pixels,), np.shape(self.variance))
        finite = np.isfinite(self.mean).all() and np.isfinite(self.variance).all()
        if not (finite and (np.asarray(self.variance) >= 0).all()):
            raise ValueError("prior must have finite means and variances of 0 or more")

    def weighted_sums(self, samples: Array, unit: Array, weights: Array) -> Array:
        """Return Σ w x and Σ w x² of every pixel over samples `unit` (n, n_pixels), (2, n_pixels)."""
        return np.stack((weights @ unit, weights @ np.square(unit)))

    def refitted(self, sums: Array, n: float) -> GaussianPrior:
        """Return the prior that makes samples of these `weighted_sums`, `n` in all, likeliest (Barber eq. 65)."""
        mean, square = sums / n
        return GaussianPrior(mean, np.maximum(square - mean**2, 0.0))


Prior = PixelPrior | GaussianPrior


def _check_shape(wanted: tuple[int, ...], found: tuple[int, ...], second: tuple[int, ...], other: tuple) -> None:
    if found != wanted or other != second:
        raise ValueError(f"prior must be of shape {wanted} for this mechanism and data, got {found}")


def flat_gaussian_prior(n_pixels: int) -> GaussianPrior:
    """Return Barber's "quite uninformative" prior: mean 0, variance 10 (section 6.1)."""
    return GaussianPrior(np.zeros(n_pixels), np.full(n_pixels, 10.0))


def learned_gaussian_prior(mechanism: GaussianNoise, released: Rows) -> GaussianPrior:
    """Return the maximum-likelihood Gaussian prior given `released` (n, n_pixels) alone.

    A released pixel is N(μ, σ̄² + σ²), so μ is the released mean and σ̄² = max(released variance − σ², 0).
    """
    mean, variance = mean_and_variance(released)
    return GaussianPrior(mean, np.maximum(variance - mechanism.sigma**2, 0.0))


def true_gaussian_prior(values: NDArray) -> GaussianPrior:
    """Return each clean pixel's mean and variance, `values` (n, n_pixels) in [0, 1], which a learner would not have."""
    return GaussianPrior(values.mean(axis=0, dtype=float), values.var(axis=0, dtype=float))


def flat_prior(mechanism: PixelMechanism, n_states: int, n_pixels: int) -> PixelPrior:
    """Return the prior by which all states of a pixel are equally likely."""
    probs = np.broadcast_to(1 / n_states, (n_pixels, n_states))
    return PixelPrior(mechanism.from_states(np.arange(n_states), n_states), probs)


def true_prior(mechanism: PixelMechanism, frequencies: Array) -> PixelPrior:
    """Return the prior with the `state_frequencies` (n_pixels, k) of clean pixels, which a learner would not have."""
    k = frequencies.shape[1]
    return PixelPrior(mechanism.from_states(np.arange(k), k), frequencies)


def state_frequencies(states: Rows, n_states: int) -> Array:
    """Return how often each pixel of `states` (n, n_pixels) is in each state: (n_pixels, k), rows sum to 1."""
    return _column_counts(states, n_states) / len(states)


@singledispatch
def learned_prior(mechanism: PixelMechanism, released: Rows, n_states: int) -> PixelPrior:
    """Return the maximum-likelihood prior given `released` (n, n_pixels) alone; no clean data is used.

    Randomised response: exact (`randomised_response_mle`). Other mechanisms on states: EM on how often each pixel is
    released in each state. Additive noise: the released values are binned and EM deconvolves each pixel's histogram on
    an even grid of [0, 1] (Barber eq. 65). Raises ``TypeError`` for another mechanism on continuous values, which has
    to be registered.
    """
    _check_mechanism(mechanism)
    if mechanism.n_states is None:
        name = type(mechanism).__name__
        raise TypeError(
            f"pixels must be a mechanism on states or additive noise, or say by learned_prior.register "
            f"how its prior is learned, got {name}"
        )
    states = np.arange(mechanism.n_states)
    channel = np.exp(mechanism.log_likelihood(states[:, None], states))
    fit = em(_column_counts(released, len(states)), channel / channel.sum(axis=0), MAX_ITERATIONS)
    return PixelPrior(states, fit.frequencies, float(fit.gap.max()))


@learned_prior.register(RandomisedResponse)
def _(mechanism: RandomisedResponse, released: Rows, n_states: int) -> PixelPrior:
    probs = randomised_response_mle(_column_counts(released, n_states), mechanism.flip_prob)
    return PixelPrior(np.arange(n_states), probs)


@learned_prior.register(AdditiveNoise)
def _(mechanism: AdditiveNoise, released: Rows, n_states: int) -> PixelPrior:
    support = np.linspace(0, 1, min(n_states, SUPPORT_POINTS))
    spread = float(np.sqrt(np.mean(np.square(deviation(released)))))
    edges, width = np.linspace(-2 * spread, 1 + 2 * spread, OUTPUT_BINS - 1, retstep=True)

    def binned(values: Array) -> NDArray[np.int32]:
        return np.clip(np.ceil((values - edges[0]) / width), 0, OUTPUT_BINS - 1).astype(np.int32)

    counts = _column_counts(released, OUTPUT_BINS, binned)
    below = mechanism.cdf(np.subtract.outer(np.concatenate(([-np.inf], edges, [np.inf])), support))
    fit = em(counts.astype(np.float32), np.diff(below, axis=0), MAX_ITERATIONS)
    return PixelPrior(support, fit.frequencies, float(fit.gap.max()))


@singledispatch
def suited_prior(mechanism: PixelMechanism, released: Rows, learned: bool) -> Prior:
    """Return the prior that suits `mechanism`, learned from `released` (n, n_pixels) or flat.

    Gaussian for Gaussian noise, else over the states that a pixel can have; values under other noise are taken for
    `SUPPORT_POINTS` levels. Errors as in `learned_prior`.
    """
    _check_mechanism(mechanism)
    n_states = mechanism.n_states or SUPPORT_POINTS
    return (
        learned_prior(mechanism, released, n_states) if learned else flat_prior(mechanism, n_states, released.shape[1])
    )


@suited_prior.register(GaussianNoise)
def _(mechanism: GaussianNoise, released: Rows, learned: bool) -> Prior:
    return learned_gaussian_prior(mechanism, released) if learned else flat_gaussian_prior(released.shape[1])


@singledispatch
def suited_true_prior(mechanism: PixelMechanism, states: NDArray[np.integer], n_states: int) -> Prior:
    """Return the prior that suits `mechanism`, of the clean pixels' `states` (n, n_pixels), which a learner would not
    have.

    Kinds as in `suited_prior`. Raises ``TypeError`` for what is no mechanism.
    """
    _check_mechanism(mechanism)
    return true_prior(mechanism, state_frequencies(states, n_states))


@suited_true_prior.register(GaussianNoise)
def _(mechanism: GaussianNoise, states: NDArray[np.integer], n_states: int) -> Prior:
    return true_gaussian_prior(mechanism.from_states(states, n_states))


class Moments(NamedTuple):
    """Mean and variance of every clean pixel given the released one, each (n, n_pixels).

    The variance is (1, n_pixels) where it does not depend on what was released.
    """

    mean: Array
    variance: Array


def posterior_moments(
    mechanism: PixelMechanism, released: NDArray, prior: Prior, dtype: type[np.floating] = np.float64
) -> Moments:
    """Return E[x | x̃] and Var[x | x̃] of every pixel of `released` (n, n_pixels), in the mechanism's own domain.

    Randomised response: a mixture of "kept" and "resampled". Gaussian noise with a Gaussian prior: Barber eq. 68–69.
    Any other mechanism: sums over the prior's support, image by image. `dtype` is that of the result. Raises
    ``TypeError`` for what is no mechanism, and for a Gaussian prior without Gaussian noise.
    """
    if isinstance(prior, GaussianPrior):
        return _gaussian_moments(mechanism, released, prior, dtype)
    return _discrete_moments(mechanism, released, prior, dtype)


@singledispatch
def _discrete_moments(
    mechanism: PixelMechanism, released: NDArray, prior: PixelPrior, dtype: type[np.floating]
) -> Moments:
    """Return Bayes' rule from the mechanism's `log_likelihood`; continuous values are worked on in single precision."""
    _check_mechanism(mechanism)
    images, support = released, prior.support
    if mechanism.n_states is None:
        images, support = images.astype(np.float32), support.astype(np.float32)
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior.probs).astype(np.float32)
    mean, variance = np.empty(released.shape, dtype), np.empty(released.shape, dtype)
    for row, image in enumerate(images):
        log_joint = mechanism.log_likelihood(image[:, None], support) + log_prior
        weights = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        mean[row] = weights @ support
        variance[row] = (weights * np.square(support - mean[row][:, None])).sum(axis=1)
    return Moments(mean, variance)


def posterior_mean(mechanism: PixelMechanism, released: NDArray, prior: Prior) -> Array:
    """Return E[x | x̃] of every pixel of `released` (n, n_pixels), in the mechanism's own domain.

    The guess with the least expected squared error given `prior` and the mechanism.
    """
    return posterior_moments(mechanism, released, prior).mean


def sample_posterior(mechanism: PixelMechanism, released: NDArray, prior: Prior, rng: np.random.Generator) -> NDArray:
    """Return one sample of p(x | x̃) for every pixel of `released` (n, n_pixels), in the mechanism's own domain.

    Raises ``TypeError`` for anything but randomised response with a `PixelPrior` and Gaussian noise with a
    `GaussianPrior`.
    """
    if isinstance(prior, GaussianPrior):
        mean, variance = posterior_moments(mechanism, released, prior, np.float32)
        return mean + np.sqrt(variance) * rng.standard_normal(released.shape, dtype=np.float32)
    if not isinstance(mechanism, RandomisedResponse):
        raise TypeError(f"sampling goes with randomised response or a GaussianPrior, got {type(mechanism).__name__}")
    kept, resampled = _kept_and_resampled(mechanism, prior)
    total = kept + resampled
    gone = np.divide(resampled, total, out=np.zeros_like(total), where=total > 0).astype(np.float32)
    pixel = np.arange(released.shape[1])
    is_resampled = rng.random(released.shape, dtype=np.float32) < gone[pixel, released]
    sampled = released.copy()
    _, column = np.nonzero(is_resampled)
    # One sorted table for all pixels: pixel d's cumulative prior lies between d and d + 1.
    table = (np.cumsum(prior.probs, axis=1).clip(max=1) + pixel[:, None]).ravel()
    place = np.searchsorted(table, column + rng.random(len(column)), side="right")
    sampled[is_resampled] = np.minimum(place - column * mechanism.n_states, mechanism.n_states - 1).astype(
        released.dtype
    )
    return sampled


def _kept_and_resampled(mechanism: RandomisedResponse, prior: PixelPrior) -> tuple[Array, float]:
    """Return the joint chances of observing state j of a pixel kept, (n_pixels, k), and resampled, q/k for every j."""
    resample_prob = mechanism.flip_prob * mechanism.n_states / (mechanism.n_states - 1)
    return (1 - resample_prob) * prior.probs, resample_prob / mechanism.n_states


@_discrete_moments.register(RandomisedResponse)
def _(
    mechanism: RandomisedResponse, released: NDArray[np.integer], prior: PixelPrior, dtype: type[np.floating]
) -> Moments:
    """Return a mixture: x̃ itself with weight (1−q) π(x̃), the prior with weight q/k."""
    kept, resampled = _kept_and_resampled(mechanism, prior)
    states = prior.support.astype(float)
    mean = (prior.probs @ states)[:, None]
    variance = (prior.probs * np.square(states - mean)).sum(axis=1, keepdims=True)
    total = kept + resampled
    gone = np.divide(resampled, total, out=np.zeros_like(total), where=total > 0)
    means = states + gone * (mean - states)
    variances = gone * variance + gone * (1 - gone) * np.square(states - mean)
    pixel = np.arange(released.shape[1])
    return Moments(means.astype(dtype)[pixel, released], variances.astype(dtype)[pixel, released])


def _gaussian_moments(
    mechanism: PixelMechanism, released: NDArray, prior: GaussianPrior, dtype: type[np.floating]
) -> Moments:
    """Precisions add: the released value counts 1/σ², the prior's mean 1/σ̄² (Barber eq. 68–69)."""
    if not isinstance(mechanism, GaussianNoise):
        raise TypeError(f"a GaussianPrior goes with GaussianNoise, got {type(mechanism).__name__}; use a PixelPrior")
    noise = mechanism.sigma**2
    total = prior.variance + noise
    # 0 for a pixel that never varies; 1 where there is no noise to be wary of.
    trust = np.divide(prior.variance, total, out=np.ones_like(total), where=total > 0).astype(dtype)
    mean = released.astype(dtype, copy=False) * trust
    mean += ((1 - trust) * prior.mean).astype(dtype)
    return Moments(mean, (trust * noise).astype(dtype)[None, :])


def _column_counts(
    values: Rows, n_bins: int, binned: Callable[[NDArray], NDArray[np.integer]] = np.asarray
) -> NDArray[np.integer]:
    """Return how often each of 0 … n_bins−1 occurs in each column of `values` (n, d), `binned`: shape (d, n_bins)."""
    d = values.shape[1]
    counts = np.zeros(d * n_bins, np.int64)
    for chunk in in_chunks(values):
        keys = binned(chunk) + np.arange(d) * n_bins
        counts += np.bincount(keys.ravel(), minlength=d * n_bins)
    return counts.reshape(d, n_bins)


def _check_mechanism(mechanism: object) -> None:
    if not isinstance(mechanism, PixelMechanism):
        raise TypeError(f"pixels must be a mechanism: what answers all that PixelMechanism asks, got {mechanism!r}")
