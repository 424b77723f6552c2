"""The election experiment against people asked one by one, exact binomials and figures recomputed by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privdemo.estimators.votes import reconstruction_objective
from privdemo.experiments import voting
from privdemo.experiments.voting import A_LIED, A_TRUE, B_LIED, B_TRUE, ElectionConfig, ManyConfig, Poll
from privdemo.mechanisms import BinaryChannel, RandomisedResponse

ASYMMETRIC = BinaryChannel(0.15, 0.3)
Z = 1.959963984540054
# p-values are uniform under the truth: below this once in a million
RARE = 1e-6


def answer_prob(theta, channel):
    return theta * (1 - channel.p01) + (1 - theta) * channel.p10


def kinds_of(elections, n):
    """Counts of the four kinds of people in every poll, (n_elections, 4)."""
    voted_a, lied_a, lied_b = elections.voted_a, elections.lied_a, elections.lied_b
    return np.stack([voted_a - lied_a, lied_a, n - voted_a - lied_b, lied_b], axis=1)


# --- the polls -------------------------------------------------------------------------------------


def test_polls_have_the_distribution_of_people_asked_one_by_one():
    n, theta, polls = 6, 0.35, 10_000
    config = ElectionConfig(n, theta, ASYMMETRIC, polls, seed=2)
    drawn = kinds_of(voting.run(config), n)
    rng = np.random.default_rng(3)
    voted = (rng.random((polls, n)) < theta).astype(np.uint8)

    def asked(channel):
        said = channel.randomise(voted, np.random.default_rng(4))
        return np.stack([((voted == v) & (said == s)).sum(axis=1) for v, s in ((1, 1), (1, 0), (0, 0), (0, 1))], axis=1)

    def agreement(people):
        cells, where = np.unique(np.concatenate([drawn, people]), axis=0, return_inverse=True)
        table = np.stack([np.bincount(w, minlength=len(cells)) for w in np.split(where.ravel(), 2)])
        common = table.sum(axis=0) >= 20
        merged = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
        return stats.chi2_contingency(merged[:, merged.sum(axis=0) > 0]).pvalue

    assert agreement(asked(ASYMMETRIC)) > RARE
    assert agreement(asked(BinaryChannel(0.17, 0.3))) < RARE
    assert agreement(asked(BinaryChannel(0.3, 0.15))) < RARE


@pytest.mark.parametrize("channel", [ASYMMETRIC, BinaryChannel(0.0, 0.4), BinaryChannel(0.9, 0.8)])
def test_answers_are_binomial(channel):
    n, theta, polls = 20, 0.6, 10_000
    said_a = voting.run(ElectionConfig(n, theta, channel, polls, seed=5)).said_a
    observed = np.bincount(said_a, minlength=n + 1)

    def fits(chance):
        expected = polls * stats.binom.pmf(np.arange(n + 1), n, chance)
        common = expected >= 10
        pairs = [np.append(x[common], x[~common].sum()) for x in (observed, expected)]
        return stats.chisquare(*pairs).pvalue > RARE

    assert fits(answer_prob(theta, channel))
    assert not fits(answer_prob(theta, channel) + 0.02)
    assert not fits(theta)
    assert ElectionConfig(n, theta, channel).answer_prob == pytest.approx(answer_prob(theta, channel), abs=1e-15)


def test_four_kinds_of_people_have_the_joint_distribution():
    n, theta = 4, 0.6
    drawn = kinds_of(voting.run(ElectionConfig(n, theta, ASYMMETRIC, 10_000, seed=6)), n)
    cells = [(a, b, c, n - a - b - c) for a in range(5) for b in range(5 - a) for c in range(5 - a - b)]
    observed = np.array([(drawn == cell).all(axis=1).sum() for cell in cells])
    assert observed.sum() == 10_000

    def fits(p10, p01):
        each = [theta * (1 - p01), theta * p01, (1 - theta) * (1 - p10), (1 - theta) * p10]
        expected = 10_000 * stats.multinomial.pmf(cells, n, each)
        common = expected >= 5
        pairs = [np.append(x[common], x[~common].sum()) for x in (observed, expected)]
        return stats.chisquare(*pairs).pvalue > RARE

    assert fits(0.15, 0.3)
    assert not fits(0.15, 0.33)
    assert not fits(0.3, 0.15)


@pytest.mark.parametrize("channel", [ASYMMETRIC, BinaryChannel(0.0, 0.0), BinaryChannel(1.0, 0.4)])
@pytest.mark.parametrize("n", [3, 5000])
def test_a_longer_run_begins_with_the_shorter_one(channel, n):
    config = ElectionConfig(n, 0.3, channel, 1000, seed=7)
    long = voting.run(config)
    for k in (1, 10, 999):
        short = voting.run(replace(config, n_elections=k))
        for name in ("voted_a", "lied_a", "lied_b", "said_a"):
            np.testing.assert_array_equal(getattr(short, name), getattr(long, name)[:k])
    assert (voting.run(replace(config, seed=8)).voted_a != long.voted_a).any()


def test_one_poll_and_its_estimates():
    config = ElectionConfig(400, 0.35, ASYMMETRIC, 10, seed=1)
    elections = voting.run(config)
    for index in (0, 4, -1):
        shown = voting.poll(config, elections, index)
        assert shown.said_a == elections.said_a[index] == shown.voted_a - shown.lied_a + shown.lied_b
        assert shown.estimates["honest"].value == shown.voted_a / 400
        assert shown.estimates["naive"].value == shown.said_a / 400
        assert shown.estimates["spread"].value == pytest.approx((shown.said_a / 400 - 0.15) / 0.55, abs=1e-14)
    assert voting.poll(config, elections) == voting.poll(config, elections, 9)
    useless = replace(config, channel=BinaryChannel(0.3, 0.7))
    assert set(voting.poll(useless, voting.run(useless)).estimates) == {"honest", "naive", "reconstruction"}


# --- dots ------------------------------------------------------------------------------------------


def poll_of(n, voted_a, lied_a, lied_b):
    return Poll(voted_a, lied_a, lied_b, voted_a - lied_a + lied_b, n, {})


def liars(kinds):
    return set(np.flatnonzero((kinds == A_LIED) | (kinds == B_LIED)))


@given(st.integers(1, 1000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.data())
def test_dots_are_the_poll_when_everybody_fits(case, data):
    n, voted_a = case
    lied_a, lied_b = data.draw(st.integers(0, voted_a)), data.draw(st.integers(0, n - voted_a))
    kinds = voting.dots(ElectionConfig(n), poll_of(n, voted_a, lied_a, lied_b))
    counts = np.bincount(kinds, minlength=4)
    assert (counts[A_TRUE], counts[A_LIED], counts[B_TRUE], counts[B_LIED]) == (
        voted_a - lied_a,
        lied_a,
        n - voted_a - lied_b,
        lied_b,
    )


@settings(max_examples=50)
@given(st.integers(0, 300), st.integers(0, 400), st.integers(0, 99))
def test_more_lies_make_more_liars_and_no_other_change(lied_a, lied_b, seed):
    config = ElectionConfig(1000, seed=seed)
    few, more = (voting.dots(config, poll_of(1000, 400, lied_a + i, lied_b + i)) for i in (0, 50))
    assert liars(few) < liars(more)
    assert np.count_nonzero(few != more) == 100
    # one more vote for A turns that person, and perhaps who lies on either side
    other = voting.dots(config, poll_of(1000, 410, lied_a, lied_b))
    assert 10 <= np.count_nonzero(few != other) <= 30
    assert (
        np.count_nonzero(few != voting.dots(replace(config, seed=seed + 1), poll_of(1000, 400, lied_a, lied_b))) > 100
    )


def test_dots_of_a_larger_poll_keep_their_luck_too():
    for seed in range(40):
        config = ElectionConfig(100_000, seed=seed)
        few, more = (voting.dots(config, poll_of(100_000, 40_000, 8000 + i, 9000 + i)) for i in (0, 500))
        # 5 of 1,000 become liars on either side, give or take the sampling of two polls: 4 · √(1000 · ¼) for each kind
        assert np.count_nonzero(few != more) <= 4 * 4 * math.sqrt(250)


def test_dots_of_a_larger_poll_are_a_sample_without_replacement():
    n, seeds = 1100, 400
    voted_a, lied_a, lied_b = 440, 110, 220
    truth = np.array([330, 110, 440, 220]) / n
    counts = np.array(
        [
            np.bincount(voting.dots(ElectionConfig(n, seed=seed), poll_of(n, voted_a, lied_a, lied_b)), minlength=4)
            for seed in range(seeds)
        ]
    )
    assert (counts.sum(axis=1) == 1000).all()
    variance = 1000 * truth * (1 - truth) * (n - 1000) / (n - 1)  # hypergeometric
    tolerance = 5 * np.sqrt(variance / seeds)
    assert (np.abs(counts.mean(axis=0) - 1000 * truth) <= tolerance).all()
    assert (np.abs(counts.mean(axis=0) - 1000 * (truth + 0.005 * np.array([1, -1, -1, 1]))) > tolerance).all()
    # five standard errors of a sample variance; with replacement it would be eleven times as large
    np.testing.assert_allclose(counts.var(axis=0, ddof=1), variance, rtol=5 * math.sqrt(2 / seeds))


def test_dots_stand_in_no_order():
    n, seeds = 1000, 300
    first = np.mean([voting.dots(ElectionConfig(n, seed=s), poll_of(n, 300, 60, 140))[:100] < 2 for s in range(seeds)])
    # a hundred places of each of 300 polls hold voters for A as often as all places do
    assert abs(first - 0.3) <= 5 * math.sqrt(0.3 * 0.7 / (100 * seeds))


# --- records ---------------------------------------------------------------------------------------


def test_records_against_their_definitions():
    n, theta, polls = 300, 0.6, 500
    config = ElectionConfig(n, theta, ASYMMETRIC, polls, seed=9)
    elections = voting.run(config)
    found = {record.name: record for record in voting.records(config, elections)}
    assert list(found) == ["honest", "naive", "reconstruction", "spread", "spread MLE"]
    contrast = 1 - 0.15 - 0.3
    for name, counts, chance, channel, value in (
        ("honest", elections.voted_a, theta, BinaryChannel(0, 0), lambda f: f),
        ("spread", elections.said_a, answer_prob(theta, ASYMMETRIC), ASYMMETRIC, lambda f: (f - 0.15) / contrast),
    ):
        record, shares = found[name], counts / n
        np.testing.assert_allclose(record.values, value(shares), atol=1e-14)
        interval = stats.ttest_1samp(value(shares), theta).confidence_interval()
        np.testing.assert_allclose(
            record.bias, [record.values.mean() - theta, *(np.array(interval) - theta)], atol=1e-12
        )
        assert record.deviation == pytest.approx(np.std(value(shares), ddof=1), rel=1e-12)
        held = np.abs(shares - chance) <= Z * math.sqrt(chance * (1 - chance) / n)  # Wilson's: a score test
        assert record.covered.mean == pytest.approx(held.mean(), abs=1e-15)
        wilson = stats.binomtest(int(held.sum()), polls).proportion_ci(0.95, method="wilson")
        np.testing.assert_allclose(record.covered[1:], wilson, atol=1e-12)
        assert record.law.mean == pytest.approx(theta, abs=1e-12)
        assert record.law.deviation == pytest.approx(math.sqrt(chance * (1 - chance) / n) / channel.contrast, rel=1e-9)
    assert found["naive"].law.mean == pytest.approx(answer_prob(theta, ASYMMETRIC), abs=1e-12)
    assert found["naive"].covered.mean < 0.5 < 0.9 < found["spread"].covered.mean


def test_the_measured_bias_holds_the_exact_one_nineteen_times_in_twenty():
    seeds = 300
    held, shifted = np.zeros((seeds, 5)), np.zeros((seeds, 5))
    for seed in range(seeds):
        config = ElectionConfig(200, 0.4, ASYMMETRIC, 60, seed)
        for i, record in enumerate(voting.records(config, voting.run(config))):
            exact, error = record.law.mean - config.share, record.law.deviation / math.sqrt(60)
            held[seed, i] = record.bias.low <= exact <= record.bias.high
            shifted[seed, i] = record.bias.low <= exact + 2 * error <= record.bias.high
    tolerance = 5 * math.sqrt(0.95 * 0.05 / seeds)
    normal = [0, 1, 3, 4]  # a reconstruction jumps between the ends and what lies between: no t interval is exact there
    assert (np.abs(held.mean(axis=0)[normal] - 0.95) <= tolerance).all()
    assert (np.abs(shifted.mean(axis=0)[normal] - 0.95) > tolerance).all()  # power Φ(0.04) ≈ ½ at two standard errors


@pytest.mark.parametrize("channel", [ASYMMETRIC, BinaryChannel(0.9, 0.8), BinaryChannel(0.05, 0.05)])
@pytest.mark.parametrize("n", [10, 137, 100_000])
def test_histogram_counts_every_poll_and_all_of_the_distribution(channel, n):
    config = ElectionConfig(n, 0.4, channel, 300, seed=3)
    for record in voting.records(config, voting.run(config)):
        found = voting.histogram(record, -3.0, 4.0)
        assert found.edges[0] <= -3
        assert found.edges[-1] >= 4
        assert found.measured.sum() == pytest.approx(1, abs=1e-12)
        assert found.exact.sum() == pytest.approx(1, abs=1e-12)
        for i in np.flatnonzero(found.measured):
            low, high = found.edges[i : i + 2]
            inside = (low <= record.values) & (record.values < high)
            assert found.measured[i] == pytest.approx(inside.mean(), abs=1e-12)
            assert found.exact[i] > 0


# --- figure 1 --------------------------------------------------------------------------------------


def objective(theta, share, p):
    """J of eq. (38) for a symmetric lie: Bayes' rule for either answer; θ inside (0, 1)."""
    total = 0.0
    for like_a, weight in ((1 - p, share), (p, 1 - share)):
        posterior = like_a * theta / (like_a * theta + (1 - like_a) * (1 - theta))
        total = total + weight * (posterior * np.log(theta) + (1 - posterior) * np.log(1 - theta))
    return total


INSIDE = 1 / (1 + np.exp(-np.linspace(-25, 25, 4001)))


def test_figure_1_ends_every_ascent_where_the_objective_stops_rising():
    runs = voting.figure1(n_shares=41)
    assert [run.flip_prob for run in runs] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    for run in runs[1:-1]:
        for theta0, found in zip(run.share, run.reconstruction, strict=True):
            answers = run.flip_prob + (1 - 2 * run.flip_prob) * theta0
            low, high = sorted((answers, found))
            path = objective(INSIDE[(low < INSIDE) & (high > INSIDE)], answers, run.flip_prob)
            rises = np.diff(path) * (1 if found > answers else -1)
            assert (rises >= -1e-14).all()
            if 0 < found < 1:
                for moved in (found - 0.01, found + 0.01):
                    assert objective(moved, answers, run.flip_prob) < objective(found, answers, run.flip_prob) or (
                        theta0 == 0.5 and run.flip_prob > (2 - math.sqrt(2)) / 4
                    )


def test_figure_1_at_known_points():
    runs = {run.flip_prob: run for run in voting.figure1(n_shares=21)}
    share = np.linspace(0, 1, 21)
    for run in runs.values():
        np.testing.assert_allclose(run.naive, run.flip_prob + (1 - 2 * run.flip_prob) * share, atol=1e-15)
        np.testing.assert_allclose(run.reconstruction, 1 - run.reconstruction[::-1], atol=1e-9)  # by symmetry
        if run.flip_prob < 0.5:
            np.testing.assert_allclose(run.spread, share, atol=1e-14)
    np.testing.assert_allclose(runs[0.0].reconstruction, share, atol=1e-9)  # without lies the diagonal
    assert runs[0.1].reconstruction[10] == pytest.approx(0.5, abs=1e-9)  # a maximum, and by symmetry at ½
    assert np.isnan(runs[0.5].spread).all()
    assert np.isnan(runs[0.5].reconstruction).all()  # 0 and 1 are equally good, whatever the truth
    for p in (0.1, 0.2, 0.3, 0.4):
        assert np.abs(runs[p].reconstruction - share)[1:10].max() > 0.1
    for p in (0.2, 0.3, 0.4):  # above 0.146 an end for every share; at ½ both, equally
        expected = np.where(share > 0.5, 1, np.where(share < 0.5, 0, np.nan))
        np.testing.assert_array_equal(runs[p].reconstruction, expected)


def test_at_a_tie_half_of_the_polls_end_at_either_end():
    config = ElectionConfig(100_000, 0.5, BinaryChannel(0.2, 0.2), 400)
    found = next(r for r in voting.records(config, voting.run(config)) if r.name == "reconstruction").values
    assert set(np.unique(found)) <= {0.0, 0.5, 1.0}
    assert abs((found == 1).mean() - 0.5) <= 5 * math.sqrt(0.25 / 400)
    assert math.isnan(voting.in_the_long_run(config)["reconstruction"])
    lean = ElectionConfig(100_000, 0.55, BinaryChannel(0.2, 0.2), 400)
    assert voting.in_the_long_run(lean)["reconstruction"] == 1
    maximum = ElectionConfig(100_000, 0.5, BinaryChannel(0.1, 0.1), 400)
    assert voting.in_the_long_run(maximum)["reconstruction"] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("flip_prob", [0.05, 0.1, 0.2, 0.3, 0.45])
def test_grid_maximum_is_the_largest_on_a_fine_open_grid(flip_prob):
    share = np.linspace(0, 1, 21)
    inside = np.linspace(0.001, 0.999, 999)
    found = voting.long_run(flip_prob, share).grid_maximum
    for theta0, best in zip(share, found, strict=True):
        if theta0 != 0.5:
            searched = inside[np.argmax(objective(inside, flip_prob + (1 - 2 * flip_prob) * theta0, flip_prob))]
            assert best == pytest.approx(searched, abs=1e-12)
    assert np.isnan(found[10])


@pytest.mark.parametrize("flip_prob", [0.1, 0.3])
def test_a_finer_grid_only_comes_nearer_to_the_ends(flip_prob):
    """The grid's maximum is an artefact: it follows the grid's own ends."""
    for theta0 in (0.2, 0.4, 0.7):
        answers = flip_prob + (1 - 2 * flip_prob) * theta0
        searched = INSIDE[np.argmax(objective(INSIDE, answers, flip_prob))]
        assert min(searched, 1 - searched) < 1e-6


@pytest.mark.parametrize(
    ("channel", "ends"),
    [
        (BinaryChannel(0.2, 0.2), ("nobody", "everybody")),
        (BinaryChannel(0.0, 0.3), ("everybody",)),
        (BinaryChannel(0.3, 0.0), ("nobody",)),
        (BinaryChannel(0.0, 0.0), ()),
        (BinaryChannel(1.0, 1.0), ()),
        (BinaryChannel(0.0, 1.0), ("nobody", "everybody")),
        (BinaryChannel(1.0, 0.4), ("everybody",)),
    ],
)
def test_who_confirms_the_own_assumption(channel, ends):
    assert voting.self_confirming(channel) == ends
    for answers in (0.2, 0.5, 0.9):
        if channel.p10 == 1 - channel.p01 and channel.p10 in (0.0, 1.0):
            answers = channel.p10  # nobody can say the other
        found = reconstruction_objective([0.0, 1.0], answers, channel)
        assert [value == 0 for value in found] == [end in ends for end in ("nobody", "everybody")]


def test_what_is_known_for_certain():
    assert voting.known(BinaryChannel(0.2, 0.3)) == ()
    assert voting.known(BinaryChannel(0.0, 0.3)) == ("whoever says A voted A",)
    assert voting.known(BinaryChannel(1.0, 0.3)) == ("whoever says B voted A",)
    assert len(voting.known(BinaryChannel(0.0, 0.0))) == len(voting.known(BinaryChannel(1.0, 1.0))) == 2
    assert voting.known(BinaryChannel(0.0, 1.0)) == voting.known(BinaryChannel(1.0, 0.0)) == ()


def test_grid_maximum_without_lies_is_the_share():
    share = np.linspace(0.05, 0.95, 7)
    found = voting.long_run(0.0, share).grid_maximum
    searched = [INSIDE[np.argmax(objective(INSIDE, theta0, 0.0))] for theta0 in share]
    np.testing.assert_allclose(found, searched, atol=0.25 * 50 / 4000)  # a grid step in θ


def test_landscape_is_the_objective():
    config = ElectionConfig(share=0.3, channel=BinaryChannel(0.1, 0.1))
    theta, found = voting.landscape(config)
    assert (theta[0], theta[-1], len(theta)) == (0, 1, 401)
    np.testing.assert_allclose(found[1:-1], objective(theta[1:-1], config.answer_prob, 0.1), atol=1e-13)
    assert found[0] == found[-1] == 0
    assert np.abs(found[1:-1] - objective(theta[1:-1], 0.3, 0.1)).max() > 0.01  # answers, not votes


# --- many candidates -------------------------------------------------------------------------------


def likelihood(answers, matrix, shares):
    return float((answers * np.log(matrix @ shares)).sum())


@pytest.mark.parametrize("shares", [(0.4, 0.3, 0.2, 0.1), (0.5, 0.5), (1.0, 0.0, 0.0), tuple([0.1] * 10)])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_many_candidates_are_estimated_in_four_ways(shares, epsilon):
    config, n, k = ManyConfig(shares, epsilon, 2000, seed=11), 2000, len(shares)
    found = voting.run_many(config)
    kept = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    other = (1 - kept) / (k - 1)
    matrix = np.full((k, k), other) + (kept - other) * np.eye(k)
    assert found.answers.sum() == n
    np.testing.assert_allclose(found.naive, found.answers / n, atol=1e-15)
    np.testing.assert_allclose(found.inversion, (found.answers / n - other) / (kept - other), atol=1e-9)
    wilson = [stats.binomtest(int(a), n).proportion_ci(0.95, method="wilson") for a in found.answers]
    for ends, side in ((found.low, "low"), (found.high, "high")):
        np.testing.assert_allclose(ends, [(getattr(w, side) - other) / (kept - other) for w in wilson], atol=1e-9)
    assert ((found.low <= found.inversion) & (found.inversion <= found.high)).all()
    best = likelihood(found.answers, matrix, found.mle)
    for estimate in (found.projected, found.mle, found.mle_by_em):
        assert (estimate >= 0).all()
        assert estimate.sum() == pytest.approx(1, abs=1e-9)
        assert likelihood(found.answers, matrix, estimate) <= best + 1e-8
    assert best - likelihood(found.answers, matrix, found.mle_by_em) <= 1e-3 + 1e-8  # em's certificate
    assert found.em_converged
    assert found.em_apart == np.abs(found.mle - found.mle_by_em).max()
    distance = np.linalg.norm(found.projected - found.inversion)
    assert distance <= min(np.linalg.norm(x - found.inversion) for x in (found.mle, np.array(shares))) + 1e-9


def test_answers_for_many_candidates_follow_the_channel():
    shares, n = np.array([0.5, 0.3, 0.2]), 20_000
    total = sum(voting.run_many(ManyConfig(tuple(shares), 1.0, n, seed)).answers for seed in range(50))
    assert (
        stats.chisquare(total, total.sum() * RandomisedResponse.from_epsilon(1.0, 3).channel_matrix @ shares).pvalue
        > RARE
    )
    assert (
        stats.chisquare(total, total.sum() * RandomisedResponse.from_epsilon(1.05, 3).channel_matrix @ shares).pvalue
        < RARE
    )


# --- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"n_voters": 0}, r"n_voters must be a whole number in \[1, 10000000\], got 0; somebody must be asked"),
        ({"n_voters": 10.5}, r"n_voters must be a whole number in \[1, 10000000\], got 10\.5"),
        ({"share": 1.2}, r"share must be in \[0, 1\], got 1\.2"),
        ({"share": math.nan}, r"share must be in \[0, 1\], got nan"),
        ({"n_elections": 0}, r"n_elections must be a whole number in \[1, 10000\], got 0"),
        ({"seed": -1}, r"seed must be a whole number in \[0, 4294967295\], got -1"),
    ],
)
def test_impossible_elections_are_refused(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        ElectionConfig(**bad)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"shares": ()}, r"candidates must be a whole number in \[2, 20\], got 0"),
        ({"shares": (1.0,)}, r"candidates must be a whole number in \[2, 20\], got 1; one candidate hides nothing"),
        ({"shares": (0.05,) * 21}, r"candidates must be a whole number in \[2, 20\], got 21"),
        ({"shares": (1.2, -0.2)}, r"share must be in \[0, 1\], got 1\.2"),
        ({"shares": (0.5, -0.2, 0.7)}, r"share must be in \[0, 1\], got -0\.2"),
        ({"shares": (0.5, 0.4)}, r"shares must sum to 1, got 0\.9"),
        ({"epsilon": -1.0}, r"epsilon must be at least 0, got -1"),
        ({"epsilon": 0.0}, r"epsilon must be above 0.* got 0"),
        ({"n_voters": 0}, r"n_voters must be a whole number in \[1, 10000000\], got 0"),
        ({"seed": 2**32}, r"seed must be a whole number in \[0, 4294967295\], got 4294967296"),
    ],
)
def test_impossible_polls_of_many_are_refused(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        ManyConfig(**bad)
