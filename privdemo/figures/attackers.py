"""Charts of fake clients in a survey: how far they push an answer along ε, and what is left of it after defences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.many_answers import AttackedSurvey
from privdemo.figures.chart_style import shortened
from privdemo.figures.charts import Curve, DotPlot, curve_chart, dot_plots, line, percent, privacy_axis, round_ticks
from privdemo.intervals import Estimate
from privdemo.methods import DEFENCES, FREQUENCY_ORACLES

PRETENDING = "if they only pretend to have it"


def pushed(
    found: Mapping[float, Mapping[str, float]], oracles: Sequence[str], pretended: float, own: float, name: str
) -> Figure:
    """Return by how many points the share of the answer `name` rises along ε, for each of the `oracles`.

    `found` are the rises by crafted reports. Fake clients who only pretend gain `pretended`, a grey line; without
    `oracles` it is there alone, on the same axes.
    """
    curves = [
        Curve(
            FREQUENCY_ORACLES[oracle].title,
            FREQUENCY_ORACLES[oracle].style,
            list(found),
            [Estimate(*(3 * (100 * at[oracle],))) for at in found.values()],
            FREQUENCY_ORACLES[oracle].in_full,
        )
        for oracle in oracles
    ]
    values = [100 * pretended, *(100 * rise for at in found.values() for rise in at.values())]
    low, high = math.log10(min(values)) - 0.1, math.log10(max(values)) + 0.06
    title = f"points that fake participants add to “{shortened(name)}”"
    y_axis = {"title": {"text": title}, "type": "log", "range": [low, high], **round_ticks(10**low, 10**high)}
    x_axis = privacy_axis("ε of an answer", list(found))
    x_axis |= round_ticks(min(found), max(found))
    more = [_level(100 * pretended, list(found))]
    return curve_chart(curves, x_axis, y_axis, ".3g", yours=own, legend=110, more=more, avoid_overlap=True)


def _level(points: float, levels: Sequence[float]) -> dict[str, Any]:
    """Return the line of what fake clients gain who only pretend, the same at every ε and by every oracle."""
    return {
        "x": list(levels),
        "y": [points] * len(levels),
        "mode": "lines",
        "line": line(palette.TRUTH) | {"dash": "dash"},
        "name": PRETENDING,
        "hovertemplate": f"{PRETENDING}: %{{y:.3g}}<extra></extra>",
    }


def defended(found: AttackedSurvey, name: str) -> Figure:
    """Return what each defence estimates as the share of the answer `name`, with the truth as a rule."""
    shares = [one.share for one in found.left.values()]
    low, high = min(0.0, *shares, found.true), max(*shares, found.true)
    pad = 0.05 * (high - low)
    rows = [(DEFENCES[key], Estimate(one.share, -math.inf, math.inf)) for key, one in found.left.items()]
    truth = [(found.true, f"truth {percent(found.true)}")]
    title = f"estimated share of “{shortened(name)}”"
    errors = {DEFENCES[key].title: f"a share is off by {100 * one.error:.3g} points" for key, one in found.left.items()}
    return dot_plots([DotPlot(title, low - pad, high + pad, rows, percent, percent, truth, ".0%", errors)])
