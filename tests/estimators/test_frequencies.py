"""Frequencies of the true states against optimisers, optimality conditions and known truths."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from privdemo.estimators.frequencies import em, invert_channel, randomised_response_mle
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from tests.estimators.oracles import (
    frequency_deviations,
    likeliest_frequencies,
    likelihood_slopes,
    mean_log_likelihood,
    rng,
)

N = 100_000
# Three truths seen through four answers, no two alike.
WIDE = np.array([[0.6, 0.1, 0.1], [0.2, 0.5, 0.1], [0.1, 0.3, 0.2], [0.1, 0.1, 0.6]])
TRUTH = np.array([0.5, 0.3, 0.2])
OTHER = WIDE[:, [1, 0, 2]]  # a wrong channel: two truths change places


def rr(flip_prob, k):
    return RandomisedResponse(flip_prob, k).channel_matrix


CHANNELS = [
    rr(0.3, 2),
    rr(0.6, 5),
    BinaryChannel(0.2, 0.45).channel_matrix,
    np.array([[0.7, 0.2, 0.0], [0.2, 0.5, 0.4], [0.1, 0.3, 0.6]]),
]


@st.composite
def rr_problems(draw, most_noise=0.99):
    """Counts (some of them 0) and a flip probability short of pure noise."""
    k = draw(st.integers(2, 8))
    counts = draw(hnp.arrays(np.int64, k, elements=st.integers(0, 1000)))
    assume(counts.sum() > 0)
    return counts, draw(st.floats(0, most_noise)) * (k - 1) / k


# --- inversion ---------------------------------------------------------------------------------


@pytest.mark.parametrize("matrix", CHANNELS)
def test_inversion_is_exact_on_expected_counts(matrix):
    truth = rng(1).dirichlet(np.ones(len(matrix)))
    scale = np.linalg.cond(matrix) * 10 * np.finfo(float).eps  # the rounding of a linear solve
    np.testing.assert_allclose(invert_channel(1000 * matrix @ truth, matrix), truth, atol=scale)


def test_inversion_keeps_values_outside_zero_and_one():
    np.testing.assert_allclose(invert_channel([100, 0], rr(0.2, 2)), [0.8 / 0.6, -0.2 / 0.6], rtol=1e-12)  # Warner


@pytest.mark.parametrize("k", [2, 3, 10, 49, 256])
def test_inversion_refuses_pure_noise(k):
    with pytest.raises(ValueError, match="cannot be inverted"):
        invert_channel(np.ones(k), rr((k - 1) / k, k))
    assert np.isfinite(invert_channel(np.ones(k), rr(0.999 * (k - 1) / k, k))).all()


@pytest.mark.parametrize(
    ("counts", "matrix", "sentence"),
    [
        ([1, 2, 3], np.eye(2), r"channel_matrix must be \(k, k\) for counts \(k,\), got \(2, 2\) for \(3,\)"),
        ([1, 2, 3, 4], WIDE, r"channel_matrix must be \(k, k\)"),
        (np.ones((2, 2)), np.eye(2), r"channel_matrix must be \(k, k\)"),
        ([1, 2], [[0.5, 0.5], [0.4, 0.5]], r"every column \[:, true\] summing to 1"),
        ([1, 2], [[1.2, 0.5], [-0.2, 0.5]], "must hold probabilities"),
        ([1, 2], [[np.nan, 0.5], [0.5, 0.5]], "must hold probabilities"),
        ([3], [[1]], r"n_states must be a whole number in \[2, 65536\], got 1"),
    ],
)
def test_inversion_refuses_a_channel_that_does_not_fit(counts, matrix, sentence):
    with pytest.raises(ValueError, match=sentence):
        invert_channel(counts, matrix)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([0, 0], "not all zero: nobody has answered"),
        ([-1, 3], "finite and non-negative, got -1"),
        ([np.nan, 1], "finite and non-negative, got nan"),
        ([np.inf, 1], "finite and non-negative, got inf"),
        (3.0, "counts must be one for each state, got the single number 3"),
    ],
)
@pytest.mark.parametrize(
    "estimate",
    [
        lambda counts: invert_channel(counts, np.eye(2)),
        lambda counts: randomised_response_mle(counts, 0.2),
        lambda counts: em(counts, np.eye(2)),
        lambda counts: em([[1, 2], counts] if np.ndim(counts) else counts, np.eye(2)),
        lambda counts: randomised_response_mle([[1, 2], counts] if np.ndim(counts) else counts, 0.2),
    ],
)
def test_bad_counts_are_refused(counts, sentence, estimate):
    with pytest.raises(ValueError, match=sentence):
        estimate(counts)
    estimate([0, 1])  # good ones are not


# --- the closed form for randomised response -----------------------------------------------------


@settings(max_examples=200)
@given(rr_problems())
def test_the_closed_form_meets_the_optimality_conditions(problem):
    counts, flip_prob = problem
    k = len(counts)
    found = randomised_response_mle(counts, flip_prob)
    # the observed shares are found to a few last digits; dividing by 1 − q then magnifies them
    magnified = 100 * np.finfo(float).eps / (1 - flip_prob * k / (k - 1))
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1, abs=magnified)
    slope = likelihood_slopes(counts, rr(flip_prob, k), found)
    # Karush–Kuhn–Tucker: slope 1 where the frequency is positive, at most 1 where it is 0
    assert (slope <= 1 + 1e-9).all()
    np.testing.assert_allclose(slope[found > 1e-9], 1, atol=1e-9)


def test_the_closed_form_by_hand_where_states_are_too_rare():
    # k = 3, p = 0.4: q = 0.6 and the floor is 0.2. Shares (0.7, 0.2, 0.1): the last is below the floor, so it gets
    # 0 and the others share λ: 0.7/λ + 0.2/λ = 0.8, λ = 1.125; the second falls below 0.2 too; then λ = 0.7/0.6.
    np.testing.assert_allclose(randomised_response_mle([7, 2, 1], 0.4), [1, 0, 0], atol=1e-12)
    # Shares (0.5, 0.4, 0.1): 0.9/λ = 0.8, λ = 1.125, so (0.5/1.125 − 0.2)/0.4 and (0.4/1.125 − 0.2)/0.4.
    expected = [(0.5 / 1.125 - 0.2) / 0.4, (0.4 / 1.125 - 0.2) / 0.4, 0]
    np.testing.assert_allclose(randomised_response_mle([5, 4, 1], 0.4), expected, atol=1e-12)


@settings(max_examples=60)
@given(rr_problems(most_noise=0.6))
def test_inside_the_simplex_all_estimates_agree(problem):
    counts, flip_prob = problem
    raw = invert_channel(counts, rr(flip_prob, len(counts)))
    assume(raw.min() > 1e-3)
    np.testing.assert_allclose(randomised_response_mle(counts, flip_prob), raw, atol=1e-12)
    fitted = em(counts, rr(flip_prob, len(counts)), 20_000, 1e-12)
    # the mean log-likelihood bends by at least min_b f_b/e_b² (1−q)² = min_b (1−q)²/f_b ≥ 0.28², as q ≤ 0.6 · 1.2
    np.testing.assert_allclose(fitted.frequencies, raw, atol=np.sqrt(2e-12) / 0.28 + 1e-6)


def test_the_closed_form_takes_a_batch_row_by_row():
    counts = rng(3).integers(0, 50, (4, 5, 6))
    found = randomised_response_mle(counts, 0.5)
    assert found.shape == counts.shape
    for index in np.ndindex(4, 5):
        np.testing.assert_allclose(found[index], randomised_response_mle(counts[index], 0.5), atol=1e-15)


@pytest.mark.parametrize("k", [2, 3, 10, 256, 4097])
def test_the_closed_form_without_noise_and_with_nothing_else(k):
    counts = rng(4).integers(0, 100, k)
    np.testing.assert_allclose(randomised_response_mle(counts, 0.0), counts / counts.sum(), atol=1e-15)
    np.testing.assert_array_equal(randomised_response_mle(counts, (k - 1) / k), np.full(k, 1 / k))
    assert np.ptp(randomised_response_mle(counts, 0.99 * (k - 1) / k)) > 0.1 / k  # short of it the counts still speak


@pytest.mark.parametrize(
    ("counts", "flip_prob", "sentence"),
    [
        ([1, 1], -0.1, r"flip_prob must be in \[0, 0.5\]"),
        ([1, 1], 0.51, r"flip_prob must be in \[0, 0.5\]"),
        ([1, 1, 1], 0.7, r"flip_prob must be in \[0, 0.66"),
        ([1, 1, 1], np.nan, "flip_prob must be in"),
        ([3], 0.0, r"n_states must be a whole number in \[2, 65536\], got 1"),
        ([], 0.0, "nobody has answered"),
    ],
)
def test_the_closed_form_refuses_what_no_mechanism_does(counts, flip_prob, sentence):
    with pytest.raises(ValueError, match=sentence):
        randomised_response_mle(counts, flip_prob)


@pytest.mark.parametrize(("flip_prob", "truth"), [(0.4, TRUTH), (0.5, np.array([0.15, 0.25, 0.25, 0.35]))])
def test_the_closed_form_recovers_known_frequencies(flip_prob, truth):
    k = len(truth)
    states = rng(5).choice(k, N, p=truth)
    counts = np.bincount(RandomisedResponse(flip_prob, k).randomise(states, rng(6)), minlength=k)
    tolerance = 5 * frequency_deviations(rr(flip_prob, k), truth, N)
    assert (np.abs(randomised_response_mle(counts, flip_prob) - truth) <= tolerance).all()
    assert not (np.abs(randomised_response_mle(counts, flip_prob - 0.1) - truth) <= tolerance).all()


# --- expectation–maximisation ----------------------------------------------------------------------


def blurred(n_true=12, n_seen=20, width=0.15):
    """A Gaussian blur from `n_true` points to `n_seen` bins: slow for plain EM."""
    true, seen = np.linspace(0, 1, n_true), np.linspace(-0.3, 1.3, n_seen)
    matrix = np.exp(-0.5 * np.square(np.subtract.outer(seen, true) / width))
    return matrix / matrix.sum(axis=0)


EM_CASES = [
    (np.array([40, 30, 20, 10]), WIDE),
    (np.array([90, 5, 4, 1]), WIDE),  # on the boundary
    (np.array([5, 0, 1, 1, 0]), rr(0.6, 5)),
    (rng(7).multinomial(300, blurred() @ rng(8).dirichlet(np.ones(12) / 2)), blurred()),
    (rng(9).integers(0, 50, 3), rng(10).dirichlet(np.ones(3), 7).T),  # fewer bins than truths
]


@pytest.mark.parametrize(("counts", "matrix"), EM_CASES)
def test_em_never_lowers_the_likelihood(counts, matrix):
    path = [em(counts, matrix, max_iter=m, tolerance=0.0) for m in range(1, 40)]
    likelihoods = [mean_log_likelihood(counts, matrix, fit.frequencies) for fit in path]
    assert np.diff(likelihoods).min() >= -1e-14  # the rounding of a mean of logarithms
    for fit in path:
        assert fit.frequencies.sum() == pytest.approx(1, abs=1e-12)
        assert (fit.frequencies >= 0).all()


def one_iteration_by_hand(counts, matrix):
    """From the uniform start: two EM steps, Varadhan & Roland's leap, and a third from the better of the two."""
    shares = counts / counts.sum()

    def step(pi):
        return pi * ((shares / (matrix @ pi)) @ matrix)

    start = np.full(matrix.shape[1], 1 / matrix.shape[1])
    once = step(start)
    twice = step(once)
    r, v = once - start, (twice - once) - (once - start)
    stride = max(np.linalg.norm(r) / np.linalg.norm(v), 1)
    leap = np.maximum(start + 2 * stride * r + stride**2 * v, 1e-12)
    leap /= leap.sum()
    better = mean_log_likelihood(counts, matrix, leap) >= mean_log_likelihood(counts, matrix, once)
    return step(leap) if better else twice


@pytest.mark.parametrize(("counts", "matrix"), EM_CASES)
def test_an_iteration_is_two_steps_a_leap_and_a_step(counts, matrix):
    found = em(counts, matrix, max_iter=1, tolerance=0.0).frequencies
    np.testing.assert_allclose(found, one_iteration_by_hand(counts, matrix), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize(("counts", "matrix"), EM_CASES)
def test_the_gap_bounds_what_is_left_to_gain_and_closes(counts, matrix):
    best = likeliest_frequencies(counts, matrix)[1]
    best = max(best, mean_log_likelihood(counts, matrix, em(counts, matrix, 3000, 0.0).frequencies))
    for max_iter in (1, 2, 3, 5, 10, 30, 100):
        fit = em(counts, matrix, max_iter, tolerance=0.0)
        assert best - mean_log_likelihood(counts, matrix, fit.frequencies) <= fit.gap + 1e-13
    close = em(counts, matrix, 5000, 1e-9)
    assert close.gap <= 1e-9
    assert mean_log_likelihood(counts, matrix, close.frequencies) >= best - 1e-9
    uniform = np.full(matrix.shape[1], 1 / matrix.shape[1])
    first = likelihood_slopes(counts, matrix, uniform).max() - 1
    assert em(counts, matrix, 1, tolerance=0.0).gap == pytest.approx(first, rel=1e-12)


def test_em_recovers_known_frequencies_and_rejects_a_wrong_channel():
    counts = rng(11).multinomial(N, WIDE @ TRUTH)
    tolerance = 5 * frequency_deviations(WIDE, TRUTH, N)
    assert (np.abs(em(counts, WIDE, 5000, 1e-12).frequencies - TRUTH) <= tolerance).all()
    assert not (np.abs(em(counts, OTHER, 5000, 1e-12).frequencies - TRUTH) <= tolerance).all()


def test_em_works_in_the_precision_it_is_given():
    counts, matrix = EM_CASES[3]
    single, double = em(counts.astype(np.float32), matrix, 200, 1e-4), em(counts, matrix, 200, 1e-4)
    assert single.frequencies.dtype == np.float32
    assert double.frequencies.dtype == np.float64
    # both are within their gap of the maximum, and a sum of 20 terms in single precision of that
    one, other = (mean_log_likelihood(counts, matrix, fit.frequencies.astype(float)) for fit in (single, double))
    assert abs(one - other) <= 1e-4 + 20 * np.finfo(np.float32).eps * 5


def test_em_stops_when_every_row_has_converged():
    counts, matrix = EM_CASES[3]
    loose, tight = em(counts, matrix, 5000, 1e-2), em(counts, matrix, 5000, 1e-6)
    assert loose.n_iter < tight.n_iter < 5000
    assert loose.gap <= 1e-2 < em(counts, matrix, loose.n_iter - 1, 0.0).gap
    assert em(counts, matrix, 7, 0.0).n_iter == 7
    assert em(counts, matrix).gap <= 1e-3 < em(counts, matrix, em(counts, matrix).n_iter - 1).gap
    assert em(counts, matrix, tolerance=0.0).n_iter == 500
    settled = matrix @ np.full(12, 1 / 12)
    assert em(settled, matrix).n_iter == 1  # starts where it should end
    both = em([counts, settled], matrix, 5000, 1e-6)
    assert both.n_iter > 2 * loose.n_iter  # the row that is done from the start does not stop the other
    assert (both.gap <= 1e-6).all()


def test_em_takes_a_batch_row_by_row_and_leaves_it_alone():
    counts, matrix = rng(12).integers(1, 60, (3, 2, 4)), WIDE.copy()
    kept = counts.copy()
    fit = em(counts, matrix, 2, tolerance=0.0)  # before rows that lead each other astray have met again
    assert fit.frequencies.shape == (3, 2, 3)
    assert fit.gap.shape == (3, 2)
    for index in np.ndindex(3, 2):
        alone = em(counts[index], WIDE, 2, tolerance=0.0)
        np.testing.assert_allclose(fit.frequencies[index], alone.frequencies, atol=1e-12)
        assert fit.gap[index] == pytest.approx(alone.gap, abs=1e-12)
    np.testing.assert_array_equal(counts, kept)
    np.testing.assert_array_equal(matrix, WIDE)


NEVER = np.array([[0.5, 0.4], [0.5, 0.6], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("counts", "matrix", "max_iter", "sentence"),
    [
        ([1, 2], np.eye(2), 0, "max_iter must be a whole number at least 1, got 0"),
        ([5, 5, 1], NEVER, 9, "never observed"),
        ([1, 2, 3], np.eye(2), 9, r"channel_matrix must be \(m, k\) for counts \(..., m\), got \(2, 2\) for \(3,\)"),
        ([1, 2], np.ones(2) / 2, 9, r"channel_matrix must be \(m, k\)"),
        ([1, 2], [[0.5, 0.5], [0.4, 0.5]], 9, r"every column \[:, true\] summing to 1"),
        ([3], [[1]], 9, r"n_states must be a whole number in \[2, 65536\], got 1"),
    ],
)
def test_em_refuses_what_it_cannot_answer(counts, matrix, max_iter, sentence):
    with pytest.raises(ValueError, match=sentence):
        em(counts, matrix, max_iter)


def test_a_bin_that_is_never_observed_may_be_empty():
    np.testing.assert_allclose(em([5, 5, 0], NEVER, 2000, 1e-10).frequencies, [1, 0], atol=1e-4)
