"""Bags of records against plain loops with 50 digits, linear programs, counting, and refusals of nonsense."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from privdemo.estimators import bags as functions
from privdemo.estimators.bags import bag_channel, bag_log_likelihood, group_by_bag, most_likely_labels
from tests.estimators import oracles
from tests.estimators.oracles import rng


def some_bags(sizes=(3, 1, 7, 4, 12, 5), seed=0):
    """Records in no order, their bags, proportions and weights."""
    generator, n = rng(seed), sum(sizes)
    bags = generator.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return generator.random((n, 3)), bags, generator.integers(0, 11, len(sizes)) / 10, generator.integers(1, 5, n) * 0.5


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_rows_are_sorted_by_bag_and_summed_over_it(kind):
    X, names, p, weights = some_bags()
    weights[[0, 5]] = 0  # nobody's rows
    data = group_by_bag(kind(X), names, p, weights)
    order = [i for i in np.argsort(names, kind="stable") if weights[i] > 0]
    np.testing.assert_array_equal(data.X.todense() if kind is csr_array else data.X, X[order])
    np.testing.assert_array_equal(data.weight, weights[order])
    np.testing.assert_array_equal(data.to_rows(np.arange(6)), names[order])
    np.testing.assert_array_equal(data.n_rows, [sum(names[order] == bag) for bag in range(6)])
    sizes = np.array(oracles.bag_sizes(names, weights, 6))
    np.testing.assert_allclose(data.size, sizes, rtol=1e-14)
    assert data.share == pytest.approx(sizes @ p / sizes.sum(), rel=1e-13)
    np.testing.assert_allclose(data.centre, weights @ X / weights.sum(), rtol=1e-13)
    means = np.array([weights[names == bag] @ X[names == bag] / sizes[bag] for bag in range(6)])
    np.testing.assert_allclose(data.mean_records(), means, rtol=1e-13)
    values = rng(1).normal(size=len(X))
    expected = [weights[names == bag] @ values[names == bag] for bag in range(6)]
    np.testing.assert_allclose(data.sums(values[order]), expected, rtol=1e-12, atol=1e-14)
    root = np.sqrt(sizes)[:, None]
    by_class = np.linalg.lstsq(root * np.stack((1 - p, p), axis=1), root * means)[0]
    np.testing.assert_allclose(functions.class_means(data), by_class, rtol=1e-10)
    some = data.take(np.array([4, 0, 2]))
    np.testing.assert_array_equal((some.proportions, some.n_rows), (p[[4, 0, 2]], data.n_rows[[4, 0, 2]]))
    np.testing.assert_allclose(some.mean_records(), means[[4, 0, 2]], rtol=1e-13)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1, 30, 800])
def test_the_likelihood_is_that_of_a_plain_loop_however_sure_the_model(scale):
    X, names, _, weights = some_bags()
    proportions, order = np.array([0.0, 1.0, 0.3, 0.0, 1.0, 0.9]), np.argsort(names, kind="stable")
    bags = group_by_bag(X, names, proportions, weights)
    for seed in range(2):
        scores = scale * (rng(seed).choice([-1.0, 1.0], len(names)) if scale > 1 else rng(seed).normal(size=len(names)))
        if seed:
            scores = np.abs(scores) * np.where(proportions < 0.5, 1.0, -1.0)[names]  # as wrong as can be
        values, slopes = bag_log_likelihood(scores[order], bags)
        expected, expected_slopes = oracles.bag_log_likelihood(scores, names, proportions, weights)
        assert values.shape == (6,)
        # logarithms of up to 800 are right to 10⁻¹³, and exp of them to as much; means of 1 are rounded to 10⁻¹⁵
        np.testing.assert_allclose(values, expected, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(slopes, expected_slopes[order], rtol=1e-11, atol=1e-300)


def test_at_zero_weights_the_gradient_needs_the_mean_records_alone():
    bags = group_by_bag(*some_bags())
    expected = bags.X.T @ bag_log_likelihood(np.zeros(len(bags.weight)), bags)[1]
    np.testing.assert_allclose(functions.gradient_at_zero(bags), expected, atol=1e-14)  # sums of 32 values in [0, 1]
    assert np.abs(expected).max() > 1e-2


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(any), min_size=2, max_size=8))
def test_the_bag_channel_is_bayes_rule_by_counting_records(counts):
    positive, negative = np.array(counts).T
    assume(positive.any() and negative.any())
    sizes = positive + negative
    channel = bag_channel((positive / sizes).tolist(), sizes.tolist())
    expected = np.stack((negative / negative.sum(), positive / positive.sum()), axis=1)
    np.testing.assert_allclose(channel, expected, rtol=1e-13, atol=1e-17)
    data = group_by_bag(
        np.ones((sizes.sum(), 1)), np.repeat(np.arange(len(counts)), sizes), positive / sizes, np.ones(sizes.sum())
    )
    assert data.contrast == pytest.approx(np.maximum(0, channel[:, 1] - channel[:, 0]).sum(), abs=1e-12)


def test_the_channel_of_many_classes_and_the_nearest_shares_by_hand():
    # classes have 1 + 6 = 7, 2 + 0 = 2 and 1 + 2 = 3 records
    channel = functions.name_channel([[0.25, 0.5, 0.25], [0.75, 0.0, 0.25]], [4, 8])
    np.testing.assert_allclose(channel, [[1 / 7, 1, 1 / 3], [6 / 7, 0, 2 / 3]], rtol=1e-14)

    np.testing.assert_array_equal(functions.project_proportions([-0.4, 0.0, 0.3, 1.0, 1.7]), [0, 0, 0.3, 1, 1])


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_most_likely_labels_are_the_best_of_all_that_sum_to_the_proportion(seed, whole):
    """The loss is Σ softplus − Σ labels · scores; the best labels in [0, 1] solve a linear program in each bag."""
    sizes = (5, 1, 7, 3, 6)
    X, bags, p, weights = some_bags(sizes, seed=seed)
    bags = np.sort(bags)
    if whole:
        weights, p = np.ones(len(bags)), np.array([rng(seed + n).integers(0, n + 1) / n for n in sizes])
    scores = np.round(rng(seed).normal(0, 2, len(bags)), seed)  # with seed 0, many are equal
    labels = most_likely_labels(scores, group_by_bag(X, bags, p, weights))
    assert ((labels >= 0) & (labels <= 1)).all()
    for bag in range(len(sizes)):
        mine = bags == bag
        total = p[bag] * weights[mine].sum()
        best = linprog(-(weights * scores)[mine], A_eq=weights[None, mine], b_eq=[total], bounds=(0, 1))
        assert weights[mine] @ labels[mine] == pytest.approx(total, abs=1e-12)
        assert -((weights * scores * labels)[mine].sum()) == pytest.approx(best.fun, abs=1e-9)  # linprog's own
        if whole:
            np.testing.assert_allclose(labels[mine], np.rint(labels[mine]), atol=1e-12)


GOOD = {"bags": np.repeat([0, 1, 2], 4), "proportions": [0.2, 0.5, 0.8], "weight": np.ones(12)}


@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        ({"proportions": [0.2, 1.1, 0.8]}, ValueError, r"in \[0, 1\], got 1.1 for bag 1; project_proportions"),
        ({"proportions": [0, 0, 0]}, ValueError, "all bags are wholly negative, so only one class is known of"),
        ({"bags": np.repeat([0.0, 1, 2], 4)}, TypeError, "one whole number for each row of X, got float64"),
        ({"weight": np.repeat([1.0, 0, 1], 4)}, ValueError, "bag 1 is empty"),
    ],
)
def test_bags_that_say_nothing_or_nonsense_are_refused(wrong, error, sentence):
    with pytest.raises(error, match=sentence):
        group_by_bag(rng().random((12, 2)), **GOOD | wrong)
    for shares in ([0.5, 1.2], [0, 0]):  # nor is there a channel of them
        with pytest.raises(ValueError, match=r"got 1.2 for bag 1|wholly negative"):
            bag_channel(shares, [3, 4])
