"""Pixel priors, posterior moments and samples against Bayes' rule by enumeration, quadrature and likelihoods."""

import numpy as np
import pytest
from scipy import stats

from privdemo.estimators import pixel_priors
from privdemo.estimators.pixel_priors import (
    GaussianPrior,
    PixelPrior,
    flat_prior,
    learned_prior,
    posterior_mean,
    posterior_moments,
    suited_prior,
    suited_true_prior,
    true_prior,
)
from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.estimators.oracles import frequency_deviations, pixel_likelihood, pixel_moments, rng

K, PIXELS = 3, 4
RESPONSE, GAUSSIAN, LAPLACE = MECHANISMS = RandomisedResponse(0.4, K), GaussianNoise(0.4), LaplaceNoise(0.3)
# A frequency for every pixel and state, all well inside (0, 1).
FREQUENCIES = np.array([[0.6, 0.25, 0.15], [0.2, 0.3, 0.5], [0.3, 0.4, 0.3], [0.15, 0.7, 0.15]])
NORMAL = GaussianPrior(np.array([0.3, -1.0, 0.6]), np.array([0.2, 10.0, 0.0]))
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)


def sample_states(n, seed=1):
    """(n, n_pixels) states with `FREQUENCIES`, by inversion of the cumulative sums."""
    u = rng(seed).random((n, PIXELS))
    return (u[:, :, None] > FREQUENCIES.cumsum(axis=1)[:, :-1]).sum(axis=2).astype(np.uint8)


def release(mechanism, states, seed=2):
    return mechanism.randomise(mechanism.from_states(states, K), rng(seed))


@every_mechanism
def test_flat_and_true_priors(mechanism):
    support = [0, 1, 2] if mechanism.n_states else [0, 0.5, 1]
    flat, true = flat_prior(mechanism, K, PIXELS), true_prior(mechanism, FREQUENCIES)
    for prior, probs in ((flat, np.full((PIXELS, K), 1 / 3)), (true, FREQUENCIES)):
        np.testing.assert_array_equal(prior.support, support)
        np.testing.assert_array_equal(prior.probs, probs)
        assert prior.gap == 0


def test_gaussian_priors_and_state_frequencies_by_hand():
    flat = pixel_priors.flat_gaussian_prior(2)
    np.testing.assert_array_equal([flat.mean, flat.variance], [[0, 0], [10, 10]])
    true = pixel_priors.true_gaussian_prior(np.array([[0.0, 0.5], [1.0, 0.5]], np.float32))
    np.testing.assert_array_equal([true.mean, true.variance], [[0.5, 0.5], [0.25, 0]])
    assert true.mean.dtype == true.variance.dtype == float
    # the likeliest Gaussian prior has the variance of what was released less that of the noise
    learned = pixel_priors.learned_gaussian_prior(GaussianNoise(0.5), np.array([[0.0, 1.0], [2.0, 1.0]], np.float32))
    np.testing.assert_array_equal([learned.mean, learned.variance], [[1, 1], [0.75, 0]])
    shares = pixel_priors.state_frequencies(np.array([[0, 2], [0, 1], [1, 2], [0, 2]], np.uint8), 4)
    np.testing.assert_array_equal(shares, [[0.75, 0.25, 0, 0], [0, 0.25, 0.75, 0]])


@every_mechanism
def test_the_suited_prior_is_gaussian_for_gaussian_noise_and_discrete_for_others(mechanism):
    states = sample_states(200)
    released = release(mechanism, states)
    levels = mechanism.n_states or pixel_priors.SUPPORT_POINTS
    found = [suited_prior(mechanism, released, learned) for learned in (True, False)]
    found.append(suited_true_prior(mechanism, states, K))
    if mechanism is GAUSSIAN:
        expected = pixel_priors.learned_gaussian_prior(mechanism, released), pixel_priors.flat_gaussian_prior(PIXELS)
        expected += (pixel_priors.true_gaussian_prior(states / 2),)
    else:
        expected = learned_prior(mechanism, released, levels), flat_prior(mechanism, levels, PIXELS)
        expected += (true_prior(mechanism, pixel_priors.state_frequencies(states, K)),)
    for one, other in zip(found, expected, strict=True):
        assert type(one) is type(other)
        for field in vars(other):
            np.testing.assert_allclose(getattr(one, field), getattr(other, field), rtol=1e-6)


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [(RESPONSE, RandomisedResponse(0.2, K)), (GAUSSIAN, GaussianNoise(0.2)), (LAPLACE, LaplaceNoise(0.15))],
)
def test_the_learned_prior_approaches_the_true_one(mechanism, wrong):
    n = 20_000
    released = release(mechanism, sample_states(n))
    kept = released.copy()
    prior = learned_prior(mechanism, released, K)
    np.testing.assert_allclose(prior.probs.sum(axis=1), 1, atol=1e-5)
    # Fisher information, integrated over the release on a fine grid
    support = np.arange(K) if mechanism.n_states else np.arange(K) / (K - 1)
    grid = support if mechanism.n_states else np.linspace(-5, 6, 20001)
    channel = pixel_likelihood(mechanism, grid[:, None], support)
    sd = np.array([frequency_deviations(channel / channel.sum(axis=0), truth, n) for truth in FREQUENCIES])
    # Five standard deviations (a tenth more for binning, which loses information), and what an early stop leaves:
    # ½ Δ²/variance ≤ n · gap, doubled because the log-likelihood is a parabola near its top only.
    tolerance = 5.5 * sd + 2 * np.sqrt(2 * n * prior.gap) * sd
    assert (np.abs(prior.probs - FREQUENCIES) <= tolerance).all()
    assert not (np.abs(learned_prior(wrong, released, K).probs - FREQUENCIES) <= tolerance).all()
    assert (prior.gap == 0) == (mechanism is RESPONSE)
    if mechanism is not RESPONSE:  # of many levels an even grid
        np.testing.assert_allclose(learned_prior(mechanism, released, 256).support, np.linspace(0, 1, 33), rtol=1e-12)
    np.testing.assert_array_equal(released, kept)


@pytest.mark.parametrize(
    "mechanism",
    [*MECHANISMS, RandomisedResponse(1e-3, K), RandomisedResponse(2 / 3, K), GaussianNoise(0.05), LaplaceNoise(0.02)],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_posterior_moments_equal_enumeration(mechanism, dtype):
    released = release(mechanism, sample_states(20))
    kept = released.copy()
    # single precision, or additive noise, which is worked on in it, with log-likelihoods of up to 200
    exact = dtype is np.float64 and mechanism.n_states
    tolerance = 1e-12 if exact else 3e-6 if mechanism in MECHANISMS else 1e-4
    for prior in (flat_prior(mechanism, K, PIXELS), true_prior(mechanism, FREQUENCIES)):
        found = posterior_moments(mechanism, released, prior, dtype)
        assert found.mean.dtype == found.variance.dtype == dtype
        np.testing.assert_allclose(found, pixel_moments(mechanism, released, prior), atol=tolerance)
        assert (found.variance >= 0).all()
        np.testing.assert_array_equal(posterior_mean(mechanism, released, prior).astype(dtype), found.mean)
    assert posterior_moments(mechanism, released, prior).mean.dtype == np.float64
    np.testing.assert_array_equal(released, kept)


def test_what_the_prior_calls_impossible_is_never_guessed_but_where_there_is_no_noise():
    prior, released = PixelPrior(np.arange(2), np.array([[1.0, 0.0]])), np.array([[1], [0]], np.uint8)
    for guess in (posterior_mean, lambda *given: pixel_priors.sample_posterior(*given, rng())):
        np.testing.assert_array_equal(guess(RandomisedResponse(0.0, 2), released, prior), released)
    np.testing.assert_array_equal(posterior_mean(RandomisedResponse(0.1, 2), released, prior), [[0], [0]])
    prior = PixelPrior(np.array([0.0, 0.5, 1.0]), np.array([[0.0, 1.0, 0.0]]))
    for mechanism in (GAUSSIAN, LAPLACE):
        np.testing.assert_allclose(posterior_mean(mechanism, np.array([[-1.0], [0.1], [3.0]]), prior), 0.5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gaussian_moments_equal_an_integral_on_a_fine_grid(dtype):
    noise, released = GaussianNoise(0.7), np.array([[0.9, 3.0, 0.1], [-2.0, 0.0, 5.0]], dtype)
    mean, variance = posterior_moments(noise, released, NORMAL, dtype)
    assert mean.dtype == variance.dtype == dtype
    assert (mean.shape, variance.shape) == ((2, 3), (1, 3))
    x = np.linspace(-12, 12, 24_001)
    probs = np.exp(-((x - NORMAL.mean[:2, None]) ** 2) / (2 * NORMAL.variance[:2, None]))
    expected = pixel_moments(noise, released[:, :2], PixelPrior(x, probs))
    np.testing.assert_allclose([mean[:, :2], variance.repeat(2, 0)[:, :2]], expected, atol=2e-6)
    np.testing.assert_allclose([*mean[:, 2], variance[0, 2]], [0.6, 0.6, 0], atol=1e-7)  # a pixel that never varies
    # without noise the release is the truth, even of a pixel that never varies
    np.testing.assert_array_equal(posterior_mean(GaussianNoise(0.0), released, NORMAL), released)


def unlikely(sampled, expected):
    """Whether a χ² test rejects that states are sampled with these chances."""
    counts, can = np.bincount(sampled, minlength=len(expected)), expected > 0
    return counts[~can].any() or stats.chisquare(counts[can], len(sampled) * expected[can]).pvalue < 1e-6


@pytest.mark.parametrize("mechanism", [RESPONSE, RandomisedResponse(2 / 3, K)])
def test_samples_follow_the_exact_posterior_of_randomised_response(mechanism):
    n = 20_000
    frequencies = np.vstack((FREQUENCIES, [[0.5, 0.0, 0.5]]))
    prior = PixelPrior(np.arange(K), frequencies)
    for seen in range(K):
        released = np.full((n, PIXELS + 1), seen, np.uint8)
        sampled = pixel_priors.sample_posterior(mechanism, released, prior, rng(seen))
        assert sampled.dtype == np.uint8
        assert (released == seen).all()
        for pixel, shares in enumerate(frequencies):
            for chances in (shares, shares[[1, 2, 0]]):
                joint = chances * mechanism.channel_matrix[seen]
                assert unlikely(sampled[:, pixel], joint / joint.sum()) == (chances is not shares)


def test_samples_follow_the_exact_posterior_of_gaussian_noise():
    n, image = 40_000, np.array([0.9, 3.0, 0.1])
    sampled = pixel_priors.sample_posterior(GaussianNoise(0.7), np.tile(image, (n, 1)), NORMAL, rng(3))
    trust = NORMAL.variance / (NORMAL.variance + 0.49)
    mean, sd = trust * image + (1 - trust) * NORMAL.mean, np.sqrt(trust * 0.49)
    for pixel in range(2):
        # 1.95/√n: the Kolmogorov distance that is exceeded once in a thousand
        assert stats.kstest(sampled[:, pixel], stats.norm(mean[pixel], sd[pixel]).cdf).statistic < 1.95 / np.sqrt(n)
    np.testing.assert_allclose(sampled[:, 2], 0.6, atol=1e-6)  # a pixel that never varies


def test_a_prior_refitted_to_weighted_samples_has_their_shares_or_moments():
    samples, weights = rng(1).integers(0, K, (50, PIXELS)).astype(np.uint8), rng(2).random(50)
    unit, total = samples / 2, weights.sum()
    prior, gaussian = flat_prior(RESPONSE, K, PIXELS), pixel_priors.flat_gaussian_prior(PIXELS)
    found = prior.refitted(prior.weighted_sums(samples, unit, weights), total)
    expected = [[weights[samples[:, d] == s].sum() / total for s in range(K)] for d in range(PIXELS)]
    np.testing.assert_allclose(found.probs, expected, rtol=1e-12)
    np.testing.assert_array_equal(found.support, prior.support)
    found = gaussian.refitted(gaussian.weighted_sums(unit, unit, weights), total)
    mean = weights @ unit / total
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.variance, weights @ (unit - mean) ** 2 / total, rtol=1e-9)
    assert (gaussian.refitted(np.array([[1.0], [1.0 - 2e-16]]), 1.0).variance >= 0).all()


@pytest.mark.parametrize(
    ("prior", "mechanism", "sentence"),
    [
        (PixelPrior(np.arange(4), np.full((3, 4), 1 / 4)), RESPONSE, r"shape \(3, 3\) .*, got \(3, 4\)"),
        (PixelPrior(np.arange(3), np.full((3, 3), 0.5)), RESPONSE, "every pixel's summing to 1"),
        (GaussianPrior(np.zeros(2), np.ones(2)), GAUSSIAN, r"shape \(3,\) .*, got \(2,\)"),
        (GaussianPrior(np.zeros(3), -np.ones(3)), GAUSSIAN, "finite means and variances of 0 or more"),
    ],
)
def test_a_prior_that_is_none_is_refused(prior, mechanism, sentence):
    with pytest.raises(ValueError, match=sentence):
        prior.check(mechanism, 3)
    flat_prior(RESPONSE, 3, 3).check(RESPONSE, 3)
    flat_prior(GAUSSIAN, 7, 3).check(GAUSSIAN, 3)
    GaussianPrior(np.zeros(3), np.zeros(3)).check(GAUSSIAN, 3)


def test_mechanisms_that_do_not_fit_are_refused():
    flat, zeros = flat_prior(LAPLACE, K, PIXELS), np.zeros((1, PIXELS))
    with pytest.raises(TypeError, match="a GaussianPrior goes with GaussianNoise, got LaplaceN"):
        posterior_moments(LAPLACE, zeros, NORMAL)
    with pytest.raises(TypeError, match=r"response or a .*, got LaplaceNoise"):
        pixel_priors.sample_posterior(LAPLACE, zeros, flat, rng())
    with pytest.raises(TypeError, match=r"pixels must be a mechanism: .*, got 'noise'"):
        learned_prior("noise", zeros, K)
