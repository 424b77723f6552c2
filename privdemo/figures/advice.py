"""Plot what each kind of trust gives, with the advised plan marked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.advise import Plan
from privdemo.figures.charts import Curve, axis, curve_chart, line, log_axis, privacy_axis, round_ticks
from privdemo.intervals import Estimate

TRUSTED_NAMES = {
    "nobody": "nobody",
    "shuffler": "a shuffler",
    "leader": "group leaders",
    "curator": "one trusted office",
}
_STYLES = {
    "nobody": palette.SPREAD,
    "shuffler": palette.OTHERS[0],
    "leader": palette.LABEL_PROPORTIONS,
    "curator": palette.OTHERS[1],
}
# The pixels of a name in the legend: on a telephone each has a line.
_NAME_ROW = 21


def half_widths(found: Mapping[str, Sequence[Plan]], plan: Plan, within: float | None) -> Figure:
    """Return the half-width in points along the number of people, a curve for each kind of trust in `found`.

    A star marks the advised `plan`, and a grey line the wanted half-width, if there is one.
    """
    lines = [
        _curve(trust, [one.people for one in plans], [_exactly(100 * one.half_width) for one in plans])
        for trust, plans in found.items()
    ]
    people = sorted({one.people for plans in found.values() for one in plans})
    widths = [100 * plan.half_width, *(estimate.mean for line in lines for estimate in line.estimates)]
    low, high = math.log10(min(widths)) - 0.1, math.log10(max(widths)) + 0.1
    y_axis = {
        "title": {"text": "error: ± percentage points, log scale"},
        "type": "log",
        "range": [low, high],
    }
    return curve_chart(
        lines,
        log_axis("people", people) | round_ticks(people[0], people[-1], (1, 5)),  # numbers are long
        y_axis | round_ticks(10**low, 10**high),
        ".3g",
        stars=[_star(plan, plan.people, 100 * plan.half_width)],
        more=[] if within is None else [_goal(people, 100 * within, f"limit: ± {100 * within:g}")],
        legend=_NAME_ROW * (len(lines) + (within is not None)),
        avoid_overlap=True,
        legend_on_top=True,
    )


def accuracies(found: Mapping[str, Sequence[Plan]], plan: Plan, goal: float | None) -> Figure:
    """Return how many of 100 a classifier gets right along ε, a curve for each kind of trust in `found`.

    A star marks the advised `plan`, and a grey line the accuracy that is the `goal`, if there is one.
    """
    lines = [
        _curve(trust, [one.epsilon for one in plans], [one.accuracy.times(100) for one in plans if one.accuracy])
        for trust, plans in found.items()
    ]
    levels = sorted({one.epsilon for plans in found.values() for one in plans})
    ends = [end for line in lines for estimate in line.estimates for end in estimate.ends]
    ends += [] if goal is None else [100 * goal]
    right = plan.accuracy.mean if plan.accuracy else 0.0
    return curve_chart(
        lines,
        privacy_axis("ε", levels),
        axis("of 100 new records, right", ends),
        ".1f",
        stars=[_star(plan, plan.epsilon, 100 * right)],
        more=[] if goal is None else [_goal(levels, 100 * goal, f"goal: {100 * goal:.1f}")],
        legend=_NAME_ROW * (len(lines) + (goal is not None)),
        avoid_overlap=True,
        legend_on_top=True,
    )


def _curve(trust: str, x: Sequence[float], estimates: Sequence[Estimate]) -> Curve:
    return Curve(TRUSTED_NAMES[trust], _STYLES[trust], x, estimates)


def _exactly(value: float) -> Estimate:
    """Return a number that no chance moves."""
    return Estimate(value, value, value)


def _star(plan: Plan, x: float, y: float) -> tuple[float, float, palette.Style, str]:
    """Return the star of the advised plan."""
    return x, y, _STYLES[plan.trust], f"advised: ε = {plan.epsilon:g}, {plan.people:,} people"


def _goal(levels: Sequence[float], value: float, name: str) -> dict[str, Any]:
    """Return the line of what is wanted."""
    return {
        "x": [levels[0], levels[-1]],
        "y": [value, value],
        "mode": "lines",
        "line": line(palette.TRUTH) | {"dash": "dot"},
        "name": name,
        "hovertemplate": f"{name}<extra></extra>",
    }
