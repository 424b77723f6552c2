"""What the page of claims says: how many hold, published values beside ours, and every verdict with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pages.kit import cache, numbers
from pages.kit.draws import Draws
from pages.kit.numbers import POINTS, SHARE
from pages.kit.panel import Chart, Panel, Table
from pages.kit.snippet import Snippet
from pages.topics.claims.controls import Question
from privdemo.experiments import claims
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, OPEN, PERCENT, SAME, UNCLEAR, WIDE, Claim
from privdemo.figures import claims as charts

SIGNS = {HOLDS: "✓", CAVEAT: "≈", UNCLEAR: "~", FAILS: "✗", OPEN: "?"}
SNIPPET = Snippet(
    ("from privdemo.experiments import claims",),
    (
        "for claim in claims.all_claims():",
        "    print(claim.source, claim.place, claim.published, claim.ours, claim.verdict, claim.why)",
        "# all studies behind them anew: python -m privdemo reproduce all",
    ),
)
RULES = (
    f"An accuracy or F1 holds where ours is within {100 * SAME:g} point of it, or it is in our 95 % interval, if that "
    f"is not wider than ± {100 * WIDE:g} points; with a caveat where ours is better, and not where it is worse. A "
    "comparison holds where its interval says so at every level tried, with a caveat where at some and nowhere the "
    "opposite, and not where one says the opposite; where no difference shows either way it is not clear here."
)

all_claims = cache.shared(claims.all_claims, spinner="Reading the results of every claim…")


@dataclass(frozen=True)
class Answer:
    """All claims, and the `chosen` ones by number; a claim keeps its number whatever is chosen."""

    everything: Sequence[Claim]
    chosen: Mapping[int, Claim]

    def takeaway(self) -> str:
        """Say how many claims hold."""
        n, total = claims.count_verdicts(self.everything), len(self.everything)
        shown = "" if len(self.chosen) == total else f" Shown are {len(self.chosen)} of them."
        return (
            f"Of {total} published claims <b>{n[HOLDS]}</b> hold, <b>{n[CAVEAT]}</b> hold with a caveat, "
            f"<b>{n[FAILS]}</b> do not hold, {n[UNCLEAR]} are not clear here and {n[OPEN]} cannot be checked.{shown}"
        )

    def main(self) -> tuple[Panel, ...]:
        """The picture of the claims about shares, if there are any."""
        if not self.chosen:
            return (Panel(answer="No claim has this verdict; choose another above."),)
        shares = {i: claim for i, claim in self.chosen.items() if claim.published is not None and claim.ours}
        shares = {i: claim for i, claim in shares.items() if claim.unit}
        if not shares:
            return ()
        return (
            Panel(
                "claims",
                figure=Chart(charts.beside(list(shares.values()), list(shares))),
                summary=f"{len(shares)} claims about an accuracy, F1 or share: stars are published numbers, plus signs "
                "what a published formula or sentence amounts to, marks ours with 95 % intervals. The numbers are "
                "those of the table below.",
                rows=self.rows,
                snippet=SNIPPET,
            ),
        )

    def rows(self) -> list[dict[str, object]]:
        """The claims asked for as rows of a file."""
        return [
            {name: value for name, value in vars(claim).items() if name != "ours"}
            | dict(zip(("ours", "low", "high"), claim.ours or ("", "", ""), strict=True))
            for claim in self.chosen.values()
        ]


def answer(question: Question, _: Draws) -> Answer:
    """Find the claims that are asked for."""
    everything = all_claims()
    return Answer(everything, {i: claim for i, claim in enumerate(everything, 1) if question.includes(claim)})


def table(shown: Answer) -> list[Panel]:
    """The table of all claims that are asked for."""
    if not shown.chosen:
        return []
    heads = ("claim", "published", "ours", "verdict", "computed by")
    body = [row(i, claim) for i, claim in shown.chosen.items()]
    return [Panel("all-claims", figure=Table(heads, body, True), summary=RULES, rows=shown.rows, snippet=SNIPPET)]


# --- words ---------------------------------------------------------------------------------------


def row(number: int, claim: Claim) -> list[str]:
    """One claim's line of the table."""
    how = f"<details><summary>how</summary>{claim.seeds}<br><code>{claim.command}</code></details>"
    return [
        f"{number} · <b>{claim.source}, {claim.place}</b>: {claim.words}",
        _exact(claim.unit, claim.published) + (f" ({claim.reading})" if claim.reading else ""),
        ours(claim),
        f"{SIGNS[claim.verdict]} <b>{claim.verdict}</b>: {claim.why}",
        "–" if claim.verdict == OPEN else how,
    ]


def ours(claim: Claim) -> str:
    """Our number, with half its interval if it has one: “0.7 ± 1.2 points”."""
    if claim.ours is None or claim.ours.exact:
        return _exact(claim.unit, claim.ours and claim.ours.mean)
    if claim.unit:
        return numbers.with_half(claim.ours, SHARE if claim.unit == PERCENT else POINTS)
    return numbers.with_half(claim.ours, numbers.plain_scale(claim.ours))


def _exact(unit: str, value: float | None) -> str:
    """A number without an interval, in its unit; a dash for none."""
    if value is None:
        return "–"
    if unit:
        return numbers.share(value) if unit == PERCENT else numbers.points(value)
    return numbers.plain(value)
