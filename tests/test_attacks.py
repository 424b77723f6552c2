"""The adversary's attacks against Bayes' rule by hand and exact enumeration of every release."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from privdemo.attacks import guess_labels, linked, repeated_answers, repeated_table
from privdemo.mechanisms import BinaryChannel, RandomisedResponse

N = 50_000


def test_ties_at_the_top_count_as_one_over_their_number_and_rounding_makes_no_winner():
    scores = np.array([[0.0, 0, 0], [0, 0, -1], [0, 0, -1], [-5, -4, -3], [-np.inf, 0, 0], [-np.inf] * 3])
    np.testing.assert_allclose(linked(scores, np.array([1, 0, 2, 2, 0, 1])), [1 / 3, 1 / 2, 0, 1, 0, 1 / 3])
    best = -2715.5
    close = np.array([[best, best * (1 + 1e-14)], [best, best - 1e-3], [0, -1e-8], [0, -1e-10]])
    assert linked(close, np.ones(4, int)).tolist() == [0.5, 0, 0, 0.5]


# Four candidates of two pixels with three states; the last two are the same picture.
CANDIDATES = np.array([[0, 0], [0, 2], [1, 1], [1, 1]], np.uint8)


def enumerated_accuracy(flip_prob, owner):
    """The exact chance that `owner` is picked: Bayes' rule on each of the 9 releases, ties at random."""
    accuracy = 0.0
    for release in itertools.product(range(3), repeat=2):
        flipped = (release != CANDIDATES).sum(axis=1)
        joint = (1 - flip_prob) ** (2 - flipped) * (flip_prob / 2) ** flipped
        top = np.isclose(joint, joint.max(), rtol=1e-12)
        accuracy += joint[owner] * top[owner] / top.sum()
    return accuracy


@pytest.mark.parametrize("owner", [0, 3])
@pytest.mark.parametrize("flip_prob", [0.0, 0.1, 2 / 3])
def test_linking_equals_bayes_over_every_release(owner, flip_prob):
    mechanism = RandomisedResponse(flip_prob, 3)
    released = mechanism.randomise(np.tile(CANDIDATES[owner], (N, 1)), np.random.default_rng(owner))
    found = linked(mechanism.pairwise_log_likelihood(released, CANDIDATES), np.full(N, owner)).mean()
    for assumed in {flip_prob, min(flip_prob + 0.05, 2 / 3)}:
        expected = enumerated_accuracy(assumed, owner)
        tolerance = 5 * math.sqrt(max(expected * (1 - expected), 0) / N) + 1e-6  # hits lie in [0, 1]; 2⁻²⁴ grid twice
        assert (abs(found - expected) <= tolerance) == (assumed == flip_prob)


def test_labels_by_hand():
    released = np.array([[0, 0], [0, 2], [9, 9], [9, 7]], np.uint8)
    guessed = guess_labels(released, np.array([5, 5, 3, 3]), np.array([[0, 1], [8, 8], [4, 4], [5, 5]]))
    assert guessed.tolist() == [5, 3, 5, 3]  # means (0, 1) and (9, 8): the middle is (4.5, 4.5)
    many = np.repeat([[250], [10]], 500, axis=0).astype(np.uint8)  # small integers must not overflow
    assert guess_labels(many, np.arange(1000) // 500, np.array([[240], [20]], np.uint8)).tolist() == [0, 1]


def fractions(p10, p01, prior, m):
    """P(truth, j of m answers are 1) as exact fractions: for each j the pair for truths 0 and 1."""
    p10, p01, prior = Fraction(p10), Fraction(p01), Fraction(prior)
    for j in range(m + 1):
        ways = math.comb(m, j)
        yield (1 - prior) * ways * p10**j * (1 - p10) ** (m - j), prior * ways * (1 - p01) ** j * p01 ** (m - j)


@pytest.mark.parametrize(("p10", "p01"), [(0.1, 0.35), (0.8, 0.7), (0.0, 0.3), (0.3, 0.0), (0.0, 0.0), (0.6, 0.4)])
@pytest.mark.parametrize("n_answers", [1, 2, 50])
def test_repeated_answers_in_exact_fractions(p10, p01, n_answers):
    for prior in (0.0, 0.1, 0.5, 1.0):
        found = repeated_answers(BinaryChannel(p10, p01), prior, n_answers)
        joint = list(fractions(p10, p01, prior, n_answers))
        for j, (with_0, with_1) in enumerate(joint):
            if with_0 + with_1 == 0:
                assert math.isnan(found.posterior[j])
                continue
            # fifty factors and a logarithm of up to 120: 10⁻¹² of either side's odds
            assert found.posterior[j] == pytest.approx(float(with_1 / (with_0 + with_1)), rel=1e-11, abs=1e-300)
            if with_0 * with_1 > 0:
                assert found.log_odds[j] == pytest.approx(math.log(with_1 / with_0), rel=1e-11, abs=1e-13)
        majority = sum(
            w1 if 2 * j > n_answers else w0 if 2 * j < n_answers else (w0 + w1) / 2 for j, (w0, w1) in enumerate(joint)
        )
        assert found.majority_right == pytest.approx(float(majority), rel=1e-11)
        assert found.best_guess_right == pytest.approx(float(sum(map(max, joint))), rel=1e-11)
        assert found.guess_before == max(prior, 1 - prior)
        for truth in (0, 1):
            chances = [float(pair[truth]) for pair in fractions(p10, p01, truth, n_answers)]
            np.testing.assert_allclose(found.chances[truth], chances, rtol=1e-11, atol=1e-300)


def test_the_table_has_a_row_for_every_count_of_ones():
    found = [repeated_answers(BinaryChannel(0.2, 0.4), 0.3, m) for m in (1, 2)]
    rows = repeated_table(found, 0.5)
    places = [(1, 0, 0.5), (1, 1, 0.5), (2, 0, 1.0), (2, 1, 1.0), (2, 2, 1.0)]
    assert [(row["answers"], row["ones"], row["epsilon"]) for row in rows] == places
    assert (rows[3]["chance_if_1"], rows[3]["posterior_of_1"]) == (found[1].chances[1][1], found[1].posterior[1])
    with pytest.raises(ValueError, match=r"^n_answers must be "):
        repeated_answers(BinaryChannel(0.2, 0.2), 0.5, 51)
