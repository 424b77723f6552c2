"""The answer of the claims page: how many hold, published values beside ours, and every verdict with its reason."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass

from pages.kit import cache, numbers
from pages.kit.numbers import POINTS, SHARE
from pages.kit.panel import Cards, Chart, Markup, Panel, Table
from pages.kit.snippet import Snippet
from pages.kit.trials import Trials
from pages.topics.claims.question import EVERYBODY, Question
from privdemo.experiments import claims
from privdemo.experiments.claims import (
    CAVEAT,
    FAILS,
    FORMULA,
    HOLDS,
    OF_100,
    OPEN,
    PAPERS,
    PERCENT,
    SAME,
    SAME_COST,
    SAME_REDUCTION,
    YAN,
    Claim,
)
from privdemo.figures import claims as charts

SNIPPET = Snippet(
    ("from collections import Counter", "from privdemo.experiments import claims"),
    (
        "everything = claims.all_claims()",
        "print(Counter(claim.verdict for claim in everything))",
        "for claim in everything:",
        "    print(claim.source, claim.place, claim.published, claim.ours, claim.verdict, claim.why)",
        "# all studies behind them anew: python -m privdemo reproduce all",
    ),
)
RULES = (
    f"A published number holds where our whole 95 % interval is near it: within {100 * SAME:g} point for an accuracy "
    f"or F1, {100 * SAME_COST:g} points for a cost, {100 * SAME_REDUCTION:g} points for a reduction of an error. Where "
    "our interval excludes it, above or below alike, it is too vague to judge if the source does not give a setting on "
    "which it depends, and does not hold if it does; else it is too close to call. A comparison holds where its "
    "interval says so at every level tried, in part where at some and nowhere the opposite, and not where one says the "
    "opposite; where no difference shows either way, it is too close to call."
)

all_claims = cache.shared(claims.all_claims, spinner="Reading the results of every claim…")


@dataclass(frozen=True)
class BarAndCards(Cards):
    """The `bar` of all verdicts, and below it, under a `title`, cards: the first in sight, the others to unfold."""

    bar: str
    title: str

    @property
    def html(self) -> str:
        """Return all as HTML."""
        first, others = (Cards(some).html for some in (self.contents[:_IN_SIGHT], self.contents[_IN_SIGHT:]))
        n = len(self.contents) - _IN_SIGHT
        more = f"{n} more, for readers who know such methods"
        fold = f'<details class="more-cards"><summary>{more}</summary>{others}</details>' if n > 0 else ""
        return f"{self.bar}<h3>{self.title}</h3>{first}{fold}"


_OPEN_A_ROW = "Open a row for the reason, and for the command that computes our number anew."
# So many surprises are in sight: those with the largest differences.
_IN_SIGHT = 2
# So many claims fit on a slide.
_ON_SLIDE = 4


@dataclass(frozen=True)
class Answer:
    """All claims of a `source`, and those of them with one of the verdicts `chosen`.

    A claim has the same number whatever is chosen.
    """

    source: str
    everything: Mapping[int, Claim]
    chosen: Mapping[int, Claim]

    def takeaway(self) -> str:
        """Say what was checked, and how much of it holds."""
        n, n_all = claims.count_verdicts(list(self.everything.values())), len(self.everything)
        sources = {claim.source for claim in self.everything.values()}
        who = self.source
        if who == EVERYBODY:
            who = f"{len(sources - {YAN})} papers and one lecture" if YAN in sources else f"{len(sources)} papers"
        claim = f"{n_all} claim{'s' * (n_all > 1)}"
        about = "about protecting people by random changes, such as switching some answers in a poll"
        if n[OPEN] == n_all:
            return f"{who}: {claim} {about}, which we have no data to check."
        return f"We tried to recheck {claim} from {who} {about}. {_how_many_hold(n)}"

    def main(self) -> tuple[Panel, ...]:
        """Return the panel of how many claims have each verdict, as one bar, and below it of the surprising claims.

        Those come first whose published number cannot be, as it is more than everybody, then those in which it is the
        most times as large as ours, or as small.
        """
        counts = claims.count_verdicts(list(self.everything.values()))
        bar = charts.verdict_bar(counts)
        surprises = [claim for claim in self.everything.values() if claim.surprises]
        by_size = sorted(surprises, key=_times_off, reverse=True)
        surprising = [card(claim) for claim in sorted(by_size, key=_is_possible)]
        title = f"Surprising thing{'s' * (len(surprising) > 1)} that we found"
        panel = Panel(
            "verdicts",
            figure=BarAndCards(surprising, bar, title) if surprising else Markup(bar),
            summary=f"{charts.verdict_words(counts)}. {RULES} A surprise is a claim that is not found to hold and on "
            "which somebody might build.",
            rows=lambda: rows(self.everything),
            snippet=SNIPPET,
        )
        return (panel,)


def _is_possible(claim: Claim) -> bool:
    """Return false if the published number is a share of more than everybody."""
    share = claim.card_unit == OF_100
    return not (share and claim.published is not None and claim.published > 1)


def _times_off(claim: Claim) -> float:
    """Return how many times as large a published number is as ours, or ours as that one; 1 where there is none."""
    if not (claim.published and claim.ours and claim.ours.mean > 0):
        return 1.0
    return max(claim.published / claim.ours.mean, claim.ours.mean / claim.published)


def _how_many_hold(n: Mapping[str, int]) -> str:
    """Say how many of the claims hold and how many do not, or cannot be decided; there are `n` with each verdict."""
    if sum(n.values()) == 1:
        return f"It {charts.is_said(next(verdict for verdict in n if n[verdict]))}."
    decided = {verdict: n[verdict] for verdict in (HOLDS, CAVEAT, FAILS) if n[verdict]}
    n_decided = sum(decided.values())
    if not decided:
        return "None of them could be decided."
    if n_decided == 1:
        return f"The only one that we could decide {charts.is_said(*decided)}."
    is_all = n_decided == sum(n.values())
    if n[HOLDS] == n_decided:
        return f"All {'of them' if is_all else f'{n_decided} that we could decide'} hold."
    parts = [
        f"<b>{number}</b> {one if number == 1 else many}"
        for verdict, one, many in (
            (HOLDS, "holds", "hold"),
            (FAILS, "does not hold", "do not hold"),
            (CAVEAT, "holds in part", "hold in part"),
        )
        if (number := n[verdict])
    ]
    if not is_all:
        parts.append(f"<b>{sum(n.values()) - n_decided}</b> cannot be decided")
    return f"Of the claims, {numbers.join_words(tuple(parts))}."


def answer(question: Question, _: Trials) -> Answer:
    """Select the claims that the question is about."""
    everything = {i: claim for i, claim in enumerate(all_claims(), 1) if question.is_by(claim)}
    return Answer(question.source, everything, {i: c for i, c in everything.items() if question.includes(c)})


def rows(chosen: Mapping[int, Claim]) -> list[dict[str, object]]:
    """Return claims as rows of a file."""
    return [
        {
            "number": i,
            **{
                name: value
                for name, value in vars(claim).items()
                if name not in ("ours", "surprise", "what", "consequence", "card_unit")
            },
        }
        | dict(zip(("ours", "low", "high"), claim.ours or ("", "", ""), strict=True))
        for i, claim in chosen.items()
    ]


def table(answer: Answer) -> list[Panel]:
    """Return the table of the chosen claims, each in a row that opens."""
    heads = ("claim (open it for the reason)", "published", "ours", "verdict")
    body = [row(i, claim) for i, claim in answer.chosen.items()]
    return [
        Panel(
            "all-claims",
            "Which claims hold, and why?",
            shown_words(answer),
            Table(heads, body, True) if body else None,
            RULES if body else "",
            lambda: rows(answer.chosen),
            SNIPPET,
            note=_OPEN_A_ROW if body else "",
            on_slide=Markup(charts.verdict_bar(_verdicts(answer))) if body else None,
        )
    ]


def picture(answer: Answer) -> list[Panel]:
    """Return one figure of the claims about an accuracy, an F1 or a share."""
    question = "How far are published numbers from ours?"
    shares = {i: claim for i, claim in answer.chosen.items() if claim.published is not None and claim.ours}
    shares = {i: claim for i, claim in shares.items() if claim.unit}
    if not shares:
        return [Panel("claims", question, "None of these claims says an accuracy, F1 or share that was checked here.")]
    holds = sum(claim.verdict == HOLDS for claim in shares.values())
    few = sorted(shares, key=lambda i: shares[i].verdict == HOLDS)[:_ON_SLIDE]
    return [
        Panel(
            "claims",
            question,
            f"Of <b>{len(shares)}</b> claims about an accuracy, an F1 or a share, <b>{holds}</b> hold.",
            Chart(charts.beside(list(shares.values()), list(shares))),
            "Stars are published numbers, plus signs what a published formula or sentence amounts to, marks ours with "
            "95 % intervals. The chapter “All claims” has each claim in full, by the same number.",
            lambda: rows(shares),
            SNIPPET,
            on_slide=Chart(charts.beside([shares[i] for i in few], few, charts.SLIDE_LINE, 1)),
            note="Grey star: the published number; grey plus: what a published formula or sentence amounts to. In "
            f"colour: ours, with its 95 % interval ({_styles_words(list(shares.values()))}).",
        )
    ]


def _styles_words(shown: list[Claim]) -> str:
    """Say which mark each verdict has."""
    marks = {"circle": "circle", "square": "square", "square-open": "open square"}
    marks |= {"diamond": "diamond", "cross": "cross"}
    there = {claim.verdict for claim in shown}
    return ", ".join(f"{marks[style.marker]}: {word}" for word, style in charts.STYLES.items() if word in there)


# --- words ---------------------------------------------------------------------------------------


def shown_words(answer: Answer) -> str:
    """Say how many of the claims that are shown have each verdict, and of how many claims."""
    if not answer.chosen:
        return "No claim has this verdict; choose another in the settings."
    return f"Of <b>{len(answer.everything)}</b> claims: {charts.verdict_words(_verdicts(answer))}."


def _verdicts(answer: Answer) -> dict[str, int]:
    """Count the verdicts on the claims that are shown."""
    return claims.count_verdicts(list(answer.chosen.values()))


def row(number: int, claim: Claim) -> list[str]:
    """Return one claim’s row of the table; its first cell opens."""
    how = "" if claim.verdict == OPEN else f"<p>Computed from {claim.seeds}: <code>{claim.command}</code></p>"
    read = f"<p>The published number is what the source gives {claim.reading}.</p>" if claim.reading else ""
    return [
        f"<details><summary>{number} · <b>{claim.source}, {claim.place}</b>: {claim.words}</summary>"
        f"<p>{claim.why}.</p>{read}{how}</details>",
        "no number" if claim.published is None else _exact(claim.unit, claim.published),
        ours(claim),
        f"{charts.SIGNS[claim.verdict]} {claim.verdict}",
    ]


def card(claim: Claim) -> tuple[str, str, str]:
    """Return a surprise; both numbers; what it means for somebody who relies on the claim, the verdict on this, and
    where it is published.
    """
    published, found = (_on_card(claim, value) for value in (claim.published, claim.ours and claim.ours.mean))
    if claim.published is None:  # a comparison: the source says that there is a lead, and its interval may deny it
        published, found = "a clear gain", ours(claim).removesuffix(POINTS.unit)
        if claim.ours and claim.ours.low <= 0:
            found = f"{found.partition(' ±')[0]} of 100, perhaps none"
    kind = "lecture" if claim.source == YAN else "paper"
    says = f"the {kind}’s formula gives" if claim.reading == FORMULA else f"the {kind} says"
    both = charts.published_and_found(claim.what, says, published, found)
    authors = f'<span title="{html.escape(PAPERS[claim.source])}">{html.escape(claim.source)}</span>'
    work = f"{kind} by {authors}, {claim.place}"
    return claim.surprise, both, f"{claim.consequence}<br>{charts.verdict_on_claim(claim.verdict)}<br>{work}"


def _on_card(claim: Claim, value: float | None) -> str:
    """Write a number of a claim as on its card, from 10 on as a whole number; the table has it in full."""
    if value is None or claim.card_unit is None:
        return _exact(claim.unit, value)
    factor, unit = claim.card_unit
    value *= factor
    return f"{numbers.any_size(round(value) if value >= 10 else value)}\u00a0{unit}"


def ours(claim: Claim) -> str:
    """Write our number, with half its interval if it has one: “0.7 ± 1.2 points”."""
    if claim.ours is None or claim.ours.has_no_width:
        return _exact(claim.unit, claim.ours and claim.ours.mean)
    if claim.unit:
        return numbers.with_half(claim.ours, SHARE if claim.unit == PERCENT else POINTS)
    return numbers.with_half(claim.ours, numbers.plain_scale(claim.ours))


def _exact(unit: str, value: float | None) -> str:
    """Write a number without an interval, in its unit; a dash for none."""
    if value is None:
        return "–"
    if unit:
        return numbers.share(value) if unit == PERCENT else numbers.points(value)
    return numbers.any_size(value)
