"""Every method on one draw: marks of models fitted here, by scikit-learn, and what no method may see."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig, all_negative, draw_release, fit, run
from privdemo.mechanisms.aggregation import dense
from privdemo.methods import ALTERNATING, FULL, LABELLED, LLP, MEAN_MAP, NAMES
from tests.experiments.label_proportions.cases import (
    ALL,
    CASES,
    GROUPED,
    MODELS,
    NOISY,
    f1_marks,
    fit_model,
    labelled_rows,
    run_once,
)


def matching_threshold(scores, counts, wanted):
    """Midway between the two scores between which a number of records nearest to `wanted` lies above, by trying all."""
    values = np.unique(scores)
    ends = np.concatenate(([-np.inf], (values[1:] + values[:-1]) / 2, [np.inf]))
    return min(ends, key=lambda end: abs(counts[scores > end].sum() - wanted))


@pytest.mark.parametrize("config", CASES.values(), ids=CASES)
def test_marks_are_scikit_learns_of_models_fitted_here(config):
    trial, released = run_once(config), draw_release(config)
    single = config.k == 1 and math.isinf(config.feature_epsilon)
    assert list(trial.fits) == [name for name in ALL if name != LABELLED or not single]
    y, share = released.test.y, min(max(released.sizes @ released.proportions, 0), released.sizes.sum())
    for name, found in trial.fits.items():
        model = fit_model(name, config)
        scores = model.decision_function(released.test.X)
        assert (found.method, found.C) == (name, model.C_)
        assert found.seconds > 0
        assert set(found.f1) == ({HALF, SHARE} if single else {HALF})
        assert found.f1[HALF] == pytest.approx(f1_marks(y, model.predict_proba(released.test.X)[:, 1] > 0.5))
        if single:
            own = released.records.y.sum() if name == FULL else share  # who has the labels needs no noisy share
            threshold = matching_threshold(model.decision_function(released.rows), released.counts, own)
            assert found.f1[SHARE] == pytest.approx(f1_marks(y, scores > threshold))
    for b, block in enumerate(trial.blocks):
        assert sorted(block) == sorted(released.counts[released.names == b])
    np.testing.assert_array_equal(trial.sizes, released.sizes)
    np.testing.assert_array_equal(trial.proportions, released.proportions)
    np.testing.assert_array_equal(trial.true_proportions, released.true_proportions)
    assert (trial.loss, trial.least_labels, trial.identified) == (released.loss, released.least_labels, True)
    assert (trial.n_test, trial.test_share) == (len(y), y.mean())


@pytest.mark.parametrize("config", [GROUPED, replace(GROUPED, k=9), NOISY])
def test_labels_of_means_are_logistic_regressions_on_their_weights(config):
    released, found = draw_release(config), run_once(config).fits[LABELLED]
    X, y, weight = labelled_rows(released)
    model = LogisticRegression(C=found.C, tol=1e-8, max_iter=5000)
    named = model.fit(X, y, weight).predict(released.test.X) == 1
    # two records of 171 next to the boundary: fits stop at a gradient of 10⁻⁴
    assert found.f1[HALF].average == pytest.approx(f1_marks(released.test.y, named)[2], abs=2 / 171)
    swapped = model.fit(X, 1 - y, weight).predict(released.test.X) == 1
    assert found.f1[HALF].average > f1_marks(released.test.y, swapped)[2] + 0.5


def test_full_labels_are_always_there_and_a_method_is_not_changed_by_others():
    whole = run_once(NOISY)
    for methods in ((NAMES,), (LLP, LLP, MEAN_MAP), (FULL,), (ALTERNATING, LABELLED)):
        trial = run(replace(NOISY, methods=methods))
        assert list(trial.fits) == list(dict.fromkeys((FULL, *methods)))
        for name, found in trial.fits.items():
            assert (found.f1, found.C) == (whole.fits[name].f1, whole.fits[name].C)


def test_methods_see_no_label_of_a_record_and_no_test_record(monkeypatch):
    """With other labels behind the same release, what bag methods know stays; with other test labels, all models do."""
    first, released = run_once(GROUPED), draw_release(GROUPED)
    other_labels = released._replace(
        positives=released.counts - released.positives, records=released.records._replace(y=1 - released.records.y)
    )
    monkeypatch.setattr(fit, "draw_release", lambda config: other_labels)
    other = run(GROUPED)
    for name in MODELS:
        assert (other.fits[name].f1, other.fits[name].C) == (first.fits[name].f1, first.fits[name].C)
    assert all(other.fits[name].f1[HALF].average < 0.2 < first.fits[name].f1[HALF].average for name in (FULL, LABELLED))
    other_test = released._replace(test=released.test._replace(y=1 - released.test.y))
    monkeypatch.setattr(fit, "draw_release", lambda config: other_test)
    assert [found.C for found in run(GROUPED).fits.values()] == [found.C for found in first.fits.values()]


@pytest.mark.parametrize("method", MODELS)
def test_bags_of_one_proportion_identify_nothing_and_are_said_to(method):
    config = BagConfig("breast_cancer", 2, 5, methods=(method,))
    shares = ((draw, draw_release(at_draw(config, draw)).proportions) for draw in range(30))
    # two bags of five are equal with about ¼
    alike = next(draw for draw, share in shares if np.ptp(share) == 0 and 0 < share[0] < 0.5)
    trial = run(at_draw(config, alike))
    assert not trial.identified
    found = trial.fits[method]
    nothing = pytest.approx(all_negative([trial]), abs=1e-12)
    assert found.f1[HALF] == nothing  # everybody gets the share, under ½, so all are named negative
    assert found.f1[SHARE] == nothing
    assert math.isnan(found.C)
    attack = trial.attack
    assert attack.both_right == attack.bag_right == attack.model_right == attack.prior_right


def test_bags_may_take_all_records_and_a_mean_a_whole_bag():
    whole = run(BagConfig("breast_cancer", 199, 2, methods=(NAMES,)))
    assert whole.fits[NAMES].f1[HALF].average > 0.8
    one_mean = run(replace(GROUPED, k=20))
    assert [len(block) for block in one_mean.blocks] == [1] * 15
    assert one_mean.fits[LLP].f1[HALF].average > 0.7


def slides_gradient(X, bags, weight, share):
    """Σ over bags of (π − ½) x̄."""
    means = [np.average(dense(X)[bags == b], axis=0, weights=weight[bags == b]) for b in range(len(share))]
    return sum((p - 0.5) * mean for p, mean in zip(share, means, strict=True))


@pytest.mark.parametrize("config", CASES.values(), ids=CASES)
def test_means_do_not_turn_the_slides_gradient_and_noise_does(config):
    turned, r = run(replace(config, methods=(FULL,))).turned, draw_release(config)
    before = slides_gradient(r.records.X, r.record_bags, np.ones(len(r.records.y)), r.true_proportions)
    after = slides_gradient(r.rows, r.names, r.counts, np.clip(r.proportions, 0, 1))
    assert turned == pytest.approx(np.linalg.norm(after - before) / np.linalg.norm(before), abs=1e-12)
    noiseless = math.isinf(config.feature_epsilon) and math.isinf(config.proportion_epsilon)
    assert turned < 1e-12 if noiseless else turned > 0.001
