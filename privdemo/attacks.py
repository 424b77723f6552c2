"""What an adversary infers from one released record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import expit
from scipy.stats import binom

from privdemo import limits
from privdemo.accounting import compose
from privdemo.mechanisms import BinaryChannel

Array = NDArray[np.floating]


def linked(log_likelihood: Array, owner: NDArray[np.integer]) -> Array:
    """Return how often each released record's top match among the candidates is its owner, (n_released,).

    `log_likelihood` (n_released, n_candidates), a mechanism's `pairwise_log_likelihood`; `owner` (n_released,) the true
    candidate. A tie at the top is broken at random, so it counts as 1/(number tied) of a success.
    """
    top = best(log_likelihood)
    return top[np.arange(len(owner)), owner] / top.sum(axis=1)


def best(log_likelihood: Array) -> NDArray[np.bool_]:
    """Return which candidates fit each released record best, as well as any other but for rounding, in its shape."""
    highest = log_likelihood.max(axis=1, keepdims=True)
    return log_likelihood >= highest - 1e-9 * np.maximum(1.0, np.abs(highest))


def guess_labels(released: NDArray, released_labels: NDArray[np.integer], targets: NDArray) -> NDArray[np.integer]:
    """Return the label of each target image, from the nearest class mean of other people's releases.

    Trained on `released` (n, d) and `released_labels` (n,) alone, both as noisy as they were sent;
    `targets` (m, d) are released images. The simplest learner there is: a floor for what others do.
    """
    classes = np.unique(released_labels)
    means = np.stack([released[released_labels == c].mean(axis=0, dtype=float) for c in classes])
    return classes[cdist(targets, means, "sqeuclidean").argmin(axis=1)]


class RepeatedAnswers(NamedTuple):
    """What M independent answers of one person give away about a yes or no.

    `chances` (2, M+1): P(j answers are 1 | truth 0) and P(j answers are 1 | truth 1), j = 0 … M.
    `posterior` (M+1,): P(truth 1 | j answers are 1), and `log_odds` (M+1,) its log odds, which go on growing where the
    probability rounds to 1; nan where j cannot happen.
    `guess_before`: how often the likelier truth is the truth before any answer.
    `majority_right`: how often the majority is the truth, a tie settled by a coin.
    `best_guess_right`: how often the likelier truth is the truth; no guess can do better.
    """

    chances: Array
    posterior: Array
    log_odds: Array
    guess_before: float
    majority_right: float
    best_guess_right: float


def repeated_answers(channel: BinaryChannel, prior: float, n_answers: int) -> RepeatedAnswers:
    """Return the posterior after M = `n_answers` answers, p(c | c₁…c_M) ∝ p(c) Π p(c_m | c) (Barber eq. 3), exactly.

    `prior` is P(truth 1). Only the number j of 1s matters, binomial given the truth. Together the
    answers cost M times the channel's ε: composition is tight here, for all M may be alike.
    """
    limits.N_ANSWERS.check(n_answers)
    limits.PRIOR.check(prior)
    ones = np.arange(n_answers + 1)
    log_chances = np.stack([binom.logpmf(ones, n_answers, chance) for chance in (channel.p10, 1 - channel.p01)])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_joint = np.log([[1 - prior], [prior]]) + log_chances
        log_odds = log_joint[1] - log_joint[0]
    joint = np.exp(log_joint)
    majority = np.sign(2 * ones - n_answers)  # 0 is a tie
    right = np.stack([1 - majority, 1 + majority]) / 2
    return RepeatedAnswers(
        chances=np.exp(log_chances),
        posterior=expit(log_odds),
        log_odds=log_odds,
        guess_before=max(prior, 1 - prior),
        majority_right=float((joint * right).sum()),
        best_guess_right=float(joint.max(axis=0).sum()),
    )


def repeated_table(all_guesses: Sequence[RepeatedAnswers], epsilon: float) -> list[dict[str, Any]]:
    """Return one row for each number of answers M = 1, 2, … and each number j of 1s among them; `epsilon` is that of
    one.
    """
    return [
        {
            "answers": m,
            "epsilon": compose(epsilon, m),
            "majority_right": found.majority_right,
            "best_guess_right": found.best_guess_right,
            "ones": j,
            "chance_if_0": float(found.chances[0, j]),
            "chance_if_1": float(found.chances[1, j]),
            "posterior_of_1": float(found.posterior[j]),
            "log_odds_of_1": float(found.log_odds[j]),
        }
        for m, found in enumerate(all_guesses, start=1)
        for j in range(m + 1)
    ]
