"""The people of one trial, what they release, and the clean images that models are tested on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import datasets, limits
from privdemo.datasets import Dataset, Source
from privdemo.estimators.pixel_priors import Prior, suited_true_prior
from privdemo.experiments.images import check_pixels, image_shape, n_states
from privdemo.experiments.training.config import TrainingConfig
from privdemo.experiments.trials import generator

# Test images of each class where there are as many (Barber, section 6).
N_TEST = 900
# Where the publisher has no test part, this share of the smaller class is kept for testing.
TEST_SHARE = 1 / 3
# Fixed numbers of the random streams of a trial.
PEOPLE_STREAM, PIXEL_STREAM, LABEL_STREAM, ATTACK_STREAM = range(4)


class Release(NamedTuple):
    """The people of one trial: clean `X` (n, n_pixels) and `y` (n,), what they release, and clean test images.

    All X are in the pixel mechanism's own domain. `true_prior` is the clean pixels' own.
    """

    X: NDArray
    y: NDArray[np.integer]
    X_noisy: NDArray
    y_noisy: NDArray[np.integer]
    X_test: NDArray
    y_test: NDArray[np.integer]
    true_prior: Prior


def sizes(dataset: Source, classes: Sequence[str]) -> tuple[int, int]:
    """Return the most people of each class to train on, and how many images of each class are kept for testing."""
    chosen = datasets.load(dataset).select_classes(classes)
    if chosen.n_train is None:
        smaller = int(np.bincount(chosen.y).min())
        n_test = min(N_TEST, math.floor(smaller * TEST_SHARE))
        return smaller - n_test, n_test
    train, test = (int(np.bincount(part.y).min()) for part in (chosen.train, chosen.test))
    return train, min(N_TEST, test)


def sample_release(config: TrainingConfig) -> Release:
    """Sample the people and test images of `config`, and release the people's data; errors as in `run`."""
    check_pixels(config.pixels, config.dataset)
    check_noise(config)
    train, test = _split(config, generator(config, PEOPLE_STREAM))
    k = n_states(config.dataset)
    X, X_test = (config.pixels.from_states(part.X, k) for part in (train, test))
    y_noisy = config.labels.randomise(train.y, generator(config, LABEL_STREAM))
    _check_labels(config, y_noisy)
    X_noisy = config.pixels.randomise(X, generator(config, PIXEL_STREAM))
    return Release(X, train.y, X_noisy, y_noisy, X_test, test.y, suited_true_prior(config.pixels, train.X, k))


def _check_labels(config: TrainingConfig, y_noisy: NDArray[np.integer]) -> None:
    """Raise ``ValueError`` where no released label is of some class, which naive training would not know."""
    unsent = sorted(set(range(len(config.classes))) - set(np.unique(y_noisy).tolist()))
    if not unsent:
        return
    advice = "ask more people, or change the lies or the seed"
    if len(config.classes) > 2:
        raise ValueError(f"nobody happened to send the label {config.classes[unsent[0]]}; {advice}")
    raise ValueError(
        f"all {len(y_noisy):,} people happened to send the label {config.classes[y_noisy[0]]}, and nothing can be "
        f"learnt from one label; {advice}"
    )


def check_noise(config: TrainingConfig) -> None:
    """Raise ``ValueError`` where releases of pixels or labels are independent of the truth."""
    channel = config.labels.channel_matrix
    says_nothing = np.allclose(channel, channel[:, :1], rtol=0, atol=1e-9)
    if says_nothing and len(config.classes) > 2:
        raise ValueError(
            f"with lies of {channel[1, 0] * (len(channel) - 1):.4g} every label is equally likely whatever the truth, "
            "so a label says nothing and nothing can be learnt; lower the lies"
        )
    if says_nothing:
        first, second = config.classes
        raise ValueError(
            f"the lies about the label add up to 1 ({first} sent as {second} with {channel[1, 0]:.4g}, {second} as "
            f"{first} with {channel[0, 1]:.4g}), so a label says nothing and nothing can be learnt; change one of them"
        )
    config.pixels.check_informative()


def test_images(config: TrainingConfig) -> NDArray[np.uint8]:
    """Return the clean pictures that `run` tries its models on, (n_test, height, width) grey levels."""
    _, test = _split(config, generator(config, PEOPLE_STREAM))
    k = n_states(config.dataset)
    return config.pixels.to_grey(config.pixels.from_states(test.X, k)).reshape(-1, *image_shape(test))


class ReleasedImages(NamedTuple):
    """Images of some people and their labels, as they are and as they are released to learn from.

    `true_images` and `images` are grey levels (n, height, width); `true_labels` and `labels` are names of classes (n,).
    """

    true_images: NDArray[np.uint8]
    images: NDArray[np.uint8]
    true_labels: tuple[str, ...]
    labels: tuple[str, ...]


def released_images(config: TrainingConfig, n_each: int = 1) -> ReleasedImages:
    """Return what the first `n_each` people of each class have and release, one of each class before any second."""
    release = sample_release(config)
    by_class = [np.flatnonzero(release.y == c)[:n_each] for c in range(len(config.classes))]
    rows = np.stack(by_class, axis=1).ravel()
    shape = image_shape(datasets.load(config.dataset))
    true_images, images = (config.pixels.to_grey(X[rows]).reshape(-1, *shape) for X in (release.X, release.X_noisy))
    true_labels, labels = (tuple(config.classes[label] for label in y[rows]) for y in (release.y, release.y_noisy))
    return ReleasedImages(true_images, images, true_labels, labels)


def _split(config: TrainingConfig, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    """Return the people to learn from, and the test images."""
    most, n_test = sizes(config.dataset, config.classes)
    source = datasets.load(config.dataset)
    advice = f"{source.name} has no more of {' and '.join(config.classes)}"
    limits.Limit("n_train", limits.N_TRAIN.low, most, advice, integer=True).check(config.n_train)
    return source.select_classes(config.classes).split(config.n_train, n_test, rng)
