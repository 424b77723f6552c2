"""Dot fields of people: colour and shape show what a person said; a hollow dot is an answer that chance changed."""

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


class Shape(NamedTuple):
    """The outline of a dot around a point: where it begins, how it goes on, and its filled and its hollow character."""

    right: float
    down: float
    rest: str
    filled: str
    hollow: str


_DISC = Shape(-3.5, 0, "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", "●", "○")
_SQUARE = Shape(-3, -3, "h6v6h-6z", "■", "□")
_DIAMOND = Shape(0, -4, "l4 4l-4 4l-4-4z", "◆", "◇")
_TRIANGLE = Shape(0, -3.7, "l3.9 6.9h-7.8z", "▲", "△")


class Dot(NamedTuple):
    """The mark of a person: colour and shape are what was said, hollow if chance changed the answer."""

    colour: str
    shape: Shape
    hollow: bool = False

    @property
    def sign(self) -> str:
        """Return the character of the mark in a legend."""
        return self.shape.hollow if self.hollow else self.shape.filled

    @property
    def changed(self) -> Dot:
        """Return the mark of somebody who said the same because chance changed the answer."""
        return self._replace(hollow=True)

    @property
    def not_yet(self) -> Dot:
        """Return the mark of somebody who has not said it yet: its outline in grey."""
        return Dot(palette.TRUTH.colour, self.shape, True)


SAID_A = Dot(A_COLOUR, _DISC)
SAID_B = Dot(B_COLOUR, _SQUARE)
# The mark of each of up to six answers, in their order.
SAID = (
    SAID_A,
    SAID_B,
    Dot(palette.OTHERS[1].colour, _DIAMOND),
    *(Dot(palette.OTHERS[i].colour, _TRIANGLE) for i in (0, 2, 1)),
)
# Somebody who is still to answer, and somebody who has answered, but whose answer is not shown.
NOT_YET, ANSWERED = SAID_A.not_yet, Dot(palette.TRUTH.colour, _DISC)
# The votes; the answers, hollow where chance changed them; and the answers alone: all that the pollster sees.
VOTES = {A_TRUE: SAID_A, A_LIED: SAID_A, B_TRUE: SAID_B, B_LIED: SAID_B}
TRUTH = {A_TRUE: SAID_A, A_LIED: SAID_B.changed, B_TRUE: SAID_B, B_LIED: SAID_A.changed}
ANSWERS = {A_TRUE: SAID_A, A_LIED: SAID_B, B_TRUE: SAID_B, B_LIED: SAID_A}

LEGEND = {
    "A": SAID_A,
    "B": SAID_B,
    "voted B, but chance made it A": SAID_A.changed,
    "voted A, but chance made it B": SAID_B.changed,
}

# The screens on which two fields side by side are upright.
NARROW = "(max-width: 639px)"

# Dot fields side by side: the style of the pages and of a downloaded page.
PEOPLE_CSS = """
.people { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 0.5rem 1.5rem;
  margin: 0.25rem 0 0.5rem; }
.people figure { margin: 0; }
.people figcaption { font-size: max(0.9rem, var(--least-letters, 0px)); line-height: 1.3; margin-bottom: 0.3rem; }
.people :is(img, svg) { display: block; width: 100%; max-width: var(--width); }
/* A field may have another picture for a wide screen. */
.people img.wide { display: none; }
@media (min-aspect-ratio: 3/2) {
  .people img.wide { display: block; }
  .people img:has(+ .wide) { display: none; }
}
/* Two fields stay side by side, as high as each other, so that they can be compared. */
.people.two { grid-template: auto minmax(0, 1fr) / repeat(2, minmax(0, 1fr)); gap: 0 clamp(0.75rem, 2vw, 1.5rem); }
.people.two figure { display: grid; grid-row: span 2; grid-template-rows: subgrid; }
.people-legend { font-size: max(0.875rem, var(--least-letters, 0px)); display: flex; flex-wrap: wrap; gap: 0 1.1rem;
  margin: 0; }
.people-legend b { font-weight: 400; font-size: 1.05rem; }
"""


class Field(NamedTuple):
    """A dot field with its heading: `svg` is the picture, with `columns` dots a row."""

    heading: str
    svg: str
    columns: int


def dot_field(heading: str, kinds: NDArray[np.integer], dots: Mapping[int, Dot], columns: int | None = None) -> Field:
    """Return the dot field of people of `kinds` (n,), row by row; `dots` maps each kind to its look."""
    columns = columns or columns_of(len(kinds))
    rows = math.ceil(len(kinds) / columns)
    shapes = []
    for dot in dict.fromkeys(dots.values()):  # by look, so that the file reveals no more than the picture
        where = np.flatnonzero(np.isin(kinds, [kind for kind, dot_of_kind in dots.items() if dot_of_kind == dot]))
        outlines = "".join(_outline(10 * (i % columns) + 5, 10 * (i // columns) + 5, dot.shape) for i in where.tolist())
        paint = f'fill="none" stroke="{dot.colour}" stroke-width="1.6"' if dot.hollow else f'fill="{dot.colour}"'
        shapes.append(f'<path {paint} d="{outlines}"/>')
    size = f"0 0 {10 * columns} {10 * rows}"
    return Field(heading, f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}">{"".join(shapes)}</svg>', columns)


# How many times as wide as high a field of dots is, best and within what bounds.
_WIDE, _BOUNDS = 1.6, (1.0, 3.0)


def columns_of(n: int, *, upright: bool = False) -> int:
    """Return the dots of a row with which `n` fill their rectangle, or leave the fewest places free: 40 for a
    thousand. In an `upright` field as many are in a column: 25 in a row.
    """
    least, most = (math.sqrt(bound * n) for bound in _BOUNDS)
    counts = range(max(1, math.ceil(least)), max(1, math.floor(most)) + 1)
    wide = min(counts, key=lambda c: (-n % c, abs(math.log(c * c / (_WIDE * max(n, 1))))), default=1)
    return max(1, math.ceil(n / wide)) if upright else wide


def _outline(x: int, y: int, shape: Shape) -> str:
    return f"M{x + shape.right:g} {y + shape.down:g}{shape.rest}"


def plan(heading: str, dots: Mapping[int, Dot], n: int) -> dict[str, Any]:
    """Return how `dot_field` plots `n` people, for a browser that renders them again: its columns, also if it is
    upright, its looks, that of a kind, and that of people who have not answered yet.
    """
    looks = list(dict.fromkeys(dots.values()))
    look_of = [looks.index(dots[kind]) for kind in sorted(dots)]
    return {
        "heading": heading,
        "columns": columns_of(n),
        "upright": columns_of(n, upright=True),
        "looks": list(map(encoded, looks)),
        "look_of": look_of,
        "not_yet": encoded(NOT_YET),
    }


def encoded(dot: Dot) -> dict[str, Any]:
    """Return a mark as a browser renders it: its colour, whether it is hollow, and its outline."""
    right, down, rest, *_ = dot.shape
    return {"colour": dot.colour, "hollow": dot.hollow, "x": right, "y": down, "rest": rest}


def split_field(
    heading: str, n_first: int, n_people: int, first: Dot, others: Dot, columns: int | None = None
) -> Field:
    """Return the dot field of people of whom the first `n_first` look like `first`, and the `others` like that."""
    return dot_field(heading, (np.arange(n_people) >= n_first).astype(int), {0: first, 1: others}, columns)


def people_html(
    fields: Sequence[Field],
    legend: Mapping[str, Dot],
    alt: str,
    narrow: Sequence[Field] | None = None,
    wide: Sequence[Field] | None = None,
) -> str:
    """Return dot fields side by side below one legend, as HTML with the pictures inline.

    `narrow` are the same two fields upright, for a narrow screen, on which they stay side by side; `wide` are the same
    fields for a wide screen.
    """
    pictures = "".join(
        f"<figure><figcaption>{html.escape(field.heading)}</figcaption>"
        f"{_picture(field, alt if i == 0 else '', narrow[i] if narrow else None, wide[i] if wide else None)}</figure>"
        for i, field in enumerate(fields)
    )
    signs = "".join(
        f'<span><b style="color:{dot.colour}" aria-hidden="true">{dot.sign}</b> {html.escape(name)}</span>'
        for name, dot in legend.items()
    )
    return f'<p class="people-legend">{signs}</p><div class="people{" two" * bool(narrow)}">{pictures}</div>'


def _picture(field: Field, alt: str, narrow: Field | None, wide: Field | None) -> str:
    """Return a field as an inline picture, which is `narrow` on a narrow screen, and `wide` on a wide one."""
    picture = _image(field, alt)
    if narrow:
        picture = f'<picture><source media="{NARROW}" srcset="{_inline(narrow)}">{picture}</picture>'
    return picture + (_image(wide, alt, "wide") if wide else "")


def _image(field: Field, alt: str, kind: str = "") -> str:
    of_kind, width = f' class="{kind}"' * bool(kind), f"--width:{1.5 * field.columns:g}rem"
    return f'<img{of_kind} style="{width}" alt="{html.escape(alt, quote=True)}" src="{_inline(field)}">'


def _inline(field: Field) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(field.svg.encode()).decode()}"
