"""The chart of published values beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.claims import CAVEAT, FAILS, FIRST_AUTHORS, HOLDS, UNCLEAR, Claim
from privdemo.figures.charts import error_bars, legend_below, rows
from privdemo.figures.house import chart

STYLES = {
    HOLDS: palette.SPREAD,
    CAVEAT: palette.Style(palette.MMD.colour, "solid", "square"),
    UNCLEAR: palette.OTHERS[1],
    FAILS: palette.Style(palette.NAIVE.colour, "solid", "diamond"),
}
_ROW = 36


def beside(claims: Sequence[Claim], numbers: Sequence[int]) -> Figure:
    """Published values as stars, ours with 95 % intervals in the colour of the verdict; a row a claim, numbered.

    A value that follows from a printed formula or sentence is a plus, not a star.
    """
    names = {
        str(i): f"{number} · {FIRST_AUTHORS[claim.source]}, {claim.place}"
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
                "name": f"ours, {verdict}",
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
            "xaxis": {"title": {"text": "value, as the claim says it"}},
            "yaxis": {"type": "category"} | rows(names),
            "height": 140 + _ROW * len(claims),
            "margin": {"b": 100},
            "legend": legend_below(),
        },
    )
