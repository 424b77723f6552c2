"""Sets whose class proportions are known, or released privately: how well is the mixture of another set found?"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import PredefinedSplit
from threadpoolctl import threadpool_limits

from privdemo import datasets, limits
from privdemo.datasets import Dataset, Source, kept_by_name
from privdemo.estimators.class_ratio import ClassRatioEstimator
from privdemo.estimators.label_proportions import LabelProportionClassifier
from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.proportion_svm import ProportionSVM
from privdemo.estimators.set_names import ClassifyAndCount, SetIdentityClassRatio, SpreadClassRatio
from privdemo.estimators.sets import span_problem
from privdemo.experiments.draws import generator, stream
from privdemo.intervals import Estimate, grouped_interval, mean_interval
from privdemo.mechanisms.aggregation import Matrix
from privdemo.mechanisms.label_counts import RELEASES, CountRelease, calibrate
from privdemo.methods import CLASS_RATIO, COUNT, EM, IDENTITY, MMD, PCC, PSVM, RFF, SPREAD, check_methods
from privdemo.tasks import DIGITS, counting_task

Array = NDArray[np.floating]

# This share of the records of every class is kept for the sets that are asked about.
TEST_SHARE = 0.3
# Shares of the first class in the sets that are asked about, as in the paper's figures 2 and 3.
SHARES = tuple(tenth / 10 for tenth in range(1, 10))
# Random Fourier features in the place of the exact kernel.
N_FEATURES = 1500
# Records of the training sets whose labels the adversary guesses at most, and test records that are named.
N_ATTACKED = 2000
NO_RELEASE = "none"
# The largest L1 distance of two mixes.
MOST_DISTANCE = 2.0


# Records in a set that suit a data set's size.
_SET_SIZES = {"mnist": 600, "digits": 120, "adult": 600, "sms": 300, "breast_cancer": 80}
# Fixed numbers of the random streams of a draw.
RECORD_STREAM, NOISE_STREAM, TEST_STREAM, ATTACK_STREAM, ESTIMATOR_STREAM = range(5)


def default_set_size(dataset: Source) -> int:
    """How many records in a set suit the size of a data set: of a visitor's own, 600 or all of the smallest class."""
    if isinstance(dataset, str):
        return _SET_SIZES[dataset]
    smallest = math.floor((1 - TEST_SHARE) * np.bincount(dataset.y).min())
    return max(int(limits.SET_SIZE.low), min(600, smallest))


# Methods that see every record's label: what the others are measured against.
LABELLED = (EM, PCC)


@dataclass(frozen=True)
class RatioConfig:
    """Training sets with their proportions, what is released of those, and the set that is asked about.

    `copies` sets of `set_size` records have the proportions (ρ, …, ρ, 1 − (c − 1)ρ), with every class in turn as the
    common one; as many again are for choosing settings. Of the `n_test` records that are asked about `share` are of
    the first class and the others of the other classes alike; None: proportions drawn at random from all. `bandwidth`
    of MMD is a multiple of the median heuristic, None chosen. `release` of the sets' counts is one of `RELEASES` or
    "none". `draw` counts the repeats: other records, other noise.
    """

    dataset: Source = "mnist"
    n_classes: int = 3
    set_size: int = 600
    copies: int = 1
    rho: float = 0.1
    n_test: int = 600
    share: float | None = 0.5
    bandwidth: float | None = None
    release: str = NO_RELEASE
    epsilon: float = 0.05
    delta: float = 0.05
    n_min: int = 25
    methods: tuple[str, ...] = (SPREAD, MMD, IDENTITY, EM)
    seed: int = 0
    draw: int = 0

    def __post_init__(self) -> None:
        if self.release not in (NO_RELEASE, *RELEASES):
            raise ValueError(f"release must be one of {', '.join((NO_RELEASE, *RELEASES))}, got {self.release!r}")
        task = counting_task(self.dataset)
        limits.Limit("n_classes", 2, len(task.classes), f"{task.title} has no more", integer=True).check(self.n_classes)
        for limit, value in (
            (limits.SET_SIZE, self.set_size),
            (limits.COPIES, self.copies),
            (limits.RHO, self.rho),
            (limits.N_TEST, self.n_test),
            (limits.RELEASE_EPSILON, self.epsilon),
            (limits.RELEASE_DELTA, self.delta),
            (limits.N_MIN, self.n_min),
            (limits.SEED, self.seed),
            (limits.DRAW, self.draw),
        ):
            limit.check(value)
        if self.share is not None:
            limits.SHARE.check(self.share)
        if self.bandwidth is not None:
            limits.BANDWIDTH.check(self.bandwidth)
        check_methods(self.methods, CLASS_RATIO)
        if PSVM in self.methods and self.n_classes > 2:
            raise ValueError(f"∝SVM tells two classes apart, not {self.n_classes}; leave it out, or take two classes")
        if self.rho * self.n_classes >= 1 - 1e-9:
            raise ValueError(
                f"the share ρ (rho) must be below 1/{self.n_classes} = {1 / self.n_classes:.4g}, at which all sets are "
                f"alike and nothing tells {self.n_classes} classes apart (assumption A0 fails), got {self.rho:g}; "
                "lower it"
            )
        few = round(self.rho * self.set_size)
        if self.set_size <= self.n_classes * few:
            raise ValueError(
                f"rho = {self.rho:g} of {self.set_size} records is {few} of each class, so that no class is the "
                f"common one "
                "of a set and nothing tells classes apart (assumption A0 fails); lower rho, or take larger sets"
            )

    @property
    def private(self) -> bool:
        """Whether counts are released with noise."""
        return self.release != NO_RELEASE

    @property
    def pure(self) -> bool:
        """Whether every set is of one class, as where ρ is less than half a record: its counts are its labels."""
        return bool((np.count_nonzero(self.counts(), axis=1) == 1).all())

    @property
    def chosen_classes(self) -> tuple[str, ...]:
        """The classes by name: 7 and 9 where there are two digits, as they are the hardest to tell apart."""
        classes = counting_task(self.dataset).classes
        return ("7", "9") if classes is DIGITS and self.n_classes == 2 else classes[: self.n_classes]

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes as charts name them."""
        task = counting_task(self.dataset)
        return tuple(task.labels[task.classes.index(name)] for name in self.chosen_classes)

    def counts(self) -> NDArray[np.int64]:
        """Records of each class in each of the training sets, (copies · c, c)."""
        c = self.n_classes
        few = round(self.rho * self.set_size)
        one_of_each = np.full((c, c), few) + np.eye(c, dtype=int) * (self.set_size - c * few)
        return np.tile(one_of_each, (self.copies, 1))


class Group(NamedTuple):
    """Sets of records: the rows of each in the data set, and their true proportions (M, c)."""

    rows: tuple[NDArray[np.intp], ...]
    proportions: Array


class Drawn(NamedTuple):
    """One draw of records: two groups of training sets, and a pool of test records for every class."""

    dataset: Dataset
    training: Group
    tuning: Group
    pools: tuple[NDArray[np.intp], ...]


@dataclass(frozen=True)
class Fit:
    """One method on one draw: proportions it finds for the own set (c,), L1 errors along `SHARES`, seconds to train
    (nan where a kernel was there already)."""

    method: str
    found: tuple[float, ...]
    errors: tuple[float, ...]
    seconds: float


class Attack(NamedTuple):
    """How often the label of a record in the training sets is named, of `n`, and `accuracy` on new records.

    By the set's released proportions alone (its most common class), by the model of spread alone, and by both.
    """

    n: int
    by_set: int
    by_model: int
    by_both: int
    n_new: int
    new_right: int


@dataclass(frozen=True, eq=False)
class Draw:
    """All methods on one draw.

    `truth` (c,) of the own set; `proportions` (M, c) of the training sets and `released` ones; `distortion`, the mean
    L1 distance of the two. `noise` in words, and whether it `holds` (ε, δ) without a look at private counts, for a
    record in one set; `most_sets` that one record is in. `problem` is why released proportions cannot tell the classes
    apart, if so. Of MMD: `condition_number` Q, Theorem 1's `bound` (of true counts: noise would need a further term),
    and the `factor` of its bandwidth.
    """

    config: RatioConfig
    truth: tuple[float, ...]
    fits: dict[str, Fit]
    proportions: Array
    released: Array
    distortion: float
    noise: str
    holds: bool
    most_sets: int
    problem: str | None
    condition_number: float
    bound: float
    factor: float
    attack: Attack | None


@kept_by_name(maxsize=4)
def records(dataset: Source, classes: tuple[str, ...]) -> Dataset:
    """The records of some classes."""
    return datasets.load(dataset).select_classes(classes)


def most_records(config: RatioConfig) -> int:
    """The largest set size for which no set holds a record twice: the smallest class's training pool."""
    y = records(config.dataset, config.chosen_classes).y
    return math.floor((1 - TEST_SHARE) * np.bincount(y).min())


def check(config: RatioConfig) -> None:
    """Raise ``ValueError`` where the data set is too small for the sets, or their counts cannot be released so."""
    most, wanted = most_records(config), config.set_size * config.copies
    if wanted > most:
        raise ValueError(
            "set_size times copies, the records in a set times the sets of each kind, must be at most "
            f"{most:,} for {counting_task(config.dataset).title}, whose smallest class has no more records to train "
            f"on, got {wanted:,}; take smaller or fewer sets"
        )
    if config.private:
        calibrate(config.release, config.epsilon, config.delta, config.counts(), config.n_min)


def drawn(config: RatioConfig) -> Drawn:
    """The records of one draw.

    Of every class `TEST_SHARE` are kept for testing; the others fill the sets in turn, each once before any serves
    again, so that no set holds a record twice and two sets share some only where the class has too few.
    """
    check(config)
    dataset = records(config.dataset, config.chosen_classes)
    rng = generator(config, RECORD_STREAM)
    queues, pools = [], []
    for c in range(config.n_classes):
        order = rng.permutation(np.flatnonzero(dataset.y == c))
        n_train = math.floor((1 - TEST_SHARE) * len(order))
        queues.append(_Queue(order[:n_train], rng))
        pools.append(order[n_train:])
    counts = config.counts()
    groups = [
        Group(
            tuple(
                rng.permutation(np.concatenate([queue.take(n) for queue, n in zip(queues, row, strict=True)]))
                for row in counts
            ),
            counts / config.set_size,
        )
        for _ in range(2)
    ]
    return Drawn(dataset, groups[0], groups[1], tuple(pools))


class _Queue:
    """Records of a class in random order, taken in turn; those that were taken come again after all others."""

    def __init__(self, rows: NDArray[np.intp], rng: np.random.Generator) -> None:
        self.rows, self.rng, self.next = rows, rng, 0

    def take(self, n: int) -> NDArray[np.intp]:
        if self.next + n > len(self.rows):
            taken, left = np.split(self.rows, [self.next])
            self.rows, self.next = np.concatenate((left, self.rng.permutation(taken))), 0
        self.next += n
        return self.rows[self.next - n : self.next]


def asked_set(
    config: RatioConfig, sample: Drawn, share: float | None, rng: np.random.Generator
) -> tuple[Matrix, Array]:
    """A set of `n_test` test records with `share` of the first class, and its proportions (c,).

    A record comes twice only where its class has too few. None: proportions from the uniform distribution on the
    simplex, the same in every draw.
    """
    c = config.n_classes
    if share is None:
        wanted = np.random.default_rng((config.seed, 1)).dirichlet(np.ones(c))
    else:
        wanted = np.append(share, np.full(c - 1, (1 - share) / (c - 1)))
    counts = rounded(wanted * config.n_test)
    rows = [rng.choice(pool, n, replace=n > len(pool)) for pool, n in zip(sample.pools, counts, strict=True)]
    return as_input(sample.dataset, np.concatenate(rows)), counts / config.n_test


def rounded(values: Array) -> NDArray[np.int64]:
    """Whole numbers next to `values`, with the same (whole) sum: the largest remainders are rounded up."""
    low = np.floor(values + 1e-9).astype(np.int64)
    up = np.argsort(low - values, kind="stable")[: round(float(values.sum())) - int(low.sum())]
    low[up] += 1
    return low


def as_input(dataset: Dataset, rows: NDArray[np.intp]) -> Matrix:
    """Records on the scale 0 to 1, in single precision."""
    return dataset.unit(rows, np.float32)


def release(config: RatioConfig, sample: Drawn) -> tuple[Array, Array, CountRelease | None]:
    """The proportions of training and tuning sets as they are released, (M, c) each, and by what mechanism.

    Raises ``ValueError`` where the release is not possible: see `label_counts.calibrate`.
    """
    true = sample.training.proportions, sample.tuning.proportions
    if not config.private:
        return *true, None
    counts = config.counts()
    mechanism = calibrate(config.release, config.epsilon, config.delta, counts, config.n_min)
    rng = generator(config, NOISE_STREAM)
    return mechanism.randomise(counts, rng), mechanism.randomise(counts, rng), mechanism


def run(config: RatioConfig) -> Draw:
    """Draw the sets, release their proportions, fit every method, and ask for sets of known proportions.

    Raises ``ValueError`` where sets are too large for the data set or counts cannot be released so.
    """
    return run_releases(config, (config.release,))[0]


@threadpool_limits.wrap(limits=1, user_api="blas")
def run_releases(config: RatioConfig, releases: Sequence[str]) -> list[Draw]:
    """`run` with each of `releases` on the same records, for which a kernel is computed once.

    Always in one thread, for the same numbers everywhere.
    """
    sample, rng = drawn(config), generator(config, TEST_STREAM)
    asked = [asked_set(config, sample, share, rng) for share in (config.share, *SHARES)]
    kernels: dict[str, _Kernel] = {}
    return [_run(replace(config, release=name), sample, asked, kernels) for name in releases]


class _Kernel(NamedTuple):
    """MMD fitted to some sets, and similarities of asked sets by their number and the bandwidth."""

    model: MMDClassRatio
    similar: dict[tuple[int, float], Array]


def _run(
    config: RatioConfig, sample: Drawn, asked: Sequence[tuple[Matrix, Array]], kernels: dict[str, _Kernel]
) -> Draw:
    """All methods on one release."""
    training, tuning, mechanism = release(config, sample)
    problem = span_problem(np.concatenate((training, tuning)))
    fits, models = {}, {}
    for name in dict.fromkeys(config.methods):
        start = time.perf_counter()
        if name in kernels:
            model, start = kernels[name].model.reweigh(training, tuning), math.nan
        else:
            model = fit(name, config, sample, training, tuning)
        seconds = time.perf_counter() - start
        if isinstance(model, MMDClassRatio):
            similar = kernels.setdefault(name, _Kernel(model, {})).similar
            for i, (U, _) in enumerate(asked):
                if (i, model.factor_) not in similar:
                    similar[i, model.factor_] = model.similarities(U)
            found = [model.project(model.from_similarities(similar[i, model.factor_])) for i in range(len(asked))]
        else:
            found = [model.predict(U) for U, _ in asked]
        errors = [distance(p, truth) for p, (_, truth) in zip(found, asked, strict=True)]
        models[name] = model
        fits[name] = Fit(name, tuple(found[0].tolist()), tuple(errors[1:]), seconds)
    mmd = models.get(MMD, models.get(RFF))
    return Draw(
        config=config,
        truth=tuple(asked[0][1].tolist()),
        fits=fits,
        proportions=sample.training.proportions,
        released=training,
        distortion=float(np.abs(training - sample.training.proportions).sum(axis=1).mean()),
        noise=mechanism.noise if mechanism else "none",
        holds=mechanism is not None
        and not RELEASES[config.release].data_dependent
        and mechanism.delta_at(config.epsilon) <= config.delta * (1 + 1e-9),
        most_sets=int(
            np.unique(np.concatenate(sample.training.rows + sample.tuning.rows), return_counts=True)[1].max()
        ),
        problem=problem,
        condition_number=mmd.condition_number_ if mmd else math.nan,
        bound=mmd.bound(config.n_test) if mmd and not config.private else math.nan,
        factor=mmd.factor_ if mmd else math.nan,
        attack=_attack(config, sample, models[SPREAD], training) if SPREAD in models else None,
    )


def fit(name: str, config: RatioConfig, sample: Drawn, training: Array, tuning: Array) -> Any:
    """A method fitted to the sets with these proportions; those with all labels to one set of each class."""
    seed = int(stream(config, ESTIMATOR_STREAM).generate_state(1)[0])
    if name in LABELLED:
        pure = [_by_class(sample, group) for group in (sample.training, sample.tuning)]
        sure = np.eye(config.n_classes)
        return SpreadClassRatio(correct=name == EM).fit(pure[0], sure, pure[1], sure)
    sets = [[as_input(sample.dataset, rows) for rows in group.rows] for group in (sample.training, sample.tuning)]
    by_group = PredefinedSplit(np.repeat([0, 1], [len(training), len(tuning)]))  # either group holds every mix
    bandwidth = "cv" if config.bandwidth is None else config.bandwidth
    estimators: dict[str, ClassRatioEstimator] = {
        MMD: MMDClassRatio(bandwidth, random_state=seed),
        RFF: MMDClassRatio(bandwidth, N_FEATURES, random_state=seed),
        SPREAD: SpreadClassRatio(random_state=seed),
        IDENTITY: SetIdentityClassRatio(random_state=seed),
        COUNT: ClassifyAndCount(LabelProportionClassifier(C="cv", cv=by_group)),
        PSVM: ClassifyAndCount(ProportionSVM(random_state=seed)),
    }
    return estimators[name].fit(sets[0], training, sets[1], tuning)


def _by_class(sample: Drawn, group: Group) -> list[Matrix]:
    """The records of a group of sets, one matrix for each class."""
    rows = np.concatenate(group.rows)
    y = sample.dataset.y[rows]
    return [as_input(sample.dataset, rows[y == c]) for c in range(len(sample.pools))]


def distance(found: Array, truth: Array) -> float:
    """The L1 distance of two proportions (c,), from 0 to 2."""
    return float(np.abs(np.asarray(found) - truth).sum())


def _attack(config: RatioConfig, sample: Drawn, spread: SpreadClassRatio, released: Array) -> Attack:
    """How often labels of training records are named, by somebody who knows a record's x and its set."""
    rng = generator(config, ATTACK_STREAM)
    names = np.repeat(np.arange(len(sample.training.rows)), [len(rows) for rows in sample.training.rows])
    rows = np.concatenate(sample.training.rows)
    some = rng.permutation(len(rows))[:N_ATTACKED]
    y, in_set = sample.dataset.y[rows[some]], released[names[some]]
    inside = as_input(sample.dataset, rows[some])
    proba = spread.predict_proba(inside)
    new = np.concatenate([pool[rng.permutation(len(pool))[: N_ATTACKED // config.n_classes]] for pool in sample.pools])
    named = spread.predict_proba(as_input(sample.dataset, new)).argmax(axis=1)

    def right(scores: Array) -> int:
        return int((scores.argmax(axis=1) == y).sum())

    return Attack(
        n=len(some),
        by_set=right(in_set),
        by_model=right(proba),
        by_both=right(spread.predict_proba_in(inside, in_set)),
        n_new=len(new),
        new_right=int((named == sample.dataset.y[new]).sum()),
    )


# --- many draws ----------------------------------------------------------------------------------


def share_of(draws: Sequence[Draw], method: str, c: int) -> Estimate:
    """The share of class `c` that a method finds in the own set, with a 95 % interval over draws."""
    return mean_interval([draw.fits[method].found[c] for draw in draws], 0.0, 1.0)


def error(draws: Sequence[Draw], method: str) -> Estimate:
    """A method's L1 error on the own set."""
    return mean_interval(
        [distance(np.array(draw.fits[method].found), np.array(draw.truth)) for draw in draws], 0.0, MOST_DISTANCE
    )


def error_along(draws: Sequence[Draw], method: str, place: int) -> Estimate:
    """A method's L1 error at `SHARES`[place]."""
    return mean_interval([draw.fits[method].errors[place] for draw in draws], 0.0, MOST_DISTANCE)


def mean_error(draws: Sequence[Draw], method: str) -> Estimate:
    """A method's L1 error, the mean over `SHARES`."""
    return mean_interval([float(np.mean(draw.fits[method].errors)) for draw in draws], 0.0, MOST_DISTANCE)


def difference(draws: Sequence[Draw], method: str, other: str) -> Estimate:
    """How much more error `method` has than `other` on the same draws, the mean over `SHARES`."""
    gaps = [np.mean(draw.fits[method].errors) - np.mean(draw.fits[other].errors) for draw in draws]
    return mean_interval([float(gap) for gap in gaps])


def features_gap(draws: Sequence[Draw]) -> Estimate:
    """How far the shares that random features find are from those of the exact kernel: the L1 distance, own set."""
    return mean_interval([distance(np.array(d.fits[RFF].found), np.array(d.fits[MMD].found)) for d in draws])


def attack(draws: Sequence[Draw]) -> dict[str, Estimate]:
    """How often the adversary names a label: by the set, by the model, by both; and for records never seen."""
    attacks = [draw.attack for draw in draws if draw.attack]
    n = [a.n for a in attacks]
    rates = {
        "set": grouped_interval([a.by_set for a in attacks], n),
        "model": grouped_interval([a.by_model for a in attacks], n),
        "both": grouped_interval([a.by_both for a in attacks], n),
    }
    return rates | {"new": grouped_interval([a.new_right for a in attacks], [a.n_new for a in attacks])}


def table(draws: Sequence[Draw]) -> list[dict[str, Any]]:
    """Every method on every draw, as rows: the shares found, and errors along the test proportions."""
    rows = []
    for draw in draws:
        for method, found in draw.fits.items():
            shares = dict(zip(draw.config.labels, found.found, strict=True))
            errors = dict(zip(SHARES, found.errors, strict=True))
            rows.append(
                {"draw": draw.config.draw, "method": CLASS_RATIO[method].title, "seconds": round(found.seconds, 3)}
                | {f"true share of {c}": p for c, p in zip(draw.config.labels, draw.truth, strict=True)}
                | {f"share found of {c}": p for c, p in shares.items()}
                | {f"L1 error at {share:g}": e for share, e in errors.items()}
            )
    return rows
