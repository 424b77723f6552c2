"""An advice tried out: how far the result is off when the plan is carried out many times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privdemo.advise.question import CLASSIFIER, COUNTS
from privdemo.advise.recommend import Advice
from privdemo.advise.shipped import lost_by_trial
from privdemo.advise.ways import GAUSSIAN_COUNTS, oracle_of
from privdemo.estimators import votes
from privdemo.mechanisms.frequency_oracles import ORACLES

Array = NDArray[np.floating]


def simulated_half_width(advice: Advice, repeats: int = 20_000, seed: int = 0) -> float:
    """Return the distance from the truth that 95 % of `repeats` results of the plan keep, in shares of all people.

    Each time other people are asked, of whom the plan's `share` have the answer in expectation (in a table they are the
    same), and the noise is another. For a classifier it is the mean accuracy that is lost in the shipped trials.
    """
    question, plan = advice.question, advice.plan
    if question.ask == CLASSIFIER:
        return float(np.mean(lost_by_trial(question.dataset, plan.mechanism, plan.epsilon)))
    rng = np.random.default_rng(seed)
    share, n = 0.5 if plan.share is None else plan.share, plan.people
    have = np.full(repeats, round(share * n)) if question.ask == COUNTS else rng.binomial(n, share, repeats)
    truth = have / n if question.ask == COUNTS else share
    if plan.mechanism in ORACLES:
        oracle = oracle_of(question, plan)
        supported = rng.binomial(have, oracle.p) + rng.binomial(n - have, oracle.q)
        found = votes.corrected(supported / n, oracle.one_against_rest)
    else:
        found = (have + _noise(advice, repeats, rng)) / n
    return float(np.quantile(np.abs(found - truth), 0.95))


def _noise(advice: Advice, repeats: int, rng: np.random.Generator) -> Array:
    """Return sums of the noise of all groups; that of Laplace noise is a difference of gamma variates."""
    groups = (advice.question.groups or 1) if advice.plan.trust == "leader" else 1
    parameters = advice.plan.parameters
    if advice.plan.mechanism == GAUSSIAN_COUNTS:
        return parameters["sigma"] * np.sqrt(groups) * rng.standard_normal(repeats)
    return parameters["scale"] * (rng.standard_gamma(groups, repeats) - rng.standard_gamma(groups, repeats))
