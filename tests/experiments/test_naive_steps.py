"""Ignoring the noise by gradient steps: against a loop by hand, and the shipped file."""

import numpy as np
import pytest
from scipy.special import expit

from privdemo.experiments import naive_steps, results, running
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.training.release import sample_release
from privdemo.mechanisms import RandomisedResponse


def test_the_model_is_that_of_400_steps_along_the_mean_gradient_without_a_penalty():
    config = TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.2, 17))
    release = sample_release(config)
    X, w, b = release.X_noisy / 16, np.zeros(64), 0.0
    for _ in range(400):
        error = release.y_noisy - expit(X @ w + b)
        w, b = w + 0.2 * X.T @ error / len(X), b + 0.2 * error.mean()
    model = naive_steps.unpenalised(17).fit(release.X_noisy, release.y_noisy)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-6)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-6)
    proba = expit(release.X_test / 16 @ w + b)
    accuracy, log_loss = naive_steps.run(config)
    assert accuracy == ((proba > 0.5) == release.y_test).mean()
    assert log_loss == pytest.approx(-np.log(np.where(release.y_test == 1, proba, 1 - proba)).mean(), rel=1e-5)


@pytest.mark.usefixtures("mnist")
def test_a_recomputed_row_is_in_the_results_file():
    (row,) = running.in_one_thread(naive_steps.run_trial, 0.4, 3)
    (again,) = results.from_csv(naive_steps.Row, results.to_csv(naive_steps.Row, [row]))
    assert again in naive_steps.load()


@pytest.mark.usefixtures("mnist")
def test_a_recomputed_trial_without_noise_is_in_its_file():
    (row,) = running.in_one_thread(naive_steps.run_clean_trial, 2)
    (again,) = results.from_csv(naive_steps.Row, results.to_csv(naive_steps.Row, [row]))
    assert again in naive_steps.CLEAN_STUDY.load()
