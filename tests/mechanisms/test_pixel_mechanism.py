"""What every mechanism on pixels answers: scales, grey levels, likelihoods of images and expected errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, PixelMechanism, RandomisedResponse
from tests.mechanisms.oracles import rng

ADDITIVE = [GaussianNoise(0.3), LaplaceNoise(0.3)]


@pytest.mark.parametrize("k", [2, 17, 256])
def test_the_domain_of_randomised_response_is_states(k):
    states, mechanism = np.arange(k, dtype=np.uint8), RandomisedResponse(0.1, k)
    assert isinstance(mechanism, PixelMechanism)
    assert (mechanism.n_states, mechanism.white) == (k, k - 1)
    assert mechanism.from_states(states, k) is states
    unit = mechanism.to_unit(states)
    assert unit.dtype == np.float32
    np.testing.assert_allclose(unit, np.linspace(0, 1, k), atol=1e-7)
    np.testing.assert_allclose(mechanism.to_unit(states - 0.5), (np.arange(k) - 0.5) / (k - 1), rtol=1e-15)
    assert mechanism.check_released(states) is states
    with pytest.raises(ValueError, match=f"n_states must be the mechanism's {k}, got {k + 1}"):
        mechanism.from_states(states, k + 1)
    with pytest.raises(ValueError, match="x must hold states"):
        mechanism.check_released(np.array([k]))


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
def test_the_domain_of_additive_noise_is_values(mechanism):
    assert isinstance(mechanism, PixelMechanism)
    assert (mechanism.n_states, mechanism.white, mechanism.level) == (None, 1, 0.3)
    values = mechanism.from_states(np.arange(17, dtype=np.uint8), 17)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, np.linspace(0, 1, 17), atol=1e-7)
    beyond = np.array([-0.5, 0.25, 1.75])
    assert mechanism.to_unit(beyond) is beyond  # not clipped
    assert mechanism.check_released(beyond) is beyond
    with pytest.raises(TypeError, match="X must hold real values, got dtype int64; use to_unit"):
        mechanism.check_released(np.arange(3))


def test_only_pure_noise_says_nothing():
    for mechanism in (*ADDITIVE, RandomisedResponse(0.79, 5)):
        mechanism.check_informative()
    with pytest.raises(ValueError, match=r"a flip probability of 0\.8 draws every pixel afresh"):
        RandomisedResponse(0.8, 5).check_informative()


@pytest.mark.parametrize("other", [BinaryChannel(0.1, 0.2), "gaussian", 0.2, None], ids=repr)
def test_anything_else_is_no_mechanism_on_pixels(other):
    assert not isinstance(other, PixelMechanism)


@pytest.mark.parametrize("k", [2, 17, 256])
def test_grey_levels_of_states(k):
    rr, states = RandomisedResponse(0.1, k), np.arange(k, dtype=np.uint8)
    grey = rr.to_grey(states)
    assert grey.dtype == np.uint8
    # whole-number rounding half up: ⌊(2·255·s + (k−1)) / (2(k−1))⌋
    assert grey.tolist() == [(2 * 255 * s + k - 1) // (2 * (k - 1)) for s in range(k)]
    for mechanism in ADDITIVE:  # the same clean picture whatever the mechanism
        np.testing.assert_array_equal(mechanism.to_grey(mechanism.from_states(states, k)), grey)


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
def test_grey_levels_of_values_are_clipped_for_display_only(mechanism):
    values = np.array([-3.0, -0.001, 0.0, 0.5, 1.0, 1.001, 7.0], np.float32)
    before = values.copy()
    np.testing.assert_array_equal(mechanism.to_grey(values), [0, 0, 0, 128, 255, 255, 255])
    np.testing.assert_array_equal(values, before)


@given(st.floats(0, 1, width=32))
def test_grey_levels_round_to_the_nearest(value):
    for mechanism in ADDITIVE:
        # half a grey level, and the rounding of 255 · value in single precision
        assert abs(int(mechanism.to_grey(np.array(value))) - 255 * value) <= 0.5 + 255 * 2.0**-23
    rr = RandomisedResponse(0.1, 17)  # guesses lie between states
    assert abs(int(rr.to_grey(np.array(16 * value))) - 255 * value) <= 0.5 + 1e-12


def assert_equal_up_to_a_constant(found, expected):
    """Each row of `found` is that of `expected` plus a constant; rows of −∞ agree where they are finite."""
    assert found.shape == expected.shape
    for row, truth in zip(found, expected, strict=True):
        possible = np.isfinite(truth)
        np.testing.assert_array_equal(np.isfinite(row), possible)
        shift = row[possible] - truth[possible]
        # a difference of two sums of d terms: last digits of the largest of them
        scale = 1e-12 * max(1.0, np.abs(truth[possible]).max(initial=0))
        np.testing.assert_allclose(shift, shift.mean() if len(shift) else 0, atol=scale)


@settings(max_examples=80)
@given(
    k=st.sampled_from([2, 3, 17, 256]), d=st.integers(1, 12), share=st.floats(1e-9, 1 - 1e-9), seed=st.integers(0, 99)
)
def test_randomised_response_sums_over_pixels(k, d, share, seed):
    mechanism = RandomisedResponse(share * (k - 1) / k, k)
    released, candidates = (rng(seed + i).integers(0, k, (n, d)).astype(np.uint8) for i, n in ((0, 4), (1, 6)))
    expected = mechanism.log_likelihood(released[:, None], candidates).sum(axis=2)
    found = mechanism.pairwise_log_likelihood(released, candidates)
    assert_equal_up_to_a_constant(found, expected)


@pytest.mark.parametrize("mechanism", [GaussianNoise(0.3), GaussianNoise(5.0), LaplaceNoise(0.3), LaplaceNoise(5.0)])
def test_added_noise_sums_over_pixels(mechanism):
    candidates = rng(1).random((6, 20))
    released = mechanism.randomise(candidates[:4], rng(2))
    expected = mechanism.log_likelihood(released[:, None], candidates).sum(axis=2)
    assert_equal_up_to_a_constant(mechanism.pairwise_log_likelihood(released, candidates), expected)
    with pytest.raises(AssertionError):  # another level is another likelihood
        assert_equal_up_to_a_constant(type(mechanism)(1.0).pairwise_log_likelihood(released, candidates), expected)


def test_without_flips_only_a_perfect_match_is_possible():
    clean = np.array([[0, 1], [1, 1], [0, 1]], np.uint8)
    found = RandomisedResponse(0.0, 2).pairwise_log_likelihood(clean[:2], clean)
    np.testing.assert_array_equal(found, [[0, -np.inf, 0], [-np.inf, 0, -np.inf]])
    exact = RandomisedResponse(0.0, 2).log_likelihood(clean[:2, None], clean).sum(axis=2)
    np.testing.assert_array_equal(found, exact)


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


@pytest.mark.parametrize("level", [0.01, 0.3, 5.0])
def test_distortion_of_added_noise_by_integration(level):
    for mechanism, density in (
        (GaussianNoise(level), stats.norm(0, level)),
        (LaplaceNoise(level), stats.laplace(0, level)),
    ):
        found = mechanism.expected_distortion(np.zeros(10, np.uint8))
        assert found.absolute == pytest.approx(density.expect(np.abs), rel=1e-6)
        assert found.squared == pytest.approx(density.var(), rel=1e-12)
