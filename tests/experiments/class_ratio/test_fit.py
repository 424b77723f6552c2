"""One draw of class ratios: every method beside its estimator by hand, and what a release promises."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.estimators.set_names import SpreadClassRatio
from privdemo.experiments.class_ratio import (
    SHARES,
    RatioConfig,
    as_input,
    draw_asked_set,
    draw_sample,
    fit_method,
    run,
    run_releases,
)
from privdemo.experiments.class_ratio.config import TEST_STREAM
from privdemo.experiments.draws import generator
from privdemo.methods import CLASS_RATIO, MMD, SPREAD

CONFIG = RatioConfig("digits", 4, 80, n_test=80, methods=(SPREAD, MMD))
BINARY = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=tuple(CLASS_RATIO))


@pytest.fixture(scope="module")
def sample():
    return draw_sample(BINARY)


@pytest.fixture(scope="module")
def binary():
    return run(BINARY)


def test_every_method_is_asked_about_the_same_sets(binary, sample):
    rng = generator(BINARY, TEST_STREAM)
    asked = [draw_asked_set(BINARY, sample, share, rng) for share in (BINARY.share, *SHARES)]
    assert tuple(binary.fits) == BINARY.methods
    assert binary.truth == pytest.approx(asked[0][1])
    for name, fit in binary.fits.items():
        model = fit_method(name, BINARY, sample, sample.training.proportions, sample.tuning.proportions)
        found = [model.predict(U) for U, _ in asked]
        assert fit.found == pytest.approx(found[0])
        assert fit.errors == pytest.approx(
            [np.abs(p - truth).sum() for p, (_, truth) in zip(found[1:], asked[1:], strict=True)]
        )
        assert sum(fit.found) == pytest.approx(1)


def test_distortion_is_the_mean_l1_distance_of_what_is_released(binary, sample):
    assert (binary.distortion, binary.noise, binary.problem) == (0, "none", None)
    model = fit_method(MMD, BINARY, sample, sample.training.proportions, sample.tuning.proportions)
    assert (binary.factor, binary.bound) == (model.factor_, pytest.approx(model.bound(80)))
    noisy = run(replace(BINARY, methods=(MMD,), release="laplace tight", epsilon=0.5))
    assert noisy.distortion == pytest.approx(np.abs(noisy.released - noisy.proportions).sum(axis=1).mean())
    assert noisy.distortion > 0
    assert noisy.attack is None
    assert math.isnan(noisy.bound), "the theorem is of true counts"


def test_releases_on_the_same_records_are_what_each_gives_alone():
    names, config = ("none", "laplace tight"), replace(CONFIG, epsilon=0.5)
    together = run_releases(config, names)
    for name, trial in zip(names, together, strict=True):
        alone = run(replace(config, release=name))
        assert trial.config == alone.config
        for method in (SPREAD, MMD):
            assert trial.fits[method].errors == pytest.approx(alone.fits[method].errors)
    assert together[1].fits[MMD].errors != together[0].fits[MMD].errors
    assert [math.isnan(trial.fits[MMD].seconds) for trial in together] == [False, True], "one kernel for all"


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({"release": "laplace tight"}, True),
        ({"release": "gaussian published", "epsilon": 20.0, "delta": 1e-6}, False),
        ({"release": "dirichlet local", "epsilon": 5.0}, False),
        ({"release": "none"}, False),
    ],
)
def test_a_promise_is_checked(change, holds):
    assert run(replace(BINARY, methods=(MMD,), **change)).holds == holds


def test_the_adversary_is_right_as_often_as_a_count_by_hand_says():
    attack, sample = run(CONFIG).attack, draw_sample(CONFIG)
    inside = [as_input(sample.dataset, rows) for rows in sample.training.rows]
    tuning = [as_input(sample.dataset, rows) for rows in sample.tuning.rows]
    spread = SpreadClassRatio().fit(inside, sample.training.proportions, tuning, sample.tuning.proportions)
    y = sample.dataset.y[np.concatenate(sample.training.rows)]
    proba = spread.predict_proba(np.concatenate(inside))
    both = spread.predict_proba_in(np.concatenate(inside), np.repeat(sample.training.proportions, 80, axis=0))
    assert (attack.n, attack.by_set) == (320, 4 * 56), "the common class of every set"
    assert attack.by_model == (proba.argmax(axis=1) == y).sum()
    assert attack.by_both == (both.argmax(axis=1) == y).sum()
    new = np.concatenate(sample.pools)
    guessed = spread.predict_proba(as_input(sample.dataset, new)).argmax(axis=1)
    assert (attack.n_new, attack.new_right) == (len(new), (guessed == sample.dataset.y[new]).sum())
