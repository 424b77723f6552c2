"""Additive noise: its distribution and its density."""

import math

import numpy as np
import pytest
from scipy import stats

from privdemo.mechanisms import GaussianNoise, LaplaceNoise
from tests.mechanisms.oracles import rng

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
def test_density_and_distribution_are_those_of_scipy(kind, law, level):
    released, values = np.linspace(-5, 5, 41), np.linspace(0, 1, 4)[:, None]
    found = kind(level).log_likelihood(released, values) + law.logpdf(0, scale=level)  # up to a constant
    assert found.shape == (4, 41)
    np.testing.assert_allclose(found, law(values, level).logpdf(released), rtol=1e-12, atol=1e-12)
    assert kind(level).level == level
    for x in (released, level * released):
        np.testing.assert_allclose(kind(level).cdf(x), law(scale=level).cdf(x), rtol=1e-12)
