"""Filling bags: who is in which bag, what each selection promises of them, and naive Bayes against scikit-learn's."""

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from privdemo.mechanisms.aggregation import TooFewRecords
from privdemo.mechanisms.bags import (
    ATN,
    ATP,
    PFN,
    PFP,
    SELECTIONS,
    bag_names,
    distinct_labels,
    parts,
    positive_probability,
    select,
)
from tests.mechanisms.oracles import rng

ALL = {ATN, PFN, PFP, ATP}
# Whom successive bags may hold, from the slides.
TURNS = {
    "iid": [ALL],
    "balanced": [{ATP}, {PFP}, {ATN}, {PFN}],
    "predicted": [{ATP, PFP}, {PFN, ATN}],
    "confident": [{ATP}, {ATN}],
    "unconfident": [{PFP}, {PFN}],
    "mixed": [{ATP, ATN}, {PFP, PFN}],
    "skewed": [ALL],
    "even": [ALL],
}


def people(n=4000, share=0.3, seed=0):
    """Labels and parts of n records, in which positives are mostly taken for positives."""
    generator = rng(seed)
    y = (generator.random(n) < share).astype(int)
    return y, np.where(
        y == 1, generator.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]), generator.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    )


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize(("n_bags", "bag_size"), [(2, 2), (3, 60), (7, 5), (20, 40), (40, 60)])
def test_nobody_is_in_two_bags_and_bags_take_their_kinds_of_record_in_turns(name, n_bags, bag_size):
    y, part = people(2000)
    bags = select(name, y, part, n_bags, bag_size, rng())
    everybody = np.concatenate(bags)
    assert len(bags) == n_bags
    assert len(set(everybody.tolist())) == len(everybody)
    turns = TURNS[name]
    for turn, allowed in enumerate(turns):
        mine = bags[turn :: len(turns)]
        for rows in mine:
            assert set(part[rows].tolist()) <= allowed
        if mine and not SELECTIONS[name].spacing:
            there = int(np.isin(part, list(allowed)).sum())
            # as large as was asked for, or as the records of that kind last
            assert {len(rows) for rows in mine} == {min(bag_size, there // len(mine))}
    np.testing.assert_array_equal(bag_names(bags), [bag for bag, rows in enumerate(bags) for _ in rows])


@pytest.mark.parametrize("name", ["iid", "confident", "even"])
def test_every_record_of_a_kind_is_sampled_equally_often(name):
    y, part = np.repeat([0, 1], 10), np.repeat([ATN, ATP], 10)
    generator = rng(1)
    times = np.bincount(np.concatenate([row for _ in range(2000) for row in select(name, y, part, 2, 3, generator)]))
    # without replacement counts vary less than Poisson ones: χ² of at most 19 degrees of freedom
    assert stats.chisquare(times).pvalue > 1e-6
    times[0] += 300  # somebody who is chosen half as often again
    assert stats.chisquare(times, np.full(20, times.mean())).pvalue < 1e-6


@pytest.mark.parametrize("share", [0.24, 0.7])
@pytest.mark.parametrize("name", ["skewed", "even"])
def test_proportions_are_evenly_spaced_as_far_as_they_can_be(name, share):
    n_bags, size = 11, 100
    y, part = people(20_000, share)
    bags = select(name, y, part, n_bags, size, rng())
    share, found = y.mean(), np.sort([y[rows].mean() for rows in bags])
    low, high = (0, 1) if name == "even" else (max(0, 2 * share - 1), min(1, 2 * share))
    assert {len(rows) for rows in bags} == {size}
    # whole records: half of one
    np.testing.assert_allclose(found, np.linspace(low, high, n_bags), rtol=0, atol=0.5 / size + 1e-12)


@pytest.mark.parametrize("name", ["skewed", "even"])
def test_the_number_of_a_bag_does_not_tell_its_proportion(name):
    y, generator = np.repeat([1, 0], [20, 20]), rng(1)
    found = [
        tuple(int(y[rows].sum()) for rows in select(name, y, np.zeros(40, int), 3, 6, generator)) for _ in range(1200)
    ]
    orders, counts = np.unique(found, axis=0, return_counts=True)
    # 0, 3 and 6 positives: every order of them equally often
    assert {tuple(sorted(order)) for order in orders.tolist()} == {(0, 3, 6)}
    assert len(orders) == 6
    assert stats.chisquare(counts).pvalue > 1e-6
    assert stats.chisquare(np.append(counts[0] + 150, counts[1:] - 30)).pvalue < 1e-6  # one nearly twice as often shows


@pytest.mark.parametrize(
    ("name", "n_bags", "bag_size", "sentence"),
    [
        (
            "balanced",
            4,
            5,
            "^“balanced” needs at least 2 records .or means. of a kind for 1 of the bags, got 0; choose",
        ),
        ("even", 150, 2, "^“even” needs at least 300 records .or means. of a kind for 150 of the bags, got 35; choose"),
        ("random", 4, 5, "selection must be one of iid, balanced, .*, even, got 'random'"),
        ("iid", 4, 1, r"bag_size must be a whole number in \[2, 1000\], got 1; a bag of one record releases its label"),
    ],
)
def test_bags_that_cannot_be_filled_are_refused(name, n_bags, bag_size, sentence):
    y, part = np.repeat([1, 0], [35, 65]), np.repeat([ATP, PFP, PFN], [30, 30, 40])
    with pytest.raises(ValueError, match=sentence) as refused:
        select(name, y, part, n_bags, bag_size, rng())
    assert isinstance(refused.value, TooFewRecords) == ("needs at least" in sentence)


def test_the_parts_meet_at_one_half_and_where_naive_bayes_is_sure():
    little = 1e-12
    chances = [0, 0.05, 0.1, 0.1 + little, 0.3, 0.5 - little, 0.5, 0.7, 0.9 - little, 0.9, 1]
    expected = [ATN, ATN, ATN, PFN, PFN, PFN, PFP, PFP, PFP, ATP, ATP]
    np.testing.assert_array_equal(parts(np.array(chances)), expected)


def test_the_probability_of_a_positive_is_that_of_scikit_learns_naive_bayes():
    generator, (y, _) = rng(1), people(300)
    binary = (generator.random((300, 8)) < np.where(y[:, None] == 1, 0.7, 0.3)).astype(np.uint8)
    expected = BernoulliNB().fit(binary, y).predict_proba(binary)[:, 1]
    for X in (binary, binary.astype(bool), binary.astype(float), csr_array(binary), csr_array(binary.astype(float))):
        np.testing.assert_allclose(positive_probability(X, y), expected, rtol=1e-12)
    real = 0.3 * generator.random((300, 8)) + 0.5 * binary
    gaussian = GaussianNB().fit(real, y).predict_proba(real)[:, 1]
    for X in (real, csr_array(real)):
        np.testing.assert_allclose(positive_probability(X, y), gaussian, rtol=1e-12)


def test_distinct_labels_are_counted_in_every_block():
    np.testing.assert_array_equal(distinct_labels([0, 0, 1, 2, 1, 1, 3], np.array([0, 0, 0, 1, 3, 3, 0])), [3, 1, 0, 1])
