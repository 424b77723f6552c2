"""Barber's claims: misprints by hand or by quadrature, and verdicts that turn with the rows behind them."""

import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from privdemo.experiments import claims, naive_training, training
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, OPEN, UNCLEAR, barber
from privdemo.experiments.claims.claim import FORMULA
from tests.experiments.claims.changes import plus, verdicts

FIGURE_3, SECTION_61 = training.study.load("figure3"), training.study.load("section6.1")


@pytest.mark.parametrize(("place", "printed"), [("equation 2", 0.64 / 0.6), ("equation 24", 0.48 / 0.7)])
def test_a_misprinted_sign(claim_at, place, printed):
    """Lies of 0.2 turn a share of 0.4 into 0.44, lies of 0.1 and 0.2 into 0.38; the printed formula adds the lie."""
    claim = claim_at(place)
    assert (claim.ours.mean, claim.published) == pytest.approx((0.4, printed))
    assert (claim.verdict, claim.reading) == (FAILS, FORMULA)


@pytest.mark.parametrize(
    ("place", "published", "ours", "verdict"),
    [
        ("on several answers", 0.8**3, 3 * 0.8**2 * 0.2 + 0.8**3, FAILS),
        ("figure 1", None, 1 - 4 / 36, CAVEAT),
        ("figures 2 and 4", None, None, OPEN),
    ],
)
def test_numbers_by_hand(claim_at, place, published, ours, verdict):
    claim = claim_at(place)
    assert (claim.published, claim.ours and claim.ours.mean, claim.verdict) == (
        published and pytest.approx(published),
        ours and pytest.approx(ours),
        verdict,
    )


def test_naive_training_keeps_the_direction(claim_at):
    claim = claim_at("appendix B")
    assert claim.ours.mean < 0.1
    assert claim.verdict == HOLDS


def test_the_second_derivative_is_that_of_an_integral_by_another_rule(claim_at, monkeypatch):
    """−s E[ε γ(sε)] and, as printed, − s² E[φ′(sε)] more, for s = 2 and flips of 0.2, by adaptive quadrature."""
    s, normal = 2.0, norm.pdf
    pull = quad(lambda e: e * (0.8 * expit(s * e) + 0.2 * expit(-s * e)) * normal(e), -12, 12)[0]
    bend = quad(lambda e: expit(s * e) * expit(-s * e) * normal(e), -12, 12)[0]
    claim = claim_at("equation 107")
    assert (claim.published, claim.ours.mean) == pytest.approx((-s * pull - s * s * bend, -s * pull), rel=1e-9)
    assert claim.verdict == FAILS
    monkeypatch.setattr(naive_training, "misprint", lambda config: -naive_training.run(config).curvature)
    assert next(claim for claim in claims.from_formulas() if claim.place == "equation 107").verdict == HOLDS


@pytest.mark.parametrize(
    ("claim", "rows", "verdict", "method", "amount", "changed"),
    [
        (barber._spread_beats_naive, FIGURE_3, UNCLEAR, "naive", -0.1, HOLDS),
        (barber._spread_beats_naive, FIGURE_3, UNCLEAR, "naive", 0.1, FAILS),
        (barber._true_prior, FIGURE_3, CAVEAT, "spread true", 0.1, HOLDS),
        (barber._true_prior, FIGURE_3, CAVEAT, "spread true", -0.1, FAILS),
        (barber._flat_prior, FIGURE_3, CAVEAT, "spread flat", -0.1, FAILS),
        (barber._small_loss, SECTION_61, HOLDS, "spread flat", -0.1, FAILS),
        (barber._small_loss, SECTION_61, HOLDS, "spread flat", 0.1, CAVEAT),
    ],
)
def test_a_verdict_turns_with_the_accuracy_of_a_method(claim, rows, verdict, method, amount, changed):
    assert verdicts(claim, rows, plus(amount, "accuracy"), method=[method]) == (verdict, changed)
