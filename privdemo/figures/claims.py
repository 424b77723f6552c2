"""The bar of verdicts, and the chart of published values and ours."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from html import escape

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.claims import CAVEAT, DIFFERS, FAILS, FIRST_AUTHORS, HOLDS, OF_SEVERAL, OPEN, UNCLEAR, Claim
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import error_bars, legend_below, rows

STYLES = {
    HOLDS: palette.SPREAD,
    CAVEAT: palette.Style(palette.MMD.colour, "solid", "square"),
    UNCLEAR: palette.OTHERS[1],
    DIFFERS: palette.Style(palette.RECONSTRUCTION.colour, "solid", "cross"),
    FAILS: palette.Style(palette.NAIVE.colour, "solid", "diamond"),
}
_ROW = 76
# Verdicts by which nothing is decided.
UNDECIDED = (UNCLEAR, DIFFERS, OPEN)
SIGNS = {HOLDS: "✓", CAVEAT: "(✓)", UNCLEAR: "?", DIFFERS: "~", FAILS: "✗", OPEN: "–"}
# The letters of a line that fit on a telephone, and on a slide.
_LINE, SLIDE_LINE = 48, 90
# From this part of all claims on a verdict's words stand in the bar, where that is wide.
_WITH_WORDS = 0.065
# The colour of each verdict, so dark that white words can be read on it: without a hue where nothing is decided.
_COLOURS = dict.fromkeys(UNDECIDED, f"color-mix(in srgb, {palette.TRUTH.colour} 80%, black)")
_COLOURS[CAVEAT] = f"color-mix(in srgb, {STYLES[HOLDS].colour} 40%, {_COLOURS[OPEN]})"
_COLOURS |= {one: f"color-mix(in srgb, {STYLES[one].colour} 80%, black)" for one in (HOLDS, FAILS)}
VERDICT_CSS = """
.verdicts-box { container-type: inline-size; }
.verdicts { display: flex; gap: 2px; min-height: 2.5rem; margin: 0.25rem 0 0.5rem; }
.verdicts i { display: flex; flex-direction: column; align-items: center; justify-content: center; min-width: 1.1rem;
  border-radius: 0.2rem; color: white; font: bold 1.2rem "Source Sans", sans-serif; text-align: center; }
.verdicts i span { display: none; font-size: max(0.9rem, var(--least-letters, 0px)); font-weight: 600;
  line-height: 1.1; }
@container (min-width: 62rem) {
  .verdicts i { padding: 0.3rem 0.2rem; }
  .verdicts i span { display: block; }
  .verdict-legend .in-bar { display: none; }
}
.verdict-legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.5rem; margin: 0 0 0.5rem; }
.verdict-legend i, .verdict-sign i { display: inline-block; width: 0.8rem; height: 0.8rem; border-radius: 0.15rem; }
.published-found { display: grid; grid-template-columns: auto 1fr; gap: 0 0.6rem; align-items: baseline;
  font-size: 1.3rem; }
.published-found > :first-child { grid-column: span 2; font-weight: 400; }
.cards:has(.published-found) { grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
.cards:has(.published-found) .card { display: grid; grid-row: span 3; grid-template-rows: subgrid; }
.more-cards summary { margin: 0.75rem 0; cursor: pointer; font-weight: 600; }
.verdicts-box summary { cursor: pointer; font-size: max(0.9rem, var(--least-letters, 0px)); }
.verdicts-box details p { margin: 0.25rem 0 0; font-size: max(0.9rem, var(--least-letters, 0px)); }
"""


def verdict_bar(counts: Mapping[str, int]) -> str:
    """Return how many claims have each verdict, as one bar: HTML that is rendered at once at any width.

    Verdicts by which nothing is decided are one part; below the bar each of them unfolds.
    """
    parts, legend, why, n_all = "", "", "", sum(counts.values())
    # Side by side what holds and what does not, then all between; what cannot be decided is one part.
    undecided = {verdict: n for verdict in UNDECIDED if (n := counts.get(verdict, 0))}
    shown = {verdict: n for verdict in (HOLDS, FAILS, CAVEAT) if (n := counts.get(verdict, 0))}
    words = {verdict: escape(_of(n, verdict)) for verdict, n in (shown | undecided).items()}
    if len(undecided) > 1:
        reasons = ", ".join(f"<b>{n}</b> {words[verdict]}" for verdict, n in undecided.items())
        shown[OPEN], words[OPEN] = sum(undecided.values()), "cannot be decided"
        why = f"<details><summary>Why {shown[OPEN]} cannot be decided</summary><p>{reasons}</p></details>"
    else:
        shown |= undecided
    for verdict, n in shown.items():
        colour, is_wide = f"background:{_COLOURS[verdict]}", n >= _WITH_WORDS * n_all
        parts += f'<i style="flex:{n};{colour}"><b>{n}</b>{f"<span>{words[verdict]}</span>" * is_wide}</i>'
        legend += f'<span{" class=in-bar" * is_wide}><i style="{colour}"></i> <b>{n}</b> {words[verdict]}</span>'
    return (
        f'<div class="verdicts-box"><div class="verdicts" role="img" aria-label="{escape(verdict_words(counts))}">'
        f'{parts}</div><p class="verdict-legend">{legend}</p>{why}</div>'
    )


def verdict_words(counts: Mapping[str, int]) -> str:
    """Say how many claims have each verdict."""
    return "; ".join(f"{n} {_of(n, verdict)}" for verdict, n in counts.items() if n)


def verdict_on_claim(verdict: str) -> str:
    """Return the verdict on a published claim, with the colour that it has in the bar, as HTML."""
    colour = f'<i style="background:{_COLOURS[verdict]}"></i>'
    words = f"the published claim {is_said(verdict)}"
    return f'<span class="verdict-sign">{colour} {escape(words)}</span>'


def is_said(verdict: str) -> str:
    """Return a verdict as it follows the name of one claim: “holds”, “is too close to call”."""
    return f"{'is ' * (verdict in (UNCLEAR, DIFFERS))}{verdict}"


def published_and_found(what: str, says: str, published: str, found: str) -> str:
    """Return a published number, after who `says` it, and ours, with what both mean over them, as HTML."""
    return (
        f'<div class="published-found"><small>{what}</small><small>{says}</small><span>{published}</span>'
        f"<small>we find</small><span>{found}</span></div>"
    )


def _of(n: int, verdict: str) -> str:
    """Return a verdict as it is said of `n` claims."""
    return verdict if n == 1 else OF_SEVERAL.get(verdict, verdict)


def beside(claims: Sequence[Claim], numbers: Sequence[int], letters: int = _LINE, lines: int = 2) -> Figure:
    """Return published values as stars, ours with 95 % intervals in the colour of the verdict; a row a claim, numbered.

    A value that follows from a printed formula or sentence is a plus, not a star. The words of a claim have so many
    `lines` of so many `letters`, without the last words of many.
    """
    names = {
        str(i): f"<b>{number} · {FIRST_AUTHORS[claim.source]}, {claim.place}</b><br>"
        + "<br>".join(textwrap.wrap(claim.words, letters, max_lines=lines, placeholder=" …"))
        for i, (number, claim) in enumerate(zip(numbers, claims, strict=True))
    }
    traces, grey = [], palette.TRUTH.colour
    for verdict, style in STYLES.items():
        here = [(str(i), claim) for i, claim in enumerate(claims) if claim.verdict == verdict and claim.ours]
        if not here:
            continue
        ours = [claim.ours for _, claim in here if claim.ours]
        traces.append(
            {
                "x": [estimate.mean for estimate in ours],
                "y": [i for i, _ in here],
                "error_x": error_bars(ours, style),
                "mode": "markers",
                "marker": {"color": style.colour, "symbol": style.marker, "size": 10},
                "name": f"our number; claim: {verdict}",
                "text": [claim.words for _, claim in here],
                "hovertemplate": "%{text}<br>ours %{x:.3f}<extra></extra>",
            }
        )
    for name, symbol, read in (
        ("published", "star-open", False),
        ("as published words or formulas give", "cross-thin", True),
    ):
        there = [(i, claim) for i, claim in zip(names, claims, strict=True) if bool(claim.reading) == read]
        if there:
            traces.append(
                {
                    "x": [claim.published for _, claim in there],
                    "y": [i for i, _ in there],
                    "mode": "markers",
                    "marker": {"symbol": symbol, "size": 13, "color": grey, "line": {"width": 2, "color": grey}},
                    "name": name,
                    "text": [claim.words for _, claim in there],
                    "hovertemplate": f"%{{text}}<br>{name} %{{x:.3f}}<extra></extra>",
                }
            )
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {
                "title": {"text": "accuracy, F1, share, or difference of two"},
                "tickformat": ".0%",
                "side": "top",
            },
            "yaxis": {"type": "category"} | rows(names),
            "height": 140 + _ROW * len(claims),
            "margin": {"b": 100},
            "legend": legend_below(),
        },
    )
