"""k-anonymous means and their noise against plain loops, scipy's Laplace distribution, and the promised ε."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from privdemo.mechanisms.aggregation import (
    TooFewRecords,
    group_means,
    information_loss,
    k_tree,
    mean_scale,
    nearest_k,
    noise_within,
    noisy_means,
    noisy_proportions,
    random_k,
    record_epsilon,
    smallest_epsilon,
)
from tests.mechanisms.oracles import rng

GROUPINGS = {"random": lambda X, bags, k, rng: random_k(bags, k, rng), "nearest": nearest_k}


def records(sizes, d=4, seed=0, binary=False):
    """X (n, d), labels, and bags of these `sizes` whose records are in no order."""
    generator, n = rng(seed), sum(sizes)
    bags = generator.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = generator.random((n, d))
    return (X < 0.4).astype(float) if binary else X, generator.integers(0, 2, n), bags


SIZES = pytest.mark.parametrize(("k", "binary"), [(1, False), (1, True), (2, False), (3, True), (4, False), (5, True)])


def partition(groups):
    return {frozenset(np.flatnonzero(groups == g).tolist()) for g in range(groups.max() + 1)}


@SIZES
@pytest.mark.parametrize("how", GROUPINGS)
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_groups_have_k_to_2k_less_1_records_of_one_bag_and_leave_its_mean(k, binary, how, make):
    X, _, bags = records([k, 2 * k - 1, 2 * k, 4 * k + 3], binary=binary)
    groups = GROUPINGS[how](make(X), bags, k, rng())
    counts, means = np.bincount(groups), group_means(make(X), groups)
    assert k <= counts.min() <= counts.max() <= 2 * k - 1
    means = means.toarray() if make is csr_array else means
    for bag in range(4):
        mine = sorted(set(groups[bags == bag].tolist()))
        assert counts[mine].sum() == (bags == bag).sum()  # of this bag alone
        # sums of at most 23 values in [0, 1]
        weight = counts[mine] / counts[mine].sum()
        np.testing.assert_allclose(weight @ means[mine], X[bags == bag].mean(axis=0), atol=1e-14)


def test_random_groups_are_any_with_equal_chances():
    generator, bags = rng(1), np.zeros(4, int)
    seen = [frozenset(partition(random_k(bags, 2, generator))) for _ in range(2000)]
    counts = [seen.count(one) for one in set(seen)]  # {01|23}, {02|13}, {03|12}
    assert len(counts) == 3
    assert stats.chisquare(counts).pvalue > 1e-6
    assert stats.chisquare([counts[0] + 200, counts[1] - 200, counts[2]]).pvalue < 1e-6


def nearest_by_hand(X, bags, k, generator):
    """Of each bag in turn: the first in random order with the k − 1 of those left that lie nearest to it."""
    for bag in range(bags.max() + 1):
        left = generator.permutation(np.flatnonzero(bags == bag)).tolist()
        while len(left) >= 2 * k:
            first = left[0]
            mine = {first, *sorted(left[1:], key=lambda i, first=first: math.dist(X[first], X[i]))[: k - 1]}
            yield frozenset(mine)
            left = [i for i in left if i not in mine]
        yield frozenset(left)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_nearest_groups_are_somebody_and_the_nearest_of_those_left(k):
    X, _, bags = records([2 * k, 3 * k + 1, 4 * k + 2], seed=k)
    for make in (np.asarray, csr_array):
        assert partition(nearest_k(make(X), bags, k, rng(k))) == set(nearest_by_hand(X, bags, k, rng(k)))


def tree_by_hand(X, rows, k):
    """The leaves of `rows`: halved at the median of the column of largest variance, one node at a time."""
    if len(rows) < 2 * k:
        return {frozenset(rows.tolist())}
    rows = rows[np.argsort(X[rows, X[rows].var(axis=0).argmax()])]
    middle = len(rows) // 2
    return tree_by_hand(X, rows[:middle], k) | tree_by_hand(X, rows[middle:], k)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_tree_halves_each_class_by_itself_at_medians(k):
    for seed, sizes in enumerate(((k, k), (k, 2 * k), (2 * k - 1, 40), (17, 44))):
        y = rng(seed).permutation(np.repeat([0, 1], sizes))
        X = rng(seed + 9).random((len(y), 3)) * [1, 2, 3]
        by_hand = set().union(*(tree_by_hand(X, np.flatnonzero(y == label), k) for label in (0, 1)))
        for make in (np.asarray, csr_array):
            assert partition(k_tree(make(X), y, k, rng())) == by_hand


def test_the_tree_parts_equal_values_at_random_and_never_mixes_labels():
    X, y, _ = records([200], binary=True)
    groups = k_tree(csr_array(X), y, 4, rng(1))
    counts = np.bincount(groups)
    assert 4 <= counts.min() <= counts.max() <= 7
    np.testing.assert_array_equal(np.bincount(groups, y) % counts, 0)  # all of a group are positive, or none
    np.testing.assert_array_equal(groups, k_tree(X, y, 4, rng(1)))
    assert partition(groups) != partition(k_tree(X, y, 4, rng(2)))


@SIZES
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_information_loss_is_sse_over_sst(k, binary, make):
    X, _, bags = records([k + 1, 4 * k + 3], seed=k, binary=binary)
    groups = random_k(bags, k, rng())
    sst = ((X - X.mean(axis=0)) ** 2).sum()
    sse = sum(((x - X[groups == g].mean(axis=0)) ** 2).sum() for x, g in zip(X, groups, strict=True))
    # |X|² of at most 92 · 4, rounded, over an SST of several units
    assert information_loss(make(X), groups) == pytest.approx(sse / sst, abs=1e-12)
    assert 0 <= information_loss(make(X), np.arange(len(X))) < 1e-12
    assert information_loss(make(X), np.zeros(len(X), int)) == pytest.approx(1, abs=1e-12)
    assert information_loss(make(np.ones((4, 3))), np.arange(4)) == 0
    assert information_loss(make(np.uint8([[0], [200]])), np.zeros(2, int)) == pytest.approx(1)  # squares overflow


@pytest.mark.parametrize("release", ["means", "proportions"])
@pytest.mark.parametrize("k", [1, 10])
def test_noise_is_laplace_with_sensitivity_one_over_the_count(release, k):
    n, epsilon = 20_000, 0.5
    if release == "means":
        clean = rng().random((2, n)).astype(np.float32)
        added = (noisy_means(clean, [k, 3 * k], epsilon, rng(1)) - clean.astype(float))[0]
    else:
        clean = rng().random(n)
        added = noisy_proportions(clean, np.full(n, k), epsilon, rng(1)) - clean
    for factor in (1, 1.1, 0.9, 3):
        # N values resolve 0.01 of a distribution; 10 % of the scale move it by 0.02
        fits = stats.kstest(added, stats.laplace(scale=factor / (k * epsilon)).cdf).pvalue > 1e-6
        assert fits == (factor == 1)


def test_without_noise_means_and_proportions_are_as_they_were():
    X, _, bags = records([10, 20])
    means = group_means(csr_array(X), random_k(bags, 4, rng()))
    np.testing.assert_array_equal(noisy_means(means, np.full(means.shape[0], 4), math.inf, rng()), means.toarray())
    np.testing.assert_array_equal(noisy_means(np.ones((1, 2)), [4], math.inf, rng()), [[1, 1]])
    np.testing.assert_array_equal(noisy_proportions([0, 0.3, 1], [5, 5, 5], math.inf, rng()), [0, 0.3, 1])
    assert noise_within(0.0, 0.5) == 1
    assert smallest_epsilon(10) == pytest.approx(2 * math.log(10) / 10, rel=1e-14)  # nine tenths within a half


@pytest.mark.parametrize(
    ("k", "half_width", "share"), [(1, 0.5, 0.9), (10, 0.01, 0.01), (1000, 1.0, 0.99), (7, 0.2, 0.5)]
)
def test_the_smallest_epsilon_keeps_just_that_share_of_laplace_noise_within(k, half_width, share):
    scale = float(mean_scale(k, smallest_epsilon(k, half_width, share)))
    assert noise_within(scale, half_width) == pytest.approx(share, rel=1e-12)
    assert 1 - 2 * stats.laplace(scale=scale).sf(half_width) == pytest.approx(share, rel=1e-12)


def test_the_epsilon_of_a_record_is_the_largest_log_ratio_of_all_that_it_goes_into():
    """All D columns and the label of one record change at once; the releases lie beyond both ends."""
    k, m, D, of_feature, of_proportion = 4, 50, 7, 0.3, 0.8
    z, t = np.meshgrid(np.linspace(-1, 2, 31), np.linspace(-1, 2, 31))

    def log_ratio(x, sensitivity, epsilon):
        scale = float(mean_scale(1 / sensitivity, epsilon))
        return stats.laplace.logpdf(x, sensitivity, scale) - stats.laplace.logpdf(x, 0, scale)

    log_ratios = D * log_ratio(z, 1 / k, of_feature) + log_ratio(t, 1 / m, of_proportion)
    assert np.abs(log_ratios).max() == pytest.approx(record_epsilon(of_feature, of_proportion, D), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: random_k(np.repeat([0, 1], [8, 5]), 6, rng()), "k must be at most 5, the records of bag 1, got 6"),
        (
            lambda: nearest_k(np.ones((9, 1)), np.zeros(9, int), 0, rng()),
            r"k must be a whole number in \[1, 1000\], got",
        ),
        (lambda: k_tree(np.ones((9, 1)), np.arange(9) // 5, 5, rng()), "k must be at most 4, the records of class 1"),
        (lambda: noisy_means([[0.5, 2.0]], [1], 1.0, rng()), r"means must lie in \[0, 1\], got 0.5 to 2"),
        (lambda: noisy_means([[0.5, 1.0]], [1], 0.0, rng()), "epsilon must be above 0, got 0; ∞ is no noise"),
        (lambda: noisy_proportions([0.5, 1.2], [5, 5], 1.0, rng()), r"in \[0, 1\], got 0.5 to 1.2"),
        (lambda: record_epsilon(1.0, -1.0, 3), "epsilon must be"),
    ],
)
def test_what_cannot_be_grouped_or_noised_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        call()
    # of the records, not of a setting out of its range
    assert isinstance(refused.value, TooFewRecords) == ("the records of" in sentence)
