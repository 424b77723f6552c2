"""The distortion of released values against enumeration, simulation and integration."""

import math

import numpy as np
import pytest
from scipy import stats

from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.pixels import clean_values, unit_values
from privdemo.metrics import expected_distortion


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
    found = expected_distortion(mechanism, clean, k)
    assert found.absolute == pytest.approx(absolute, rel=1e-12, abs=1e-15)
    assert found.squared == pytest.approx(squared, rel=1e-12, abs=1e-15)
    if share:
        less = expected_distortion(RandomisedResponse(0.9 * mechanism.flip_prob, k), clean, k)
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
    values = clean_values(mechanism, clean, K)
    error = unit_values(mechanism, mechanism.randomise(values, rng(3)).astype(float) - values, K)
    for measured, right, other in zip(
        (np.abs(error), error**2),
        expected_distortion(mechanism, clean, K),
        expected_distortion(wrong, clean, K),
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
        found = expected_distortion(mechanism, states(10), K)
        assert found.absolute == pytest.approx(density.expect(np.abs), rel=1e-6)
        assert found.squared == pytest.approx(density.var(), rel=1e-12)


def test_distortion_depends_on_the_pixels_under_randomised_response_only():
    dark, middle = np.zeros(10, np.uint8), np.full(10, 2, np.uint8)
    rr = RandomisedResponse(0.4, K)
    assert expected_distortion(rr, dark, K).absolute > expected_distortion(rr, middle, K).absolute
    for mechanism in (GaussianNoise(0.4), LaplaceNoise(0.4)):
        assert expected_distortion(mechanism, dark, K) == expected_distortion(mechanism, middle, K)
