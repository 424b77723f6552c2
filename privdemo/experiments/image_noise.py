"""What a pixel mechanism does to images: the pictures, the promise, the damage and the attacks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privdemo import accounting, attacks, datasets, limits, metrics
from privdemo.estimators import pixel_priors
from privdemo.intervals import Estimate, mean_interval, wilson_interval
from privdemo.mechanisms import BinaryChannel, RandomisedResponse, pixels
from privdemo.mechanisms.pixels import PixelFamily, PixelMechanism
from privdemo.metrics import Distortion

LabelMechanism = RandomisedResponse | BinaryChannel
PRIORS = ("flat", "learned", "true")
# Releases behind every point of a curve.
N_RELEASES = 200
# Classifiers behind the label attack, each taught by its own share of the people.
N_LEARNERS = 8


def check_classes(classes: Sequence[str], labels: LabelMechanism) -> None:
    """Raise ``ValueError`` unless `classes` are two or more different ones and `labels` a lie about as many."""
    if len(classes) < 2 or len(set(classes)) < len(classes):
        raise ValueError(f"classes must be two or more different ones, got {tuple(classes)}")
    if labels.n_states != len(classes):
        raise ValueError(
            f"labels must be a mechanism on the {len(classes)} classes chosen, got one on {labels.n_states}"
        )


@dataclass(frozen=True)
class Config:
    """Who releases what: `n_people` people of `classes`, each one image and one label.

    The first `per_class` people of each class are shown; everyone's releases teach the adversary.
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
        check_classes(self.classes, self.labels)


@dataclass(frozen=True, eq=False)
class Result:
    """The shown people's images and labels before and after, and what an adversary makes of them.

    Pictures are (n_shown, n_pixels) uint8 grey levels; `states` the clean pixels as 0 … k−1;
    `draws` the randomness of the shown releases, which serves any level of the same mechanism;
    `n_people` how many released, fewer than asked for where the data set ends.
    """

    config: Config
    n_people: int
    class_names: tuple[str, ...]
    image_shape: tuple[int, int]
    n_states: int
    states: NDArray[np.uint8]
    draws: Any
    clean: NDArray[np.uint8]
    released: NDArray[np.uint8]
    guesses: dict[str, NDArray[np.uint8]]
    labels: NDArray[np.integer]
    released_labels: NDArray[np.integer]
    changed_pixels: float
    prior_gap: float
    label_guess: Estimate


@dataclass(frozen=True)
class Privacy:
    """What the release promises, in ε (pure) and ε at `delta`, for a pixel, the label, the image.

    `label_truth[c]`: of the people who sent class c, the share who meant it, classes equally
    common beforehand; None for a class that nobody would send.
    """

    delta: float
    n_pixels: int
    pixel: float
    pixel_at_delta: float
    image: float
    image_at_delta: float
    label: float
    label_truth: tuple[float | None, ...]


@dataclass(frozen=True)
class CurveConfig:
    """Damage and linkage at any level: `n_candidates` known people, one of whom sent each image.

    They are fewer where the data set ends; every `Point` says how many there were.
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


@dataclass(frozen=True)
class Point:
    """One noise level: expected (exact) and measured error of a pixel, and how often linking works.

    `n_candidates` is how many people a release was matched against; chance is 1/n_candidates.
    """

    level: float
    n_candidates: int
    expected: Distortion
    absolute: Estimate
    squared: Estimate
    linked: Estimate


def run(config: Config) -> Result:
    """Draw the people, release their images and labels, and attack the shown ones.

    Raises ``ValueError`` for unknown classes or a mechanism on other pixels than the data set's,
    and `DatasetError` where the data cannot be had.
    """
    people = _people(config.dataset, config.classes, config.n_people, config.seed)
    mechanism, k = config.pixels, people.n_levels
    check_pixels(mechanism, config.dataset)
    clean = pixels.clean_values(mechanism, people.X, k)
    draws = _draws(pixels.family_of(mechanism).name, k, clean.shape, config.seed)
    released = mechanism.apply(clean, draws)
    released_labels = config.labels.randomise(people.y, _generators(config.seed)[2])
    shown = _shown(people.y, min(config.per_class, np.bincount(people.y).min()))
    frequencies = _true_frequencies(config.dataset, config.classes, config.n_people, config.seed)
    guesses, gap = _guesses(mechanism, released, frequencies, shown)
    return Result(
        config=config,
        n_people=len(people.y),
        class_names=people.class_names,
        image_shape=image_shape(people),
        n_states=k,
        states=people.X[shown],
        draws=_take(draws, shown),
        clean=pixels.to_grey(mechanism, clean[shown], k),
        released=pixels.to_grey(mechanism, released[shown], k),
        guesses=guesses,
        labels=people.y[shown],
        released_labels=released_labels[shown],
        changed_pixels=float(np.mean(released != clean) * clean.shape[1]),
        prior_gap=gap,
        label_guess=_label_guess(config.labels, released, released_labels, people.y),
    )


def strip(config: Config, levels: Sequence[float]) -> NDArray[np.uint8]:
    """The first shown person of each class, clean and then released at each level with the same draws.

    Shape (n_classes, 1 + n_levels, height, width), grey levels: the paper's figures 2 and 4.
    """
    result = run(replace(config, per_class=1))
    family, k = pixels.family_of(config.pixels), result.n_states
    rows = [result.clean]
    for level in levels:
        mechanism = family.make(level, k)
        released = mechanism.apply(pixels.clean_values(mechanism, result.states, k), result.draws)
        rows.append(pixels.to_grey(mechanism, released, k))
    return np.stack(rows, axis=1).reshape(len(result.clean), 1 + len(levels), *result.image_shape)


def privacy(config: Config, delta: float, n_pixels: int) -> Privacy:
    """The promise of `config`'s mechanisms for one of `n_pixels` pixels, all of them, and the label."""
    mechanism = config.pixels
    return Privacy(
        delta=delta,
        n_pixels=n_pixels,
        pixel=mechanism.epsilon,
        pixel_at_delta=mechanism.epsilon_at(delta),
        image=n_pixels * mechanism.epsilon,
        image_at_delta=mechanism.epsilon_at(delta, n_pixels),
        label=config.labels.epsilon,
        label_truth=_label_truth(config.labels.channel_matrix),
    )


def measure(config: CurveConfig, level: float) -> Point:
    """Release `N_RELEASES` images of the candidates at `level`; measure the error and link them."""
    states, k = _candidates(config)
    n = len(states)
    mechanism = pixels.FAMILIES[config.family].make(level, k)
    clean = pixels.clean_values(mechanism, states, k)
    owner = np.arange(N_RELEASES) * n // N_RELEASES  # evenly, so that every class sends its share
    draws = _draws(config.family, k, (N_RELEASES, clean.shape[1]), config.seed)
    released = mechanism.apply(clean[owner], draws)
    error = pixels.unit_values(mechanism, released.astype(float) - clean[owner], k)
    hits = attacks.linked(attacks.log_likelihoods(mechanism, released, clean), owner)
    return Point(
        level=level,
        n_candidates=n,
        expected=metrics.expected_distortion(mechanism, states[owner], k),
        absolute=mean_interval(np.abs(error).mean(axis=1)),
        squared=mean_interval((error**2).mean(axis=1)),
        linked=wilson_interval(float(hits.sum()), N_RELEASES),
    )


def curve(config: CurveConfig) -> tuple[Point, ...]:
    """`measure` at every level of the family's curve, with the same people and the same draws."""
    k = n_states(config.dataset)
    return tuple(measure(config, float(level)) for level in pixels.FAMILIES[config.family].levels(k))


def picture_table(result: Result) -> list[dict[str, Any]]:
    """The pictures of a result as flat rows, for a CSV file: one for each person and kind of picture."""
    kinds = {"clean": result.clean, "released": result.released} | {
        f"guess_{name}_prior": pictures for name, pictures in result.guesses.items()
    }
    return [
        {"person": person + 1, "label": result.class_names[label], "label_sent": result.class_names[sent]}
        | {"picture": kind, **_pixel_columns(pictures[person])}
        for person, (label, sent) in enumerate(zip(result.labels, result.released_labels, strict=True))
        for kind, pictures in kinds.items()
    ]


def strip_table(classes: Sequence[str], levels: Sequence[str], images: NDArray[np.uint8]) -> list[dict[str, Any]]:
    """The pictures of a strip as flat rows, for a CSV file."""
    return [
        {"label": label, "level": level, **_pixel_columns(image.ravel())}
        for label, row in zip(classes, images, strict=True)
        for level, image in zip(levels, row, strict=True)
    ]


def _pixel_columns(pixels: NDArray[np.uint8]) -> dict[str, int]:
    return {f"pixel_{j}": int(value) for j, value in enumerate(pixels)}


def curve_table(points: Sequence[Point]) -> list[dict[str, float]]:
    """The points of a curve as flat rows, for a CSV file."""
    return [
        {
            "level": point.level,
            "n_candidates": point.n_candidates,
            "absolute_error_expected": point.expected.absolute,
            "squared_error_expected": point.expected.squared,
            **_columns("absolute_error", point.absolute),
            **_columns("squared_error", point.squared),
            **_columns("linked", point.linked),
        }
        for point in points
    ]


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {f"{name}_mean": estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def with_mechanism(config: Config, family: PixelFamily, level: float) -> Config:
    """`config` with `family`'s noise at `level` on its pixels, everything else the same."""
    return replace(config, pixels=family.make(level, n_states(config.dataset)))


def stack_pictures(rows: Sequence[NDArray[np.uint8]], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Rows of flat pictures, each (n, n_pixels), as (n_rows, n, height, width)."""
    return np.stack(rows).reshape(len(rows), -1, *shape)


@dataclass(frozen=True)
class GalleryConfig:
    """One person of each of two classes under rising randomised response, up to pure noise."""

    dataset: str = "mnist"
    levels: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
    seed: int = 0


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
    """Release the same people with the same draws at every level; guess with the learned prior."""
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


@lru_cache(maxsize=16)
def _people(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> datasets.Dataset:
    """About `n_people` training images, as many of each class (fewer where the data set ends)."""
    source = datasets.load(dataset)
    image_shape(source)
    chosen = (source.train if source.n_train is not None else source).select_classes(classes)
    each = min(max(1, n_people // len(classes)), int(np.bincount(chosen.y).min()))
    return chosen.draw(each, _generators(seed)[0])


def _candidates(config: CurveConfig) -> tuple[NDArray[np.uint8], int]:
    """The clean pixels of `n_candidates` people, classes as even as can be, and the pixels' k."""
    each = math.ceil(config.n_candidates / max(1, len(config.classes)))
    people = _people(config.dataset, config.classes, each * len(config.classes), config.seed)
    n = min(config.n_candidates, len(people.y))
    return people.X[np.arange(n) * len(people.y) // n], people.n_levels


def _generators(seed: int) -> list[np.random.Generator]:
    """Independent streams for people, pixels and labels, so that changing one leaves the others."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]


def n_states(dataset: datasets.Source) -> int:
    """How many grey levels a pixel of `dataset` has. Raises ``ValueError`` for records that cannot be privatised so.

    A visitor's own table counts as an image of one row, since its columns are told in as many steps as one another.
    """
    source = datasets.load(dataset)
    if isinstance(dataset, str):
        image_shape(source)
    return source.n_levels


def check_pixels(mechanism: PixelMechanism, dataset: datasets.Source) -> None:
    """Raise ``ValueError`` unless `mechanism` has as many states as a pixel of `dataset` has grey levels."""
    k = n_states(dataset)
    if isinstance(mechanism, RandomisedResponse) and mechanism.n_states != k:
        name = datasets.load(dataset).name
        raise ValueError(f"pixels must be a mechanism on the {k} states of {name}, got one on {mechanism.n_states}")


def image_shape(dataset: datasets.Dataset) -> tuple[int, int]:
    """Rows and columns of the pictures of `dataset`. Raises ``ValueError`` for a data set without images."""
    if dataset.image_shape is None:
        raise ValueError(f"dataset must hold images (mnist or digits), got {dataset.name!r}")
    return dataset.image_shape


def _shown(y: NDArray[np.integer], per_class: int) -> NDArray[np.integer]:
    return np.concatenate([np.flatnonzero(y == c)[:per_class] for c in np.unique(y)])


def _take(draws: Any, rows: NDArray[np.integer]) -> Any:
    return type(draws)(*(part[rows] for part in draws)) if isinstance(draws, tuple) else draws[rows]


@lru_cache(maxsize=8)
def _draws(family: str, n_states: int, shape: tuple[int, int], seed: int) -> Any:
    """The pixels' randomness, the same at every level of the family; at most 20 MB each."""
    mechanism = pixels.FAMILIES[family].make(pixels.FAMILIES[family].limit(n_states).high, n_states)
    draws = mechanism.draws(shape, _generators(seed)[1])
    for part in draws if isinstance(draws, tuple) else (draws,):
        part.flags.writeable = False
    return draws


@lru_cache(maxsize=16)
def _true_frequencies(dataset: str, classes: tuple[str, ...], n_people: int, seed: int) -> NDArray[np.floating]:
    """The people's clean pixel frequencies, which no level changes."""
    people = _people(dataset, classes, n_people, seed)
    frequencies = pixel_priors.state_frequencies(people.X, people.n_levels)
    frequencies.flags.writeable = False
    return frequencies


def _guesses(
    mechanism: PixelMechanism, released: NDArray, frequencies: NDArray[np.floating], shown: NDArray
) -> tuple[dict[str, NDArray[np.uint8]], float]:
    """The posterior-mean picture of the shown people under each prior, and the learned prior's gap."""
    n_pixels, n_states = frequencies.shape
    priors = {
        "flat": pixel_priors.flat_prior(mechanism, n_states, n_pixels),
        "learned": pixel_priors.learned_prior(mechanism, released, n_states),
        "true": pixel_priors.true_prior(mechanism, frequencies),
    }
    pictures = {
        name: pixels.to_grey(mechanism, pixel_priors.posterior_mean(mechanism, released[shown], prior), n_states)
        for name, prior in priors.items()
    }
    return pictures, priors["learned"].gap


def _label_guess(mechanism: LabelMechanism, released: NDArray, released_labels: NDArray, labels: NDArray) -> Estimate:
    """How often the image alone betrays the label, to a learner that saw other people's releases.

    `N_LEARNERS` classifiers, each taught by its own part of the people and tried on the next part: their spread is
    that of learning as well as of guessing. Each knows the label's channel and names the likeliest true label.
    """
    meaning = mechanism.channel_matrix.argmax(axis=1)
    group = np.arange(len(labels)) % N_LEARNERS
    right = []
    for learner in range(N_LEARNERS):
        taught, tried = group == learner, group == (learner + 1) % N_LEARNERS
        guessed = attacks.guess_labels(released[taught], released_labels[taught], released[tried])
        right.append(float((meaning[guessed] == labels[tried]).mean()))
    return mean_interval(right)


def _label_truth(channel: NDArray) -> tuple[float | None, ...]:
    """P(true = c | sent c) for equally common classes; None for a class that nobody would send."""
    k = len(channel)
    return tuple(
        float(accounting.posterior(channel, np.full(k, 1 / k), c)[c]) if channel[c].any() else None for c in range(k)
    )
