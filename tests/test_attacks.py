"""The adversary's attacks against Bayes' rule by hand and exact enumeration of every release."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privdemo.attacks import guess_labels, linked, log_likelihoods
from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse

N = 100_000


def rng(seed=0):
    return np.random.default_rng(seed)


# --- likelihoods of candidates --------------------------------------------------------------------


def assert_equal_up_to_a_constant(found, expected):
    """Each row of `found` is that of `expected` plus a constant; rows of −∞ agree where they are finite."""
    assert found.shape == expected.shape
    for row, truth in zip(found, expected, strict=True):
        possible = np.isfinite(truth)
        np.testing.assert_array_equal(np.isfinite(row), possible)
        shift = row[possible] - truth[possible]
        # a difference of two sums of d terms: last digits of the largest of them
        scale = 1e-12 * max(1.0, np.abs(truth[possible]).max(initial=0))
        np.testing.assert_allclose(shift, shift.mean() if len(shift) else 0, atol=scale)


@settings(max_examples=80, deadline=None)
@given(
    k=st.sampled_from([2, 3, 17, 256]), d=st.integers(1, 12), share=st.floats(1e-9, 1 - 1e-9), seed=st.integers(0, 99)
)
def test_randomised_response_sums_over_pixels(k, d, share, seed):
    mechanism = RandomisedResponse(share * (k - 1) / k, k)
    released, candidates = (rng(seed + i).integers(0, k, (n, d)).astype(np.uint8) for i, n in ((0, 4), (1, 6)))
    expected = mechanism.log_likelihood(released[:, None], candidates).sum(axis=2)
    found = log_likelihoods(mechanism, released, candidates)
    assert_equal_up_to_a_constant(found, expected)


def test_randomised_response_by_hand():
    # p = 0.4, k = 3: ln(0.6 / 0.2) for every pixel that agrees
    found = log_likelihoods(
        RandomisedResponse(0.4, 3), np.array([[0, 1, 2]]), np.array([[0, 1, 2], [0, 1, 0], [1, 2, 0]])
    )
    np.testing.assert_allclose(found[0] - found[0, 0], [0, -math.log(3), -3 * math.log(3)], rtol=1e-12)
    wrong = log_likelihoods(RandomisedResponse(0.5, 3), np.array([[0, 1, 2]]), np.array([[0, 1, 2], [0, 1, 0]]))
    assert abs(wrong[0, 1] - wrong[0, 0] + math.log(3)) > 0.1


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.3), GaussianNoise(5.0), LaplaceNoise(0.3), LaplaceNoise(5.0)])
def test_added_noise_sums_over_pixels(mechanism):
    candidates = rng(1).random((6, 20))
    released = mechanism.randomise(candidates[:4], rng(2))
    expected = mechanism.log_likelihood(released[:, None], candidates).sum(axis=2)
    assert_equal_up_to_a_constant(log_likelihoods(mechanism, released, candidates), expected)
    with pytest.raises(AssertionError):  # another level is another likelihood
        assert_equal_up_to_a_constant(log_likelihoods(type(mechanism)(1.0), released, candidates), expected)


def test_without_flips_only_a_perfect_match_is_possible():
    clean = np.array([[0, 1], [1, 1], [0, 1]], np.uint8)
    found = log_likelihoods(RandomisedResponse(0.0, 2), clean[:2], clean)
    np.testing.assert_array_equal(found, [[0, -np.inf, 0], [-np.inf, 0, -np.inf]])
    exact = RandomisedResponse(0.0, 2).log_likelihood(clean[:2, None], clean).sum(axis=2)
    np.testing.assert_array_equal(found, exact)


@pytest.mark.parametrize("k", [2, 3, 10, 17, 49, 256])
def test_pure_noise_prefers_nobody(k):
    useless = RandomisedResponse((k - 1) / k, k)
    candidates = rng(1).integers(0, k, (7, 784)).astype(np.uint8)
    found = log_likelihoods(useless, rng(2).integers(0, k, (5, 784)).astype(np.uint8), candidates)
    np.testing.assert_allclose(found, 0, atol=1e-9)
    np.testing.assert_allclose(linked(found, np.arange(5)), 1 / 7, rtol=1e-15)


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.0), LaplaceNoise(0.0)], ids=repr)
def test_added_noise_of_level_zero_has_no_likelihood(mechanism):
    with pytest.raises(ValueError, match="noise level must be"):
        log_likelihoods(mechanism, np.zeros((1, 2)), np.zeros((1, 2)))


# --- linking -------------------------------------------------------------------------------------


def test_ties_at_the_top_count_as_one_over_their_number():
    scores = np.array([[0.0, 0, 0], [0, 0, -1], [0, 0, -1], [-5, -4, -3], [-np.inf, 0, 0], [-np.inf] * 3])
    owner = np.array([1, 0, 2, 2, 0, 1])
    np.testing.assert_allclose(linked(scores, owner), [1 / 3, 1 / 2, 0, 1, 0, 1 / 3])


def test_rounding_makes_no_winner_but_a_difference_does():
    best = -2715.5
    assert linked(np.array([[best, best * (1 + 1e-14)]]), np.array([1])) == 0.5
    assert linked(np.array([[best, best - 1e-3]]), np.array([1])) == 0


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 99))
def test_the_shares_of_all_candidates_sum_to_one(n, m, seed):
    scores = rng(seed).integers(-3, 1, (n, m)).astype(float)
    total = sum(linked(scores, np.full(n, j)) for j in range(m))
    np.testing.assert_allclose(total, 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("mechanism", "values"),
    [
        (RandomisedResponse(0.0, 17), rng(1).integers(0, 17, (50, 64)).astype(np.uint8)),
        (GaussianNoise(1e-3), rng(1).random((50, 64))),
        (LaplaceNoise(1e-3), rng(1).random((50, 64))),
    ],
    ids=repr,
)
def test_linking_is_perfect_where_there_is_no_noise(mechanism, values):
    released = mechanism.randomise(values, rng(2))
    np.testing.assert_array_equal(linked(log_likelihoods(mechanism, released, values), np.arange(50)), 1)
    np.testing.assert_array_equal(linked(log_likelihoods(mechanism, released, values), np.arange(50)[::-1]), 0)


# Four candidates of two pixels with three states; the last two are the same picture.
CANDIDATES = np.array([[0, 0], [0, 2], [1, 1], [1, 1]], np.uint8)


def enumerated_accuracy(flip_prob, owner, k=3):
    """The exact chance that `owner` is picked: Bayes' rule on each of the k² releases, ties at random."""

    def chance(release, candidate):
        return math.prod(
            1 - flip_prob if r == c else flip_prob / (k - 1) for r, c in zip(release, candidate, strict=True)
        )

    accuracy = 0.0
    for release in itertools.product(range(k), repeat=2):
        joint = [chance(release, candidate) for candidate in CANDIDATES]
        top = [j for j, value in enumerate(joint) if math.isclose(value, max(joint), rel_tol=1e-12)]
        if owner in top:
            accuracy += joint[owner] / len(top)
    return accuracy


def test_enumeration_by_hand():
    assert [enumerated_accuracy(0.0, owner) for owner in range(4)] == [1, 1, 0.5, 0.5]
    assert enumerated_accuracy(2 / 3, 0) == pytest.approx(1 / 4)


@pytest.mark.parametrize("owner", range(4))
@pytest.mark.parametrize("flip_prob", [0.0, 0.1, 0.3, 0.5, 2 / 3])
def test_linking_equals_bayes_over_every_release(owner, flip_prob):
    mechanism = RandomisedResponse(flip_prob, 3)
    released = mechanism.randomise(np.tile(CANDIDATES[owner], (N, 1)), rng(owner))
    hits = linked(log_likelihoods(mechanism, released, CANDIDATES), np.full(N, owner))
    expected = enumerated_accuracy(flip_prob, owner)
    tolerance = 5 * math.sqrt(max(expected * (1 - expected), 0) / N) + 1e-6  # hits lie in [0, 1]; 2⁻²⁴ grid twice
    assert abs(hits.mean() - expected) <= tolerance
    if flip_prob < 2 / 3:
        assert abs(hits.mean() - enumerated_accuracy(flip_prob + 0.03, owner)) > tolerance


@pytest.mark.parametrize(
    ("mechanism", "chance"),
    [
        # two candidates at 0 and 1: the owner wins if the noise stays below a half
        (GaussianNoise(0.6), 0.5 * (1 + math.erf(0.5 / 0.6 / math.sqrt(2)))),
        (LaplaceNoise(0.6), 1 - 0.5 * math.exp(-0.5 / 0.6)),
    ],
    ids=repr,
)
def test_linking_two_points_by_hand(mechanism, chance):
    candidates = np.array([[0.0], [1.0]])
    owner = np.arange(N) % 2
    released = mechanism.randomise(candidates[owner], rng(3))
    found = linked(log_likelihoods(mechanism, released, candidates), owner).mean()
    tolerance = 5 * math.sqrt(chance * (1 - chance) / N)
    assert abs(found - chance) <= tolerance
    assert abs(found - chance - 0.01) > tolerance


# --- labels from images ----------------------------------------------------------------------------


def test_labels_of_separable_data_are_guessed_through_lies():
    labels = np.repeat([0, 1, 2], 300)
    images = rng(1).normal(np.eye(3)[labels] * 5, 1)
    lied = RandomisedResponse(0.3, 3).randomise(labels, rng(2))
    assert (lied != labels).mean() > 0.2
    targets = np.repeat([2, 0, 1], 500)
    guessed = guess_labels(images, lied, rng(3).normal(np.eye(3)[targets] * 5, 1))
    # After the lies two means are 5√2·0.55 = 3.9 apart, so each of two rivals wins with Φ(−1.94) = 0.026: 0.948 are
    # right on average, give or take 0.006, and nearest means taught on chance labels do no such thing.
    assert (guessed == targets).mean() > 0.9
    shuffled = guess_labels(images, rng(4).permutation(lied), rng(3).normal(np.eye(3)[targets] * 5, 1))
    assert (shuffled == targets).mean() < 0.9


def test_labels_by_hand():
    released = np.array([[0, 0], [0, 2], [9, 9], [9, 7]], np.uint8)
    guessed = guess_labels(released, np.array([5, 5, 3, 3]), np.array([[0, 1], [8, 8], [4, 4], [5, 5]]))
    assert guessed.tolist() == [5, 3, 5, 3]  # means (0, 1) and (9, 8): the middle is (4.5, 4.5)


def test_a_class_that_nobody_sent_is_never_guessed():
    released = rng(1).integers(0, 256, (20, 4)).astype(np.uint8)
    guessed = guess_labels(released, np.full(20, 7), released)
    np.testing.assert_array_equal(guessed, 7)
    two = guess_labels(released, np.arange(20) % 2 * 7, released)
    assert set(two.tolist()) == {0, 7}


def test_means_of_small_integers_do_not_overflow():
    released = np.full((1000, 1), 250, np.uint8)
    released[500:] = 10
    assert guess_labels(released, np.arange(1000) // 500, np.array([[240], [20]], np.uint8)).tolist() == [0, 1]
