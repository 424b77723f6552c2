"""The lines for OpenDP make the same mechanism as ours: the same ε, no smaller one, and the same distribution."""

import math

import numpy as np
import pytest
from scipy import stats

from pages.kit import opendp
from privdemo import accounting
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.aggregation import noisy_proportions
from privdemo.mechanisms.frequency_oracles import BasicRappor, KaryResponse, OptimisedUnaryEncoding, SubsetSelection
from privdemo.mechanisms.label_counts import (
    DiscreteGaussianCounts,
    DiscreteLaplaceCounts,
    GaussianCounts,
    LaplaceCounts,
    LaplacePrior,
    ScaledDirichlet,
    calibrate,
)

RESPONSES = [
    BinaryChannel(0.2, 0.2),
    RandomisedResponse(0.05),
    RandomisedResponse(0.49),
    RandomisedResponse(0.3, 3),
    RandomisedResponse(0.7, 16),
    RandomisedResponse.from_epsilon(1.0, 256),
    RandomisedResponse.from_epsilon(0.05, 2),
]
COUNTS = (320, 230, 180)
LAPLACE = [LaplaceNoise(0.5), LaplaceNoise(4.0), calibrate("laplace published", 0.7, 0.05, COUNTS)]
GAUSSIAN = [GaussianNoise(0.5), GaussianNoise(3.0), calibrate("gaussian tight", 1.0, 0.05, COUNTS)]
SAMPLES, DELTA = 4000, 1e-5
# How improbable an outcome of chance must be to count as another distribution: OpenDP takes no seed.
IMPROBABLE = 1e-7


def run(mechanism, delta=DELTA):
    """The names that the lines for a mechanism make."""
    printed, code = [], opendp.snippet(delta, made=mechanism)
    exec(str(code), names := {"print": lambda *words: printed.append(words)})
    return names, {words[0]: words[1] for words in printed}


def assert_least(measurement, distance, loss):
    """Assert that this loss is enough for neighbours at a distance, and a slightly smaller one is not."""
    assert measurement.map(distance) == pytest.approx(loss, rel=1e-9)
    assert measurement.check(distance, loss * (1 + 1e-9))
    assert not measurement.check(distance, loss * (1 - 1e-6))


@pytest.mark.parametrize("mechanism", RESPONSES)
def test_randomised_response_has_our_epsilon_and_our_probabilities(mechanism):
    names, _ = run(mechanism)
    measurement, k = names["made"], mechanism.n_states
    assert_least(measurement, 1, mechanism.epsilon)
    for true in {0, k - 1}:
        sent = [int(measurement(bool(true) if k == 2 else true)) for _ in range(SAMPLES)]
        expected = SAMPLES * mechanism.channel_matrix[:, true]
        assert stats.chisquare(np.bincount(sent, minlength=k), expected).pvalue > IMPROBABLE


def test_a_frequency_oracle_that_is_randomised_response_has_its_lines():
    oracle = KaryResponse(16, 1.0)
    assert opendp.snippet(made=oracle) == opendp.snippet(made=oracle.response)


@pytest.mark.parametrize("oracle", [BasicRappor(2, 0.5), BasicRappor(12, 1.0), BasicRappor(1024, 4.0)])
def test_basic_rappor_has_our_epsilon_and_flips_as_many_bits(oracle):
    names, printed = run(oracle)
    assert_least(names["made"], 1, oracle.epsilon)
    (sent,) = (bits for words, bits in printed.items() if words.startswith("sent"))
    assert len(sent) == oracle.k
    assert set(sent) <= {"0", "1"}
    samples = [np.frombuffer(names["made"](names["true_bits"]), np.uint8) for _ in range(SAMPLES)]
    n_set = np.unpackbits(np.array(samples), axis=1)[:, : oracle.k].sum(axis=0)
    assert stats.binomtest(int(n_set[0]), SAMPLES, oracle.p).pvalue > IMPROBABLE
    others = int(n_set[1:].sum())
    assert stats.binomtest(others, SAMPLES * (oracle.k - 1), oracle.q).pvalue > IMPROBABLE


@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_noise_on_the_totals_of_bags_has_our_epsilon_and_our_distribution(epsilon):
    names, _ = run(opendp.BagTotals(epsilon))
    assert_least(names["made"], 1.0, epsilon)
    noise = noise_of(names["made"], of_counts=True)
    assert stats.kstest(noise, stats.laplace(scale=1 / epsilon).cdf).pvalue > IMPROBABLE
    sizes = np.full(SAMPLES, 25)
    ours = 25 * (noisy_proportions(sizes / 50, sizes, epsilon, np.random.default_rng(0)) - 0.5)
    assert stats.ks_2samp(noise, ours).pvalue > IMPROBABLE


@pytest.mark.parametrize("mechanism", LAPLACE)
def test_laplace_noise_has_our_epsilon_and_our_distribution(mechanism):
    names, _ = run(mechanism)
    of_counts = isinstance(mechanism, LaplaceCounts)
    assert_least(names["made"], 2.0 if of_counts else 1.0, (2 if of_counts else 1) / mechanism.scale)
    if of_counts:
        assert accounting.laplace_counts_delta(mechanism.scale, 0.7) == 0
    else:
        assert mechanism.epsilon == pytest.approx(1 / mechanism.scale)
    noise = noise_of(names["made"], of_counts)
    assert stats.kstest(noise, stats.laplace(scale=mechanism.scale).cdf).pvalue > IMPROBABLE


@pytest.mark.parametrize("mechanism", GAUSSIAN)
def test_gaussian_noise_has_our_distribution_and_an_epsilon_that_is_not_below_the_exact_one(mechanism):
    names, printed = run(mechanism)
    of_counts = isinstance(mechanism, GaussianCounts)
    distance = math.sqrt(2) if of_counts else 1.0
    assert_least(names["made"], distance, distance**2 / (2 * mechanism.sigma**2))
    exact = accounting.gaussian_epsilon(mechanism.sigma, DELTA, distance)
    by_opendp, delta = printed["(ε, δ):"]
    assert delta == DELTA
    assert exact < by_opendp < 1.3 * exact
    noise = noise_of(names["made"], of_counts)
    assert stats.kstest(noise, stats.norm(scale=mechanism.sigma).cdf).pvalue > IMPROBABLE


@pytest.mark.parametrize("scale", [0.6, 2.0, 30.0])
def test_discrete_laplace_noise_has_our_epsilon_and_our_distribution(scale):
    mechanism = DiscreteLaplaceCounts(scale)
    names, _ = run(mechanism)
    assert_least(names["made"], 2, 2 / scale)
    assert mechanism.delta_at(2 / scale) == 0 < mechanism.delta_at(1.999 / scale)
    assert_same_whole_numbers(names["made"], mechanism)


@pytest.mark.parametrize("sigma", [0.6, 2.0, 30.0])
def test_discrete_gaussian_noise_has_our_distribution_and_an_epsilon_that_is_not_below_the_exact_one(sigma):
    mechanism = DiscreteGaussianCounts(sigma)
    names, printed = run(mechanism)
    assert_least(names["made"], math.sqrt(2), 1 / sigma**2)
    exact = accounting.discrete_gaussian_counts_epsilon(sigma, DELTA)
    by_opendp, delta = printed["(ε, δ):"]
    assert delta == DELTA
    assert exact < by_opendp < 1.3 * exact
    assert_same_whole_numbers(names["made"], mechanism)


def assert_same_whole_numbers(measurement, mechanism):
    """Assert that noise on counts has one distribution, by a table of how often each of its values comes."""
    theirs = np.array(measurement([100] * SAMPLES))
    ours = mechanism.noisy(np.full((SAMPLES // 100, 100), 100), np.random.default_rng(0)).ravel()
    assert theirs.dtype == ours.dtype == np.int64
    edges = np.unique(np.quantile(ours, np.linspace(0, 1, 21)[1:-1]))
    table = [np.bincount(np.searchsorted(edges, sample), minlength=len(edges) + 1) for sample in (theirs, ours)]
    table = np.array(table)[:, np.sum(table, axis=0) > 0]
    assert stats.chi2_contingency(table).pvalue > IMPROBABLE


def noise_of(measurement, of_counts):
    """The noise on some values."""
    if of_counts:
        return np.array(measurement([100.0] * SAMPLES)) - 100
    return np.array([measurement(0.5) for _ in range(SAMPLES)]) - 0.5


@pytest.mark.parametrize(
    "mechanism",
    [
        None,
        BinaryChannel(0.1, 0.3),
        BinaryChannel(0.6, 0.6),
        RandomisedResponse(0.0),
        RandomisedResponse(0.5),
        RandomisedResponse(0.75, 4),
        LaplaceNoise(0.0),
        GaussianNoise(0.0),
        LaplacePrior(2.0),
        DiscreteLaplaceCounts(0.0),
        DiscreteGaussianCounts(0.0),
        opendp.BagTotals(math.inf),
        OptimisedUnaryEncoding(16, 1.0),
        SubsetSelection(16, 1.0),
        ScaledDirichlet(1.0, ()),
    ],
)
def test_what_opendp_has_not_or_hides_nothing_or_all_has_no_lines(mechanism):
    assert opendp.snippet(made=mechanism) is None
    both = opendp.snippet(made=mechanism, other=RandomisedResponse(0.2))
    assert both == opendp.snippet(other=RandomisedResponse(0.2))
