"""The families of pixel mechanisms, their levels and how a level is found for an ε."""

import numpy as np
import pytest

from privdemo import limits
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, family_of

LEVELS = 16 / 17 * np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.86, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1])
NOISE = [0.01, *(5 * np.arange(1, 17) / 16)]


@pytest.mark.parametrize(
    ("name", "symbol", "mechanism", "limit", "levels"),
    [
        ("randomised_response", "p", RandomisedResponse(0.25, 17), limits.flip_prob_limit(17), LEVELS),
        ("gaussian", "σ", GaussianNoise(0.25), limits.PIXEL_SIGMA, NOISE),
        ("laplace", "b", LaplaceNoise(0.25), limits.PIXEL_SCALE, NOISE),
    ],
)
def test_families_by_name(name, symbol, mechanism, limit, levels):
    family = FAMILIES[name]
    assert (family.name, family.symbol, family.make(0.25, 17), family.limit(17)) == (name, symbol, mechanism, limit)
    assert family_of(mechanism) is family
    np.testing.assert_allclose(family.levels(17), levels, rtol=1e-15)
    assert (family.levels(17)[[0, -1]] == [limit.low, limit.high]).all()
    with pytest.raises(TypeError, match=r"of randomised_response, gaussian, laplace, got BinaryChannel"):
        family_of(BinaryChannel(0.1, 0.2))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("k", [2, 256])
def test_for_epsilon_inverts_and_rounds_toward_privacy(name, k):
    for epsilon, delta in ((0.05, 1e-6), (1.0, 1e-3), (8.0, 0.1)):
        level = FAMILIES[name].for_epsilon(epsilon, delta, k)
        spent = delta if name == "gaussian" else 0.0
        # a reported ε is itself rounded up
        assert FAMILIES[name].make(level, k).epsilon_at(spent) <= epsilon * (1 + 1e-12)
        assert FAMILIES[name].make(0.99 * level, k).epsilon_at(spent) > epsilon  # less noise would not do
