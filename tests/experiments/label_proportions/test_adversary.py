"""What bags tell of a label: Bayes' rule over all labellings, and the attack made again."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from privdemo.experiments.label_proportions import bag_posterior, draw_release
from privdemo.methods import ALTERNATING, FULL, LLP, MEAN_MAP, NAMES
from tests.experiments.label_proportions.cases import CASES, NOISY, SINGLE, fit_model, run_once


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize(("epsilon", "prior"), [(0.1, 0.2), (1.0, 0.5), (4.0, 0.9)])
def test_a_noisy_proportion_tells_what_all_labels_of_a_small_bag_say(m, epsilon, prior):
    released = np.array([-1.3, 0.0, 0.31, 0.5, 1.0, 2.4])
    found = bag_posterior(released, np.full(6, float(m)), epsilon, prior)
    law = stats.laplace(scale=1 / (m * epsilon))
    for r, one in zip(released, found, strict=True):
        by_first_label = [0.0, 0.0]
        for labels in itertools.product([0, 1], repeat=m):
            chance = math.prod(prior if label else 1 - prior for label in labels)
            by_first_label[labels[0]] += chance * law.pdf(r - sum(labels) / m)
        assert one == pytest.approx(by_first_label[1] / sum(by_first_label), rel=1e-11)


@pytest.mark.parametrize(("m", "epsilon", "prior"), [(1, 0.01, 0.5), (20, 1.0, 0.02), (1000, 20.0, 0.98)])
def test_no_noisy_proportion_moves_the_odds_of_a_label_by_more_than_epsilon(m, epsilon, prior):
    low, high = expit(logit(prior) - epsilon), expit(logit(prior) + epsilon)
    least, *between, most = bag_posterior(np.array([-0.5, 0.1, 0.5, 0.9, 1.5]), np.full(5, m), epsilon, prior)
    assert (least, most) == (pytest.approx(low, rel=1e-9), pytest.approx(high, rel=1e-9))
    assert all(low * (1 - 1e-9) <= one <= high * (1 + 1e-9) for one in between)
    exact, sizes = np.array([0.0, 0.25, 1.0]), np.array([4, 4, 7])
    for noiseless in (math.inf, 60.0):
        np.testing.assert_allclose(bag_posterior(exact, sizes, noiseless, 0.4), exact, atol=1e-12)


def combined(by_model, by_bag, prior):
    """odds(x) · odds(bag) / odds(overall), by Bayes."""
    if by_bag in (0, 1):
        return by_bag
    odds = by_model / (1 - by_model) * by_bag / (1 - by_bag) * (1 - prior) / prior
    return odds / (1 + odds)


@pytest.mark.parametrize(
    ("config", "model"),
    [
        *((config, NAMES) for config in CASES.values()),
        (replace(SINGLE, methods=(MEAN_MAP, ALTERNATING)), ALTERNATING),
        (replace(NOISY, methods=(LLP, MEAN_MAP)), LLP),
        (replace(SINGLE, methods=(FULL,)), None),
    ],
)
def test_the_attack_made_again_names_as_many(config, model):
    attack, released = run_once(config).attack, draw_release(config)
    X, y = released.records
    prior, epsilon = sum(y) / len(y), config.proportion_epsilon
    said = bag_posterior(released.proportions, released.sizes, epsilon, prior)
    by_bag = said[released.record_bags]
    by_model = [prior] * len(y) if model is None else fit_model(model, config).predict_proba(X)[:, 1].tolist()
    by_both = [combined(m, b, prior) for m, b in zip(by_model, by_bag, strict=True)]
    right = [
        sum((guess > 0.5) == label for guess, label in zip(guesses, y, strict=True))
        for guesses in ([prior] * len(y), by_bag, by_model, by_both)
    ]
    assert (attack.n, attack.prior) == (len(y), pytest.approx(prior, abs=1e-12))
    assert [attack.prior_right, attack.bag_right, attack.model_right, attack.both_right] == right
    assert attack.exposed == sum(len(set(y[released.record_bags == b])) == 1 for b in released.record_bags)
    assert attack.exposed > 0 or config.selection not in ("skewed", "even")
    assert [guess.label for guess in attack.guesses] == [1, 1, 1, 0, 0, 0]
    for guess in attack.guesses:
        assert (guess.proportion, guess.by_bag) == (released.proportions[guess.bag], said[guess.bag])
        alike = [i for i, b in enumerate(released.record_bags) if (b, y[i]) == (guess.bag, guess.label)]
        assert min(abs(by_both[i] - guess.by_both) for i in alike) < 1e-9
