"""The question of class ratios: which sets there are, and which configs are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments.class_ratio import RatioConfig, check, default_set_size, most_records, run
from privdemo.methods import MMD, PSVM, SPREAD

CONFIG = RatioConfig("digits", 4, 80, n_test=80, methods=(SPREAD, MMD))


@pytest.mark.parametrize(
    ("c", "size", "copies", "rho", "rarer"),
    [(4, 80, 1, 0.1, 8), (2, 50, 2, 0.1, 5), (3, 70, 1, 0, 0), (10, 60, 1, 0.05, 3)],
)
def test_every_class_in_turn_is_the_common_one_of_a_set(c, size, copies, rho, rarer):
    config = RatioConfig("digits", c, size, copies, rho)
    counts = config.counts()
    assert (counts.shape, counts.dtype, config.pure) == ((copies * c, c), np.int64, rarer == 0)
    for i, row in enumerate(counts):
        assert row.tolist() == [size - (c - 1) * rarer if k == i % c else rarer for k in range(c)]


@pytest.mark.parametrize(
    ("dataset", "n", "classes", "labels"),
    [
        ("digits", 2, ("7", "9"), ("7", "9")),
        ("digits", 3, ("0", "1", "2"), ("0", "1", "2")),
        ("adult", 2, ("<=50K", ">50K"), ("up to 50K", "over 50K")),
    ],
)
def test_the_classes_are_the_first_ones_and_two_digits_those_hardest_to_tell_apart(dataset, n, classes, labels):
    config = RatioConfig(dataset, n, 40)
    assert (config.chosen_classes, config.labels) == (classes, labels)


def test_a_set_size_suits_the_data_set():
    assert (default_set_size("mnist"), default_set_size("breast_cancer")) == (600, 80)
    assert most_records(CONFIG) == int(0.7 * 177), "of the twos there are 177"
    check(replace(CONFIG, set_size=123))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "magic"}, "dataset must be one of mnist"),
        ({"release": "magic"}, "release must be one of none, laplace published"),
        ({"n_classes": 11}, r"n_classes must be a whole number in \[2, 10\], got 11; Small digits has no more"),
        ({"rho": 0.25}, r"must be below 1/4 = 0.25, at which all sets are alike .* got 0.25"),
        ({"rho": 0.3}, "assumption A0 fails"),
        ({"set_size": 12, "rho": 0.24}, "rho = 0.24 of 12 records is 3 of each class, so that no class is the common"),
        ({"methods": ()}, "methods must be one or more of spread, .* got none"),
        ({"methods": ("magic",)}, "got magic"),
        ({"methods": (PSVM,)}, "∝SVM tells two classes apart, not 4"),
        ({"set_size": 124}, r"must be at most 123 for Small digits, whose smallest class has no more .* got 124; take"),
        ({"copies": 2}, "at most 123 .* got 160"),
        ({"release": "dirichlet public"}, "class 2 of set 1 has 8 labels, fewer than the public bound n_min = 25"),
        ({"release": "dirichlet local", "rho": 0.0}, "no share for an empty class"),
        ({"release": "gaussian tight", "delta": 0.0}, "use Laplace noise"),
    ],
)
def test_a_question_without_an_answer_gets_a_sentence(change, words):
    for refuse in (check, run):
        with pytest.raises(ValueError, match=words):
            refuse(replace(CONFIG, **change))
