"""What bags tell of a label: Bayes' rule over all labellings, and the attack made again."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit

from privdemo.experiments.label_proportions import BagConfig, bag_posterior, draw_release, run
from privdemo.methods import ALTERNATING, FULL, LLP, MEAN_MAP, NAMES
from tests.experiments.label_proportions.cases import CASES, NOISY, SINGLE, fit_model, run_once


def expected_share(released, m, epsilon, prior):
    """E[share of positives | what was released of a bag of m]: Bayes over how many are positive."""
    if math.isinf(epsilon):
        return float(released)
    chances = [
        math.comb(m, t) * prior**t * (1 - prior) ** (m - t) * math.exp(-epsilon * abs(m * released - t))
        for t in range(m + 1)
    ]
    return math.fsum(t / m * chance for t, chance in enumerate(chances)) / math.fsum(chances)


@pytest.mark.parametrize("m", [1, 2, 5, 8])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("prior", [0.2, 0.5, 0.9])
def test_a_noisy_proportion_tells_what_all_labels_of_a_small_bag_say(m, epsilon, prior):
    released = np.array([-1.3, 0.0, 0.31, 0.5, 0.77, 1.0, 2.4])
    found = bag_posterior(released, np.full(7, float(m)), epsilon, prior)
    law = stats.laplace(scale=1 / (m * epsilon))
    for r, one in zip(released, found, strict=True):
        by_first_label = [0.0, 0.0]
        for labels in itertools.product([0, 1], repeat=m):
            chance = math.prod(prior if label else 1 - prior for label in labels)
            by_first_label[labels[0]] += chance * law.pdf(r - sum(labels) / m)
        assert one == pytest.approx(by_first_label[1] / sum(by_first_label), rel=1e-11)
        assert one == pytest.approx(expected_share(r, m, epsilon, prior), rel=1e-11)
    other = bag_posterior(released, np.full(7, float(m)), 1.5 * epsilon, prior)
    assert np.abs(other - found).max() > 1e-3


@given(
    m=st.integers(1, 1000),
    epsilon=st.floats(0.01, 20),
    prior=st.floats(0.02, 0.98),
    released=st.floats(-3, 4, allow_nan=False),
)
def test_no_noisy_proportion_moves_the_odds_of_a_label_by_more_than_epsilon(m, epsilon, prior, released):
    low, high = expit(logit(prior) - epsilon), expit(logit(prior) + epsilon)
    found, least, most = bag_posterior(np.array([released, -0.5, 1.5]), np.full(3, m), epsilon, prior)
    # logarithms of up to 20 · 4000, rounded
    assert low * (1 - 1e-9) <= found <= high * (1 + 1e-9)
    assert 1 - found >= (1 - high) * (1 - 1e-9) - 1e-15
    # and beyond all proportions by just as much
    assert (least, most) == (pytest.approx(low, rel=1e-9), pytest.approx(high, rel=1e-9))


@pytest.mark.parametrize("epsilon", [math.inf, 60.0])
def test_without_noise_a_proportion_is_what_it_says(epsilon):
    exact = np.array([0.0, 0.25, 1.0])
    np.testing.assert_allclose(bag_posterior(exact, np.array([4, 4, 7]), epsilon, 0.4), exact, atol=1e-12)


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
    prior, sizes = sum(y) / len(y), released.sizes.astype(int)
    epsilon = config.proportion_epsilon
    said = [expected_share(p, int(m), epsilon, prior) for p, m in zip(released.proportions, sizes, strict=True)]
    by_bag = [said[b] for b in released.record_bags]
    by_model = [prior] * len(y) if model is None else fit_model(model, config).predict_proba(X)[:, 1].tolist()
    by_both = [combined(m, b, prior) for m, b in zip(by_model, by_bag, strict=True)]

    def right(guesses):
        return sum((guess > 0.5) == label for guess, label in zip(guesses, y, strict=True))

    assert attack.n == len(y)
    assert attack.prior == pytest.approx(prior, abs=1e-12)
    assert attack.prior_right == right([prior] * len(y))
    assert attack.bag_right == right(by_bag)
    assert attack.model_right == right(by_model)
    assert attack.both_right == right(by_both)
    assert attack.exposed == sum(len(set(y[released.record_bags == b])) == 1 for b in released.record_bags)
    assert attack.exposed > 0 or config.selection not in ("skewed", "even")
    assert [guess.label for guess in attack.guesses] == [1, 1, 1, 0, 0, 0]
    for guess in attack.guesses:
        assert guess.proportion == released.proportions[guess.bag]
        assert guess.by_bag == pytest.approx(said[guess.bag], rel=1e-11)
        alike = [i for i, b in enumerate(released.record_bags) if (b, y[i]) == (guess.bag, guess.label)]
        assert min(abs(by_both[i] - guess.by_both) for i in alike) < 1e-9


def test_bags_of_one_label_give_every_label_away():
    config = BagConfig("breast_cancer", 2, 20, "even", methods=(NAMES,))
    attack = run(config).attack
    assert (attack.exposed, attack.bag_right, attack.both_right) == (40, 40, 40)
    assert {guess.by_both for guess in attack.guesses} == {0.0, 1.0}
    mixed = run(replace(config, selection="iid")).attack
    assert mixed.exposed == 0
    assert mixed.bag_right < 40
