"""Trials as rows: every number in its column."""

import numpy as np

from privdemo.experiments import training
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, SPREAD
from tests.experiments.training.cases import make_trial


def test_scores_of_every_trial_and_method(three_trials):
    trials = training.merge(three_trials, [make_trial({PUBLISHED: np.full(100, 0.6)}, three_trials[1].y, 1)])
    rows = training.score_table(trials)
    assert [(row["draw"], row["method"]) for row in rows] == [(t.config.draw, name) for t in trials for name in t.fits]
    for row in rows:
        trial = trials[row["draw"]]
        fit = trial.fits[row["method"]]
        for column in ("accuracy", "log_loss", "brier", "C", "seconds", "effective_samples"):
            assert row[column] == getattr(fit, column)
        assert row["angle_to_clean"] == fit.angle
        for source in ("label", "image", "both"):
            assert row[f"attack_from_{source}"] == getattr(trial.attack, source) / trial.attack.n


def test_bins_weights_and_chosen_images(three_trials):
    trial, chosen = three_trials[0], np.array([3, 0, 7])
    bins = [(name, b) for name in (NAIVE, SPREAD) for b in training.calibration(three_trials, name)]
    rows = training.calibration_table(three_trials, (NAIVE, SPREAD))
    assert [tuple(row.values()) for row in rows] == [(name, b.said, *b.true, b.n) for name, b in bins]
    expected = {"intercept": 0.5, "pixel_0": 0.0, "pixel_1": 1.0, "pixel_2": 2.0, "pixel_3": 3.0}
    assert training.weight_table(trial) == [{"method": name} | expected for name in trial.fits]
    rows = training.digit_table(trial, chosen)
    assert [(row["image"], row["true_class"]) for row in rows] == [(i, ("7", "9")[trial.y[i]]) for i in chosen]
    for name in (CLEAN, NAIVE, SPREAD):
        assert [row[f"proba_{name}"] for row in rows] == trial.fits[name].proba[chosen].tolist()
