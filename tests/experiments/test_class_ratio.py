"""Class ratios: sets, releases, every method beside its estimator by hand, means over trials, and the shipped study."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.estimators.set_names import SpreadClassRatio
from privdemo.experiments import class_ratio, results
from privdemo.experiments.class_ratio import SHARES, Fit, RatioConfig, Trial, study
from privdemo.experiments.class_ratio.config import TEST_STREAM
from privdemo.experiments.trials import generator
from privdemo.mechanisms.label_counts import RELEASES, calibrate
from privdemo.methods import CLASS_RATIO, MMD, RFF, SPREAD
from tests.experiments.oracles import student

CONFIG = RatioConfig("digits", 4, 80, n_test=80, methods=(SPREAD, MMD))


@pytest.mark.parametrize(
    ("c", "size", "copies", "rho", "rarer"),
    [(2, 50, 2, 0.1, 5), (3, 70, 1, 0, 0)],
)
def test_every_class_in_turn_is_the_common_one_of_a_set(c, size, copies, rho, rarer):
    config = RatioConfig("digits", c, size, copies, rho)
    counts = config.counts()
    assert (counts.shape, counts.dtype, config.pure) == ((copies * c, c), np.int64, rarer == 0)
    for i, row in enumerate(counts):
        assert row.tolist() == [size - (c - 1) * rarer if k == i % c else rarer for k in range(c)]


def test_sets_hold_the_counted_classes_and_no_record_that_is_asked_about():
    config = replace(CONFIG, set_size=120)
    sample = class_ratio.sample_records(config)
    assert sample.dataset.class_names == tuple("0123")
    for group in (sample.training, sample.tuning):
        assert group.proportions == pytest.approx(config.counts() / 120)
        for rows, counts in zip(group.rows, config.counts(), strict=True):
            assert np.bincount(sample.dataset.y[rows], minlength=4).tolist() == counts.tolist()
            assert len(np.unique(rows)) == len(rows)
            assert (np.diff(sample.dataset.y[rows].astype(int)) < 0).any(), "in random order"
    learnt = np.concatenate(sample.training.rows + sample.tuning.rows)
    assert not set(learnt.tolist()) & set(np.concatenate(sample.pools).tolist())
    known = sample.training.proportions, sample.tuning.proportions, None
    assert all(one is other for one, other in zip(class_ratio.release_proportions(config, sample), known, strict=True))


def test_a_set_is_asked_about_with_the_wanted_proportions():
    sample, rng = class_ratio.sample_records(CONFIG), np.random.default_rng(0)
    U, truth = class_ratio.sample_target_set(CONFIG, sample, 0.7, rng)
    assert (U.shape, U.dtype, U.min(), U.max()) == ((80, 64), np.float32, 0, 1)
    assert truth == pytest.approx([0.7, 0.1, 0.1, 0.1])
    first, second = (class_ratio.sample_target_set(CONFIG, sample, None, rng)[1] for _ in range(2))
    assert first == pytest.approx(second), "at random, but the same in every trial"


@pytest.mark.parametrize("release", [name for name in RELEASES if name != "dirichlet published"])
def test_private_proportions_are_those_of_the_calibrated_mechanism(release):
    config = replace(CONFIG, release=release, epsilon=1.0, delta=0.05, n_min=5)
    sample = class_ratio.sample_records(config)
    training, tuning, mechanism = class_ratio.release_proportions(config, sample)
    assert mechanism == calibrate(release, 1.0, 0.05, config.counts(), 5)
    for found in (training, tuning):
        assert found.shape == (4, 4)
        assert found.sum(axis=1) == pytest.approx(1)
        assert not np.allclose(found, sample.training.proportions)
    assert not np.allclose(training, tuning), "each set has noise of its own"


BINARY = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=tuple(CLASS_RATIO))


@pytest.fixture(scope="module")
def sample():
    return class_ratio.sample_records(BINARY)


@pytest.fixture(scope="module")
def binary():
    return class_ratio.run(BINARY)


def test_every_method_is_asked_about_the_same_sets(binary, sample):
    rng = generator(BINARY, TEST_STREAM)
    targets = [class_ratio.sample_target_set(BINARY, sample, share, rng) for share in (BINARY.share, *SHARES)]
    assert tuple(binary.fits) == BINARY.methods
    assert binary.truth == pytest.approx(targets[0][1])
    for name, fit in binary.fits.items():
        model = class_ratio.fit_method(name, BINARY, sample, sample.training.proportions, sample.tuning.proportions)
        found = [model.predict(U) for U, _ in targets]
        assert fit.found == pytest.approx(found[0])
        assert fit.errors == pytest.approx(
            [np.abs(p - truth).sum() for p, (_, truth) in zip(found[1:], targets[1:], strict=True)]
        )
        assert sum(fit.found) == pytest.approx(1)


def test_distortion_is_the_mean_l1_distance_of_what_is_released(binary, sample):
    assert (binary.distortion, binary.noise, binary.problem) == (0, "none", None)
    model = class_ratio.fit_method(MMD, BINARY, sample, sample.training.proportions, sample.tuning.proportions)
    assert (binary.factor, binary.bound) == (model.factor_, pytest.approx(model.bound(80)))
    noisy = class_ratio.run(replace(BINARY, methods=(MMD,), release="laplace tight", epsilon=0.5))
    assert noisy.distortion == pytest.approx(np.abs(noisy.released - noisy.proportions).sum(axis=1).mean())
    assert noisy.distortion > 0
    assert noisy.attack is None
    assert math.isnan(noisy.bound), "the theorem is of true counts"


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({"release": "laplace tight"}, True),
        ({"release": "gaussian published", "epsilon": 20.0, "delta": 1e-6}, False),
        ({"release": "dirichlet local", "epsilon": 5.0}, False),
    ],
)
def test_a_guarantee_holds_only_where_noise_is_large_enough_and_independent_of_the_counts(change, holds):
    assert class_ratio.run(replace(BINARY, methods=(MMD,), **change)).holds == holds


def test_the_adversary_is_right_as_often_as_a_count_by_hand_says():
    attack, sample = class_ratio.run(CONFIG).attack, class_ratio.sample_records(CONFIG)
    inside = [class_ratio.as_input(sample.dataset, rows) for rows in sample.training.rows]
    tuning = [class_ratio.as_input(sample.dataset, rows) for rows in sample.tuning.rows]
    spread = SpreadClassRatio().fit(inside, sample.training.proportions, tuning, sample.tuning.proportions)
    y = sample.dataset.y[np.concatenate(sample.training.rows)]
    proba = spread.predict_proba(np.concatenate(inside))
    both = spread.predict_proba_in(np.concatenate(inside), np.repeat(sample.training.proportions, 80, axis=0))
    assert (attack.n, attack.by_set) == (320, 4 * 56), "the common class of every set"
    assert attack.by_model == (proba.argmax(axis=1) == y).sum()
    assert attack.by_both == (both.argmax(axis=1) == y).sum()
    new = np.concatenate(sample.pools)
    guessed = spread.predict_proba(class_ratio.as_input(sample.dataset, new)).argmax(axis=1)
    assert (attack.n_new, attack.new_right) == (len(new), (guessed == sample.dataset.y[new]).sum())


def made_trial(trial, spread, mmd):
    """Two classes, of which the asked set has shares 0.25 and 0.75; (share found, error at every share) a method."""
    fits = {
        name: Fit(name, (found, 1 - found), tuple(error + i / 100 for i in range(9)), 1.0)
        for name, (found, error) in ((SPREAD, spread), (MMD, mmd), (RFF, (mmd[0] + 0.1, mmd[1])))
    }
    config = RatioConfig("breast_cancer", 2, 80, trial=trial)
    p = np.eye(2)
    return Trial(config, (0.25, 0.75), fits, p, p, p, 0.0, "none", False, 1, None, 1.0, 1.0, 1.0, None)


TRIALS = [
    made_trial(0, (0.3, 0.1), (0.4, 0.2)),
    made_trial(1, (0.5, 0.2), (0.25, 0.3)),
    made_trial(2, (0.4, 0.6), (0.25, 0.1)),
]


def test_means_and_differences_over_trials_have_students_interval():
    assert class_ratio.mean_error(TRIALS, SPREAD) == student([0.14, 0.24, 0.64], least=0)
    assert class_ratio.error_along(TRIALS, SPREAD, 3).mean == pytest.approx(np.mean([0.13, 0.23, 0.63]))
    assert class_ratio.share_of(TRIALS, SPREAD, 1).mean == pytest.approx(0.6)
    assert class_ratio.error(TRIALS, SPREAD).mean == pytest.approx(np.mean([0.1, 0.5, 0.3])), "of both classes"
    assert class_ratio.features_gap(TRIALS).mean == pytest.approx(0.2)
    assert class_ratio.difference(TRIALS, SPREAD, MMD) == student([-0.1, -0.1, 0.5])


def test_an_l1_error_and_its_interval_go_to_two():
    far = [made_trial(trial, (0.3, error), (0.3, 1.95)) for trial, error in enumerate((1.7, 1.74, 1.78))]
    assert class_ratio.mean_error(far, SPREAD) == student([1.74, 1.78, 1.82])
    assert class_ratio.error_along(far, MMD, 0) == pytest.approx((1.95, 1.95, 1.95))
    wide = [made_trial(trial, (0.3, error), (0.3, 0.1)) for trial, error in enumerate((1.1, 1.9, 1.9))]
    assert class_ratio.mean_error(wide, SPREAD).high == 2


def test_recomputed_rows_match_the_results_file(monkeypatch):
    config = next(c for c in study.STUDIES[study.BINARY].configs if c.dataset == "breast_cancer")
    config = replace(config, methods=(MMD, SPREAD))
    monkeypatch.setattr(study, "STUDIES", {study.BINARY: study.Study(study.BINARY, "", (config,))})
    marks = [mark for arguments in study.STUDY.trials() for mark in study.run_trial(*arguments)]
    rows = results.from_csv(study.Row, study.STUDY.to_file(study.rows(marks)).decode())
    assert [row.method for row in study.select(rows, study.BINARY)] == [SPREAD, MMD], "in the order of all methods"
    shipped = [row for row in study.load() if (row.study, row.dataset) == (study.BINARY, "breast_cancer")]
    at = {(row.method, row.share if row.share == row.share else None): row for row in shipped}
    assert len(rows) == 2 * (1 + len(SHARES))
    for row in rows:
        same = at[row.method, None if math.isnan(row.share) else row.share]
        assert (row.error, row.low, row.high) == pytest.approx((same.error, same.low, same.high), abs=0.01)
        assert (row.n_trials, row.guarantee, row.rho, row.set_size) == (10, same.guarantee, same.rho, same.set_size)
