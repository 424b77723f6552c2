"""Randomised response: its channel, draws, likelihood and what it refuses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from privdemo.mechanisms import RandomisedResponse, ResponseDraws
from privdemo.mechanisms.randomised_response import BLOCK
from tests.mechanisms.oracles import GRID_STEP, N, data_for, rng


@pytest.mark.parametrize("k", [2, 3, 10, 256])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_channel_columns_sum_to_one(k, share):
    matrix = RandomisedResponse(share * ((k - 1) / k), k).channel_matrix
    assert matrix.shape == (k, k)
    assert (matrix >= 0).all()
    np.testing.assert_allclose(matrix.sum(axis=0), 1.0, atol=k * np.finfo(float).eps)


def test_flips_are_independent_between_neighbours():
    p = 0.3
    flips = RandomisedResponse(p, 2).randomise(np.zeros(N + 1, np.uint8), rng())
    both = np.mean(flips[1:] * flips[:-1])
    # 5 standard errors of a mean of N indicators; neighbours share a term, which at most triples the variance
    assert abs(both - p * p) < 5 * math.sqrt(3 * p * p * (1 - p * p) / N)
    assert abs(np.mean(flips[1:] * flips[1:]) - p * p) > 0.1  # fully dependent values would show


@pytest.mark.parametrize("k", [2, 3, 7, 10, 49, 255, 256, 65536])
def test_at_the_largest_flip_prob_the_release_is_independent_of_the_input(k):
    top = RandomisedResponse((k - 1) / k, k)
    dtype = np.min_scalar_type(k - 1)
    low = top.randomise(np.zeros(20_000, dtype), rng(4))
    high = top.randomise(np.full(20_000, k - 1, dtype), rng(4))
    np.testing.assert_array_equal(low, high)
    assert top.redraw_prob == 1
    assert top.epsilon == 0
    less = RandomisedResponse(0.9 * (k - 1) / k, k)  # the check can fail: here the input shows
    assert (less.randomise(np.zeros(20_000, dtype), rng(4)) != less.randomise(high * 0 + 1, rng(4))).any()


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 1.0, 50.0, 1e4, math.inf])
@pytest.mark.parametrize("k", [2, 3, 10, 256, 65536])
def test_from_epsilon_against_the_closed_form(epsilon, k):
    mechanism = RandomisedResponse.from_epsilon(epsilon, k)
    expected = (k - 1) / (k - 1 + math.exp(min(epsilon, 700.0)))  # e^700 is as far as floats go
    assert mechanism.flip_prob == pytest.approx(expected, rel=1e-12)
    assert mechanism.epsilon <= epsilon
    wrong = (k - 1) / (k + math.exp(min(epsilon, 700.0)))  # an off-by-one in k must not pass
    if epsilon < 30:
        assert mechanism.flip_prob != pytest.approx(wrong, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int32, np.uint64])
def test_the_same_seed_gives_the_same_release_in_every_integer_dtype(dtype):
    mechanism = RandomisedResponse(0.6, 5)
    x = data_for(mechanism, BLOCK + 100)
    np.testing.assert_array_equal(mechanism.randomise(x.astype(dtype), rng(8)), mechanism.randomise(x, rng(8)))


def test_without_flips_states_stay():
    x = data_for(RandomisedResponse(0.0, 7), 1000)
    np.testing.assert_array_equal(RandomisedResponse(0.0, 7).randomise(x, rng()), x)


@given(
    st.integers(2, 300).flatmap(
        lambda k: st.tuples(st.just(k), hnp.arrays(np.uint16, st.integers(0, 40), elements=st.integers(0, k - 1)))
    ),
    st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
    st.integers(0, 2**32 - 1),
)
def test_raising_flip_prob_only_redraws_more(k_and_x, shares, seed):
    k, x = k_and_x
    low, high = (RandomisedResponse(share * ((k - 1) / k), k) for share in shares)
    draws = low.draws(x.shape, rng(seed))
    a, b, u = low.apply(x, draws), high.apply(x, draws), draws.uniform
    redrawn = u < low.redraw_prob
    np.testing.assert_array_equal(a[redrawn], draws.replacement[redrawn])
    np.testing.assert_array_equal(b[redrawn], a[redrawn])  # redrawn at p: the same value at any larger p
    np.testing.assert_array_equal(a[~redrawn], x[~redrawn])
    assert (b[a != x] == a[a != x]).all()


def test_a_value_is_redrawn_where_its_uniform_is_below_the_probability():
    mechanism = RandomisedResponse(0.375, 4)  # redrawn with probability exactly 0.5
    uniform = np.array([0.0, 0.5 - GRID_STEP, 0.5, 1 - GRID_STEP], np.float32)
    draws = ResponseDraws(uniform, np.full(4, 3, np.uint8))
    x = np.zeros(4, np.uint8)
    np.testing.assert_array_equal(mechanism.apply(x, draws), [3, 3, 0, 0])
    np.testing.assert_array_equal(RandomisedResponse(0.0, 4).apply(x, draws), x)
    np.testing.assert_array_equal(RandomisedResponse(0.75, 4).apply(x, draws), draws.replacement)


@given(st.integers(2, 65536), st.floats(0.0, 1.0))
def test_redraw_prob_is_rounded_toward_more_noise(k, share):
    p = share * ((k - 1) / k)
    exact = p * k / (k - 1)
    q = RandomisedResponse(p, k).redraw_prob
    assert min(exact, 1.0) <= q < exact + GRID_STEP * (1 + 1e-9)
    assert (q * 2**24).is_integer()  # so that P(uniform < q) is q exactly


@pytest.mark.parametrize("k", [2, 5, 256])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_response_log_likelihood_is_the_log_channel(k, share):
    mechanism = RandomisedResponse(share * ((k - 1) / k), k)
    states = np.arange(k)
    with np.errstate(divide="ignore"):
        expected = np.log(mechanism.channel_matrix)
    actual = mechanism.log_likelihood(states[:, None], states[None, :])
    np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-15)
    if 0 < share < 1:
        wrong = RandomisedResponse(share * ((k - 1) / k) * 0.99, k).log_likelihood(states[:, None], states)
        assert not np.allclose(wrong, expected, rtol=1e-4)


@pytest.mark.parametrize("k", [2, 3, 4, 20, 256])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.7, 1.0])
def test_one_against_rest_merges_all_other_states(k, share):
    mechanism = RandomisedResponse(share * ((k - 1) / k), k)
    channel, matrix = mechanism.one_against_rest, mechanism.channel_matrix
    for state in range(k):
        others = [j for j in range(k) if j != state]
        for other in others[:3]:  # whichever other state is the truth
            assert channel.p10 == pytest.approx(matrix[state, other], abs=1e-15)
        assert channel.p01 == pytest.approx(matrix[others, state].sum(), abs=1e-13)
    assert channel.contrast == pytest.approx(1 - mechanism.flip_prob * k / (k - 1), abs=1e-15)
    if 0 < share < 1:
        assert channel.epsilon == pytest.approx(mechanism.epsilon, rel=1e-12)
    if k > 2 and share:
        assert channel.p10 < channel.p01


@pytest.mark.parametrize("bad", [1.2, -0.1, math.nan])
def test_bad_flip_prob(bad):
    with pytest.raises(ValueError, match=r"flip_prob must be in \[0, 0\.996\], got ") as error:
        RandomisedResponse(bad, 256)
    assert str(bad).strip("'") in str(error.value)
    RandomisedResponse(0.99609375, 256)  # the end itself is allowed
    with pytest.raises(ValueError, match=r"flip_prob must be in \[0, 0\.5\], got 0\.5\d+"):
        RandomisedResponse(math.nextafter(0.5, 1) + 1e-9, 2)


@pytest.mark.parametrize("bad", [1, 2.0, 65537])
def test_bad_n_states(bad):
    with pytest.raises(ValueError, match=r"n_states must be a whole number in \[2, 65536\], got "):
        RandomisedResponse(0.1, bad)


@pytest.mark.parametrize(
    ("k", "dtype"), [(257, np.uint8), (129, np.int8), (65536, np.int16), (1000, np.uint8), (256, np.int8)]
)
def test_a_dtype_that_cannot_hold_every_state_is_refused(k, dtype):
    with pytest.raises(TypeError, match=rf"states 0 to {k - 1}, got u?int\d+; use x.astype"):
        RandomisedResponse(0.5, k).randomise(np.zeros(10, dtype), rng())
    wide = RandomisedResponse(0.5, k).randomise(np.zeros(100_000, np.uint16), rng())
    # half of 100,000 are redrawn over k states: all above 0.95k missing has probability 0.95^50000
    assert wide.max() > 0.95 * (k - 1)
