"""Settings of released images, and checks that mechanisms fit the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from privdemo import datasets, limits
from privdemo.mechanisms import BinaryChannel, PixelMechanism, RandomisedResponse, pixels
from privdemo.mechanisms.pixels import PixelFamily

LabelMechanism = RandomisedResponse | BinaryChannel
# What an adversary may know of clean pixels; "low_rank": how they go together, learned from the releases.
PRIORS = ("flat", "learned", "low_rank", "true")


def check_classes(classes: Sequence[str], labels: LabelMechanism) -> None:
    """Raise ``ValueError`` unless `classes` are two or more different ones and `labels` a mechanism on as many."""
    if len(classes) < 2 or len(set(classes)) < len(classes):
        raise ValueError(f"classes must be two or more different ones, got {tuple(classes)}")
    if labels.n_states != len(classes):
        raise ValueError(
            f"labels must be a mechanism on the {len(classes)} classes chosen, got one on {labels.n_states}"
        )


@dataclass(frozen=True)
class Config:
    """`n_people` people of `classes`, who release one image and one label each.

    The first `per_class` people of each class are shown; the adversary learns from the releases of all.
    """

    dataset: str = "mnist"
    classes: tuple[str, ...] = ("7", "9")
    pixels: PixelMechanism = field(default=RandomisedResponse(0.2, 256))
    labels: LabelMechanism = field(default=RandomisedResponse(0.2, 2))
    per_class: int = 5
    n_people: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        limits.PER_CLASS.check(self.per_class)
        limits.N_PEOPLE.check(self.n_people)
        limits.SEED.check(self.seed)
        pixels.family_of(self.pixels)  # which refuses any other
        check_classes(self.classes, self.labels)


@dataclass(frozen=True)
class CurveConfig:
    """Pixel errors and linkage at any noise level: each image was sent by one of `n_candidates` known people.

    There are fewer people where the data set ends; every `Point` has their number.
    """

    dataset: str = "mnist"
    classes: tuple[str, ...] = ("7", "9")
    family: str = "randomised_response"
    n_candidates: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        limits.N_CANDIDATES.check(self.n_candidates)
        limits.SEED.check(self.seed)
        if self.family not in pixels.FAMILIES:
            raise ValueError(f"family must be one of {', '.join(pixels.FAMILIES)}, got {self.family!r}")


def with_mechanism(config: Config, family: PixelFamily, level: float) -> Config:
    """Return `config` with `family`'s noise at `level` on its pixels, everything else the same."""
    return replace(config, pixels=family.make(level, n_states(config.dataset)))


def n_states(dataset: datasets.Source) -> int:
    """Return how many grey levels a pixel of `dataset` has. Raises ``ValueError`` for records that cannot be privatised
    so.

    A visitor's own table counts as an image of one row, as all its columns have the same number of steps.
    """
    source = datasets.load(dataset)
    if isinstance(dataset, str):
        image_shape(source)
    return source.n_levels


def check_pixels(mechanism: PixelMechanism, dataset: datasets.Source) -> None:
    """Raise ``ValueError`` for a `mechanism` on other states than the grey levels of a pixel of `dataset`."""
    k = n_states(dataset)
    if mechanism.n_states not in (None, k):
        name = datasets.load(dataset).name
        raise ValueError(f"pixels must be a mechanism on the {k} states of {name}, got one on {mechanism.n_states}")


def image_shape(dataset: datasets.Dataset) -> tuple[int, int]:
    """Return rows and columns of the pictures of `dataset`. Raises ``ValueError`` for a data set without images."""
    if dataset.image_shape is None:
        raise ValueError(f"dataset must hold images (mnist or digits), got {dataset.name!r}")
    return dataset.image_shape
