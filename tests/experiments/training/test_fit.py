"""Every method on one draw: fits made here on the same release, and marks by scikit-learn."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.experiments import training
from privdemo.experiments.training import fit
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRUE
from tests.experiments.training.cases import ADDED, DIGITS, QUICK, K, run_once


@pytest.mark.parametrize("config", [DIGITS, ADDED])
def test_fits_are_those_made_here_and_marks_scikit_learns(config):
    trial, released = run_once(config), training.draw_release(config)
    assert tuple(trial.fits) == QUICK
    np.testing.assert_array_equal(trial.y, released.y_test)
    unit = released.X_test if config is ADDED else released.X_test / (K - 1)
    clean = trial.fits[CLEAN].coef
    labels, pixels, noisy = config.labels, config.pixels, (released.X_noisy, released.y_noisy)
    models = {
        CLEAN: NaiveLogisticRegression(pixels, C="cv").fit(released.X, released.y),
        NAIVE: NaiveLogisticRegression(pixels, C="cv").fit(*noisy),
        RECONSTRUCTION: ReconstructionLogisticRegression(labels, pixels, C="cv").fit(*noisy),
        SPREAD: SpreadLogisticRegression(labels, pixels, C="cv").fit(*noisy),
        FLAT: SpreadLogisticRegression(labels, pixels, "flat", C="cv").fit(*noisy),
        TRUE: SpreadLogisticRegression(labels, pixels, released.true_prior, C="cv").fit(*noisy),
    }
    for name, found in trial.fits.items():
        model = models[name]
        np.testing.assert_allclose(found.coef, model.coef_[0], rtol=1e-9, atol=1e-12)
        assert (found.intercept, found.C) == (pytest.approx(model.intercept_[0], rel=1e-9), model.C_)
        assert (found.method, found.effective_samples) == (name, None)
        # a logistic function is nowhere steeper than ¼, and pixels may be rounded to single precision
        tolerance = 0.25 * 2**-24 * np.abs(found.coef).sum() + 1e-12
        np.testing.assert_allclose(found.proba, expit(unit @ found.coef + found.intercept), rtol=0, atol=tolerance)
        assert found.accuracy == accuracy_score(trial.y, found.proba > 0.5)
        assert found.log_loss == pytest.approx(log_loss(trial.y, found.proba), rel=1e-12)
        assert found.brier == pytest.approx(brier_score_loss(trial.y, found.proba), rel=1e-12)
        cosine = found.coef @ clean / math.sqrt((found.coef @ found.coef) * (clean @ clean))
        assert math.cos(math.radians(found.angle)) == pytest.approx(cosine, abs=1e-9)
        assert (found.angle > 1) == (name != CLEAN)
        assert found.seconds > 0


def test_the_published_em_takes_its_samples_and_steps(monkeypatch):
    assert (fit.N_SAMPLES, fit.N_STEPS) == (10, 400)
    monkeypatch.setattr(fit, "N_STEPS", 3)
    config = replace(DIGITS, methods=(PUBLISHED,), n_train=20)
    _, _, X_noisy, y_noisy, *_ = training.draw_release(config)
    model = ImportanceSampledLogisticRegression(config.labels, config.pixels, n_samples=10, n_steps=3)
    model.fit(X_noisy, y_noisy)
    found = training.run(config).fits[PUBLISHED]
    np.testing.assert_allclose(found.coef, model.coef_[0], rtol=1e-9)
    assert found.effective_samples == pytest.approx(np.mean(model.effective_sample_size_))
