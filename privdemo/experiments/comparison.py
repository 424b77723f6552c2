"""Which method, at which privacy? Every family of estimators on the same people, at the same ε of every label.

Each person has a record x and a label y, one of two classes, as many people of one as of the other. What becomes known
of y is always released by a label channel T: the person lies (randomised response), the bag's owner tells the bag's
share with noise, or a publisher tells two sets' counts with noise. Where records are private too, every pixel is
flipped with the label's flip probability (Barber, figure 3), whatever becomes of the label.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo import limits
from privdemo.datasets import Dataset, Source, kept_by_name, name_of
from privdemo.estimators import pixel_priors, votes
from privdemo.estimators.bags import bag_channel, name_channel, project_proportions
from privdemo.estimators.label_proportions import LabelProportionClassifier
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.set_names import SpreadClassRatio, contrast
from privdemo.experiments.draws import generator
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.aggregation import Matrix, noisy_proportions
from privdemo.mechanisms.label_counts import calibrate
from privdemo.methods import (
    BAG_NAMES,
    CLEAN,
    COMPARISON,
    CORRECTED_COUNT,
    COUNT_NAIVE,
    FLAT,
    LLP,
    NAIVE,
    NOBODY,
    OWNER,
    PUBLISHER,
    RECONSTRUCTION,
    SPREAD,
    TRUE,
    TRUTH,
    mmd,
    set_names,
)
from privdemo.tasks import BINARY, binary_records, binary_task

Array = NDArray[np.floating]

CLASSIFY, SHARE = "classify", "share"
LABELS, RECORDS = "labels", "records"
# What a task is judged by: its name, and whether more is better. The first is the main one.
METRICS = {CLASSIFY: {"accuracy": True, "log_loss": False, "brier": False}, SHARE: {"error": False}}
# What a mean mark can be.
RANGES = {"accuracy": (0.0, 1.0), "log_loss": (0.0, math.inf), "brier": (0.0, 1.0), "error": (0.0, 1.0)}
# Data sets whose records are images, every pixel of which can be flipped.
IMAGES = ("mnist", "digits")
# Test records of each class where there are as many; else this share of the smaller class.
N_TEST, TEST_SHARE = 900, 1 / 3
# Folds in which penalties are chosen, where there are as many bags.
N_FOLDS = 5
# The δ at which a whole record's ε is stated.
RECORD_DELTA = 1e-5

# Fixed numbers of the random streams of a draw; that of noise on counts has one for each release.
(
    PEOPLE_STREAM,
    LIE_STREAM,
    PIXEL_STREAM,
    BAG_STREAM,
    BAG_NOISE_STREAM,
    ASKED_STREAM,
    COUNT_STREAM,
    SET_STREAM,
) = range(8)
_RELEASE_STREAMS = {"laplace tight": 1, "gaussian tight": 3, "dirichlet public": 7}
# Methods that only private records make another than those without: with clean records all priors are one.
OF_RECORDS = (FLAT, TRUE)

# Whom one must trust with the true label, and why.
TRUST = {
    TRUTH: "Something true is used without noise: a reference, no release.",
    NOBODY: "Each label is changed before it leaves its person.",
    OWNER: "Whoever holds a bag sees its labels, and releases their share with noise.",
    PUBLISHER: "Whoever makes the sets sees all labels, and releases their counts with noise; who is in which set is "
    "not hidden.",
}


@dataclass(frozen=True)
class ComparisonConfig:
    """The same people for every method: `n_train` of each of two classes, and what is released of them.

    `epsilon` of every label; `delta` only of released counts. Bags are of `bag_size` people, filled at random. Two sets
    of `n_train` each have the classes the other way round, the rarer with a share drawn around `rho`. For a share,
    `n_asked` test records are asked about, of which `share` are of the second class. `methods`: none for all. `draw`
    counts repeats.
    """

    task: str = CLASSIFY
    dataset: Source = "mnist"
    private: str = LABELS
    n_train: int = 250
    epsilon: float = 1.0
    delta: float = 1e-3
    bag_size: int = 25
    rho: float = 0.1
    n_asked: int = 500
    share: float = 0.3
    methods: tuple[str, ...] = ()
    seed: int = 0
    draw: int = 0

    def __post_init__(self) -> None:
        for name, choice, known in (
            ("task", self.task, (CLASSIFY, SHARE)),
            ("private", self.private, (LABELS, RECORDS)),
        ):
            if choice not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {choice!r}")
        binary_task(self.dataset)
        if self.private == RECORDS and not has_pixels(self.dataset):
            raise ValueError(
                f"records of {name_of(self.dataset)} cannot be private here: only pixels are flipped; take "
                f"{' or '.join(IMAGES)}, or private labels only"
            )
        for limit, value in (
            (limits.N_TRAIN, self.n_train),
            (limits.RELEASE_EPSILON, self.epsilon),
            (limits.RELEASE_DELTA, self.delta),
            (limits.BAG_SIZE, self.bag_size),
            (limits.RHO, self.rho),
            (limits.N_TEST, self.n_asked),
            (limits.SHARE, self.share),
            (limits.SEED, self.seed),
            (limits.DRAW, self.draw),
        ):
            limit.check(value)
        limits.Limit("bag_size", 2, self.n_train, "there must be two bags", integer=True).check(self.bag_size)
        unknown = [name for name in self.methods if name not in COMPARISON]
        if unknown:
            raise ValueError(f"methods must be of {', '.join(COMPARISON)}, got {', '.join(unknown)}")
        if self.methods and not self.chosen:
            raise ValueError(f"none of {', '.join(self.methods)} says anything of this; leave methods out for all")

    @property
    def flips(self) -> RandomisedResponse:
        """How a person lies about the label: the least lie that is ε-private."""
        return RandomisedResponse.from_epsilon(self.epsilon, 2)

    @property
    def pixels(self) -> RandomisedResponse | None:
        """What is done to every pixel, None where only labels are private."""
        if self.private == LABELS:
            return None
        return RandomisedResponse(self.flips.flip_prob, _records(self.dataset).n_levels)

    @property
    def few(self) -> tuple[int, int]:
        """The fewest and the most of the rarer class that a set has; the counts are a secret between, around ρn.

        From half of ρn on, and nearer to ρn where as far above it would be over half of n. The fewest are n_min, which
        everybody knows; at most one of the rarer class is no secret.
        """
        middle = round(self.rho * self.n_train)
        if middle <= 1:
            return middle, middle
        room = min(middle - max(1, middle // 2), self.n_train // 2 - middle)
        return middle - room, middle + room

    @property
    def set_name_epsilon(self) -> float:
        """The most that the name of a set tells of a label, as the ε of a lie: ln((1 − r)/r).

        r is the least share that the rarer class of a set can have. No noise on counts hides it.
        """
        least, _ = self.few
        return math.log((self.n_train - least) / least) if least else math.inf

    @property
    def chosen(self) -> tuple[str, ...]:
        """The methods that have something of their own to say: without noise on records all priors are one."""
        return tuple(
            name
            for name in COMPARISON
            if solves(name, self.task)
            and (self.private == RECORDS or name not in OF_RECORDS)
            and (not self.methods or name in self.methods)
        )


def has_pixels(dataset: Source) -> bool:
    """Whether records are images, every pixel of which can be flipped."""
    return dataset in IMAGES if isinstance(dataset, str) else dataset.image_shape is not None


class People(NamedTuple):
    """What is released of one draw, and the truth behind it.

    `clean` and `released` (n, D) are the people's records, `y` and `lies` (n,) their labels, true and as they tell
    them. `bags` (n,) and `sets` (n,) name where each is; `bag_shares` (B,) are released, in [0, 1]; `counts` (2, 2) of
    the sets true. Of the test, `X_test` are clean records with `y_test`; of the set asked
    about, `asked` are its records as released, `asked_clean` without noise, `asked_lies` its labels as told, and
    `share` its true share of the second class.
    """

    config: ComparisonConfig
    clean: Matrix
    released: Matrix
    y: NDArray[np.integer]
    lies: NDArray[np.integer]
    bags: NDArray[np.intp]
    bag_shares: Array
    sets: NDArray[np.intp]
    counts: NDArray[np.int64]
    X_test: Matrix
    y_test: NDArray[np.integer]
    asked: Matrix
    asked_clean: Matrix
    asked_lies: NDArray[np.integer]
    share: float
    true_prior: Any

    def unit(self, X: Any) -> Matrix:
        """Records on the scale 0 to 1."""
        pixels = self.config.pixels
        return pixels.to_unit(X) if pixels else X

    def set_proportions(self, release: str) -> Array:
        """The two sets' proportions (2, 2), released by a mechanism of `TIGHT`."""
        config = self.config
        mechanism = calibrate(release, config.epsilon, config.delta, self.counts, max(1, config.few[0]))
        return mechanism.randomise(self.counts, generator(config, COUNT_STREAM, _RELEASE_STREAMS[release]))


# A method turns what is released into P(second class | x) of clean test records, (n,), or into a share.
Solve = Callable[[People], Any]


def _spread(people: People, channel: Any, names: NDArray, prior: Any = "learned") -> SpreadLogisticRegression:
    """The one likelihood: whatever names were released of people, T[name | class] is all that it needs."""
    # A channel that says little leaves a gradient that is small everywhere.
    tol = 1e-4 * contrast(channel)
    return SpreadLogisticRegression(channel, people.config.pixels, prior, C="cv", tol=tol).fit(people.released, names)


def _lies(people: People, prior: Any = "learned") -> SpreadLogisticRegression:
    return _spread(people, people.config.flips.channel_matrix, people.lies, prior)


def _lies_flat(people: People) -> SpreadLogisticRegression:
    return _lies(people, "flat")


def _lies_true(people: People) -> SpreadLogisticRegression:
    return _lies(people, people.true_prior)


def _bag_names(people: People) -> SpreadLogisticRegression:
    return _spread(people, bag_channel(people.bag_shares, np.bincount(people.bags)), people.bags)


def _set_names(release: str) -> Callable[[People], SpreadLogisticRegression]:
    def fitted(people: People) -> SpreadLogisticRegression:
        channel = name_channel(people.set_proportions(release), np.bincount(people.sets))
        return _spread(people, channel, people.sets)

    return fitted


def _clean(people: People) -> NaiveLogisticRegression:
    return NaiveLogisticRegression(people.config.pixels, C="cv").fit(people.clean, people.y)


def _naive(people: People) -> NaiveLogisticRegression:
    return NaiveLogisticRegression(people.config.pixels, C="cv").fit(people.released, people.lies)


def _reconstruction(people: People) -> ReconstructionLogisticRegression:
    config = people.config
    return ReconstructionLogisticRegression(config.flips, config.pixels, C="cv").fit(people.released, people.lies)


def _slides(people: People) -> LabelProportionClassifier:
    model = LabelProportionClassifier(C="cv", cv=min(N_FOLDS, len(people.bag_shares)))
    return model.fit(people.unit(people.released), people.bags, people.bag_shares)


def _classify(fitted: Callable[[People], Any]) -> Solve:
    return lambda people: fitted(people).predict_proba(people.X_test)[:, 1]


def _slides_classify(people: People) -> Array:
    return _slides(people).predict_proba(people.unit(people.X_test))[:, 1]


def _slides_count(people: People) -> float:
    """Classify and count."""
    return float(_slides(people).predict(people.unit(people.asked)).mean())


def _names_to_share(make: Callable[[], Any], names_of: Callable[[People], tuple[NDArray, Array]]) -> Solve:
    """The share by an estimator of class ratios, to which whatever names people have are sets.

    `names_of(people)` are the names (n,) and the proportions (names, 2) of the classes among the people of each.
    """

    def solve(people: People) -> float:
        X = people.unit(people.released)
        names, proportions = names_of(people)
        model = make().fit([X[np.flatnonzero(names == name)] for name in range(len(proportions))], proportions)
        return float(model.predict(people.unit(people.asked))[1])

    return solve


def _lie_names(people: People) -> tuple[NDArray, Array]:
    """Of those who say so, how many are: by Bayes' rule, as there are as many of either class."""
    channel = people.config.flips.channel_matrix
    return people.lies, channel / channel.sum(axis=1, keepdims=True)


def _bag_shares(people: People) -> tuple[NDArray, Array]:
    return people.bags, np.stack((1 - people.bag_shares, people.bag_shares), axis=1)


def _set_shares(release: str) -> Callable[[People], tuple[NDArray, Array]]:
    return lambda people: (people.sets, people.set_proportions(release))


def _ceiling(people: People) -> float:
    """The same with the true labels of clean records."""
    X = people.unit(people.clean)
    model = SpreadClassRatio().fit([X[np.flatnonzero(people.y == label)] for label in range(2)], np.eye(2))
    return float(model.predict(people.unit(people.asked_clean))[1])


def _count_lies(estimator: Callable[..., Array]) -> Solve:
    """What the people asked about tell themselves, read by an estimator of votes."""

    def solve(people: People) -> float:
        p = people.config.flips.flip_prob
        return float(estimator(np.array([people.asked_lies.mean()]), BinaryChannel(p, p))[0])

    return solve


# The tight releases of counts, by the end of a method's name.
TIGHT = {"laplace": "laplace tight", "gaussian": "gaussian tight", "dirichlet": "dirichlet public"}


# How each method solves each task that it can.
_SOLVE: dict[str, dict[str, Solve]] = {
    CLEAN: {CLASSIFY: _classify(_clean), SHARE: _ceiling},
    COUNT_NAIVE: {SHARE: _count_lies(votes.naive)},
    CORRECTED_COUNT: {SHARE: _count_lies(votes.corrected_mle)},
    NAIVE: {CLASSIFY: _classify(_naive)},
    RECONSTRUCTION: {CLASSIFY: _classify(_reconstruction)},
    SPREAD: {CLASSIFY: _classify(_lies), SHARE: _names_to_share(SpreadClassRatio, _lie_names)},
    FLAT: {CLASSIFY: _classify(_lies_flat)},
    TRUE: {CLASSIFY: _classify(_lies_true)},
    LLP: {CLASSIFY: _slides_classify, SHARE: _slides_count},
    BAG_NAMES: {CLASSIFY: _classify(_bag_names), SHARE: _names_to_share(SpreadClassRatio, _bag_shares)},
}
for _noise, _release in TIGHT.items():
    _shares = _set_shares(_release)
    _SOLVE[set_names(_noise)] = {
        CLASSIFY: _classify(_set_names(_release)),
        SHARE: _names_to_share(SpreadClassRatio, _shares),
    }
    _SOLVE[mmd(_noise)] = {SHARE: _names_to_share(MMDClassRatio, _shares)}


def solves(method: str, task: str) -> bool:
    """Whether a method can do a task."""
    return task in _SOLVE[method]


@dataclass(frozen=True)
class Fit:
    """One method on one draw: its `marks` by metric, seconds to learn and answer, and why there is none, if so.

    `settled`: whether its optimiser came to its end; marks of one that did not are marks all the same.
    """

    method: str
    marks: dict[str, float]
    seconds: float
    problem: str = ""
    settled: bool = True


@dataclass(frozen=True)
class Draw:
    """All methods on one draw of people."""

    config: ComparisonConfig
    fits: dict[str, Fit]


def run(config: ComparisonConfig) -> Draw:
    """Draw the people, release their data in every way, and let every method learn and answer.

    A method whose noise cannot meet (ε, δ), or that has nothing to learn from, has a `problem` in place of marks.
    Raises ``ValueError`` for more people than the data set has.
    """
    people = draw_people(config)
    return Draw(config, {name: _tried(name, people) for name in config.chosen})


def _tried(name: str, people: People) -> Fit:
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ConvergenceWarning)
            found = _SOLVE[name][people.config.task](people)
    except ValueError as error:
        return Fit(name, {}, time.perf_counter() - start, str(error))
    seconds = time.perf_counter() - start
    settled = not any(issubclass(warning.category, ConvergenceWarning) for warning in said)
    if people.config.task == SHARE:
        return Fit(name, {"error": abs(found - people.share)}, seconds, settled=settled)
    y = people.y_test
    marks = {"accuracy": accuracy_score(y, found > 0.5), "log_loss": log_loss(y, found, labels=[0, 1])}
    marks["brier"] = brier_score_loss(y, found)
    return Fit(name, {metric: float(mark) for metric, mark in marks.items()}, seconds, settled=settled)


@kept_by_name(maxsize=len(BINARY))
def _records(dataset: Source) -> Dataset:
    return binary_records(dataset)


def sizes(dataset: Source) -> tuple[int, int]:
    """The most people of each class to learn from, and how many records of each are kept for testing."""
    y, boundary = _records(dataset).y, _records(dataset).n_train
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


def draw_people(config: ComparisonConfig) -> People:
    """The people of one draw, and what is released of them; errors as in `run`."""
    check(config)
    dataset, n = _records(config.dataset), config.n_train
    train, test = _split(dataset, n, sizes(config.dataset)[1], generator(config, PEOPLE_STREAM))
    y, y_test = dataset.y[train], dataset.y[test]
    pixels, flips = config.pixels, config.flips
    rng = generator(config, LIE_STREAM)
    lies = flips.randomise(y, rng)

    rng = generator(config, ASKED_STREAM)
    n_second = round(config.share * config.n_asked)
    asked = np.concatenate(
        [
            rng.choice(pool, size, replace=size > len(pool))
            for pool, size in ((test[y_test == 0], config.n_asked - n_second), (test[y_test == 1], n_second))
        ]
    )
    # Whoever stands for several answers once, and has one noisy record.
    there, place = np.unique(asked, return_inverse=True)
    asked_lies = flips.randomise(dataset.y[there], rng)[place]

    def values(rows: NDArray[np.intp]) -> Any:
        return dataset.X[rows] if pixels else dataset.unit(rows)

    clean, asked_clean = values(train), values(there)
    rng = generator(config, PIXEL_STREAM)
    released = pixels.randomise(clean, rng) if pixels else clean
    asked_released = pixels.randomise(asked_clean, rng) if pixels else asked_clean

    bags = np.empty(len(train), dtype=np.intp)
    n_bags = len(train) // config.bag_size
    bags[generator(config, BAG_STREAM).permutation(len(train))] = np.arange(len(train)) % n_bags
    bag_sizes = np.bincount(bags)
    noisy = noisy_proportions(
        np.bincount(bags, y) / bag_sizes, bag_sizes, config.epsilon, generator(config, BAG_NOISE_STREAM)
    )
    sets, counts = _sets(config, y, generator(config, SET_STREAM))
    return People(
        config=config,
        clean=clean,
        released=released,
        y=y,
        lies=lies,
        bags=bags,
        bag_shares=_inside(project_proportions(noisy), int(bag_sizes.max())),
        sets=sets,
        counts=counts,
        X_test=values(test),
        y_test=y_test,
        asked=asked_released[place],
        asked_clean=asked_clean[place],
        asked_lies=asked_lies,
        share=n_second / config.n_asked,
        true_prior=_true_prior(pixels, clean),
    )


def _split(
    dataset: Dataset, n_train: int, n_test: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows to test on, so many of each class, in random order within a class."""
    parts: tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]] = ([], [])
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


def _sets(
    config: ComparisonConfig, y: NDArray[np.integer], rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Every person's set and the counts (2, 2) of both; people of a class come in random order."""
    few = int(rng.integers(*config.few, endpoint=True))
    names = y.astype(np.intp)
    for label in range(2):
        names[np.flatnonzero(y == label)[:few]] = 1 - label
    counts = np.full((2, 2), few)
    np.fill_diagonal(counts, config.n_train - few)
    return names, counts


def _inside(shares: Array, bag_size: int) -> Array:
    """Shares of which some record of either class is left: where noise has left none, half a record in every bag."""
    half = 0.5 / bag_size
    return shares if 0 < shares.mean() < 1 else np.clip(shares, half, 1 - half)


def _true_prior(pixels: RandomisedResponse | None, clean: Any) -> Any:
    if pixels is None:
        return None
    return pixel_priors.true_prior(pixels, pixel_priors.state_frequencies(clean, pixels.n_states))


# --- many draws ----------------------------------------------------------------------------------


def record_epsilon(config: ComparisonConfig) -> float:
    """The ε of a whole record at δ = `RECORD_DELTA`: the label's and, where they are private too, all pixels'.

    Infinite where records are released as they are.
    """
    pixels = config.pixels
    if pixels is None:
        return math.inf
    n_pixels = _records(config.dataset).X.shape[1]
    return config.epsilon + pixels.epsilon_at(RECORD_DELTA, n_pixels)


def example_channels(config: ComparisonConfig) -> dict[str, list[list[float]]]:
    """T[released | class] of the three kinds of names in the first draw, by what they are.

    Without sets where no Gaussian noise meets (ε, δ).
    """
    people = draw_people(replace(config, draw=0))
    found = {
        "lies": config.flips.channel_matrix,
        "bag names": bag_channel(people.bag_shares, np.bincount(people.bags)),
    }
    with suppress(ValueError):  # no noise of its kind meets (ε, δ)
        found["set names"] = name_channel(people.set_proportions(TIGHT["gaussian"]), np.bincount(people.sets))
    return {name: matrix.tolist() for name, matrix in found.items()}


def mark(draws: Sequence[Draw], method: str, metric: str) -> Estimate | None:
    """A method's mean mark with a 95 % interval over draws; None where fewer than two draws have one."""
    values = [fit.marks[metric] for draw in draws if (fit := draw.fits.get(method)) and not fit.problem]
    return mean_interval(values, *RANGES[metric]) if len(values) > 1 else None
