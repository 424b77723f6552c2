"""The page of claims: every claim is shown with its numbers as they are, and can be chosen by source and verdict."""

import pytest

from pages.kit.draws import Draws
from pages.topics.claims import PAGE
from pages.topics.claims.answer import SNIPPET, Answer, answer, row
from pages.topics.claims.controls import Question
from privdemo.experiments import claims
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, OPEN, Claim
from privdemo.intervals import Estimate
from tests.pages.visiting import html, takeaway, visit


@pytest.fixture(scope="module")
def everything():
    return claims.all_claims()


def shown(**asked) -> Answer:
    return answer(Question(**asked), Draws())


def test_a_row_says_which_claim_what_is_published_and_found_and_why():
    paper = {"source": "Yan", "place": "table 1", "words": "it is so", "published": 0.4, "unit": "%"}
    ours = {"ours": Estimate(0.967, 0.965, 0.969), "reading": "by its formula", "command": "run it", "seeds": "10"}
    name, published, found, verdict, how = row(7, Claim(verdict=CAVEAT, why="it is", **paper, **ours))
    assert name == "7 · <b>Yan, table 1</b>: it is so"
    assert (published, found) == ("40.0 % (by its formula)", "96.7 ± 0.2 %")
    assert verdict == "≈ <b>holds with a caveat</b>: it is"
    assert "10<br><code>run it</code>" in how


def test_the_takeaway_counts_verdicts_and_the_code_gives_all_claims(everything):
    n, printed = claims.count_verdicts(everything), []
    assert shown().takeaway() == (
        f"Of {len(everything)} published claims <b>{n[HOLDS]}</b> hold, <b>{n[CAVEAT]}</b> hold with a caveat, "
        f"<b>{n[FAILS]}</b> do not hold, {n['not clear here']} are not clear here and {n[OPEN]} cannot be checked."
    )
    assert shown(source="Yan", verdicts=(OPEN,)).takeaway().endswith(" Shown are 9 of them.")
    exec(str(SNIPPET), {"print": lambda *words: printed.append(words)})
    assert len(printed) == len(everything)


def test_a_visit_shows_all_and_a_link_chooses(everything):
    page = visit(PAGE.address)
    assert "Shown are" not in takeaway(page)
    assert html(page).count("<b>Barber, ") == sum(claim.source == "Barber" for claim in everything)
    page = visit(PAGE.address, source="Yan", verdict="does not hold")
    n = sum((claim.source, claim.verdict) == ("Yan", FAILS) for claim in everything)
    assert f"Shown are {n} of them." in takeaway(page)
