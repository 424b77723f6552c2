"""The page of claims: every claim is shown with its numbers as they are, and can be chosen by source and verdict."""

import pytest

from pages.kit.draws import Draws
from pages.topics.claims import PAGE
from pages.topics.claims.answer import Answer, answer, ours, row
from pages.topics.claims.controls import Question
from privdemo.experiments import claims
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, OPEN, Claim
from privdemo.experiments.claims.claim import exactly
from privdemo.intervals import Estimate
from tests.pages.visiting import html, takeaway, visit


@pytest.fixture(scope="module")
def everything():
    return claims.all_claims()


def a_claim(**changes) -> Claim:
    return Claim(
        **{"source": "Yan", "place": "table 1", "words": "it is so", "verdict": HOLDS, "why": "it is", "ours": None}
        | changes
    )


def shown(**asked) -> Answer:
    return answer(Question(**asked), Draws())


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (Estimate(0.967, 0.965, 0.969), "%", "96.7 ± 0.2 %"),
        (exactly(1.067), "%", "106.7 %"),
        (Estimate(0.5, 0.47, 0.53), "", "0.500 ± 0.030"),
    ],
)
def test_ours_is_written_in_the_unit_of_the_claim(value, unit, words):
    assert ours(a_claim(ours=value, unit=unit)) == words


def test_a_row_says_which_claim_what_is_published_and_why():
    claim = a_claim(published=0.4, unit="%", reading="by its formula", verdict=CAVEAT, command="run it", seeds="10")
    name, published, _, verdict, how = row(7, claim)
    assert name == "7 · <b>Yan, table 1</b>: it is so"
    assert published == "40.0 % (by its formula)"
    assert verdict == "≈ <b>holds with a caveat</b>: it is"
    assert "run it" in how
    assert "10" in how


def test_the_takeaway_counts_verdicts(everything):
    n = claims.count_verdicts(everything)
    assert shown().takeaway() == (
        f"Of {len(everything)} published claims <b>{n[HOLDS]}</b> hold, <b>{n[CAVEAT]}</b> hold with a caveat, "
        f"<b>{n[FAILS]}</b> do not hold, {n['not clear here']} are not clear here and {n[OPEN]} cannot be checked."
    )
    assert shown(source="Yan", verdicts=(OPEN,)).takeaway().endswith(" Shown are 9 of them.")


def test_a_visit_shows_all_and_a_link_chooses(everything):
    page = visit(PAGE.address)
    assert "Shown are" not in takeaway(page)
    assert html(page).count("<b>Barber, ") == sum(claim.source == "Barber" for claim in everything)
    page = visit(PAGE.address, source="Yan", verdict="does not hold")
    n = sum((claim.source, claim.verdict) == ("Yan", FAILS) for claim in everything)
    assert f"Shown are {n} of them." in takeaway(page)
