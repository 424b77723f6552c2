"""What trials say of a method: textbook intervals, calibration by hand, and which images are shown."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments import training
from privdemo.experiments.training import METRICS, Attack
from privdemo.intervals import grouped_interval
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD
from tests.experiments.oracles import student, wilson
from tests.experiments.training.cases import make_trial


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
    rates = training.attack_rates(trials)
    for source, right in {"label": (80, 30), "image": (90, 50), "both": (95, 20)}.items():
        assert rates[source] == grouped_interval(right, (100, 50))
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


def test_a_bin_counts_the_trials_that_have_images_in_it():
    half, sure = [0.55] * 10, [0.95] * 10
    trials = [
        make_trial({NAIVE: half}, [0] * 4 + [1] * 6),
        make_trial({NAIVE: half}, [0] * 2 + [1] * 8, 1),
        make_trial({NAIVE: sure}, [0] + [1] * 9, 2),
    ]
    middle, last = training.calibration(trials, NAIVE)
    assert (middle.n, middle.true) == (20, grouped_interval((6, 8), (10, 10)))
    assert (last.n, last.true) == (10, wilson(9, 10))
    error = (20 * abs(0.55 - 0.7) + 10 * abs(0.95 - 0.9)) / 30
    assert training.calibration_error(trials, NAIVE) == pytest.approx(error, abs=1e-15)


@pytest.mark.parametrize(("of_second", "expected"), [(0, True), (1, True), (2, False), (98, False), (99, True)])
def test_a_model_that_names_one_class_only_in_some_trial_is_one_sided(of_second, expected):
    y = [0] * 50 + [1] * 50
    fair = make_trial({NAIVE: [0.4] * 50 + [0.6] * 50}, y)
    other = make_trial({NAIVE: [0.4] * (100 - of_second) + [0.6] * of_second}, y, 1)
    assert training.one_sided([fair, other], NAIVE) is expected


def test_images_that_are_shown():
    probas = {CLEAN: [0.1, 0.9, 0.5, 0.2], NAIVE: [0.2, 0.3, 0.5, 0.3], SPREAD: [0.15, 0.5, 0.9, 0.2]}
    trial = make_trial(probas, [0, 1, 1, 0])  # they differ by 0.1, 0.6, 0.4 and 0.1
    assert training.disputed(trial, 2).tolist() == [1, 2]
    assert training.disputed(trial, 9).tolist() == [1, 2, 0, 3]
    trial = make_trial({CLEAN: np.full(7, 0.4)}, [0, 1, 1, 0, 1, 0, 0])
    assert training.typical(trial, 4).tolist() == [0, 3, 1, 2]
