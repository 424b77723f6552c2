"""Discrete Laplace and Gaussian noise against their laws, and the one source of their chance: uniform whole numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privdemo.mechanisms import discrete_noise
from privdemo.mechanisms.discrete_noise import discrete_gaussian, discrete_laplace
from privdemo.mechanisms.label_counts import DiscreteGaussianCounts, DiscreteLaplaceCounts
from tests.mechanisms.oracles import rng

N = 100_000
LAWS = {
    "laplace": (discrete_laplace, lambda y, scale: np.exp(-np.abs(y) / scale)),
    "gaussian": (
        lambda sigma, *rest: discrete_gaussian(sigma**2, *rest),
        lambda y, sigma: np.exp(-((y / sigma) ** 2) / 2),
    ),
}


def fits(samples, weight, parameter):
    """The p-value of samples under the law of this weight, by chi-squared over cells of at least fifty samples."""
    y = np.arange(-math.ceil(60 * parameter) - 40, math.ceil(60 * parameter) + 41)
    cumulated = np.cumsum(weight(y, parameter))
    cumulated /= cumulated[-1]
    cells = np.unique(np.searchsorted(cumulated, np.linspace(0, 1, 42)[1:-1]))
    expected = len(samples) * np.diff(cumulated[cells], prepend=0, append=1)
    found = np.bincount(np.searchsorted(y[cells], samples), minlength=len(expected))
    kept = expected >= 50
    found, expected = (np.append(one[kept], one[~kept].sum()) for one in (found, expected))
    if expected[-1] == 0:
        found, expected = found[:-1], expected[:-1]
    return stats.chisquare(found, expected * found.sum() / expected.sum()).pvalue


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("parameter", [0.4, 1.0, 2.3, 40.0, 1000.7])
def test_samples_have_the_law_and_not_one_that_is_five_percent_wider(name, parameter):
    sample, weight = LAWS[name]
    samples = sample(Fraction(parameter), (N,), rng(1))
    assert fits(samples, weight, parameter) > 1e-4
    assert fits(samples, weight, 1.05 * parameter) < 1e-6
    assert fits(samples + 1, weight, parameter) < 1e-3 or parameter > 30
    assert abs((samples > 0).mean() - (samples < 0).mean()) < 5 / math.sqrt(N)


@pytest.mark.parametrize("numerator", [0, 1, 7, 10, 11, 35])
def test_an_event_of_probability_exp_minus_gamma(numerator):
    happened = discrete_noise._bernoulli_exp(np.full(N, numerator), 10, rng(2))
    assert stats.binomtest(int(happened.sum()), N, math.exp(-numerator / 10)).pvalue > 1e-4


def test_the_bits_after_those_that_agree_decide():
    """With two bits at a time most draws agree in the first ones; the probabilities are the same."""
    happened = {}
    for bits in (2, 62):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(discrete_noise, "_BITS", bits)
            happened[bits] = discrete_noise._bernoulli_exp(np.tile([1, 2, 10, 13], 5000), 7, rng(3)).reshape(-1, 4)
    for bits, found in happened.items():
        for numerator, n in zip((1, 2, 10, 13), found.sum(axis=0), strict=True):
            assert stats.binomtest(int(n), 5000, math.exp(-numerator / 7)).pvalue > 1e-4, bits


class WholeNumbersOnly:
    """A generator that gives uniform whole numbers and nothing else."""

    def __init__(self, seed):
        self._rng = rng(seed)

    def integers(self, low, high, size):
        assert all(isinstance(end, int) for end in (low, high))
        return self._rng.integers(low, high, size)


@pytest.mark.parametrize("parameter", [0.0, 1e-300, 1e-6, 0.1, 1 / 3, 6.02, 1e6])
def test_no_float_is_drawn_and_every_parameter_is_taken_as_the_fraction_it_is(parameter):
    for sample, _ in LAWS.values():
        samples = sample(Fraction(parameter), (3, 50), WholeNumbersOnly(0))
        assert samples.shape == (3, 50)
        assert samples.dtype == np.int64
        np.testing.assert_array_equal(samples, sample(Fraction(parameter), (3, 50), rng(0)))
        assert samples.any() == (parameter > 0.2)
        assert np.abs(samples).max() < 40 * parameter + 1


def test_counts_get_noise_of_their_own_and_stay_whole():
    counts = np.tile([5, 0, 900], (20_000, 1))
    for make, variance in (
        (DiscreteLaplaceCounts, 2 * math.exp(-0.5) / (1 - math.exp(-0.5)) ** 2),
        (DiscreteGaussianCounts, 4.0),
    ):
        noisy = make(2.0).noisy(counts, rng(4))
        assert noisy.dtype == np.int64
        noise = noisy - counts
        assert np.abs(noise.mean(axis=0)).max() < 5 * math.sqrt(variance / 20_000)
        assert noise.var(axis=0) == pytest.approx(variance, rel=0.06)
        assert np.abs(np.corrcoef(noise.T) - np.eye(3)).max() < 5 / math.sqrt(20_000)
