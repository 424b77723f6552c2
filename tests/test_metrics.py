"""The distortion of released values against enumeration, simulation and integration."""

import math

import numpy as np
import pytest
from scipy import stats

from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse


def rng(seed=0):
    return np.random.default_rng(seed)


K = 5
SHARES = np.array([0.4, 0.1, 0.05, 0.15, 0.3])


def states(n, seed=1):
    return rng(seed).choice(K, n, p=SHARES).astype(np.uint8)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("k", [2, 5, 17])
def test_distortion_of_randomised_response_by_enumeration(k, share):
    mechanism = RandomisedResponse(share * (k - 1) / k, k)
    clean = rng(2).integers(0, k, (7, 11)).astype(np.uint8)
    absolute = squared = 0.0
    for true in clean.ravel():
        for seen in range(k):
            chance = 1 - mechanism.flip_prob if seen == true else mechanism.flip_prob / (k - 1)
            absolute += chance * abs(seen - int(true)) / (k - 1) / clean.size
            squared += chance * ((seen - int(true)) / (k - 1)) ** 2 / clean.size
    found = mechanism.expected_distortion(clean)
    assert found.absolute == pytest.approx(absolute, rel=1e-12, abs=1e-15)
    assert found.squared == pytest.approx(squared, rel=1e-12, abs=1e-15)
    if share:
        less = RandomisedResponse(0.9 * mechanism.flip_prob, k).expected_distortion(clean)
        assert less.absolute < 0.95 * absolute
        assert less.squared < 0.95 * squared


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [
        (RandomisedResponse(0.3, K), RandomisedResponse(0.31, K)),
        (RandomisedResponse(0.3, K), RandomisedResponse(0.3 * 4 / 5, K)),  # p mistaken for q
        (GaussianNoise(0.5), GaussianNoise(0.51)),
        (LaplaceNoise(0.5), LaplaceNoise(0.51)),
        (LaplaceNoise(0.5), GaussianNoise(0.5)),
    ],
    ids=repr,
)
def test_distortion_agrees_with_simulation(mechanism, wrong):
    n = 400_000
    clean = states(n)
    values = mechanism.from_states(clean, K)
    error = mechanism.to_unit(mechanism.randomise(values, rng(3)).astype(float) - values)
    for measured, right, other in zip(
        (np.abs(error), error**2),
        mechanism.expected_distortion(clean),
        wrong.expected_distortion(clean),
        strict=True,
    ):
        tolerance = 5 * measured.std() / math.sqrt(n)  # five standard errors of a mean
        assert abs(measured.mean() - right) <= tolerance
        assert abs(measured.mean() - other) > tolerance


@pytest.mark.parametrize("level", [0.01, 0.3, 5.0])
def test_distortion_of_added_noise_by_integration(level):
    for mechanism, density in (
        (GaussianNoise(level), stats.norm(0, level)),
        (LaplaceNoise(level), stats.laplace(0, level)),
    ):
        found = mechanism.expected_distortion(states(10))
        assert found.absolute == pytest.approx(density.expect(np.abs), rel=1e-6)
        assert found.squared == pytest.approx(density.var(), rel=1e-12)


def test_distortion_depends_on_the_pixels_under_randomised_response_only():
    dark, middle = np.zeros(10, np.uint8), np.full(10, 2, np.uint8)
    rr = RandomisedResponse(0.4, K)
    assert rr.expected_distortion(dark).absolute > rr.expected_distortion(middle).absolute
    for mechanism in (GaussianNoise(0.4), LaplaceNoise(0.4)):
        assert mechanism.expected_distortion(dark) == mechanism.expected_distortion(middle)
