"""Released images and labels, and what an adversary guesses from them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privdemo import attacks, datasets
from privdemo.estimators import low_rank, pixel_priors
from privdemo.estimators.chunks import Rows, in_chunks
from privdemo.estimators.low_rank import LowRankPrior
from privdemo.estimators.pixel_priors import PixelPrior
from privdemo.experiments.images.config import PRIORS, Config, LabelMechanism, check_pixels, image_shape
from privdemo.experiments.images.people import (
    LABELS,
    all_released,
    all_states,
    sample_noise,
    sample_people,
    true_frequencies,
)
from privdemo.experiments.trials import seeded
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import GaussianNoise, PixelMechanism, pixels
from privdemo.mechanisms.states import to_unit

# Classifiers behind the label attack, each trained on its own part of the people.
N_LEARNERS = 8
# People whose images the error of a guess is measured on.
N_TRIED = 300


@dataclass(frozen=True, eq=False)
class Guesses:
    """What an adversary guesses who knows the mechanism and, by the name of a prior, something of clean pixels.

    `pictures` are the posterior means of the shown people's pixels, (n_shown, n_pixels) grey levels. `errors` are their
    squared error of a pixel, 0 black and 1 white, with 95 % intervals over `N_TRIED` people. `prior_gap` is the duality
    gap of the prior learned pixel by pixel.
    """

    pictures: dict[str, NDArray[np.uint8]]
    errors: dict[str, Estimate]
    prior_gap: float = 0.0


@dataclass(frozen=True, eq=False)
class Result:
    """Images and labels of the shown people before and after the release, and an adversary's guesses.

    Pictures are (n_shown, n_pixels) uint8 grey levels. `states` are the clean pixels as 0 … k−1; `noise` is the
    randomness of the shown releases, the same for every level of the mechanism. `n_people` is the number of people
    who released, fewer than in the config where the data set ends. `changed_pixels` counts an image's changed pixels on
    average, and `label_guess` is how often a label is guessed from its image alone, both among the first `AT_A_TIME`
    people. `guessed` are an adversary's guesses from the releases.
    """

    config: Config
    n_people: int
    class_names: tuple[str, ...]
    image_shape: tuple[int, int]
    n_states: int
    states: NDArray[np.uint8]
    noise: Any
    clean: NDArray[np.uint8]
    released: NDArray[np.uint8]
    labels: NDArray[np.integer]
    released_labels: NDArray[np.integer]
    changed_pixels: float
    label_guess: Estimate
    guessed: Guesses | None = None

    @property
    def guesses(self) -> dict[str, NDArray[np.uint8]]:
        """The adversary's pictures of the shown people by prior."""
        return self.guessed.pictures if self.guessed else {}


def run(config: Config) -> Result:
    """Sample the people, release their images and labels, and attack the shown ones.

    Raises ``ValueError`` for unknown classes or a mechanism on other pixels than the data set's,
    and `DatasetError` where the data cannot be had.
    """
    return replace(sample_release(config), guessed=guess(config))


def sample_release(config: Config) -> Result:
    """`run` without the adversary's guesses, for which everybody's releases are needed; errors as in `run`."""
    people = sample_people(config.dataset, config.classes, config.n_people, config.seed)
    mechanism, k = config.pixels, people.n_levels
    check_pixels(mechanism, config.dataset)
    clean = mechanism.from_states(people.X, k)
    noise = sample_noise(pixels.family_of(mechanism).name, k, clean.shape, config.seed)
    released = mechanism.apply(clean, noise)
    released_labels = config.labels.randomise(people.y, seeded(config.seed, LABELS))
    shown = _shown(people.y, config.per_class)
    return Result(
        config=config,
        n_people=len(all_states(config.dataset, config.classes, config.n_people, config.seed)),
        class_names=people.class_names,
        image_shape=image_shape(people),
        n_states=k,
        states=people.X[shown],
        noise=mechanism.noise_of_rows(noise, shown),
        clean=mechanism.to_grey(clean[shown]),
        released=mechanism.to_grey(released[shown]),
        labels=people.y[shown],
        released_labels=released_labels[shown],
        changed_pixels=float(np.mean(released != clean) * clean.shape[1]),
        label_guess=_label_guess(config.labels, released, released_labels, people.y),
    )


def guess(config: Config, priors: Sequence[str] = PRIORS) -> Guesses:
    """Return an adversary's guesses from the releases of `config` under each of some priors; errors as in `run`.

    Time grows with the number of people, two seconds for 60,000; their releases are never in memory all at once.
    """
    people = sample_people(config.dataset, config.classes, config.n_people, config.seed)
    check_pixels(config.pixels, config.dataset)
    mechanism, everybody = config.pixels, all_released(config)
    shown = _shown(people.y, config.per_class)
    n_tried = min(N_TRIED, len(people.y))
    rows = np.concatenate([shown, np.arange(n_tried) * len(people.y) // n_tried])
    released = (everybody if isinstance(everybody, np.ndarray) else next(in_chunks(everybody)))[rows]
    known = _priors(config, everybody, priors)
    pictures, errors = {}, {}
    for name, prior in known.items():
        means = _means(mechanism, released, prior)
        pictures[name] = mechanism.to_grey(means[: len(shown)])
        wrong = mechanism.to_unit(means[len(shown) :]) - to_unit(people.X[rows[len(shown) :]], people.n_levels)
        errors[name] = mean_interval(np.square(wrong).mean(axis=1, dtype=float))
    learned = known.get("learned")
    return Guesses(pictures, errors, learned.gap if isinstance(learned, PixelPrior) else 0.0)


def _priors(config: Config, everybody: Rows, priors: Sequence[str]) -> dict[str, PixelPrior | LowRankPrior]:
    """Return what the adversary knows of clean pixels, by the names of the priors."""
    mechanism, n_states = config.pixels, datasets.load(config.dataset).n_levels
    found: dict[str, PixelPrior | LowRankPrior] = {}

    def together() -> LowRankPrior:
        alone = found.get("learned")
        known = alone if isinstance(alone, PixelPrior) and not isinstance(mechanism, GaussianNoise) else None
        return low_rank.learned_low_rank_prior(mechanism, everybody, known)

    def true() -> PixelPrior:
        frequencies = true_frequencies(config.dataset, config.classes, config.n_people, config.seed)
        return pixel_priors.true_prior(mechanism, frequencies)

    makers: dict[str, Callable[[], PixelPrior | LowRankPrior]] = {
        "flat": lambda: pixel_priors.flat_prior(mechanism, n_states, everybody.shape[1]),
        "learned": lambda: pixel_priors.learned_prior(mechanism, everybody, n_states),
        "low_rank": together,
        "true": true,
    }
    for name in priors:
        found[name] = makers[name]()
    return found


def _means(mechanism: PixelMechanism, released: NDArray, prior: PixelPrior | LowRankPrior) -> NDArray:
    """Return the posterior mean of each pixel of `released`, in the mechanism's domain."""
    if isinstance(prior, LowRankPrior):
        return low_rank.low_rank_mean(mechanism, released, prior) * mechanism.white
    return pixel_priors.posterior_mean(mechanism, released, prior)


def packed(along: Sequence[Guesses], priors: Sequence[str]) -> bytes:
    """Return the pictures of guesses at several levels for a browser: zlib of the differences from level to level.

    They are modulo 256, in the order prior, person, pixel, level: a third of the size that pictures have.
    """
    pictures = np.array([[one.pictures[prior] for one in along] for prior in priors])
    steps = np.diff(pictures, axis=1, prepend=np.zeros_like(pictures[:, :1]))
    return zlib.compress(np.moveaxis(steps, 1, -1).tobytes(), 9)


def strip(config: Config, levels: Sequence[float]) -> NDArray[np.uint8]:
    """Return the first shown person of each class, clean and then released at each level with the same noise.

    Shape (n_classes, 1 + n_levels, height, width), grey levels: the paper's figures 2 and 4.
    """
    result = sample_release(replace(config, per_class=1))
    family, k = pixels.family_of(config.pixels), result.n_states
    rows = [result.clean]
    for level in levels:
        mechanism = family.make(level, k)
        released = mechanism.apply(mechanism.from_states(result.states, k), result.noise)
        rows.append(mechanism.to_grey(released))
    return np.stack(rows, axis=1).reshape(len(result.clean), 1 + len(levels), *result.image_shape)


def stack_pictures(rows: Sequence[NDArray[np.uint8]], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Return rows of flat pictures, each (n, n_pixels), as (n_rows, n, height, width)."""
    return np.stack(rows).reshape(len(rows), -1, *shape)


def _shown(y: NDArray[np.integer], per_class: int) -> NDArray[np.integer]:
    """Return rows of the first `per_class` people of each class; fewer where a class has fewer."""
    each = min(per_class, np.bincount(y).min())
    return np.concatenate([np.flatnonzero(y == c)[:each] for c in np.unique(y)])


def _label_guess(mechanism: LabelMechanism, released: NDArray, released_labels: NDArray, labels: NDArray) -> Estimate:
    """Return how often the true label is guessed from the image alone, by a classifier of other people's releases.

    Each of `N_LEARNERS` classifiers is trained on its own part of the people and tested on the next part, so that the
    95 % interval covers training as well as testing. Each knows the label's channel and names the likeliest true label.
    """
    meaning = mechanism.channel_matrix.argmax(axis=1)
    n_learners = min(N_LEARNERS, len(labels))
    group = np.arange(len(labels)) % n_learners
    right = []
    for learner in range(n_learners):
        train, test = group == learner, group == (learner + 1) % n_learners
        guessed = attacks.guess_labels(released[train], released_labels[train], released[test])
        right.append(float((meaning[guessed] == labels[test]).mean()))
    return mean_interval(right)
