"""The page of claims: every claim is shown with its numbers as they are, and can be chosen by source and verdict."""

import re
from dataclasses import replace

import pytest

from pages.kit.panel import Markup
from pages.kit.trials import Trials
from pages.topics.claims import PAGE
from pages.topics.claims.answer import SNIPPET, Answer, answer, picture, row, table
from pages.topics.claims.question import Question
from privdemo.experiments import claims
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, Claim
from privdemo.figures import claims as charts
from privdemo.intervals import Estimate
from tests.pages.visiting import html, takeaway, visit


@pytest.fixture(scope="module")
def everything():
    return claims.all_claims()


def shown(**asked) -> Answer:
    return answer(Question(**asked), Trials())


def test_a_row_says_which_claim_what_is_published_and_found_and_when_opened_why():
    paper = {"source": "Yan", "place": "table 1", "words": "it is so", "published": 0.4, "unit": "%"}
    ours = {"ours": Estimate(0.967, 0.965, 0.969), "reading": "by its formula", "command": "run it", "seeds": "10"}
    name, published, found, verdict = row(7, Claim(verdict=CAVEAT, why="it is", **paper, **ours))
    assert "<summary>7 · <b>Yan, table 1</b>: it is so</summary><p>it is.</p>" in name
    assert "what the source gives by its formula" in name
    assert "Computed from 10: <code>run it</code>" in name
    assert (published, found, verdict) == ("40.0 %", "96.7 ± 0.2 %", "(✓) holds in part")


def test_the_headline_counts_claims_and_papers(everything):
    assert PAGE.question == f"{len(everything)} research claims about privacy: do they hold up?"
    n_sources = len({claim.source for claim in everything})
    words = f"tried to recheck {len(everything)} claims from {n_sources - 1} papers and one lecture about protecting"
    assert words in shown().takeaway()


ABOUT = "about protecting people by random changes, such as switching some answers in a poll"


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ((HOLDS,), f"recheck 1 claim from Barber {ABOUT}. It holds."),
        ((claims.UNCLEAR,), "It is too close to call."),
        ((HOLDS, HOLDS), "All of them hold."),
        ((HOLDS, CAVEAT), "Of the claims, 1 holds and 1 holds in part."),
        ((HOLDS, HOLDS, FAILS), "Of the claims, 2 hold and 1 does not hold."),
        (claims.VERDICTS, "Of the claims, 1 holds, 1 does not hold, 1 holds in part and 3 cannot be decided."),
        ((CAVEAT, FAILS, claims.OPEN), "Of the claims, 1 does not hold, 1 holds in part and 1 cannot be decided."),
        ((HOLDS, HOLDS, claims.OPEN), "All 2 that we could decide hold."),
        ((HOLDS, claims.OPEN), "The only one that we could decide holds."),
        ((FAILS, claims.OPEN), "The only one that we could decide does not hold."),
        ((claims.UNCLEAR, claims.DIFFERS), "None of them could be decided."),
    ],
)
def test_the_headline_says_how_many_of_the_decided_hold(everything, verdicts, words):
    some = {i: replace(everything[0], verdict=verdict) for i, verdict in enumerate(verdicts)}
    assert Answer("Barber", some, some).takeaway().replace("<b>", "").replace("</b>", "").endswith(words)


def test_the_takeaway_counts_verdicts_and_the_code_gives_all_claims(everything):
    n, printed = claims.count_verdicts(everything), []
    undecided = len(everything) - n[HOLDS] - n[CAVEAT] - n[FAILS]
    words = (
        f"Of the claims, <b>{n[HOLDS]}</b> hold, <b>{n[FAILS]}</b> do not hold, <b>{n[CAVEAT]}</b> hold in part and "
    )
    words += f"<b>{undecided}</b> cannot be decided."
    assert shown().takeaway().endswith(words)
    of_yan = claims.count_verdicts([claim for claim in everything if claim.source == "Yan"])
    words = shown(source="Yan").takeaway()
    assert f"We tried to recheck {sum(of_yan.values())} claims from Yan about" in words
    (john,) = {claim.source for claim in everything if claim.source.startswith("John")}
    assert shown(source=john).takeaway() == (f"{john}: 1 claim {ABOUT}, which we have no data to check.")
    exec(str(SNIPPET), {"print": lambda *words: printed.append(words)})
    assert len(printed) == 1 + len(everything)
    assert printed[0] == (n,)


def test_the_bar_has_every_verdict_and_the_cards_what_is_not_found_to_hold(everything):
    (surprises,) = shown().main()
    for verdict, n in claims.count_verdicts(everything).items():
        assert f"<b>{n}</b> {claims.OF_SEVERAL.get(verdict, verdict)}" in surprises.figure.html
    n_undecided = sum(claim.verdict in charts.UNDECIDED for claim in everything)
    assert f"<b>{n_undecided}</b> cannot be decided</span>" in surprises.figure.html
    assert f"<summary>Why {n_undecided} cannot be decided</summary><p><b>" in surprises.figure.html
    assert "cannot be decided" not in charts.verdict_bar({HOLDS: 2, claims.OPEN: 3}), "one reason is said alone"
    assert "<b>1</b> does not hold" in charts.verdict_bar({FAILS: 1})
    assert len(set(charts.SIGNS.values())) == len(claims.VERDICTS)
    assert len(surprises.rows()) == len(everything)
    misprint = next(claim for claim in everything if claim.place == "equation 2")
    title, _, sentence = next(one for one in surprises.figure.contents if "107" in one[0])
    assert sentence.startswith("The formula has a plus where a minus belongs.")
    assert sentence.endswith(
        "the published claim does not hold</span><br>paper by "
        f'<span title="{claims.PAPERS["Barber"]}">Barber</span>, equation 2'
    )
    assert title == misprint.surprise == "By a paper’s formula, 107 of 100 people say yes, which is impossible."
    both = [both for _, both, _ in surprises.figure.contents]
    assert (
        charts.published_and_found(misprint.what, "the paper’s formula gives", "107\u00a0of 100", "40\u00a0of 100")
        in both
    )
    numbers = [re.findall("<span>(.*?)</span>", one) for one in both]
    for found in (
        ["5\u00a0of 100 times", "7.7\u00a0of 100 times"],
        ["12\u00a0people", "61\u00a0people"],
        ["50\u00a0years", "72\u00a0years"],
    ):
        assert found in numbers
    assert "a clear gain" in [published for published, _ in numbers]
    assert sorted(re.search(">the (paper.*?|lecture.*?)</small>", one)[1] for one in both) == [
        "lecture’s formula gives",
        *["paper says"] * 3,
        "paper’s formula gives",
    ]
    assert [claim.surprises for claim in everything].count(True) == len(surprises.figure.contents) == 5
    assert surprises.figure.title == "Surprising things that we found"
    assert [title.split()[0] for title, *_ in surprises.figure.contents] == [
        "By",  # what cannot be comes first
        "A",
        "Published",
        "One",
        "Telling",
    ]
    first, others = surprises.figure.html.split('<details class="more-cards">')
    assert [part.count('<section class="card">') for part in (first, others)] == [2, 3]
    assert any("</i> the published claim is too close to call" in verdict for *_, verdict in surprises.figure.contents)
    assert not replace(misprint, verdict=HOLDS).surprises
    nothing = Answer("Yan", {1: replace(misprint, verdict=HOLDS)}, {})
    assert isinstance(nothing.main()[0].figure, Markup)


def test_a_row_of_the_picture_says_what_is_claimed_and_the_note_names_every_mark(everything):
    (panel,) = picture(shown())
    rows = panel.figure.figure.layout.yaxis.ticktext
    assert "<b>17 · Yan, table 4.3</b><br>Adult, 100 bags of 100, labels known: average F1" in rows
    assert "<b>18 · Yan, table 4.3</b><br>Adult, 100 bags of 100, labels known: F1 of<br>positives" in rows
    assert (
        "(circle: holds, square: holds in part, open square: too close to call, cross: too vague to judge, diamond: "
        "does not hold)" in panel.note
    )


def test_a_table_or_a_picture_of_nothing_says_so():
    nothing = Answer("Yan", {}, {})
    assert "No claim has this verdict" in table(nothing)[0].answer
    assert "None of these claims" in picture(nothing)[0].answer


def test_a_visit_shows_all_and_a_link_chooses(everything):
    page = visit(PAGE.address, chapter="All claims")
    holds = sum(claim.verdict == HOLDS for claim in everything)
    assert f"Of <b>{len(everything)}</b> claims: {holds} hold; " in takeaway(page)
    assert html(page).count("<b>Barber, ") == sum(claim.source == "Barber" for claim in everything)
    page = visit(PAGE.address, chapter="All claims", source="Yan", verdict="does not hold")
    n = sum((claim.source, claim.verdict) == ("Yan", FAILS) for claim in everything)
    of = sum(claim.source == "Yan" for claim in everything)
    assert f"Of <b>{of}</b> claims: {n} do not hold." in takeaway(page)
    assert html(page).count("<b>Yan, ") == n


def test_links_keep_the_former_name_of_a_verdict(everything):
    page = visit(PAGE.address, chapter="All claims", verdict="too close to call")
    n = sum(claim.verdict == claims.UNCLEAR for claim in everything)
    assert not page.warning
    assert f"Of <b>{len(everything)}</b> claims: {n} too close to call." in takeaway(page)
