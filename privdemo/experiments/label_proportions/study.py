"""The cost of bags, group means and their noise over many trials: the slides' tables, and F1 along each setting.

The results are shipped as one small CSV file; `python -m privdemo reproduce llp` computes it again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from privdemo.datasets import name_of
from privdemo.experiments.label_proportions.config import AGGREGATIONS, F1S, HALF, BagConfig, default_bags
from privdemo.experiments.label_proportions.fit import F1, run
from privdemo.experiments.label_proportions.release import n_training
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.aggregation import TooFewRecords
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, FULL, LABELLED, LLP, MEAN_MAP, NAMES, by_trying

KS = (1, 2, 5, 10, 20, 50, 100)
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, math.inf)
BAG_NUMBERS = (5, 10, 20, 50, 100, 200)
# Bags that differ, as the overall share allows: what curves of k are plotted for.
SELECTION = "skewed"


@dataclass(frozen=True)
class Study:
    """A study: its question and the `configs` of each data set; `axis` is the setting that they vary."""

    name: str
    title: str
    axis: str
    datasets: tuple[str, ...]
    configs: Callable[[str], list[BagConfig]]


def base(dataset: str) -> BagConfig:
    """Return bags that suit the data set's size."""
    return BagConfig(dataset, *default_bags(dataset), SELECTION)


def at_random(dataset: str) -> BagConfig:
    """Return the same filled at random: only then does an ε hold, and only there is it varied."""
    return replace(base(dataset), selection="iid")


def _selections(dataset: str) -> list[BagConfig]:
    methods = (FULL, NAMES, by_trying(NAMES), LLP, MEAN_MAP, ALTERNATING)
    start = base(dataset)
    # Naive Bayes is unsure of a score of messages only: more bags than a dozen could not be filled with them.
    n_bags = 12 if dataset == "sms" else start.n_bags
    return [replace(start, n_bags=n_bags, selection=name, methods=methods) for name in SELECTIONS]


def _ks(dataset: str) -> list[BagConfig]:
    start = replace(base(dataset), methods=(FULL, LABELLED, NAMES, LLP))
    return [start] + [
        replace(start, aggregation=name, k=k)
        for name in AGGREGATIONS[1:]
        for k in KS[1:]
        if k <= (start.bag_size // 2 if name == "k-tree" else start.bag_size)
    ]


def _feature_noise(dataset: str) -> list[BagConfig]:
    start = replace(at_random(dataset), aggregation="random-k", methods=(FULL, LABELLED, NAMES, LLP))
    return [
        replace(start, k=k, feature_epsilon=epsilon) for k in (10, 50) if k <= start.bag_size for epsilon in EPSILONS
    ]


def _proportion_noise(dataset: str) -> list[BagConfig]:
    start = replace(at_random(dataset), methods=(FULL, NAMES, LLP, MEAN_MAP))
    return [replace(start, proportion_epsilon=epsilon) for epsilon in EPSILONS]


def _bag_numbers(dataset: str) -> list[BagConfig]:
    start = replace(at_random(dataset), methods=(FULL, NAMES, LLP))
    most = min(n_training(dataset) // start.bag_size, 2 * start.n_bags)
    return [
        replace(start, n_bags=n, proportion_epsilon=epsilon)
        for n in sorted({*BAG_NUMBERS, start.n_bags})
        if n <= most
        for epsilon in (0.05, 0.2, math.inf)
    ]


_ALL = ("adult", "sms", "breast_cancer", "mnist")
SELECTING, BY_K, FEATURE_NOISE, PROPORTION_NOISE, BAG_NUMBER = "selection", "k", "feature ε", "proportion ε", "bags"
STUDIES = {
    study.name: study
    for study in (
        Study(SELECTING, "How bags are filled", "selection", ("adult", "sms"), _selections),
        Study(BY_K, "k-anonymity by means", "k, records in a mean at least", _ALL, _ks),
        Study(FEATURE_NOISE, "Noise on random-k means", "ε of every column of a mean", _ALL, _feature_noise),
        Study(PROPORTION_NOISE, "Noise on the proportions", "ε of every label", _ALL, _proportion_noise),
        Study(BAG_NUMBER, "The number of bags", "number of bags", _ALL, _bag_numbers),
    )
}

# Average F1 as published on Adult (Yan, tables 4.1 and 4.3), by selection and method.
PUBLISHED = {
    ("iid", FULL): 0.86,
    ("iid", LLP): 0.75,
    ("balanced", LLP): 0.81,
    ("predicted", LLP): 0.81,
    ("confident", LLP): 0.77,
    ("unconfident", LLP): 0.72,
}
# Table 4.3 as published: F1 of positives, of negatives, average.
TABLE_43 = {("iid", FULL): (0.72, 0.91, 0.86), ("iid", LLP): (0.45, 0.85, 0.75), ("balanced", LLP): (0.57, 0.89, 0.81)}
# The slides' other data set, Instagram comments, is private; SMS, as rare and as sparse, is in its place.
INSTAGRAM_SHARE = 0.13  # of positives
INSTAGRAM_41 = {"iid": 0.86, "balanced": 0.91, "predicted": 0.87, "confident": 0.88, "unconfident": 0.30}
INSTAGRAM_43 = {
    ("iid", FULL): (0.64, 0.96, 0.92),
    ("iid", LLP): (0.27, 0.86, 0.84),
    ("balanced", LLP): (0.61, 0.95, 0.91),
}


@dataclass(frozen=True)
class Mark:
    """One method with one threshold on one trial."""

    study: str
    config: BagConfig
    method: str
    threshold: str
    f1: F1
    loss: float


@dataclass(frozen=True)
class Row:
    """One method with one threshold on one config of a study: mean F1 over `n_trials` trials with 95 % intervals.

    `loss` is the mean information loss. `low` and `high` are the ends of the average.
    """

    study: str
    dataset: str
    selection: str
    aggregation: str
    k: int
    feature_epsilon: float
    proportion_epsilon: float
    n_bags: int
    bag_size: int
    method: str
    threshold: str
    n_trials: int
    positive: float
    negative: float
    average: float
    low: float
    high: float
    loss: float
    positive_low: float
    positive_high: float
    negative_low: float
    negative_high: float
    loss_low: float
    loss_high: float

    @property
    def estimate(self) -> Estimate:
        """The average F1 with its interval."""
        return Estimate(self.average, self.low, self.high)

    @property
    def by_class(self) -> tuple[Estimate, Estimate]:
        """The F1 of positives and of negatives with their intervals."""
        return (
            Estimate(self.positive, self.positive_low, self.positive_high),
            Estimate(self.negative, self.negative_low, self.negative_high),
        )

    @property
    def loss_estimate(self) -> Estimate:
        """The information loss with its interval."""
        return Estimate(self.loss, self.loss_low, self.loss_high)


def run_trial(study: str, config: BagConfig, trial: int) -> list[Mark]:
    """Run all methods of `config` in one trial.

    Nothing where the data set has too few records of the kind that the bags need.
    """
    try:
        done = run(with_trial(config, trial))
    except TooFewRecords:
        return []
    return [
        Mark(study, config, fit.method, threshold, f1, done.loss)
        for fit in done.fits.values()
        for threshold, f1 in fit.f1.items()
    ]


def settings() -> list[tuple[str, BagConfig]]:
    """Return the name and every config of every study."""
    return [
        (study.name, config)
        for study in STUDIES.values()
        for dataset in study.datasets
        for config in study.configs(dataset)
    ]


def rows(marks: Sequence[Mark]) -> list[Row]:
    """Return the means over trials, in the order of the marks; without the places that some of the trials could not
    fill.
    """
    groups = group(marks, lambda mark: (mark.study, mark.config, mark.method, mark.threshold))
    most = max(map(len, groups.values()))
    return [_row(*place, here) for place, here in groups.items() if len(here) == most]


def _row(study: str, config: BagConfig, method: str, threshold: str, marks: list[Mark]) -> Row:
    average, positive, negative = (mean_interval([getattr(mark.f1, kind) for mark in marks], 0.0, 1.0) for kind in F1S)
    loss = mean_interval([mark.loss for mark in marks], 0.0, 1.0)
    return Row(
        study=study,
        dataset=name_of(config.dataset),
        selection=config.selection,
        aggregation=config.aggregation,
        k=config.k,
        feature_epsilon=config.feature_epsilon,
        proportion_epsilon=config.proportion_epsilon,
        n_bags=config.n_bags,
        bag_size=config.bag_size,
        method=method,
        threshold=threshold,
        n_trials=len(marks),
        positive=positive.mean,
        negative=negative.mean,
        average=average.mean,
        low=average.low,
        high=average.high,
        loss=loss.mean,
        positive_low=positive.low,
        positive_high=positive.high,
        negative_low=negative.low,
        negative_high=negative.high,
        loss_low=loss.low,
        loss_high=loss.high,
    )


def published(row: Row) -> float | None:
    """Return the published average F1 of a row, if there is one; the slides leave the threshold at ½."""
    if row.study != SELECTING or row.dataset != "adult":
        return None
    return PUBLISHED.get((row.selection, row.method))


def select(all_rows: Sequence[Row], study: str, dataset: str, threshold: str | None = None) -> list[Row]:
    """Return the rows of one study and data set; with one threshold, or ½ where a row has only that."""
    here = [row for row in all_rows if row.study == study and row.dataset == dataset]
    if threshold is None:
        return here
    both = {_place(row) for row in here if row.threshold != HALF}
    return [row for row in here if row.threshold == (threshold if _place(row) in both else HALF)]


def _place(row: Row) -> tuple[object, ...]:
    return (row.aggregation, row.k, row.feature_epsilon, row.proportion_epsilon, row.n_bags, row.selection, row.method)


def report(all_rows: Sequence[Row]) -> list[str]:
    """Return F1 of every method in every place of the studies."""
    lines = [STUDY.title, "average F1 on clean test records (mean and 95 % interval), published"]
    for row in all_rows:
        noise = "".join(
            f"  {name} {epsilon:g}"
            for name, epsilon in (("ε features", row.feature_epsilon), ("ε proportions", row.proportion_epsilon))
            if math.isfinite(epsilon)
        )
        theirs = published(row) if row.threshold == HALF else None
        lines.append(
            f"{row.study:12s}  {row.dataset:13s}  {row.n_bags} × {row.bag_size}  {row.selection:11s}  "
            f"{row.aggregation} {row.k}{noise}  {row.method:11s}  threshold {row.threshold:5s}  "
            + f"{row.estimate:.3f}"
            + (f"  {theirs:.2f}" if theirs else "")
        )
    return lines


STUDY = ShippedStudy(
    "llp",
    "Learning from label proportions (Yan 2018): tables 4.1 and 4.3, and F1 against k, ε and the number of bags",
    settings,
    run_trial,
    Row,
    rows,
    report,
    needs="MNIST, Adult and SMS",
)
load = STUDY.load
