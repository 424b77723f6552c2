"""Every method on one draw: marks by scikit-learn of models fitted here."""

import math

import numpy as np
import pytest

from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig, all_negative, draw_release, run
from privdemo.mechanisms.aggregation import dense
from privdemo.methods import FULL, LABELLED
from tests.experiments.label_proportions.cases import ALL, CASES, MODELS, f1_marks, fit_model, run_once


def matching_threshold(scores, counts, wanted):
    """Midway between the two scores between which a number of records nearest to `wanted` lies above, by trying all."""
    values = np.unique(scores)
    ends = np.concatenate(([-np.inf], (values[1:] + values[:-1]) / 2, [np.inf]))
    return min(ends, key=lambda end: abs(counts[scores > end].sum() - wanted))


def slides_gradient(X, bags, weight, share):
    """Σ over bags of (π − ½) x̄."""
    means = [np.average(dense(X)[bags == b], axis=0, weights=weight[bags == b]) for b in range(len(share))]
    return sum((p - 0.5) * mean for p, mean in zip(share, means, strict=True))


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
    r = released
    before = slides_gradient(r.records.X, r.record_bags, np.ones(len(r.records.y)), r.true_proportions)
    after = slides_gradient(r.rows, r.names, r.counts, np.clip(r.proportions, 0, 1))
    assert trial.turned == pytest.approx(np.linalg.norm(after - before) / np.linalg.norm(before), abs=1e-12)


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
