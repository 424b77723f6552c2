"""Released images and labels, and what an adversary guesses from them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privdemo import attacks
from privdemo.estimators import low_rank, pixel_priors
from privdemo.experiments.draws import seeded
from privdemo.experiments.images.config import PRIORS, Config, LabelMechanism, check_pixels, image_shape
from privdemo.experiments.images.people import LABELS, draw_people, noise_draws, true_frequencies
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import PixelMechanism, pixels

# Classifiers behind the label attack, each trained on its own part of the people.
N_LEARNERS = 8


@dataclass(frozen=True, eq=False)
class Result:
    """Images and labels of the shown people before and after the release, and an adversary's guesses.

    Pictures are (n_shown, n_pixels) uint8 grey levels. `states` are the clean pixels as 0 … k−1; `draws` is the
    randomness of the shown releases, which serves every level of the same mechanism. `n_people` is the number of people
    who released, fewer than wanted where the data set ends. `guesses` are posterior-mean pictures by prior.
    `changed_pixels` counts an image's changed pixels on average. `prior_gap` is the learned prior's duality gap, and
    `label_guess` how often an image alone betrays its label.
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


def run(config: Config) -> Result:
    """Draw the people, release their images and labels, and attack the shown ones.

    Raises ``ValueError`` for unknown classes or a mechanism on other pixels than the data set's,
    and `DatasetError` where the data cannot be had.
    """
    people = draw_people(config.dataset, config.classes, config.n_people, config.seed)
    mechanism, k = config.pixels, people.n_levels
    check_pixels(mechanism, config.dataset)
    clean = mechanism.from_states(people.X, k)
    draws = noise_draws(pixels.family_of(mechanism).name, k, clean.shape, config.seed)
    released = mechanism.apply(clean, draws)
    released_labels = config.labels.randomise(people.y, seeded(config.seed, LABELS))
    shown = _shown(people.y, min(config.per_class, np.bincount(people.y).min()))
    frequencies = true_frequencies(config.dataset, config.classes, config.n_people, config.seed)
    guesses, gap = _guesses(mechanism, released, frequencies, shown)
    return Result(
        config=config,
        n_people=len(people.y),
        class_names=people.class_names,
        image_shape=image_shape(people),
        n_states=k,
        states=people.X[shown],
        draws=mechanism.draws_of_rows(draws, shown),
        clean=mechanism.to_grey(clean[shown]),
        released=mechanism.to_grey(released[shown]),
        guesses=guesses,
        labels=people.y[shown],
        released_labels=released_labels[shown],
        changed_pixels=float(np.mean(released != clean) * clean.shape[1]),
        prior_gap=gap,
        label_guess=_label_guess(config.labels, released, released_labels, people.y),
    )


def guesses_at(config: Config, levels: Sequence[float], priors: Sequence[str] = PRIORS) -> NDArray[np.uint8]:
    """The `guesses` of `run` at several noise levels of the mechanism: (n_priors, n_levels, n_shown, n_pixels)."""
    people = draw_people(config.dataset, config.classes, config.n_people, config.seed)
    family, k = pixels.family_of(config.pixels), people.n_levels
    draws = noise_draws(family.name, k, people.X.shape, config.seed)
    shown = _shown(people.y, min(config.per_class, np.bincount(people.y).min()))
    frequencies = true_frequencies(config.dataset, config.classes, config.n_people, config.seed)
    found = []
    for level in levels:
        mechanism = family.make(level, k)
        released = mechanism.apply(mechanism.from_states(people.X, k), draws)
        guesses = (_guess(prior, mechanism, released, frequencies, shown) for prior in priors)
        found.append(np.stack([mechanism.to_grey(guess) for guess, _ in guesses]))
    return np.stack(found, axis=1)


def packed(guesses: NDArray[np.uint8]) -> bytes:
    """`guesses_at` for a browser: zlib of each pixel's differences from level to level, modulo 256.

    In the order prior, person, pixel, level: a third of the size that pictures have.
    """
    steps = np.diff(guesses, axis=1, prepend=np.zeros_like(guesses[:, :1]))
    return zlib.compress(np.moveaxis(steps, 1, -1).tobytes(), 9)


def strip(config: Config, levels: Sequence[float]) -> NDArray[np.uint8]:
    """The first shown person of each class, clean and then released at each level with the same draws.

    Shape (n_classes, 1 + n_levels, height, width), grey levels: the paper's figures 2 and 4.
    """
    result = run(replace(config, per_class=1))
    family, k = pixels.family_of(config.pixels), result.n_states
    rows = [result.clean]
    for level in levels:
        mechanism = family.make(level, k)
        released = mechanism.apply(mechanism.from_states(result.states, k), result.draws)
        rows.append(mechanism.to_grey(released))
    return np.stack(rows, axis=1).reshape(len(result.clean), 1 + len(levels), *result.image_shape)


def stack_pictures(rows: Sequence[NDArray[np.uint8]], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Rows of flat pictures, each (n, n_pixels), as (n_rows, n, height, width)."""
    return np.stack(rows).reshape(len(rows), -1, *shape)


def _shown(y: NDArray[np.integer], per_class: int) -> NDArray[np.integer]:
    """Rows of the first `per_class` people of each class."""
    return np.concatenate([np.flatnonzero(y == c)[:per_class] for c in np.unique(y)])


def _guesses(
    mechanism: PixelMechanism, released: NDArray, frequencies: NDArray[np.floating], shown: NDArray
) -> tuple[dict[str, NDArray[np.uint8]], float]:
    """Posterior-mean pictures of the shown people under each prior, and the gap of the learned prior."""
    found = {prior: _guess(prior, mechanism, released, frequencies, shown) for prior in PRIORS}
    return {prior: mechanism.to_grey(guess) for prior, (guess, _) in found.items()}, found["learned"][1]


def _guess(
    prior: str, mechanism: PixelMechanism, released: NDArray, frequencies: NDArray[np.floating], shown: NDArray
) -> tuple[NDArray, float]:
    """The posterior mean of the shown people's pixels under a prior, in the mechanism's domain, and the prior's gap."""
    n_pixels, n_states = frequencies.shape
    if prior == "low_rank":
        together = low_rank.learned_low_rank_prior(mechanism, released)
        return low_rank.low_rank_mean(mechanism, released[shown], together) * mechanism.white, 0.0
    alone = {
        "flat": lambda: pixel_priors.flat_prior(mechanism, n_states, n_pixels),
        "learned": lambda: pixel_priors.learned_prior(mechanism, released, n_states),
        "true": lambda: pixel_priors.true_prior(mechanism, frequencies),
    }[prior]()
    return pixel_priors.posterior_mean(mechanism, released[shown], alone), alone.gap


def _label_guess(mechanism: LabelMechanism, released: NDArray, released_labels: NDArray, labels: NDArray) -> Estimate:
    """How often the true label is guessed from the image alone, by a classifier of other people's releases.

    Each of `N_LEARNERS` classifiers is trained on its own part of the people and tested on the next part, so that the
    95 % interval covers training as well as testing. Each knows the label's channel and names the likeliest true label.
    """
    meaning = mechanism.channel_matrix.argmax(axis=1)
    group = np.arange(len(labels)) % N_LEARNERS
    right = []
    for learner in range(N_LEARNERS):
        train, test = group == learner, group == (learner + 1) % N_LEARNERS
        guessed = attacks.guess_labels(released[train], released_labels[train], released[test])
        right.append(float((meaning[guessed] == labels[test]).mean()))
    return mean_interval(right)
