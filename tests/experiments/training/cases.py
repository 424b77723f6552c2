"""Small experiments on training, and trials made of given probabilities."""

from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.experiments import training
from privdemo.experiments.training import Attack, Fit, TrainingConfig, Trial
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import PUBLISHED, TRAINING

K = 17
QUICK = tuple(name for name in TRAINING if name != PUBLISHED)
DIGITS = TrainingConfig("digits", n_train=30, pixels=RandomisedResponse(0.2, K), methods=QUICK)
ADDED = replace(DIGITS, pixels=GaussianNoise(0.3), labels=BinaryChannel(0.1, 0.3), classes=("8", "3"))
OUTWEIGHED = replace(DIGITS, labels=BinaryChannel(0.9, 0.8), draw=3)  # lies outweigh truths

run_once = cache(training.run)


def make_trial(probas, y, draw=0, attack=None):
    """A trial in which methods give the images of classes `y` these probabilities of class 1."""
    y = np.asarray(y)
    fits = {}
    for name, given in probas.items():
        p = np.asarray(given, dtype=float)
        marks = accuracy_score(y, p > 0.5), log_loss(y, p), brier_score_loss(y, p)
        fits[name] = Fit(name, p, np.arange(4.0), 0.5, 10.0 * (draw + 1), 0.1, 0.2, *map(float, marks), None)
    return Trial(replace(DIGITS, draw=draw), fits, y, attack or Attack(len(y), 0, 0, 0))
