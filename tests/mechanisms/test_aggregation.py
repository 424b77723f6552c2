"""k-anonymous means and their noise against plain loops, scipy's Laplace distribution, and the promised ε."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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

GROUPINGS = {"random": lambda X, bags, k, rng: random_k(bags, k, rng), "nearest": nearest_k}


def rng(seed=0):
    return np.random.default_rng(seed)


def records(sizes, d=4, seed=0, binary=False):
    """X (n, d), labels, and bags of these `sizes` whose records are in no order."""
    draw, n = rng(seed), sum(sizes)
    bags = draw.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = draw.random((n, d))
    return (X < 0.4).astype(float) if binary else X, draw.integers(0, 2, n), bags


@st.composite
def bagged(draw):
    """k, and bags with k records or more."""
    k = draw(st.integers(1, 5))
    sizes = draw(st.lists(st.integers(k, 4 * k + 3), min_size=1, max_size=4))
    return k, *records(sizes, seed=draw(st.integers(0, 999)), binary=draw(st.booleans()))


def partition(groups):
    return {frozenset(np.flatnonzero(groups == g).tolist()) for g in range(groups.max() + 1)}


# --- groups ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("how", GROUPINGS)
@given(case=bagged())
def test_groups_have_k_to_2k_less_1_records_of_one_bag_and_leave_its_mean_and_its_proportion(how, sparse, case):
    k, X, y, bags = case
    groups = GROUPINGS[how](csr_array(X) if sparse else X, bags, k, rng())
    counts = np.bincount(groups)
    assert k <= counts.min() <= counts.max() <= 2 * k - 1
    bag_of = [set(bags[groups == g].tolist()) for g in range(len(counts))]
    assert all(len(names) == 1 for names in bag_of)
    names = np.array([min(one) for one in bag_of])
    means = group_means(csr_array(X) if sparse else X, groups)
    means, shares = means.toarray() if sparse else means, np.bincount(groups, y) / counts
    for bag in range(bags.max() + 1):
        weight = counts[names == bag] / counts[names == bag].sum()
        # sums of at most 23 values in [0, 1]
        np.testing.assert_allclose(weight @ means[names == bag], X[bags == bag].mean(axis=0), atol=1e-14)
        assert weight @ shares[names == bag] == pytest.approx(y[bags == bag].mean(), abs=1e-14)


def test_random_groups_are_any_with_equal_chances():
    draw, bags, n = rng(1), np.zeros(4, int), 3000
    seen = [frozenset(partition(random_k(bags, 2, draw))) for _ in range(n)]
    counts = [seen.count(one) for one in set(seen)]  # {01|23}, {02|13}, {03|12}
    assert len(counts) == 3
    assert stats.chisquare(counts).pvalue > 1e-6
    assert stats.chisquare([counts[0] + 300, counts[1] - 300, counts[2]]).pvalue < 1e-6  # a tenth more would show


def is_greedy(X, bags, groups, k):
    """Whether every group but a bag's last is somebody and the k − 1 nearest of those who were left."""
    for bag in range(bags.max() + 1):
        left = set(np.flatnonzero(bags == bag).tolist())
        for g in sorted(set(groups[bags == bag].tolist()))[:-1]:
            mine = set(np.flatnonzero(groups == g).tolist())
            if len(mine) != k:
                return False

            def total(first, others):
                return sum(math.dist(X[first], X[i]) for i in others)

            def nearest(first, left=left):
                return sorted(left - {first}, key=lambda i: math.dist(X[first], X[i]))[: k - 1]

            # 16 digits
            if not any(abs(total(a, mine) - total(a, nearest(a))) < 1e-9 for a in mine):
                return False
            left -= mine
    return True


@settings(max_examples=40)
@given(k=st.integers(2, 4), seed=st.integers(0, 999), binary=st.booleans())
def test_nearest_groups_are_somebody_and_the_nearest_of_those_left(k, seed, binary):
    X, _, bags = records([2 * k, 3 * k + 1, 4 * k + 2], seed=seed, binary=binary)
    groups = nearest_k(X, bags, k, rng(seed))
    assert is_greedy(X, bags, groups, k)
    np.testing.assert_array_equal(groups, nearest_k(csr_array(X), bags, k, rng(seed)))
    if not binary:
        assert not is_greedy(X, bags, random_k(bags, k, rng(seed)), k)


@pytest.mark.parametrize("sparse", [False, True])
def test_whole_numbers_are_grouped_like_real_ones(sparse):
    X, y, bags = records([12, 20], d=8, binary=True)
    X = np.concatenate((X, 200 * X), axis=1)
    small = csr_array(X.astype(np.uint8)) if sparse else X.astype(np.uint8)
    np.testing.assert_array_equal(nearest_k(small, bags, 3, rng()), nearest_k(X, bags, 3, rng()))
    np.testing.assert_array_equal(k_tree(small, y, 3, rng()), k_tree(X, y, 3, rng()))
    groups = random_k(bags, 3, rng())
    assert information_loss(small, groups) == pytest.approx(information_loss(X, groups), abs=1e-12)


def tree_by_hand(X, rows, k):
    """The leaves of `rows`: halved at the median of the column of largest variance, one node at a time."""
    if len(rows) < 2 * k:
        return {frozenset(rows.tolist())}
    rows = rows[np.argsort(X[rows, X[rows].var(axis=0).argmax()])]
    middle = len(rows) // 2
    return tree_by_hand(X, rows[:middle], k) | tree_by_hand(X, rows[middle:], k)


@settings(max_examples=40)
@given(k=st.integers(1, 5), sizes=st.tuples(st.integers(0, 40), st.integers(0, 40)), seed=st.integers(0, 999))
def test_the_tree_halves_each_class_by_itself_at_medians(k, sizes, seed):
    y = rng(seed).permutation(np.repeat([0, 1], [k + size for size in sizes]))
    X = rng(seed + 1).random((len(y), 3)) * [1, 2, 3]
    groups = k_tree(X, y, k, rng())
    by_hand = set().union(*(tree_by_hand(X, np.flatnonzero(y == label), k) for label in (0, 1)))
    assert partition(groups) == by_hand
    assert partition(k_tree(csr_array(X), y, k, rng())) == by_hand
    counts = np.bincount(groups)
    assert k <= counts.min() <= counts.max() <= 2 * k - 1
    assert all(len(set(y[groups == g])) == 1 for g in range(len(counts)))


def test_the_tree_parts_equal_values_at_random_and_never_mixes_labels():
    X, y, _ = records([200], binary=True)
    groups = k_tree(csr_array(X), y, 4, rng(1))
    counts = np.bincount(groups)
    assert 4 <= counts.min() <= counts.max() <= 7
    np.testing.assert_array_equal(np.bincount(groups, y) % counts, 0)  # all of a group are positive, or none
    np.testing.assert_array_equal(groups, k_tree(X, y, 4, rng(1)))
    assert partition(groups) != partition(k_tree(X, y, 4, rng(2)))


# --- information loss ------------------------------------------------------------------------------


@given(case=bagged())
def test_information_loss_is_sse_over_sst(case):
    k, X, _, bags = case
    groups = random_k(bags, k, rng())
    sst = sum(((x - X.mean(axis=0)) ** 2).sum() for x in X)
    sse = sum(((x - X[groups == g].mean(axis=0)) ** 2).sum() for x, g in zip(X, groups, strict=True))
    for matrix in (X, csr_array(X)):
        found = information_loss(matrix, groups)
        # |X|² of at most 92 · 4, rounded, over an SST of several units
        assert found == pytest.approx(sse / sst if sst > 0 else 0.0, abs=1e-12)
        assert 0 <= found <= 1 + 1e-12
        assert information_loss(matrix, np.arange(len(X))) == pytest.approx(0, abs=1e-12)
        assert information_loss(matrix, np.zeros(len(X), int)) == pytest.approx(float(sst > 0), abs=1e-12)
        merged = groups // 2  # groups put together hide no less
        assert information_loss(matrix, merged) >= found - 1e-12


# --- noise -----------------------------------------------------------------------------------------

N = 20_000
COUNTS = np.array([1, 3, 10, 40])


def noise_of_means(epsilon, seed=0):
    """(4, N): what was added to means of COUNTS records."""
    means = rng(seed).random((4, N)).astype(np.float32)
    return noisy_means(means, COUNTS, epsilon, rng(seed + 1)) - means.astype(float)


def noise_of_proportions(epsilon, seed=0):
    shares = rng(seed).random((4, N))
    sizes = np.repeat(COUNTS[:, None], N, axis=1)
    return np.stack(
        [
            noisy_proportions(p, m, epsilon, rng(seed + 1 + i)) - p
            for i, (p, m) in enumerate(zip(shares, sizes, strict=True))
        ]
    )


@pytest.mark.parametrize("noise", [noise_of_means, noise_of_proportions])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_noise_is_laplace_with_sensitivity_one_over_the_count(noise, epsilon):
    added = noise(epsilon)
    for k, row in zip(COUNTS, added, strict=True):
        for sensitivity in (1 / k, 1.0, 2 / k, 1 / (2 * k)):
            # float32 rounds to 10⁻⁶ of the noise, far less than the 0.01 that N values resolve
            fits = stats.kstest(row, stats.laplace(scale=sensitivity / epsilon).cdf).pvalue > 1e-6
            assert fits == (sensitivity == 1 / k)
        assert stats.kstest(row, stats.norm(scale=math.sqrt(2) / (k * epsilon)).cdf).pvalue < 1e-6
    correlation = np.corrcoef(added) - np.eye(4)
    assert np.abs(correlation).max() < 5 / math.sqrt(N)  # the standard error of no correlation
    neighbours = np.corrcoef(added[:, 1:].ravel(), added[:, :-1].ravel())[0, 1]
    assert abs(neighbours) < 5 / math.sqrt(4 * N)


def test_without_noise_means_and_proportions_are_as_they_were():
    X, _, bags = records([10, 20])
    means = group_means(csr_array(X), random_k(bags, 4, rng()))
    released = noisy_means(means, np.full(means.shape[0], 4), math.inf, rng())
    np.testing.assert_array_equal(released, means.toarray())
    np.testing.assert_array_equal(noisy_proportions([0, 0.3, 1], [5, 5, 5], math.inf, rng()), [0, 0.3, 1])


@given(k=st.integers(1, 1000), epsilon=st.floats(1e-3, 1e3), half_width=st.floats(1e-3, 10))
def test_noise_within_is_the_laplace_distribution(k, epsilon, half_width):
    law = stats.laplace(scale=float(mean_scale(k, epsilon)))
    # 1 − 2·sf is rounded near 1
    expected = pytest.approx(1 - 2 * law.sf(half_width), abs=1e-15)
    assert noise_within(float(mean_scale(k, epsilon)), half_width) == expected
    assert law.std() == pytest.approx(math.sqrt(2) / (k * epsilon), rel=1e-12)


@given(k=st.integers(1, 1000), half_width=st.floats(1e-2, 1), share=st.floats(0.01, 0.99))
def test_the_smallest_epsilon_keeps_just_that_share_of_the_noise_within(k, half_width, share):
    epsilon = smallest_epsilon(k, half_width, share)
    assert noise_within(float(mean_scale(k, epsilon)), half_width) == pytest.approx(share, rel=1e-12)
    # a thousandth less ε leaves at least 0.001 · ln(1/(1 − s)) · (1 − s) > 10⁻⁵ · s outside
    assert noise_within(float(mean_scale(k, 0.999 * epsilon)), half_width) < share * (1 - 1e-6)


def test_the_epsilon_of_a_record_is_the_largest_log_ratio_of_all_that_it_goes_into():
    """All D columns and the label of one record change at once; the releases lie beyond both ends."""
    k, m, D, of_feature, of_proportion = 4, 50, 7, 0.3, 0.8
    feature, label = float(mean_scale(k, of_feature)), float(mean_scale(m, of_proportion))
    log_ratios = [
        D * (stats.laplace.logpdf(z, 1 / k, feature) - stats.laplace.logpdf(z, 0, feature))
        + stats.laplace.logpdf(t, 1 / m, label)
        - stats.laplace.logpdf(t, 0, label)
        for z, t in itertools.product(np.linspace(-1, 2, 31), repeat=2)
    ]
    assert max(log_ratios) == pytest.approx(record_epsilon(of_feature, of_proportion, D), rel=1e-12)
    assert max(log_ratios) == pytest.approx(-min(log_ratios), rel=1e-12)
    assert record_epsilon(of_feature, of_proportion, D) > 2 * record_epsilon(of_feature, of_proportion, 1)


# --- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda X, y, bags: random_k(bags, 6, rng()), "k must be at most 5, the records of bag 1, got 6"),
        (lambda X, y, bags: nearest_k(X, bags, 6, rng()), "k must be at most 5, the records of bag 1, got 6"),
        (lambda X, y, bags: random_k(2 * bags, 2, rng()), "k must be at most 0, the records of bag 1, got 2"),
        (lambda X, y, bags: k_tree(X, y, 5, rng()), "k must be at most 4, the records of class 1, got 5; lower k"),
        (lambda X, y, bags: random_k(bags, 0, rng()), r"k must be a whole number in \[1, 1000\], got 0"),
        (lambda X, y, bags: nearest_k(X, bags, 1001, rng()), r"k must be a whole number in \[1, 1000\], got 1001"),
        (lambda X, y, bags: k_tree(X, y, 2.5, rng()), r"k must be a whole number in \[1, 1000\], got 2.5"),
        (lambda X, y, bags: noisy_means(2 * X, np.ones(13), 1.0, rng()), r"means must lie in \[0, 1\], got .* to 1.9"),
        (lambda X, y, bags: noisy_means(X - 0.5, np.ones(13), 1.0, rng()), r"means must lie in \[0, 1\], got -0.4"),
        (lambda X, y, bags: noisy_means(X, np.ones(13), 0.0, rng()), "epsilon must be above 0, got 0; ∞ is no noise"),
        (lambda X, y, bags: noisy_proportions([0.5, 1.2], [5, 5], 1.0, rng()), r"in \[0, 1\], got 0.5 to 1.2"),
        (lambda X, y, bags: noisy_proportions([-0.1, 1], [5, 5], 1.0, rng()), r"in \[0, 1\], got -0.1 to 1"),
        (lambda X, y, bags: noisy_proportions([0.5, 1], [5, 5], np.nan, rng()), "epsilon must be above 0, got nan"),
    ],
)
def test_what_cannot_be_grouped_or_noised_is_refused(call, sentence):
    bags = np.repeat([0, 1], [8, 5])
    X, y = rng().random((13, 3)), np.repeat([0, 1], [9, 4])
    with pytest.raises(ValueError, match=sentence) as refused:
        call(X, y, bags)
    # of the records, not of a setting out of its range
    assert isinstance(refused.value, TooFewRecords) == ("the records of" in sentence)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: smallest_epsilon(10, 0.5, 1.0), "share must be"),
        (lambda: smallest_epsilon(10, 0.5, -0.1), "share must be"),
        (lambda: smallest_epsilon(10, -0.5, 0.9), "half_width must be"),
        (lambda: smallest_epsilon(0, 0.5, 0.9), "count must be"),
        (lambda: noise_within(-1.0, 0.5), "scale must be"),
        (lambda: noise_within(1.0, -0.5), "half_width must be"),
        (lambda: mean_scale([3, 4], -1.0), "epsilon must be"),
        (lambda: mean_scale([3, 0], 1.0), "counts must be"),
        (lambda: record_epsilon(-1.0, 1.0, 3), "epsilon must be"),
    ],
)
def test_what_has_no_noise_or_epsilon_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("make", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_a_mean_of_ones_is_one_whatever_k(make):
    # a last digit more would be refused as outside [0, 1]
    for k in range(1, 120):
        means = group_means(make(np.ones((2 * k, 3))), np.repeat([0, 1], k))
        assert (means.toarray() if make is csr_array else means).tolist() == [[1.0] * 3] * 2
        assert noisy_means(means, [k, k], math.inf, rng()).tolist() == [[1.0] * 3] * 2


def test_by_default_nine_tenths_of_the_noise_lie_within_a_half():
    assert smallest_epsilon(10) == pytest.approx(2 * math.log(10) / 10, rel=1e-14)
    assert noise_within(0.0, 0.5) == 1
