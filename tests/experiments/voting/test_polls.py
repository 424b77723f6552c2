"""Simulated polls against the multinomial of their four kinds of people; dots against the counts they stand for."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from privdemo.experiments import voting
from privdemo.experiments.voting import A_LIED, A_TRUE, B_LIED, B_TRUE, ElectionConfig, Poll
from privdemo.mechanisms import BinaryChannel
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


def test_a_longer_run_begins_with_the_shorter_one():
    config = ElectionConfig(5000, 0.3, ASYMMETRIC, 1000, seed=7)
    long, short = voting.run(config), voting.run(replace(config, n_elections=99))
    for name in ("voted_a", "lied_a", "lied_b"):
        np.testing.assert_array_equal(getattr(short, name), getattr(long, name)[:99])
    assert (voting.run(replace(config, seed=8)).voted_a != long.voted_a).any()


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
    assert sum(people.values()) == 400
    assert people["A", "A"] + people["B", "A"] == shown.said_a
    assert people["A", "A"] + people["A", "B"] == shown.voted_a
    assert people["B", "A"] == shown.lied_b
    found = voting.estimate_table(shown)
    assert {row["estimator"]: row["value"] for row in found} == {n: e.value for n, e in shown.estimates.items()}
    records = voting.records(config, elections)
    rows = voting.record_table(records)
    assert [row["election"] for row in rows] == [*range(1, 11)] * len(records)
    assert [row["estimate"] for row in rows] == [value for record in records for value in record.values]


def test_where_answers_say_nothing_the_spread_likelihood_has_no_estimate():
    useless = ElectionConfig(channel=BinaryChannel(0.3, 0.7))
    assert set(voting.poll(useless, voting.run(useless)).estimates) == {"honest", "naive", "reconstruction"}


def poll_of(n, voted_a, lied_a, lied_b):
    return Poll(voted_a, lied_a, lied_b, voted_a - lied_a + lied_b, n, {})


@pytest.mark.parametrize("counts", [(1000, 400, 100, 300), (7, 0, 0, 7), (7, 7, 7, 0), (1, 1, 0, 0)])
def test_dots_are_the_poll_when_everybody_fits(counts):
    n, voted_a, lied_a, lied_b = counts
    found = np.bincount(voting.dots(ElectionConfig(n), poll_of(*counts)), minlength=4)
    expected = {A_TRUE: voted_a - lied_a, A_LIED: lied_a, B_TRUE: n - voted_a - lied_b, B_LIED: lied_b}
    assert {kind: found[kind] for kind in expected} == expected


def test_more_lies_make_more_liars_and_no_other_change():
    config, poll = ElectionConfig(1000, seed=3), poll_of(1000, 400, 80, 90)
    few, more = voting.dots(config, poll), voting.dots(config, poll_of(1000, 400, 130, 140))
    changed = few != more
    assert changed.sum() == 100
    assert set(few[changed]) == {A_TRUE, B_TRUE}
    # ten votes more turn ten people, and perhaps who lies on either side
    assert 10 <= np.count_nonzero(few != voting.dots(config, poll_of(1000, 410, 80, 90))) <= 30
    assert np.count_nonzero(few != voting.dots(replace(config, seed=4), poll)) > 100


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


def test_an_icon_array_begins_with_the_voters_for_a():
    assert voting.first_voted_a(2, 5).tolist() == [A_TRUE] * 2 + [B_TRUE] * 3
    with pytest.raises(ValueError, match="n_a"):
        voting.first_voted_a(6, 5)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"n_voters": 0}, r"n_voters must be a whole number in \[1, 10000000\], got 0"),
        ({"share": math.nan}, r"share must be in \[0, 1\], got nan"),
        ({"channel": 0.2}, "channel must be a BinaryChannel"),
        ({"n_elections": 0}, r"n_elections must be a whole number in \[1, 10000\], got 0"),
        ({"seed": -1}, r"seed must be a whole number in \[0, 4294967295\], got -1"),
    ],
)
def test_impossible_elections_are_refused(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        ElectionConfig(**bad)
