"""Privacy guarantees, pixel errors and re-identification, at one noise level or along a curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import accounting, attacks, datasets
from privdemo.experiments.images.config import Config, CurveConfig, image_shape, n_states
from privdemo.experiments.images.people import candidates, sample_noise
from privdemo.intervals import Estimate, mean_interval, wilson_interval
from privdemo.mechanisms import Distortion, PixelMechanism, pixels

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
    states, mechanism, clean, owner, released = _releases(config, level)
    error = mechanism.to_unit(released.astype(float) - clean[owner])
    hits = attacks.linked(mechanism.pairwise_log_likelihood(released, clean), owner)
    return Point(
        level=level,
        n_candidates=len(states),
        expected=mechanism.expected_distortion(states[owner]),
        absolute=mean_interval(np.abs(error).mean(axis=1)),
        squared=mean_interval((error**2).mean(axis=1)),
        linked=wilson_interval(float(hits.sum()), N_RELEASES),
    )


def _releases(
    config: CurveConfig, level: float
) -> tuple[NDArray[np.uint8], PixelMechanism, NDArray, NDArray[np.integer], NDArray]:
    """Return the candidates' states, the mechanism, their clean pixels, and `N_RELEASES` releases with their owners."""
    states, k = candidates(config)
    mechanism = pixels.FAMILIES[config.family].make(level, k)
    clean = mechanism.from_states(states, k)
    owner = np.arange(N_RELEASES) * len(states) // N_RELEASES  # evenly, so that every class sends its share
    noise = sample_noise(config.family, k, (N_RELEASES, clean.shape[1]), config.seed)
    return states, mechanism, clean, owner, mechanism.apply(clean[owner], noise)


@dataclass(frozen=True, eq=False)
class Match:
    """One of the releases of `measure`, matched against the candidates.

    `sent` is the picture of the release, (height, width) grey levels, and `originals` those of the candidates. `owner`
    is the candidate who sent it, `order` are all candidates, those that fit best first, of which `n_best` fit equally
    well.
    """

    sent: NDArray[np.uint8]
    originals: NDArray[np.uint8]
    owner: int
    order: NDArray[np.integer]
    n_best: int


def match(config: CurveConfig, level: float, release: int = 3 * N_RELEASES // 8) -> Match:
    """Return one of the releases that `measure` links at `level`, with the candidates by how well they fit."""
    shape = image_shape(datasets.load(config.dataset))
    _, mechanism, clean, owner, released = _releases(config, level)
    (fits,) = mechanism.pairwise_log_likelihood(released[release : release + 1], clean)
    return Match(
        sent=mechanism.to_grey(released[release]).reshape(shape),
        originals=mechanism.to_grey(clean).reshape(-1, *shape),
        owner=int(owner[release]),
        order=np.argsort(-fits, kind="stable"),
        n_best=int(attacks.best(fits[None]).sum()),
    )


def curve(config: CurveConfig) -> tuple[Point, ...]:
    """Return `measure` at every level of the family's curve, with the same people and the same noise."""
    k = n_states(config.dataset)
    return tuple(measure(config, float(level)) for level in pixels.FAMILIES[config.family].levels(k))
