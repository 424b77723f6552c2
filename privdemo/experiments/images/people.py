"""Who is sampled and which noise they get: everything that depends on the seed and not on the noise level."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privdemo import datasets
from privdemo.estimators import pixel_priors
from privdemo.estimators.chunks import Chunks, Rows
from privdemo.experiments.images.config import Config, CurveConfig, image_shape
from privdemo.experiments.trials import seeded
from privdemo.mechanisms import pixels

# People who are sampled together, equally many of each class; the randomness of their releases takes 20 MB.
AT_A_TIME = 5000
# The random streams of a seed: changing one choice leaves the randomness of the others as it was.
PEOPLE, PIXELS, LABELS = range(3)


@lru_cache(maxsize=16)
def sample_people(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> datasets.Dataset:
    """Return the first of `n_people` training images, `AT_A_TIME` at most, about equally many of each class.

    There are fewer where the data set ends.
    """
    chosen = _training(dataset).select_classes(classes)
    return chosen.sample(_n_per_class(chosen, n_people), seeded(seed, PEOPLE))


def _training(dataset: str) -> datasets.Dataset:
    source = datasets.load(dataset)
    image_shape(source)
    return source.train if source.n_train is not None else source


def _n_per_class(chosen: datasets.Dataset, n_people: int) -> int:
    """Return how many of each class are sampled."""
    return min(max(1, min(n_people, AT_A_TIME) // chosen.n_classes), min(chosen.class_counts))


@lru_cache(maxsize=8)
def _further_rows(dataset: str, classes: tuple[str, ...], seed: int) -> NDArray[np.integer]:
    """Return the rows of all training images of `classes` that are not among the first people, in random order."""
    source = _training(dataset)
    chosen = source.select_classes(classes)
    left = chosen.rows_left(_n_per_class(chosen, AT_A_TIME), seeded(seed, PEOPLE))
    rows = np.flatnonzero(np.isin(source.y, [source.class_names.index(name) for name in classes]))
    return rows[left].astype(np.int32)


def all_states(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> Chunks:
    """Return clean pixels of all people, `AT_A_TIME` of them at a time: the first people, then the others in order."""
    first = sample_people(dataset, classes, n_people, seed).X
    n_others = max(0, n_people - AT_A_TIME)
    others = _further_rows(dataset, classes, seed)[:n_others] if n_others else np.empty(0, np.int32)

    def make() -> Iterator[NDArray[np.uint8]]:
        yield first
        images = _training(dataset).X
        for start in range(0, len(others), AT_A_TIME):
            yield images[others[start : start + AT_A_TIME]]

    return Chunks((len(first) + len(others), first.shape[1]), make)


def all_released(config: Config) -> Rows:
    """Return what all people release; where they are many, computed from the seed at each pass."""
    k = datasets.load(config.dataset).n_levels
    states = all_states(config.dataset, config.classes, config.n_people, config.seed)

    def make() -> Iterator[NDArray]:
        for number, some in enumerate(states.make()):
            clean = config.pixels.from_states(some, k)
            yield config.pixels.apply(clean, _noise_of_batch(config, k, clean.shape, number))

    return Chunks(states.shape, make) if len(states) > AT_A_TIME else next(make())


def _noise_of_batch(config: Config, n_states: int, shape: tuple[int, ...], number: int) -> Any:
    """Return the randomness of the releases of chunk `number`; that of the first is kept."""
    if number:
        return config.pixels.sample_noise(shape, seeded(config.seed, PIXELS, number))
    return sample_noise(pixels.family_of(config.pixels).name, n_states, shape, config.seed)


def candidates(config: CurveConfig) -> tuple[NDArray[np.uint8], int]:
    """Return clean pixels (n_candidates, n_pixels) of people of all classes alternately, and the number k of grey
    levels.
    """
    each = math.ceil(config.n_candidates / max(1, len(config.classes)))
    people = sample_people(config.dataset, config.classes, each * len(config.classes), config.seed)
    n = min(config.n_candidates, len(people.y))
    return people.X[np.arange(n) * len(people.y) // n], people.n_levels


@lru_cache(maxsize=8)
def sample_noise(family: str, n_states: int, shape: tuple[int, int], seed: int) -> Any:
    """Return the randomness of pixel noise, which serves every level of the family; at most 20 MB an entry of the
    cache.
    """
    mechanism = pixels.FAMILIES[family].make(pixels.FAMILIES[family].limit(n_states).high, n_states)
    noise = mechanism.sample_noise(shape, seeded(seed, PIXELS))
    for part in mechanism.noise_by_name(noise).values():
        part.flags.writeable = False
    return noise


@lru_cache(maxsize=16)
def true_frequencies(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> NDArray[np.floating]:
    """Return frequencies (n_pixels, k) of the people's clean pixel states; they do not depend on the noise."""
    states = all_states(dataset, classes, n_people, seed)
    frequencies = pixel_priors.state_frequencies(states, datasets.load(dataset).n_levels)
    frequencies.flags.writeable = False
    return frequencies
