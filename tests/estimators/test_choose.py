"""Choosing between estimators: what labels are worth, every rule by made-up fits, and the fit that is handed on."""

from types import SimpleNamespace

import numpy as np
import pytest

from privdemo.estimators.choose import (
    AHEAD,
    ALONE,
    CLASSES,
    FEW,
    FEW_LABELS,
    LOW_RANK,
    TIE,
    ChosenLogisticRegression,
    choose,
    labels_worth,
)
from privdemo.estimators.class_model import SpreadClassModel
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from tests.estimators.oracles import rng
from tests.estimators.test_class_model import people, released

EVEN, MANY = np.full(2, 0.5), 10 * FEW_LABELS


def made_up(lead, spread=1.0, coef=1.0, n=400, seed=0):
    """A fit whose held-out people are better off by `lead` on average than those of lead 0."""
    return SimpleNamespace(coef_=np.array([[coef, 0]]), held_out_=lead - 1 + spread * rng(seed).standard_normal(n))


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
    ("favoured", "other", "worth", "chosen"),
    [
        (made_up(0), made_up(0.3, seed=1), MANY, ("b", AHEAD)),
        (made_up(0), made_up(0.05, seed=1), MANY, ("a", TIE)),
        (made_up(0.3), made_up(0, seed=1), MANY, ("a", AHEAD)),
        (made_up(0), made_up(0.3, seed=1), FEW_LABELS - 1, ("a", FEW)),
        (made_up(0, coef=1e-6), made_up(0.3, seed=1), MANY, ("b", ALONE)),
        (made_up(0, coef=1e-6), made_up(0.3, seed=1), FEW_LABELS - 1, ("b", ALONE)),
        (made_up(0.3, coef=1e-6), made_up(0, seed=1), MANY, ("a", AHEAD)),
        (made_up(0.3, coef=1e-6), made_up(0, seed=1), FEW_LABELS - 1, ("a", FEW)),
        (made_up(0, coef=1e-6), made_up(0.3, coef=1e-6, seed=1), MANY, ("b", AHEAD)),
    ],
)
def test_the_favoured_one_is_chosen_unless_it_is_clearly_behind_or_says_nothing(favoured, other, worth, chosen):
    assert choose({"a": favoured, "b": other}, worth, np.ones(400)) == chosen


def test_people_count_as_often_as_they_stand_for_and_those_not_held_out_do_not():
    favoured, other = made_up(0, 0.1), made_up(0, 0.1, seed=1)
    other.held_out_[:100] += 1
    other.held_out_[100:] -= 0.2
    weights = np.where(np.arange(400) < 100, 1.0, 0.2)
    assert choose({"a": favoured, "b": other}, MANY, weights).name == "b"
    assert choose({"a": favoured, "b": other}, MANY, np.where(weights < 1, 5.0, 1.0)).name == "a"
    favoured.held_out_[:100] = np.nan
    assert choose({"a": favoured, "b": other}, MANY, weights).name == "a"


@pytest.mark.parametrize(("n", "flip", "favoured"), [(200, 0.3, CLASSES), (200, 0.1, LOW_RANK)])
def test_the_chosen_fit_is_handed_on_and_few_labels_favour_the_classes(n, flip, favoured):
    noise, flips = GaussianNoise(0.3), RandomisedResponse(flip, 2)
    X, y = people(n)
    noisy, labels = noise.randomise(X.clip(0, 1), rng(5)), released(y, flips.channel_matrix)
    found = ChosenLogisticRegression(flips, noise).fit(noisy, labels)
    by_hand = {
        CLASSES: SpreadClassModel(flips, noise).fit(noisy, labels),
        LOW_RANK: SpreadLogisticRegression(flips, noise, "low rank", C="cv").fit(noisy, labels),
    }
    order = (favoured, *(set(by_hand) - {favoured}))
    choice = choose({name: by_hand[name] for name in order}, found.labels_worth_, np.ones(n))
    assert (found.chosen_, found.why_) == choice
    for name in ("coef_", "intercept_", "C_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(by_hand[choice.name], name))
    assert found.labels_worth_ == pytest.approx(n * (1 - 2 * flip) ** 2, rel=0.3)
    assert found.predict_proba(X).shape == (n, 2)
