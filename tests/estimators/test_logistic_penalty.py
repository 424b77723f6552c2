"""The penalty that classifiers from released data choose, against plain cross-validation on what was released."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from privdemo.estimators.logistic import CS, NaiveLogisticRegression, SpreadLogisticRegression
from privdemo.estimators.pixel_priors import suited_prior
from tests.estimators.oracles import rng
from tests.estimators.test_logistic import FLIPS, PIXELS, simulate


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
            fold = clone(estimator).set_params(C=CS[step]).fit(released[known], y[known])
            held_out += len(out) * fold.score_released(released[out], y[out])
        # the search solves to gradients of 10⁻⁴ a person only …
        assert estimator.cv_scores_[step] == pytest.approx(held_out / weights.sum(), abs=3e-4)
    assert np.ptp(estimator.cv_scores_) > 3e-3  # … and strengths differ by more
    assert CS[int(np.argmax(estimator.cv_scores_))] == estimator.C_
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
    by_hand = np.array([held_out_by_hand(C, x, y) for C in CS])
    lost = [by_hand[by_hand[: i + 1].mean(axis=1).argmax()] - by_hand[i] for i in range(len(CS))]
    behind = [0 if not one.any() else one.mean() / (one.std() / np.sqrt(120)) for one in lost]
    last = int(np.argmax(np.array(behind) > 3))
    assert 0 < last < len(CS) - 1
    assert min(abs(np.array(behind) - 3)) > 0.1  # so that solving to a gradient of 10⁻³ ends at the same
    assert len(scores) == last + 1
    np.testing.assert_allclose(scores, by_hand.mean(axis=1)[: last + 1], atol=1e-2)
    x, y, _ = simulate(200, 3)  # all is signal
    assert len(NaiveLogisticRegression(C="cv").fit(x, y).cv_scores_) == len(CS)


def test_rare_labels_do_not_stop_the_choice_of_a_penalty():
    """Bags of fewer people than folds: the folds are drawn without regard to labels."""
    channel, bags, x = rng(1).dirichlet(np.ones(30), 2).T, np.arange(60) % 30, rng(2).random((60, 3))
    fitted = SpreadLogisticRegression(channel, C="cv", cv=3).fit(x, bags)
    held_out = 0.0
    for seen, unseen in KFold(3, shuffle=True, random_state=0).split(x):
        fold = SpreadLogisticRegression(channel, C=CS[0]).fit(x[seen], bags[seen])
        held_out += len(unseen) * fold.score_released(x[unseen], bags[unseen])
    assert fitted.cv_scores_[0] == pytest.approx(held_out / 60, abs=1e-3)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (-np.eye(120)[0] + 1e-3, "Negative values in data passed to `sample_weight`"),
        (np.zeros(120), "Sample weights must contain at least one non-zero number"),
        (np.eye(120)[0], "sample_weight leaves a fold with nobody to learn from"),
    ],
)
def test_weights_that_count_nobody_are_refused(weight, sentence):
    estimator, released, y = cv_case(SpreadLogisticRegression)
    with pytest.raises(ValueError, match=sentence):
        estimator.fit(released, y, weight)
