"""The question of class ratios: which sets there are, and how large they may be."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments.class_ratio import RatioConfig, check, default_set_size, most_records
from privdemo.methods import MMD, SPREAD

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


def test_a_set_size_suits_the_data_set():
    assert (default_set_size("mnist"), default_set_size("breast_cancer")) == (600, 80)
    assert most_records(CONFIG) == int(0.7 * 177), "of the twos there are 177"
    check(replace(CONFIG, set_size=123))
