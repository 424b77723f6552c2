"""Questions about bags: what is refused, what noise promises, and sizes that suit a data set."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.datasets import load
from privdemo.experiments.label_proportions import (
    BagConfig,
    changed_columns,
    default_bags,
    methods_of,
    n_training,
    record_epsilon,
    records,
)
from privdemo.mechanisms import bags
from privdemo.mechanisms.aggregation import dense
from privdemo.methods import LABELLED, LLP
from privdemo.tasks import BINARY
from tests.experiments.label_proportions.cases import NOISY, SINGLE


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"k": 3}, "k must be 1 without an aggregation, got 3; choose random-k, nearest-k or k-tree"),
        ({"dataset": "census"}, "dataset must be one of adult, sms, breast_cancer, mnist, digits, got 'census'"),
        ({"selection": "odd"}, "selection must be one of iid, balanced, .*, even, got 'odd'"),
        ({"aggregation": "mean"}, "aggregation must be one of none, random-k, nearest-k, k-tree, got 'mean'"),
        ({"methods": (LLP, "guess")}, "methods must be one or more of full, labelled, .*, got guess"),
        ({"feature_epsilon": 0.0}, "epsilon must be above 0, got 0; ∞ is no noise"),
        ({"proportion_epsilon": math.nan}, "epsilon must be above 0, got nan"),
        ({"n_bags": 1}, "n_bags must be a whole number in .*, got 1; one bag tells nothing apart"),
        ({"bag_size": 1}, "bag_size must be a whole number"),
        ({"k": 0}, "k must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"draw": -1}, "draw must be a whole number"),
    ],
)
def test_bad_configs_say_what_is_wrong(change, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        replace(SINGLE, **change)


@pytest.mark.parametrize(
    ("aggregation", "size", "most", "what"),
    [
        ("random-k", 20, 20, "the records of a bag"),
        ("k-tree", 7, 3, "half a bag, as a bag needs two leaves"),
        ("k-tree", 3, 1, "half a bag, as a bag needs two leaves"),
    ],
)
def test_the_largest_k_is_what_a_bag_holds(aggregation, size, most, what):
    largest = replace(SINGLE, aggregation=aggregation, bag_size=size, k=most)
    with pytest.raises(ValueError, match=f"^k must be at most {most}, {what}, got {most + 1}; lower k or take larger"):
        replace(largest, k=most + 1)


@pytest.mark.parametrize("selection", bags.SELECTIONS)
@pytest.mark.parametrize(
    ("aggregation", "k", "of_labels", "of_columns"),
    [
        ("none", 1, True, True),
        ("k-tree", 1, True, True),
        ("random-k", 5, True, True),
        ("nearest-k", 5, True, False),  # looks at columns
        ("k-tree", 5, False, False),  # and at labels
    ],
)
def test_noise_promises_only_where_nothing_looked_at_what_it_hides(selection, aggregation, k, of_labels, of_columns):
    config = BagConfig(selection=selection, aggregation=aggregation, k=k)
    blind = selection == "iid"
    assert (config.label_promise, config.column_promise) == (blind and of_labels, blind and of_columns)


def test_a_records_epsilon_adds_up_over_the_columns_in_which_two_can_differ(data_folder):
    X = records("adult")[0].X
    assert X.shape[1] == 338
    assert set(np.diff(X.indptr)) == {14}  # one 1 for each attribute, so two records differ in 28 columns at most
    some = dense(X[np.random.default_rng(0).choice(X.shape[0], 2000, replace=False)])
    assert 20 < (some[:1000] != some[1000:]).sum(axis=1).max() <= 28 == changed_columns("adult")
    assert changed_columns("sms") is None
    noisy = BagConfig("adult", feature_epsilon=0.5, proportion_epsilon=3.0)
    assert record_epsilon(noisy) == (338 * 0.5 + 3, 28 * 0.5 + 3)
    assert record_epsilon(NOISY) == (30 * 3.0 + 0.5,) * 2
    assert record_epsilon(replace(noisy, proportion_epsilon=math.inf)) == (math.inf, math.inf)


def test_labels_of_single_records_are_full_labels():
    assert methods_of(replace(SINGLE, methods=(LABELLED, LLP))) == (LLP,)
    assert methods_of(replace(SINGLE, feature_epsilon=1.0, methods=(LABELLED,))) == (LABELLED,)


@pytest.mark.parametrize("name", BINARY)
def test_default_bags_can_be_filled(name, data_folder, mnist):
    n_bags, bag_size = default_bags(name)
    assert BagConfig(name, n_bags, bag_size).n_bags * bag_size <= n_training(name)


def test_default_bags_of_own_records_hold_half_of_them():
    own = load("breast_cancer")
    assert default_bags(own) == (16, 16)  # 2 · 16² is the largest such below 569
    assert changed_columns(own) is None
