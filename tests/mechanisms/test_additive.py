"""Additive noise: its distribution, density and what it refuses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from privdemo.mechanisms import GaussianNoise, LaplaceNoise
from tests.mechanisms.oracles import NOISE_MECHANISMS, N, rng

name = repr


@pytest.mark.parametrize(
    ("kind", "level", "reference", "kurtosis"),
    [(GaussianNoise, 0.4, stats.norm, 3.0), (LaplaceNoise, 0.25, stats.laplace, 6.0)],
)
def test_noise_moments_and_distribution(kind, level, reference, kurtosis):
    x = np.full(N, 0.75)
    noise = kind(level).randomise(x, rng(2)) - x
    variance = reference(scale=level).var()
    assert abs(noise.mean()) < 5 * math.sqrt(variance / N)

    def variance_fits(expected):
        return abs(noise.var() - expected) < 5 * expected * math.sqrt((kurtosis - 1) / N)  # var of a variance

    assert variance_fits(variance)
    assert not variance_fits(variance * 1.05**2)
    # each p-value is uniform under the truth: below 1e-6 once in a million
    assert stats.kstest(noise, kind(level).cdf).pvalue > 1e-6
    assert stats.kstest(noise, reference(scale=level).cdf).pvalue > 1e-6
    assert stats.kstest(noise, kind(1.05 * level).cdf).pvalue < 1e-6
    assert stats.kstest(noise, kind(0.95 * level).cdf).pvalue < 1e-6
    other = {GaussianNoise: stats.laplace, LaplaceNoise: stats.norm}[kind]
    assert stats.kstest(noise, other(scale=level).cdf).pvalue < 1e-6


@pytest.mark.parametrize("kind", [GaussianNoise, LaplaceNoise])
def test_noise_is_not_clipped(kind):
    released = kind(1.0).randomise(np.full(1000, 0.5), rng())
    assert released.min() < 0
    assert released.max() > 1


@given(st.floats(1e-6, 1e6), hnp.arrays(np.float64, 5, elements=st.floats(-1e3, 1e3)))
def test_cdf_matches_scipy(level, x):
    np.testing.assert_allclose(GaussianNoise(level).cdf(x), stats.norm(scale=level).cdf(x), rtol=1e-12)
    np.testing.assert_allclose(LaplaceNoise(level).cdf(x), stats.laplace(scale=level).cdf(x), rtol=1e-12)


# Not below 0.02: scipy's own Laplace log density underflows beyond 700 scales.
@given(st.floats(0.02, 1e3), hnp.arrays(np.float64, 6, elements=st.floats(-5, 5)))
def test_noise_log_likelihood_is_the_density_up_to_a_constant(level, released):
    values = np.linspace(0, 1, 4)[:, None]
    gaussian = GaussianNoise(level).log_likelihood(released, values) - math.log(level * math.sqrt(2 * math.pi))
    laplace = LaplaceNoise(level).log_likelihood(released, values) - math.log(2 * level)
    assert gaussian.shape == (4, 6)
    np.testing.assert_allclose(gaussian, stats.norm(values, level).logpdf(released), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(laplace, stats.laplace(values, level).logpdf(released), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("bad", [-0.1, math.nan, 1_000_001])
def test_bad_noise_levels(bad):
    with pytest.raises(ValueError, match=r"sigma must be in \[0, 1000000\], got "):
        GaussianNoise(bad)
    with pytest.raises(ValueError, match=r"scale must be in \[0, 1000000\], got "):
        LaplaceNoise(bad)


@pytest.mark.parametrize("mechanism", NOISE_MECHANISMS, ids=name)
def test_values_of_the_wrong_kind(mechanism):
    for dtype in (np.uint8, int, bool):
        with pytest.raises(TypeError, match=rf"x must hold real values in \[0, 1\], got dtype {np.dtype(dtype)}"):
            mechanism.randomise(np.zeros(3, dtype), rng())


@pytest.mark.parametrize("mechanism", NOISE_MECHANISMS, ids=name)
@pytest.mark.parametrize("bad", [1.2, -0.1, math.nan, math.inf, -math.inf])
def test_values_out_of_range(mechanism, bad):
    with pytest.raises(ValueError, match=rf"x must lie in \[0, 1\], got {bad:g}; "):
        mechanism.randomise(np.array([0.0, 0.5, bad, 1.0]), rng())
    mechanism.randomise(np.array([0.0, 1.0]), rng())  # both ends are allowed


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.0), LaplaceNoise(0.0)], ids=name)
def test_without_noise_there_is_no_density(mechanism):
    with pytest.raises(ValueError, match=r"noise level must be in \(0, 1000000\], got 0"):
        mechanism.log_likelihood(np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match=r"noise level must be in \(0, 1000000\], got 0"):
        mechanism.pairwise_log_likelihood(np.zeros((1, 2)), np.zeros((1, 2)))
    with pytest.raises(ValueError, match=r"noise level must be in \(0, 1000000\], got 0"):
        mechanism.cdf(np.zeros(2))
    np.testing.assert_array_equal(mechanism.randomise(np.array([0.25, 1.0]), rng()), [0.25, 1.0])
