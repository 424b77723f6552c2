"""Tests of every mechanism on pixels: domain, grey levels, likelihoods, noise, expected errors and family."""

import math

import numpy as np
import pytest
from scipy import stats

from privdemo import limits
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, PixelMechanism, RandomisedResponse, to_unit
from privdemo.mechanisms.pixels import FAMILIES, N_LEVELS, family_of
from tests.mechanisms.oracles import rng

ADDITIVE = [GaussianNoise(0.3), LaplaceNoise(0.3)]


@pytest.mark.parametrize("k", [2, 17, 256])
def test_the_domain_of_randomised_response_is_states(k):
    states, mechanism = np.arange(k, dtype=np.uint8), RandomisedResponse(0.1, k)
    assert isinstance(mechanism, PixelMechanism)
    assert (mechanism.n_states, mechanism.white) == (k, k - 1)
    assert mechanism.from_states(states, k) is mechanism.check_released(states) is states
    unit = mechanism.to_unit(states.tolist())
    assert unit.dtype == to_unit([0], k).dtype == np.float32
    np.testing.assert_allclose(unit, np.linspace(0, 1, k), atol=1e-7)
    np.testing.assert_allclose(mechanism.to_unit(states - 0.5), (np.arange(k) - 0.5) / (k - 1), rtol=1e-15)
    mechanism.check_informative()


@pytest.mark.parametrize("mechanism", ADDITIVE)
def test_the_domain_of_additive_noise_is_values(mechanism):
    assert isinstance(mechanism, PixelMechanism)
    assert (mechanism.n_states, mechanism.white, mechanism.level) == (None, 1, 0.3)
    values = mechanism.from_states(np.arange(17, dtype=np.uint8), 17)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, np.linspace(0, 1, 17), atol=1e-7)
    beyond = np.array([-0.5, 0.25, 1.75])
    assert mechanism.to_unit(beyond) is mechanism.check_released(beyond) is beyond  # not clipped
    mechanism.check_informative()


@pytest.mark.parametrize("k", [2, 17, 256])
def test_grey_levels_round_half_up_and_are_clipped(k):
    states = np.arange(k, dtype=np.uint8)
    # ⌊(2·255·s + (k−1)) / (2(k−1))⌋ in whole numbers; the same clean picture whatever the mechanism
    expected = [(2 * 255 * s + k - 1) // (2 * (k - 1)) for s in range(k)]
    for mechanism in (RandomisedResponse(0.1, k), *ADDITIVE):
        grey = mechanism.to_grey(mechanism.from_states(states, k))
        assert grey.dtype == np.uint8
        assert grey.tolist() == expected
    assert RandomisedResponse(0.1, 17).to_grey([0.5, 7.5]).tolist() == [8, 120]  # guesses lie between states
    for mechanism in ADDITIVE:
        assert mechanism.to_grey([-3.0, -0.001, 0.0, 0.5, 1.0, 1.001, 7.0]).tolist() == [0, 0, 0, 128, 255, 255, 255]


@pytest.mark.parametrize("mechanism", [RandomisedResponse(0.5, 17), *ADDITIVE])
def test_noise_of_some_rows_releases_those_rows(mechanism):
    clean = mechanism.from_states(rng(1).integers(0, 17, (6, 20)).astype(np.uint8), 17)
    noise, rows = mechanism.sample_noise(clean.shape, rng(2)), np.array([4, 1])
    assert all(part.shape == clean.shape for part in mechanism.noise_by_name(noise).values())
    some = mechanism.noise_of_rows(noise, rows)
    np.testing.assert_array_equal(mechanism.apply(clean[rows], some), mechanism.apply(clean, noise)[rows])
    for name, part in mechanism.noise_by_name(some).items():
        np.testing.assert_array_equal(part, mechanism.noise_by_name(noise)[name][rows])
    assert family_of(mechanism).replaces_pixels == (mechanism.n_states is not None)


def centred(log_likelihood):
    """Subtract the mean of each row (a likelihood is known up to a constant)."""
    return log_likelihood - log_likelihood.mean(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "mechanism",
    [
        *[RandomisedResponse(p, k) for p, k in ((1e-9, 2), (0.4, 3), (0.6, 17), (0.9, 256), (255 / 256, 256))],
        *[GaussianNoise(0.3), GaussianNoise(5.0), LaplaceNoise(0.3), LaplaceNoise(5.0)],
    ],
)
def test_likelihoods_of_images_sum_over_pixels(mechanism):
    k = mechanism.n_states
    candidates = rng(1).integers(0, k, (6, 20)).astype(np.uint8) if k else rng(1).random((6, 20))
    released = mechanism.randomise(candidates[:4], rng(2))
    expected = mechanism.log_likelihood(released[:, None], candidates).sum(axis=2)
    found = mechanism.pairwise_log_likelihood(released, candidates)
    assert found.shape == (4, 6)
    np.testing.assert_allclose(centred(found), centred(expected), rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("k", [2, 5, 17])
def test_distortion_of_randomised_response_by_enumeration(k, share):
    mechanism = RandomisedResponse(share * (k - 1) / k, k)
    clean = rng(2).integers(0, k - 1, (7, 11)).astype(np.uint8)  # the last state does not occur
    chances = mechanism.channel_matrix[:, clean.ravel()]
    gaps = np.abs(np.arange(k)[:, None] - clean.ravel()) / (k - 1)
    for found, power in zip(mechanism.expected_distortion(clean), (1, 2), strict=True):
        assert found == pytest.approx((chances * gaps**power).sum() / clean.size, rel=1e-12, abs=1e-15)


KINDS = pytest.mark.parametrize(("kind", "law"), [(GaussianNoise, stats.norm), (LaplaceNoise, stats.laplace)])


@KINDS
def test_noise_has_its_distribution_and_no_other(kind, law):
    x = np.full(50_000, 0.75)
    noise = kind(0.4).randomise(x, rng(2)) - x  # not clipped
    # a p-value is uniform under the truth: below 1e-6 once in a million
    assert stats.kstest(noise, law(scale=0.4).cdf).pvalue > 1e-6
    other = {GaussianNoise: stats.laplace, LaplaceNoise: stats.norm}[kind]
    for wrong in (law(scale=0.44), law(scale=0.36), other(scale=0.4), law(loc=0.02, scale=0.4)):
        assert stats.kstest(noise, wrong.cdf).pvalue < 1e-6
    # 5 standard errors of a correlation
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 5 / math.sqrt(50_000)


@KINDS
@pytest.mark.parametrize("level", [0.02, 0.3, 1.0, 1e3])
def test_density_distribution_and_distortion_are_those_of_scipy(kind, law, level):
    released, values = np.linspace(-5, 5, 41), np.linspace(0, 1, 4)[:, None]
    found = kind(level).log_likelihood(released, values) + law.logpdf(0, scale=level)  # up to a constant
    assert found.shape == (4, 41)
    np.testing.assert_allclose(found, law(values, level).logpdf(released), rtol=1e-12, atol=1e-12)
    distortion = kind(level).expected_distortion(np.zeros(10, np.uint8))
    assert distortion.absolute == pytest.approx(law(scale=level).expect(np.abs), rel=1e-6)
    assert distortion.squared == pytest.approx(law(scale=level).var(), rel=1e-12)
    assert kind(level).level == level
    for x in (released, level * released):
        np.testing.assert_allclose(kind(level).cdf(x), law(scale=level).cdf(x), rtol=1e-12)


# Some levels of a family by their index.
LEVELS = {0: 0, 3: 0.19, 6: 0.47, 9: 0.755, 12: 0.85, 17: 0.9, 23: 0.935, 24: 16 / 17}
ADDITIVE_LEVELS = {0: 0.01, 1: 0.05, 6: 0.3, 13: 1, 18: 2, 21: 3.5, 24: 5}


@pytest.mark.parametrize(
    ("name", "symbol", "mechanism", "limit", "levels"),
    [
        ("randomised_response", "p", RandomisedResponse(0.25, 17), limits.flip_prob_limit(17), LEVELS),
        ("gaussian", "σ", GaussianNoise(0.25), limits.PIXEL_SIGMA, ADDITIVE_LEVELS),
        ("laplace", "b", LaplaceNoise(0.25), limits.PIXEL_SCALE, ADDITIVE_LEVELS),
    ],
)
def test_families_by_name(name, symbol, mechanism, limit, levels):
    family = FAMILIES[name]
    assert (family.name, family.symbol, family.make(0.25, 17), family.limit(17)) == (name, symbol, mechanism, limit)
    assert family_of(mechanism) is family
    found = family.levels(17)
    np.testing.assert_allclose(found[list(levels)], list(levels.values()), rtol=1e-15)
    assert len(found) == N_LEVELS
    assert (np.diff(found) > 0).all()
    assert (found[[0, -1]] == [limit.low, limit.high]).all()
    with pytest.raises(TypeError, match=r"of randomised_response, gaussian, laplace, got BinaryChannel"):
        family_of(BinaryChannel(0.1, 0.2))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("k", [2, 256])
def test_for_epsilon_inverts_and_rounds_toward_privacy(name, k):
    for epsilon, delta in ((0.05, 1e-6), (1.0, 1e-3), (8.0, 0.1)):
        level = FAMILIES[name].for_epsilon(epsilon, delta, k)
        guaranteed_delta = delta if name == "gaussian" else 0.0
        # a reported ε is itself rounded up
        assert FAMILIES[name].make(level, k).epsilon_at(guaranteed_delta) <= epsilon * (1 + 1e-12)
        assert (
            FAMILIES[name].make(0.99 * level, k).epsilon_at(guaranteed_delta) > epsilon
        )  # less noise does not meet (ε, δ)
