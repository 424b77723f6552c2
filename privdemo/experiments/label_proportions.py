"""Records go into bags, each bag's proportion is released: how well can single records still be classified?"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from scipy.special import expit, logit, logsumexp
from scipy.stats import binom
from sklearn.metrics import f1_score

from privdemo import datasets, limits
from privdemo.datasets import Source, kept_by_name, name_of
from privdemo.estimators import label_proportions as llp
from privdemo.estimators.bags import Bags, gradient_at_zero, project_proportions, read_bags
from privdemo.estimators.label_proportions import (
    AlternatingMeanMapClassifier,
    BagNameClassifier,
    LabelProportionClassifier,
    MeanMapClassifier,
)
from privdemo.estimators.logistic import NaiveLogisticRegression
from privdemo.experiments.draws import generator
from privdemo.intervals import Estimate, grouped_interval, mean_interval
from privdemo.mechanisms import aggregation, bags
from privdemo.mechanisms.aggregation import Matrix, TooFewRecords
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES, check_methods
from privdemo.tasks import BINARY, binary_records, binary_task

Array = NDArray[np.floating]

# Where the publisher has no test part, this share of the records is kept for testing.
TEST_SHARE = 0.3
# Folds in which penalties are chosen, where there are as many bags.
N_FOLDS = 5
# With every label, weak penalties are the best, and what they gain is less than the usual tolerance.
FINE = 3e-5


# Bags, and records in each, that suit a data set's size.
_BAGS = {"adult": (100, 100), "sms": (60, 60), "breast_cancer": (15, 20), "mnist": (40, 50), "digits": (12, 20)}
# Columns in which two records can differ, where that is not all: one-hot columns of Adult's 14 attributes.
_CHANGES = {"adult": 28}
# Fixed numbers of the random streams of a draw.
SPLIT_STREAM, CHOICE_STREAM, GROUPING_STREAM, FEATURE_STREAM, PROPORTION_STREAM, GUESS_STREAM = range(6)


def default_bags(dataset: Source) -> tuple[int, int]:
    """How many bags, and how many records in each, suit the size of a data set.

    Of a visitor's own records half are in bags: as many bags as each has records, but no more than the slides' 100.
    """
    if isinstance(dataset, str):
        return _BAGS[dataset]
    side = int(max(limits.BAG_SIZE.low, min(100, math.isqrt(len(dataset.y) // 2))))
    return side, side


def changed_columns(dataset: Source) -> int | None:
    """The most columns in which two records can differ; None: all of them."""
    return _CHANGES.get(name_of(dataset)) if isinstance(dataset, str) else None


AGGREGATIONS = ("none", "random-k", "nearest-k", "k-tree")
_BAG_CLASSIFIERS = {
    NAMES: BagNameClassifier,
    LLP: LabelProportionClassifier,
    MEAN_MAP: MeanMapClassifier,
    ALTERNATING: AlternatingMeanMapClassifier,
}
SHARE, HALF = "share", "half"
THRESHOLDS = {SHARE: "matched to the share", HALF: "½"}
F1S = ("average", "positive", "negative")


@dataclass(frozen=True)
class BagConfig:
    """How records are put into bags and what is released of them.

    Records in k-means: `aggregation` of at least `k` (1: each record as it is). `feature_epsilon` of every column of
    every mean and `proportion_epsilon` of every label are those of Laplace noise, ∞ none. `draw` counts the repeats:
    another draw has other records, bags and noise. Full labels are always trained on as well, as the ceiling.
    """

    dataset: Source = "adult"
    n_bags: int = 100
    bag_size: int = 100
    selection: str = "iid"
    aggregation: str = "none"
    k: int = 1
    feature_epsilon: float = math.inf
    proportion_epsilon: float = math.inf
    methods: tuple[str, ...] = (FULL, LABELLED, NAMES, LLP, MEAN_MAP)
    seed: int = 0
    draw: int = 0

    def __post_init__(self) -> None:
        for limit, value in (
            (limits.N_BAGS, self.n_bags),
            (limits.BAG_SIZE, self.bag_size),
            (limits.K, self.k),
            (limits.NOISE_EPSILON, self.feature_epsilon),
            (limits.NOISE_EPSILON, self.proportion_epsilon),
            (limits.SEED, self.seed),
            (limits.DRAW, self.draw),
        ):
            limit.check(value)
        for name, choice, known in (
            ("selection", self.selection, tuple(bags.SELECTIONS)),
            ("aggregation", self.aggregation, AGGREGATIONS),
        ):
            if choice not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {choice!r}")
        binary_task(self.dataset)
        check_methods(self.methods, LABEL_PROPORTIONS)
        if self.aggregation == "none" and self.k > 1:
            raise ValueError(f"k must be 1 without an aggregation, got {self.k}; choose random-k, nearest-k or k-tree")
        most = self.bag_size // 2 if self.aggregation == "k-tree" else self.bag_size
        if self.k > max(1, most):
            what = "half a bag, as a bag needs two leaves" if self.aggregation == "k-tree" else "the records of a bag"
            raise ValueError(f"k must be at most {most}, {what}, got {self.k}; lower k or take larger bags")

    @property
    def single(self) -> bool:
        """Whether records are released as they are, without means or noise."""
        return self.k == 1 and math.isinf(self.feature_epsilon)

    @property
    def label_promise(self) -> bool:
        """Whether bags were filled without a look at labels, so that noise on proportions bounds what is given away."""
        return bags.SELECTIONS[self.selection].blind and (self.k == 1 or self.aggregation != "k-tree")

    @property
    def column_promise(self) -> bool:
        """Whether bags and groups were made without a look at the records, so that noise on columns does."""
        return bags.SELECTIONS[self.selection].blind and (self.k == 1 or self.aggregation == "random-k")


class Records(NamedTuple):
    """`X` (n, D) on the scale 0 to 1, sparse where it is mostly 0, and labels `y` (n,), 1 positive."""

    X: Matrix
    y: NDArray[np.integer]


class Release(NamedTuple):
    """What is released of one draw, and the truth behind it.

    `rows` (r, D) are k-means (or records) with noise, `counts` (r,) their records, `positives` (r,) how many of those
    are positive (not released), `names` (r,) their bags; `proportions` (B,) of the bags as released, perhaps outside
    [0, 1], and `true_proportions`. `records` are those in the bags, in `record_bags`; `test` those kept for testing.
    `loss` is the information loss, `least_labels` the fewest labels in a bag and in a group.
    """

    rows: Matrix
    counts: Array
    positives: Array
    names: NDArray[np.intp]
    proportions: Array
    true_proportions: Array
    records: Records
    record_bags: NDArray[np.intp]
    test: Records
    loss: float
    least_labels: tuple[int, int]

    @property
    def sizes(self) -> Array:
        """Records in each bag, (B,)."""
        return np.bincount(self.names, self.counts).astype(float)

    @property
    def projected(self) -> Array:
        """The nearest proportions in [0, 1] to those released, (B,).

        Where that would leave one class only, half a record from that end, in every bag alike.
        """
        share = project_proportions(self.proportions)
        half = 0.5 / float(self.sizes.max())
        return share if 0 < share.mean() < 1 else np.clip(share, half, 1 - half)

    @property
    def known_share(self) -> float:
        """The overall share of positives as released, projected once noise has averaged out."""
        return float(project_proportions(self.sizes @ self.proportions / self.sizes.sum()))


class F1(NamedTuple):
    """F1 of positives and negatives, and their average weighted by how common they are in the test records."""

    positive: float
    negative: float
    average: float


@dataclass(frozen=True)
class Fit:
    """One method on one draw: its F1 on clean test records with either threshold, its strength, its time to train."""

    method: str
    f1: dict[str, F1]
    C: float
    seconds: float


class Guess(NamedTuple):
    """A record's `bag`, whose released `proportion` and the model are all that an adversary goes by; its true `label`.

    `by_bag` and `by_both` are the probabilities of a positive that follow.
    """

    bag: int
    proportion: float
    by_bag: float
    by_both: float
    label: int


@dataclass(frozen=True)
class Attack:
    """How often the adversary names the label of a record in the bags, of `n`: see `_attack`.

    `exposed` records are in bags of one label only. `prior` is the overall share, `guesses` some examples.
    """

    n: int
    prior_right: int
    bag_right: int
    model_right: int
    both_right: int
    exposed: int
    prior: float
    guesses: tuple[Guess, ...]


@dataclass(frozen=True, eq=False)
class Draw:
    """All methods on one draw, and what the bags are like.

    `blocks` are the sizes of the groups in each bag, `proportions` and `true_proportions` as in `Release`, `turned` how
    far the slides' gradient at 0 has moved relative to its length, `identified` whether the proportions differ at all.
    """

    config: BagConfig
    fits: dict[str, Fit]
    blocks: tuple[tuple[int, ...], ...]
    proportions: Array
    true_proportions: Array
    loss: float
    least_labels: tuple[int, int]
    turned: float
    identified: bool
    n_test: int
    test_share: float
    attack: Attack

    @property
    def sizes(self) -> Array:
        """Records in each bag, (B,)."""
        return np.array([sum(block) for block in self.blocks], dtype=float)


@kept_by_name(maxsize=len(BINARY))
def records(dataset: Source) -> tuple[Records, int | None]:
    """The records of a task, and how many of them are the publisher's training part (None: there is none)."""
    chosen = binary_records(dataset)
    return Records(chosen.unit(), chosen.y), chosen.n_train


@kept_by_name(maxsize=len(BINARY))
def n_training(dataset: Source) -> int:
    """How many records can be put into bags."""
    chosen = binary_records(dataset)
    return chosen.n_train if chosen.n_train is not None else len(chosen.y) - round(TEST_SHARE * len(chosen.y))


def run(config: BagConfig) -> Draw:
    """Fill the bags, aggregate, add noise, train every method on what is released, and try each on clean test records.

    Raises `TooFewRecords` where the data set has too few records of the kind that the bags need.
    """
    released = release(config)
    fits: dict[str, Fit] = {}
    models: dict[str, Any] = {}
    for name in dict.fromkeys((FULL, *methods_of(config))):
        start = time.perf_counter()
        models[name] = _train(name, released)
        fits[name] = _tried(name, models[name], released, config.single, time.perf_counter() - start)
    before = gradient_at_zero(_as_bags(released.records, released.record_bags, released.true_proportions))
    after = gradient_at_zero(read_bags(released.rows, released.names, released.projected, released.counts))
    spy = next((models[name] for name in (NAMES, LLP, ALTERNATING, MEAN_MAP) if name in models), None)
    return Draw(
        config=config,
        fits=fits,
        blocks=tuple(
            tuple(released.counts[released.names == bag].astype(int).tolist()) for bag in range(len(released.sizes))
        ),
        proportions=released.proportions,
        true_proportions=released.true_proportions,
        loss=released.loss,
        least_labels=released.least_labels,
        turned=_relative(after - before, before),
        identified=bool(np.ptp(released.projected) >= 1e-9),
        n_test=len(released.test.y),
        test_share=float(released.test.y.mean()),
        attack=_attack(config, spy, released),
    )


def methods_of(config: BagConfig) -> tuple[str, ...]:
    """The methods that say something of their own: labels of k-means are full labels where nothing was changed."""
    return tuple(name for name in config.methods if not (config.single and name == LABELLED))


def release(config: BagConfig) -> Release:
    """Fill the bags of `config`, aggregate and add noise; errors as in `run`."""
    choice, grouping = generator(config, CHOICE_STREAM), generator(config, GROUPING_STREAM)
    train, test = _split(config, generator(config, SPLIT_STREAM))
    k, selection = config.k, bags.SELECTIONS[config.selection]
    tree = config.aggregation == "k-tree" and k > 1
    # The k-tree groups before bagging, so what is put into bags are groups of records; else single records are.
    units = aggregation.k_tree(train.X, train.y, k, grouping) if tree else np.arange(len(train.y))
    members, unit_size = np.argsort(units, kind="stable"), np.bincount(units)
    first = np.cumsum(unit_size) - unit_size
    part = np.zeros(len(unit_size), int)
    if selection.pools:
        sure = bags.positive_probability(train.X, train.y)
        part = bags.parts(np.bincount(units, sure) / unit_size)
    per_bag = max(1, round(config.bag_size / unit_size.mean()))
    chosen = bags.select(
        config.selection, train.y[members[first]], part, config.n_bags, max(per_bag, limits.BAG_SIZE.low), choice
    )
    in_bags = np.concatenate(chosen)
    rows = np.concatenate([members[first[u] : first[u] + unit_size[u]] for u in in_bags])
    group = np.repeat(np.arange(len(in_bags)), unit_size[in_bags])
    record_bags = bags.bag_names(chosen)[group]
    inside = Records(train.X[rows], train.y[rows])
    if len(np.unique(inside.y)) < 2:
        raise TooFewRecords(
            f"all {len(inside.y):,} records that came into the bags are "
            f"{binary_task(config.dataset).classes[inside.y[0]]}, and nothing can be learnt from one class; take "
            "larger or other bags, lower k, or change the seed"
        )
    if k > 1 and not tree:
        group = (
            aggregation.random_k(record_bags, k, grouping)
            if config.aggregation == "random-k"
            else aggregation.nearest_k(inside.X, record_bags, k, grouping)
        )
    counts = np.bincount(group)
    means = aggregation.group_means(inside.X, group)
    names = np.empty(len(counts), dtype=np.intp)
    names[group] = record_bags
    sizes = np.bincount(record_bags)
    true = np.bincount(record_bags, inside.y) / sizes
    noisy_rows: Matrix = means
    noisy: Array = true
    if math.isfinite(config.feature_epsilon):
        rng = generator(config, FEATURE_STREAM)
        noisy_rows = aggregation.noisy_means(means, counts, config.feature_epsilon, rng)
    if math.isfinite(config.proportion_epsilon):
        rng = generator(config, PROPORTION_STREAM)
        noisy = aggregation.noisy_proportions(true, sizes, config.proportion_epsilon, rng)
    labels = (
        int(bags.distinct_labels(inside.y, record_bags).min()),
        int(bags.distinct_labels(inside.y, group).min()),
    )
    return Release(
        rows=noisy_rows,
        counts=counts.astype(float),
        positives=np.bincount(group, inside.y).astype(float),
        names=names,
        proportions=noisy,
        true_proportions=true,
        records=inside,
        record_bags=record_bags,
        test=test,
        loss=aggregation.information_loss(inside.X, group),
        least_labels=labels,
    )


def _split(config: BagConfig, rng: np.random.Generator) -> tuple[Records, Records]:
    """The records to put into bags, and those to test on: the publisher's two parts, else drawn at random."""
    known, n_train = records(config.dataset)
    order = np.arange(len(known.y)) if n_train is not None else rng.permutation(len(known.y))
    n = n_training(config.dataset)
    if config.n_bags > n:
        raise ValueError(
            f"n_bags must be at most {n}, the records of {name_of(config.dataset)} to train on, got {config.n_bags}"
        )
    train, test = (Records(known.X[rows], known.y[rows]) for rows in (order[:n], order[n:]))
    return train, test


def _train(name: str, released: Release) -> Any:
    """A method fitted to what it may see; penalties are chosen in fewer folds where bags or records are few."""
    if name == FULL:
        X, y = released.records
        return NaiveLogisticRegression(C="cv", cv=min(N_FOLDS, len(y)), tol=FINE).fit(X, y)
    if name == LABELLED:
        X = vstack([released.rows] * 2, "csr") if issparse(released.rows) else np.concatenate([released.rows] * 2)
        y = np.repeat([0, 1], len(released.counts))
        weight = np.concatenate((released.counts - released.positives, released.positives))
        there = weight > 0
        folds = min(N_FOLDS, int(there.sum()))
        return NaiveLogisticRegression(C="cv", cv=folds, tol=FINE).fit(X[there], y[there], weight[there])
    folds = min(N_FOLDS, len(released.proportions))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "all bags have the same proportion")  # `Draw.identified` says so
        model = _BAG_CLASSIFIERS[name](C="cv", cv=folds)
        return model.fit(released.rows, released.names, released.projected, released.counts)


def _tried(name: str, model: Any, released: Release, single: bool, seconds: float) -> Fit:
    """A fitted model's marks on clean test records.

    Its threshold is ½; of `single` records it may also be moved so that the known share of them is named positive. Of
    k-means, whose scores lie closer together than those of records, that cannot be said.
    """
    scores, y = model.decision_function(released.test.X), released.test.y
    f1 = {HALF: _f1(y, scores > 0)}
    if single:
        # Who knows every label knows their share without noise.
        share = float(released.records.y.mean()) if name == FULL else released.known_share
        known = model.decision_function(released.rows)
        f1[SHARE] = _f1(y, scores > llp.matching_threshold(known, released.counts, share))
    return Fit(name, f1, model.C_, seconds)


def _f1(y: NDArray[np.integer], named: NDArray[np.bool_]) -> F1:
    negative, positive = f1_score(y, named, average=None, labels=[0, 1], zero_division=0.0)
    return F1(float(positive), float(negative), float(f1_score(y, named, average="weighted", zero_division=0.0)))


def _relative(change: Array, start: Array) -> float:
    """The length of `change` relative to `start`, 0 where nothing has changed."""
    length = float(np.linalg.norm(change))
    if not length:
        return 0.0
    return length / float(np.linalg.norm(start)) if start.any() else math.inf


def _as_bags(data: Records, names: NDArray[np.intp], proportions: Array) -> Bags:
    return read_bags(data.X, names, proportions, np.ones(len(names)))


def _attack(config: BagConfig, model: Any, released: Release) -> Attack:
    """The adversary knows a record, its bag, what was released of it, and a `model` trained on that.

    Before, its label is positive with the overall share of the bags, which is taken for known; its bag's proportion
    makes that `bag_posterior`; and the model's odds for the record multiply: odds = odds(x) · odds(bag) / odds(before).
    The likelier label is named.
    """
    y, sizes = released.records.y, released.sizes
    prior = float(y.mean())
    by_bag = bag_posterior(released.proportions, sizes, config.proportion_epsilon, prior)[released.record_bags]
    by_model = np.full(len(y), prior) if model is None else model.predict_proba(released.records.X)[:, 1]
    for_it, against = by_model * by_bag * (1 - prior), (1 - by_model) * (1 - by_bag) * prior
    with np.errstate(invalid="ignore"):
        by_both = np.where(for_it + against > 0, for_it / (for_it + against), by_bag)
    right = [int(((guess > 0.5) == y).sum()) for guess in (np.full(len(y), prior), by_bag, by_model, by_both)]
    one_label = (released.true_proportions == 0) | (released.true_proportions == 1)
    order = generator(config, GUESS_STREAM).permutation(len(y))
    some = np.concatenate([order[y[order] == label][:3] for label in (1, 0)])
    guesses = tuple(
        Guess(
            int(released.record_bags[i]),
            float(released.proportions[released.record_bags[i]]),
            float(by_bag[i]),
            float(by_both[i]),
            int(y[i]),
        )
        for i in some
    )
    return Attack(len(y), right[0], right[1], right[2], right[3], int(sizes[one_label].sum()), prior, guesses)


def bag_posterior(proportions: Array, sizes: Array, epsilon: float, prior: float) -> Array:
    """P(a record is positive | its bag's released proportion), (B,), records being positive with `prior` each.

    A bag of m has s + 1 positives if the record is one, else s, with s ~ Binomial(m − 1, prior), and Laplace noise of
    scale 1/(mε) on their share: the likelihood of both is a sum over s. Without noise it is the proportion itself.
    """
    if math.isinf(epsilon):
        return np.asarray(proportions, dtype=float)
    posterior = np.empty(len(proportions))
    for bag, (released, m) in enumerate(zip(proportions, np.asarray(sizes, dtype=int), strict=True)):
        others = np.arange(m)
        log_share = binom.logpmf(others, m - 1, prior)
        log_noise = [-epsilon * np.abs(m * released - others - own) for own in (0, 1)]  # |x| / b, b = 1/(mε)
        no, yes = (logsumexp(log_share + noise) for noise in log_noise)
        posterior[bag] = expit(logit(prior) + yes - no)
    return posterior


# --- what noise promises -------------------------------------------------------------------------


def record_epsilon(config: BagConfig) -> tuple[float, float]:
    """A whole record's ε by basic composition over all its columns, and over those that two records can differ in."""
    n_columns = datasets.load(config.dataset).X.shape[1]
    changes = changed_columns(config.dataset) or n_columns
    every, differing = (
        aggregation.record_epsilon(config.feature_epsilon, config.proportion_epsilon, n) for n in (n_columns, changes)
    )
    return every, differing


# --- many draws ----------------------------------------------------------------------------------


def score(draws: Sequence[Draw], method: str, which: str, threshold: str) -> Estimate:
    """A method's mean F1 over the draws, one of `F1S`, with a 95 % interval; of one draw the interval is unknown."""
    return mean_interval([getattr(draw.fits[method].f1[threshold], which) for draw in draws])


def all_negative(draws: Sequence[Draw]) -> F1:
    """The F1 of naming every test record negative: of share s positive, negatives get 2(1 − s)/(2 − s)."""
    share = float(np.mean([draw.test_share for draw in draws]))
    negative = 2 * (1 - share) / (2 - share)
    return F1(0.0, negative, (1 - share) * negative)


def difference(draws: Sequence[Draw], method: str, other: str, threshold: str) -> Estimate:
    """`method`'s average F1 less `other`'s on the same draws, with a 95 % interval."""
    return mean_interval([d.fits[method].f1[threshold].average - d.fits[other].f1[threshold].average for d in draws])


def attack_rates(draws: Sequence[Draw]) -> dict[str, Estimate]:
    """How often the label is named before, from the bag, from the model and from both, with 95 % intervals."""
    n = [draw.attack.n for draw in draws]
    return {
        source: grouped_interval([getattr(draw.attack, f"{source}_right") for draw in draws], n)
        for source in ("prior", "bag", "model", "both")
    }


def mean_of(draws: Sequence[Draw], field_name: str) -> Estimate:
    """The mean over the draws of one of the numbers that a `Draw` holds, with a 95 % interval."""
    return mean_interval([getattr(draw, field_name) for draw in draws])


def score_table(draws: Sequence[Draw]) -> list[dict[str, Any]]:
    """One row for each draw, method and threshold, for a CSV file."""
    return [
        {"draw": draw.config.draw, "method": fit.method, "threshold": threshold}
        | {f"f1_{which}": value for which, value in f1._asdict().items()}
        | {"C": fit.C, "seconds": fit.seconds, "information_loss": draw.loss}
        for draw in draws
        for fit in draw.fits.values()
        for threshold, f1 in fit.f1.items()
    ]


def bag_table(draw: Draw) -> list[dict[str, Any]]:
    """One row for each bag, for a CSV file."""
    return [
        {"bag": bag + 1, "size": sum(block), "groups": len(block), "proportion": true, "released": noisy}
        for bag, (block, true, noisy) in enumerate(
            zip(draw.blocks, draw.true_proportions.tolist(), draw.proportions.tolist(), strict=True)
        )
    ]
