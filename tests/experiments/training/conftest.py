"""Trials that tests of scores and of tables share."""

import numpy as np
import pytest
from scipy.special import expit

from privdemo.methods import CLEAN, NAIVE, SPREAD
from tests.experiments.training.cases import make_trial


@pytest.fixture(scope="package")
def three_trials():
    """Three methods on three draws of a hundred images each, better and worse."""
    rng = np.random.default_rng(1)
    trials = []
    for draw in range(3):
        y = rng.integers(0, 2, 100)
        score = 2 * y - 1 + rng.normal(size=100)
        probas = {CLEAN: expit(3 * score), NAIVE: expit(score), SPREAD: expit(2 * score + 0.5)}
        trials.append(make_trial(probas, y, draw))
    return trials
