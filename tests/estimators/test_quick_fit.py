"""Quick fits of three or more classes end where slow ones do, and choose the penalty that held-out people favour."""

from functools import partial

import numpy as np
import pytest
from scipy.special import softmax

from privdemo.estimators import quick_fit
from privdemo.estimators.inputs import GaussianInputs, KnownInputs
from privdemo.estimators.likelihoods import Model, maximise, reconstruction, released_log_likelihood, total_of
from privdemo.estimators.likelihoods import spread_log_likelihood as spread
from privdemo.estimators.penalties import folds_of
from privdemo.mechanisms import RandomisedResponse
from tests.estimators.oracles import rng

K, D = 4, 6


def noisy_people(n, flip=0.2, signal_scale=2.0):
    """What is known of the inputs of n people, and log T[released label, class] of their labels, (n, K)."""
    generator, labels = rng(3), RandomisedResponse(flip, K)
    X = generator.random((n, D)) * np.array([1, 1, 1, 0.3, 0.1, 3])
    proba = softmax(signal_scale * X @ generator.normal(size=(D, K)), axis=1)
    y = (generator.random((n, 1)) > proba.cumsum(axis=1)).sum(axis=1)
    inputs = GaussianInputs(X + generator.normal(0, 0.2, X.shape), np.full((n, D), 0.04))
    y_noisy = labels.randomise(y, generator)
    return inputs, np.log(labels.channel_matrix[y_noisy]), y_noisy


@pytest.mark.parametrize("objective", [spread, reconstruction])
@pytest.mark.parametrize("known", [False, True])
def test_the_fit_converges_to_a_maximum_and_of_the_spread_likelihood_to_that_of_the_slow_fit(objective, known):
    inputs, log_rows, _ = noisy_people(300)
    inputs = KnownInputs(inputs.mean) if known else inputs
    weights, start, C = rng().integers(1, 3, 300).astype(float), Model(np.zeros((D, K)), np.zeros(K)), 0.5
    quick, *_ = quick_fit.fit_quickly(objective, inputs, log_rows, weights, C, [], 1e-10, 500)
    assert quick.converged
    _, slope, of_level = total_of(objective, inputs, log_rows, weights)(quick.coef, quick.intercept)
    # what a Newton step promises is at least gᵀg C/2, a person 3·10⁻¹¹
    assert np.linalg.norm(slope - quick.coef / C - np.outer(inputs.centre(weights), of_level)) < np.sqrt(
        2 * 3e-11 * weights.sum() / C * (1 + C * weights.sum())
    )
    if objective is spread:
        slow = maximise(objective, inputs, log_rows, weights, C, start, 1e-8, 5000)
        np.testing.assert_allclose(quick.coef, slow.coef, atol=1e-4)  # √(2 · 3·10⁻¹¹ n C) at most
    assert not quick_fit.fit_quickly(objective, inputs, log_rows, weights, C, [], 1e-10, 1)[0].converged


def test_the_quick_fit_takes_fewer_steps_than_the_slow_one_where_inputs_have_unlike_variances():
    inputs, log_rows, _ = noisy_people(2000)
    weights, start = np.ones(2000), Model(np.zeros((D, K)), np.zeros(K))
    quick, *_ = quick_fit.fit_quickly(spread, inputs, log_rows, weights, 1.0, [], 1e-4, 500)
    assert quick.n_iter < maximise(spread, inputs, log_rows, weights, 1.0, start, 1e-4, 500).n_iter


@pytest.mark.parametrize(("n", "signal_scale", "n_folds"), [(120, 0.3, 5), (1500, 3.0, 1)])
def test_C_has_nearly_the_best_held_out_score_and_no_more_folds_are_fitted_than_needed(
    n, signal_scale, n_folds, monkeypatch
):
    monkeypatch.setattr(quick_fit, "ENOUGH_PEOPLE", 300)
    inputs, log_rows, labels = noisy_people(n, 0.1, signal_scale)
    weights, start = np.ones(n), Model(np.zeros((D, K)), np.zeros(K))
    folds = folds_of(labels, weights, 5, 0)
    _, chosen_C, scores, held_out = quick_fit.fit_quickly(spread, inputs, log_rows, weights, None, folds, 1e-4, 500)
    fit = partial(maximise, spread, start=start, tol=1e-6, max_iter=2000)
    by_hand = []
    for C in quick_fit.C_DECADES:
        parts = [
            released_log_likelihood(
                inputs.take(out), log_rows[out], fit(inputs.take(seen), log_rows[seen], weights[seen], C)
            )
            for seen, out in folds[:n_folds]
        ]
        by_hand.append(np.concatenate(parts).mean())
    # a model that is surer than even odds is less curved, and a step gains some times what it promises
    assert by_hand[quick_fit.C_DECADES.index(chosen_C)] > max(by_hand) - 10 * quick_fit.ROUGH
    np.testing.assert_allclose(scores[: scores.argmax() + 1], by_hand[: scores.argmax() + 1], atol=0.02)
    assert np.flatnonzero(np.isfinite(held_out)).tolist() == sorted(np.concatenate([out for _, out in folds[:n_folds]]))
    assert np.nanmean(held_out) == pytest.approx(scores[quick_fit.C_DECADES.index(chosen_C)])
