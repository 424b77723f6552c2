"""Every method on one draw: marks by scikit-learn, and fits made here on the same release."""

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
from privdemo.experiments.training import release
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRUE
from tests.experiments.training.cases import ADDED, DIGITS, NO_NOISE, OUTWEIGHED, QUICK, K


def numbers(trial):
    """All that a trial found, but for the time it took."""
    fits = {
        name: [getattr(fit, field) for field in vars(fit) if field not in ("seconds", "proba", "coef")]
        + [*fit.proba, *fit.coef]
        for name, fit in trial.fits.items()
    }
    return fits, trial.y.tolist(), trial.attack


@pytest.mark.parametrize("config", [DIGITS, ADDED, OUTWEIGHED, NO_NOISE])
def test_marks_are_scikit_learns_and_weights_give_the_probabilities(config):
    trial = training.run(config)
    assert list(trial.fits) == [CLEAN, *(name for name in config.methods if name != CLEAN)]
    X_test = training.draw_release(config).X_test
    unit = X_test if config is ADDED else X_test / (K - 1)
    clean = trial.fits[CLEAN].coef
    for name, fit in trial.fits.items():
        assert fit.method == name
        # a logistic function is nowhere steeper than ¼, and pixels may be rounded to single precision
        tolerance = 0.25 * 2**-24 * np.abs(fit.coef).sum() + 1e-12
        np.testing.assert_allclose(fit.proba, expit(unit @ fit.coef + fit.intercept), rtol=0, atol=tolerance)
        assert fit.accuracy == accuracy_score(trial.y, fit.proba > 0.5)
        assert fit.log_loss == pytest.approx(log_loss(trial.y, fit.proba), rel=1e-12)
        assert fit.brier == pytest.approx(brier_score_loss(trial.y, fit.proba), rel=1e-12)
        cosine = fit.coef @ clean / math.sqrt((fit.coef @ fit.coef) * (clean @ clean))
        assert math.cos(math.radians(fit.angle)) == pytest.approx(cosine, abs=1e-9)
        assert fit.seconds > 0
        assert fit.effective_samples is None
    assert trial.fits[CLEAN].angle == pytest.approx(0, abs=1e-5)  # the arc cosine of 1 − 10⁻¹⁶ is 10⁻⁶ degrees
    assert config is NO_NOISE or all(fit.angle > 1 for name, fit in trial.fits.items() if name != CLEAN)


@pytest.mark.parametrize("config", [DIGITS, ADDED])
def test_fits_are_those_made_here_on_the_same_release(config):
    trial, released = training.run(config), training.draw_release(config)
    labels, pixels = config.labels, config.pixels
    clean, noisy = (released.X, released.y), (released.X_noisy, released.y_noisy)
    np.testing.assert_array_equal(trial.y, released.y_test)
    for name, model, data in (
        (CLEAN, NaiveLogisticRegression(pixels, C="cv"), clean),
        (NAIVE, NaiveLogisticRegression(pixels, C="cv"), noisy),
        (RECONSTRUCTION, ReconstructionLogisticRegression(labels, pixels, C="cv"), noisy),
        (SPREAD, SpreadLogisticRegression(labels, pixels, C="cv"), noisy),
        (FLAT, SpreadLogisticRegression(labels, pixels, "flat", C="cv"), noisy),
        (TRUE, SpreadLogisticRegression(labels, pixels, released.true_prior, C="cv"), noisy),
    ):
        model.fit(*data)
        fit = trial.fits[name]
        np.testing.assert_allclose(fit.coef, model.coef_[0], rtol=1e-9, atol=1e-12)
        assert fit.intercept == pytest.approx(model.intercept_[0], rel=1e-9)
        assert fit.C == model.C_
        np.testing.assert_allclose(fit.proba, model.predict_proba(released.X_test)[:, 1], rtol=1e-9)


def test_the_published_em_takes_its_samples_and_steps():
    config = replace(DIGITS, methods=(PUBLISHED,), n_train=20)
    _, _, X_noisy, y_noisy, *_ = training.draw_release(config)
    model = ImportanceSampledLogisticRegression(config.labels, config.pixels, n_samples=10, n_steps=400)
    model.fit(X_noisy, y_noisy)
    fit = training.run(config).fits[PUBLISHED]
    np.testing.assert_allclose(fit.coef, model.coef_[0], rtol=1e-9)
    assert fit.effective_samples == pytest.approx(np.mean(model.effective_sample_size_))
    assert 1 <= fit.effective_samples <= 10


def test_the_same_config_gives_the_same_and_methods_do_not_change_one_another():
    whole = numbers(training.run(DIGITS))
    assert numbers(training.run(replace(DIGITS))) == whole
    for methods in ((CLEAN,), (SPREAD, NAIVE), (FLAT, FLAT)):
        fits, y, attack = numbers(training.run(training.with_methods(DIGITS, methods)))
        assert fits == {name: whole[0][name] for name in (CLEAN, *methods)}
        assert (y, attack) == whole[1:]


def test_no_weight_or_penalty_is_chosen_by_test_labels(monkeypatch):
    """With other labels in the test part all weights stay, and every image that was right is wrong."""
    first, split = training.run(DIGITS), release._split

    def swapped(config, rng):
        train, test = split(config, rng)
        return train, replace(test, y=1 - test.y)

    monkeypatch.setattr(release, "_split", swapped)
    other = training.run(DIGITS)
    for name in QUICK:
        np.testing.assert_array_equal(other.fits[name].coef, first.fits[name].coef)
        assert other.fits[name].accuracy == pytest.approx(1 - first.fits[name].accuracy, abs=1e-12)
