"""The people of a trial, and everything that is released of them."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.accounting import laplace_scale, shuffled_poll_local_epsilon
from privdemo.datasets import Dataset, Source
from privdemo.estimators import pixel_priors
from privdemo.estimators.bags import bag_channel, name_channel, project_proportions
from privdemo.experiments.comparison.config import OPPOSITE, ComparisonConfig, records
from privdemo.experiments.trials import generator
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.aggregation import Matrix, noisy_proportions
from privdemo.mechanisms.label_counts import calibrate
from privdemo.methods import TIGHT
from privdemo.tasks import binary_task

Array = NDArray[np.floating]
Rows = NDArray[np.intp]

# Test records of each class, if there are as many; else this part of the smaller class.
N_TEST, TEST_SHARE = 900, 1 / 3
# The δ at which the ε of a whole record is stated.
RECORD_DELTA = 1e-5
# Fixed numbers of the random streams of a trial; noise on counts has one for each release.
(
    PEOPLE_STREAM,
    LIE_STREAM,
    PIXEL_STREAM,
    BAG_STREAM,
    BAG_NOISE_STREAM,
    ASKED_STREAM,
    COUNT_STREAM,
    SET_STREAM,
    SHUFFLE_STREAM,
    CURATOR_STREAM,
    FAKE_STREAM,
) = range(11)
_RELEASE_STREAMS = {"laplace tight": 1, "gaussian tight": 3, "dirichlet public": 7}


class People(NamedTuple):
    """What is released of one trial, and the truth behind it.

    Args:
        config: The question.
        clean: The people's records without noise, (n, d).
        released: Their records as they are released, (n, d).
        y: Their true labels, (n,).
        claimed: The labels that they claim to have, (n,): their true ones, or what an attacker has chosen.
        lies: Their labels by randomised response, (n,); those who push send what they claim.
        bags: The number of each person's bag, (n,).
        bag_shares: The released share of the second class in each bag, (B,), in [0, 1].
        sets: The number of each person's set, (n,).
        counts: The counts of the classes in the two sets as they are claimed, (2, 2).
        X_test: Clean test records, (m, d).
        y_test: Their labels, (m,).
        target: The records of the target set, as they are released, (n_asked, d).
        target_clean: The same records without noise.
        target_lies: Their labels by randomised response, (n_asked,).
        target_claimed: The labels that they claim to have, (n_asked,).
        target_fakes: Which of them push, (n_asked,).
        target_y: Their true labels, (n_asked,).
        target_most: The most times that the same person is among them.
        share: The true share of the second class in the target set.
        true_prior: The frequencies of pixel values in clean records; None if only labels are private.
    """

    config: ComparisonConfig
    clean: Matrix
    released: Matrix
    y: NDArray[np.integer]
    claimed: NDArray[np.integer]
    lies: NDArray[np.integer]
    bags: Rows
    bag_shares: Array
    sets: Rows
    counts: NDArray[np.int64]
    X_test: Matrix
    y_test: NDArray[np.integer]
    target: Matrix
    target_clean: Matrix
    target_lies: NDArray[np.integer]
    target_claimed: NDArray[np.integer]
    target_fakes: NDArray[np.bool_]
    target_y: NDArray[np.integer]
    target_most: int
    share: float
    true_prior: Any

    def unit(self, X: Any) -> Matrix:
        """Return records on the scale 0 to 1."""
        pixels = self.config.pixels
        return pixels.to_unit(X) if pixels else X

    def shuffled_lies(self) -> tuple[RandomisedResponse, NDArray[np.integer]]:
        """Return the mechanism that keeps (ε, δ) once answers are shuffled, and the labels of the target set through
        it.

        Raises ``ValueError`` where the same person is in the target set several times, whom shuffling does not hide.
        """
        if self.target_most > 1:
            raise ValueError("some people would be asked several times, whom mixing does not hide; ask about fewer")
        flips = shuffled_flips(self.config)
        lies = flips.randomise(self.target_y, generator(self.config, SHUFFLE_STREAM))
        return flips, np.where(self.target_fakes, self.target_claimed, lies)

    def curated_share(self, delta: float) -> float:
        """Return the share of the second class in the target set, with Laplace noise on its count.

        One person moves the count by 1, or by the number of times that the person is in it.
        """
        noise = generator(self.config, CURATOR_STREAM, 1).laplace()
        count = self.target_claimed.sum() + self.target_most * laplace_scale(self.config.epsilon, delta) * noise
        return float(np.clip(count / len(self.target_claimed), 0, 1))

    def set_proportions(self, release: str) -> Array:
        """Return the class proportions of the two sets, (2, 2), by a mechanism of `TIGHT`.

        Both sets have the same number of the other class, which is the secret. So the counts of the first set alone
        are released, with (ε, δ), and the second set is taken to have as many of the other class: counts of its own
        would tell the same secret twice, with 2ε. How many people a set has is public.
        """
        config = self.config
        first, sizes = self.counts[0], self.counts.sum(axis=1)
        n_min = max(1, config.rarer_count_range[0])
        mechanism = calibrate(release, config.epsilon, config.release_delta, first, n_min)
        shares = mechanism.randomise(first, generator(config, COUNT_STREAM, _RELEASE_STREAMS[release]))
        rarer = min(1.0, float(shares[1]) * sizes[0] / sizes[1])
        return np.array([shares, [rarer, 1 - rarer]])


class ExampleLabels(NamedTuple):
    """The classes, 0 or 1, of some people: the `true` ones, and those `sent` if nobody is trusted."""

    true: list[int]
    sent: list[int]


def example_labels(config: ComparisonConfig, n: int) -> ExampleLabels:
    """Return the labels of `n` evenly spaced records, those of `figures.sample_sheet`, true and as they are sent."""
    y = records(config.dataset).y
    true = y[np.linspace(0, len(y) - 1, n).astype(int)]
    return ExampleLabels(true.tolist(), config.flips.randomise(true, np.random.default_rng(config.seed)).tolist())


def sizes(dataset: Source) -> tuple[int, int]:
    """Return the most people of each class to learn from, and how many records of each class are kept for testing."""
    y, boundary = records(dataset).y, records(dataset).n_train
    if boundary is None:
        smaller = int(np.bincount(y).min())
        n_test = min(N_TEST, math.floor(smaller * TEST_SHARE))
        return smaller - n_test, n_test
    return int(np.bincount(y[:boundary]).min()), min(N_TEST, int(np.bincount(y[boundary:]).min()))


def check(config: ComparisonConfig) -> None:
    """Raise ``ValueError`` for more people than the data set has."""
    most, _ = sizes(config.dataset)
    advice = f"{binary_task(config.dataset).title} has no more of the rarer class to learn from"
    limits.Limit("n_train", limits.N_TRAIN.low, min(most, limits.N_TRAIN.high), advice, integer=True).check(
        config.n_train
    )


def sample_people(config: ComparisonConfig) -> People:
    """Return the people of one trial, and what is released of them; raises errors as `check` does."""
    check(config)
    dataset, pixels, flips = records(config.dataset), config.pixels, config.flips
    train, test = _split(dataset, config.n_train, sizes(config.dataset)[1], generator(config, PEOPLE_STREAM))
    y, y_test = dataset.y[train], dataset.y[test]
    claimed, fakes = _claimed_labels(config, y, generator(config, FAKE_STREAM, 0))
    lies = np.where(fakes, claimed, flips.randomise(y, generator(config, LIE_STREAM)))
    # A person may be in the target set several times, but has one randomised label and one noisy record.
    rng = generator(config, ASKED_STREAM)
    persons, place = np.unique(_choose_target(config, test, y_test, rng), return_inverse=True)
    target_claimed, target_fakes = _claimed_labels(config, dataset.y[persons], generator(config, FAKE_STREAM, 1))
    target_lies = np.where(target_fakes, target_claimed, flips.randomise(dataset.y[persons], rng))

    def values(rows: Rows) -> Any:
        return dataset.X[rows] if pixels else dataset.unit(rows)

    clean, target_clean = values(train), values(persons)
    rng = generator(config, PIXEL_STREAM)
    released = pixels.randomise(clean, rng) if pixels else clean
    target_released = pixels.randomise(target_clean, rng) if pixels else target_clean
    bags = _fill_bags(config, len(train))
    sets, counts = _fill_sets(config, claimed, generator(config, SET_STREAM))
    return People(
        config=config,
        clean=clean,
        released=released,
        y=y,
        claimed=claimed,
        lies=lies,
        bags=bags,
        bag_shares=_release_bag_shares(config, bags, claimed),
        sets=sets,
        counts=counts,
        X_test=values(test),
        y_test=y_test,
        target=target_released[place],
        target_clean=target_clean[place],
        target_lies=target_lies[place],
        target_claimed=target_claimed[place],
        target_fakes=target_fakes[place],
        target_y=dataset.y[persons][place],
        target_most=int(np.bincount(place).max()),
        share=n_second(config) / config.n_asked,
        true_prior=_true_prior(pixels, clean),
    )


def _split(dataset: Dataset, n_train: int, n_test: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Return rows to learn from and rows to test on, so many of each class, in random order within a class."""
    parts: tuple[list[Rows], list[Rows]] = ([], [])
    for label in range(2):
        rows = np.flatnonzero(dataset.y == label)
        if dataset.n_train is None:
            rows = rng.permutation(rows)
            pools = rows[n_test:], rows[:n_test]
        else:
            pools = rng.permutation(rows[rows < dataset.n_train]), rng.permutation(rows[rows >= dataset.n_train])
        for part, pool, n in zip(parts, pools, (n_train, n_test), strict=True):
            part.append(pool[:n])
    return np.concatenate(parts[0]), np.concatenate(parts[1])


def n_second(config: ComparisonConfig) -> int:
    """Return records of the second class in the set whose share is wanted."""
    return round(config.share * config.n_asked)


def n_fakes(config: ComparisonConfig, people: int) -> int:
    """Return how many of so many people of a class push."""
    return round(config.fake_part * people)


def _claimed_labels(
    config: ComparisonConfig, y: NDArray[np.integer], rng: np.random.Generator
) -> tuple[NDArray[np.integer], NDArray[np.bool_]]:
    """Return the labels that people with the true labels `y` (n,) claim, and who of them push: the same part of either
    class.
    """
    fakes = np.zeros(len(y), dtype=bool)
    for label in range(2):
        of_class = np.flatnonzero(y == label)
        fakes[rng.permutation(of_class)[: n_fakes(config, len(of_class))]] = True
    return np.where(fakes, 1 - y if config.fake_label == OPPOSITE else 1, y), fakes


def _choose_target(config: ComparisonConfig, test: Rows, y_test: NDArray[np.integer], rng: np.random.Generator) -> Rows:
    """Return the rows of the target set; a row comes twice only if its class has too few."""
    second = n_second(config)
    return np.concatenate(
        [
            rng.choice(pool, size, replace=size > len(pool))
            for pool, size in ((test[y_test == 0], config.n_asked - second), (test[y_test == 1], second))
        ]
    )


@lru_cache(maxsize=64)
def _shuffled_local_epsilon(epsilon: float, delta: float, n_asked: int) -> float:
    return shuffled_poll_local_epsilon(epsilon, delta, n_asked)


def shuffled_flips(config: ComparisonConfig) -> RandomisedResponse:
    """Return the least lie of every answer with which the count of all is (ε, δ)-private."""
    return RandomisedResponse.from_epsilon(
        _shuffled_local_epsilon(config.epsilon, config.release_delta, config.n_asked), 2
    )


def _fill_bags(config: ComparisonConfig, n: int) -> Rows:
    """Return the number of everybody's bag, (n,), at random."""
    bags = np.empty(n, dtype=np.intp)
    bags[generator(config, BAG_STREAM).permutation(n)] = np.arange(n) % (n // config.bag_size)
    return bags


def _release_bag_shares(config: ComparisonConfig, bags: Rows, y: NDArray[np.integer]) -> Array:
    """Return every bag's share of the second class with noise, (B,), in [0, 1].

    If the noise leaves no record of a class in any bag, every bag gets half a record of it.
    """
    bag_sizes = np.bincount(bags)
    rng = generator(config, BAG_NOISE_STREAM)
    shares = project_proportions(noisy_proportions(np.bincount(bags, y) / bag_sizes, bag_sizes, config.epsilon, rng))
    half = 0.5 / int(bag_sizes.max())
    return shares if 0 < shares.mean() < 1 else np.clip(shares, half, 1 - half)


def _fill_sets(
    config: ComparisonConfig, claimed: NDArray[np.integer], rng: np.random.Generator
) -> tuple[Rows, NDArray[np.int64]]:
    """Return the number of each person's set, (n,), and the counts of both sets, (2, 2), by the labels `claimed` (n,).

    People of a class come in random order. Where some push, those who claim one label are of both classes, and are
    shuffled first.
    """
    rarer = int(rng.integers(*config.rarer_count_range, endpoint=True))
    order = rng.permutation(len(claimed)) if config.fake_part else np.arange(len(claimed))
    names = claimed.astype(np.intp)
    for label in range(2):
        names[order[claimed[order] == label][:rarer]] = 1 - label
    counts = np.full((2, 2), rarer)
    np.fill_diagonal(counts, np.bincount(claimed, minlength=2) - rarer)
    return names, counts


def _true_prior(pixels: RandomisedResponse | None, clean: Any) -> Any:
    if pixels is None:
        return None
    return pixel_priors.true_prior(pixels, pixel_priors.state_frequencies(clean, pixels.n_states))


def record_epsilon(config: ComparisonConfig) -> float:
    """Return the ε of a whole record at δ = `RECORD_DELTA`: that of the label and of all pixels.

    It is infinite if records are released as they are.
    """
    pixels = config.pixels
    if pixels is None:
        return math.inf
    n_pixels = records(config.dataset).X.shape[1]
    return config.epsilon + pixels.epsilon_at(RECORD_DELTA, n_pixels)


def example_channels(config: ComparisonConfig) -> dict[str, list[list[float]]]:
    """Return T[released | class] of "lies", "bag names" and "set names" in the first trial.

    "set names" is missing if no Gaussian noise meets (ε, δ).
    """
    people = sample_people(replace(config, trial=0))
    found = {
        "lies": config.flips.channel_matrix,
        "bag names": bag_channel(people.bag_shares, np.bincount(people.bags)),
    }
    with suppress(ValueError):  # no Gaussian noise meets (ε, δ)
        found["set names"] = name_channel(people.set_proportions(TIGHT["gaussian"]), np.bincount(people.sets))
    return {name: matrix.tolist() for name, matrix in found.items()}
