"""Choosing between estimators: what labels are worth, every rule by made-up fits, and the fit that is handed on."""

import numpy as np
import pytest

from privdemo.estimators.choose import (
    AHEAD,
    ALONE,
    CLASSES,
    FEW,
    FEW_LABELS,
    LOW_RANK,
    NONE,
    SHARES,
    TIE,
    Choice,
    ChosenLogisticRegression,
    SharesClassifier,
    choose,
    is_better_than_shares,
    labels_worth,
    preference,
)
from privdemo.estimators.class_model import SpreadClassModel
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from tests.estimators.oracles import rng
from tests.estimators.test_class_model import people, released

EVEN, MANY = np.full(2, 0.5), 10 * FEW_LABELS


def made_up(lead, spread=1.0, n=400, seed=0):
    """Held-out people of a fit, who are better off by `lead` on average than those of lead 0."""
    return lead - 1 + spread * rng(seed).standard_normal(n)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.4])
def test_flipped_labels_are_worth_the_square_of_what_is_left(p):
    counts = np.array([300, 200])
    assert labels_worth(RandomisedResponse(p, 2).channel_matrix, counts, EVEN) == pytest.approx(500 * (1 - 2 * p) ** 2)


def test_lies_that_differ_are_worth_the_squared_correlation_of_label_and_class():
    channel, share = BinaryChannel(0.05, 0.4).channel_matrix, 0.3
    y = (rng(12).random(400_000) < share).astype(int)
    found = labels_worth(channel, np.array([60, 40]), np.array([1 - share, share]))
    assert found == pytest.approx(100 * np.corrcoef(y, released(y, channel))[0, 1] ** 2, rel=0.02)


def test_names_of_bags_are_worth_the_variance_of_their_shares():
    shares = np.array([0.2, 0.5, 0.8])
    names = np.stack([1 - shares, shares], axis=1)
    assert labels_worth(names / names.sum(axis=0), np.full(3, 100), EVEN) == pytest.approx(300 * shares.var() / 0.25)


@pytest.mark.parametrize(
    ("preference", "other", "worth", "chosen"),
    [
        (made_up(0), made_up(0.3, seed=1), MANY, ("b", AHEAD)),
        (made_up(0), made_up(0.05, seed=1), MANY, ("a", TIE)),
        (made_up(0.3), made_up(0, seed=1), MANY, ("a", AHEAD)),
        (made_up(0), made_up(0.3, seed=1), FEW_LABELS - 1, ("a", FEW)),
    ],
)
def test_the_favoured_one_is_chosen_unless_it_is_clearly_behind(preference, other, worth, chosen):
    assert choose({"a": preference, "b": other}, worth, np.ones(400)) == chosen
    assert choose({"b": other}, worth) == ("b", ALONE)


@pytest.mark.parametrize(("lead", "many", "few"), [(0.3, True, True), (0.05, True, False), (-0.3, False, False)])
def test_few_labels_must_clearly_bear_a_fit_out_and_many_must_not_speak_against_it(lead, many, few):
    held_out, alone, weights = made_up(lead), made_up(0, seed=1), np.ones(400)
    held_out[:50] = np.nan
    assert is_better_than_shares(held_out, alone, 2.0, 2, weights) is many
    assert is_better_than_shares(held_out, alone, 1.9, 2, weights) is few


def test_people_count_as_often_as_they_stand_for_and_those_not_held_out_do_not():
    preference, other = made_up(0, 0.1), made_up(0, 0.1, seed=1)
    other[:100] += 1
    other[100:] -= 0.2
    weights = np.where(np.arange(400) < 100, 1.0, 0.2)
    assert choose({"a": preference, "b": other}, MANY, weights).name == "b"
    assert choose({"a": preference, "b": other}, MANY, np.where(weights < 1, 5.0, 1.0)).name == "a"
    preference[:100] = np.nan
    assert choose({"a": preference, "b": other}, MANY, weights).name == "a"


@pytest.mark.parametrize(("n", "flip", "first"), [(200, 0.3, CLASSES), (200, 0.1, LOW_RANK)])
def test_the_chosen_fit_is_handed_on_and_few_labels_favour_the_classes(n, flip, first):
    noise, flips = GaussianNoise(0.3), RandomisedResponse(flip, 2)
    X, y = people(n)
    noisy, labels = noise.randomise(X.clip(0, 1), rng(5)), released(y, flips.channel_matrix)
    found = ChosenLogisticRegression(flips, noise).fit(noisy, labels)
    by_hand = {
        CLASSES: SpreadClassModel(flips, noise).fit(noisy, labels),
        LOW_RANK: SpreadLogisticRegression(flips, noise, "low rank", C="cv").fit(noisy, labels),
    }
    order = preference(found.labels_worth_, X.shape[1], CLASSES, LOW_RANK)
    assert order[0] == first
    choice = choose({name: by_hand[name].held_out_ for name in order}, found.labels_worth_)
    assert (found.chosen_, found.why_) == choice
    for name in ("coef_", "intercept_", "C_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(by_hand[choice.name], name))
    assert found.labels_worth_ == pytest.approx(n * (1 - 2 * flip) ** 2, rel=0.3)
    assert found.predict_proba(X).shape == (n, 2)


@pytest.mark.parametrize("noise", [None, GaussianNoise(0.3)])
def test_inputs_that_say_nothing_are_not_gone_by_and_those_that_do_are(noise):
    flips = RandomisedResponse(0.3, 2)
    X, y = people(200)
    for seed in range(5):
        labels = released(y, flips.channel_matrix, seed)
        seen = noise.randomise(X.clip(0, 1), rng(seed)) if noise else X
        assert ChosenLogisticRegression(flips, noise).fit(seen, labels).chosen_ != SHARES
        mixed = rng(100 + seed).permutation(seen)
        lost = ChosenLogisticRegression(flips, noise).fit(mixed, labels)
        assert -np.log(lost.predict_proba(X)).mean() < np.log(2) + 0.05, "the log loss of tossing a coin is ln 2"


def test_labels_that_are_worth_less_than_one_say_nothing_of_inputs():
    """Lies with 0.49 of 200 people: fits are sure of luck, and the shares of the classes are all that is said."""
    flips = RandomisedResponse(0.49, 2)
    X, y = people(200)
    found = ChosenLogisticRegression(flips).fit(X, released(y, flips.channel_matrix))
    assert (found.chosen_, found.why_) == Choice(SHARES, NONE)
    np.testing.assert_array_equal(found.coef_, 0)
    assert found.predict_proba(X)[0] == pytest.approx([0.5, 0.5], abs=0.1)
    assert found.labels_worth_ < 2


def test_shares_alone_are_learned_from_labels_alone_each_fold_from_the_others():
    channel = np.array([[0.8, 0.1, 0.2], [0.1, 0.7, 0.2], [0.1, 0.2, 0.6]])
    X, y = rng(3).random((3000, 2)), rng(4).choice(3, 3000, p=[0.5, 0.3, 0.2])
    labels = released(y, channel)
    found = SharesClassifier(channel).fit(X, labels)
    np.testing.assert_allclose(found.shares_, [0.5, 0.3, 0.2], atol=0.05)
    np.testing.assert_allclose(found.predict_proba(X)[:2], found.shares_[None].repeat(2, axis=0))
    np.testing.assert_allclose(found.held_out_, np.log(channel @ found.shares_)[labels], atol=0.02)
