"""The adversary's attacks against Bayes' rule by hand and exact enumeration of every release."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from privdemo.attacks import guess_labels, linked, repeated_answers, repeated_table
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse

N = 100_000


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("k", [2, 3, 10, 17, 49, 256])
def test_pure_noise_prefers_nobody(k):
    useless = RandomisedResponse((k - 1) / k, k)
    candidates = rng(1).integers(0, k, (7, 784)).astype(np.uint8)
    found = useless.pairwise_log_likelihood(rng(2).integers(0, k, (5, 784)).astype(np.uint8), candidates)
    np.testing.assert_allclose(found, 0, atol=1e-9)
    np.testing.assert_allclose(linked(found, np.arange(5)), 1 / 7, rtol=1e-15)


# --- linking -------------------------------------------------------------------------------------


def test_ties_at_the_top_count_as_one_over_their_number():
    scores = np.array([[0.0, 0, 0], [0, 0, -1], [0, 0, -1], [-5, -4, -3], [-np.inf, 0, 0], [-np.inf] * 3])
    owner = np.array([1, 0, 2, 2, 0, 1])
    np.testing.assert_allclose(linked(scores, owner), [1 / 3, 1 / 2, 0, 1, 0, 1 / 3])


def test_rounding_makes_no_winner_but_a_difference_does():
    best = -2715.5
    assert linked(np.array([[best, best * (1 + 1e-14)]]), np.array([1])) == 0.5
    assert linked(np.array([[best, best - 1e-3]]), np.array([1])) == 0


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


@pytest.mark.parametrize("owner", range(4))
@pytest.mark.parametrize("flip_prob", [0.0, 0.1, 0.3, 0.5, 2 / 3])
def test_linking_equals_bayes_over_every_release(owner, flip_prob):
    mechanism = RandomisedResponse(flip_prob, 3)
    released = mechanism.randomise(np.tile(CANDIDATES[owner], (N, 1)), rng(owner))
    hits = linked(mechanism.pairwise_log_likelihood(released, CANDIDATES), np.full(N, owner))
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
    found = linked(mechanism.pairwise_log_likelihood(released, candidates), owner).mean()
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


def test_means_of_small_integers_do_not_overflow():
    released = np.full((1000, 1), 250, np.uint8)
    released[500:] = 10
    assert guess_labels(released, np.arange(1000) // 500, np.array([[240], [20]], np.uint8)).tolist() == [0, 1]


# --- one person, many answers ----------------------------------------------------------------------

CHANNELS = [
    BinaryChannel(0.2, 0.2),
    BinaryChannel(0.1, 0.35),
    BinaryChannel(0.8, 0.7),
    BinaryChannel(0.0, 0.3),
    BinaryChannel(0.3, 0.0),
    BinaryChannel(0.0, 0.0),
    BinaryChannel(1.0, 0.4),
    BinaryChannel(0.6, 0.4),
]


def by_sequences(channel, prior, n_answers):
    """P(truth, every sequence of answers) by multiplying the channel out, shape {sequence: (P with 0, P with 1)}."""
    matrix = channel.channel_matrix
    return {
        answers: tuple(p * math.prod(matrix[a, truth] for a in answers) for truth, p in ((0, 1 - prior), (1, prior)))
        for answers in itertools.product((0, 1), repeat=n_answers)
    }


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("prior", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("n_answers", [1, 2, 5])
def test_repeated_answers_are_those_of_every_sequence(channel, prior, n_answers):
    found = repeated_answers(channel, prior, n_answers)
    joint = by_sequences(channel, prior, n_answers)
    majority = best = 0.0
    for answers, (with_0, with_1) in joint.items():
        ones = sum(answers)
        if with_0 + with_1 > 0:
            assert found.posterior[ones] == pytest.approx(with_1 / (with_0 + with_1), abs=1e-12)
        else:
            assert math.isnan(found.posterior[ones])
        zeros = n_answers - ones
        majority += with_1 if ones > zeros else with_0 if zeros > ones else (with_0 + with_1) / 2
        best += max(with_0, with_1)
    assert found.majority_right == pytest.approx(majority, abs=1e-12)
    assert found.best_guess_right == pytest.approx(best, abs=1e-12)
    for truth in (0, 1):
        given_truth = by_sequences(channel, float(truth), n_answers)
        by_count = np.zeros(n_answers + 1)
        for answers, pair in given_truth.items():
            by_count[sum(answers)] += pair[truth]
        np.testing.assert_allclose(found.chances[truth], by_count, atol=1e-12)


@pytest.mark.parametrize(
    ("p10", "p01", "prior"), [((1, 5), (1, 5), (1, 2)), ((1, 10), (2, 5), (3, 100)), ((7, 10), (9, 10), (1, 3))]
)
def test_fifty_answers_in_exact_fractions(p10, p01, prior):
    p10, p01, prior = Fraction(*p10), Fraction(*p01), Fraction(*prior)
    found = repeated_answers(BinaryChannel(float(p10), float(p01)), float(prior), 50)
    majority = best = Fraction(0)
    for ones in range(51):
        ways = math.comb(50, ones)
        with_0 = (1 - prior) * ways * p10**ones * (1 - p10) ** (50 - ones)
        with_1 = prior * ways * (1 - p01) ** ones * p01 ** (50 - ones)
        # fifty factors and a logarithm of up to 120: 10⁻¹² of either side's odds
        assert found.posterior[ones] == pytest.approx(float(with_1 / (with_0 + with_1)), rel=1e-12)
        majority += with_1 if ones > 25 else with_0 if ones < 25 else (with_0 + with_1) / 2
        best += max(with_0, with_1)
    assert found.majority_right == pytest.approx(float(majority), rel=1e-12)
    assert found.best_guess_right == pytest.approx(float(best), rel=1e-12)


@pytest.mark.parametrize("channel", [BinaryChannel(0.2, 0.2), BinaryChannel(0.1, 0.35), BinaryChannel(0.8, 0.7)])
@pytest.mark.parametrize("n_answers", [1, 7, 50])
def test_answers_cost_epsilon_each(channel, n_answers):
    """As many answers alike as there can be move the log odds by M times ε, and no more."""
    moved = repeated_answers(channel, 0.05, n_answers).log_odds - math.log(0.05 / 0.95)
    each = np.log(channel.channel_matrix[:, 1] / channel.channel_matrix[:, 0])
    np.testing.assert_allclose(moved[[0, -1]], n_answers * each, rtol=1e-12)
    assert np.abs(moved).max() == pytest.approx(n_answers * channel.epsilon, rel=1e-12)


def test_the_table_has_a_row_for_every_count_of_ones():
    found = [repeated_answers(BinaryChannel(0.2, 0.4), 0.3, m) for m in (1, 2)]
    rows = repeated_table(found, 0.5)
    assert [(row["answers"], row["ones"], row["epsilon"]) for row in rows] == [
        *[(1, 0, 0.5), (1, 1, 0.5)],
        *[(2, 0, 1.0), (2, 1, 1.0), (2, 2, 1.0)],
    ]
    assert rows[3] == {
        "answers": 2,
        "epsilon": 1.0,
        "majority_right": found[1].majority_right,
        "best_guess_right": found[1].best_guess_right,
        "ones": 1,
        "chance_if_0": pytest.approx(2 * 0.2 * 0.8),
        "chance_if_1": pytest.approx(2 * 0.6 * 0.4),
        "posterior_of_1": found[1].posterior[1],
        "log_odds_of_1": found[1].log_odds[1],
    }


@pytest.mark.parametrize("prior", [0.2, 0.5, 0.7])
def test_before_any_answer_the_likelier_truth_is_guessed(prior):
    assert repeated_answers(BinaryChannel(0.2, 0.2), prior, 1).guess_before == max(prior, 1 - prior)


@pytest.mark.parametrize("n_answers", [0, 51, 2.0])
def test_impossible_numbers_of_answers_are_refused(n_answers):
    with pytest.raises(ValueError, match=rf"n_answers must be a whole number in \[1, 50\], got {n_answers:g}"):
        repeated_answers(BinaryChannel(0.2, 0.2), 0.5, n_answers)


@pytest.mark.parametrize("prior", [-0.1, 1.1, math.nan])
def test_impossible_priors_are_refused(prior):
    with pytest.raises(ValueError, match=rf"prior must be in \[0, 1\], got {prior}"):
        repeated_answers(BinaryChannel(0.2, 0.2), prior, 3)
