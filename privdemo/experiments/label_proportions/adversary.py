"""An adversary names labels of records in the bags: from their bag, from a model, and from both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, logsumexp
from scipy.stats import binom

from privdemo.experiments.label_proportions.config import BagConfig
from privdemo.experiments.label_proportions.release import GUESS_STREAM, Release
from privdemo.experiments.trials import generator

Array = NDArray[np.floating]


class Guess(NamedTuple):
    """What an adversary believes of one record: the probability that it is positive, `by_bag` and `by_both`.

    `by_bag` follows from the released `proportion` of its `bag`, `by_both` from that and a model; `label` is the truth.
    """

    bag: int
    proportion: float
    by_bag: float
    by_both: float
    label: int


@dataclass(frozen=True)
class Attack:
    """Of `n` records in the bags, how many labels an adversary names rightly from each source: see `attack`.

    `exposed` records are in bags of one label only. `prior` is the overall share of positives, `guesses` are examples.
    """

    n: int
    prior_right: int
    bag_right: int
    model_right: int
    both_right: int
    exposed: int
    prior: float
    guesses: tuple[Guess, ...]


def attack(config: BagConfig, model: Any, released: Release) -> Attack:
    """Name the labels of the records in the bags, from their bag, a `model` trained on what was released, and both.

    Before, its label is positive with the overall share of the bags, which is taken for known; its bag's proportion
    makes that `bag_posterior`; and the model's odds for the record multiply: odds = odds(x) · odds(bag) / odds(before).
    The likelier label is named.
    """
    y, sizes = released.records.y, released.sizes
    prior = float(y.mean())
    by_bag = bag_posterior(released.proportions, sizes, config.proportion_epsilon, prior)[released.record_bags]
    by_model = np.full(len(y), prior) if model is None else model.predict_proba(released.records.X)[:, 1]
    for_it, against = by_model * by_bag * (1 - prior), (1 - by_model) * (1 - by_bag) * prior
    with np.errstate(invalid="ignore"):
        by_both = np.where(for_it + against > 0, for_it / (for_it + against), by_bag)
    right = [int(((guess > 0.5) == y).sum()) for guess in (np.full(len(y), prior), by_bag, by_model, by_both)]
    one_label = (released.true_proportions == 0) | (released.true_proportions == 1)
    order = generator(config, GUESS_STREAM).permutation(len(y))
    some = np.concatenate([order[y[order] == label][:3] for label in (1, 0)])
    guesses = tuple(
        Guess(
            int(released.record_bags[i]),
            float(released.proportions[released.record_bags[i]]),
            float(by_bag[i]),
            float(by_both[i]),
            int(y[i]),
        )
        for i in some
    )
    return Attack(len(y), right[0], right[1], right[2], right[3], int(sizes[one_label].sum()), prior, guesses)


def bag_posterior(proportions: Array, sizes: Array, epsilon: float, prior: float) -> Array:
    """Return P(a record is positive | its bag's released proportion), (B,), records being positive with `prior` each.

    A bag of m has s + 1 positives if the record is one, else s, with s ~ Binomial(m − 1, prior), and Laplace noise of
    scale 1/(mε) on their share: the likelihood of both is a sum over s. Without noise it is the proportion itself.
    """
    if math.isinf(epsilon):
        return np.asarray(proportions, dtype=float)
    posterior = np.empty(len(proportions))
    for bag, (released, m) in enumerate(zip(proportions, np.asarray(sizes, dtype=int), strict=True)):
        others = np.arange(m)
        log_share = binom.logpmf(others, m - 1, prior)
        log_noise = [-epsilon * np.abs(m * released - others - own) for own in (0, 1)]  # |x| / b, b = 1/(mε)
        no, yes = (logsumexp(log_share + noise) for noise in log_noise)
        posterior[bag] = expit(logit(prior) + yes - no)
    return posterior
