"""Privacy promises against brute force, quadrature and an independent accountant, from both sides."""

import itertools
import math
from decimal import Decimal, localcontext
from functools import lru_cache, reduce

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as oracle
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import fft, integrate, optimize, stats

from privdemo import accounting as acc
from privdemo.accounting.laplace import LAPLACE_STEPS
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse

EPS = np.finfo(float).eps
# Between far-apart losses a profile is flat to more digits than floats have: there a δ cannot be told
# from the plateau beside it, and a cautious ε may lie anywhere along it.
PLATEAU = 1e-12
EPSILONS = [0.0, 0.1, 0.5, 1.0, 1.7, 3.0, 5.0, 12.0]


def hockey_stick(p, q, epsilon):
    """Σ max(0, P − e^ε Q) over every output, summed exactly."""
    return math.fsum(np.maximum(0.0, np.asarray(p) - math.exp(epsilon) * np.asarray(q)))


def released(channel, record):
    """The probability of every possible release of `record`, by enumeration."""
    return reduce(np.kron, [channel[:, value] for value in record])


def worst_delta(channel, n_values, epsilon, states):
    """The largest hockey-stick divergence over every ordered pair of records, by enumeration."""
    records = list(itertools.product(range(states), repeat=n_values))
    outputs = [released(channel, record) for record in records]
    return max(hockey_stick(p, q, epsilon) for p in outputs for q in outputs)


# --- k-ary randomised response -----------------------------------------------------------------

SMALL_RESPONSES = [  # (k, D, p)
    *[(2, 1, 0.25), (2, 4, 0.1), (2, 6, 0.4)],
    *[(3, 1, 0.2), (3, 3, 0.5), (3, 4, 0.05)],
    *[(4, 3, 0.6), (5, 3, 0.3), (7, 2, 0.7)],
]


@pytest.mark.parametrize(("k", "n_values", "p"), SMALL_RESPONSES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_response_profile_is_the_enumerated_one(k, n_values, p, epsilon):
    channel = RandomisedResponse(p, k).channel_matrix
    truth = hockey_stick(released(channel, [0] * n_values), released(channel, [1] * n_values), epsilon)
    # each of k^D probabilities carries D roundings; e^ε multiplies those of the second record
    tolerance = 4 * n_values * EPS * (1 + math.exp(epsilon))
    loss = acc.randomised_response_loss(p, k, n_values)
    assert loss.delta(epsilon) == pytest.approx(truth, rel=1e-11, abs=tolerance)
    assert RandomisedResponse(p, k).delta_at(epsilon, n_values) == loss.delta(epsilon)
    if truth > 1e-3:  # noise that differs by 1 % does not pass
        wrong = acc.randomised_response_loss(0.99 * p, k, n_values).delta(epsilon)
        assert wrong > truth + 100 * tolerance


@pytest.mark.parametrize(("k", "n_values", "p"), [(2, 3, 0.2), (3, 2, 0.3), (3, 3, 0.5), (4, 2, 0.1)])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.5, 3.0])
def test_records_that_differ_everywhere_are_the_worst_pair(k, n_values, p, epsilon):
    channel = RandomisedResponse(p, k).channel_matrix
    reported = acc.randomised_response_loss(p, k, n_values).delta(epsilon)
    assert reported == pytest.approx(worst_delta(channel, n_values, epsilon, k), rel=1e-11, abs=1e-14)
    for fewer in range(n_values):
        pair = [released(channel, [0] * n_values), released(channel, [1] * fewer + [0] * (n_values - fewer))]
        assert hockey_stick(*pair, epsilon) <= reported + 1e-14
    if n_values > 1 and reported > 0:
        assert reported > acc.randomised_response_loss(p, k, n_values - 1).delta(epsilon)


@given(
    st.integers(2, 300),
    st.integers(1, 60),
    st.floats(1e-3, 1.0),
    st.floats(-12, -0.1).map(lambda exponent: 10.0**exponent),
)
def test_response_epsilon_inverts_delta_cautiously(k, n_values, share, delta):
    loss = acc.randomised_response_loss(share * ((k - 1) / k), k, n_values)
    epsilon = loss.epsilon(delta)
    assert loss.delta(epsilon) <= delta
    if epsilon > 1e-8:
        assert loss.delta(epsilon * (1 - 1e-6)) > delta * (1 - PLATEAU)
    else:
        assert loss.delta(0.0) <= delta * (1 + 1e-6) + 1e-8


@given(st.integers(2, 300), st.integers(1, 60), st.floats(1e-3, 0.99), st.floats(0.01, 0.99))
def test_response_delta_and_back(k, n_values, share, fraction):
    loss = acc.randomised_response_loss(share * ((k - 1) / k), k, n_values)
    epsilon = fraction * loss.losses[-1]
    delta = loss.delta(epsilon)
    assume(1e-280 < delta < 0.999)  # next to 1 a float δ no longer tells neighbouring ε apart
    assert loss.epsilon(delta) == pytest.approx(epsilon, rel=1e-9, abs=1e-9 * loss.losses[-1])


@pytest.mark.parametrize("n_values", [1, 2, 784, 10_000])
@pytest.mark.parametrize(("p", "k"), [(0.2, 256), (0.9, 256), (0.49, 2), (1e-5, 10)])
def test_pure_composition_at_delta_zero(p, k, n_values):
    # at p = 0.9 and D = 784 the probability of the largest loss, 10^-784, is far below any float
    pure = n_values * math.log((1 - p) * (k - 1) / p)
    assert acc.randomised_response_loss(p, k, n_values).epsilon(0.0) == pytest.approx(pure, rel=1e-12)


def test_response_extremes():
    certain = acc.randomised_response_loss(0.0, 4, 3)
    assert certain.delta(5.0) == 1
    assert certain.epsilon(0.5) == math.inf
    assert certain.epsilon(1.0) == 0
    for k in range(2, 2000):
        assert acc.randomised_response_epsilon((k - 1) / k, k) == 0
    noise = acc.randomised_response_loss(2 / 3, 3, 50)
    assert noise.delta(0.0) == 0
    assert noise.epsilon(0.0) == 0
    assert acc.randomised_response_loss(0.66, 3, 50).delta(0.0) > 0.01
    assert acc.randomised_response_loss(1e-300, 2, 3).epsilon(1e-5) == pytest.approx(3 * 690.8, rel=1e-3)


@settings(max_examples=200)
@given(st.integers(2, 65536), st.floats(1e-9, 1.0))
@example(65536, 1.0 - 1e-9)
def test_response_epsilon_against_50_digits(k, share):
    p = share * ((k - 1) / k)
    if p == (k - 1) / k:  # the float nearest the end stands for the end
        assert acc.randomised_response_epsilon(p, k) == 0
        return
    with localcontext() as context:
        context.prec = 50
        exact = float(((1 - Decimal(p)) * (k - 1) / Decimal(p)).ln())
    # rounding of 1 − p, one product and one quotient next to ε = 0; of three logarithms elsewhere
    tolerance = 4 * EPS * (1 + (math.log(k / p) if exact > 0.6 else 0.0))
    assert acc.randomised_response_epsilon(p, k) == pytest.approx(max(0.0, exact), rel=0, abs=tolerance)


def test_the_published_image():
    loss = acc.randomised_response_loss(0.2, 256, 784)
    assert round(loss.epsilon(0.0)) == 5431
    assert 4661 < loss.epsilon(1e-5) < 4662
    assert loss.delta(4661) > 1e-5 > loss.delta(4662)
    # Its mean and spread by hand: 784 · E[L] ± a 4.27-sigma tail, E[L] = ε₀(0.8 − 0.2/255)
    one, mean = math.log(1020), 0.8 - 0.2 / 255
    spread = math.sqrt(0.8 + 0.2 / 255 - mean**2)
    normal = one * (784 * mean + stats.norm.isf(1e-5) * spread * 28)
    assert loss.epsilon(1e-5) == pytest.approx(normal, rel=5e-3)  # the tail is a little short of normal


@pytest.mark.parametrize(("p", "k", "n_values"), [(0.5, 4, 20), (0.2, 2, 30), (0.9, 16, 50)])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
def test_response_against_dp_accounting(p, k, n_values, delta):
    interval = 1e-4
    redraw = p * k / (k - 1)  # the oracle's parameter: a redraw over all k states
    ours = acc.randomised_response_loss(p, k, n_values).epsilon(delta)

    def theirs(parameter, pessimistic):
        one = oracle.from_randomized_response(
            parameter, k, pessimistic_estimate=pessimistic, value_discretization_interval=interval
        )
        return one.self_compose(n_values).get_epsilon_for_delta(delta)

    assert theirs(redraw, False) <= ours <= theirs(redraw, True)
    assert theirs(redraw, True) - ours <= n_values * interval  # every one of D losses rounded up once
    assert not ours <= theirs(min(1.0, 1.02 * redraw), True)  # 2 % more noise is told apart
    assert not theirs(p, False) <= ours  # and so is a flip probability taken for a redraw probability


@pytest.mark.parametrize("k", [2, 16, 256])
@pytest.mark.parametrize("n_values", [1, 2, 25, 784])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.01), (0.5, 1e-5), (4.0, 1e-9), (30.0, 1e-5)])
def test_flip_prob_is_enough_and_no_more(k, n_values, epsilon, delta):
    p = acc.randomised_response_flip_prob(epsilon, k, delta, n_values)
    assert acc.randomised_response_loss(p, k, n_values).delta(epsilon) <= delta
    assert acc.randomised_response_loss(0.98 * p, k, n_values).delta(epsilon) > delta
    assert p <= acc.randomised_response_flip_prob(epsilon, k, 0.0, n_values)  # a δ never costs noise


@given(st.floats(1e-9, 600), st.integers(2, 65536), st.integers(1, 1000))
def test_flip_prob_pure_against_50_digits(epsilon, k, n_values):
    p = acc.randomised_response_flip_prob(epsilon, k, 0.0, n_values)
    assume(p < (k - 1) / k)
    with localcontext() as context:
        context.prec = 50
        exact = n_values * float(((1 - Decimal(p)) * (k - 1) / Decimal(p)).ln())
    assert exact <= epsilon + n_values * 4 * EPS * (1 + (math.log(k / p) if epsilon / n_values > 0.6 else 0.0))


def test_flip_prob_the_ends():
    assert acc.randomised_response_flip_prob(math.inf, 10) == 0
    assert acc.randomised_response_flip_prob(1.0, 10, delta=1.0) == 0
    assert acc.randomised_response_flip_prob(0.0, 10) == 0.9


@given(st.integers(2, 50), st.integers(1, 30), st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)).map(sorted))
def test_response_promises_are_monotone(k, n_values, shares):
    less, more = (acc.randomised_response_loss(s * ((k - 1) / k), k, n_values) for s in shares)
    longer = acc.randomised_response_loss(shares[0] * ((k - 1) / k), k, n_values + 1)
    for epsilon in (0.0, 0.7, 3.0):
        assert more.delta(epsilon) <= less.delta(epsilon) + 1e-12
        assert longer.delta(epsilon) >= less.delta(epsilon) - 1e-12
    grid = [less.delta(epsilon) for epsilon in np.linspace(0, less.losses[-1], 50)]
    assert all(b <= a + 1e-15 for a, b in itertools.pairwise(grid))


# --- the asymmetric binary channel ---------------------------------------------------------------

BINARY = [(0.2, 0.2), (0.1, 0.4), (0.0, 0.3), (0.3, 0.0), (0.0, 0.0), (1.0, 0.2), (0.9, 0.8), (0.5, 0.5), (1.0, 0.0)]


@pytest.mark.parametrize(("p10", "p01"), BINARY)
@pytest.mark.parametrize("n_values", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.5, 6.0])
def test_binary_profile_is_the_enumerated_one(p10, p01, n_values, epsilon):
    mechanism = BinaryChannel(p10, p01)
    truth = worst_delta(mechanism.channel_matrix, n_values, epsilon, 2)
    reported = mechanism.delta_at(epsilon, n_values)
    # losses are rounded up to multiples of 1e-12, once per value
    assert truth - 1e-14 * math.exp(epsilon) <= reported <= truth + n_values * 2e-12
    if p10 == 0.1 and reported > 0:  # the other direction: another p10 does not pass
        assert mechanism.delta_at(epsilon, n_values) != pytest.approx(
            BinaryChannel(0.4, 0.4).delta_at(epsilon, n_values), abs=1e-6
        )


def test_the_worst_binary_pair_mixes_directions():
    """Were one direction always worst, looking at every m would be a waste: it is not."""
    losses = acc.binary_channel_losses(0.05, 0.4, 3)
    worst = {int(np.argmax([loss.delta(e) for loss in losses])) for e in np.linspace(0, 8, 200)}
    assert len(worst) > 1


@pytest.mark.parametrize(("p10", "p01"), BINARY)
def test_binary_epsilon_of_one_value(p10, p01):
    mechanism = BinaryChannel(p10, p01)
    ratios = []
    for a, b in ((1 - p10, p01), (p10, 1 - p01)):
        if max(a, b) > 0:
            ratios.append(math.inf if min(a, b) == 0 else abs(math.log(a / b)))
    assert mechanism.epsilon == pytest.approx(max(ratios), rel=1e-14)
    assert mechanism.epsilon_at(0.0) == pytest.approx(max(ratios), rel=1e-11, abs=2e-12)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 12), st.floats(1e-9, 0.5))
@example(0.5, 2.0020272368241397e-260, 9, math.nextafter(0.5, 0))
@example(0.5, math.nextafter(1, 0), 3, 0.5)
def test_binary_epsilon_inverts_delta_cautiously(p10, p01, n_values, delta):
    mechanism = BinaryChannel(p10, p01)
    epsilon = mechanism.epsilon_at(delta, n_values)
    if epsilon == math.inf:
        assert mechanism.delta_at(700.0, n_values) > delta
        return
    assert mechanism.delta_at(epsilon, n_values) <= delta
    if epsilon > 1e-6:
        assert mechanism.delta_at(epsilon * (1 - 1e-6), n_values) > delta * (1 - PLATEAU)


def test_one_sided_channel_by_hand():
    """p10 = 0: whoever is seen as 1 is 1, so D ones are given away with 1 − p01^D."""
    mechanism = BinaryChannel(0.0, 0.3)
    assert mechanism.epsilon == math.inf
    assert mechanism.epsilon_at(0.69) == math.inf
    assert mechanism.epsilon_at(0.71) == 0
    assert mechanism.delta_at(100.0, 4) == pytest.approx(1 - 0.3**4, rel=1e-14)


def test_symmetric_binary_channel_is_randomised_response():
    response, channel = RandomisedResponse(0.2, 2), BinaryChannel(0.2, 0.2)
    for n_values in (1, 7, 64):
        for delta in (0.0, 1e-6, 0.1):
            expected = response.epsilon_at(delta, n_values)
            assert channel.epsilon_at(delta, n_values) == pytest.approx(expected, abs=n_values * 2e-12)
    assert channel.epsilon_at(0.1, 7) != pytest.approx(RandomisedResponse(0.21, 2).epsilon_at(0.1, 7), rel=1e-3)


def test_channel_epsilon_by_hand():
    channel = np.array([[0.5, 0.2, 0.3], [0.4, 0.1, 0.6], [0.1, 0.7, 0.1]])
    assert acc.channel_epsilon(channel) == pytest.approx(math.log(0.7 / 0.1), rel=1e-14)
    assert acc.channel_epsilon(channel[:, :1]) == 0  # one truth only: nothing to tell apart
    assert acc.channel_epsilon([[1, 0.5], [0, 0.5]]) == math.inf
    assert acc.channel_epsilon([[0, 0], [0.5, 0.5], [0.5, 0.5]]) == 0  # an answer nobody ever gives
    assert acc.channel_epsilon(RandomisedResponse(0.3, 9).channel_matrix) == pytest.approx(
        acc.randomised_response_epsilon(0.3, 9), rel=1e-13
    )


# --- Gaussian noise ----------------------------------------------------------------------------


def gaussian_quadrature(sigma, epsilon, sensitivity):
    """∫ (p − e^ε q)₊ dx for N(Δ, σ²) and N(0, σ²); positive right of x* = εσ²/Δ + Δ/2."""
    start = epsilon * sigma**2 / sensitivity + sensitivity / 2

    def integrand(x):
        log_p = stats.norm.logpdf(x, sensitivity, sigma)
        log_ratio = epsilon - (x * sensitivity - sensitivity**2 / 2) / sigma**2
        return math.exp(log_p) * -math.expm1(min(0.0, log_ratio))

    ends = sorted({start, max(start, sensitivity), max(start, sensitivity) + 12 * sigma})
    return math.fsum(
        integrate.quad(integrand, a, b, epsabs=0, epsrel=1e-11, limit=500)[0] for a, b in itertools.pairwise(ends)
    )


@pytest.mark.parametrize(
    ("sigma", "sensitivity", "epsilon"),
    [(1, 1, 0), (1, 1, 1), (0.3, 1, 2), (0.3, 28, 4400), (5, 28, 10), (100, 28, 0.5), (0.1, 1, 80), (2, 1, 3)],
)
def test_gaussian_profile_against_quadrature(sigma, sensitivity, epsilon):
    truth = gaussian_quadrature(sigma, epsilon, sensitivity)
    assert acc.gaussian_delta(sigma, epsilon, sensitivity) == pytest.approx(truth, rel=1e-8)
    assert acc.gaussian_delta(1.01 * sigma, epsilon, sensitivity) < truth * (1 - 1e-4)
    assert acc.gaussian_delta(0.99 * sigma, epsilon, sensitivity) > truth * (1 + 1e-5)


@lru_cache
def gaussian_oracle(sigma, n_values, interval, pessimistic):
    return oracle.from_gaussian_mechanism(
        sigma,
        sensitivity=math.sqrt(n_values),
        pessimistic_estimate=pessimistic,
        value_discretization_interval=interval,
        use_connect_dots=pessimistic,
    )


@pytest.mark.parametrize(("sigma", "n_values"), [(1.0, 1), (0.5, 10), (3.0, 784)])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
def test_gaussian_epsilon_against_dp_accounting(sigma, n_values, delta):
    interval = 1e-3 * math.sqrt(n_values) / sigma
    ours = GaussianNoise(sigma).epsilon_at(delta, n_values)
    low = gaussian_oracle(sigma, n_values, interval, False).get_epsilon_for_delta(delta)
    high = gaussian_oracle(sigma, n_values, interval, True).get_epsilon_for_delta(delta)
    assert low - 1e-9 <= ours <= high + 1e-9
    assert high - low < 2 * interval  # the pinch is a tight one
    noisier = gaussian_oracle(1.01 * sigma, n_values, interval, True).get_epsilon_for_delta(delta)
    assert not ours <= noisier


@given(st.floats(1e-3, 1e3), st.floats(-13, -0.5), st.sampled_from([1.0, 5.0, 28.0, 100.0]))
def test_gaussian_epsilon_inverts_delta_cautiously(sigma, exponent, sensitivity):
    delta = 10.0**exponent
    epsilon = acc.gaussian_epsilon(sigma, delta, sensitivity)
    assert 0 <= epsilon < math.inf
    assert acc.gaussian_delta(sigma, epsilon, sensitivity) <= delta
    if epsilon > 1e-8:
        assert acc.gaussian_delta(sigma, epsilon * (1 - 1e-6), sensitivity) > delta


@given(st.floats(0, 1000), st.floats(-13, -0.1), st.sampled_from([1.0, 5.0, 28.0]))
def test_gaussian_sigma_is_enough_and_no_more(epsilon, exponent, sensitivity):
    delta = 10.0**exponent
    assume(epsilon > 1e-3 or delta > 1e-4)
    sigma = acc.gaussian_sigma(epsilon, delta, sensitivity)
    assert acc.gaussian_delta(sigma, epsilon, sensitivity) <= delta
    assert acc.gaussian_delta(0.98 * sigma, epsilon, sensitivity) > delta
    assert acc.gaussian_epsilon(sigma, delta, sensitivity) <= epsilon * (1 + 1e-9) + 1e-9


@given(st.floats(1e-6, 1e6), st.floats(0, 1e14), st.floats(1e-2, 100))
def test_gaussian_profile_stays_a_probability(sigma, epsilon, sensitivity):
    assert 0 <= acc.gaussian_delta(sigma, epsilon, sensitivity) <= 1


def test_gaussian_far_out():
    epsilon = acc.gaussian_epsilon(0.3, 1e-12, 28.0)
    # asymptotically L ~ N(μ²/2, μ²) with μ = Δ/σ, so ε lies below μ²/2 + μ z(δ), and above its start
    mu = 28 / 0.3
    assert mu * mu / 2 + 6.8 * mu < epsilon < mu * mu / 2 + stats.norm.isf(1e-12) * mu
    assert 0 < acc.gaussian_delta(0.3, epsilon, 28.0) <= 1e-12
    assert acc.gaussian_delta(0.3, 2 * epsilon, 28.0) == pytest.approx(0.0, abs=1e-300)
    assert acc.gaussian_delta(0.3, 0.0, 28.0) == 1
    assert acc.gaussian_delta(1e-6, 1.0) == 1
    assert acc.gaussian_epsilon(1e-200, 1e-5) == math.inf
    assert acc.gaussian_epsilon(1.0, 1e-300) < 50
    assert acc.gaussian_delta(0.0, 5.0) == 1
    assert acc.gaussian_delta(1.0, math.inf) == 0
    assert acc.gaussian_epsilon(0.0, 0.5) == math.inf
    assert acc.gaussian_epsilon(1.0, 0.0) == math.inf
    assert acc.gaussian_epsilon(1.0, 0.5) == 0  # 2Φ(1/2) − 1 = 0.383 is met without any ε
    assert acc.gaussian_sigma(math.inf, 1e-5) == 0


@given(
    st.tuples(st.floats(0.05, 50), st.floats(0.05, 50)).map(sorted),
    st.tuples(st.floats(0, 60), st.floats(0, 60)).map(sorted),
    st.tuples(st.floats(0.1, 30), st.floats(0.1, 30)).map(sorted),
)
def test_gaussian_profile_is_monotone_in_everything(sigmas, epsilons, sensitivities):
    def delta(sigma, epsilon, sensitivity):
        return acc.gaussian_delta(sigma, epsilon, sensitivity)

    slack = 1 + 1e-9
    assert delta(sigmas[1], epsilons[0], sensitivities[0]) <= delta(sigmas[0], epsilons[0], sensitivities[0]) * slack
    assert delta(sigmas[0], epsilons[1], sensitivities[0]) <= delta(sigmas[0], epsilons[0], sensitivities[0]) * slack
    assert delta(sigmas[0], epsilons[0], sensitivities[0]) <= delta(sigmas[0], epsilons[0], sensitivities[1]) * slack


# --- Laplace noise ----------------------------------------------------------------------------


def laplace_one(scale, epsilon):
    """δ(ε) of one value for any real ε (negative ones too): the profile in closed form."""
    if epsilon >= 1 / scale:
        return 0.0
    return -math.expm1(min((epsilon - 1 / scale) / 2, epsilon))  # 1 − e^ε left of −1/b


def laplace_two(scale, epsilon):
    """δ(ε) of two values: the loss of the first is ±1/b at both ends and (1 − 2x)/b between."""
    ends = 0.5 * laplace_one(scale, epsilon - 1 / scale)
    ends += 0.5 * math.exp(-1 / scale) * laplace_one(scale, epsilon + 1 / scale)

    def between(x):
        return math.exp(-x / scale) / (2 * scale) * laplace_one(scale, epsilon - (1 - 2 * x) / scale)

    kinks = sorted({0.0, 1.0} | {x for x in (1 - epsilon * scale / 2, -epsilon * scale / 2) if 0 < x < 1})
    return ends + math.fsum(integrate.quad(between, a, b, epsabs=1e-14)[0] for a, b in itertools.pairwise(kinks))


@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7, 0.99])
def test_laplace_profile_of_one_value_against_quadrature(scale, share):
    epsilon = share / scale
    p, q = stats.laplace(0, scale), stats.laplace(1, scale)

    def integrand(x):
        return max(0.0, p.pdf(x) - math.exp(epsilon) * q.pdf(x))

    crossing = (1 - epsilon * scale) / 2
    truth = math.fsum(
        integrate.quad(integrand, a, b, epsabs=1e-13, limit=200)[0]
        for a, b in itertools.pairwise([-40 * scale, 0.0, crossing])
    )
    assert acc.laplace_delta(scale, epsilon) == pytest.approx(truth, abs=1e-10)
    assert acc.laplace_delta(1.02 * scale, epsilon) < truth - 1e-4
    assert acc.laplace_loss(scale, 1).delta(epsilon) >= truth - 1e-10  # the bound used for many values


@pytest.mark.parametrize("scale", [0.2, 1.0, 4.0, 50.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.3, 1.9])
def test_laplace_profile_of_two_values_against_quadrature(scale, share):
    truth = laplace_two(scale, share / scale)
    bound = acc.laplace_delta(scale, share / scale, 2)
    assert truth - 1e-12 <= bound <= truth + 2e-3 * min(1, 1 / scale)
    assert not acc.laplace_delta(1.05 * scale, share / scale, 2) >= truth


def laplace_bracket(scale, n_values, delta, cells=2000):
    """ε of many values with every loss of a fine grid rounded down, and rounded up: truth is between."""
    edges = np.linspace(0, 1, cells + 1)
    cell = -0.5 * np.diff(np.exp(-edges / scale))  # P(x in cell); the loss there is (1 − 2x)/b
    size = cells * n_values + 1
    padded = fft.next_fast_len(size, real=True)
    losses = (n_values - 2 * np.arange(size) / cells) / scale
    ends = []
    for rounded in (np.append(0.0, cell), np.append(cell, 0.0)):
        one = rounded + np.append(0.5, np.zeros(cells)) + np.append(np.zeros(cells), 0.5 * math.exp(-1 / scale))
        masses = np.maximum(fft.irfft(fft.rfft(one, padded) ** n_values, padded)[:size], 0)

        def excess(epsilon, masses=masses):
            return masses @ np.maximum(0, -np.expm1(np.minimum(0, epsilon - losses))) - delta

        ends.append(optimize.brentq(excess, 0, n_values / scale, rtol=1e-10))
    return ends


MANY_LAPLACE = [
    *[(1.0, 5, 1e-3), (2.0, 25, 1e-5), (0.3, 784, 1e-5)],
    *[(5.0, 784, 1e-5), (30.0, 784, 1e-6), (300.0, 784, 1e-3)],
]


@pytest.mark.parametrize(("scale", "n_values", "delta"), MANY_LAPLACE)
def test_laplace_epsilon_of_many_values_against_a_fine_convolution(scale, n_values, delta):
    low, high = laplace_bracket(scale, n_values, delta)
    ours = acc.laplace_epsilon(scale, delta, n_values)
    middle = (low + high) / 2
    assert middle - 0.05 * (high - low) <= ours <= 1.002 * middle  # an upper bound, at most 0.2 % above
    assert ours <= n_values / scale
    noisier = sum(laplace_bracket(1.01 * scale, n_values, delta)) / 2
    assert not ours <= 1.002 * noisier  # 1 % more noise is told apart


@pytest.mark.parametrize(("scale", "n_values", "delta"), MANY_LAPLACE)
def test_laplace_epsilon_of_many_values_against_dp_accounting(scale, n_values, delta):
    def theirs(steps, pessimistic):
        one = oracle.from_laplace_mechanism(
            scale,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=1 / (steps * scale),
            use_connect_dots=pessimistic,
        )
        return one.self_compose(n_values).get_epsilon_for_delta(delta)

    ours = acc.laplace_epsilon(scale, delta, n_values)
    assert theirs(400, False) <= ours <= theirs(LAPLACE_STEPS, True) * (1 + 1e-6)


@given(st.floats(1e-6, 1e3), st.integers(1, 60), st.floats(-15, -0.1))
@example(1e-5, 784, -5.0)
@example(0.01, 1, -0.1)
def test_laplace_epsilon_never_exceeds_pure_and_inverts_cautiously(scale, n_values, exponent):
    delta = 10.0**exponent
    epsilon = acc.laplace_epsilon(scale, delta, n_values)
    assert 0 <= epsilon <= n_values / scale
    assert acc.laplace_delta(scale, epsilon, n_values) <= delta
    if 1e-8 < epsilon < n_values / scale and delta > 1e-9:
        # as the profile is at most e^{…/2} steep, a millionth of ε below it δ is exceeded
        assert acc.laplace_delta(scale, epsilon * (1 - 1e-6), n_values) > delta


@pytest.mark.parametrize(("scale", "n_values"), [(5.0, 784), (20.0, 300)])
def test_the_transform_never_reports_less_than_direct_convolution(scale, n_values):
    ours = acc.laplace_loss(scale, n_values)
    one = acc.laplace_loss(scale, 1)
    masses = reduce(np.convolve, [one.masses] * n_values)  # positive terms only: every digit holds
    direct = acc.PrivacyLoss(ours.losses, masses)
    # from δ of about 1 down to where it is far below the transform's rounding errors
    for epsilon in np.linspace(0, 0.9 * n_values / scale, 200):
        assert direct.delta(epsilon) <= ours.delta(epsilon) <= direct.delta(epsilon) + 2e-14 * n_values
    assert direct.delta(0.9 * n_values / scale) < 1e-15


def test_laplace_ends():
    assert acc.laplace_epsilon(0.5) == 2
    assert acc.laplace_epsilon(0.5, n_values=784) == 1568
    assert acc.laplace_epsilon(0.0, 0.5) == math.inf
    assert acc.laplace_epsilon(0.0, 1.0) == 0
    assert acc.laplace_epsilon(0.01, 1.0) == 0
    assert acc.laplace_epsilon(0.01, 1.0, 9) == 0
    assert acc.laplace_epsilon(10.0, 0.2) == 0  # TV = 1 − e^{−1/20} = 0.049
    assert acc.laplace_delta(0.0, 3.0) == 1
    assert acc.laplace_delta(0.5, 2.0) == 0
    assert acc.laplace_delta(0.5, 20.0, 10) == 0
    assert acc.laplace_delta(0.5, 19.0, 10) > 0
    assert acc.laplace_loss(0.0, 3).epsilon(0.5) == math.inf


@pytest.mark.parametrize("n_values", [1, 2, 30, 784])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.05), (0.5, 1e-5), (5.0, 1e-8), (100.0, 1e-5)])
def test_laplace_scale_is_enough_and_no_more(n_values, epsilon, delta):
    scale = acc.laplace_scale(epsilon, delta, n_values)
    assert acc.laplace_delta(scale, epsilon, n_values) <= delta
    assert acc.laplace_delta(0.98 * scale, epsilon, n_values) > delta


@given(st.floats(1e-2, 1e6), st.integers(1, 10_000))
def test_laplace_scale_pure(epsilon, n_values):
    scale = acc.laplace_scale(epsilon, 0.0, n_values)
    assert acc.laplace_epsilon(scale, 0.0, n_values) <= epsilon
    assert scale == pytest.approx(n_values / epsilon, rel=4 * EPS)


def test_laplace_scale_ends():
    assert acc.laplace_scale(math.inf) == 0
    assert acc.laplace_scale(1.0, 1.0, 10) == 0
    # δ alone: 1 − e^{−1/2b} = δ, whatever the tiny ε
    assert acc.laplace_scale(1e-12, 1e-5) == pytest.approx(-1 / (2 * math.log1p(-1e-5)), rel=1e-6)


@given(st.tuples(st.floats(0.05, 50), st.floats(0.05, 50)).map(sorted), st.integers(1, 20), st.floats(0, 30))
def test_laplace_profile_is_monotone(scales, n_values, epsilon):
    def delta(scale, epsilon, n_values):
        return acc.laplace_delta(scale, epsilon, n_values)

    assert delta(scales[1], epsilon, n_values) <= delta(scales[0], epsilon, n_values) + 1e-12
    assert delta(scales[0], epsilon + 0.5, n_values) <= delta(scales[0], epsilon, n_values) + 1e-12
    if epsilon < (n_values + 1) / scales[0]:
        assert delta(scales[0], epsilon, n_values) <= delta(scales[0], epsilon, n_values + 1) + 1e-12


# --- what an adversary concludes -----------------------------------------------------------------


def test_posterior_by_hand():
    # 1 % are ill; the test finds 90 % of them and 5 % of the others
    channel = np.array([[0.95, 0.1], [0.05, 0.9]])
    positive = acc.posterior(channel, [0.99, 0.01], 1)
    np.testing.assert_allclose(positive, [0.0495 / 0.0585, 0.009 / 0.0585], rtol=1e-14)
    negative = acc.posterior(channel, [0.99, 0.01], 0)
    np.testing.assert_allclose(negative, [0.9405 / 0.9415, 0.001 / 0.9415], rtol=1e-14)
    assert not np.allclose(acc.posterior(channel.T, [0.99, 0.01], 1), positive, rtol=0.01)  # [observed, true]


def test_posterior_refuses_the_impossible():
    channel = np.array([[1.0, 0.5], [0.0, 0.5]])
    with pytest.raises(ValueError, match="observed = 1 cannot happen under this channel and prior"):
        acc.posterior(channel, [1.0, 0.0], 1)
    np.testing.assert_array_equal(acc.posterior(channel, [0.5, 0.5], 1), [0, 1])


@pytest.mark.parametrize("prior", [[0.5, 0.4], [1.5, -0.5], [1.0], [0.2, 0.3, 0.5], [math.nan, 1.0]], ids=str)
def test_posterior_refuses_a_bad_prior(prior):
    with pytest.raises(ValueError, match="prior must be 2 probabilities that sum to 1, got "):
        acc.posterior(np.eye(2), prior, 0)


@pytest.mark.parametrize("observed", [-1, 2, 0.5, 1.0, None, "1", True], ids=repr)
def test_posterior_refuses_a_bad_observation(observed):
    with pytest.raises(ValueError, match=r"observed must be a whole number in \[0, 1\], got "):
        acc.posterior(np.eye(2), [0.5, 0.5], observed)


@st.composite
def channels_and_priors(draw):
    shape = (draw(st.integers(2, 5)), draw(st.integers(2, 5)))
    positive = st.floats(1e-3, 1.0)
    channel = draw(hnp.arrays(float, shape, elements=positive))
    prior = draw(hnp.arrays(float, shape[1], elements=positive))
    return channel / channel.sum(axis=0), prior / prior.sum()


@given(channels_and_priors())
def test_posterior_odds_never_move_by_more_than_epsilon(channel_and_prior):
    channel, prior = channel_and_prior
    epsilon = acc.channel_epsilon(channel)
    largest = 0.0
    for observed in range(len(channel)):
        after = acc.posterior(channel, prior, observed)
        assert after.sum() == pytest.approx(1.0, rel=1e-14)
        for a, b in itertools.permutations(range(len(prior)), 2):
            moved = (after[a] / after[b]) / (prior[a] / prior[b])
            largest = max(largest, moved)
            assert after[a] / after[b] <= acc.posterior_odds(prior[a] / prior[b], epsilon) * (1 + 1e-12)
    assert largest == pytest.approx(math.exp(epsilon), rel=1e-9)  # and the bound is reached


def test_posterior_odds_by_hand():
    assert acc.posterior_odds(0.25, math.log(3)) == pytest.approx(0.75, rel=1e-15)
    assert acc.posterior_odds(2.0, 0.0) == 2
    assert acc.posterior_odds(0.0, math.inf) == 0
    assert acc.posterior_odds(1.0, math.inf) == math.inf
    assert acc.posterior_odds(1.0, 5000.0) == math.inf
    assert acc.posterior_odds(1e-200, 690.0) == pytest.approx(1e-200 * math.exp(690), rel=1e-12)


# --- bad input -------------------------------------------------------------------------------------

ANY_BAD = [-0.1, math.nan, None, "0.1", True]


@pytest.mark.parametrize("bad", ANY_BAD, ids=repr)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("epsilon", lambda bad: acc.randomised_response_flip_prob(bad, 4)),
        ("epsilon", lambda bad: acc.randomised_response_loss(0.1).delta(bad)),
        ("epsilon", lambda bad: acc.gaussian_delta(1.0, bad)),
        ("epsilon", lambda bad: acc.gaussian_sigma(bad, 1e-5)),
        ("epsilon", lambda bad: acc.laplace_delta(1.0, bad)),
        ("epsilon", lambda bad: acc.laplace_scale(bad)),
        ("epsilon", lambda bad: acc.posterior_odds(1.0, bad)),
        ("delta", lambda bad: acc.randomised_response_flip_prob(1.0, 4, bad)),
        ("delta", lambda bad: acc.randomised_response_loss(0.1).epsilon(bad)),
        ("delta", lambda bad: acc.gaussian_epsilon(1.0, bad)),
        ("delta", lambda bad: acc.gaussian_sigma(1.0, bad)),
        ("delta", lambda bad: acc.laplace_epsilon(1.0, bad)),
        ("delta", lambda bad: acc.laplace_scale(1.0, bad)),
        ("sigma", lambda bad: acc.gaussian_delta(bad, 1.0)),
        ("sigma", lambda bad: acc.gaussian_epsilon(bad, 1e-5)),
        ("scale", lambda bad: acc.laplace_delta(bad, 1.0)),
        ("scale", lambda bad: acc.laplace_epsilon(bad)),
        ("scale", lambda bad: acc.laplace_loss(bad)),
        ("sensitivity", lambda bad: acc.gaussian_delta(1.0, 1.0, bad)),
        ("sensitivity", lambda bad: acc.gaussian_sigma(1.0, 1e-5, bad)),
        ("flip_prob", lambda bad: acc.randomised_response_epsilon(bad, 4)),
        ("flip_prob", lambda bad: acc.randomised_response_loss(bad, 4)),
        ("p10", lambda bad: acc.binary_channel_losses(bad, 0.1)),
        ("p01", lambda bad: acc.binary_channel_losses(0.1, bad)),
        ("prior_odds", lambda bad: acc.posterior_odds(bad, 1.0)),
    ],
)
def test_bad_numbers_get_a_sentence(name, call, bad):
    with pytest.raises(ValueError, match=rf"^{name} must be (in [\[(]0, [\d.]+\]|at least 0|above 0), got ") as error:
        call(bad)
    assert str(bad) in str(error.value)


@pytest.mark.parametrize("bad", [0, -1, 2.0, 10_001, None, "3", True], ids=repr)
@pytest.mark.parametrize(
    "call",
    [
        lambda bad: acc.randomised_response_loss(0.1, 4, bad),
        lambda bad: acc.randomised_response_flip_prob(1.0, 4, 1e-5, bad),
        lambda bad: acc.randomised_response_flip_prob(1.0, 4, 0.0, bad),
        lambda bad: acc.binary_channel_losses(0.1, 0.2, bad),
        lambda bad: acc.laplace_loss(1.0, bad),
        lambda bad: acc.laplace_delta(1.0, 1.0, bad),
        lambda bad: acc.laplace_epsilon(1.0, 0.0, bad),
        lambda bad: acc.laplace_scale(1.0, 0.0, bad),
        lambda bad: acc.laplace_scale(math.inf, 0.0, bad),
        lambda bad: GaussianNoise.from_epsilon(1.0, 1e-5, bad),
        lambda bad: LaplaceNoise.from_epsilon(1.0, 1e-5, bad),
    ],
)
def test_bad_n_values_get_a_sentence(call, bad):
    with pytest.raises(ValueError, match=r"^n_values must be a whole number in \[1, (10000|64)\], got "):
        call(bad)


def test_promises_no_noise_can_keep_get_a_sentence():
    for delta in (0.0, 1.0):
        with pytest.raises(ValueError, match=rf"delta must be in \(0, 1\), got {delta:g}; Gaussian noise never"):
            acc.gaussian_sigma(1.0, delta)
    with pytest.raises(ValueError, match="epsilon must be above 0 where δ = 0, got 0; no finite Laplace noise"):
        acc.laplace_scale(0.0)
    with pytest.raises(ValueError, match=r"epsilon = 0 at delta = 1e-09 needs a sigma above 1e\+06; raise either"):
        acc.gaussian_sigma(0.0, 1e-9)
    with pytest.raises(ValueError, match=r"epsilon = 1e-09 at delta = 0 needs a scale above 1e\+06; raise either"):
        acc.laplace_scale(1e-9)
    assert acc.gaussian_sigma(0.0, 5e-7) < 1e6  # just inside
    assert acc.laplace_scale(2e-6) == 5e5
