"""Simulated polls against the multinomial of their four kinds of people; dots against the counts they stand for."""

import math

import numpy as np
import pytest
from scipy import stats

from privdemo.experiments import voting
from privdemo.experiments.voting import A_LIED, A_TRUE, B_LIED, B_TRUE, ElectionConfig, Poll
from tests.experiments.voting.oracles import ASYMMETRIC, answer_prob, fits


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
    assert not fits(observed, law(0.3, 0.15))
    assert ElectionConfig(n, theta, ASYMMETRIC).answer_prob == pytest.approx(answer_prob(theta, ASYMMETRIC), abs=1e-15)


def test_a_poll_and_the_tables_hold_its_counts_and_every_estimate():
    config = ElectionConfig(400, 0.35, ASYMMETRIC, 10, seed=1)
    elections = voting.run(config)
    for index in (0, 4, -1):
        shown = voting.poll(config, elections, index)
        assert shown.said_a == elections.said_a[index] == shown.voted_a - shown.lied_a + shown.lied_b
        assert shown.estimates["honest"].value == shown.voted_a / 400
        assert shown.estimates["naive"].value == shown.said_a / 400
        assert shown.estimates["spread"].value == pytest.approx((shown.said_a / 400 - 0.15) / 0.55, abs=1e-14)
    assert voting.poll(config, elections) == shown
    for index in (10, -11):
        with pytest.raises(ValueError, match="index"):
            voting.poll(config, elections, index)
    people = {(row["voted"], row["said"]): row["people"] for row in voting.poll_table(shown)}
    a, lied_a, lied_b = shown.voted_a, shown.lied_a, shown.lied_b
    expected = {("A", "A"): a - lied_a, ("A", "B"): lied_a, ("B", "B"): 400 - a - lied_b, ("B", "A"): lied_b}
    assert people == expected
    records = voting.records(config, elections)
    rows = voting.record_table(records)
    assert [(row["election"], row["estimate"]) for row in rows] == [
        (i, value) for record in records for i, value in enumerate(record.values, start=1)
    ]


def poll_of(n, voted_a, lied_a, lied_b):
    return Poll(voted_a, lied_a, lied_b, voted_a - lied_a + lied_b, n, {})


@pytest.mark.parametrize("counts", [(1000, 400, 100, 300), (7, 0, 0, 7), (7, 7, 7, 0), (1, 1, 0, 0)])
def test_dots_are_the_poll_when_everybody_fits(counts):
    n, voted_a, lied_a, lied_b = counts
    found = np.bincount(voting.dots(ElectionConfig(n), poll_of(*counts)), minlength=4)
    expected = {A_TRUE: voted_a - lied_a, A_LIED: lied_a, B_TRUE: n - voted_a - lied_b, B_LIED: lied_b}
    assert {kind: found[kind] for kind in expected} == expected


def test_dots_of_a_larger_poll_are_a_sample_without_replacement_in_no_order():
    n, seeds, poll = 1100, 400, poll_of(1100, 440, 110, 220)
    truth = np.array([330, 110, 440, 220]) / n
    drawn = [voting.dots(ElectionConfig(n, seed=seed), poll) for seed in range(seeds)]
    counts = np.array([np.bincount(kinds, minlength=4) for kinds in drawn])
    assert (counts.sum(axis=1) == voting.N_DOTS).all()
    variance = 1000 * truth * (1 - truth) * (n - 1000) / (n - 1)  # hypergeometric
    tolerance = 5 * np.sqrt(variance / seeds)
    assert (np.abs(counts.mean(axis=0) - 1000 * truth) <= tolerance).all()
    # five standard errors of a sample variance; with replacement it would be eleven times as large
    np.testing.assert_allclose(counts.var(axis=0, ddof=1), variance, rtol=5 * math.sqrt(2 / seeds))
    first = np.mean([kinds[:100] < 2 for kinds in drawn])  # a hundred places hold as many voters for A as all do
    assert abs(first - 0.4) <= 5 * math.sqrt(0.4 * 0.6 / (100 * seeds))
