"""Frequencies of the true states against optimisers, optimality conditions and known truths."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize

from privdemo.estimators.frequencies import em, invert_channel, randomised_response_mle
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.simplex import project_simplex

N = 100_000
# Three truths seen through four answers, no two alike.
WIDE = np.array([[0.6, 0.1, 0.1], [0.2, 0.5, 0.1], [0.1, 0.3, 0.2], [0.1, 0.1, 0.6]])
TRUTH = np.array([0.5, 0.3, 0.2])
OTHER = WIDE[:, [1, 0, 2]]  # a wrong channel: two truths change places
CHANNELS = [
    RandomisedResponse(0.3, 2).channel_matrix,
    RandomisedResponse(0.6, 5).channel_matrix,
    BinaryChannel(0.2, 0.45).channel_matrix,
    np.array([[0.7, 0.2, 0.0], [0.2, 0.5, 0.4], [0.1, 0.3, 0.6]]),
]


def rng(seed=0):
    return np.random.default_rng(seed)


def rr(flip_prob, k):
    return RandomisedResponse(flip_prob, k).channel_matrix


def mean_log_likelihood(counts, matrix, frequencies):
    """Σ_b f_b ln(channel·π)_b, straight from the definition; −∞ where something seen is impossible."""
    shares, expected = counts / counts.sum(), matrix @ frequencies
    seen = shares > 0
    with np.errstate(divide="ignore"):
        return float(shares[seen] @ np.log(expected[seen]))


def slopes(counts, matrix, frequencies):
    """The derivative of the mean log-likelihood with respect to every frequency."""
    shares, expected = counts / counts.sum(), matrix @ frequencies
    seen = shares > 0
    return (shares[seen] / expected[seen]) @ matrix[seen]


def best_by_search(counts, matrix):
    """The maximum found by a general optimiser over the simplex (SLSQP, from the centre)."""
    k = matrix.shape[1]
    found = minimize(
        lambda x: -mean_log_likelihood(counts, matrix, x),
        np.full(k, 1 / k),
        jac=lambda x: -slopes(counts, matrix, x),
        method="SLSQP",
        bounds=[(1e-12, 1)] * k,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(k)},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return found.x, -found.fun


def deviations(matrix, frequencies, n=N):
    """Standard deviations of an interior maximum-likelihood estimate: the inverse Fisher information
    of n observations, one frequency being 1 minus the others."""
    k = len(frequencies)
    free = np.vstack((np.eye(k - 1), -np.ones(k - 1)))
    seen = matrix @ free
    information = n * seen.T @ (seen / (matrix @ frequencies)[:, None])
    return np.sqrt(np.diag(free @ np.linalg.inv(information) @ free.T))


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
    if not np.allclose(matrix, matrix.T):
        assert np.abs(invert_channel(1000 * matrix @ truth, matrix.T / matrix.T.sum(axis=0)) - truth).max() > 0.01


@pytest.mark.parametrize("matrix", CHANNELS)
def test_inversion_is_unbiased(matrix):
    k, n, repeats = len(matrix), 400, 4000
    truth = rng(1).dirichlet(5 * np.ones(k))
    counts = rng(2).multinomial(n, matrix @ truth, size=repeats)
    estimates = np.array([invert_channel(row, matrix) for row in counts])
    # five standard errors of a mean of `repeats` estimates, each with the inverse's exact covariance
    seen, inverse = matrix @ truth, np.linalg.inv(matrix)
    covariance = inverse @ (np.diag(seen) - np.outer(seen, seen)) @ inverse.T / n
    tolerance = 5 * np.sqrt(np.diag(covariance) / repeats)
    assert (np.abs(estimates.mean(axis=0) - truth) <= tolerance).all()
    shifted = truth + 0.02 * (np.arange(k) == 0) - 0.02 * (np.arange(k) == 1)
    assert not (np.abs(estimates.mean(axis=0) - shifted) <= tolerance).all()


def test_inversion_keeps_values_outside_zero_and_one():
    raw = invert_channel([100, 0], rr(0.2, 2))
    np.testing.assert_allclose(raw, [0.8 / 0.6, -0.2 / 0.6], rtol=1e-12)  # Warner: (f − p)/(1 − 2p)
    assert raw[0] > 1
    assert raw[1] < 0


@pytest.mark.parametrize("k", [2, 3, 10, 49, 256])
def test_inversion_refuses_pure_noise(k):
    with pytest.raises(ValueError, match="cannot be inverted"):
        invert_channel(np.ones(k), rr((k - 1) / k, k))
    assert np.isfinite(invert_channel(np.ones(k), rr(0.999 * (k - 1) / k, k))).all()


def test_inversion_refuses_a_channel_that_does_not_fit():
    for counts, matrix in (([1, 2, 3], np.eye(2)), ([1, 2, 3, 4], WIDE), (np.ones((2, 2)), np.eye(2))):
        with pytest.raises(ValueError, match=r"channel_matrix must be \(k, k\)"):
            invert_channel(counts, matrix)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([0, 0], "not all zero: nobody has answered"),
        ([-1, 3], "finite and non-negative, got -1"),
        ([np.nan, 1], "finite and non-negative, got nan"),
        ([np.inf, 1], "finite and non-negative, got inf"),
    ],
)
@pytest.mark.parametrize(
    "estimate",
    [
        lambda counts: invert_channel(counts, np.eye(2)),
        lambda counts: randomised_response_mle(counts, 0.2),
        lambda counts: em(counts, np.eye(2)),
        lambda counts: em([[1, 2], counts], np.eye(2)),
        lambda counts: randomised_response_mle([[1, 2], counts], 0.2),
    ],
)
def test_bad_counts_are_refused(counts, sentence, estimate):
    with pytest.raises(ValueError, match=sentence):
        estimate(counts)
    estimate([0, 1])  # good ones are not


# --- the closed form for randomised response -----------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(rr_problems())
def test_closed_form_meets_the_optimality_conditions(problem):
    counts, flip_prob = problem
    k = len(counts)
    found = randomised_response_mle(counts, flip_prob)
    # the observed shares are found to a few last digits; dividing by 1 − q then magnifies them
    magnified = 100 * np.finfo(float).eps / (1 - flip_prob * k / (k - 1))
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1, abs=magnified)
    slope = slopes(counts, rr(flip_prob, k), found)
    # Karush–Kuhn–Tucker: slope 1 where the frequency is positive, at most 1 where it is 0
    assert (slope <= 1 + 1e-9).all()
    np.testing.assert_allclose(slope[found > 1e-9], 1, atol=1e-9)


def test_boundary_solution_by_hand():
    # k = 3, p = 0.4: q = 0.6 and the floor is 0.2. Shares (0.7, 0.2, 0.1): the last is below the floor, so it gets
    # 0 and the others share λ: 0.7/λ + 0.2/λ = 0.8, λ = 1.125; the second falls below 0.2 too; then λ = 0.7/0.6.
    np.testing.assert_allclose(randomised_response_mle([7, 2, 1], 0.4), [1, 0, 0], atol=1e-12)
    # Shares (0.5, 0.4, 0.1): 0.9/λ = 0.8, λ = 1.125, so (0.5/1.125 − 0.2)/0.4 and (0.4/1.125 − 0.2)/0.4.
    expected = [(0.5 / 1.125 - 0.2) / 0.4, (0.4 / 1.125 - 0.2) / 0.4, 0]
    np.testing.assert_allclose(randomised_response_mle([5, 4, 1], 0.4), expected, atol=1e-12)
    assert slopes(np.array([5, 4, 1]), rr(0.4, 3), np.array(expected))[2] < 1  # the bound holds it there


@settings(max_examples=40, deadline=None)
@given(rr_problems(most_noise=0.9))
def test_closed_form_beats_or_equals_a_general_optimiser(problem):
    counts, flip_prob = problem
    matrix = rr(flip_prob, len(counts))
    found = randomised_response_mle(counts, flip_prob)
    searched, likelihood = best_by_search(counts, matrix)
    assert mean_log_likelihood(counts, matrix, found) >= likelihood - 1e-12
    # the optimiser's own gap bounds what it missed; where it gave up early there is nothing to compare with
    missed = max(0.0, slopes(counts, matrix, searched).max() - 1) + 1e-12
    assume(missed < 1e-2)
    assert mean_log_likelihood(counts, matrix, found) <= likelihood + missed


@settings(deadline=None)
@given(rr_problems(most_noise=0.9), st.integers(0, 7), st.integers(0, 7))
def test_moving_away_from_the_closed_form_lowers_the_likelihood(problem, source, target):
    counts, flip_prob = problem
    k = len(counts)
    found = randomised_response_mle(counts, flip_prob)
    source, target = source % k, target % k
    assume(source != target and found[source] > 0.01 and flip_prob > 0)
    moved = found.copy()
    moved[source] -= 0.01
    moved[target] += 0.01
    matrix = rr(flip_prob, k)
    assert mean_log_likelihood(counts, matrix, moved) < mean_log_likelihood(counts, matrix, found)


@settings(max_examples=15, deadline=None)
@given(rr_problems(most_noise=0.7))
def test_closed_form_agrees_with_em(problem):
    counts, flip_prob = problem
    matrix = rr(flip_prob, len(counts))
    assume(flip_prob > 0.05)
    fit = em(counts, matrix, max_iter=5000, tolerance=1e-10)
    found = randomised_response_mle(counts, flip_prob)
    best = mean_log_likelihood(counts, matrix, found)
    assert best - 1e-12 <= mean_log_likelihood(counts, matrix, fit.frequencies) + fit.gap
    # the log-likelihood bends at least as ½ min_b f_b/e_b² (1−q)² |Δ|²; only well-seen states bound it
    k = len(counts)
    curvature = (counts / counts.sum() / (matrix @ found) ** 2).min() * (1 - flip_prob * k / (k - 1)) ** 2
    assume(curvature > 1e-3)
    distance = np.linalg.norm(fit.frequencies - found)
    assert distance <= 2 * np.sqrt(2 * max(float(fit.gap), 1e-14) / curvature)


@settings(max_examples=200, deadline=None)
@given(rr_problems(most_noise=0.95))
def test_closed_form_equals_inversion_inside_the_simplex(problem):
    counts, flip_prob = problem
    raw = invert_channel(counts, rr(flip_prob, len(counts)))
    found = randomised_response_mle(counts, flip_prob)
    if (raw >= 0).all():
        np.testing.assert_allclose(found, raw, atol=1e-12)
    elif raw.min() < -1e-9:
        assert np.abs(found - raw).max() > 1e-9
        assert (found == 0).any()


def test_closed_form_takes_a_batch_row_by_row():
    counts = rng(3).integers(0, 50, (4, 5, 6))
    found = randomised_response_mle(counts, 0.5)
    assert found.shape == counts.shape
    for index in np.ndindex(4, 5):
        np.testing.assert_allclose(found[index], randomised_response_mle(counts[index], 0.5), atol=1e-15)


@pytest.mark.parametrize("k", [2, 3, 10, 17, 49, 256, 4097])
def test_closed_form_without_noise_and_with_nothing_else(k):
    counts = rng(4).integers(0, 100, k)
    np.testing.assert_allclose(randomised_response_mle(counts, 0.0), counts / counts.sum(), atol=1e-15)
    np.testing.assert_array_equal(randomised_response_mle(counts, (k - 1) / k), np.full(k, 1 / k))
    assert np.ptp(randomised_response_mle(counts, 0.99 * (k - 1) / k)) > 0.1 / k  # short of it the counts still speak


@pytest.mark.parametrize(("flip_prob", "k"), [(-0.1, 2), (0.51, 2), (0.7, 3), (np.nan, 3)])
def test_closed_form_refuses_a_bad_flip_prob(flip_prob, k):
    with pytest.raises(ValueError, match="flip_prob must be in"):
        randomised_response_mle(np.ones(k), flip_prob)


@pytest.mark.parametrize("counts", [[], [3]])
def test_closed_form_needs_two_states(counts):
    with pytest.raises(ValueError, match="n_states must be" if counts else "nobody has answered"):
        randomised_response_mle(counts, 0.0)
    for one_state in (lambda: invert_channel([3], [[1]]), lambda: em([3], [[1]])):
        with pytest.raises(ValueError, match=r"n_states must be a whole number in \[2, 65536\], got 1"):
            one_state()


@pytest.mark.parametrize(("flip_prob", "truth"), [(0.4, TRUTH), (0.5, np.array([0.15, 0.25, 0.25, 0.35]))])
def test_closed_form_recovers_known_frequencies(flip_prob, truth):
    k = len(truth)
    states = rng(5).choice(k, N, p=truth)
    counts = np.bincount(RandomisedResponse(flip_prob, k).randomise(states, rng(6)), minlength=k)
    tolerance = 5 * deviations(rr(flip_prob, k), truth)
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
    assert likelihoods[-1] > likelihoods[0] or path[0].gap < 1e-12
    for fit in path:
        assert fit.frequencies.sum() == pytest.approx(1, abs=1e-12)
        assert (fit.frequencies >= 0).all()


@pytest.mark.parametrize(("counts", "matrix"), EM_CASES)
def test_gap_bounds_what_is_left_to_gain(counts, matrix):
    best = best_by_search(counts, matrix)[1]
    best = max(best, mean_log_likelihood(counts, matrix, em(counts, matrix, 3000, 0.0).frequencies))
    for max_iter in (1, 2, 3, 5, 10, 30, 100):
        fit = em(counts, matrix, max_iter, tolerance=0.0)
        left = best - mean_log_likelihood(counts, matrix, fit.frequencies)
        assert left <= fit.gap + 1e-13
    assert em(counts, matrix, 3000, 1e-7).gap <= 1e-7  # and it closes
    first = em(counts, matrix, 1, tolerance=0.0)
    uniform = np.full(matrix.shape[1], 1 / matrix.shape[1])
    assert first.gap == pytest.approx(slopes(counts, matrix, uniform).max() - 1, rel=1e-12)


@pytest.mark.parametrize(("counts", "matrix"), EM_CASES)
def test_em_is_as_good_as_a_general_optimiser(counts, matrix):
    fit = em(counts, matrix, 5000, 1e-9)
    assert mean_log_likelihood(counts, matrix, fit.frequencies) >= best_by_search(counts, matrix)[1] - 1e-9


def test_em_recovers_known_frequencies_and_rejects_a_wrong_channel():
    counts = rng(11).multinomial(N, WIDE @ TRUTH)
    tolerance = 5 * deviations(WIDE, TRUTH)
    assert (np.abs(em(counts, WIDE, 5000, 1e-12).frequencies - TRUTH) <= tolerance).all()
    assert not (np.abs(em(counts, OTHER, 5000, 1e-12).frequencies - TRUTH) <= tolerance).all()


def test_em_is_exact_on_expected_counts():
    np.testing.assert_allclose(em(WIDE @ TRUTH, WIDE, 5000, 1e-14).frequencies, TRUTH, atol=1e-6)


def test_em_works_in_the_precision_it_is_given():
    counts, matrix = EM_CASES[3]
    single, double = em(counts.astype(np.float32), matrix, 200, 1e-4), em(counts, matrix, 200, 1e-4)
    assert single.frequencies.dtype == np.float32
    assert double.frequencies.dtype == np.float64
    # both are within their gap of the maximum, and a sum of 20 terms in single precision of that
    apart = mean_log_likelihood(counts, matrix, single.frequencies.astype(float)) - mean_log_likelihood(
        counts, matrix, double.frequencies
    )
    assert abs(apart) <= 1e-4 + 20 * np.finfo(np.float32).eps * 5


def test_em_stops_when_every_row_has_converged():
    counts, matrix = EM_CASES[3]
    loose, tight = em(counts, matrix, 5000, 1e-2), em(counts, matrix, 5000, 1e-6)
    assert loose.n_iter < tight.n_iter < 5000
    assert loose.gap <= 1e-2 < em(counts, matrix, loose.n_iter - 1, 0.0).gap
    assert em(counts, matrix, 7, 0.0).n_iter == 7
    assert em(matrix @ np.full(12, 1 / 12), matrix, 500).n_iter == 1  # starts where it should end
    both = em([counts, matrix @ np.full(12, 1 / 12)], matrix, 5000, 1e-6)
    assert both.n_iter > 2 * loose.n_iter  # the row that is done from the start does not stop the other
    assert (both.gap <= 1e-6).all()


def test_em_takes_a_batch_row_by_row():
    counts = rng(12).integers(1, 60, (3, 2, 4))
    fit = em(counts, WIDE, 50, tolerance=0.0)
    assert fit.frequencies.shape == (3, 2, 3)
    assert fit.gap.shape == (3, 2)
    for index in np.ndindex(3, 2):
        alone = em(counts[index], WIDE, 50, tolerance=0.0)
        np.testing.assert_allclose(fit.frequencies[index], alone.frequencies, atol=1e-9)
        assert fit.gap[index] == pytest.approx(alone.gap, abs=1e-9)


def test_em_leaves_its_inputs_alone():
    counts, matrix = np.array([4.0, 3, 2, 1]), WIDE.copy()
    em(counts, matrix)
    np.testing.assert_array_equal(counts, [4, 3, 2, 1])
    np.testing.assert_array_equal(matrix, WIDE)


def test_em_refuses_what_it_cannot_answer():
    with pytest.raises(ValueError, match="max_iter must be a whole number at least 1, got 0"):
        em([1, 2], np.eye(2), 0)
    never = np.array([[0.5, 0.4], [0.5, 0.6], [0.0, 0.0]])
    with pytest.raises(ValueError, match="never observed"):
        em([5, 5, 1], never)
    assert em([5, 5, 0], never).frequencies.sum() == pytest.approx(1)


@given(rr_problems(most_noise=0.6))
def test_all_estimates_agree_inside_the_simplex(problem):
    counts, flip_prob = problem
    raw = invert_channel(counts, rr(flip_prob, len(counts)))
    assume(raw.min() > 1e-3)
    np.testing.assert_allclose(project_simplex(raw), raw, atol=1e-13)
    np.testing.assert_allclose(randomised_response_mle(counts, flip_prob), raw, atol=1e-12)
    fitted = em(counts, rr(flip_prob, len(counts)), 20_000, 1e-12)
    # the mean log-likelihood bends by at least min_b f_b/e_b² (1−q)² = min_b (1−q)²/f_b ≥ 0.28², as q ≤ 0.6 · 1.2
    np.testing.assert_allclose(fitted.frequencies, raw, atol=np.sqrt(2e-12) / 0.28 + 1e-6)


def test_outside_the_simplex_the_likeliest_is_not_the_nearest():
    counts, matrix = np.array([600, 340, 60]), rr(0.3, 3)
    raw = invert_channel(counts, matrix)
    assert raw.min() < -0.1
    nearest, likeliest = project_simplex(raw), randomised_response_mle(counts, 0.3)
    assert nearest[2] == likeliest[2] == 0
    assert np.abs(nearest - likeliest).max() > 0.01
    gained = counts.sum() * (
        mean_log_likelihood(counts, matrix, likeliest) - mean_log_likelihood(counts, matrix, nearest)
    )
    assert gained > 0.1  # nats
    assert np.linalg.norm(nearest - raw) < np.linalg.norm(likeliest - raw) - 1e-4
