"""What trials say of a method: textbook intervals, and calibration by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.experiments import training
from privdemo.experiments.training import METRICS, Attack, Fit, TrainingConfig, Trial
from privdemo.intervals import grouped_interval
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD
from tests.experiments.oracles import student, wilson


def make_trial(probas, y, draw=0, attack=None):
    """A trial in which methods give the images of classes `y` these probabilities of class 1."""
    y = np.asarray(y)
    fits = {}
    for name, given in probas.items():
        p = np.asarray(given, dtype=float)
        marks = accuracy_score(y, p > 0.5), log_loss(y, p), brier_score_loss(y, p)
        fits[name] = Fit(name, p, np.arange(4.0), 0.5, 10.0 * (draw + 1), 0.1, 0.2, *map(float, marks), None)
    return Trial(TrainingConfig("digits", draw=draw), fits, y, attack or Attack(len(y), 0, 0, 0))


@pytest.fixture(scope="module")
def three_trials():
    """Three methods on three draws of a hundred images each, better and worse."""
    rng, trials = np.random.default_rng(1), []
    for draw in range(3):
        y = rng.integers(0, 2, 100)
        score = 2 * y - 1 + rng.normal(size=100)
        trials.append(make_trial({CLEAN: expit(3 * score), NAIVE: expit(score), SPREAD: expit(2 * score)}, y, draw))
    return trials


@pytest.mark.parametrize("metric", METRICS)
def test_marks_of_images_average_to_that_of_the_trial(three_trials, metric):
    sure = make_trial({CLEAN: [0.0, 1.0, 1.0, 0.5, 1e-12]}, [0, 1, 0, 1, 1])  # sure and wrong, undecided
    for trial in (*three_trials, sure):
        for name, fit in trial.fits.items():
            marks = training.per_image(trial, name, metric)
            assert marks.shape == trial.y.shape
            assert marks.mean() == pytest.approx(getattr(fit, metric), rel=1e-12)
    assert training.per_image(sure, CLEAN, metric)[0] == pytest.approx(1 if metric == "accuracy" else 0, abs=1e-15)


@pytest.mark.parametrize("metric", METRICS)
def test_scores_and_differences_have_the_textbooks_intervals(three_trials, metric):
    marks = {name: [getattr(t.fits[name], metric) for t in three_trials] for name in (NAIVE, SPREAD)}
    assert training.mean_score(three_trials, NAIVE, metric) == student(marks[NAIVE])
    gaps = np.subtract(marks[SPREAD], marks[NAIVE])
    assert training.difference(three_trials, SPREAD, NAIVE, metric) == student(gaps)
    one = three_trials[:1]
    images = {name: training.per_image(one[0], name, metric) for name in (NAIVE, SPREAD)}
    single = wilson(images[NAIVE].sum(), 100) if metric == "accuracy" else student(images[NAIVE])
    assert training.mean_score(one, NAIVE, metric) == single
    assert training.difference(one, SPREAD, NAIVE, metric) == student(images[SPREAD] - images[NAIVE])


def test_attack_rates_are_over_trials_and_of_one_over_its_releases():
    base = make_trial({CLEAN: [0.2, 0.9]}, [0, 1])
    trials = [replace(base, attack=attack) for attack in (Attack(100, 80, 90, 95), Attack(50, 30, 50, 20))]
    right = {"label": (80, 30), "image": (90, 50), "both": (95, 20)}
    assert training.attack_rates(trials) == {name: grouped_interval(n, (100, 50)) for name, n in right.items()}
    assert training.attack_rates(trials[:1])["image"] == wilson(90, 100)


def test_merged_trials_keep_their_own_fits_and_only_those_that_had_a_method_count(three_trials):
    probas = {PUBLISHED: np.full(100, 0.6), NAIVE: np.full(100, 0.5)}
    published = [make_trial(probas, t.y, t.config.draw) for t in three_trials[:2]]
    unrelated = make_trial({PUBLISHED: np.full(100, 0.1)}, three_trials[0].y, 9)
    trials = training.merge(three_trials, [*published, unrelated])
    assert [set(trial.fits) for trial in trials] == [{CLEAN, NAIVE, SPREAD, PUBLISHED}] * 2 + [{CLEAN, NAIVE, SPREAD}]
    assert [set(trial.fits) for trial in three_trials] == [{CLEAN, NAIVE, SPREAD}] * 3  # left as they were
    assert trials[0].fits[NAIVE] is three_trials[0].fits[NAIVE]
    assert training.having(trials, PUBLISHED) == trials[:2]
    gaps = np.array([t.fits[PUBLISHED].accuracy - t.fits[NAIVE].accuracy for t in trials[:2]])
    assert training.difference(trials, PUBLISHED, NAIVE, "accuracy") == student(gaps)
    assert training.difference(trials, NAIVE, PUBLISHED, "accuracy") == student(-gaps)
    assert training.mean_score(trials, PUBLISHED, "brier") == student([t.fits[PUBLISHED].brier for t in published])
    assert training.mean_of(trials, PUBLISHED, "angle") == pytest.approx(15)
    assert training.mean_of(trials, NAIVE, "angle") == pytest.approx(20)
    with pytest.raises(ValueError, match="method must have been tried on a draw, got 'reconstruction'"):
        training.mean_score(trials, RECONSTRUCTION, "accuracy")


def test_calibration_by_hand():
    trial = make_trial({NAIVE: [0.0, 0.04, 0.5, 0.55, 0.75, 1.0]}, [0, 1, 1, 0, 1, 1])
    bins = training.calibration([trial], NAIVE)
    assert [(b.n, b.true.mean) for b in bins] == [(2, 0.5), (2, 0.5), (1, 1.0), (1, 1.0)]
    assert [b.said for b in bins] == pytest.approx([0.02, 0.525, 0.75, 1.0], abs=1e-15)
    assert bins[-1].true == wilson(1, 1)
    assert training.calibration_error([trial], NAIVE) == pytest.approx((2 * 0.48 + 2 * 0.025 + 0.25) / 6, abs=1e-15)
    half = [make_trial({NAIVE: [0.55] * 10}, [0] * (10 - n) + [1] * n, i) for i, n in enumerate((6, 8))]
    middle, last = training.calibration([*half, make_trial({NAIVE: [0.95] * 10}, [0] + [1] * 9, 2)], NAIVE)
    assert (middle.n, middle.true) == (20, grouped_interval((6, 8), (10, 10)))
    assert (last.n, last.true) == (10, wilson(9, 10))


@pytest.mark.parametrize(("of_second", "expected"), [(0, True), (1, True), (2, False), (98, False), (99, True)])
def test_a_model_that_names_one_class_only_in_some_trial_is_one_sided(of_second, expected):
    y = [0] * 50 + [1] * 50
    fair = make_trial({NAIVE: [0.4] * 50 + [0.6] * 50}, y)
    other = make_trial({NAIVE: [0.4] * (100 - of_second) + [0.6] * of_second}, y, 1)
    assert training.one_sided([fair, other], NAIVE) is expected
