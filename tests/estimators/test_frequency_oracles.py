"""Shares from frequency oracles: intervals by exact laws, the likelihood by its conditions and EM, known errors."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from privdemo.estimators import few_lies
from privdemo.estimators.few_lies import blaker_ends
from privdemo.estimators.frequency_oracles import invert, maximise_likelihood, pooled, project, stopped_likelihood
from privdemo.estimators.support_likelihood import best_on_simplex
from privdemo.mechanisms.frequency_oracles import ORACLES, BasicRappor, HadamardResponse, KaryResponse, SubsetSelection
from tests.estimators.oracles import finite_differences, rng

NAMES = tuple(ORACLES)


def zipf(k):
    weights = np.arange(1, k + 1) ** -1.2
    return weights / weights.sum()


def survey(oracle, n, seed=0):
    """What n people report whose answers follow Zipf's law."""
    return oracle.reports(rng(seed).choice(oracle.k, n, p=zipf(oracle.k)), rng(seed + 1))


def coverage(oracle, n, share, of_population):
    """How often the 95 % interval contains a true share, exactly: the sum over all counts that give one that does."""
    p, q, true = oracle.p, oracle.q, round(n * share)
    if of_population:
        law = binom.pmf(np.arange(n + 1), n, q + share * (p - q))
    else:
        law = np.convolve(binom.pmf(np.arange(true + 1), true, p), binom.pmf(np.arange(n - true + 1), n - true, q))
    held = [
        invert(oracle, part, n, of_population) for part in np.resize(np.arange(n + 1), (n // oracle.k + 1, oracle.k))
    ]
    low, high = (np.concatenate([getattr(part, end) for part in held])[: n + 1] for end in ("low", "high"))
    return law[(low <= share) & (share <= high)].sum()


@pytest.mark.parametrize("name", NAMES)
def test_intervals_contain_shares_of_one_percent_and_more_in_95_of_100_surveys(name):
    for k, epsilon in ((64, 0.1), (100, 4.0), (256, 7.5), (100, 10.0)):
        oracle = ORACLES[name](k, epsilon)
        for share in (0.01, 0.1, 0.5, 0.9):
            held = coverage(oracle, 1000, share, of_population=False)
            spread = np.sqrt(oracle.variance(share, 1000)) * 1000 * (oracle.p - oracle.q)
            # A count of a smaller spread has too few values that are likely: one more or less is more than 2 %.
            assert 0.93 <= held <= (0.97 if spread > 3 else 0.995), (k, epsilon, share)
            if epsilon <= 4:
                assert 0.95 <= coverage(oracle, 1000, share, of_population=True) <= 0.98
    assert 0.945 <= coverage(oracle, 4000, 0.25, of_population=False) <= 0.97


@pytest.mark.parametrize("name", NAMES)
def test_intervals_of_a_population_contain_its_share_in_at_least_95_of_100_surveys_however_few_are_asked(name):
    cells = itertools.product((2, 4, 64), (0.5, 2.0, 8.0), (5, 30, 300), (0.0, 0.001, 0.01, 0.1, 0.5, 0.97, 1.0))
    held = [coverage(ORACLES[name](k, epsilon), n, share, of_population=True) for k, epsilon, n, share in cells]
    assert min(held) >= 0.95 - 1e-9
    # One more or less of a few counts is much; of many, no more are contained than needed.
    assert coverage(ORACLES[name](4, 1.0), 4000, 0.3, of_population=True) <= 0.96


def acceptability(p, q, n):
    """Blaker's, of every number of people with an answer (rows) and every count (columns), as he defines it."""
    every = np.arange(n + 1)
    law = np.array(
        [np.convolve(binom.pmf(every[: x + 1], x, p), binom.pmf(every[: n - x + 1], n - x, q)) for x in every]
    )
    below, above = law.cumsum(axis=1), law[:, ::-1].cumsum(axis=1)[:, ::-1]
    tail = np.minimum(below, above)
    return np.array([[row[mine <= at * (1 + 1e-9)].sum() for at in mine] for row, mine in zip(law, tail, strict=True)])


@pytest.mark.parametrize(("name", "epsilon"), [("randomised response", 0.5), ("optimised unary", 7.0)])
def test_exact_ends_are_those_of_blaker_by_enumeration(name, epsilon):
    oracle, n = ORACLES[name](20, epsilon), 60
    accepted = acceptability(oracle.p, oracle.q, n) > 0.05
    counts = np.flatnonzero(accepted.any(axis=0))
    low, high = blaker_ends(oracle.p, oracle.q, n, counts)
    np.testing.assert_array_equal(low, accepted[:, counts].argmax(axis=0))
    np.testing.assert_array_equal(high, n - accepted[::-1, counts].argmax(axis=0))
    assert not accepted[:, n].any()
    assert np.ravel(blaker_ends(oracle.p, oracle.q, n, [n])).tolist() == [n, n]


def test_where_ends_are_looked_for_at_some_numbers_only_they_lie_outside_the_exact_ones(monkeypatch):
    oracle, counts = KaryResponse(1024, 2.0), [2, 6, 10]
    exact = blaker_ends(oracle.p, oracle.q, 3000, counts)
    monkeypatch.setattr(few_lies, "_TRIED", 200)
    low, high = blaker_ends(oracle.p, oracle.q, 3000, counts)
    step = 3001 / 200 + 1
    for outside in (exact[0] - low, high - exact[1]):
        assert ((outside >= 0) & (outside <= 2 * step)).all()
        assert outside.any()


@pytest.mark.parametrize("name", NAMES)
def test_inversion_is_exact_on_expected_counts_and_says_its_error(name):
    oracle, n = ORACLES[name](5, 1.0), 10**6
    true = np.array([0.5, 0.25, 0.125, 0.125, 0.0])
    found = invert(oracle, n * (true * oracle.p + (1 - true) * oracle.q), n)
    np.testing.assert_allclose(found.shares, true, atol=1e-12)
    np.testing.assert_allclose(found.standard_error, np.sqrt(oracle.variance(true, n)), rtol=1e-9)
    np.testing.assert_allclose((found.high - found.low) / 2, 1.959964 * found.standard_error, rtol=1e-3)
    counts = oracle.support_counts([700, 200, 100, 0, 0], rng(1))
    shares = invert(oracle, counts, 1000).shares
    assert project(oracle, counts, 1000).sum() == pytest.approx(1)
    # least squares: no other point of the simplex is nearer (Duchi et al. 2008)
    others = rng(2).dirichlet(np.ones(5), 200)
    nearest = np.square(project(oracle, counts, 1000) - shares).sum()
    assert (np.square(others - shares).sum(axis=1) >= nearest).all()


def mean_log_likelihood(oracle, reports, shares):
    return np.log(np.exp(oracle.log_prob(reports)) @ shares).mean()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("k", "epsilon", "n"), [(3, 0.5, 400), (9, 2.0, 3000), (70, 3.0, 3000)])
def test_the_likeliest_shares_meet_the_conditions_on_every_report_and_em_gets_no_further(name, k, epsilon, n):
    oracle = ORACLES[name](k, epsilon)
    reports = survey(oracle, n)
    found = maximise_likelihood(oracle, reports, tolerance=1e-9)
    assert found.shares.sum() == pytest.approx(1)
    assert (found.shares >= 0).all()
    # Karush–Kuhn–Tucker, from the full law of every report: slope 1 where a share is positive, at most 1 where it is 0
    level = oracle.log_prob(reports)
    likelihood = np.exp(level - level.max(axis=1, keepdims=True))
    slope = (likelihood / (likelihood @ found.shares)[:, None]).mean(axis=0)
    assert slope.max() - 1 <= max(1.1e-9, found.gap)
    np.testing.assert_allclose(slope[found.shares > 1e-4], 1, atol=1e-4)
    stopped = stopped_likelihood(oracle, reports, 1e-4)
    gain = np.log(likelihood @ found.shares).mean() - np.log(likelihood @ stopped.frequencies).mean()
    assert -1e-9 <= gain <= stopped.gap <= 1e-4


def test_slope_and_curvature_are_the_derivatives_of_the_likelihood_pooled_or_not():
    oracle = BasicRappor(6, 1.5)
    reports = survey(oracle, 500)
    shares = rng(3).dirichlet(np.ones(6))
    for likelihood in (pooled(oracle, reports), pooled(oracle, reports[:50])):
        slope, value = likelihood.slope(shares)

        def at(free, likelihood=likelihood):
            return likelihood.slope(free)[1]

        np.testing.assert_allclose(finite_differences(at, shares), slope, rtol=1e-6)
        curves = finite_differences(lambda free, likelihood=likelihood: likelihood.slope(free)[0], shares)
        np.testing.assert_allclose(likelihood.curvature(shares, 1000), -curves, rtol=1e-4)
        assert value == pytest.approx(
            mean_log_likelihood(oracle, reports[: int(likelihood.weights.sum())], shares)
            - mean_log_likelihood(oracle, reports[: int(likelihood.weights.sum())], np.full(6, 1 / 6))
            + at(np.full(6, 1 / 6))
        )
    assert len(pooled(oracle, reports).weights) < 64 < 500 == pooled(oracle, reports).weights.sum()
    assert len(pooled(oracle, reports[:50]).weights) == 50


def test_a_quadratic_program_on_the_simplex_meets_its_conditions():
    factor, slope, here = rng(4).normal(size=(30, 12)), rng(5).normal(size=12), rng(6).dirichlet(np.ones(12))
    curvature = factor.T @ factor / 30
    best = best_on_simplex(slope, curvature, here)
    gradient = slope - curvature @ (best - here)
    assert best.sum() == pytest.approx(1)
    assert (best >= 0).all()
    assert gradient.max() - gradient @ best < 1e-3


@pytest.mark.parametrize(("name", "epsilon"), [("randomised response", 0.5), ("optimised unary", 2.0)])
def test_errors_of_four_surveys_are_those_expected_and_in_their_order(name, epsilon):
    """10,000 people, k = 64, Zipf 1.2, where one survey's error spreads by a tenth."""
    oracle, n, truth = ORACLES[name](64, epsilon), 10_000, zipf(64)
    errors = []
    for trial in range(4):
        reports = survey(oracle, n, 10 * trial)
        tally = oracle.tally(reports)
        found = (
            invert(oracle, tally, n).shares,
            project(oracle, tally, n),
            maximise_likelihood(oracle, reports).shares,
            stopped_likelihood(oracle, reports).frequencies,
        )
        errors.append([np.square(shares - truth).mean() for shares in found])
    raw, projected, likeliest, early = np.sqrt(np.mean(errors, axis=0))
    assert raw == pytest.approx(np.sqrt(oracle.variance(truth, n, of_population=True).mean()), rel=0.15)
    assert early < likeliest < projected < raw


def test_a_likelihood_of_many_reports_takes_their_own_bits_and_few_steps():
    oracle = SubsetSelection(100, 1.0)
    reports = survey(oracle, 40_000)
    found = maximise_likelihood(oracle, reports)
    assert found.n_iter <= 10
    assert found.gap * 40_000 <= 0.01
    assert np.shares_memory(pooled(oracle, reports).packed, reports)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda o: invert(o, [1, 2], 5), r"^supported must be 3 counts from 0 to the 5 people, got \[1, 2\]"),
        (lambda o: invert(o, [1, 2, 6], 5), "^supported must be 3 counts"),
        (lambda o: invert(o, [1, 2, 3], 0), "^people must be"),
        (lambda o: maximise_likelihood(o, np.zeros(0, int)), "^people must be a whole number in"),
        (
            lambda o: maximise_likelihood(KaryResponse(1024, 1.0), np.zeros(10**6, np.int16)),
            "^people times answers must",
        ),
        (lambda o: maximise_likelihood(o, np.zeros(3, int), tolerance=0), "^tol must be"),
        (lambda o: stopped_likelihood(o, np.zeros(3, int), tolerance=2.0), "^tol must be"),
    ],
)
def test_what_cannot_be_estimated_is_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask(HadamardResponse(3, 1.0))


def test_of_more_than_1024_answers_shares_are_projected_or_climbed_to_and_not_maximised():
    k, n = 1100, 4000
    people = np.zeros(k, np.int64)
    people[[3, 1050]] = 3000, 1000
    for name in ("local hashing", "hadamard response"):
        oracle = ORACLES[name](k, 4.0)
        reports = oracle.reports(np.repeat(np.arange(k), people), np.random.default_rng(0))
        projected = project(oracle, oracle.tally(reports), n)
        climbed = stopped_likelihood(oracle, reports).frequencies
        for shares in (projected, climbed):
            assert shares.sum() == pytest.approx(1)
            np.testing.assert_allclose(shares[[3, 1050]], (0.75, 0.25), atol=0.12)  # a stop shrinks them
        with pytest.raises(ValueError, match=r"^k must be a whole number in \[2, 1024\], got 1100; .*projection"):
            maximise_likelihood(oracle, reports)
