"""Charts of a poll of a class: answers, estimated shares, and the posterior of each sender."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from privdemo import figures, palette
from privdemo.experiments import voting
from privdemo.experiments.poll import Again, Price, Reveal
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import (
    HOVER,
    error_bars,
    interval_bars,
    label_over,
    legend_below,
    line,
    marker,
    percent,
    point,
    reference_label,
    reference_line,
    rows,
)
from privdemo.figures.ends import label_ends
from privdemo.figures.people import ANSWERED, NOT_YET, SAID, Dot, Field
from privdemo.intervals import Estimate
from privdemo.methods import SPREAD_MLE, VOTING

_LOW, _HIGH = -0.02, 1.04
_SHARE = {"range": [_LOW, _HIGH], "tickformat": ".0%"}
# In pixels, the height of all rows together where they are few, and the least height of one; in rows, how wide a bar
# is, and how far below the middle of its row a second mark stands.
_ROWS, _LEAST_ROW, _BAR, _BELOW = 300, 84, 1 / 3, 0.2
# The curves that are plotted at most, and the distance of their marks, which may have the same height.
_CURVES, _APART = 3, 0.06
# The line and marker of each answer: its mark in the pictures of people.
_LOOKS = tuple(
    palette.Style(mark.colour, dash, symbol)
    for mark, dash, symbol in zip(
        SAID,
        ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot"),
        ("circle", "square", "diamond", "triangle-up", "triangle-up", "triangle-up"),
        strict=True,
    )
)
_ESTIMATED, _AS_SENT = "corrected for the changed answers", "as sent"
# The people of a picture.
_HUNDRED = 100
# How many times as wide as high is what a slide leaves for the field of a class, also on a wide screen.
_SLIDE, _WIDE_SLIDE = 1.7, 2.1
# The least part of that height which its dots take.
_LEAST_HEIGHT = 0.72


def words(text: str) -> str:
    """Return a user's text literally: an invisible joiner breaks what a chart would read as a tag."""
    return text.replace("<", "<\u2060").replace("&", "&\u2060").replace("-", "‐")


def said(found: Reveal) -> Figure:
    """Return the answers of the class, a bar in the colour of each."""
    labels = [f"{words(r.answer)} <b>{r.senders:,}</b>, {percent(r.reported.mean)}" for r in found.readings]
    n = len(found.readings)
    bars = [
        _bar(row, r.reported.mean, mark.colour, n)
        for (row, r), mark in zip(_with_rows(found.readings), SAID, strict=False)
    ]
    return _shares(labels, bars, f"share of the {found.n_answers:,} people who answered")


def naive(found: Reveal) -> Figure:
    """Return the naive estimate, the observed shares with their intervals."""
    style = VOTING["naive"].style
    marks = [_mark(row, r.reported, style, "", size=22) for row, r in _with_rows(found.readings)]
    figure = _shares([""] * len(marks), marks, "share of the answers sent")
    names = (f"{words(r.answer)} <b>{percent(r.reported.mean)}</b>" for r in found.readings)
    for name, (row, r) in zip(names, _with_rows(found.readings), strict=True):
        figure.add_annotation(label_over(name, r.reported.mean, row, _LOW, _HIGH) | {"yshift": 16})
    return figure


def corrected(found: Reveal, truth: Sequence[float] | None = None) -> Figure:
    """Return the estimated share of each answer with its interval, below it the observed share; the truth where it is
    known.
    """
    best, ignored, known = (VOTING[name].style for name in (SPREAD_MLE, "naive", "honest"))
    labels, marks = [], []
    for i, (row, r) in enumerate(_with_rows(found.readings)):
        true = f", truth {percent(truth[i])}" if truth else ""
        labels.append(f"{words(r.answer)} <b>{percent(r.estimated.mean)}</b>{true}")
        marks.append(_mark(row, r.estimated, best, _ESTIMATED))
        marks.append(_mark(row - _BELOW, r.reported, ignored, _AS_SENT, size=8))
        if truth:
            marks.append(_mark(row, Estimate(truth[i], truth[i], truth[i]), known, "the truth", size=22))
    return _shares(labels, marks, "share for whom it is true")


def _with_rows(items: Sequence[Any]) -> list[tuple[int, Any]]:
    """Return items with their rows on an axis that counts upwards, the first in the uppermost."""
    return list(zip(range(len(items) - 1, -1, -1), items, strict=True))


def _rows(labels: Sequence[str]) -> dict[str, Any]:
    """Return a vertical axis with a row for each of `labels`, written over their rows."""
    heights = [row for row, _ in _with_rows(labels)]
    named = rows({str(row): label for row, label in _with_rows(labels)}) | {"tickvals": heights}
    return {key: value for key, value in named.items() if not key.startswith("category")}


def _shares(labels: Sequence[str], traces: list[dict[str, Any]], title: str) -> Figure:
    seen: set[str] = set()
    for trace in traces:  # each name once in the legend
        trace["showlegend"] = trace.get("name", "") not in {"", *seen}
        seen.add(trace.get("name", ""))
    legend = 36 * (seen != {""})
    return chart(
        data=traces,
        layout={
            "xaxis": {"title": {"text": title}, **_SHARE},
            "yaxis": _rows(labels),
            "height": _row_height(len(labels)) * len(labels) + 70 + legend,
            "margin": {"b": 60 + legend},
            "legend": legend_below(),
            "showlegend": bool(legend),
        },
    )


def _row_height(n_rows: int) -> int:
    """Return the height of one of so many rows: few of them are high, so that a projector's screen is used."""
    return max(_LEAST_ROW, _ROWS // n_rows)


def _bar(row: int, length: float, colour: str, n_rows: int) -> dict[str, Any]:
    """Return a bar as a thick line in a row, of so many."""
    return {
        "x": [0, length],
        "y": [row - _BELOW] * 2,
        "mode": "lines",
        "line": {"color": colour, "width": round(_BAR * _row_height(n_rows))},
        "hovertemplate": "%{x:.1%}<extra></extra>",
    }


def _mark(row: float, found: Estimate, style: palette.Style, name: str, size: int = 14) -> dict[str, Any]:
    """Return an estimate with its interval at the height of a row."""
    bars = interval_bars(found.mean, found.low, found.high, style)
    return {
        "x": [found.mean],
        "y": [row],
        "mode": "markers",
        "marker": point(style) | {"size": size},
        "error_x": bars | {"thickness": size / 5, "width": size / 2},
        "name": name,
        "legendgroup": name,
        "hovertemplate": f"{name}: {found.formatted(percent, HOVER)}<extra></extra>",
    }


def meant(found: Reveal) -> list[Field]:
    """Return a hundred senders of each answer, hollow where chance changed what they meant."""
    return [
        figures.split_field(
            f"Of 100 who sent “{reading.answer}”",
            round(_HUNDRED * reading.meant.mean),
            _HUNDRED,
            mark,
            mark.changed,
            columns=10,
        )
        for reading, mark in zip(found.readings, SAID, strict=False)
    ]


def meant_legend(found: Reveal) -> dict[str, Dot]:
    """Return the legend of `meant`, by words: of two answers the marks of both, of more those of the first."""
    if len(found.readings) > 2:
        return {"filled: an honest answer": SAID[0], "hollow: chance changed another answer to it": SAID[0].changed}
    names = [f"“{reading.answer}”" for reading in found.readings]
    return {f"sent {name}, honest": mark for name, mark in zip(names, SAID, strict=False)} | {
        f"sent {name}, changed by chance": mark.changed for name, mark in zip(names, SAID, strict=False)
    }


def arrived(answered: int, expected: int) -> Field:
    """Return all who are to answer, filled if they have; of more than a thousand, that many for all."""
    shown = min(expected, voting.N_DOTS)
    return figures.split_field(_each_dot(shown, expected), round(shown * answered / expected), shown, ANSWERED, NOT_YET)


def _each_dot(shown: int, people: int) -> str:
    """Say what a dot stands for, if there are more people than dots; else return “”."""
    return "" if shown == people else f"Each dot stands for {people / shown:.3g} people"


ARRIVED_LEGEND = {"has answered": ANSWERED, "has not answered yet": NOT_YET}


def whole_class(found: Reveal, number: int, *, on_wide_screen: bool = False) -> Field:
    """Return all who answered: of whom the answer of this number is true, may be, may not be, and is not, as its
    estimated share and the 95 % interval have it; of more than a thousand, that many for all.

    The dots are as large as a slide lets them be.
    """
    shown = min(found.n_answers, voting.N_DOTS)
    mean, low, high = (round(shown * share) for share in found.readings[number].estimated)
    marks = dict(enumerate(whole_class_legend(found, number).values()))
    kinds = np.repeat(list(marks), [low, mean - low, high - mean, shown - high])
    columns = _largest_dots(shown, _WIDE_SLIDE if on_wide_screen else _SLIDE)
    heading = f"How many, not who: no mark is a particular person. {_each_dot(shown, found.n_answers)}".strip()
    return figures.dot_field(heading, kinds, marks, columns)


def _largest_dots(n: int, wide: float) -> int:
    """Return the dots of a row with which `n` are as large as can be where it is `wide` times as wide as high.

    They take `_LEAST_HEIGHT` of the height or more; of rows with equal dots it is the one that leaves the fewest places
    free.
    """

    def size(row: int) -> float:
        return min(wide / row, 1 / math.ceil(n / row))

    high = [row for row in range(1, n + 1) if math.ceil(n / row) * size(row) >= _LEAST_HEIGHT]
    return max(high, key=lambda row: (size(row), -(-n % row)), default=1)


def whole_class_legend(found: Reveal, number: int) -> dict[str, Dot]:
    """Return the legend of `whole_class`, by words."""
    answers, this = found.config.answers, SAID[number]
    others = SAID[0 if number == 1 else 1]
    words_of_others = "another answer"
    if len(answers) == 2:
        words_of_others = f"“{answers[1 - number]}”"
    else:
        others = others._replace(colour=palette.TRUTH.colour)
    return {
        f"“{answers[number]}”": this,
        f"estimated “{answers[number]}”, uncertain": this.not_yet,
        f"estimated {words_of_others}, uncertain": others.not_yet,
        words_of_others: others,
    }


def again(found: Sequence[Again], times: int) -> Figure:
    """Return the posterior after the same answer each time; a rule marks the repetitions so far.

    Of many answers the most likely ones are plotted, as many as can be distinguished.
    """
    likeliest = sorted(found, key=lambda each: -each.meant[0].mean)[:_CURVES]
    plotted = [(each, look) for each, look in zip(found, _LOOKS, strict=False) if each in likeliest]
    traces = [
        {
            "x": [time + _APART * (i - (len(plotted) - 1) / 2) for time in range(1, len(each.meant) + 1)],
            "y": [estimate.mean for estimate in each.meant],
            "mode": "lines+markers",
            "line": line(look),
            "marker": marker(look) | {"size": 10},
            "error_y": error_bars(each.meant, look),
            "name": f"always “{words(each.answer)}”",
            "hovertemplate": "%{x:.0f} times: true for %{y:.1%}<extra></extra>",
        }
        for i, (each, look) in enumerate(plotted)
    ]
    most = len(found[0].meant)
    figure = chart(
        data=traces,
        layout={
            "xaxis": {"title": {"text": "times asked"}, "range": [0.7, most + 0.3], "dtick": 1},
            "yaxis": {
                "title": {"text": "how often it is true (higher: less private)"},
                "range": [-0.03, 1.05],
                "tickformat": ".0%",
            },
            "shapes": [reference_line(times)],
            "annotations": [reference_label(times, f"your setting: {times}", 0.7, most + 0.3)],
            "height": 380,
            "margin": {"b": 120},
            "legend": legend_below(),
        },
    )
    return label_ends(figure, avoid_overlap=True)


def price(cost: Price) -> Figure:
    """Return the number of people who answered, and the number whose true answers would be as precise."""
    kinds = (
        ("private answers", cost.with_lies, VOTING[SPREAD_MLE].style),
        ("open answers that would be as exact", cost.without_lies, VOTING["honest"].style),
    )
    labels = [f"{name} <b>{f'{n:,}' if n else 'under 1'}</b>" for name, n, _ in kinds]
    bars = [_bar(row, n, style.colour, len(kinds)) for row, (_, n, style) in _with_rows(kinds)]
    return chart(
        data=[bar | {"hovertemplate": "%{x:,} people<extra></extra>"} for bar in bars],
        layout={
            "xaxis": {"title": {"text": "people"}, "range": [0, 1.04 * max(cost.with_lies, cost.without_lies)]},
            "yaxis": _rows(labels),
            "height": 2 * _row_height(2) + 70,
            "margin": {"b": 60},
            "showlegend": False,
        },
    )
