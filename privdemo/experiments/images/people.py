"""Who is drawn and which noise they get: everything that depends on the seed and not on the noise level."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privdemo import datasets
from privdemo.estimators import pixel_priors
from privdemo.experiments.images.config import CurveConfig, image_shape
from privdemo.mechanisms import pixels


@lru_cache(maxsize=16)
def draw_people(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> datasets.Dataset:
    """About `n_people` training images, as many of each class (fewer where the data set ends)."""
    source = datasets.load(dataset)
    image_shape(source)
    chosen = (source.train if source.n_train is not None else source).select_classes(classes)
    each = min(max(1, n_people // len(classes)), int(np.bincount(chosen.y).min()))
    return chosen.draw(each, streams(seed)[0])


def candidates(config: CurveConfig) -> tuple[NDArray[np.uint8], int]:
    """The clean pixels of `n_candidates` people, classes as even as can be, and the pixels' k."""
    each = math.ceil(config.n_candidates / max(1, len(config.classes)))
    people = draw_people(config.dataset, config.classes, each * len(config.classes), config.seed)
    n = min(config.n_candidates, len(people.y))
    return people.X[np.arange(n) * len(people.y) // n], people.n_levels


def streams(seed: int) -> list[np.random.Generator]:
    """Independent streams for people, pixels and labels, so that changing one leaves the others."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]


@lru_cache(maxsize=8)
def noise_draws(family: str, n_states: int, shape: tuple[int, int], seed: int) -> Any:
    """The pixels' randomness, the same at every level of the family; at most 20 MB each."""
    mechanism = pixels.FAMILIES[family].make(pixels.FAMILIES[family].limit(n_states).high, n_states)
    draws = mechanism.draws(shape, streams(seed)[1])
    for part in draws if isinstance(draws, tuple) else (draws,):
        part.flags.writeable = False
    return draws


@lru_cache(maxsize=16)
def true_frequencies(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> NDArray[np.floating]:
    """The people's clean pixel frequencies, which no level changes."""
    people = draw_people(dataset, classes, n_people, seed)
    frequencies = pixel_priors.state_frequencies(people.X, people.n_levels)
    frequencies.flags.writeable = False
    return frequencies
