"""The chart of a poll in which some people do not follow the rules."""

from __future__ import annotations

from collections.abc import Sequence

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import voting
from privdemo.experiments.voting import Disobeyed
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import HOVER, ROW, interval_bars, marker, percent, reference_label, reference_line, rows
from privdemo.figures.voting.polls import PERCENT

# What one lie for all says, what is possible, and what two halves say.
CORRECTED, POSSIBLE, HALVES = "corrected", "possible", "halves"
disobedience_styles = {CORRECTED: palette.SPREAD, POSSIBLE: palette.OTHERS[2], HALVES: palette.OTHERS[1]}


def disobedience(found: Disobeyed, truth: float) -> Figure:
    """Return the corrected estimate with its 95 % interval, the shares that are possible, and what two halves say.

    A rule marks the true share.
    """
    styles = disobedience_styles
    contents = [("corrected estimate", styles[CORRECTED], found.corrected)]
    if found.noticed:
        contents += [
            ("two halves: share of A", styles[HALVES], found.noticed.share),
            ("two halves: people who do not play along", styles[HALVES], found.noticed.part),
        ]
    low, high = disobedience_axis([found])
    band, (least, most) = "shares that are possible", map(float, found.possible[2:])
    traces = [
        {
            "x": [estimate.mean],
            "y": [name],
            "mode": "markers",
            "marker": marker(style) | {"line": {"width": 2, "color": style.colour}},
            "error_x": interval_bars(*estimate, style) | {"thickness": 2, "width": 8},
            "hovertemplate": f"{name}: {estimate.formatted(percent, HOVER)}<extra></extra>",
        }
        for name, style, estimate in contents
    ]
    bar = {
        "x": [least, most],
        "y": [band, band],
        "mode": "lines",
        "line": {"color": styles[POSSIBLE].colour, "width": 8},
        "hovertemplate": f"{band}: {percent(least)} to {percent(most)}<extra></extra>",
    }
    (first, _, estimate), *others = contents
    labels = {
        first: f"{first} <b>{percent(estimate.mean)}</b>",
        band: f"{band} <b>{percent(least)} to {percent(most)}</b>",
    }
    labels |= {name: f"{name} <b>{percent(estimate.mean)}</b>" for name, _, estimate in others}
    return chart(
        data=[{"type": "scatter", **trace} for trace in (traces[0], bar, *traces[1:])],
        layout={
            "xaxis": {"title": {"text": "share of people"}, "range": [low, high], **PERCENT},
            "yaxis": rows(labels),
            "shapes": [reference_line(truth)],
            "annotations": [reference_label(truth, f"truth {percent(truth)}", low, high)],
            "height": ROW * len(labels) + 90,
            "margin": {"b": 48},
            "showlegend": False,
        },
    )


def disobedience_axis(found: Sequence[Disobeyed]) -> tuple[float, float]:
    """Return the ends of an axis for all that is found, from 0 to 1 at least."""
    ends = [end for one in found for end in one.corrected]
    return max(voting.FAR[0], min(0.0, *ends) - 0.02), min(voting.FAR[1], max(1.0, *ends) + 0.02)
