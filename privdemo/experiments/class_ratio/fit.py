"""Methods fitted to the sets of a trial, and the class proportions that they find in the target sets."""

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

from privdemo.estimators.choose import choice_of
from privdemo.estimators.label_proportions import LabelProportionClassifier
from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.proportion_svm import ProportionSVM
from privdemo.estimators.set_names import ChosenClassRatio, ClassifyAndCount, SetIdentityClassRatio, SpreadClassRatio
from privdemo.estimators.sets import span_problem
from privdemo.experiments.class_ratio.adversary import Attack, attack_labels
from privdemo.experiments.class_ratio.config import ESTIMATOR_STREAM, SHARES, TEST_STREAM, RatioConfig
from privdemo.experiments.class_ratio.release import (
    Group,
    Sample,
    as_input,
    release_proportions,
    sample_records,
    sample_target_set,
)
from privdemo.experiments.trials import generator, stream
from privdemo.mechanisms.aggregation import Matrix
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import COUNT, EM, IDENTITY, MMD, PCC, PSVM, RFF, SPREAD, by_trying

Array = NDArray[np.floating]

# Random Fourier features in place of the exact kernel.
N_FEATURES = 1500
# Methods that learn from the true label of every record: what the others are measured against.
FULLY_LABELLED_METHODS = (EM, PCC)


@dataclass(frozen=True)
class Fit:
    """One method on one trial.

    Args:
        method: The method's name.
        found: The proportions that it finds in the target set, (c,).
        errors: The L1 errors in sets with each of `SHARES`.
        seconds: The time to train; nan if a kernel was reused.
        chosen: What a choosing method has taken, as in `estimators.choose.Choice`.
        why: And why.
    """

    method: str
    found: tuple[float, ...]
    errors: tuple[float, ...]
    seconds: float
    chosen: str = ""
    why: str = ""


@dataclass(frozen=True, eq=False)
class Trial:
    """All methods on one trial.

    Args:
        config: The question.
        truth: The true proportions of the target set, (c,).
        fits: What each method finds, by its name.
        proportions: The true proportions of the training sets, (M, c).
        released: Their released proportions, (M, c).
        averages: The average record of every training set and, last, of the target set, from 0 to 1, (M + 1, d).
        distortion: The mean L1 distance of the two.
        noise: The noise in words.
        holds: Whether the noise is (ε, δ)-private for a record in one set; false if it was chosen from private counts.
        most_sets: The most sets that one record is in.
        problem: Why the released proportions do not identify the classes, if so.
        condition_number: Q of MMD; nan without MMD.
        bound: Theorem 1's bound of MMD's error; nan with noise, for which it would need a further term.
        factor: The bandwidth of MMD as a multiple of the median heuristic.
        attack: The rate at which single labels are guessed; None without the spread likelihood.
    """

    config: RatioConfig
    truth: tuple[float, ...]
    fits: dict[str, Fit]
    proportions: Array
    released: Array
    averages: Array
    distortion: float
    noise: str
    holds: bool
    most_sets: int
    problem: str | None
    condition_number: float
    bound: float
    factor: float
    attack: Attack | None


def run(config: RatioConfig) -> Trial:
    """Sample the sets, release their proportions, fit every method, and estimate target sets of known proportions.

    Raises ``ValueError`` if sets are too large for the data set, or if their counts cannot be released so.
    """
    return run_releases(config, (config.release,))[0]


@threadpool_limits.wrap(limits=1, user_api="blas")
def run_releases(config: RatioConfig, releases: Sequence[str]) -> list[Trial]:
    """`run` with each of `releases` on the same records, for which each kernel is computed once.

    Always in one thread, for the same numbers everywhere.
    """
    sample, rng = sample_records(config), generator(config, TEST_STREAM)
    targets = [sample_target_set(config, sample, share, rng) for share in (config.share, *SHARES)]
    sets = [as_input(sample.dataset, rows) for rows in sample.training.rows]
    averages = np.array([records.mean(axis=0) for records in (*sets, targets[0][0])])
    kernels: dict[str, _Kernel] = {}
    return [_run(replace(config, release=name), sample, targets, averages, kernels) for name in releases]


class _Kernel(NamedTuple):
    """MMD fitted to some sets, and similarities of target sets by their number and the bandwidth."""

    model: MMDClassRatio
    similar: dict[tuple[int, float], Array]

    def find(self, targets: Sequence[tuple[Matrix, Array]], model: MMDClassRatio) -> list[Array]:
        """Return the proportions that `model`, which has this kernel, finds in each of the target sets."""
        found = []
        for i, (U, _) in enumerate(targets):
            key = i, model.factor_
            if key not in self.similar:
                self.similar[key] = model.similarities(U)
            found.append(model.project(model.from_similarities(self.similar[key])))
        return found


def _run(
    config: RatioConfig,
    sample: Sample,
    targets: Sequence[tuple[Matrix, Array]],
    averages: Array,
    kernels: dict[str, _Kernel],
) -> Trial:
    """Return all methods on one release."""
    training, tuning, mechanism = release_proportions(config, sample)
    fits, models = {}, {}
    for name in dict.fromkeys(config.methods):
        start = time.perf_counter()
        if name in kernels:
            model, start = kernels[name].model.reweigh(training, tuning), math.nan
        else:
            model = fit_method(name, config, sample, training, tuning)
        seconds = time.perf_counter() - start
        if isinstance(model, MMDClassRatio):
            found = kernels.setdefault(name, _Kernel(model, {})).find(targets, model)
        else:
            found = [model.predict(U) for U, _ in targets]
        errors = [l1_distance(p, truth) for p, (_, truth) in zip(found, targets, strict=True)]
        models[name] = model
        fits[name] = Fit(name, tuple(found[0].tolist()), tuple(errors[1:]), seconds, **choice_of(model))
    mmd = models.get(MMD, models.get(RFF))
    uses = np.unique(np.concatenate(sample.training.rows + sample.tuning.rows), return_counts=True)[1]
    return Trial(
        config=config,
        truth=tuple(targets[0][1].tolist()),
        fits=fits,
        proportions=sample.training.proportions,
        released=training,
        averages=averages,
        distortion=float(np.abs(training - sample.training.proportions).sum(axis=1).mean()),
        noise=mechanism.noise if mechanism else "none",
        holds=mechanism is not None
        and not RELEASES[config.release].data_dependent
        and mechanism.delta_at(config.epsilon) <= config.delta * (1 + 1e-9),
        most_sets=int(uses.max()),
        problem=span_problem(np.concatenate((training, tuning))),
        condition_number=mmd.condition_number_ if mmd else math.nan,
        bound=mmd.bound(config.n_test) if mmd and not config.private else math.nan,
        factor=mmd.factor_ if mmd else math.nan,
        attack=attack_labels(config, sample, models[SPREAD], training) if SPREAD in models else None,
    )


def fit_method(name: str, config: RatioConfig, sample: Sample, training: Array, tuning: Array) -> Any:
    """Return the fitted estimator of a method.

    `training` and `tuning` (M, c) are the released proportions of the sets. The methods of `FULLY_LABELLED_METHODS` see
    one set of each class instead.
    """
    seed = int(stream(config, ESTIMATOR_STREAM).generate_state(1)[0])
    if name in FULLY_LABELLED_METHODS:
        by_class = [_by_class(sample, group) for group in (sample.training, sample.tuning)]
        sure = np.eye(config.n_classes)
        return SpreadClassRatio(correct=name == EM).fit(by_class[0], sure, by_class[1], sure)
    sets = [[as_input(sample.dataset, rows) for rows in group.rows] for group in (sample.training, sample.tuning)]
    by_group = PredefinedSplit(np.repeat([0, 1], [len(training), len(tuning)]))  # either group holds every mix
    bandwidth = "cv" if config.bandwidth is None else config.bandwidth
    estimators = {
        MMD: MMDClassRatio(bandwidth, random_state=seed),
        RFF: MMDClassRatio(bandwidth, N_FEATURES, random_state=seed),
        SPREAD: SpreadClassRatio(random_state=seed),
        by_trying(SPREAD): ChosenClassRatio(random_state=seed),
        IDENTITY: SetIdentityClassRatio(random_state=seed),
        COUNT: ClassifyAndCount(LabelProportionClassifier(C="cv", cv=by_group)),
        PSVM: ClassifyAndCount(ProportionSVM(random_state=seed)),
    }
    return estimators[name].fit(sets[0], training, sets[1], tuning)


def _by_class(sample: Sample, group: Group) -> list[Matrix]:
    """Return the records of a group of sets, one matrix for each class."""
    rows = np.concatenate(group.rows)
    y = sample.dataset.y[rows]
    return [as_input(sample.dataset, rows[y == c]) for c in range(len(sample.pools))]


def l1_distance(found: Array, truth: Array) -> float:
    """Return the L1 distance of two proportions (c,), from 0 to 2."""
    return float(np.abs(np.asarray(found) - truth).sum())
