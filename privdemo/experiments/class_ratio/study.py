"""The shipped studies: the paper's figures 2 and 3, and the effects of skew and of the number of sets.

Their results are one small CSV file; `python -m privdemo reproduce classratio` computes it again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from privdemo.datasets import name_of
from privdemo.experiments.class_ratio.config import NO_RELEASE, SHARES, RatioConfig, default_set_size
from privdemo.experiments.class_ratio.fit import run_releases
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate, mean_interval, ratio_interval
from privdemo.mechanisms.label_counts import RELEASES, STUDIED
from privdemo.methods import CLASS_RATIO, COUNT, EM, IDENTITY, MMD, PCC, PSVM, RFF, SPREAD, by_trying

BINARY, DIGITS, PRIVATE, SKEW, SETS = "two classes", "ten digits", "private counts", "skew", "sets"
# The share in a row that is the mean over all of `SHARES`.
ALL_SHARES = math.nan
# The noise in the studies of skew and of the number of sets.
WITH_NOISE = "gaussian tight"


@dataclass(frozen=True)
class Study:
    """A question put to several configs, each with some releases of the counts on the same records."""

    name: str
    title: str
    configs: tuple[RatioConfig, ...]
    releases: tuple[str, ...] = (NO_RELEASE,)


def base() -> RatioConfig:
    """Return three digits in sets of 600 records: the studies of skew and of the number of sets start from it."""
    return RatioConfig("mnist", 3, 600, rho=0.1, n_test=600, methods=(SPREAD, MMD))


def ten_digits() -> RatioConfig:
    """Return the paper's protocol on MNIST: ten sets of 3000 for training, ten more for tuning, ε = δ = 0.05."""
    return RatioConfig("mnist", 10, 3000, rho=0.05, n_test=3000, n_min=75)


def _two_classes(dataset: str) -> RatioConfig:
    size = default_set_size(dataset)
    methods = (SPREAD, by_trying(SPREAD), MMD, RFF, IDENTITY, COUNT, PSVM, EM, PCC)
    return RatioConfig(dataset, 2, size, rho=0.1, n_test=size, methods=methods)


STUDIES = {
    study.name: study
    for study in (
        Study(
            BINARY,
            "Figure 2: two classes, sets of proportions 0.1 and 0.9",
            tuple(_two_classes(dataset) for dataset in ("adult", "mnist", "sms", "breast_cancer")),
        ),
        Study(
            DIGITS,
            "Ten digits, the other methods (spread and MMD are among those of figure 3)",
            (replace(ten_digits(), methods=(by_trying(SPREAD), RFF, IDENTITY, EM, PCC)),),
        ),
        Study(
            PRIVATE,
            "Figure 3: ten digits, counts released with ε = δ = 0.05",
            (replace(ten_digits(), methods=(SPREAD, MMD)),),
            (NO_RELEASE, *STUDIED),
        ),
        Study(
            SKEW,
            "The share ρ of every class but the common one of a set",
            tuple(replace(base(), rho=rho) for rho in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
            (NO_RELEASE, WITH_NOISE),
        ),
        Study(
            SETS,
            "The same records in few large sets, or in many small ones",
            tuple(replace(base(), copies=n, set_size=2400 // n) for n in (1, 2, 4, 8, 16)),
            (NO_RELEASE, WITH_NOISE),
        ),
    )
}


@dataclass(frozen=True)
class Mark:
    """One method on one trial with one release.

    `errors` are the L1 errors along `SHARES`; `condition_number`, `bound` and `distortion` are those of the trial.
    """

    study: str
    config: RatioConfig
    method: str
    errors: tuple[float, ...]
    condition_number: float
    bound: float
    distortion: float
    seconds: float


@dataclass(frozen=True)
class Row:
    """One method with one config of a study: its mean L1 error over `n_trials` trials, and its 95 % interval.

    `share` is the share of the first class in the target set; nan for the mean over all shares.
    """

    study: str
    dataset: str
    n_classes: int
    set_size: int
    copies: int
    rho: float
    release: str
    guarantee: str
    epsilon: float
    delta: float
    n_min: int
    method: str
    share: float
    n_trials: int
    error: float
    low: float
    high: float
    condition_number: float
    bound: float
    distortion: float
    seconds: float

    @property
    def estimate(self) -> Estimate:
        """The error with its interval."""
        return Estimate(self.error, self.low, self.high)


def run_trial(study: str, config: RatioConfig, trial: int) -> list[Mark]:
    """Return all releases and methods of `config` on one trial."""
    return [
        Mark(
            study,
            replace(config, release=one.config.release),
            fit.method,
            fit.errors,
            one.condition_number,
            one.bound,
            one.distortion,
            fit.seconds,
        )
        for one in run_releases(with_trial(config, trial), STUDIES[study].releases)
        for fit in one.fits.values()
    ]


def settings() -> list[tuple[str, RatioConfig]]:
    """Return the name and every config of every study."""
    return [(study.name, config) for study in STUDIES.values() for config in study.configs]


def rows(marks: Sequence[Mark]) -> list[Row]:
    """Return the means over trials, in the order of the marks and of all methods; for each config and method the mean
    over all shares first.
    """
    return [
        _row(study, config, method, of_method, share)
        for (study, config), here in group(marks, lambda mark: (mark.study, mark.config)).items()
        for method in CLASS_RATIO
        if (of_method := [mark for mark in here if mark.method == method])
        for share in (ALL_SHARES, *SHARES)
    ]


def _row(study: str, config: RatioConfig, method: str, marks: list[Mark], share: float) -> Row:
    if math.isnan(share):
        errors = [float(np.mean(mark.errors)) for mark in marks]
    else:
        errors = [mark.errors[SHARES.index(share)] for mark in marks]
    estimate = mean_interval(errors)
    return Row(
        study=study,
        dataset=name_of(config.dataset),
        n_classes=config.n_classes,
        set_size=config.set_size,
        copies=config.copies,
        rho=config.rho,
        release=config.release,
        guarantee=RELEASES[config.release].guarantee if config.private else "none: true counts",
        epsilon=config.epsilon,
        delta=config.delta,
        n_min=config.n_min,
        method=method,
        share=share,
        n_trials=len(marks),
        error=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        condition_number=float(np.mean([mark.condition_number for mark in marks])),
        bound=float(np.mean([mark.bound for mark in marks])),
        distortion=float(np.mean([mark.distortion for mark in marks])),
        seconds=float(np.mean([mark.seconds for mark in marks])),
    )


@dataclass(frozen=True)
class Reduction:
    """How much lower one error is than another, as a part of it: as `published`, and `ours` (below 0: higher)."""

    words: str
    published: float
    ours: Estimate


def published_reductions(all_rows: Sequence[Row]) -> list[Reduction]:
    """Return the reductions that the paper's text states for figures 2 and 3, and those of our rows."""
    at = {row.release: row.estimate for row in select(all_rows, PRIVATE) if row.method == MMD}
    adult = [row for row in select(all_rows, BINARY, overall=False) if row.dataset == "adult"]
    mmd, svm = ([row.estimate for row in adult if row.method == method] for method in (MMD, PSVM))
    most = max(range(len(svm)), key=lambda i: svm[i].mean / mmd[i].mean)
    compared = {
        f"MMD’s error against that of the widest margin, at its best, a share of {SHARES[most]:g} (Adult)": (
            0.7,
            mmd[most],
            svm[most],
        ),
        "MMD’s error with scaled Dirichlet against that with Laplace, both as published (ten digits)": (
            0.6,
            at["dirichlet published"],
            at["laplace published"],
        ),
        "the same, scaled Dirichlet tight from a public minimum on, Laplace as published": (
            0.6,
            at["dirichlet public"],
            at["laplace published"],
        ),
        "the same, both tight": (0.6, at["dirichlet public"], at["laplace tight"]),
    }
    found = []
    for words, (published, lower, higher) in compared.items():
        ratio = ratio_interval(lower, higher)
        found.append(Reduction(words, published, Estimate(1 - ratio.mean, 1 - ratio.high, 1 - ratio.low)))
    return found


def select(all_rows: Sequence[Row], study: str, overall: bool = True) -> list[Row]:
    """Return the rows of a study: the means over all shares, or, if not `overall`, those of single shares."""
    return [row for row in all_rows if row.study == study and math.isnan(row.share) == overall]


def report(all_rows: Sequence[Row]) -> list[str]:
    """Return the mean L1 errors in every place, and how the paper compares them in its text."""
    lines = [STUDY.title, "mean L1 error over shares 0.1 to 0.9 of the first class (mean and 95 % interval)"]
    for row in all_rows:
        if math.isnan(row.share):
            lines.append(
                f"{row.study:14s}  {row.dataset:13s}  {row.n_classes:2d} classes  {row.copies} × {row.set_size}  "
                f"ρ {row.rho:<5g}  {row.release:20s}  {row.method:8s}  {row.estimate:.3f}"
                + ("  (no formal guarantee)" if row.guarantee.startswith("none: noise") else "")
            )
    try:
        reductions = published_reductions(all_rows)
    except (KeyError, ValueError):  # not all studies were made
        return lines
    lines.append("what the paper's text says of its figures 2 and 3: how much smaller an error is, published and ours")
    return lines + [f"{one.words}: {one.published:.0%}, {one.ours.mean:.0%}" for one in reductions]


STUDY = ShippedStudy(
    "classratio",
    "Class ratios from sets (Iyer, Nath & Sarawagi 2016): figures 2 and 3, and what skew and many sets change",
    settings,
    run_trial,
    Row,
    rows,
    report,
    needs="MNIST, Adult and SMS",
)
load = STUDY.load
