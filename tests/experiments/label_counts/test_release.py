"""Distortion of released counts: releases made by hand, promises, and winners."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig, Outcome
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES, calibrate

CONFIG = CountConfig()
SHARE = np.array(CONFIG.counts) / sum(CONFIG.counts)


def test_an_outcome_is_the_mean_distance_of_so_many_releases():
    outcomes = label_counts.run(replace(CONFIG, repeats=50, seed=4))
    assert list(outcomes) == list(RELEASES)
    for name, outcome in outcomes.items():
        mechanism = calibrate(name, 0.05, 0.05, CONFIG.counts, 25)
        released = mechanism.randomise(np.tile(CONFIG.counts, (50, 1)), np.random.default_rng(4))
        distances = [sum(abs(p - q) for p, q in zip(row, SHARE, strict=True)) for row in released]
        assert outcome.distortion.mean == pytest.approx(np.mean(distances))
        assert outcome.deviation == pytest.approx(np.std(distances, ddof=1))
        assert outcome.example == pytest.approx(released[0])
        inside = [(released[:, c] >= low) & (released[:, c] <= high) for c, (low, high) in enumerate(outcome.ranges)]
        assert all(0.9 <= some.mean() <= 0.96 for some in inside), "all but one or two of 50 at either end"
        assert outcome.delta == mechanism.delta_at(0.05)
    assert label_counts.run(replace(CONFIG, repeats=50, seed=4)) == outcomes
    assert label_counts.run(replace(CONFIG, repeats=50, seed=5)) != outcomes


def test_a_promise_holds_only_where_its_exact_delta_does_and_no_private_count_chose_the_noise():
    outcomes = label_counts.run(CONFIG)
    assert {name for name, o in outcomes.items() if not o.holds} == {"dirichlet published", "dirichlet local"}
    at_large_epsilon = label_counts.run(replace(CONFIG, epsilon=10.0, delta=1e-6))
    assert not at_large_epsilon["gaussian published"].holds, "its formula is proved for ε < 1"
    assert at_large_epsilon["gaussian published"].delta > 1e-6
    assert at_large_epsilon["gaussian tight"].holds


def test_where_there_is_no_noise_the_outcome_says_why_and_the_others_go_on():
    outcomes = label_counts.run(replace(CONFIG, delta=0.0))
    assert "use Laplace noise" in outcomes["gaussian tight"].problem
    assert outcomes["laplace tight"].holds
    assert math.isnan(outcomes["dirichlet public"].distortion.mean)
    assert "n_min ≥ 83" in label_counts.run(replace(CONFIG, delta=1e-4))["dirichlet public"].problem
    assert "n_min = 60" in label_counts.run(replace(CONFIG, n_min=60))["dirichlet public"].problem


def test_the_design_is_the_papers_and_says_where_nothing_is_left():
    assert label_counts.design(5, 1000, 0.05) == (50, 50, 50, 50, 800)
    with pytest.raises(ValueError, match=r"a share of 0.3 for 4 classes leaves nothing for the last; .* below 0.25"):
        label_counts.design(5, 1000, 0.3)


def outcome(name, mean, holds=True, half=0.001):
    return Outcome(name, None, Estimate(mean, mean - half, mean + half), half, (), (), 0.0, holds)


def test_the_winner_is_the_least_distortion_of_those_that_hold_and_near_ones_are_named():
    here = {
        "laplace tight": outcome("laplace tight", 0.05),
        "gaussian tight": outcome("gaussian tight", 0.0515),
        "dirichlet local": outcome("dirichlet local", 0.01, holds=False),
        "laplace published": outcome("laplace published", 0.2),
    }
    none = {"dirichlet local": outcome("dirichlet local", 0.01, holds=False)}
    found = label_counts.winners({0.1: here, 0.01: none})
    assert found == [label_counts.Winner(0.1, "laplace tight", 0.05, ("gaussian tight",))]
