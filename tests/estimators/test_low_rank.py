"""Pixels that go together: what releases say of them, held against dense algebra, enumeration and known factors."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from privdemo.estimators import low_rank, pixel_priors
from privdemo.estimators.chunks import Chunks
from privdemo.estimators.inputs import LowRankInputs
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.low_rank import LowRankPrior, learned_low_rank_prior, low_rank_mean, low_rank_moments
from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.estimators.oracles import finite_differences, rng, spelt_out, spelt_out_back

K = 5
MECHANISMS = [RandomisedResponse(0.3, K), GaussianNoise(0.4), LaplaceNoise(0.3)]
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: type(one).__name__)


def made_up(n, n_pixels=30, rank=2, scale=0.3, seed=0):
    """Values (n, D) of known factors, which are returned as well."""
    random = rng(seed)
    factors = scale * random.standard_normal((n_pixels, rank))
    values = 0.5 + random.standard_normal((n, rank)) @ factors.T + 0.01 * random.standard_normal((n, n_pixels))
    return values, factors


def noisy(mechanism, values):
    """Values with a mechanism's noise; those of these tests may lie outside of 0 to 1."""
    return values + mechanism.level * mechanism.sample_noise(values.shape, rng(5))


def test_the_posterior_under_gaussian_noise_is_that_of_dense_algebra():
    values, factors = made_up(4, n_pixels=6)
    noise, rest = GaussianNoise(0.4), np.linspace(0, 0.05, 6)
    prior = LowRankPrior(np.linspace(0.2, 0.7, 6), factors, rest, pixel_priors.flat_gaussian_prior(6))
    before = factors @ factors.T + np.diag(rest)
    gain = before @ np.linalg.inv(before + noise.sigma**2 * np.eye(6))
    found = low_rank_moments(noise, values, prior)
    assert np.allclose(found.mean, prior.mean + (values - prior.mean) @ gain.T)
    assert np.allclose(np.diag(found.variance[0]) + found.common @ found.common.T, before - gain @ before)


def test_the_posterior_under_randomised_response_is_that_of_dense_algebra_with_every_pixels_own_noise():
    """Sites by Bayes' rule over the states, then the inverse of D × D: each release is as sure as it happens to be."""
    mechanism, n_pixels, random = RandomisedResponse(0.4, K), 6, rng(8)
    values, chances = np.arange(K) / (K - 1), random.dirichlet(np.ones(K), n_pixels)
    mean, rest = chances @ values, np.linspace(0.01, 0.05, n_pixels)
    prior = LowRankPrior(
        mean, 0.2 * random.standard_normal((n_pixels, 2)), rest, pixel_priors.PixelPrior(np.arange(K), chances)
    )
    released = random.integers(0, K, (5, n_pixels))
    before = prior.factors @ prior.factors.T + np.diag(rest)
    precisions = []
    for row in released:
        after = chances * mechanism.channel_matrix[row]
        after /= after.sum(axis=1, keepdims=True)
        known = np.array([chances, after])
        first, second = known @ values, known @ values**2
        v0, v = second - first**2
        precision = np.maximum(
            1 / v - 1 / v0, low_rank.LEAST
        )  # the precision of what this release alone says of a pixel
        shift = first[1] * (precision + 1 / v0) - first[0] / v0
        covariance = np.linalg.inv(np.linalg.inv(before) + np.diag(precision))
        found = low_rank_moments(mechanism, row[None], prior)
        assert np.allclose(found.mean[0], covariance @ (np.linalg.solve(before, mean) + shift))
        assert np.allclose(np.diag(found.variance[0]) + found.common @ found.common.T, covariance)
        precisions.append(precision)
    assert np.ptp(precisions) > 10, "some pixels are far surer than others"
    together = low_rank_moments(mechanism, released, prior).mean
    assert np.allclose(together, [low_rank_moments(mechanism, row[None], prior).mean[0] for row in released])


@every_mechanism
def test_without_factors_every_pixel_is_judged_by_itself(mechanism):
    states = rng().integers(0, K, (200, 7)) * (np.arange(7) > 0)  # the first pixel is always black
    released = mechanism.randomise(mechanism.from_states(states, K), rng(1))
    pixels = pixel_priors.suited_prior(mechanism, released, learned=True)
    if isinstance(mechanism, RandomisedResponse):
        pixels.probs[0] = np.eye(K)[0]
    mean, variance = low_rank._moments(pixels, mechanism)
    alone = pixel_priors.posterior_moments(mechanism, released, pixels)
    found = low_rank_moments(mechanism, released, LowRankPrior(mean, np.empty((7, 0)), variance, pixels))
    assert np.allclose(found.mean, alone.mean / mechanism.white, atol=1e-5)
    precise = alone.variance / mechanism.white**2
    informed = precise < variance - 1e-4  # what a release makes less sure of is said to be nothing
    assert np.allclose(found.variance[informed], np.broadcast_to(precise, found.variance.shape)[informed], atol=1e-5)


def test_a_guess_comes_close_to_that_of_an_exact_enumeration():
    n_pixels, k, n, mechanism = 6, 3, 4000, RandomisedResponse(0.4, 3)
    random = rng(3)
    images = np.array(list(product(range(k), repeat=n_pixels)))
    chances = np.exp(-2.0 * np.abs(np.diff(images, axis=1)).sum(axis=1))  # neighbours are alike
    chances /= chances.sum()
    states = images[random.choice(len(images), n, p=chances)]
    released = mechanism.randomise(states, random)
    like = mechanism.log_likelihood(released[:, None], images[None]).sum(axis=2) + np.log(chances)
    exact = np.exp(like - np.logaddexp.reduce(like, axis=1, keepdims=True)) @ images / (k - 1)
    prior = learned_low_rank_prior(mechanism, released)
    alone = mechanism.to_unit(pixel_priors.posterior_mean(mechanism, released, prior.pixels))

    def error(guess):
        return np.mean((guess - states / (k - 1)) ** 2)

    best, found, worst = error(exact), error(low_rank_mean(mechanism, released, prior)), error(alone)
    assert prior.rank == 1, "neighbours beyond one factor go together too little to be told from pixels by themselves"
    assert best < found < best + 0.15 * (worst - best)
    opposite = replace(prior, factors=prior.factors * np.array([[1], [-1]] * 3))
    assert error(low_rank_mean(mechanism, released, opposite)) > worst


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.3), LaplaceNoise(0.2)])
def test_known_factors_are_found_again(mechanism):
    values, factors = made_up(50_000, scale=0.08)
    prior = learned_low_rank_prior(mechanism, noisy(mechanism, values))
    assert prior.rank == 2
    truth, found = factors @ factors.T, prior.factors @ prior.factors.T
    assert np.linalg.norm(found - truth) < 0.1 * np.linalg.norm(truth)
    assert np.allclose(prior.mean, 0.5, atol=0.02)


def test_factors_are_as_long_as_they_are_where_people_are_few():
    """With half as many pixels as people, an eigenvalue of 5 comes out as 5.6: its bias is taken off again."""
    n, n_pixels, random = 400, 200, rng(6)
    noise, direction = GaussianNoise(0.3), random.standard_normal(n_pixels)
    direction *= 2 * noise.sigma / np.linalg.norm(direction)  # four times the noise's variance
    found = [
        low_rank._beside_noise(noise, 0.5 + random.standard_normal((n, 1)) * direction + noise.sigma * normal)
        for normal in random.standard_normal((16, n, n_pixels))
    ]
    for factors_of in (low_rank._shared_factors, low_rank._principal_factors):
        sizes = [np.square(factors_of(each)).sum() for each in found]
        assert np.mean(sizes) == pytest.approx(4 * noise.sigma**2, rel=0.08)


def test_known_factors_are_found_again_under_randomised_response_whose_noise_is_uneven():
    """Of pixels that are black, of others of which the noise knows more or less, and of those that go together."""
    k, random, n = 17, rng(2), 50_000
    factors = np.concatenate([np.zeros((8, 2)), 0.06 * random.standard_normal((24, 2))])
    centre = np.concatenate([np.zeros(4), np.ones(4), random.choice([0.15, 0.5, 0.85], 24)])
    values = centre + random.standard_normal((n, 2)) @ factors.T
    states = np.rint(values.clip(0, 1) * (k - 1)).astype(int)
    mechanism = RandomisedResponse(0.3, k)
    prior = learned_low_rank_prior(mechanism, mechanism.randomise(states, random))
    truth, found = np.cov(states[:, 8:].T / (k - 1)), prior.factors @ prior.factors.T
    off = ~np.eye(24, dtype=bool)
    assert prior.rank == 2
    assert np.linalg.norm((found[8:, 8:] - truth)[off]) < 0.07 * np.linalg.norm(truth[off])
    assert np.abs(found[:8]).max() < 0.002, "what never varies goes with nothing"
    assert np.allclose(prior.mean, centre, atol=0.02)


@every_mechanism
@pytest.mark.parametrize("n", [300, 3000])
def test_pure_noise_has_no_factors(mechanism, n):
    states = np.tile(rng(7).integers(0, K, 40), (n, 1))
    for seed in range(5):
        released = mechanism.randomise(mechanism.from_states(states, K), rng(seed))
        assert learned_low_rank_prior(mechanism, released).rank == 0


# --- the rank: planted factors are found, and pixels that vary by themselves are none ----------------


def people(n, rank, own, seed, n_pixels=40, size=0.08):
    """Values (n, D) of planted factors, where pixel d has a standard deviation own[d] of its own, and the factors."""
    random = rng(seed)
    factors = size * random.standard_normal((n_pixels, rank))
    together = random.standard_normal((n, rank)) @ factors.T
    return (0.5 + together + own * random.standard_normal((n, n_pixels))).clip(0, 1), factors


def sent(mechanism, values, seed):
    """Releases of values on the scale 0 to 1."""
    return mechanism.randomise(mechanism.from_states(np.rint(values * 255).astype(int), 256), rng(seed))


OWN = np.linspace(0.02, 0.12, 40)
every_noise = pytest.mark.parametrize(
    "mechanism",
    [RandomisedResponse(0.2, 256), GaussianNoise(0.3), LaplaceNoise(0.2), GaussianNoise(0.1)],
    ids=["flips", "gauss", "laplace", "weak"],
)


@every_noise
@pytest.mark.parametrize(("n", "tries"), [(300, 20), (3_000, 10), (30_000, 1)])
def test_planted_factors_are_counted_whatever_pixels_vary_by_themselves(mechanism, n, tries):
    for seed in range(tries):
        values, _ = people(n, 3, OWN, seed)
        assert abs(learned_low_rank_prior(mechanism, sent(mechanism, values, seed)).rank - 3) <= 1


@every_noise
@pytest.mark.parametrize(("n", "tries"), [(300, 20), (3_000, 10), (30_000, 1)])
def test_independent_pixels_have_no_factors_however_much_they_vary(mechanism, n, tries):
    for seed in range(tries):
        values, _ = people(n, 0, 2.5 * OWN, seed)
        released = sent(mechanism, values, seed)
        assert learned_low_rank_prior(mechanism, released).rank == 0
        components = low_rank.learned_principal_prior(mechanism, released).rank
        assert components > 0, "noise alone cannot explain their variance: this is no rank"


def test_no_more_factors_are_kept_than_the_limit_of_cost():
    values, _ = people(5_000, 60, OWN[:1], 0, n_pixels=200)
    assert learned_low_rank_prior(GaussianNoise(0.1), sent(GaussianNoise(0.1), values, 0)).rank == low_rank.MOST_FACTORS


@pytest.mark.parametrize("mechanism", [RandomisedResponse(0.2, 256), GaussianNoise(0.1)], ids=["flips", "weak"])
def test_weak_factors_are_found_beside_pixels_that_vary_far_more_by_themselves(mechanism):
    """The largest principal components are such pixels: factors of the right number that are components are wrong."""
    own = np.where(np.arange(40) % 4, 0.03, 0.25)
    values, factors = people(10_000, 2, own, 3, size=0.04)
    released = sent(mechanism, values, 3)
    prior = learned_low_rank_prior(mechanism, released)
    truth = factors @ factors.T
    assert prior.rank == 2
    assert np.linalg.norm(prior.factors @ prior.factors.T - truth) < 0.25 * np.linalg.norm(truth)
    components = low_rank.learned_principal_prior(mechanism, released).factors[:, :2]
    assert np.linalg.norm(components @ components.T - truth) > 0.5 * np.linalg.norm(truth)


def test_the_squared_error_of_linear_guesses_is_told_by_releases():
    mechanism = GaussianNoise(0.3)
    values, _ = people(20_000, 2, OWN, 1)
    released = sent(mechanism, values, 1)
    found, prior = low_rank._beside_noise(mechanism, released), learned_low_rank_prior(mechanism, released)
    missed = np.square(low_rank_moments(mechanism, released, prior).mean - values).sum(axis=1).mean()
    assert low_rank._linear_error(found, prior) == pytest.approx(missed, rel=0.05)


@pytest.mark.parametrize("mechanism", [RandomisedResponse(0, K), RandomisedResponse(1 - 1 / K, K), GaussianNoise(0)])
def test_where_a_release_says_all_or_nothing_pixels_are_judged_by_themselves(mechanism):
    values = mechanism.from_states(rng().integers(0, K, (300, 6)), K)
    released = mechanism.randomise(values, rng(1))
    prior = learned_low_rank_prior(mechanism, released)
    assert prior.rank == 0
    alone = mechanism.to_unit(pixel_priors.posterior_mean(mechanism, released, prior.pixels))
    assert np.allclose(low_rank_mean(mechanism, released, prior), alone, atol=1e-4)


def test_pure_noise_passes_the_edge_about_once_in_a_thousand_times():
    n, n_pixels, tries = 200, 40, 400
    largest = [np.linalg.norm(rng(seed).standard_normal((n, n_pixels)), 2) ** 2 / n for seed in range(tries)]
    assert np.mean(np.array(largest) > low_rank.marchenko_pastur_edge(n, n_pixels)) <= 0.01
    assert np.mean(np.array(largest) > (1 + np.sqrt(n_pixels / n)) ** 2) > 0.1


def test_the_noise_of_randomised_response_is_that_of_its_channel():
    mechanism, chances = RandomisedResponse(0.3, K), rng(2).dirichlet(np.ones(K), 4)
    z = low_rank.unbiased(mechanism, np.arange(K)).astype(float)
    mean_of, square_of = z @ mechanism.channel_matrix, z**2 @ mechanism.channel_matrix  # by true state
    assert np.allclose(mean_of, np.arange(K) / (K - 1), atol=1e-6)
    moments = low_rank._Released(chances @ mean_of, chances @ square_of, np.empty((0, 0)))
    assert np.allclose(low_rank.noise_variance(mechanism, moments), chances @ (square_of - mean_of**2), atol=1e-6)


@pytest.mark.parametrize("mechanism", MECHANISMS[:2])  # under Laplace noise EM stops somewhere else
def test_releases_that_are_made_a_chunk_at_a_time_teach_the_same(mechanism):
    states = np.rint(made_up(500)[0].clip(0, 1) * (K - 1)).astype(int)
    released = mechanism.randomise(mechanism.from_states(states, K), rng(1))
    anew = Chunks(released.shape, lambda: (released[i : i + 64] for i in range(0, 500, 64)))
    whole, parts = (learned_low_rank_prior(mechanism, rows) for rows in (released, anew))
    assert np.allclose(whole.factors @ whole.factors.T, parts.factors @ parts.factors.T, atol=1e-5)
    assert whole.rank > 0
    whole_mean, parts_mean = (low_rank_mean(mechanism, released[:9], prior) for prior in (whole, parts))
    assert np.allclose(whole_mean, parts_mean, atol=1e-3)


@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("alike", [False, True])
def test_scores_have_the_covariance_of_dense_algebra_and_their_gradient(n_scores, alike):
    random, n, n_pixels = rng(4), 3, 5
    variance = random.uniform(0.1, 1, (1 if alike else n, n_pixels))
    inputs = LowRankInputs(random.random((n, n_pixels)), variance, 16, common=random.standard_normal((n_pixels, 2)))
    coef, intercept = random.standard_normal((n_pixels, n_scores)), random.standard_normal(n_scores)
    scores, log_weights = spelt_out(inputs, coef, intercept)
    weights = np.exp(log_weights)[0]
    for i in range(n):
        away = scores[i] - (inputs.mean[i] @ coef + intercept)
        of_pixels = np.diag(variance[0 if alike else i]) + inputs.common @ inputs.common.T
        centred = coef - coef.mean(axis=1, keepdims=True) if n_scores > 1 else coef
        assert np.allclose((weights[:, None] * away).T @ away, centred.T @ of_pixels @ centred, rtol=1e-3, atol=1e-3)
    direction = random.standard_normal(scores.shape)

    def total(flat):
        return np.sum(direction * spelt_out(inputs, flat.reshape(coef.shape), intercept)[0])

    found = spelt_out_back(inputs, coef, intercept, direction)
    assert np.allclose(found.ravel(), finite_differences(total, coef.ravel()), atol=1e-5)
    assert np.allclose(spelt_out(inputs.take(np.array([2, 0])), coef, intercept)[0], scores[[2, 0]])


def test_training_with_it_is_surer_of_the_right_things():
    mechanism, random = GaussianNoise(0.7), rng(6)
    values, factors = made_up(3000, rank=3)
    y = (random.random(3000) < 1 / (1 + np.exp(-(values - 0.5) @ factors[:, 0]))).astype(int)
    released = noisy(mechanism, values)
    fits = {
        prior: SpreadLogisticRegression(None, mechanism, prior, C="cv").fit(released[:2000], y[:2000])
        for prior in ("learned", "low rank")
    }
    loss = {
        name: -np.mean(np.log(fit.predict_proba(values[2000:])[np.arange(1000), y[2000:]]))
        for name, fit in fits.items()
    }
    assert loss["low rank"] < 0.8 * loss["learned"]
    assert isinstance(fits["low rank"].prior_, LowRankPrior)


def test_what_does_not_fit_is_refused():
    prior = learned_low_rank_prior(GaussianNoise(0.3), made_up(50)[0])
    with pytest.raises(ValueError, match=r"prior must be of shapes \(\(7,\), "):
        prior.check(GaussianNoise(0.3), 7)
    with pytest.raises(TypeError, match="must be a mechanism"):
        learned_low_rank_prior("noise", made_up(50)[0])
    wrong = replace(prior, mean=prior.mean * np.nan)
    with pytest.raises(ValueError, match="finite means"):
        wrong.check(GaussianNoise(0.3), 30)
