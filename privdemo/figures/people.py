"""Dot fields of people: colour and shape show the vote or the answer, a hollow dot a lie."""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import palette
from privdemo.experiments.voting import A_LIED, A_TRUE, B_LIED, B_TRUE

A_COLOUR, B_COLOUR = palette.OTHERS[0].colour, palette.OTHERS[2].colour


class Dot(NamedTuple):
    """The look of a kind of person: a disc for A, a square for B, hollow for a lie; `sign` is its character in the
    legend.
    """

    colour: str
    square: bool
    hollow: bool
    sign: str


VOTED_A = Dot(A_COLOUR, False, False, "●")
VOTED_B = Dot(B_COLOUR, True, False, "■")
LIED_A = Dot(A_COLOUR, False, True, "○")
LIED_B = Dot(B_COLOUR, True, True, "□")
# The truth, and the answers: all that the pollster sees.
TRUTH = {A_TRUE: VOTED_A, A_LIED: LIED_A, B_TRUE: VOTED_B, B_LIED: LIED_B}
ANSWERS = {A_TRUE: VOTED_A, A_LIED: VOTED_B, B_TRUE: VOTED_B, B_LIED: VOTED_A}

LEGEND = {"A": VOTED_A, "B": VOTED_B, "hollow: lied": LIED_A}

# Dot fields side by side: the style of the pages and of a downloaded page.
PEOPLE_CSS = """
.people { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 0.5rem 1.5rem;
  margin: 0.25rem 0 0.5rem; }
.people figure { margin: 0; }
.people figcaption { font-size: 0.9rem; margin-bottom: 0.3rem; }
.people :is(img, svg) { display: block; width: 100%; max-width: var(--width); }
.people-legend { font-size: 0.875rem; display: flex; flex-wrap: wrap; gap: 0 1.1rem; margin: 0; }
.people-legend span { white-space: nowrap; }
.people-legend b { font-weight: 400; font-size: 1.05rem; }
"""


# The outline of a disc and of a square around a point: where it begins, and how it goes on.
_DISC, _SQUARE = (-3.5, 0, "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z"), (-3, -3, "h6v6h-6z")


class Field(NamedTuple):
    """A dot field with its heading: `svg` is the picture, with `columns` dots a row."""

    heading: str
    svg: str
    columns: int


def dot_field(heading: str, kinds: NDArray[np.integer], dots: Mapping[int, Dot], columns: int | None = None) -> Field:
    """Return the dot field of people of `kinds` (n,), row by row; `dots` maps each kind to its look."""
    columns = columns or _columns(len(kinds))
    rows = math.ceil(len(kinds) / columns)
    shapes = []
    for dot in dict.fromkeys(dots.values()):  # by look, so that the file reveals no more than the picture
        where = np.flatnonzero(np.isin(kinds, [kind for kind, dot_of_kind in dots.items() if dot_of_kind == dot]))
        outlines = "".join(
            _outline(10 * (i % columns) + 5, 10 * (i // columns) + 5, dot.square) for i in where.tolist()
        )
        paint = f'fill="none" stroke="{dot.colour}" stroke-width="1.6"' if dot.hollow else f'fill="{dot.colour}"'
        shapes.append(f'<path {paint} d="{outlines}"/>')
    size = f"0 0 {10 * columns} {10 * rows}"
    return Field(heading, f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}">{"".join(shapes)}</svg>', columns)


# How many times as wide as high a field of dots is, best and within what bounds.
_WIDE, _BOUNDS = 1.6, (1.0, 3.0)


def _columns(n: int) -> int:
    """Return the dots of a row with which `n` fill their rectangle, or leave the fewest places free: 40 for a
    thousand.
    """
    least, most = (math.sqrt(bound * n) for bound in _BOUNDS)
    counts = range(max(1, math.ceil(least)), max(1, math.floor(most)) + 1)
    return min(counts, key=lambda c: (-n % c, abs(math.log(c * c / (_WIDE * max(n, 1))))), default=1)


def _outline(x: int, y: int, square: bool) -> str:
    right, down, rest = _SQUARE if square else _DISC
    return f"M{x + right:g} {y + down:g}{rest}"


def plan(heading: str, dots: Mapping[int, Dot], n: int) -> dict[str, Any]:
    """Return how `dot_field` plots `n` people, for a browser that renders them again: its columns, its looks, that of
    a kind.
    """
    looks = list(dict.fromkeys(dots.values()))
    encoded = []
    for look in looks:
        right, down, rest = _SQUARE if look.square else _DISC
        encoded.append({"colour": look.colour, "hollow": look.hollow, "x": right, "y": down, "rest": rest})
    look_of = [looks.index(dots[kind]) for kind in sorted(dots)]
    return {"heading": heading, "columns": _columns(n), "looks": encoded, "look_of": look_of}


def people_html(fields: Sequence[Field], legend: Mapping[str, Dot], alt: str) -> str:
    """Return dot fields side by side under one legend, as HTML with the pictures inline."""
    pictures = "".join(
        f"<figure><figcaption>{html.escape(field.heading)}</figcaption>"
        f'<img style="--width:{1.5 * field.columns:g}rem" alt="{html.escape(alt if i == 0 else "", quote=True)}" '
        f'src="data:image/svg+xml;base64,{base64.b64encode(field.svg.encode()).decode()}"></figure>'
        for i, field in enumerate(fields)
    )
    signs = "".join(
        f'<span><b style="color:{dot.colour}" aria-hidden="true">{dot.sign}</b> {html.escape(name)}</span>'
        for name, dot in legend.items()
    )
    return f'<div class="people">{pictures}</div><p class="people-legend">{signs}</p>'
