"""Polls against the multinomial of their people, and estimators against the channel by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from privdemo.estimators import frequencies, votes
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.simplex import project_simplex
from tests.experiments.oracles import student, wilson

ASYMMETRIC = BinaryChannel(0.15, 0.3)
# p-values are uniform under the truth: below this once in a million.
RARE = 1e-6


def answer_prob(theta, channel):
    """P(answer A) for a share θ of voters for A."""
    return theta * (1 - channel.p01) + (1 - theta) * channel.p10


def fits(observed, probs):
    """Whether counts could come from a distribution with these probabilities: a χ² test, rare cells merged."""
    expected = np.sum(observed) * np.asarray(probs)
    common = expected >= 5
    pairs = [np.append(x[common], x[~common].sum()) if (~common).any() else x for x in (np.asarray(observed), expected)]
    return stats.chisquare(*pairs).pvalue > RARE


def test_the_four_kinds_of_people_have_their_joint_distribution():
    n, theta = 4, 0.6
    polls = voting.run(ElectionConfig(n, theta, ASYMMETRIC, 10_000, seed=6))
    kinds = (polls.voted_a - polls.lied_a, polls.lied_a, n - polls.voted_a - polls.lied_b, polls.lied_b)
    cells = [(a, b, c, n - a - b - c) for a in range(5) for b in range(5 - a) for c in range(5 - a - b)]
    observed = np.array([(np.stack(kinds, axis=1) == cell).all(axis=1).sum() for cell in cells])
    assert observed.sum() == 10_000

    def law(p10, p01):
        each = [theta * (1 - p01), theta * p01, (1 - theta) * (1 - p10), (1 - theta) * p10]
        return stats.multinomial.pmf(cells, n, each)

    assert fits(observed, law(0.15, 0.3))
    assert not fits(observed, law(0.15, 0.33))
    assert ElectionConfig(n, theta, ASYMMETRIC).answer_prob == pytest.approx(answer_prob(theta, ASYMMETRIC), abs=1e-15)


def test_a_poll_and_its_table_hold_its_counts_and_every_estimate():
    config = ElectionConfig(400, 0.35, ASYMMETRIC, 10, seed=1)
    elections = voting.run(config)
    shown = voting.poll(config, elections, -1)
    assert shown.said_a == elections.said_a[-1] == shown.voted_a - shown.lied_a + shown.lied_b
    assert shown.estimates["honest"].value == shown.voted_a / 400
    assert shown.estimates["naive"].value == shown.said_a / 400
    assert shown.estimates["spread"].value == pytest.approx((shown.said_a / 400 - 0.15) / 0.55, abs=1e-14)
    people = {(row["voted"], row["said"]): row["people"] for row in voting.poll_table(shown)}
    a, lied_a, lied_b = shown.voted_a, shown.lied_a, shown.lied_b
    expected = {("A", "A"): a - lied_a, ("A", "B"): lied_a, ("B", "B"): 400 - a - lied_b, ("B", "A"): lied_b}
    assert people == expected


@pytest.mark.parametrize("n_voters", [7, 1000, 1500])
def test_the_people_shown_of_a_poll_are_among_those_it_counts_and_stay_who_they_are(n_voters):
    config = ElectionConfig(n_voters, 0.35, ASYMMETRIC, 230, seed=3)
    elections = voting.run(config)
    for index in (0, 99, 100, -1):
        people = voting.people(config, index)
        kinds = np.bincount(voting.kinds(people, ASYMMETRIC), minlength=4)
        counted = [counts[index] for counts in (elections.voted_a, elections.lied_a, elections.lied_b)]
        shown = [kinds[voting.A_TRUE] + kinds[voting.A_LIED], kinds[voting.A_LIED], kinds[voting.B_LIED]]
        assert len(people.voted_a) == min(n_voters, 1000)
        assert shown == counted if n_voters <= 1000 else all(np.array(shown) <= counted)
    more = replace(config, n_voters=2000, channel=BinaryChannel(0.2, 0.4))
    again = voting.people(more, 229)
    np.testing.assert_array_equal(again.voted_a[: len(people.voted_a)], people.voted_a)
    assert (people.lied(ASYMMETRIC) <= again.lied(more.channel)[: len(people.voted_a)]).all(), "liars go on lying"
    with pytest.raises(ValueError, match="index must be"):
        voting.people(config, 230)


Z = 1.959963984540054


def test_records_against_their_definitions():
    n, theta, polls = 300, 0.6, 500
    config = ElectionConfig(n, theta, ASYMMETRIC, polls, seed=9)
    elections = voting.run(config)
    found = {record.name: record for record in voting.records(config, elections)}
    assert list(found) == ["honest", "naive", "reconstruction", "spread", "spread MLE"]
    for name, counts, chance, channel in (
        ("honest", elections.voted_a, theta, BinaryChannel(0, 0)),
        ("spread", elections.said_a, answer_prob(theta, ASYMMETRIC), ASYMMETRIC),
    ):
        record = found[name]
        values = (counts / n - channel.p10) / (1 - channel.p10 - channel.p01)
        np.testing.assert_allclose(record.values, values, atol=1e-14)
        assert record.bias == student(values - theta)
        assert record.deviation == pytest.approx(np.std(values, ddof=1), rel=1e-12)
        held = np.abs(counts / n - chance) <= Z * math.sqrt(chance * (1 - chance) / n)  # Wilson's: a score test
        assert record.n_covered == held.sum()
        assert record.covered == wilson(held.sum(), polls)
        assert record.law.mean == pytest.approx(theta, abs=1e-12)
        assert record.law.deviation == pytest.approx(math.sqrt(chance * (1 - chance) / n) / channel.contrast, rel=1e-9)
    assert found["naive"].law.mean == pytest.approx(answer_prob(theta, ASYMMETRIC), abs=1e-12)
    assert found["naive"].covered.mean < 0.5 < 0.9 < found["spread"].covered.mean


def test_a_histogram_counts_every_poll_and_all_of_the_distribution():
    config = ElectionConfig(137, 0.4, BinaryChannel(0.9, 0.8), 300, seed=3)
    for record in voting.records(config, voting.run(config)):
        found = voting.histogram(record, -3.0, 4.0)
        assert found.exact.sum() == pytest.approx(1, abs=1e-12)
        inside = [
            (a <= record.values) & (record.values < b) for a, b in zip(found.edges, found.edges[1:], strict=False)
        ]
        np.testing.assert_allclose(found.measured, np.mean(inside, axis=1), atol=1e-12)
        assert (found.exact[found.measured > 0] > 0).all()


@pytest.mark.parametrize(("shares", "epsilon"), [((0.4, 0.3, 0.2, 0.1), 1.0), ((1.0, 0.0, 0.0), 0.3)])
def test_many_candidates_are_estimated_in_four_ways(shares, epsilon):
    config, n, k = ManyConfig(shares, epsilon, 2000, seed=11), 2000, len(shares)
    found = voting.run_many(config)
    kept = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    other = (1 - kept) / (k - 1)
    assert found.answers.sum() == n
    np.testing.assert_allclose(found.naive, found.answers / n, atol=1e-15)
    np.testing.assert_allclose(found.inversion, (found.answers / n - other) / (kept - other), atol=1e-9)
    ends = found.low * (kept - other) + other, found.high * (kept - other) + other
    for a, low, high in zip(found.answers, *ends, strict=True):
        assert (a / n, low, high) == wilson(a, n)
    np.testing.assert_array_equal(found.projected, project_simplex(found.inversion))
    np.testing.assert_allclose(found.mle, frequencies.randomised_response_mle(found.answers, 1 - kept), atol=1e-12)
    assert found.em_converged
    assert found.em_gap == np.abs(found.mle - found.mle_by_em).max() < 0.02


def test_answers_follow_the_channel():
    shares = np.array([0.5, 0.3, 0.2])
    total = sum(voting.run_many(ManyConfig(tuple(shares), 1.0, 20_000, seed)).answers for seed in range(50))
    assert fits(total, RandomisedResponse.from_epsilon(1.0, 3).channel_matrix @ shares)
    assert not fits(total, RandomisedResponse.from_epsilon(1.05, 3).channel_matrix @ shares)


def test_figure_1_has_the_limit_of_every_estimator_and_nan_where_two_are_equally_good():
    share, runs = np.linspace(0, 1, 21), voting.figure1(n_shares=21)
    assert [run.flip_prob for run in runs] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    for run in runs:
        answers, lie = run.flip_prob + (1 - 2 * run.flip_prob) * share, BinaryChannel(run.flip_prob, run.flip_prob)
        np.testing.assert_allclose(run.naive, answers, atol=1e-15)
        np.testing.assert_allclose(run.spread, share if run.flip_prob < 0.5 else np.nan, atol=1e-14)
        # 0 and 1 are equally good at ½, and with lies of ½ whatever the truth
        tied = (np.abs(share - 0.5) < 1e-9) & (run.flip_prob > 0.15) | (run.flip_prob == 0.5)
        np.testing.assert_array_equal(np.isnan(run.reconstruction), tied)
        expected = votes.reconstruction(answers[~tied], lie)
        np.testing.assert_allclose(run.reconstruction[~tied], expected, atol=1e-9)


@pytest.mark.parametrize(
    ("channel", "self_confirming", "certain"),
    [
        (BinaryChannel(0.2, 0.3), ("nobody", "everybody"), ()),
        (BinaryChannel(0.0, 0.3), ("everybody",), ("whoever says A voted A",)),
        (BinaryChannel(0.0, 0.0), (), ("whoever says A voted A", "whoever says B voted B")),
        (BinaryChannel(1.0, 1.0), (), ("whoever says A voted B", "whoever says B voted A")),
    ],
)
def test_which_assumption_confirms_itself_and_what_an_answer_reveals(channel, self_confirming, certain):
    assert voting.self_confirming(channel) == self_confirming
    assert voting.certain_inferences(channel) == certain
