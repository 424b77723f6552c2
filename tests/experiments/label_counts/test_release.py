"""Distortion of released counts: releases made by hand, known distortions, promises, axes and winners."""

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


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("laplace published", 0.165),
        ("laplace tight", 0.038),
        ("gaussian published", 0.211),
        ("gaussian tight", 0.028),
        ("dirichlet published", 0.310),
        ("dirichlet local", 0.037),
    ],
)
def test_the_papers_design_gives_the_known_distortions(name, expected):
    outcome = label_counts.run(replace(CONFIG, repeats=2000, releases=(name,)))[name]
    # five standard errors, and half a unit of the known value's last digit
    assert abs(outcome.distortion.mean - expected) < 5 * outcome.deviation / math.sqrt(2000) + 0.0005
    assert abs(outcome.distortion.mean - 0.9 * expected) > 5 * outcome.deviation / math.sqrt(2000)


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


@pytest.mark.parametrize("axis", label_counts.AXES)
def test_a_curve_is_a_run_at_every_level(axis):
    config = replace(CONFIG, repeats=20, releases=("laplace tight", "dirichlet public"), seed=2)
    along = label_counts.along(config, axis, 4, 800, 0.1)
    for level, here in along.items():
        if axis == label_counts.C_AXIS:
            expected = replace(config, counts=label_counts.design(int(level), 800, 0.1))
        elif axis == label_counts.RHO_AXIS:
            expected = replace(config, counts=label_counts.design(4, 800, level))
        else:
            expected = replace(config, **{axis: level})
        assert repr(here) == repr(label_counts.run(expected))
    assert set(along) == set(label_counts.AXES[axis])
    assert axis != label_counts.C_AXIS or 10.0 not in label_counts.along(config, axis, 4, 800, 0.2), "nothing is left"


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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"counts": (3,)}, "number of classes"),
        ({"counts": (0, 0)}, "empty set"),
        ({"epsilon": 0.0}, "epsilon must be in"),
        ({"delta": 0.31}, "delta must be in"),
        ({"n_min": 0}, "n_min must be"),
        ({"repeats": 1}, "repeats must be"),
        ({"releases": ()}, "releases must be one or more of laplace published"),
        ({"releases": ("magic",)}, "got magic"),
    ],
)
def test_a_bad_config_gets_a_sentence(change, words):
    with pytest.raises(ValueError, match=words):
        replace(CONFIG, **change)
