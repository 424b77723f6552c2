"""Bags: what noise promises, a record's ε, and sizes that suit a data set."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.datasets import load
from privdemo.experiments.label_proportions import BagConfig, changed_columns, default_bags, record_epsilon, records
from privdemo.mechanisms import bags
from privdemo.mechanisms.aggregation import dense
from tests.experiments.label_proportions.cases import NOISY


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


def test_default_bags_of_own_records_hold_half_of_them():
    own = load("breast_cancer")
    assert default_bags(own) == (16, 16)  # 2 · 16² is the largest such below 569
    assert changed_columns(own) is None
