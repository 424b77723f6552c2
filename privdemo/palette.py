"""The palette that the figures, the pages' CSS and the theme share; each colour has one meaning."""

from __future__ import annotations

from typing import NamedTuple


class Style(NamedTuple):
    """A colour with its second cue for those who cannot see it: a line dash and a marker."""

    colour: str
    dash: str = "solid"
    marker: str = "circle-open"


SPREAD = Style("#0077BB", "solid", "circle")
NAIVE = Style("#D55E00", "dash", "square")
RECONSTRUCTION = Style("#B0569B", "dot", "diamond")
LABEL_PROPORTIONS = Style("#009E73", "dashdot", "triangle-up")
MMD = Style("#B8860B", "longdash", "triangle-down")
TRUTH = Style("#7A7A7A")
ADVERSARY = Style("#DC3545", "solid", "hexagon")
OTHERS = (
    Style("#1B9AAA", "solid", "circle-open"),
    Style("#7E6BC4", "dash", "square-open"),
    Style("#A0674B", "dot", "diamond-open"),
)
STYLES = (SPREAD, NAIVE, RECONSTRUCTION, LABEL_PROPORTIONS, MMD, TRUTH, ADVERSARY, *OTHERS)
PALETTE = tuple(style.colour for style in STYLES)
