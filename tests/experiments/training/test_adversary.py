"""The attack made again, and what a lie promises about a label."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.experiments import training
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.methods import CLEAN
from tests.experiments.training.cases import ADDED, DIGITS, OUTWEIGHED, run_once


@pytest.mark.parametrize(
    "config", [DIGITS, ADDED, OUTWEIGHED, replace(DIGITS, labels=BinaryChannel(0.9, 0.3), methods=(CLEAN,))]
)
def test_the_attack_made_again_names_as_many(config):
    _, _, X_noisy, y_noisy, X_test, y, _ = training.draw_release(config)
    rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(config.draw, 3)))
    X_fresh, y_fresh = config.pixels.randomise(X_test, rng), config.labels.randomise(y, rng)
    model = SpreadLogisticRegression(config.labels, config.pixels, C="cv").fit(X_noisy, y_noisy)
    inverted = config.labels.channel_matrix[0, 1] + config.labels.channel_matrix[1, 0] > 1
    attack = run_once(config).attack
    assert attack.n == len(y)
    assert attack.label == ((y_fresh == y) != inverted).sum()
    assert attack.image == ((model.released_proba(X_fresh)[:, 1] > 0.5) == y).sum()
    assert attack.both == ((model.released_proba(X_fresh, y_fresh)[:, 1] > 0.5) == y).sum()


@pytest.mark.parametrize("labels", [RandomisedResponse(0.2), BinaryChannel(0.1, 0.4), BinaryChannel(0.9, 0.3)])
def test_the_best_guess_is_that_of_the_best_of_all_rules(labels):
    rules = itertools.product((0, 1), repeat=2)
    best = max(sum(labels.channel_matrix[said, truth] for said, truth in enumerate(rule)) / 2 for rule in rules)
    assert training.best_guess(labels) == pytest.approx(best, abs=1e-15)


def test_equivalent_epsilon_is_that_of_the_lie_that_gives_as_much_away():
    for p in (0.001, 0.2, 0.5):
        for accuracy in (p, 1 - p):  # always wrong tells as much
            assert training.equivalent_epsilon(accuracy) == pytest.approx(RandomisedResponse(p).epsilon, abs=1e-12)
    assert training.equivalent_epsilon(1.0) == training.equivalent_epsilon(0.0) == math.inf
    with pytest.raises(ValueError, match=r"share must be in \[0, 1\], got"):
        training.equivalent_epsilon(1.1)
