"""Classifiers from released data, and the penalty they choose: scikit-learn, enumeration, plain cross-validation."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from privdemo.estimators import likelihoods, pixel_priors
from privdemo.estimators.inputs import GaussianInputs
from privdemo.estimators.likelihoods import Model
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.estimators.penalties import C_GRID
from privdemo.estimators.pixel_priors import PixelPrior, suited_prior
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.estimators.oracles import class_probs, rng, truths

FLIPS, PIXELS = BinaryChannel(0.1, 0.3), RandomisedResponse(0.3, 3)
STATES = rng(10).integers(0, 3, (20, 3)).astype(np.uint8)
X, Y = rng(9).random((20, 3)), np.tile([0, 1], 10)
METHODS = [NaiveLogisticRegression, SpreadLogisticRegression, ReconstructionLogisticRegression]
every_method = pytest.mark.parametrize("method", METHODS)


def simulate(n, d, n_classes=2, seed=0, strength=2.0):
    """Inputs in [0, 1], classes sampled from a logistic model of them, and that model."""
    generator, n_scores = rng(seed), 1 if n_classes == 2 else n_classes
    coef, x = strength * generator.normal(size=(d, n_scores)), generator.random((n, d))
    model = Model(coef, 0.3 - 0.5 * coef.sum(axis=0))
    chances = class_probs(x, *model[:2])
    return x, (generator.random((n, 1)) > chances.cumsum(axis=1)[:, :-1]).sum(axis=1), model


@pytest.mark.parametrize(("n_classes", "C"), [(2, 0.03), (4, 3.0)])
@every_method
def test_with_true_labels_and_clean_inputs_it_is_logistic_regression(n_classes, C, method):
    x, y, _ = simulate(150, 5, n_classes)
    found = method(C=C, tol=1e-7).fit(x, y)
    expected = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(x, y)
    # a gradient of 10⁻⁷ a person over a curvature of at least 1/(C n) = 2·10⁻³
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-4)
    intercept = expected.intercept_ - expected.intercept_.mean() * (n_classes > 2)
    np.testing.assert_allclose(found.intercept_ - found.intercept_.mean() * (n_classes > 2), intercept, atol=1e-4)
    np.testing.assert_array_equal(found.predict(x), expected.predict(x))
    np.testing.assert_allclose(found.predict_proba(x), expected.predict_proba(x), atol=3e-4)
    assert (found.C_, found.prior_) == (C, None)
    assert found.n_iter_ > 1


def test_sparse_inputs_are_dense_ones_and_channels_mechanisms_matrices_or_lists():
    x, y, _ = simulate(300, 6, 3)
    x *= x > 0.6
    channel = RandomisedResponse(0.2, 3)
    released, matrix = channel.randomise(y, rng(1)), channel.channel_matrix
    dense, sparse, listed = (
        SpreadLogisticRegression(given, tol=1e-9).fit(X, released)
        for given, X in ((channel, x), (matrix, csr_array(x)), (matrix.tolist(), x))
    )
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
    np.testing.assert_array_equal(listed.coef_, dense.coef_)
    found = sparse.released_proba(csr_array(x), released)
    np.testing.assert_allclose(found, dense.released_proba(x, released), atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_is_told_of_a_person_sums_over_every_truth(n_classes):
    generator, n_scores = rng(3), 1 if n_classes == 2 else n_classes
    channel, prior = (
        generator.dirichlet(np.ones(3), n_classes).T,
        PixelPrior(np.arange(3), generator.dirichlet(np.ones(3), 4)),
    )
    model = Model(generator.normal(size=(4, n_scores)), generator.normal(size=n_scores))
    states, labels = generator.integers(0, 3, (5, 4)).astype(np.uint8), np.array([0, 1, 2, 1, 0])
    exact, close = (SpreadLogisticRegression(channel, PIXELS, prior, max_iter=1, exact=e) for e in (True, False))
    for fit in (exact, close):
        with pytest.warns(ConvergenceWarning, match="not converged in 1 steps: raise max_iter or lower C"):
            fit.fit(states, labels)
        fit.coef_, fit.intercept_ = model.coef.T, model.intercept
    for person, (label, image) in enumerate(zip(labels, states, strict=True)):
        terms = np.array(list(truths(*model[:2], channel[label], image, prior, PIXELS.channel_matrix)))
        for given, joint in (((states, labels), terms[:, 0]), ((states,), terms[:, 1] * terms[:, 2])):
            by_class = joint.reshape(-1, n_classes).sum(axis=0)
            found = exact.released_proba(*given)[person]
            np.testing.assert_allclose(found, by_class / by_class.sum(), atol=1e-12)
    moments = pixel_priors.posterior_moments(PIXELS, states, prior)
    inputs = GaussianInputs(moments.mean / 2, moments.variance / 4)
    by_hand = likelihoods.released_log_likelihood(inputs, np.log(channel[labels]), model).mean()
    assert close.score_released(states, labels) == pytest.approx(by_hand, abs=1e-5)  # in single precision
    assert abs(exact.score_released(states, labels) - by_hand) < 0.05  # though four pixels are few for a central limit


@pytest.mark.parametrize("pixels", [PIXELS, GaussianNoise(0.3), LaplaceNoise(0.2)])
def test_words_for_priors_mean_the_priors_of_released_inputs(pixels):
    clean = rng(1).integers(0, 3, (100, 3)).astype(np.uint8)
    released = pixels.randomise(pixels.from_states(clean, 3), rng(1))
    y = FLIPS.randomise((clean.sum(axis=1) > 3).astype(int), rng(2))
    for word in ("learned", "flat"):
        expected = pixel_priors.suited_prior(pixels, released, word == "learned")
        by_word, by_prior = (SpreadLogisticRegression(FLIPS, pixels, p).fit(released, y) for p in (word, expected))
        np.testing.assert_array_equal(by_word.coef_, by_prior.coef_)
        assert by_prior.prior_ is expected
    for dtype in (released.dtype,) if pixels is PIXELS else (np.float32, np.float64):  # no copy in double precision
        kept = by_word._inputs(released.astype(dtype)).mean.dtype
        assert kept == (np.float32 if pixels is PIXELS else dtype)


# Weights must do what repeats do, to more digits than a usual fit has.
@parametrize_with_checks([method(tol=1e-10) for method in METHODS[:2]])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@every_method
def test_defaults_and_tags(method):
    shared = {"C": 1.0, "cv": 5, "tol": 1e-4, "max_iter": 2000, "random_state": 0, "pixels": None}
    more = {"channel": None, "prior": "learned", "exact": False, "n_nodes": 16}
    assert method().get_params() == (shared if method is NaiveLogisticRegression else shared | more)
    assert method().__sklearn_tags__().input_tags.sparse
    assert not method(pixels=PIXELS).__sklearn_tags__().input_tags.sparse
    np.testing.assert_allclose(np.log10(C_GRID), np.arange(-4, 1.5, 0.5), atol=1e-12)


NO_RELEASE = np.array([[0.5, 0.4], [0.5, 0.6], [0.0, 0.0]])
NOISE, RESPONSE = {"pixels": GaussianNoise(0.1)}, {"pixels": PIXELS}


@pytest.mark.parametrize(
    ("settings", "x", "y", "error", "sentence"),
    [
        ({}, X, 0 * Y, ValueError, "y must hold two classes or more, got one class only: 0"),
        (RESPONSE, STATES + 1, Y, ValueError, r"must hold states in \[0, 2\], got 3"),
        (RESPONSE, csr_array(STATES), Y, TypeError, "X must be dense where pixels are noisy"),
        ({"pixels": "noise"}, X, Y, TypeError, "pixels must be a mechanism or None, got 'noise'"),
        ({"channel": BinaryChannel(0.3, 0.7)}, X, Y, ValueError, "channel says nothing: every class is released alike"),
        ({"channel": [[0.6, 0.6, 0.2], [0.4, 0.4, 0.8]]}, X, Y, ValueError, "classes 0 and 1 alike, .*; merge them"),
        ({"channel": FLIPS}, X, Y + 1, ValueError, r"y must hold released labels in \[0, 1\], got 2: is channel the"),
        ({"channel": NO_RELEASE}, X, 2 * Y, ValueError, "labels that the channel can release, got 2, which no class"),
        ({"prior": "true", **RESPONSE}, STATES, Y, ValueError, "'learned', 'flat', 'low rank' or a prior, got 'true'"),
        ({"exact": True, **NOISE}, X, Y, ValueError, "it needs randomised response; use exact=False"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(settings, x, y, error, sentence):
    with pytest.raises(error, match=sentence):
        SpreadLogisticRegression(**settings).fit(x, y)


def test_releases_are_checked_as_what_was_fitted():
    fitted = SpreadLogisticRegression(FLIPS, PIXELS)
    with pytest.raises(NotFittedError, match="This SpreadLogisticRegression instance is not fitted yet"):
        fitted.released_proba(STATES)
    fitted.fit(STATES, Y)
    for ask in (fitted.predict, fitted.released_proba, lambda x: fitted.score_released(x, Y)):
        with pytest.raises(ValueError, match=r"must hold states in \[0, 2\], got 3"):
            ask(STATES + 1)
    with pytest.raises(ValueError, match=r"y must hold released labels in \[0, 1\], got 2"):
        fitted.score_released(STATES, Y + 1)
    named = SpreadLogisticRegression().fit(X, np.where(Y, 9, 7))
    assert named.score_released(X, np.where(Y, 9, 7)) < 0
    with pytest.raises(ValueError, match=r"y must hold the classes that were fitted, \[7 9\], got .*8"):
        named.score_released(X, Y + 7)


def cv_case(method, n=120):
    """An estimator with C="cv", and what it is fitted to."""
    frequencies = rng(1).dirichlet(np.ones(3), 3)
    clean = (rng(2).random((n, 3, 1)) > frequencies.cumsum(axis=1)[:, :-1]).sum(axis=2).astype(np.uint8)
    y = FLIPS.randomise((rng(4).random(n) < expit(clean @ np.array([3.0, -3, 2]) - 2)).astype(int), rng(5))
    settings = {} if method is NaiveLogisticRegression else {"channel": FLIPS}
    return method(pixels=PIXELS, C="cv", tol=1e-5, **settings), PIXELS.randomise(clean, rng(3)), y


@pytest.mark.parametrize("method", [NaiveLogisticRegression, SpreadLogisticRegression])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_search_is_plain_cross_validation_on_released_data(method, weighted):
    """The folds are those of the rows; in each, and in what is held out, a row counts as so many people."""
    estimator, released, y = cv_case(method)
    weights = rng(7).integers(0, 4, len(y)) if weighted else np.ones(len(y), int)
    prior = {} if method is NaiveLogisticRegression else {"prior": suited_prior(PIXELS, released, True)}
    estimator.set_params(**prior, cv=4, random_state=2).fit(released, y, weights if weighted else None)
    splits = list(StratifiedKFold(4, shuffle=True, random_state=2).split(released, y))  # the same for every method
    tried = len(estimator.cv_scores_)
    for step in sorted({0, tried // 2, tried - 1}):
        held_out = 0.0
        for seen, unseen in splits:
            known, out = np.repeat(seen, weights[seen]), np.repeat(unseen, weights[unseen])
            fold = clone(estimator).set_params(C=C_GRID[step]).fit(released[known], y[known])
            held_out += len(out) * fold.score_released(released[out], y[out])
        # the search solves to gradients of 10⁻⁴ a person only …
        assert estimator.cv_scores_[step] == pytest.approx(held_out / weights.sum(), abs=3e-4)
    assert np.ptp(estimator.cv_scores_) > 3e-3  # … and strengths differ by more
    assert C_GRID[int(np.argmax(estimator.cv_scores_))] == estimator.C_
    assert weights @ estimator.held_out_ / weights.sum() == pytest.approx(estimator.cv_scores_.max())
    fixed = clone(estimator).set_params(C=estimator.C_).fit(released, y, weights)
    # begun at 0 instead of along the strengths: the same maximum, to gradients of 10⁻⁵ a person on curvatures of 10⁻²
    np.testing.assert_allclose(fixed.coef_, estimator.coef_, rtol=2e-2)
    assert not hasattr(fixed, "cv_scores_")


def held_out_by_hand(C, x, y):
    """Each person's log-likelihood under the model of the folds without them."""
    found = np.empty(len(y))
    for seen, unseen in StratifiedKFold(5, shuffle=True, random_state=0).split(x, y):
        fold = NaiveLogisticRegression(C=C, tol=1e-5).fit(x[seen], y[seen])
        found[unseen] = np.log(fold.predict_proba(x[unseen])[np.arange(len(unseen)), y[unseen]])
    return found


def test_the_search_ends_where_a_penalty_is_worse_than_the_best_by_three_standard_errors():
    x, y = rng(1).normal(size=(120, 60)), rng(2).integers(0, 2, 120)  # nothing to learn, and much to overfit
    scores = NaiveLogisticRegression(C="cv").fit(x, y).cv_scores_
    by_hand = np.array([held_out_by_hand(C, x, y) for C in C_GRID])
    lost = [by_hand[by_hand[: i + 1].mean(axis=1).argmax()] - by_hand[i] for i in range(len(C_GRID))]
    behind = [0 if not one.any() else one.mean() / (one.std() / np.sqrt(120)) for one in lost]
    last = int(np.argmax(np.array(behind) > 3))
    assert 0 < last < len(C_GRID) - 1
    assert min(abs(np.array(behind) - 3)) > 0.1  # so that solving to a gradient of 10⁻³ ends at the same
    assert len(scores) == last + 1
    np.testing.assert_allclose(scores, by_hand.mean(axis=1)[: last + 1], atol=1e-2)
    x, y, _ = simulate(200, 3)  # all is signal
    assert len(NaiveLogisticRegression(C="cv").fit(x, y).cv_scores_) == len(C_GRID)
