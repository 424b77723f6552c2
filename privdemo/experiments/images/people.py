"""Who is drawn and which noise they get: everything that depends on the seed and not on the noise level."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privdemo import datasets
from privdemo.estimators import pixel_priors
from privdemo.experiments.draws import seeded
from privdemo.experiments.images.config import CurveConfig, image_shape
from privdemo.mechanisms import pixels

# The random streams of a seed: changing one choice leaves the randomness of the others as it was.
PEOPLE, PIXELS, LABELS = range(3)


@lru_cache(maxsize=16)
def draw_people(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> datasets.Dataset:
    """About `n_people` training images, equally many of each class; fewer where the data set ends."""
    source = datasets.load(dataset)
    image_shape(source)
    chosen = (source.train if source.n_train is not None else source).select_classes(classes)
    each = min(max(1, n_people // len(classes)), int(np.bincount(chosen.y).min()))
    return chosen.draw(each, seeded(seed, PEOPLE))


def candidates(config: CurveConfig) -> tuple[NDArray[np.uint8], int]:
    """Clean pixels (n_candidates, n_pixels) of people of all classes in turn, and the number k of grey levels."""
    each = math.ceil(config.n_candidates / max(1, len(config.classes)))
    people = draw_people(config.dataset, config.classes, each * len(config.classes), config.seed)
    n = min(config.n_candidates, len(people.y))
    return people.X[np.arange(n) * len(people.y) // n], people.n_levels


@lru_cache(maxsize=8)
def noise_draws(family: str, n_states: int, shape: tuple[int, int], seed: int) -> Any:
    """The randomness of pixel noise, which serves every level of the family; at most 20 MB an entry of the cache."""
    mechanism = pixels.FAMILIES[family].make(pixels.FAMILIES[family].limit(n_states).high, n_states)
    draws = mechanism.draws(shape, seeded(seed, PIXELS))
    for part in mechanism.draws_by_name(draws).values():
        part.flags.writeable = False
    return draws


@lru_cache(maxsize=16)
def true_frequencies(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> NDArray[np.floating]:
    """Frequencies (n_pixels, k) of the people's clean pixel states; they do not depend on the noise."""
    people = draw_people(dataset, classes, n_people, seed)
    frequencies = pixel_priors.state_frequencies(people.X, people.n_levels)
    frequencies.flags.writeable = False
    return frequencies
