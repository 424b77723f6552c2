"""Filling bags: who is in which bag, what each selection promises of them, and naive Bayes against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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


def rng(seed=0):
    return np.random.default_rng(seed)


def people(n=4000, share=0.3, seed=0):
    """Labels and parts of n records, in which positives are mostly taken for positives."""
    draw = rng(seed)
    y = (draw.random(n) < share).astype(int)
    return y, np.where(y == 1, draw.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]), draw.choice(4, n, p=[0.4, 0.3, 0.2, 0.1]))


# --- bags ------------------------------------------------------------------------------------------


def test_every_selection_is_tested():
    assert TURNS.keys() == SELECTIONS.keys()
    assert [name for name, selection in SELECTIONS.items() if selection.blind] == ["iid"]


@pytest.mark.parametrize("name", SELECTIONS)
@given(n_bags=st.integers(2, 40), bag_size=st.integers(2, 60), seed=st.integers(0, 99))
def test_nobody_is_in_two_bags_and_bags_take_their_kinds_of_record_in_turns(name, n_bags, bag_size, seed):
    y, part = people(2000, seed=seed)
    bags = select(name, y, part, n_bags, bag_size, rng(seed))
    everybody = np.concatenate(bags)
    assert len(bags) == n_bags
    assert len(set(everybody.tolist())) == len(everybody)
    assert 0 <= everybody.min() <= everybody.max() < len(y)
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
def test_every_record_of_a_kind_is_drawn_equally_often(name):
    y, part = np.repeat([0, 1], 10), np.repeat([ATN, ATP], 10)
    draw, n = rng(1), 2000
    drawn = np.bincount(np.concatenate([np.concatenate(select(name, y, part, 2, 3, draw)) for _ in range(n)]))
    # without replacement counts vary less than Poisson ones: χ² of at most 19 degrees of freedom
    assert stats.chisquare(drawn).pvalue > 1e-6
    drawn[0] += 300  # somebody who is drawn half as often again
    assert stats.chisquare(drawn, np.full(20, drawn.mean())).pvalue < 1e-6


@pytest.mark.parametrize("share", [0.24, 0.45, 0.7])
@pytest.mark.parametrize("name", ["skewed", "even"])
def test_proportions_are_evenly_spaced_as_far_as_they_can_be(name, share):
    n_bags, size = 11, 100
    y, part = people(20_000, share)
    bags = select(name, y, part, n_bags, size, rng())
    share, found = y.mean(), np.sort([y[rows].mean() for rows in bags])
    ends = {"even": (0, 1), "skewed": (max(0, 2 * share - 1), min(1, 2 * share))}
    assert {len(rows) for rows in bags} == {size}
    for how, (low, high) in ends.items():
        # whole records: half of one
        fits = np.abs(found - np.linspace(low, high, n_bags)).max() <= 0.5 / size + 1e-12
        assert fits == (how == name)
    if name == "skewed":
        assert found.mean() == pytest.approx(share, abs=0.5 / size)


@pytest.mark.parametrize("name", ["skewed", "even"])
def test_the_number_of_a_bag_does_not_tell_its_proportion(name):
    y, draw, n = np.repeat([1, 0], [20, 20]), rng(1), 1200
    found = [tuple(int(y[rows].sum()) for rows in select(name, y, np.zeros(40, int), 3, 6, draw)) for _ in range(n)]
    orders, counts = np.unique(found, axis=0, return_counts=True)
    # 0, 3 and 6 positives: every order of them equally often
    assert len({tuple(sorted(order)) for order in orders.tolist()}) == 1
    assert len(orders) == 6
    assert stats.chisquare(counts).pvalue > 1e-6
    assert stats.chisquare(np.append(counts[0] + 150, counts[1:] - 30)).pvalue < 1e-6  # one nearly twice as often shows
    y = np.repeat([1, 0], [2000, 2000])
    many = [y[rows].mean() for rows in select(name, y, np.zeros(4000, int), 50, 50, rng())]
    assert many not in (sorted(many), sorted(many, reverse=True))


def test_bags_shrink_as_little_as_records_ask_for():
    """35 positives and 65 negatives in 5 bags of proportions 0, ¼ … 1: half of all, so bags of up to 14."""
    y = np.repeat([1, 0], [35, 65])
    bags = select("even", y, np.zeros(100, int), 5, 50, rng())
    assert {len(rows) for rows in bags} == {14}
    assert sorted(int(y[rows].sum()) for rows in bags) == [0, 4, 7, 10, 14]  # 3.5 and 10.5 go to the even number
    bags = select("iid", y, np.zeros(100, int), 7, 50, rng())
    assert {len(rows) for rows in bags} == {14}


@pytest.mark.parametrize(
    ("name", "n_bags", "bag_size", "sentence"),
    [
        ("iid", 200, 2, "“at random” needs at least 400 records (or means) of a kind for 200 of the bags, got 100"),
        ("iid", 51, 9, "“at random” needs at least 102 records (or means) of a kind for 51 of the bags, got 100"),
        ("balanced", 4, 5, "“balanced” needs at least 2 records (or means) of a kind for 1 of the bags, got 0"),
        ("balanced", 62, 5, "“balanced” needs at least 32 records (or means) of a kind for 16 of the bags, got 30"),
        ("even", 150, 2, "“even” needs at least 300 records (or means) of a kind for 150 of the bags, got 35"),
        ("skewed", 600, 2, "“skewed” needs at least 1,200 records (or means) of a kind for 600 of the bags, got 35"),
    ],
)
def test_too_few_records_are_refused_with_what_can_be_done(name, n_bags, bag_size, sentence):
    y = np.repeat([1, 0], [35, 65])
    part = np.repeat([ATP, PFP, PFN], [30, 30, 40])
    with pytest.raises(TooFewRecords) as refused:
        select(name, y, part, n_bags, bag_size, rng())
    assert str(refused.value) == f"{sentence}; choose fewer bags, a lower k or another selection"


@pytest.mark.parametrize(
    ("name", "n_bags", "bag_size", "sentence"),
    [
        ("random", 4, 5, "selection must be one of iid, balanced, .*, even, got 'random'"),
        ("iid", 1, 5, r"n_bags must be a whole number in \[2, 1000\], got 1; one bag tells nothing apart"),
        ("iid", 1001, 5, r"n_bags must be a whole number in \[2, 1000\], got 1001"),
        ("iid", 4, 1, r"bag_size must be a whole number in \[2, 1000\], got 1; a bag of one record releases its label"),
        ("iid", 4, 2.5, r"bag_size must be a whole number in \[2, 1000\], got 2.5"),
    ],
)
def test_bags_that_make_no_sense_are_refused(name, n_bags, bag_size, sentence):
    y = np.repeat([1, 0], [35, 65])
    with pytest.raises(ValueError, match=sentence) as refused:
        select(name, y, np.repeat([ATP, PFP, PFN], [30, 30, 40]), n_bags, bag_size, rng())
    assert not isinstance(refused.value, TooFewRecords)


# --- what naive Bayes says -------------------------------------------------------------------------


def test_the_parts_meet_at_one_half_and_where_naive_bayes_is_sure():
    little = 1e-12  # 1 − 0.9 is not 0.1 to the last digit
    chances = [0, 0.05, 0.1 - little, 0.1 + little, 0.3, 0.5 - little, 0.5, 0.7, 0.9 - little, 0.9, 1]
    expected = [ATN, ATN, ATN, PFN, PFN, PFN, PFP, PFP, PFP, ATP, ATP]
    np.testing.assert_array_equal(parts(np.array(chances)), expected)


def test_a_tenth_is_as_sure_of_a_negative_as_nine_tenths_of_a_positive():
    assert parts(np.array([0.1]))[0] == ATN


def test_the_probability_of_a_positive_is_that_of_scikit_learns_naive_bayes():
    draw, (y, _) = rng(1), people(300)
    binary = (draw.random((300, 8)) < np.where(y[:, None] == 1, 0.7, 0.3)).astype(np.uint8)
    expected = BernoulliNB().fit(binary, y).predict_proba(binary)[:, 1]
    for X in (binary, binary.astype(bool), binary.astype(float), csr_array(binary), csr_array(binary.astype(float))):
        np.testing.assert_allclose(positive_probability(X, y), expected, rtol=1e-12)
    real = 0.3 * draw.random((300, 8)) + 0.5 * binary
    gaussian = GaussianNB().fit(real, y).predict_proba(real)[:, 1]
    np.testing.assert_allclose(positive_probability(real, y), gaussian, rtol=1e-12)
    assert np.abs(gaussian - expected).max() > 0.01


def test_naive_bayes_of_sparse_values_that_are_not_binary_is_no_bernoulli():
    X, (y, _) = rng(1).random((50, 4)) * (rng(2).random((50, 4)) < 0.5), people(50)
    np.testing.assert_allclose(positive_probability(csr_array(X), y), positive_probability(X, y), rtol=1e-9)


# --- labels in a bag -------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=40))
def test_distinct_labels_are_counted_in_every_block(pairs):
    blocks, y = np.array(pairs).T
    expected = [len({label for block, label in pairs if block == b}) for b in range(blocks.max() + 1)]
    np.testing.assert_array_equal(distinct_labels(y, blocks), expected)
