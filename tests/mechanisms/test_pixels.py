"""The families of pixel mechanisms, their levels and how a level is found for an ε."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, family_of

STATES = [2, 17, 256]


MECHANISM = {"randomised_response": RandomisedResponse, "gaussian": GaussianNoise, "laplace": LaplaceNoise}


@pytest.mark.parametrize(("name", "k"), list(itertools.product(FAMILIES, STATES)))
def test_levels_lie_in_the_limit_and_rise_from_end_to_end(name, k):
    family = FAMILIES[name]
    levels, limit = family.levels(k), family.limit(k)
    assert len(levels) == 17
    assert levels[0] == limit.low
    assert levels[-1] == limit.high
    assert (np.diff(levels) > 0).all()
    for level in levels:
        mechanism = family.make(float(level), k)
        assert type(mechanism) is MECHANISM[name]
        assert family_of(mechanism) is family
    for outside in (math.nextafter(limit.low, -1), math.nextafter(limit.high, 9)):
        with pytest.raises(ValueError, match="must be in"):
            limit.check(outside)


@given(st.floats(0.05, 8), st.sampled_from(STATES), st.sampled_from([1e-6, 1e-3, 0.1]), st.sampled_from(list(FAMILIES)))
def test_for_epsilon_inverts_and_rounds_toward_privacy(epsilon, k, delta, name):
    family = FAMILIES[name]
    level = family.for_epsilon(epsilon, delta, k)
    spent = delta if name == "gaussian" else 0.0
    reached = family.make(level, k).epsilon_at(spent)
    assert reached <= epsilon * (1 + 1e-12)  # a reported ε is itself rounded up
    assert reached == pytest.approx(epsilon, rel=1e-6)
    assert family.make(0.99 * level, k).epsilon_at(spent) > epsilon  # less noise would not do


def test_levels_of_curves():
    shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.86, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1]
    np.testing.assert_allclose(FAMILIES["randomised_response"].levels(256), np.array(shares) * 255 / 256, rtol=1e-15)
    for name in ("gaussian", "laplace"):
        np.testing.assert_allclose(FAMILIES[name].levels(256), [0.01, *(5 * np.arange(1, 17) / 16)], rtol=1e-15)


def test_families_by_name():
    assert [(key, family.name, family.symbol) for key, family in FAMILIES.items()] == [
        ("randomised_response", "randomised_response", "p"),
        ("gaussian", "gaussian", "σ"),
        ("laplace", "laplace", "b"),
    ]
    assert FAMILIES["randomised_response"].make(0.25, 17) == RandomisedResponse(0.25, 17)


def test_a_mechanism_of_no_family_is_refused():
    with pytest.raises(TypeError, match="of randomised_response, gaussian, laplace, got BinaryChannel"):
        family_of(BinaryChannel(0.1, 0.2))
