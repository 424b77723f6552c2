"""The same people under rising noise, as the home page shows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.experiments.images.config import Config, CurveConfig, n_states, with_mechanism
from privdemo.experiments.images.release import run
from privdemo.experiments.images.score import Point, measure
from privdemo.mechanisms import pixels


@dataclass(frozen=True)
class GalleryConfig:
    """One person of each of two classes under rising randomised response, up to pure noise."""

    dataset: str = "mnist"
    levels: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
    seed: int = 0

    def __post_init__(self) -> None:
        limits.SEED.check(self.seed)


@dataclass(frozen=True, eq=False)
class Gallery:
    """Pictures (2 · n_classes, n_levels, height, width): releases, and under each the guesses.

    The last level is (k−1)/k, where a release is pure noise.
    """

    class_names: tuple[str, ...]
    levels: tuple[float, ...]
    images: NDArray[np.uint8]
    points: tuple[Point, ...]


def gallery(config: GalleryConfig) -> Gallery:
    """Release the same people with the same random draws at every level; guesses use the learned prior."""
    family = pixels.FAMILIES["randomised_response"]
    k = n_states(config.dataset)
    useless = family.limit(k).high
    levels = (*(level for level in config.levels if level < useless), useless)
    base = Config(dataset=config.dataset, per_class=1, seed=config.seed)
    results = [run(with_mechanism(base, family, level)) for level in levels]
    height, width = results[0].image_shape
    rows = np.stack([(r.released, r.guesses["learned"]) for r in results])  # level, kind, class, pixel
    images = rows.transpose(2, 1, 0, 3).reshape(-1, len(levels), height, width)
    curve_config = CurveConfig(dataset=config.dataset, seed=config.seed)
    points = tuple(measure(curve_config, level) for level in levels)
    return Gallery(results[0].class_names, levels, images, points)
