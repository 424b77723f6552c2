"""Privacy guarantees, pixel errors and re-identification, at one noise level or along a curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import accounting, attacks
from privdemo.experiments.images.config import Config, CurveConfig, n_states
from privdemo.experiments.images.people import candidates, sample_noise
from privdemo.intervals import Estimate, mean_interval, wilson_interval
from privdemo.mechanisms import Distortion, pixels

# Releases behind every point of a curve.
N_RELEASES = 200


@dataclass(frozen=True)
class Privacy:
    """The privacy guarantee of a release: pure ε, and ε at `delta`, of a pixel, an image and the label.

    `label_posterior[c]` is P(true class = c | released class = c) for equally common classes; None for a class that is
    never released.
    """

    delta: float
    n_pixels: int
    pixel: float
    pixel_at_delta: float
    image: float
    image_at_delta: float
    label: float
    label_posterior: tuple[float | None, ...]


def privacy(config: Config, delta: float, n_pixels: int) -> Privacy:
    """Return the guarantee of `config`'s mechanisms for one pixel, all `n_pixels` pixels, and the label."""
    mechanism = config.pixels
    return Privacy(
        delta=delta,
        n_pixels=n_pixels,
        pixel=mechanism.epsilon,
        pixel_at_delta=mechanism.epsilon_at(delta),
        image=n_pixels * mechanism.epsilon,
        image_at_delta=mechanism.epsilon_at(delta, n_pixels),
        label=config.labels.epsilon,
        label_posterior=_label_posterior(config.labels.channel_matrix),
    )


def _label_posterior(channel: NDArray) -> tuple[float | None, ...]:
    """Return P(true class = c | released class = c) for equally common classes; None for a class that is never
    released.
    """
    k = len(channel)
    return tuple(
        float(accounting.posterior(channel, np.full(k, 1 / k), c)[c]) if channel[c].any() else None for c in range(k)
    )


@dataclass(frozen=True)
class Point:
    """Errors of a pixel at one noise level, exact expectations and measured, and how often the sender is found.

    A release is matched against `n_candidates` people, so chance is 1/n_candidates. Intervals are 95 % over releases.
    """

    level: float
    n_candidates: int
    expected: Distortion
    absolute: Estimate
    squared: Estimate
    linked: Estimate


def measure(config: CurveConfig, level: float) -> Point:
    """Release `N_RELEASES` images of the candidates at `level`; measure the error and link them."""
    states, k = candidates(config)
    n = len(states)
    mechanism = pixels.FAMILIES[config.family].make(level, k)
    clean = mechanism.from_states(states, k)
    owner = np.arange(N_RELEASES) * n // N_RELEASES  # evenly, so that every class sends its share
    noise = sample_noise(config.family, k, (N_RELEASES, clean.shape[1]), config.seed)
    released = mechanism.apply(clean[owner], noise)
    error = mechanism.to_unit(released.astype(float) - clean[owner])
    hits = attacks.linked(mechanism.pairwise_log_likelihood(released, clean), owner)
    return Point(
        level=level,
        n_candidates=n,
        expected=mechanism.expected_distortion(states[owner]),
        absolute=mean_interval(np.abs(error).mean(axis=1)),
        squared=mean_interval((error**2).mean(axis=1)),
        linked=wilson_interval(float(hits.sum()), N_RELEASES),
    )


def curve(config: CurveConfig) -> tuple[Point, ...]:
    """Return `measure` at every level of the family's curve, with the same people and the same noise."""
    k = n_states(config.dataset)
    return tuple(measure(config, float(level)) for level in pixels.FAMILIES[config.family].levels(k))
