"""Means over hand-made trials, beside the same numbers by hand."""

import math

import numpy as np
import pytest

from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import Fit, RatioConfig, Trial
from privdemo.methods import MMD, RFF, SPREAD

# t(0.975) with two degrees of freedom.
T_2 = 4.3027


def trial(draw, spread, mmd):
    """Two classes, of which the asked set has shares 0.25 and 0.75; (share found, error at every share) a method."""
    fits = {
        name: Fit(name, (found, 1 - found), tuple(error + i / 100 for i in range(9)), 1.0)
        for name, (found, error) in ((SPREAD, spread), (MMD, mmd), (RFF, (mmd[0] + 0.1, mmd[1])))
    }
    config = RatioConfig("breast_cancer", 2, 80, draw=draw)
    p = np.eye(2)
    return Trial(config, (0.25, 0.75), fits, p, p, 0.0, "none", False, 1, None, 1.0, 1.0, 1.0, None)


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
