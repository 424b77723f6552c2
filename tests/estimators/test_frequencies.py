"""Frequencies of the true states against optimisers, optimality conditions and known truths."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from privdemo.estimators.frequencies import em, invert_channel, randomised_response_mle
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from tests.estimators import oracles as reference
from tests.estimators.oracles import likelihood_slopes, mean_log_likelihood, rng

# Three truths seen through four answers, no two alike.
WIDE = np.array([[0.6, 0.1, 0.1], [0.2, 0.5, 0.1], [0.1, 0.3, 0.2], [0.1, 0.1, 0.6]])
NEVER = np.array([[0.5, 0.4], [0.5, 0.6], [0.0, 0.0]])


def rr(flip_prob, k):
    return RandomisedResponse(flip_prob, k).channel_matrix


@pytest.mark.parametrize("matrix", [rr(0.6, 5), BinaryChannel(0.2, 0.45).channel_matrix, WIDE[:3] / WIDE[:3].sum(0)])
def test_inversion_is_exact_on_expected_counts(matrix):
    truth = rng(1).dirichlet(np.ones(len(matrix)))
    scale = np.linalg.cond(matrix) * 10 * np.finfo(float).eps  # the rounding of a linear solve
    np.testing.assert_allclose(invert_channel(1000 * matrix @ truth, matrix), truth, atol=scale)


def test_inversion_keeps_values_outside_zero_and_one_and_refuses_pure_noise():
    np.testing.assert_allclose(invert_channel([100, 0], rr(0.2, 2)), [0.8 / 0.6, -0.2 / 0.6], rtol=1e-12)  # Warner
    for k in (2, 10, 256):
        with pytest.raises(ValueError, match="cannot be inverted"):
            invert_channel(np.ones(k), rr((k - 1) / k, k))
        assert np.isfinite(invert_channel(np.ones(k), rr(0.999 * (k - 1) / k, k))).all()


@st.composite
def rr_problems(draw):
    """Counts (some of them 0) and a flip probability short of pure noise."""
    k = draw(st.integers(2, 8))
    counts = draw(hnp.arrays(np.int64, k, elements=st.integers(0, 1000)))
    assume(counts.sum() > 0)
    return counts, draw(st.floats(0, 0.99)) * (k - 1) / k


@settings(max_examples=100)
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


def test_the_closed_form_of_batches_without_noise_and_with_nothing_else():
    counts = rng(3).integers(0, 50, (4, 5, 6))
    found = randomised_response_mle(counts, 0.5)
    for index in np.ndindex(4, 5):
        np.testing.assert_allclose(found[index], randomised_response_mle(counts[index], 0.5), atol=1e-15)
    for k in (2, 3, 256, 4097):
        counts = rng(4).integers(0, 100, k)
        np.testing.assert_allclose(randomised_response_mle(counts, 0.0), counts / counts.sum(), atol=1e-15)
        np.testing.assert_array_equal(randomised_response_mle(counts, (k - 1) / k), np.full(k, 1 / k))
        assert np.ptp(randomised_response_mle(counts, 0.99 * (k - 1) / k)) > 0.1 / k  # the counts still speak


def blurred(n_true=12, n_seen=20, width=0.15):
    """A Gaussian blur from `n_true` points to `n_seen` bins: slow for plain EM."""
    true, seen = np.linspace(0, 1, n_true), np.linspace(-0.3, 1.3, n_seen)
    matrix = np.exp(-0.5 * np.square(np.subtract.outer(seen, true) / width))
    return matrix / matrix.sum(axis=0)


SLOW = (rng(7).multinomial(300, blurred() @ rng(8).dirichlet(np.ones(12) / 2)), blurred())


@pytest.mark.parametrize(
    ("counts", "matrix"),
    [
        (np.array([40, 30, 20, 10]), WIDE),
        (np.array([90, 5, 4, 1]), WIDE),  # on the boundary
        (np.array([5, 0, 1, 1, 0]), rr(0.6, 5)),
        SLOW,
        (rng(9).integers(0, 50, 3), rng(10).dirichlet(np.ones(3), 7).T),  # fewer bins than truths
    ],
)
def test_em_climbs_by_squarem_to_the_maximum_and_says_how_far_it_is(counts, matrix):
    first = em(counts, matrix, max_iter=1, tolerance=0.0)
    np.testing.assert_allclose(first.frequencies, reference.one_em_iteration(counts, matrix), rtol=1e-9, atol=1e-14)
    # a gap is computed before the step of its iteration: here at the uniform frequencies
    uniform = np.full(matrix.shape[1], 1 / matrix.shape[1])
    assert first.gap == pytest.approx(likelihood_slopes(counts, matrix, uniform).max() - 1, rel=1e-12)
    top = em(counts, matrix, 5000, 1e-9).frequencies
    best, likelihoods = mean_log_likelihood(counts, matrix, top), []
    # The mean log-likelihood is concave: no frequencies gain more than the steepest slope less 1, where 1 is the
    # multiplier of the constraint that they sum to 1.
    assert likelihood_slopes(counts, matrix, top).max() - 1 <= 1e-9
    for max_iter in range(1, 31):
        fit = em(counts, matrix, max_iter, tolerance=0.0)
        likelihoods.append(mean_log_likelihood(counts, matrix, fit.frequencies))
        assert best - likelihoods[-1] <= fit.gap + 1e-13
        assert fit.frequencies.sum() == pytest.approx(1, abs=1e-12)
        assert (fit.frequencies >= 0).all()
    assert np.diff(likelihoods).min() >= -1e-14  # the rounding of a mean of logarithms


def test_em_stops_when_every_row_has_converged():
    counts, matrix = SLOW
    loose, tight = em(counts, matrix, 5000, 1e-2), em(counts, matrix, 5000, 1e-6)
    assert loose.n_iter < tight.n_iter < 5000
    assert loose.gap <= 1e-2 < em(counts, matrix, loose.n_iter - 1, 0.0).gap
    assert em(counts, matrix).gap <= 1e-3 < em(counts, matrix, em(counts, matrix).n_iter - 1).gap
    assert em(counts, matrix, tolerance=0.0).n_iter == 500
    settled = matrix @ np.full(12, 1 / 12)
    both = em([counts, settled], matrix, 5000, 1e-6)
    assert both.n_iter > 2 * loose.n_iter  # the row that has converged at once does not stop the other
    assert (both.gap <= 1e-6).all()


def test_em_takes_a_batch_row_by_row_leaves_it_alone_and_keeps_its_precision():
    counts = rng(12).integers(1, 60, (3, 2, 4))
    kept = counts.copy()
    fit = em(
        counts, WIDE, 2, tolerance=0.0
    )  # only two iterations: with more, rows that disturb each other would converge all the same
    assert fit.frequencies.shape == (3, 2, 3)
    for index in np.ndindex(3, 2):
        alone = em(counts[index], WIDE, 2, tolerance=0.0)
        np.testing.assert_allclose(fit.frequencies[index], alone.frequencies, atol=1e-12)
        assert fit.gap[index] == pytest.approx(alone.gap, abs=1e-12)
    np.testing.assert_array_equal(counts, kept)
    counts, matrix = SLOW
    single, double = em(counts.astype(np.float32), matrix, 200, 1e-4), em(counts, matrix, 200, 1e-4)
    assert (single.frequencies.dtype, double.frequencies.dtype) == (np.float32, np.float64)
    one, other = (mean_log_likelihood(counts, matrix, fit.frequencies.astype(float)) for fit in (single, double))
    assert (
        abs(one - other) <= 1e-4 + 20 * np.finfo(np.float32).eps * 5
    )  # the tolerance of both, and the rounding of a sum of 20 terms
    # a bin to which no truth leads may have a count of 0
    np.testing.assert_allclose(em([5, 5, 0], NEVER, 2000, 1e-10).frequencies, [1, 0], atol=1e-4)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: invert_channel([0, 0], np.eye(2)), "not all zero: nobody has answered"),
        (lambda: randomised_response_mle([[1, 2], [-1, 3]], 0.2), "finite and non-negative, got -1"),
        (lambda: invert_channel([1, 2, 3], np.eye(2)), r"must be \(k, k\) for counts \(k,\), got \(2, 2\) for \(3,\)"),
        (lambda: em([1, 2], [[1.2, 0.5], [-0.2, 0.5]]), r"probabilities, every column \[:, true\] summing to 1"),
        (lambda: invert_channel([3], [[1]]), r"n_states must be a whole number in \[2, 65536\], got 1"),
        (lambda: randomised_response_mle([1, 1, 1], 0.7), r"flip_prob must be in \[0, 0.66"),
        (lambda: em([5, 5, 1], NEVER), "never observed"),
        (lambda: em([1, 2, 3], np.eye(2)), r"must be \(m, k\) for counts \(..., m\), got \(2, 2\) for \(3,\)"),
    ],
)
def test_what_cannot_be_answered_is_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()
