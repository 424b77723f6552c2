"""The page of claims: which to show, published values beside ours, and every verdict with its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from pages.shared import cached, layout, settings, text
from pages.shared.settings import Choice
from privdemo.experiments import claims
from privdemo.experiments.claims import (
    CAVEAT,
    FAILS,
    HOLDS,
    OPEN,
    PERCENT,
    SAME,
    SOURCES,
    UNCLEAR,
    VERDICTS,
    WIDE,
    Claim,
)
from privdemo.figures import claims as charts

EVERYBODY = "all sources"
SOURCE = Choice("source", (EVERYBODY, *SOURCES), EVERYBODY)
VERDICT = Choice("verdict", VERDICTS, VERDICTS, many=True)
_SIGNS = {HOLDS: "✓", CAVEAT: "≈", UNCLEAR: "~", FAILS: "✗", OPEN: "?"}


def all_settings() -> list[settings.Setting]:
    """Every setting of the page."""
    return [SOURCE, VERDICT]


def controls() -> list[Claim]:
    """The claims that are to be shown."""
    with st.container(key="claims-controls"):
        source = settings.choose(SOURCE, "Source")
        verdicts = settings.choose(VERDICT, "Verdict")
    return [claim for claim in cached.claims() if source in (EVERYBODY, claim.source) and claim.verdict in verdicts]


def takeaway(chosen: Sequence[Claim]) -> str:
    """How many hold."""
    everything = cached.claims()
    n = claims.count_verdicts(everything)
    shown = "" if len(chosen) == len(everything) else f" Shown are {len(chosen)} of them."
    return (
        f"Of {len(everything)} published claims <b>{n[HOLDS]}</b> hold, <b>{n[CAVEAT]}</b> "
        f"hold with a caveat, <b>{n[FAILS]}</b> do not hold, {n[UNCLEAR]} are not clear here and {n[OPEN]} cannot be "
        f"checked.{shown}"
    )


def show(chosen: Sequence[Claim]) -> None:
    """Published values beside ours as a picture, and every claim as a row; where it is narrow, controls between."""
    if not chosen:
        st.markdown("No claim has this verdict; choose another above.")
        return
    # A claim has the same number whatever is shown.
    everything = cached.claims()
    numbers = {id(claim): everything.index(claim) + 1 for claim in chosen}
    numeric = [claim for claim in chosen if claim.published is not None and claim.ours and claim.unit]
    if numeric:
        layout.figure(
            "claims",
            charts.beside(numeric, [numbers[id(claim)] for claim in numeric]),
            f"{len(numeric)} claims about an accuracy, F1 or share: stars are published numbers, plus signs what a "
            "published formula or sentence amounts to, marks ours with 95 % intervals. The numbers are those of the "
            "table below.",
            lambda: table(chosen),
            _code(),
        )
    with st.container(key="claims-table"):
        _rows(chosen, numbers)


def _rows(chosen: Sequence[Claim], numbers: dict[int, int]) -> None:
    heads = ["claim", "published", "ours", "verdict", "computed by"]
    body = [
        [
            f"{numbers[id(claim)]} · <b>{claim.source}, {claim.place}</b>: {claim.words}",
            _published(claim),
            _ours(claim),
            f"{_SIGNS[claim.verdict]} <b>{claim.verdict}</b>: {claim.why}",
            "–"
            if claim.verdict == OPEN
            else f"<details><summary>how</summary>{claim.seeds}<br><code>{claim.command}</code></details>",
        ]
        for claim in chosen
    ]
    layout.grid(heads, body, labelled=True)
    layout.under_figure(
        "all-claims",
        f"An accuracy or F1 holds where ours is within {100 * SAME:g} point of it, or it is in our 95 % interval, if "
        f"that is not wider than ± {100 * WIDE:g} points; with a caveat where ours is better, and not where it is "
        "worse. A comparison holds where its interval says so at every level tried, with a caveat where at some and "
        "nowhere the opposite, and not where one says the opposite; where no difference shows either way it is not "
        "clear here.",
        lambda: table(chosen),
        lambda: layout.grid_page(heads, body),
        _code(),
    )


def _published(claim: Claim) -> str:
    return _number(claim, claim.published) + (f" ({claim.reading})" if claim.reading else "")


def _number(claim: Claim, value: float | None) -> str:
    if value is None:
        return "–"
    if claim.unit:
        return text.share(value) if claim.unit == PERCENT else text.points(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else "0" if abs(value) < 1e-9 else f"{value:.3g}".replace("-", "−")


def _ours(claim: Claim) -> str:
    if claim.ours is None:
        return "–"
    half = claim.ours.high - claim.ours.mean
    if half == 0:
        return _number(claim, claim.ours.mean)
    scale, digits = (100, 1) if claim.unit else (1, max(0, 1 - math.floor(math.log10(half))))
    number = f"{scale * claim.ours.mean:.{digits}f} ± {scale * half:.{digits}f}".replace("-", "−")
    return f"{number} {claim.unit}".rstrip()


def table(chosen: Sequence[Claim]) -> list[dict[str, object]]:
    """The claims as rows of a file."""
    return [
        {name: value for name, value in vars(claim).items() if name != "ours"}
        | dict(zip(("ours", "low", "high"), claim.ours or ("", "", ""), strict=True))
        for claim in chosen
    ]


def _code() -> str:
    return """
from privdemo.experiments import claims

for claim in claims.all_claims():
    print(claim.source, claim.place, claim.published, claim.ours, claim.verdict, claim.why)
# all studies behind them anew: python -m privdemo reproduce all
"""


def folds() -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    return {
        "How it works": (
            "Every number of ours comes from a results file that a command in the last column computes anew, or from a "
            "formula at once. Verdicts are rules on those numbers, the same for all claims of a kind, and change with "
            "them: an accuracy or F1 *holds* where ours is next to it, holds *with a caveat* where ours is better, as "
            "better penalties may do; a comparison (“is more accurate”, “distorts less”) holds where the 95 % interval "
            "of the difference says so at every level tried, with a caveat where it does at some and nowhere the "
            "opposite, and not where no difference shows. What is exact is compared by its value. "
            "Intervals of differences and ratios take the errors of the two means for "
            "independent, which is wide for means over the same draws.\n\nSources: Barber, *Private machine learning "
            "via randomised response*; Yan, *Learning from label proportions* (2018); Iyer, Nath & Sarawagi, *Privacy "
            "preserving class ratio estimation* (KDD 2016)."
        ),
        "What the adversary sees": (
            "A promise that does not hold is worse than none. The published scaled Dirichlet chooses its noise from "
            "the private counts: between the paper’s counts and a neighbour, each with its own noise, δ is larger than "
            "was asked for. *How much do private counts distort?* shows what holds in its place. And noise for 1/k on "
            "means of groups that were made by looking at the records covers less than it says: *What if only bag "
            "totals are known?* names an ε only where groups were made at random."
        ),
        "Caveats": (
            "- Where a source draws a figure without numbers, only what its text says of it is checked.\n"
            "- Sources leave settings out (penalties, steps, how bags were filled); ours are said on each page.\n"
            "- Data sets that are private or too large (Instagram comments, YouTube, Higgs, Acoustic, Twitter) are not "
            "checked; others stand in.\n"
            "- Seeds are fixed, so that the same numbers come out; the pages let you choose others."
        ),
        "Code that reproduces this": f"```python\n{_code().strip()}\n```",
    }
