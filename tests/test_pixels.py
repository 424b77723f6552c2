"""Pixel families, the domains of their values and the grey levels shown."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, family_of

ADDITIVE = [GaussianNoise(0.3), LaplaceNoise(0.3)]
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


def test_randomised_response_goes_from_no_noise_to_pure_noise():
    levels = FAMILIES["randomised_response"].levels(256)
    assert levels[0] == 0
    assert levels[-1] == 255 / 256


def test_families_say_what_they_make():
    assert FAMILIES["randomised_response"].make(0.25, 17) == RandomisedResponse(0.25, 17)
    assert FAMILIES["gaussian"].make(0.25, 17) == GaussianNoise(0.25)
    assert FAMILIES["laplace"].make(0.25, 17) == LaplaceNoise(0.25)
    assert {key: family.name for key, family in FAMILIES.items()} == {key: key for key in FAMILIES}
    assert [family.symbol for family in FAMILIES.values()] == ["p", "σ", "b"]


@settings(deadline=None)
@given(st.floats(0.05, 8), st.sampled_from(STATES), st.sampled_from([1e-6, 1e-3, 0.1]), st.sampled_from(list(FAMILIES)))
def test_for_epsilon_inverts_and_rounds_toward_privacy(epsilon, k, delta, name):
    family = FAMILIES[name]
    level = family.for_epsilon(epsilon, delta, k)
    spent = delta if name == "gaussian" else 0.0
    reached = family.make(level, k).epsilon_at(spent)
    assert reached <= epsilon * (1 + 1e-12)  # a reported ε is itself rounded up
    assert reached == pytest.approx(epsilon, rel=1e-6)
    assert family.make(0.99 * level, k).epsilon_at(spent) > epsilon  # less noise would not do


@pytest.mark.parametrize("k", STATES)
def test_clean_and_unit_values(k):
    states = np.arange(k, dtype=np.uint8)
    rr = RandomisedResponse(0.1, k)
    assert rr.from_states(states, k) is states
    np.testing.assert_allclose(rr.to_unit(states), np.linspace(0, 1, k), atol=1e-7)
    for mechanism in ADDITIVE:
        values = mechanism.from_states(states, k)
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, np.linspace(0, 1, k), atol=1e-7)
        assert values[0] == 0
        assert values[-1] == 1
        beyond = np.array([-0.5, 0.25, 1.75])
        np.testing.assert_array_equal(mechanism.to_unit(beyond), beyond)  # not clipped


@pytest.mark.parametrize("k", STATES)
def test_grey_levels_of_states(k):
    grey = RandomisedResponse(0.1, k).to_grey(np.arange(k, dtype=np.uint8))
    assert grey.dtype == np.uint8
    # whole-number rounding half up: ⌊(2·255·s + (k−1)) / (2(k−1))⌋
    assert grey.tolist() == [(2 * 255 * s + k - 1) // (2 * (k - 1)) for s in range(k)]
    assert grey[0] == 0
    assert grey[-1] == 255
    for mechanism in ADDITIVE:  # the same clean picture whatever the mechanism
        np.testing.assert_array_equal(mechanism.to_grey(mechanism.from_states(np.arange(k), k)), grey)


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
def test_grey_levels_of_values_are_clipped_for_display_only(mechanism):
    values = np.array([-3.0, -0.001, 0.0, 0.5, 1.0, 1.001, 7.0], np.float32)
    before = values.copy()
    np.testing.assert_array_equal(mechanism.to_grey(values), [0, 0, 0, 128, 255, 255, 255])
    np.testing.assert_array_equal(values, before)


@settings(deadline=None)
@given(st.floats(0, 1, width=32))
def test_grey_levels_round_to_the_nearest(value):
    for mechanism in ADDITIVE:
        # half a grey level, and the rounding of 255 · value in single precision
        assert abs(int(mechanism.to_grey(np.array(value))) - 255 * value) <= 0.5 + 255 * 2.0**-23
    rr = RandomisedResponse(0.1, 17)  # guesses lie between states
    assert abs(int(rr.to_grey(np.array(16 * value))) - 255 * value) <= 0.5 + 1e-12
