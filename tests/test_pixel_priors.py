"""Pixel priors and posterior means against enumeration of every image, and against better guesses."""

import inspect
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize

from privdemo.estimators import pixel_priors
from privdemo.estimators.pixel_priors import PixelPrior, flat_prior, learned_prior, posterior_mean, true_prior
from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse

K, PIXELS = 3, 4
MECHANISMS = [RandomisedResponse(0.4, K), GaussianNoise(0.4), LaplaceNoise(0.3)]
WEAKER = [RandomisedResponse(0.2, K), GaussianNoise(0.2), LaplaceNoise(0.15)]  # wrong by a factor of two
# A frequency for every pixel and state, all well inside (0, 1).
FREQUENCIES = np.array([[0.6, 0.25, 0.15], [0.2, 0.3, 0.5], [0.3, 0.4, 0.3], [0.15, 0.7, 0.15]])
name = repr


def rng(seed=0):
    return np.random.default_rng(seed)


def draw_states(n, seed=1, frequencies=FREQUENCIES):
    """(n, n_pixels) states with these frequencies, by inversion of the cumulative sums."""
    u = rng(seed).random((n, len(frequencies)))
    return (u[:, :, None] > frequencies.cumsum(axis=1)[:, :-1]).sum(axis=2).astype(np.uint8)


def release(mechanism, states, seed=2):
    return mechanism.randomise(mechanism.from_states(states, K), rng(seed))


def likelihood(mechanism, released, support):
    """P(released | support) up to a constant factor, from the textbook formula."""
    released = np.asarray(released, dtype=float)
    if isinstance(mechanism, RandomisedResponse):
        p, k = mechanism.flip_prob, mechanism.n_states
        return np.where(released == support, 1 - p, p / (k - 1))
    if isinstance(mechanism, GaussianNoise):
        return np.exp(-((released - support) ** 2) / (2 * mechanism.sigma**2))
    return np.exp(-np.abs(released - support) / mechanism.scale)


def enumerated_mean(mechanism, image, prior):
    """E[image] over every one of the k**d clean images, one by one."""
    total, mean = 0.0, np.zeros(len(image))
    for states in itertools.product(range(len(prior.support)), repeat=len(image)):
        clean = prior.support[list(states)].astype(float)
        weight = 1.0
        for d, state in enumerate(states):
            weight *= prior.probs[d, state] * likelihood(mechanism, image[d], clean[d])
        total += weight
        mean += weight * clean
    return mean / total


# --- priors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_flat_and_true_priors(mechanism):
    support = [0, 1, 2] if isinstance(mechanism, RandomisedResponse) else [0, 0.5, 1]
    flat, true = flat_prior(mechanism, K, PIXELS), true_prior(mechanism, FREQUENCIES)
    for prior in (flat, true):
        np.testing.assert_array_equal(prior.support, support)
        assert prior.probs.shape == (PIXELS, K)
        np.testing.assert_allclose(prior.probs.sum(axis=1), 1, atol=1e-15)
        assert prior.gap == 0
    np.testing.assert_array_equal(flat.probs, 1 / 3)
    np.testing.assert_array_equal(true.probs, FREQUENCIES)


def test_state_frequencies_by_hand():
    states = np.array([[0, 2], [0, 1], [1, 2], [0, 2]], np.uint8)
    shares = pixel_priors.state_frequencies(states, 4)
    np.testing.assert_array_equal(shares, [[0.75, 0.25, 0, 0], [0, 0.25, 0.75, 0]])


@settings(deadline=None)
@given(st.integers(1, 30), st.integers(1, 6), st.integers(2, 256), st.integers(0, 99))
def test_state_frequencies_count_every_pixel_apart(n, d, k, seed):
    states = rng(seed).integers(0, k, (n, d)).astype(np.uint8)
    shares = pixel_priors.state_frequencies(states, k)
    assert shares.shape == (d, k)
    for pixel in range(d):
        np.testing.assert_allclose(shares[pixel] * n, [(states[:, pixel] == s).sum() for s in range(k)], atol=1e-9)


def test_a_learner_gets_released_data_only():
    assert list(inspect.signature(learned_prior).parameters) == ["mechanism", "released", "n_states"]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_learning_follows_the_releases_alone(mechanism):
    one = learned_prior(mechanism, released := release(mechanism, draw_states(500)), K)
    kept = released.copy()
    again = learned_prior(mechanism, rng(5).permutation(released), K)  # whose release it was plays no part
    # the bins' edges follow the spread, whose last digit depends on the order: one of 500 may change bins
    np.testing.assert_allclose(again.probs, one.probs, atol=1 / 500)
    other = learned_prior(mechanism, release(mechanism, draw_states(500, seed=9), seed=9), K)
    assert np.abs(other.probs - one.probs).max() > 1e-2
    np.testing.assert_array_equal(released, kept)


def information_bound(mechanism, n):
    """Standard deviations (n_pixels, k) of the best unbiased estimate: the inverse Fisher information.

    Integrated over the release on a fine grid (added noise) or summed over its k values.
    """
    support = np.arange(K) if isinstance(mechanism, RandomisedResponse) else np.arange(K) / (K - 1)
    grid = support if isinstance(mechanism, RandomisedResponse) else np.linspace(-5, 6, 20001)
    channel = likelihood(mechanism, grid[:, None], support)
    channel /= channel.sum(axis=0)
    free = np.vstack((np.eye(K - 1), -np.ones(K - 1)))  # the last frequency is 1 minus the others
    rows = []
    for truth in FREQUENCIES:
        slopes = channel @ free
        information = n * slopes.T @ (slopes / (channel @ truth)[:, None])
        rows.append(np.sqrt(np.diag(free @ np.linalg.inv(information) @ free.T)))
    return np.array(rows)


@pytest.mark.parametrize("n", [5_000, 20_000, 200_000])
@pytest.mark.parametrize(("mechanism", "wrong"), list(zip(MECHANISMS, WEAKER, strict=True)), ids=name)
def test_the_learned_prior_approaches_the_true_one(mechanism, wrong, n):
    released = release(mechanism, draw_states(n))
    prior = learned_prior(mechanism, released, K)
    np.testing.assert_allclose(prior.probs.sum(axis=1), 1, atol=1e-5)
    # Five standard deviations (a tenth more for binning, which loses information), and what an early stop leaves:
    # ½ Δ²/variance ≤ n · gap, doubled because the log-likelihood is a parabola near its top only.
    sd = information_bound(mechanism, n)
    tolerance = 5.5 * sd + 2 * np.sqrt(2 * n * prior.gap) * sd
    assert (np.abs(prior.probs - FREQUENCIES) <= tolerance).all()
    assert not (np.abs(learned_prior(wrong, released, K).probs - FREQUENCIES) <= tolerance).all()


def test_the_learned_prior_is_exact_for_randomised_response():
    mechanism = RandomisedResponse(0.0, K)
    states = draw_states(300)
    prior = learned_prior(mechanism, states, K)
    np.testing.assert_allclose(prior.probs, pixel_priors.state_frequencies(states, K), atol=1e-15)
    assert prior.gap == 0
    useless = RandomisedResponse(2 / 3, K)
    np.testing.assert_array_equal(learned_prior(useless, release(useless, states), K).probs, 1 / 3)


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.3), LaplaceNoise(0.2)], ids=name)
def test_deconvolution_keeps_the_mean_of_many_states(mechanism):
    k, n = 256, 20_000
    clean = (rng(1).beta(2, 5, (n, 2)) * (k - 1)).astype(np.uint8)
    values = mechanism.from_states(clean, k)
    prior = learned_prior(mechanism, mechanism.randomise(values, rng(2)), k)
    assert prior.probs.shape == (2, pixel_priors.SUPPORT_POINTS)
    assert prior.support[0] == 0
    assert prior.support[-1] == 1
    means = prior.probs @ prior.support
    # five standard errors of a mean of n releases, and half a bin of the 62 between −2 and 1 + 2 spreads
    spread = float(np.sqrt(values.var(axis=0).max() + 2 * 0.3**2))
    tolerance = 5 * spread / np.sqrt(n) + (1 + 4 * spread) / 62 / 2
    assert (np.abs(means - values.mean(axis=0)) <= tolerance).all()
    assert (np.abs(means - values.mean(axis=0) - 0.1) > tolerance).all()
    # narrower than the releases: the noise is taken out, not kept
    variances = prior.probs @ prior.support**2 - means**2
    assert (variances < 2 * values.var(axis=0)).all()


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.05), LaplaceNoise(0.05)], ids=name)
@pytest.mark.parametrize("state", [5, 16, 27])
def test_deconvolution_finds_a_pixel_that_is_always_the_same(mechanism, state):
    k, n = 33, 4000
    values = mechanism.from_states(np.full((n, 1), state), k)
    prior = learned_prior(mechanism, mechanism.randomise(values, rng(state)), k)
    mean = float(prior.probs[0] @ prior.support)
    # five standard errors of a mean of n, and a shift m that an early stop leaves: m²/(2σ²) ≤ gap; σ = b√2 (Laplace)
    sigma = 0.05 * np.sqrt(2)
    tolerance = 5 * sigma / np.sqrt(n) + sigma * np.sqrt(2 * prior.gap)
    assert abs(mean - state / 32) <= tolerance
    assert tolerance < 1 / 32 / 2  # a neighbouring state is too far


# --- posterior means ----------------------------------------------------------------------------


def some_priors(mechanism):
    return [flat_prior(mechanism, K, PIXELS), true_prior(mechanism, FREQUENCIES)]


@pytest.mark.parametrize(
    "mechanism", [*MECHANISMS, RandomisedResponse(1e-3, K), GaussianNoise(0.05), LaplaceNoise(0.02)], ids=name
)
def test_posterior_mean_equals_enumeration_of_every_image(mechanism):
    released = release(mechanism, draw_states(8))
    for prior in some_priors(mechanism):
        expected = [enumerated_mean(mechanism, image, prior) for image in released]
        # added noise is worked on in single precision: log-likelihoods of up to 200 (σ = 0.05) and their rounding
        tolerance = 1e-13 if isinstance(mechanism, RandomisedResponse) else 200 * 2 * np.finfo(np.float32).eps
        np.testing.assert_allclose(posterior_mean(mechanism, released, prior), expected, atol=tolerance)
    flat, true = (posterior_mean(mechanism, released, prior) for prior in some_priors(mechanism))
    assert (np.abs(flat - true).max() > 0.01) == (mechanism in MECHANISMS)  # with little noise the prior hardly counts


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(1, 3), st.floats(0, 1), st.integers(0, 999))
def test_posterior_mean_of_any_randomised_response(k, d, share, seed):
    mechanism = RandomisedResponse(share * (k - 1) / k, k)
    probs = rng(seed).dirichlet(np.ones(k), d)
    prior = PixelPrior(np.arange(k), probs)
    released = rng(seed + 1).integers(0, k, (5, d)).astype(np.uint8)
    expected = [enumerated_mean(mechanism, image, prior) for image in released]
    np.testing.assert_allclose(posterior_mean(mechanism, released, prior), expected, atol=1e-10)


@pytest.mark.parametrize("k", [2, 3, 17, 49, 256])
def test_at_no_noise_and_at_nothing_else(k):
    probs = rng(k).dirichlet(np.ones(k), 5)
    prior = PixelPrior(np.arange(k), probs)
    released = rng(1).integers(0, k, (20, 5)).astype(np.uint8)
    exact = posterior_mean(RandomisedResponse(0.0, k), released, prior)
    np.testing.assert_allclose(exact, released, rtol=4 * np.finfo(float).eps)
    mean = np.broadcast_to(probs @ np.arange(k), released.shape)
    np.testing.assert_allclose(posterior_mean(RandomisedResponse((k - 1) / k, k), released, prior), mean, rtol=1e-9)
    half = posterior_mean(RandomisedResponse(0.5 * (k - 1) / k, k), released, prior)
    assert np.abs(half - mean).max() > 1e-3
    assert np.abs(half - released).max() > 1e-3


def test_a_release_the_prior_calls_impossible_is_kept_where_there_is_no_noise():
    prior = PixelPrior(np.arange(2), np.array([[1.0, 0.0]]))
    released = np.array([[1], [0]], np.uint8)
    np.testing.assert_array_equal(posterior_mean(RandomisedResponse(0.0, 2), released, prior), released)
    np.testing.assert_array_equal(posterior_mean(RandomisedResponse(0.1, 2), released, prior), [[0], [0]])


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.3), LaplaceNoise(0.2)], ids=name)
def test_states_of_probability_zero_are_never_guessed(mechanism):
    prior = PixelPrior(np.array([0.0, 0.5, 1.0]), np.array([[0.0, 1.0, 0.0]]))
    np.testing.assert_allclose(posterior_mean(mechanism, np.array([[-1.0], [0.1], [3.0]]), prior), 0.5)


def test_no_guess_does_better_by_exact_enumeration():
    """Over every clean state and release, any other guess has a larger expected squared error."""
    mechanism = RandomisedResponse(0.4, K)
    prior = PixelPrior(np.arange(K), FREQUENCIES[:1])
    guesses = posterior_mean(mechanism, np.arange(K, dtype=np.uint8)[:, None], prior)[:, 0]
    joint = mechanism.channel_matrix * FREQUENCIES[0]  # [observed, true]

    def error(guess):
        return float((joint * np.square(guess[:, None] - np.arange(K))).sum())

    for observed, step in itertools.product(range(K), (-0.01, 0.01)):
        moved = guesses + step * (np.arange(K) == observed)
        # a parabola: the error grows by exactly P(observed) · step²
        assert error(moved) - error(guesses) == pytest.approx(joint[observed].sum() * step**2, rel=1e-6)
    assert error(np.arange(K)) > error(guesses)  # the release itself is a worse guess


BUMPS = (
    lambda x: np.ones_like(x),
    lambda x: x,
    lambda x: x**2,
    lambda x: np.sin(3 * x),
    lambda x: (x > 0.5).astype(float),
)


def gains(mechanism, prior, n=40_000, step=0.05):
    """How much each ± perturbation of the guesses adds to the squared error: means and standard errors."""
    states = draw_states(n)
    truth, released = mechanism.from_states(states, K).astype(float), release(mechanism, states)
    guesses = posterior_mean(mechanism, released, prior)
    before = np.square(guesses - truth)
    rows = []
    for bump, sign in itertools.product(BUMPS, (-step, step)):
        more = np.square(guesses + sign * bump(released.astype(float)) - truth) - before
        rows.append((more.mean(axis=0), more.std(axis=0) / np.sqrt(n)))
    return np.array(rows)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_no_perturbed_guess_does_better_over_simulated_releases(mechanism):
    means, errors = gains(mechanism, true_prior(mechanism, FREQUENCIES)).transpose(1, 0, 2)
    assert (means > -5 * errors).all()  # five standard errors of a paired mean
    assert means[:2].min() > 0.05**2 / 2  # a constant shift costs its square
    means, errors = gains(mechanism, flat_prior(mechanism, K, PIXELS)).transpose(1, 0, 2)
    assert (means < -5 * errors).any()  # guesses from a wrong prior can be bettered


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_posterior_mean_leaves_its_inputs_alone(mechanism):
    released = release(mechanism, draw_states(10))
    before, prior = released.copy(), true_prior(mechanism, FREQUENCIES)
    posterior_mean(mechanism, released, prior)
    np.testing.assert_array_equal(released, before)


# --- posterior variances and draws -----------------------------------------------------------------


def enumerated_moments(mechanism, image, prior):
    """E and Var of every pixel, one by one: Bayes' rule over the prior's support."""
    weights = prior.probs * [likelihood(mechanism, x, prior.support) for x in image]
    weights /= weights.sum(axis=1, keepdims=True)
    mean = weights @ prior.support
    return mean, (weights * np.square(prior.support - mean[:, None])).sum(axis=1)


@pytest.mark.parametrize("mechanism", [*MECHANISMS, RandomisedResponse(2 / 3, K), RandomisedResponse(0.0, K)], ids=name)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_posterior_moments_equal_enumeration(mechanism, dtype):
    released = release(mechanism, draw_states(20))
    # single precision, or added noise, which is worked on in it: a few roundings of numbers up to 2
    tolerance = 1e-12 if dtype is np.float64 and isinstance(mechanism, RandomisedResponse) else 3e-6
    for prior in some_priors(mechanism):
        found = pixel_priors.posterior_moments(mechanism, released, prior, dtype)
        expected = np.array([enumerated_moments(mechanism, image, prior) for image in released])
        for moment, exact in zip(found, expected.transpose(1, 0, 2), strict=True):
            assert moment.dtype == dtype
            np.testing.assert_allclose(moment, exact, atol=tolerance)
        assert (found.variance >= 0).all()
        np.testing.assert_array_equal(posterior_mean(mechanism, released, prior).astype(dtype), found.mean)
    if mechanism in MECHANISMS:
        weaker = WEAKER[MECHANISMS.index(mechanism)]
        other = pixel_priors.posterior_moments(weaker, released, some_priors(mechanism)[1], dtype)
        assert np.abs(other.variance - found.variance).max() > 1e-2


GAUSSIAN = pixel_priors.GaussianPrior(np.array([0.3, -1.0, 0.6]), np.array([0.2, 10.0, 0.0]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gaussian_moments_equal_an_integral_on_a_fine_grid(dtype):
    noise, released = GaussianNoise(0.7), np.array([[0.9, 3.0, 0.1], [-2.0, 0.0, 5.0]], dtype)
    mean, variance = pixel_priors.posterior_moments(noise, released, GAUSSIAN, dtype)
    assert mean.dtype == variance.dtype == dtype
    assert (mean.shape, variance.shape) == ((2, 3), (1, 3))
    x = np.linspace(-12, 12, 100_001)
    for (row, pixel), image in np.ndenumerate(released):
        if not GAUSSIAN.variance[pixel]:  # a pixel that never varies
            expected = GAUSSIAN.mean[pixel], 0
        else:
            prior = np.exp(-((x - GAUSSIAN.mean[pixel]) ** 2) / (2 * GAUSSIAN.variance[pixel]))
            weights = likelihood(noise, image, x) * prior
            average = weights @ x / weights.sum()
            expected = average, weights @ (x - average) ** 2 / weights.sum()
        tolerance = 1e-9 if dtype is np.float64 else 1e-6
        np.testing.assert_allclose((mean[row, pixel], variance[0, pixel]), expected, atol=tolerance)
    assert np.abs(pixel_priors.posterior_moments(GaussianNoise(0.6), released, GAUSSIAN)[0] - mean).max() > 1e-2


def test_gaussian_priors_by_hand():
    flat = pixel_priors.flat_gaussian_prior(2)
    np.testing.assert_array_equal([flat.mean, flat.variance], [[0, 0], [10, 10]])
    true = pixel_priors.true_gaussian_prior(np.array([[0.0, 0.5], [1.0, 0.5]], np.float32))
    np.testing.assert_array_equal([true.mean, true.variance], [[0.5, 0.5], [0.25, 0]])
    sentence = "a GaussianPrior goes with GaussianNoise, got LaplaceNoise; use a PixelPrior"
    with pytest.raises(TypeError, match=sentence):
        pixel_priors.posterior_moments(LaplaceNoise(0.2), np.zeros((1, 2)), flat)


def gaussian_log_likelihood(mean, variance, released, sigma):
    total = variance + sigma**2
    return -0.5 * (np.log(total) + (released - mean) ** 2 / total).sum()


def test_the_learned_gaussian_prior_has_the_greatest_likelihood_and_recovers_the_truth():
    n, sigma = 20_000, 0.5
    truth = pixel_priors.GaussianPrior(np.array([0.2, 0.7]), np.array([0.09, 0.0]))
    clean = truth.mean + np.sqrt(truth.variance) * rng(1).standard_normal((n, 2))
    released = clean + sigma * rng(2).standard_normal((n, 2))
    found = pixel_priors.learned_gaussian_prior(GaussianNoise(sigma), released)
    for pixel in range(2):
        searched = minimize(
            lambda at, pixel=pixel: -gaussian_log_likelihood(at[0], at[1], released[:, pixel], sigma) / n,
            [0.0, 0.5],
            bounds=[(-1, 2), (0, 2)],
        )
        # the search ends at a relative change of 2·10⁻⁹: its square root, over a curvature of about 2
        np.testing.assert_allclose((found.mean[pixel], found.variance[pixel]), searched.x, atol=2e-4)
    total = truth.variance + sigma**2  # of what is released: five standard errors of its mean and its variance
    assert (np.abs(found.mean - truth.mean) < 5 * np.sqrt(total / n)).all()
    assert (np.abs(found.variance - truth.variance) < 5 * total * np.sqrt(2 / n)).all()
    wrong = pixel_priors.learned_gaussian_prior(GaussianNoise(0.4), released)
    assert (np.abs(wrong.variance - truth.variance) > 5 * total * np.sqrt(2 / n)).all()
    too_much = pixel_priors.learned_gaussian_prior(GaussianNoise(3.0), released)
    np.testing.assert_array_equal(too_much.variance, 0)


def chi_square(drawn, expected):
    """Σ (count − expected)² / expected over the states that can be drawn, less its degrees of freedom, in its sd."""
    counts = np.array([(drawn == state).sum() for state in range(len(expected))])
    assert (counts[expected == 0] == 0).all()
    counts, mean = counts[expected > 0], len(drawn) * expected[expected > 0]
    free = max(len(mean) - 1, 1)
    return (np.square(counts - mean) / mean).sum() - free, np.sqrt(2 * free)


@pytest.mark.parametrize("mechanism", [RandomisedResponse(0.4, K), RandomisedResponse(2 / 3, K)], ids=name)
def test_draws_follow_the_exact_posterior_of_randomised_response(mechanism):
    n = 20_000
    frequencies = np.vstack((FREQUENCIES, [[0.5, 0.0, 0.5]]))
    prior, other = PixelPrior(np.arange(K), frequencies), PixelPrior(np.arange(K), frequencies[:, [1, 2, 0]])
    for seen in range(K):
        released = np.full((n, PIXELS + 1), seen, np.uint8)
        drawn = pixel_priors.sample_posterior(mechanism, released, prior, rng(seen))
        assert drawn.dtype == np.uint8
        assert (released == seen).all()
        for pixel, shares in enumerate(frequencies):
            joint = shares * mechanism.channel_matrix[seen]
            excess, deviation = chi_square(drawn[:, pixel], joint / joint.sum())
            assert excess < 6 * deviation  # χ² has a longer tail than five standard deviations of a normal
            if pixel < PIXELS:
                joint = other.probs[pixel] * mechanism.channel_matrix[seen]
                assert chi_square(drawn[:, pixel], joint / joint.sum())[0] > 6 * deviation
    pairs = np.corrcoef(drawn[:, :PIXELS].T) - np.eye(PIXELS)
    assert np.abs(pairs).max() < 5 / np.sqrt(n)  # pixels are drawn apart


def test_draws_without_noise_are_the_release_and_never_leave_the_states():
    for k in (2, 256):
        prior = PixelPrior(np.arange(k), rng(k).dirichlet(np.full(k, 0.1), 50))
        released = rng(1).integers(0, k, (200, 50)).astype(np.uint8)
        exact = pixel_priors.sample_posterior(RandomisedResponse(0.0, k), released, prior, rng(2))
        np.testing.assert_array_equal(exact, released)
        drawn = pixel_priors.sample_posterior(RandomisedResponse((k - 1) / k, k), released, prior, rng(2))
        assert drawn.max() <= k - 1
        assert (prior.probs[np.arange(50), drawn] > 0).all()
        assert (drawn != released).mean() > 0.1


def test_draws_follow_the_exact_posterior_of_gaussian_noise():
    n, noise = 40_000, GaussianNoise(0.7)
    image = np.array([0.9, 3.0, 0.1])
    drawn = pixel_priors.sample_posterior(noise, np.tile(image, (n, 1)), GAUSSIAN, rng(3))
    trust = GAUSSIAN.variance / (GAUSSIAN.variance + 0.49)
    mean, sd = trust * image + (1 - trust) * GAUSSIAN.mean, np.sqrt(trust * 0.49)
    for pixel in range(2):
        # 1.95/√n: the Kolmogorov distance that is exceeded once in a thousand
        assert stats.kstest(drawn[:, pixel], stats.norm(mean[pixel], sd[pixel]).cdf).statistic < 1.95 / np.sqrt(n)
        flat = image[pixel] * 10 / 10.49 if pixel == 0 else mean[pixel] + 0.1
        assert stats.kstest(drawn[:, pixel], stats.norm(flat, sd[pixel]).cdf).statistic > 1.95 / np.sqrt(n)
    np.testing.assert_allclose(drawn[:, 2], 0.6, atol=1e-6)  # a pixel that never varies


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.4), LaplaceNoise(0.3)], ids=name)
def test_only_a_gaussian_prior_is_sampled_under_added_noise(mechanism):
    sentence = f"sampling goes with randomised response or a GaussianPrior, got {type(mechanism).__name__}"
    with pytest.raises(TypeError, match=sentence):
        pixel_priors.sample_posterior(mechanism, np.zeros((1, PIXELS)), flat_prior(mechanism, K, PIXELS), rng())
