"""Mechanisms against their channels: what is released has the promised distribution, and no other."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from privdemo.estimators import votes
from privdemo.mechanisms import (
    BinaryChannel,
    GaussianNoise,
    LaplaceNoise,
    RandomisedResponse,
    ResponseDraws,
    to_unit,
)
from privdemo.mechanisms.randomised_response import BLOCK

N = 200_000
INTEGER_DTYPES = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64]
FLOAT_DTYPES = [np.float32, np.float64]
STATE_MECHANISMS = [RandomisedResponse(0.3, 2), RandomisedResponse(0.6, 5), BinaryChannel(0.2, 0.45)]
NOISE_MECHANISMS = [GaussianNoise(0.4), LaplaceNoise(0.25)]
MECHANISMS = STATE_MECHANISMS + NOISE_MECHANISMS
name = repr

# 24-bit uniforms: every implemented probability is within one grid step of the stated one.
GRID_STEP = 2.0**-24


def rng(seed=0):
    return np.random.default_rng(seed)


def data_for(mechanism, shape, seed=1, dtype=None):
    if mechanism.n_states:
        return rng(seed).integers(0, mechanism.n_states, shape).astype(dtype or np.uint8)
    return rng(seed).random(shape).astype(dtype or np.float32)


def empirical_channel(mechanism, n=N, seed=3):
    """The share of each answer [observed, true] over n releases of every state."""
    k = mechanism.n_states
    columns = [
        np.bincount(mechanism.randomise(np.full(n, true, np.uint8), rng(seed + true)), minlength=k) / n
        for true in range(k)
    ]
    return np.stack(columns, axis=1)


def channel_fits(observed, expected, n=N):
    tolerance = 5 * np.sqrt(expected * (1 - expected) / n) + GRID_STEP  # five standard errors per cell
    return bool((np.abs(observed - expected) <= tolerance).all())


# --- the channel -------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 10, 256])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_channel_columns_sum_to_one(k, share):
    matrix = RandomisedResponse(share * ((k - 1) / k), k).channel_matrix
    assert matrix.shape == (k, k)
    assert (matrix >= 0).all()
    np.testing.assert_allclose(matrix.sum(axis=0), 1.0, atol=k * np.finfo(float).eps)


@given(st.floats(0, 1), st.floats(0, 1))
def test_binary_channel_columns_sum_to_one(p10, p01):
    channel = BinaryChannel(p10, p01)
    np.testing.assert_allclose(channel.channel_matrix.sum(axis=0), 1.0, atol=2 * np.finfo(float).eps)
    assert channel.channel_matrix[1, 0] == p10  # indexed [observed, true]
    assert channel.channel_matrix[0, 1] == p01
    assert channel.n_states == 2


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=name)
def test_releases_follow_the_channel(mechanism):
    assert channel_fits(empirical_channel(mechanism), mechanism.channel_matrix)


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [
        (RandomisedResponse(0.3, 2), RandomisedResponse(0.31, 2)),
        (RandomisedResponse(0.6, 5), RandomisedResponse(0.59, 5)),
        # the redraw probability mistaken for the flip probability: p(k−1)/k instead of p
        (RandomisedResponse(0.6, 5), RandomisedResponse(0.6 * 4 / 5, 5)),
        (BinaryChannel(0.2, 0.45), BinaryChannel(0.21, 0.45)),
        (BinaryChannel(0.2, 0.45), BinaryChannel(0.2, 0.44)),
        (BinaryChannel(0.2, 0.45), BinaryChannel(0.45, 0.2)),  # transposed
    ],
    ids=name,
)
def test_releases_rejects_a_wrong_channel(mechanism, wrong):
    assert not channel_fits(empirical_channel(mechanism), wrong.channel_matrix)


def test_flips_are_independent_between_neighbours():
    p = 0.3
    flips = RandomisedResponse(p, 2).randomise(np.zeros(N + 1, np.uint8), rng())
    both = np.mean(flips[1:] * flips[:-1])
    # 5 standard errors of a mean of N indicators; neighbours share a term, which at most triples the variance
    assert abs(both - p * p) < 5 * math.sqrt(3 * p * p * (1 - p * p) / N)
    assert abs(np.mean(flips[1:] * flips[1:]) - p * p) > 0.1  # fully dependent values would show


def test_no_noise_and_certain_lies():
    x = data_for(RandomisedResponse(0.0, 7), 1000)
    np.testing.assert_array_equal(RandomisedResponse(0.0, 7).randomise(x, rng()), x)
    bits = x & 1
    np.testing.assert_array_equal(BinaryChannel(0.0, 0.0).randomise(bits, rng()), bits)
    np.testing.assert_array_equal(BinaryChannel(1.0, 1.0).randomise(bits, rng()), 1 - bits)
    np.testing.assert_array_equal(BinaryChannel(1.0, 0.0).randomise(bits, rng()), np.ones_like(bits))
    np.testing.assert_array_equal(BinaryChannel(0.0, 1.0).randomise(bits, rng()), np.zeros_like(bits))


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


def test_at_the_largest_flip_prob_all_states_are_equally_likely():
    counts = np.bincount(RandomisedResponse(0.9, 10).randomise(np.zeros(N, np.uint8), rng()), minlength=10)
    assert stats.chisquare(counts).pvalue > 1e-6
    near = np.bincount(RandomisedResponse(0.89, 10).randomise(np.zeros(N, np.uint8), rng()), minlength=10)
    assert stats.chisquare(near).pvalue < 1e-6


# --- inverses ----------------------------------------------------------------------------------


@given(st.integers(2, 65536), st.floats(1e-6, 1.0))
def test_flip_prob_and_epsilon_round_trip(k, share):
    p = share * ((k - 1) / k)
    original = RandomisedResponse(p, k)
    back = RandomisedResponse.from_epsilon(original.epsilon, k)
    # dε = −dp / (p(1−p)); ε is known to a few ulp of the largest logarithm in it, ln(k/p)
    tolerance = 8 * np.finfo(float).eps * (1 + math.log(k / p)) * p + 4 * math.ulp(1.0)
    assert back.flip_prob == pytest.approx(p, rel=0, abs=tolerance)
    assert back.epsilon <= original.epsilon or original.epsilon == 0


@settings(max_examples=300)
@given(st.floats(1e-9, 700.0), st.integers(2, 65536))
def test_from_epsilon_never_exceeds_and_never_wastes(epsilon, k):
    mechanism = RandomisedResponse.from_epsilon(epsilon, k)
    assert mechanism.epsilon <= epsilon
    # Sharp: two steps of the floating-point grid less noise and ε is exceeded, or it was already met
    # to within the resolution that ε has at this p: ulp(p)/(p(1−p)), plus rounding of the logarithms.
    p = mechanism.flip_prob
    resolution = 2 * math.ulp(p) / (p * (1 - p)) + 8 * math.ulp(max(epsilon, 1.0) + math.log(k))
    assert mechanism.epsilon >= epsilon - resolution


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 50.0, 700.0, 1e4])
@pytest.mark.parametrize("k", [2, 3, 10, 256, 65536])
def test_from_epsilon_against_the_closed_form(epsilon, k):
    mechanism = RandomisedResponse.from_epsilon(epsilon, k)
    expected = (k - 1) / (k - 1 + math.exp(min(epsilon, 700.0)))  # e^700 is as far as floats go
    assert mechanism.flip_prob == pytest.approx(expected, rel=1e-12)
    assert mechanism.epsilon <= epsilon
    wrong = (k - 1) / (k + math.exp(min(epsilon, 700.0)))  # an off-by-one in k must not pass
    if epsilon < 30:
        assert mechanism.flip_prob != pytest.approx(wrong, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 10, 256, 65536])
def test_epsilon_zero_and_infinity(k):
    nothing = RandomisedResponse.from_epsilon(0.0, k)
    assert nothing.epsilon == 0
    assert nothing.flip_prob == (k - 1) / k
    everything = RandomisedResponse.from_epsilon(math.inf, k)
    assert everything.flip_prob == 0
    assert everything.epsilon == math.inf


@given(st.floats(0, 1), st.floats(0, 1))
def test_inverse_matrix_inverts(p10, p01):
    determinant = 1 - p10 - p01
    if abs(determinant) < 1e-6:
        return
    channel = BinaryChannel(p10, p01)
    # entries of the inverse are at most 1/|determinant|, and each product carries a few roundings
    tolerance = 8 * np.finfo(float).eps / abs(determinant)
    np.testing.assert_allclose(channel.inverse_matrix @ channel.channel_matrix, np.eye(2), atol=tolerance)
    np.testing.assert_allclose(channel.channel_matrix @ channel.inverse_matrix, np.eye(2), atol=tolerance)


def test_inverse_of_another_channel_does_not_invert():
    product = BinaryChannel(0.2, 0.3).inverse_matrix @ BinaryChannel(0.3, 0.2).channel_matrix
    assert not np.allclose(product, np.eye(2), atol=0.01)


@pytest.mark.parametrize(("p10", "p01"), [(0.5, 0.5), (0.25, 0.75), (1.0, 0.0), (0.0, 1.0)])
def test_a_channel_without_information_has_no_inverse(p10, p01):
    with pytest.raises(ValueError, match=r"p10 \+ p01 must differ from 1"):
        _ = BinaryChannel(p10, p01).inverse_matrix
    assert BinaryChannel(p10, p01).epsilon == 0


@pytest.mark.parametrize(("epsilon", "delta", "n_values"), [(1.0, 1e-5, 1), (4.0, 1e-6, 784), (0.2, 1e-3, 5)])
def test_noise_from_epsilon_meets_its_promise_and_no_more(epsilon, delta, n_values):
    gaussian = GaussianNoise.from_epsilon(epsilon, delta, n_values)
    laplace = LaplaceNoise.from_epsilon(epsilon, delta, n_values)
    response = RandomisedResponse.from_epsilon(epsilon, 16, delta, n_values)
    for mechanism in (gaussian, laplace, response):
        assert mechanism.delta_at(epsilon, n_values) <= delta
        assert mechanism.epsilon_at(delta, n_values) <= epsilon * (1 + 1e-12)
    assert GaussianNoise(0.98 * gaussian.sigma).delta_at(epsilon, n_values) > delta
    assert LaplaceNoise(0.98 * laplace.scale).delta_at(epsilon, n_values) > delta
    assert RandomisedResponse(0.98 * response.flip_prob, 16).delta_at(epsilon, n_values) > delta


def test_pure_epsilons():
    assert GaussianNoise(0.5).epsilon == math.inf
    assert LaplaceNoise(0.5).epsilon == 2
    assert LaplaceNoise(0.0).epsilon == math.inf
    assert LaplaceNoise.from_epsilon(2.0).scale == 0.5
    assert LaplaceNoise.from_epsilon(2.0, n_values=10).scale == 5
    assert RandomisedResponse(0.25).epsilon == pytest.approx(math.log(3), rel=1e-15)
    assert RandomisedResponse(0.2, 256).epsilon_at(0.0, 784) == pytest.approx(784 * math.log(4 * 255), rel=1e-14)
    # row 0: 0.8/0.4, row 1: 0.6/0.2; the larger wins
    assert BinaryChannel(0.2, 0.4).epsilon == pytest.approx(math.log(3), rel=1e-14)


# --- what callers may rely on ----------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_the_input_is_left_as_it_was(mechanism):
    x = data_for(mechanism, (40, 25))
    before = x.tobytes()
    released = mechanism.randomise(x, rng())
    assert x.tobytes() == before
    assert not np.shares_memory(released, x)
    assert (released != x).any()
    draws = mechanism.draws(x.shape, rng())
    mechanism.apply(x, draws)
    assert x.tobytes() == before
    x.setflags(write=False)
    np.testing.assert_array_equal(mechanism.randomise(x, rng()), released)


@pytest.mark.parametrize("level", [0.0, 0.3])
def test_the_release_is_never_a_view_of_the_input(level):
    bits, values = np.zeros(5, np.uint8), np.zeros(5)
    for mechanism in (RandomisedResponse(level), BinaryChannel(level, level)):
        assert not np.shares_memory(mechanism.randomise(bits, rng()), bits)
    for mechanism in (GaussianNoise(level), LaplaceNoise(level)):
        assert not np.shares_memory(mechanism.randomise(values, rng()), values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (7,), (4, 5), (2, 3, 4, 5)])
def test_shape_and_dtype_are_kept(mechanism, shape):
    for dtype in INTEGER_DTYPES if mechanism.n_states else FLOAT_DTYPES:
        x = data_for(mechanism, shape, dtype=dtype)
        for seed in range(4):  # a single value is sometimes kept and sometimes redrawn
            for released in (
                mechanism.randomise(x, rng(seed)),
                mechanism.apply(x, mechanism.draws(shape, rng(seed))),
            ):
                assert np.shape(released) == shape
                assert released.dtype == dtype


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_other_memory_layouts_give_the_same_release(mechanism):
    x = data_for(mechanism, (30, 20))
    expected = mechanism.randomise(x, rng())
    np.testing.assert_array_equal(mechanism.randomise(np.asfortranarray(x), rng()), expected)
    padded = np.zeros((30, 40), x.dtype)
    padded[:, ::2] = x
    np.testing.assert_array_equal(mechanism.randomise(padded[:, ::2], rng()), expected)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_seeds_reproduce_and_differ(mechanism):
    x = data_for(mechanism, 5000)
    first = mechanism.randomise(x, rng(11))
    np.testing.assert_array_equal(first, mechanism.randomise(x, rng(11)))
    assert (first != mechanism.randomise(x, rng(12))).any()
    generator = rng(11)
    mechanism.randomise(x, generator)
    assert (first != mechanism.randomise(x, generator)).any()  # a Generator moves on


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
@pytest.mark.parametrize("size", [1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 17])
def test_randomise_is_apply_of_draws_across_blocks(mechanism, size):
    x = data_for(mechanism, size)
    released = mechanism.randomise(x, rng(5))
    draws = mechanism.draws(x.shape, rng(5))
    np.testing.assert_array_equal(released, mechanism.apply(x, draws))
    if size > BLOCK:
        assert (released != mechanism.apply(x, mechanism.draws(x.shape, rng(6)))).any()


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=name)
def test_the_same_seed_gives_the_same_release_in_every_integer_dtype(mechanism):
    x = data_for(mechanism, BLOCK + 100)
    expected = mechanism.randomise(x, rng(8))
    for dtype in INTEGER_DTYPES:
        np.testing.assert_array_equal(mechanism.randomise(x.astype(dtype), rng(8)), expected)


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


@given(
    hnp.arrays(np.uint8, st.integers(0, 60), elements=st.integers(0, 1)),
    st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)).map(sorted),
    st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)).map(sorted),
    st.integers(0, 2**32 - 1),
)
def test_raising_p10_and_p01_only_lies_more(x, p10, p01, seed):
    draws = BinaryChannel(0, 0).draws(x.shape, rng(seed))
    low = BinaryChannel(p10[0], p01[0]).apply(x, draws) != x
    high = BinaryChannel(p10[1], p01[1]).apply(x, draws) != x
    assert (high | ~low).all()


def test_noise_draws_scale_with_the_level():
    x = np.full(1000, 0.5)
    for kind in (GaussianNoise, LaplaceNoise):
        draws = kind(1.0).draws(x.shape, rng())
        one, three = kind(0.1).apply(x, draws) - x, kind(0.3).apply(x, draws) - x
        np.testing.assert_allclose(three, 3 * one, rtol=1e-12, atol=1e-15)
        assert not np.allclose(three, 2 * one)


def test_draws_do_not_depend_on_the_noise_level():
    for low, high in ((RandomisedResponse(0.1, 5), RandomisedResponse(0.7, 5)),):
        np.testing.assert_array_equal(low.draws((99,), rng()).uniform, high.draws((99,), rng()).uniform)
        np.testing.assert_array_equal(low.draws((99,), rng()).replacement, high.draws((99,), rng()).replacement)
    for low, high in (
        (BinaryChannel(0.1, 0.2), BinaryChannel(0.4, 0.3)),
        (GaussianNoise(0.1), GaussianNoise(2.0)),
        (LaplaceNoise(0.1), LaplaceNoise(2.0)),
    ):
        np.testing.assert_array_equal(low.draws((99,), rng()), high.draws((99,), rng()))


def test_a_value_is_redrawn_where_its_uniform_is_below_the_probability():
    mechanism = RandomisedResponse(0.375, 4)  # redrawn with probability exactly 0.5
    uniform = np.array([0.0, 0.5 - GRID_STEP, 0.5, 1 - GRID_STEP], np.float32)
    draws = ResponseDraws(uniform, np.full(4, 3, np.uint8))
    x = np.zeros(4, np.uint8)
    np.testing.assert_array_equal(mechanism.apply(x, draws), [3, 3, 0, 0])
    np.testing.assert_array_equal(RandomisedResponse(0.0, 4).apply(x, draws), x)
    np.testing.assert_array_equal(RandomisedResponse(0.75, 4).apply(x, draws), draws.replacement)
    channel = BinaryChannel(0.5, 0.25)
    np.testing.assert_array_equal(channel.apply(x, uniform), [1, 1, 0, 0])
    np.testing.assert_array_equal(channel.apply(x + 1, uniform), [0, 1, 1, 1])
    np.testing.assert_array_equal(BinaryChannel(0.0, 0.0).apply(x, uniform), x)


# --- rounding to the grid of the draws -------------------------------------------------------------


@given(st.integers(2, 65536), st.floats(0.0, 1.0))
def test_redraw_prob_is_rounded_toward_more_noise(k, share):
    p = share * ((k - 1) / k)
    exact = p * k / (k - 1)
    q = RandomisedResponse(p, k).redraw_prob
    assert min(exact, 1.0) <= q < exact + GRID_STEP * (1 + 1e-9)
    assert (q * 2**24).is_integer()  # so that P(uniform < q) is q exactly


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_binary_lie_is_told_exactly_where_the_uniform_is_below_its_probability(p10, p01):
    channel = BinaryChannel(p10, p01)
    for truth, p in ((0, p10), (1, p01)):
        below = np.nextafter(p, -1)
        lies = channel.apply(np.full(3, truth, np.uint8), np.array([below, p, 0.0])) != truth
        assert list(lies) == [True, False, p > 0]


@pytest.mark.parametrize(("p10", "p01"), [(1e-9, 1 - 1.5e-9), (1 - 1e-10, 1e-9), (0.3, 0.7)])
def test_the_uniforms_are_fine_enough_for_extreme_lies(p10, p01):
    """The probability of u < p, with u a multiple of 2⁻⁵³, gives the promised ε to one part in a million."""
    drawn = BinaryChannel(*(np.ceil(p * 2.0**53) / 2.0**53 for p in (p10, p01)))
    assert drawn.epsilon == pytest.approx(BinaryChannel(p10, p01).epsilon, rel=1e-6, abs=1e-12)
    uniforms = BinaryChannel(p10, p01).draws((1000,), rng(0))
    assert uniforms.dtype == np.float64
    assert (uniforms * 2.0**53 % 1 == 0).all()
    assert (uniforms * 2.0**24 % 1 != 0).any()


# --- additive noise ----------------------------------------------------------------------------------


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


def test_cdf_rejects_a_wrong_scale():
    x = np.array([-0.3, 0.2])
    assert not np.allclose(GaussianNoise(0.5).cdf(x), stats.norm(scale=0.51).cdf(x), rtol=1e-3)
    assert not np.allclose(LaplaceNoise(0.5).cdf(x), stats.laplace(scale=0.51).cdf(x), rtol=1e-3)


# Not below 0.02: scipy's own Laplace log density underflows beyond 700 scales.
@given(st.floats(0.02, 1e3), hnp.arrays(np.float64, 6, elements=st.floats(-5, 5)))
def test_noise_log_likelihood_is_the_density_up_to_a_constant(level, released):
    values = np.linspace(0, 1, 4)[:, None]
    gaussian = GaussianNoise(level).log_likelihood(released, values) - math.log(level * math.sqrt(2 * math.pi))
    laplace = LaplaceNoise(level).log_likelihood(released, values) - math.log(2 * level)
    assert gaussian.shape == (4, 6)
    np.testing.assert_allclose(gaussian, stats.norm(values, level).logpdf(released), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(laplace, stats.laplace(values, level).logpdf(released), rtol=1e-12, atol=1e-12)


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


def test_to_unit():
    np.testing.assert_array_equal(to_unit(np.array([0, 51, 255], np.uint8), 256), np.float32([0, 0.2, 1]))
    assert to_unit(np.zeros((2, 3), np.uint8), 2).dtype == np.float32
    GaussianNoise(0.1).randomise(to_unit(np.arange(256, dtype=np.uint8), 256), rng())  # stays within [0, 1]


# --- bad input -------------------------------------------------------------------------------------

BAD_NUMBERS = [1.2, -0.1, math.nan, math.inf, None, "0.1", True]


@pytest.mark.parametrize("bad", BAD_NUMBERS, ids=repr)
def test_bad_flip_prob(bad):
    with pytest.raises(ValueError, match=r"flip_prob must be in \[0, 0\.996\], got ") as error:
        RandomisedResponse(bad, 256)
    assert str(bad).strip("'") in str(error.value)
    RandomisedResponse(0.99609375, 256)  # the end itself is allowed
    with pytest.raises(ValueError, match=r"flip_prob must be in \[0, 0\.5\], got 0\.5\d+"):
        RandomisedResponse(math.nextafter(0.5, 1) + 1e-9, 2)


@pytest.mark.parametrize("bad", [1, 0, -3, 2.5, 2.0, 65537, None, "2", True, math.nan], ids=repr)
def test_bad_n_states(bad):
    with pytest.raises(ValueError, match=r"n_states must be a whole number in \[2, 65536\], got "):
        RandomisedResponse(0.1, bad)


@pytest.mark.parametrize("bad", BAD_NUMBERS, ids=repr)
def test_bad_binary_channel(bad):
    with pytest.raises(ValueError, match=r"p10 must be in \[0, 1\], got ") as error:
        BinaryChannel(bad, 0.1)
    assert str(bad).strip("'") in str(error.value)
    with pytest.raises(ValueError, match=r"p01 must be in \[0, 1\], got "):
        BinaryChannel(0.1, bad)


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf, None, "0.1", True], ids=repr)
def test_bad_noise_levels(bad):
    with pytest.raises(ValueError, match=r"sigma must be in \[0, 1000000\], got "):
        GaussianNoise(bad)
    with pytest.raises(ValueError, match=r"scale must be in \[0, 1000000\], got "):
        LaplaceNoise(bad)


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=name)
@pytest.mark.parametrize("dtype", [float, np.float32, bool, complex, object, "U1"], ids=str)
def test_states_of_the_wrong_kind(mechanism, dtype):
    x = np.zeros(3, int).astype(dtype)
    with pytest.raises(TypeError, match=rf"x must hold whole-number states 0 to \d+, got dtype {x.dtype}"):
        mechanism.randomise(x, rng())


@pytest.mark.parametrize(
    ("k", "dtype"), [(257, np.uint8), (129, np.int8), (65536, np.int16), (1000, np.uint8), (256, np.int8)]
)
def test_a_dtype_that_cannot_hold_every_state_is_refused(k, dtype):
    with pytest.raises(TypeError, match=rf"states 0 to {k - 1}, got u?int\d+; use x.astype"):
        RandomisedResponse(0.5, k).randomise(np.zeros(10, dtype), rng())
    wide = RandomisedResponse(0.5, k).randomise(np.zeros(100_000, np.uint16), rng())
    # half of 100,000 are redrawn over k states: all above 0.95k missing has probability 0.95^50000
    assert wide.max() > 0.95 * (k - 1)


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=name)
def test_states_out_of_range(mechanism):
    top = mechanism.n_states - 1
    for bad in (-1, top + 1, 100):
        with pytest.raises(ValueError, match=rf"x must hold states in \[0, {top}\], got {bad}; "):
            mechanism.randomise(np.array([0, bad, 1]), rng())
    with pytest.raises(ValueError, match=rf"got {top + 1}"):
        mechanism.apply(np.array([top + 1], np.uint8), mechanism.draws((1,), rng()))


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
        mechanism.cdf(np.zeros(2))
    np.testing.assert_array_equal(mechanism.randomise(np.array([0.25, 1.0]), rng()), [0.25, 1.0])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
@pytest.mark.parametrize("bad", [0, -1, 2.5, None, "3", True], ids=repr)
def test_bad_n_values(mechanism, bad):
    with pytest.raises(ValueError, match=r"n_values must be a whole number in \[1, \d+\], got "):
        mechanism.epsilon_at(1e-5, bad)
    with pytest.raises(ValueError, match=r"n_values must be a whole number in \[1, \d+\], got "):
        mechanism.delta_at(1.0, bad)


def test_mechanisms_cannot_be_changed():
    with pytest.raises(AttributeError):
        RandomisedResponse(0.1).flip_prob = 0.2
    assert RandomisedResponse(0.1) == RandomisedResponse(0.1, 2)
    assert hash(GaussianNoise(0.1)) == hash(GaussianNoise(0.1))


# --- what is left of the truth ---------------------------------------------------------------------


@given(st.floats(0, 1), st.floats(0, 1))
def test_contrast_is_the_determinant_of_the_channel(p10, p01):
    channel = BinaryChannel(p10, p01)
    exact = 1 - Fraction(p10) - Fraction(p01)
    if abs(exact) > 1e-11:
        assert channel.contrast == pytest.approx(float(exact), abs=2 * np.finfo(float).eps)
        assert channel.contrast == pytest.approx(np.linalg.det(channel.channel_matrix), abs=1e-14)
        np.testing.assert_allclose(channel.inverse_matrix @ channel.channel_matrix, np.eye(2), atol=4e-16 / abs(exact))
    elif abs(exact) < 1e-13:
        assert channel.contrast == 0


@pytest.mark.parametrize("hundredths", range(0, 101, 7))
def test_lies_that_add_up_to_one_leave_exactly_nothing(hundredths):
    p10, p01 = hundredths / 100, (100 - hundredths) / 100
    assert BinaryChannel(p10, p01).contrast == 0
    assert BinaryChannel(p10, 1 - p10).contrast == 0
    with pytest.raises(ValueError, match=r"p10 \+ p01 must differ from 1"):
        BinaryChannel(p10, p01).inverse_matrix
    if p10:
        assert BinaryChannel(p10 - 1e-6, p01).contrast == pytest.approx(1e-6, rel=1e-9)
    if p01:
        assert BinaryChannel(min(1.0, p10 + 1e-6), p01).contrast == pytest.approx(-1e-6, rel=1e-9)


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


def test_one_against_rest_intervals_cover_every_candidate():
    shares, n, polls = np.array([0.45, 0.3, 0.25, 0.0]), 2000, 1500
    mechanism, wrong = RandomisedResponse.from_epsilon(1.0, 4), RandomisedResponse.from_epsilon(1.3, 4)
    voted = rng(1).choice(4, (polls, n), p=shares).astype(np.uint8)
    released = mechanism.randomise(voted, rng(2))
    said = np.stack([(released == state).mean(axis=1) for state in range(4)], axis=1)
    chances = mechanism.channel_matrix @ shares
    counts = np.arange(n + 1)[:, None]
    # the exact coverage of Wilson's interval: all counts that a score test of the true chance does not reject
    kept = np.abs(counts / n - chances) <= 1.959964 * np.sqrt(chances * (1 - chances) / n)
    promised = (stats.binom.pmf(counts, n, chances) * kept).sum(axis=0)
    tolerance = 5 * np.sqrt(promised * (1 - promised) / polls)

    def coverage(channel):
        low, high = votes.interval("spread", said, n, channel)
        return ((low <= shares) & (shares <= high)).mean(axis=0)

    assert (np.abs(coverage(mechanism.one_against_rest) - promised) <= tolerance).all()
    assert (np.abs(coverage(wrong.one_against_rest) - promised) > tolerance)[[0, 3]].all()
