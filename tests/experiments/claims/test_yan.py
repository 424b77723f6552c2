"""Yan's claims: the slides' formulas by hand, and verdicts that turn with the rows behind them."""

import math

import pytest

from privdemo.experiments import label_proportions
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, yan
from tests.experiments.claims.changes import plus, verdicts

BAGS = label_proportions.study.load()
F1, LOSS = ("average", "low", "high"), ("loss", "loss_low", "loss_high")


@pytest.mark.parametrize(
    ("place", "words", "published", "ours", "verdict"),
    [
        # the gradient keeps to the sign
        ("slides on the model", "", 1 / (1 + math.e), 1 / (1 + math.exp(-1)), CAVEAT),
        ("slides on accuracy loss", "at θ = 0", 1.0, math.log(2), FAILS),
        # ½ (1 + 2) for the positives 1 and 2, less ½ · 4 for the negative 4
        ("slides on accuracy loss", "slope", 1.5, -0.5, FAILS),
        ("slides on accuracy loss", "random-k", 0, 0, HOLDS),
        ("slides on sensitivity", "a bag’s share", 0.25, 0.25, HOLDS),
    ],
)
def test_formulas_by_hand(claim_at, place, words, published, ours, verdict):
    claim = claim_at(place, words)
    assert ((claim.published or 0), claim.ours.mean) == pytest.approx((published, ours), abs=1e-12)
    assert claim.verdict == verdict


@pytest.mark.parametrize(
    ("groups", "least", "most", "verdict"),
    [("random-k", 0.45, 0.5, HOLDS), ("nearest-k", 0.55, 1, FAILS), ("k-tree", 0.55, 1, FAILS)],
)
def test_only_means_of_random_groups_move_by_at_most_1_over_k(claim_at, groups, least, most, verdict):
    claim = claim_at("slides on sensitivity", groups)
    assert (claim.published, claim.verdict) == (0.5, verdict)
    assert least < claim.ours.mean <= most


@pytest.mark.parametrize(
    ("claim", "verdict", "how", "where", "changed"),
    [
        (yan._robust, FAILS, plus(-0.2, *F1), {"method": ["labelled"], "aggregation": ["nearest-k"]}, HOLDS),
        (yan._loss_of_information, HOLDS, plus(0.5, *LOSS), {"aggregation": ["nearest-k"]}, FAILS),
        (yan._more_bags, CAVEAT, plus(-0.3, *F1), {"study": ["bags"], "n_bags": [200]}, FAILS),
        (yan._more_bags, CAVEAT, plus(0.3, *F1), {"study": ["bags"], "n_bags": [200]}, HOLDS),
    ],
)
def test_a_verdict_turns_with_its_rows(claim, verdict, how, where, changed):
    assert verdicts(claim, BAGS, how, **where) == (verdict, changed)
