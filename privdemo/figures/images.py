"""The charts of images under pixel noise."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.images import Match, Point
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import error_bars, legend_below, line, marker, reference_label, reference_line
from privdemo.figures.pictures import GAP_LEVEL, contact_sheet, data_uri
from privdemo.intervals import Estimate
from privdemo.mechanisms.pixels import PixelFamily


def pixel_error_figure(curve: Sequence[Point], here: Point, family: PixelFamily) -> Figure:
    """Return the error of a pixel over the noise level: lines are exact, markers measured, with 95 % intervals."""
    levels = [point.level for point in curve]
    absolute, squared = palette.OTHERS[:2]
    traces = [
        *_error(levels, "error", absolute, [p.expected.absolute for p in curve], [p.absolute for p in curve]),
        *_error(levels, "squared error", squared, [p.expected.squared for p in curve], [p.squared for p in curve]),
    ]
    return _over_levels(
        traces,
        {"title": {"text": "how far a pixel is off (0 is not at all)"}, "rangemode": "tozero"},
        levels,
        here,
        family,
    )


def reidentification_figure(curve: Sequence[Point], here: Point, family: PixelFamily) -> Figure:
    """Return the rate of re-identification over the noise level, with 95 % intervals, and that of chance."""
    levels = [point.level for point in curve]
    chance = 1 / here.n_candidates
    traces = [
        _measured(levels, [p.linked for p in curve], "right person picked", palette.ADVERSARY)
        | {"mode": "lines+markers"},
        {
            "x": [levels[0], levels[-1]],
            "y": [chance, chance],
            "mode": "lines",
            "name": f"guessing blindly, 1 in {here.n_candidates}",
            "line": {"color": palette.TRUTH.colour, "width": 1.5, "dash": "dot"},
        },
    ]
    shown = {"title": {"text": "right person picked"}, "range": [-0.04, 1.06], "tickformat": ".0%"}
    return _over_levels(traces, shown, levels, here, family)


# What an adversary knows of clean pixels, by the name of the prior: the better, the fuller the line and its marks.
KNOWLEDGE = {
    "flat": palette.ADVERSARY._replace(dash="dot", marker="diamond-open"),
    "learned": palette.ADVERSARY._replace(dash="dash", marker="square-open"),
    "true": palette.ADVERSARY._replace(dash="longdashdot", marker="circle-open"),
    "low_rank": palette.ADVERSARY,
}


def reconstruction_figure(
    errors: Mapping[float, Mapping[str, Estimate]], titles: Mapping[str, str], here: Point, family: PixelFamily
) -> Figure:
    """Return the squared error of an adversary's guess over the noise level, by what is known of pixels, with 95 %
    intervals.

    `errors` are those of each prior by level, `titles` what the priors are called.
    """
    levels = list(errors)
    traces = [
        _measured(levels, [at[prior] for at in errors.values()], titles[prior], KNOWLEDGE[prior])
        | {"mode": "lines+markers"}
        for prior in titles
    ]
    axis = {"title": {"text": "squared error of a guessed pixel (0 is perfect)"}, "rangemode": "tozero"}
    return _over_levels(traces, axis, levels, here, family)


def _over_levels(
    traces: Sequence[Mapping[str, Any]], y_axis: dict[str, Any], levels: list[float], here: Point, family: PixelFamily
) -> Figure:
    """Return a chart over the noise level, with a rule at the visitor's own."""
    title = "chance that a pixel is replaced" if family.replaces_pixels else f"{family.symbol}, {family.level_name}"
    own = f"{100 * here.level:.4g} %" if family.replaces_pixels else f"{family.symbol} = {here.level:.4g}"
    low, high = levels[0], levels[-1]
    margin = 0.03 * (high - low)
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {
                "title": {"text": title},
                "range": [low - margin, high + margin],
                **({"tickformat": ".0%"} if family.replaces_pixels else {}),
            },
            "yaxis": y_axis,
            "shapes": [reference_line(here.level)],
            "annotations": [reference_label(here.level, f"your setting: {own}", low, high)],
            "height": 380,
            "margin": {"b": 90},
            "legend": legend_below(),
            "hovermode": "closest",
        },
    )


def _error(
    levels: list[float], name: str, style: palette.Style, expected: list[float], measured: list[Estimate]
) -> list[dict]:
    curve = {"x": levels, "y": expected, "mode": "lines", "name": name, "line": line(style)}
    return [curve, _measured(levels, measured, f"{name}, measured", style) | {"mode": "markers", "showlegend": False}]


def _measured(levels: list[float], estimates: list[Estimate], name: str, style: palette.Style) -> dict:
    return {
        "x": levels,
        "y": [estimate.mean for estimate in estimates],
        "error_y": error_bars(estimates, style),
        "name": name,
        "line": line(style),
        "marker": marker(style),
    }


# The most originals that are shown, and how many of them stand side by side for each in a column.
_MOST_ORIGINALS, _WIDE = 100, 4
# The style of a match, which is part of its markup: the pages show it within a component, which has no other style.
_MATCH_CSS = f"""
.match {{ display: grid; grid-template: "head head head" auto "sent all best" auto / 1fr 4fr 1fr; gap: 0.2rem 1rem;
  margin: 0.25rem 0 0.5rem; padding-right: 4px; max-width: 58rem; line-height: 1.25; }}
.match h4 {{ grid-area: head; margin: 0; padding: 0; font-size: 1.1rem; font-weight: 600; }}
.match figure {{ margin: 0; min-width: 0; }}
.match .sent {{ grid-area: sent; }}
.match .originals {{ grid-area: all; }}
.match .verdict {{ grid-area: best; }}
.match img {{ width: 100%; image-rendering: pixelated; display: block; border-radius: 2px; }}
.match figcaption {{ font-size: max(0.875rem, var(--least-letters, 0px)); margin-bottom: 0.15rem; min-height: 1.25em; }}
/* The frame of the best match needs the space at the right: on paper nothing is shown beyond the edge. */
.match .framed {{ position: relative; }}
.match .framed i {{ position: absolute; box-sizing: border-box; }}
.match .best {{ outline: 3px solid {palette.ADVERSARY.colour}; z-index: 1; }}
.match .right {{ outline-color: {palette.LABEL_PROPORTIONS.colour}; }}
.match .owner {{ outline: 2px dashed #FFFFFF; }}
@media (min-width: 641px) {{
  .match :is(.sent, .originals) .framed::after {{ content: "→"; position: absolute; left: 100%; top: 50%; width: 1rem;
    line-height: 0; text-align: center; }}
}}
@media (max-width: 640px) {{
  .match {{ grid-template: "head head" auto "sent best" auto "all all" auto / 1fr 1fr; gap: 0.3rem 0.75rem; }}
  .match figure:not(.originals) .framed {{ max-width: 5rem; }}
  .match figcaption {{ min-height: 0; }}
}}
"""


def match_html(match: Match, verdict: str, alt: str) -> str:
    """Return an image that was sent, the originals of those who may have sent it, and the best match, as HTML.

    The best match is framed among the originals, in green if it is the sender's, otherwise in red; then the sender's is
    framed as well. `verdict` says which it is. Where all fit alike, there is no best one. Of many people, those that
    fit best are shown, and the sender.
    """
    n, best = len(match.originals), int(match.order[0])
    shown = sorted({*match.order[:_MOST_ORIGINALS].tolist(), match.owner})
    columns = math.ceil(math.sqrt(_WIDE * len(shown)))
    rows = math.ceil(len(shown) / columns)
    cells = np.full((rows * columns, *match.originals.shape[1:]), GAP_LEVEL, np.uint8)
    cells[: len(shown)] = match.originals[shown]
    sheet = contact_sheet(cells.reshape(rows, columns, *cells.shape[1:]))

    def frame(person: int, name: str) -> str:
        row, column = divmod(shown.index(person), columns)
        place = f"left:{100 * column / columns:.2f}%;top:{100 * row / rows:.2f}%"
        return f'<i class="{name}" style="{place};width:{100 / columns:.2f}%;height:{100 / rows:.2f}%"></i>'

    clear = match.n_best == 1
    frames = frame(match.owner, "owner") if best != match.owner or not clear else ""
    picked = "best right" if best == match.owner else "best"
    frames += frame(best, picked) if clear else ""
    originals = f"The program picks from these originals: {n:,} people, one image each"
    if len(shown) < n:
        originals = f"{len(shown)} of the {n:,} originals that the program has"
    best_picture = f'<div class="framed"><img class="{picked}" src="{data_uri(match.originals[best])}" alt=""></div>'
    return (
        f'<style>{_MATCH_CSS}</style><div class="match" role="group" aria-label="{html.escape(alt, quote=True)}">'
        f"<h4>Which of these {n:,} people sent this image?</h4>"
        f'<figure class="sent"><figcaption>What one person sent</figcaption>'
        f'<div class="framed"><img src="{data_uri(match.sent)}" alt=""></div></figure>'
        f'<figure class="originals"><figcaption>{originals}</figcaption>'
        f'<div class="framed"><img src="{data_uri(sheet)}" alt="">{frames}</div></figure>'
        f'<figure class="verdict"><figcaption>{verdict}</figcaption>{best_picture if clear else ""}</figure></div>'
    )
