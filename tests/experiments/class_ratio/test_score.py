"""Means over hand-made trials, beside the same numbers by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import SHARES, Attack, Fit, RatioConfig, Trial
from privdemo.methods import MMD, RFF, SPREAD

# t(0.975) with two degrees of freedom.
T_2 = 4.3027


def trial(draw, spread, mmd, attack=None):
    """Two classes, of which the asked set has shares 0.25 and 0.75; (share found, error at every share) a method."""
    fits = {
        name: Fit(name, (found, 1 - found), tuple(error + i / 100 for i in range(9)), 1.0)
        for name, (found, error) in ((SPREAD, spread), (MMD, mmd), (RFF, (mmd[0] + 0.1, mmd[1])))
    }
    config = RatioConfig("breast_cancer", 2, 80, draw=draw)
    p = np.eye(2)
    return Trial(config, (0.25, 0.75), fits, p, p, 0.0, "none", False, 1, None, 1.0, 1.0, 1.0, attack)


TRIALS = [trial(0, (0.3, 0.1), (0.4, 0.2)), trial(1, (0.5, 0.2), (0.25, 0.3)), trial(2, (0.4, 0.6), (0.25, 0.1))]


def test_means_and_differences_over_draws_with_students_interval():
    errors = [0.14, 0.24, 0.64]
    half = T_2 * np.std(errors, ddof=1) / math.sqrt(3)
    mean = np.mean(errors)
    assert class_ratio.mean_error(TRIALS, SPREAD) == pytest.approx((mean, max(0, mean - half), mean + half), rel=1e-4)
    assert class_ratio.error_along(TRIALS, SPREAD, 3).mean == pytest.approx(np.mean([0.13, 0.23, 0.63]))
    assert class_ratio.share_of(TRIALS, SPREAD, 0).mean == pytest.approx(0.4)
    assert class_ratio.share_of(TRIALS, SPREAD, 1).mean == pytest.approx(0.6)
    assert class_ratio.error(TRIALS, SPREAD).mean == pytest.approx(np.mean([0.1, 0.5, 0.3])), "of both classes"
    assert class_ratio.features_gap(TRIALS).mean == pytest.approx(0.2)
    gaps = [-0.1, -0.1, 0.5]
    half = T_2 * np.std(gaps, ddof=1) / math.sqrt(3)
    found = class_ratio.difference(TRIALS, SPREAD, MMD)
    assert found == pytest.approx((0.1, 0.1 - half, 0.1 + half), rel=1e-4)


def test_intervals_of_l1_errors_end_at_0_and_2_and_of_shares_at_0_and_1():
    wide = [trial(0, (1.0, 0.1), (0.0, 0.0)), trial(1, (0.0, 1.8), (0.1, 0.0))]
    for estimate in (
        class_ratio.mean_error(wide, SPREAD),
        class_ratio.error(wide, SPREAD),
        class_ratio.error_along(wide, SPREAD, 0),
    ):
        assert estimate[1:] == (0, 2)
    assert class_ratio.share_of(wide, SPREAD, 0) == (0.5, 0, 1)


def test_the_adversarys_rates_are_over_all_records():
    attacks = [Attack(100, 70, 90, 95, 40, 30), Attack(100, 60, 80, 85, 60, 50)]
    rates = class_ratio.attack_rates([trial(i, (0, 0), (0, 0), attack) for i, attack in enumerate(attacks)])
    assert {name: rate.mean for name, rate in rates.items()} == pytest.approx(
        {"set": 0.65, "model": 0.85, "both": 0.9, "new": 0.8}
    )


def test_the_table_has_a_row_for_every_method_on_every_draw():
    rows = class_ratio.table(TRIALS)
    assert len(rows) == 9
    assert (rows[3]["draw"], rows[3]["method"], rows[3]["seconds"]) == (1, "spread on set names", 1.0)
    assert (rows[3]["true share of malignant"], rows[3]["share found of benign"]) == (0.75, 0.5)
    assert [rows[3][f"L1 error at {share:g}"] for share in SHARES] == pytest.approx([0.2 + i / 100 for i in range(9)])
