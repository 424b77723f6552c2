"""The ∝SVM against its documented loss and every labelling."""

import numpy as np
import pytest

from privdemo.estimators.bags import group_by_bag
from privdemo.estimators.proportion_svm import ProportionSVM, _whole_labels
from tests.estimators.oracles import best_machine, labellings, rng, svm_loss


def easy(seed, n=40, gap=4.0, shares=(0.2, 0.7), origin=0.0):
    """Two clusters, and bags of `n` with these shares of the second."""
    generator = rng(seed)
    y = np.concatenate([np.arange(n) < round(share * n) for share in shares]).astype(int)
    bags = np.repeat(np.arange(len(shares)), n)
    X = generator.normal(size=(len(y), 2)) + gap * np.eye(2)[y] + origin
    return X, bags, np.array(shares)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0.1, 0.2), [0, 0, 0, 1]),  # rounding leaves no positive: the highest score of all is one
        ((0.9, 0.8), [0, 1, 1, 1]),  # none negative: the lowest is one
        ((0.7, 0.3), [0, 1, 0, 1]),
        ((1.0, 0.5), [1, 1, 0, 1]),
    ],
)
def test_shares_of_no_whole_number_are_rounded_and_both_labels_are_there(shares, expected):
    scores = np.array([-2.0, 1.0, 0.5, 2.0])
    labels = _whole_labels(scores, group_by_bag(scores[:, None], [0, 0, 1, 1], shares, np.ones(4)))
    np.testing.assert_array_equal(labels, np.array(expected), strict=True)


def labels_of(fit, X, bags, proportions):
    order = np.argsort(bags, kind="stable")
    data = group_by_bag(X, bags, proportions, np.ones(len(X)))
    labels = np.empty(len(X), int)
    labels[order] = _whole_labels(fit.decision_function(X)[order], data)
    return labels


@pytest.mark.parametrize(("C", "n_starts"), [(0.1, 1), (1.0, 5), (10.0, 1)])
def test_where_it_ends_the_machine_has_the_least_documented_loss_of_its_own_labels(C, n_starts):
    """‖w‖²/2 + C Σ …² over w and b: b is free, and so the loss does not depend on the origin."""
    for seed, origin in enumerate((0.0, 30.0, 100.0)):
        X, bags, p = easy(seed, gap=1.5, origin=origin)
        order = rng(seed).permutation(len(X))
        X, bags = X[order], bags[order]
        fit = ProportionSVM(C, n_starts=n_starts, random_state=seed).fit(X, bags, p)
        labels = labels_of(fit, X, bags, p)
        np.testing.assert_allclose([labels[bags == bag].mean() for bag in (0, 1)], p, rtol=1e-12)
        loss = svm_loss(np.append(fit.coef_[0], fit.intercept_), X, 2 * labels - 1, C)[0]
        assert fit.loss_ == pytest.approx(loss, rel=1e-10)
        # a solver that stops at 10⁻⁵, b penalised by 10⁻⁴; 3 % and more are left after a single round
        assert fit.loss_ == pytest.approx(best_machine(X, labels, C)[1], rel=1e-6)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_tiny_problems_no_labelling_is_better_than_that_of_many_starts(seed):
    """Two bags of four, every labelling. With one start alternating is stuck."""
    generator = rng(seed)
    bags, counts = np.repeat([0, 1], 4), generator.permutation([1, 2 + seed % 2])
    X = generator.normal(size=(8, 2))
    least = min(best_machine(X, labels, 1.0)[1] for labels in labellings(bags, counts))
    losses = [ProportionSVM(n_starts=n).fit(X, bags, counts / 4).loss_ for n in (1, 5, 10)]
    assert losses == sorted(losses, reverse=True)
    assert losses[2] == pytest.approx(least, rel=1e-6)
    assert losses[0] > 1.2 * least


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        *[
            ({"C": C}, r"C must be in \(0, 1000000000\], got .*; the inverse strength of the penalty$")
            for C in (0, "cv")
        ],
        ({"n_starts": 0}, "n_starts must be a whole number at least 1, got 0"),
    ],
)
def test_settings_out_of_range_are_refused(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        ProportionSVM(**settings).fit(*easy(1))
