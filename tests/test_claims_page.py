"""The page of claims and its chart: every claim is shown, and can be chosen by source and verdict."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from privdemo.experiments import claims
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS
from privdemo.figures import claims as charts
from tests import visiting
from tests.visiting import takeaway, warnings

PAGE = "pages/claims.py"


@pytest.fixture(scope="module")
def everything():
    return claims.all_claims()


def test_the_chart_holds_published_values_and_ours(everything):
    numeric = [claim for claim in everything if claim.published is not None and claim.ours and claim.unit]
    figure = charts.beside(numeric, range(1, len(numeric) + 1))
    stars, signs = (next(trace for trace in figure.data if words in trace.name) for words in ("published", "formulas"))
    assert stars.name == "published"
    assert list(stars.x) == [claim.published for claim in numeric if not claim.reading]
    assert list(signs.x) == [claim.published for claim in numeric if claim.reading]
    assert len(signs.x) > 2
    marks = {i: x for trace in figure.data if "ours" in trace.name for i, x in zip(trace.y, trace.x, strict=True)}
    assert [marks[str(i)] for i in range(len(numeric))] == [claim.ours.mean for claim in numeric]


def opened(**link) -> AppTest:
    return visiting.opened(PAGE, **link)


def test_the_page_counts_verdicts_and_shows_every_claim(everything):
    page = opened()
    n = claims.count_verdicts(everything)
    assert f"<b>{n[HOLDS]}</b> hold, <b>{n[CAVEAT]}</b> hold with a caveat, <b>{n[FAILS]}</b> do not hold" in takeaway(
        page
    )
    shown = visiting.html(page)
    for claim in everything:
        assert claim.why.split("“")[0] in shown.replace("\u00a0", " ")
    scope: dict = {"print": lambda *_: None}
    exec(page.code[-1].value, scope)  # the page's own lines


def test_a_source_and_a_verdict_can_be_chosen_also_by_a_link():
    everything = claims.all_claims()
    for source, verdict in (("Yan", "does not hold"), ("Barber", "holds")):
        page = opened(source=source, verdict=verdict)
        n = sum((claim.source, claim.verdict) == (source, verdict) for claim in everything)
        assert f"Shown are {n} of them." in takeaway(page)
        assert visiting.html(page).count("· <b>" + source) == n > 0
    page = opened(source="Yan", verdict="cannot be checked")
    assert "Shown are 9 of them." in takeaway(page)
    page = opened(source="Yan")
    page.button_group(key="source").set_value("all sources").run()
    assert "Shown are" not in takeaway(page)


def test_a_bad_link_is_ignored_with_a_note():
    page = opened(source="Newton")
    assert "`source=Newton` was ignored: it must be one of “all sources”, “Barber”, “Yan”" in warnings(page)
    assert takeaway(page)
