"""Bags of records against plain loops with 50 digits, every labelling, counting, and refusals of nonsense."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from privdemo.estimators.bags import (
    bag_channel,
    bag_log_likelihood,
    class_means,
    gradient_at_zero,
    most_likely_labels,
    name_channel,
    project_proportions,
    read_bags,
)
from tests.estimators import oracles
from tests.estimators.oracles import labelled_loss, rng


def some_bags(sizes=(3, 1, 7, 4, 12, 5), d=3, seed=0):
    """Records in no order, their bags, proportions and weights."""
    draw, n = rng(seed), sum(sizes)
    bags = draw.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return draw.random((n, d)), bags, draw.integers(0, 11, len(sizes)) / 10, draw.integers(1, 5, n) * 0.5


# --- sums and means --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_rows_are_sorted_by_bag_and_summed_over_it(kind):
    X, names, p, weights = some_bags()
    weights[[0, 5]] = 0  # nobody's rows
    data = read_bags(kind(X), names, p, weights)
    order = [i for i in np.argsort(names, kind="stable") if weights[i] > 0]
    np.testing.assert_array_equal(data.X.todense() if kind is csr_array else data.X, X[order])
    np.testing.assert_array_equal(data.weight, weights[order])
    np.testing.assert_array_equal(data.to_rows(np.arange(6)), names[order])
    np.testing.assert_array_equal(data.n_rows, [sum(names[order] == bag) for bag in range(6)])
    sizes = np.array(oracles.bag_sizes(names, weights, 6))
    np.testing.assert_allclose(data.size, sizes, rtol=1e-14)
    assert data.share == pytest.approx(sizes @ p / sizes.sum(), rel=1e-13)
    np.testing.assert_allclose(data.centre, weights @ X / weights.sum(), rtol=1e-13)
    means = [weights[names == bag] @ X[names == bag] / sizes[bag] for bag in range(6)]
    np.testing.assert_allclose(data.mean_records(), means, rtol=1e-13)
    values = rng(1).normal(size=len(X))
    expected = [weights[names == bag] @ values[names == bag] for bag in range(6)]
    np.testing.assert_allclose(data.sums(values[order]), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_some_of_the_bags_are_the_same_bags(kind):
    X, names, p, weights = some_bags()
    data, chosen = read_bags(kind(X), names, p, weights), np.array([4, 0, 2])
    some = data.take(chosen)
    np.testing.assert_array_equal(some.proportions, p[chosen])
    np.testing.assert_array_equal(some.n_rows, data.n_rows[chosen])
    np.testing.assert_allclose(some.mean_records(), data.mean_records()[chosen], rtol=1e-14)
    np.testing.assert_array_equal(some.size, data.size[chosen])


# --- the slides' loss ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1, 30, 800])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_likelihood_is_that_of_a_plain_loop_however_sure_the_model(scale, weighted):
    X, names, _, weights = some_bags()
    proportions = np.array([0.0, 1.0, 0.3, 0.0, 1.0, 0.9])
    weights = weights if weighted else np.ones(len(names))
    bags, order = read_bags(X, names, proportions, weights), np.argsort(names, kind="stable")
    for seed in range(3):
        scores = scale * (rng(seed).choice([-1.0, 1.0], len(names)) if scale > 1 else rng(seed).normal(size=len(names)))
        if seed == 2:
            scores = np.abs(scores) * np.where(proportions < 0.5, 1.0, -1.0)[names]  # as wrong as can be
        values, slopes = bag_log_likelihood(scores[order], bags)
        expected, expected_slopes = oracles.bag_log_likelihood(scores, names, proportions, weights)
        assert values.shape == (6,)
        # logarithms of up to 800 are right to 10⁻¹³, and exp of them to as much; means of 1 are rounded to 10⁻¹⁵
        np.testing.assert_allclose(values, expected, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(slopes, expected_slopes[order], rtol=1e-11, atol=1e-300)


def test_at_zero_weights_the_gradient_needs_the_mean_records_alone():
    X, names, proportions, weights = some_bags()
    bags = read_bags(X, names, proportions, weights)
    expected = bags.X.T @ bag_log_likelihood(np.zeros(len(X)), bags)[1]
    np.testing.assert_allclose(gradient_at_zero(bags), expected, atol=1e-14)  # sums of 32 values in [0, 1]
    assert np.abs(expected).max() > 1e-2


# --- names as a channel ----------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=8))
def test_the_bag_channel_is_bayes_rule_by_counting_records(counts):
    counts = [(positive, negative) for positive, negative in counts if positive + negative > 0]
    people = [(bag, c) for bag, pair in enumerate(counts) for c, n in ((1, pair[0]), (0, pair[1])) for _ in range(n)]
    assume(len({c for _, c in people}) == 2)
    channel = bag_channel([a / (a + b) for a, b in counts], [a + b for a, b in counts])
    assert channel.shape == (len(counts), 2)
    for c in (0, 1):
        of_class = [bag for bag, label in people if label == c]
        expected = np.bincount(of_class, minlength=len(counts)) / len(of_class)
        np.testing.assert_allclose(channel[:, c], expected, rtol=1e-13, atol=1e-17)


def test_the_channel_of_many_classes_by_hand():
    # classes have 1 + 6 = 7, 2 + 0 = 2 and 1 + 2 = 3 records
    channel = name_channel([[0.25, 0.5, 0.25], [0.75, 0.0, 0.25]], [4, 8])
    np.testing.assert_allclose(channel, [[1 / 7, 1, 1 / 3], [6 / 7, 0, 2 / 3]], rtol=1e-14)


def test_the_contrast_is_the_distance_of_the_classes_in_the_bag_channel():
    X, names, p, weights = some_bags()
    channel = bag_channel(p, oracles.bag_sizes(names, weights, 6))
    expected = sum(max(0, row[1] - row[0]) for row in channel)  # total variation
    assert read_bags(X, names, p, weights).contrast == pytest.approx(expected, rel=1e-12)
    pure = read_bags(X[:4], [0, 0, 1, 1], [0, 1], np.ones(4))
    assert pure.contrast == 1


def test_projection_is_the_nearest_share_and_leaves_shares_alone():
    noisy = np.array([-0.4, 0.0, 0.3, 1.0, 1.7])
    np.testing.assert_array_equal(project_proportions(noisy), [0, 0, 0.3, 1, 1])
    assert noisy[0] == -0.4


# --- means and labels ------------------------------------------------------------------------------


def test_class_means_are_exact_where_a_class_looks_the_same_in_every_bag():
    truth, n_each = rng(1).random((2, 3)), np.array([[2, 6], [4, 2], [0, 4], [8, 2]])  # negatives, positives
    X, bags = [], []
    for bag, counts in enumerate(n_each):
        for c, n in enumerate(counts):
            wobble = rng(10 * bag + c).normal(size=(n // 2, 3))
            X += [truth[c] + wobble, truth[c] - wobble]
            bags += [bag] * n
    X, p, ones = np.concatenate(X), n_each[:, 1] / n_each.sum(axis=1), np.ones(len(bags))
    # six digits more than the wobble of size 1 leaves of rounding at 10⁻¹⁵
    np.testing.assert_allclose(class_means(read_bags(X, bags, p, ones)), truth, atol=1e-12)
    np.testing.assert_allclose(class_means(read_bags(csr_array(X), bags, p, 2.5 * ones)), truth, atol=1e-12)


def test_class_means_are_least_squares_weighted_by_size_where_bags_disagree():
    X, names, p, weights = some_bags()
    data = read_bags(X, names, p, weights)
    root = np.sqrt(data.size)[:, None]
    expected = np.linalg.lstsq(root * np.stack((1 - p, p), axis=1), root * data.mean_records())[0]
    np.testing.assert_allclose(class_means(data), expected, rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_the_most_likely_labels_are_the_best_of_all_that_sum_to_the_proportion(seed):
    sizes = (5, 1, 7, 3, 6)
    X, bags, *_ = some_bags(sizes, seed=seed)
    bags, ones = np.sort(bags), np.ones(len(bags))
    p = np.array([rng(seed + bag).integers(0, size + 1) / size for bag, size in enumerate(sizes)])
    scores = np.round(rng(seed).normal(0, 2, len(bags)), seed)  # with seed 0, many are equal
    labels = most_likely_labels(scores, read_bags(X, bags, p, ones))
    for bag, size in enumerate(sizes):
        mine = bags == bag
        allowed = [np.array(one) for one in itertools.product([0, 1], repeat=size) if sum(one) == round(p[bag] * size)]
        best = min(labelled_loss(scores[mine], one, ones[mine]) for one in allowed)
        assert labels[mine].sum() == pytest.approx(p[bag] * size, abs=1e-12)
        assert labelled_loss(scores[mine], labels[mine], ones[mine]) == pytest.approx(best, abs=1e-12)
    # with weights, and proportions of parts of a record, all labels in [0, 1] that sum to it
    weights, p = rng(seed).random(len(bags)) + 0.1, rng(seed + 1).random(len(sizes))
    labels = most_likely_labels(scores, read_bags(X, bags, p, weights))
    assert ((labels >= 0) & (labels <= 1)).all()
    for bag in range(len(sizes)):
        mine = bags == bag
        total = p[bag] * weights[mine].sum()
        best = linprog(-(weights * scores)[mine], A_eq=weights[None, mine], b_eq=[total], bounds=(0, 1))
        assert weights[mine] @ labels[mine] == pytest.approx(total, abs=1e-12)
        assert -((weights * scores * labels)[mine].sum()) == pytest.approx(best.fun, abs=1e-9)  # linprog's own


# --- refusals --------------------------------------------------------------------------------------

GOOD = {"bags": np.repeat([0, 1, 2], 4), "proportions": [0.2, 0.5, 0.8], "weight": np.ones(12)}


@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        ({"proportions": [0.2, 1.1, 0.8]}, ValueError, r"in \[0, 1\], got 1.1 for bag 1; project_proportions"),
        ({"proportions": [0.2, 0.5, -0.1]}, ValueError, r"proportions must be in \[0, 1\], got -0.1 for bag 2"),
        ({"proportions": [np.nan, 0.5, 0.1]}, ValueError, r"proportions must be in \[0, 1\], got nan for bag 0"),
        ({"proportions": [0.2]}, ValueError, r"a list of two or more, one for each bag, got shape \(1,\)"),
        ({"proportions": 0.2}, ValueError, r"proportions must be a list of two or more, .* got shape \(\)"),
        ({"proportions": [[0.2, 0.5, 0.8]]}, ValueError, r"must be a list of two or more, .* got shape \(1, 3\)"),
        ({"proportions": [0, 0, 0]}, ValueError, "all bags are wholly negative, so only one class is known of"),
        ({"proportions": [1, 1, 1]}, ValueError, "all bags are wholly positive, so only one class is known of"),
        ({"proportions": [0.2, 0.5]}, ValueError, r"bags must be numbers in \[0, 1\], one for each proportion, got 2"),
        ({"proportions": [0.2, 0.5, 0.8, 1]}, ValueError, "bag 3 is empty: drop it and its proportion"),
        ({"bags": np.repeat([-1, 0, 1], 4)}, ValueError, r"bags must be numbers in \[0, 2\], one for .*, got -1"),
        ({"bags": np.repeat([0, 2, 2], 4)}, ValueError, "bag 1 is empty"),
        ({"bags": np.repeat([0.0, 1, 2], 4)}, TypeError, "one whole number for each row of X, got float64"),
        ({"bags": np.eye(12, dtype=int)}, TypeError, r"bags must be one whole number for each row .* shape \(12, 12\)"),
        ({"bags": np.repeat([0, 1, 2], 3)}, ValueError, r"inconsistent numbers of samples: \[12, 9\]"),
        ({"weight": np.repeat([1.0, 0, 1], 4)}, ValueError, "bag 1 is empty"),
    ],
)
def test_bags_that_say_nothing_or_nonsense_are_refused(wrong, error, sentence):
    with pytest.raises(error, match=sentence):
        read_bags(rng().random((12, 2)), **{**GOOD, **wrong})


@pytest.mark.parametrize(
    ("proportions", "sentence"),
    [([0.5, 1.2], r"got 1.2 for bag 1"), ([0.0, 0.0], "wholly negative"), ([1.0, 1.0], "wholly positive")],
)
def test_no_channel_comes_from_impossible_shares(proportions, sentence):
    with pytest.raises(ValueError, match=sentence):
        bag_channel(proportions, [3, 4])
