"""What trials say of a method: textbook intervals, and tables with every number in its column."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments import label_proportions
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import F1, HALF, SHARE, draw_release, run
from privdemo.intervals import grouped_interval
from privdemo.methods import FULL, LLP, NAMES
from tests.experiments.label_proportions.cases import NOISY, SINGLE, f1_marks
from tests.experiments.oracles import student


@pytest.fixture(scope="module")
def three_trials():
    return [run(at_draw(replace(SINGLE, methods=(NAMES, LLP)), i)) for i in range(3)]


@pytest.mark.parametrize(("which", "threshold"), [("average", HALF), ("positive", SHARE), ("negative", SHARE)])
def test_scores_have_the_textbooks_intervals(three_trials, which, threshold):
    values = [getattr(trial.fits[LLP].f1[threshold], which) for trial in three_trials]
    assert label_proportions.mean_score(three_trials, LLP, which, threshold) == student(values)
    assert label_proportions.mean_score(three_trials[:1], LLP, which, threshold) == (values[0], -math.inf, math.inf)


def test_differences_and_attacks_are_over_the_same_trials(three_trials):
    gaps = [t.fits[LLP].f1[SHARE].average - t.fits[NAMES].f1[SHARE].average for t in three_trials]
    assert label_proportions.difference(three_trials, LLP, NAMES, SHARE) == student(gaps)
    shares = [trial.test_share for trial in three_trials]
    assert label_proportions.mean_of(three_trials, "test_share") == student(shares)
    rates = label_proportions.attack_rates(three_trials)
    assert list(rates) == ["prior", "bag", "model", "both"]
    n = [trial.attack.n for trial in three_trials]
    for source, rate in rates.items():
        assert rate == grouped_interval([getattr(trial.attack, f"{source}_right") for trial in three_trials], n)


def test_naming_all_negative_gets_what_scikit_learn_says(three_trials):
    y = np.concatenate([draw_release(trial.config).test.y for trial in three_trials])
    # each trial has as many test records, so that the mean share is that of all of them
    assert label_proportions.all_negative(three_trials) == pytest.approx(f1_marks(y, np.zeros(len(y), bool)), abs=1e-12)


def test_a_row_for_every_trial_method_and_threshold(three_trials):
    rows = label_proportions.score_table(three_trials)
    places = [
        (t.config.draw, m, threshold) for t in three_trials for m in (FULL, NAMES, LLP) for threshold in (HALF, SHARE)
    ]
    assert [(row["draw"], row["method"], row["threshold"]) for row in rows] == places
    for row in rows:
        trial = three_trials[row["draw"]]
        fit = trial.fits[row["method"]]
        assert F1(row["f1_positive"], row["f1_negative"], row["f1_average"]) == fit.f1[row["threshold"]]
        assert (row["C"], row["seconds"], row["information_loss"]) == (fit.C, fit.seconds, trial.loss)


def test_a_row_for_every_bag():
    released = draw_release(NOISY)
    assert label_proportions.bag_table(run(replace(NOISY, methods=(FULL,)))) == [
        {
            "bag": b + 1,
            "size": (released.record_bags == b).sum(),
            "groups": (released.names == b).sum(),
            "proportion": released.true_proportions[b],
            "released": released.proportions[b],
        }
        for b in range(15)
    ]
