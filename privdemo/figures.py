"""Results as Plotly figures and pictures; the one module that knows Plotly."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from plotly.graph_objects import Figure

from privdemo import look
from privdemo.experiments.image_noise import Point
from privdemo.mechanisms.pixels import PixelFamily
from privdemo.metrics import Estimate

# Grey between the tiles of a contact sheet: visible beside black and white, on light and dark pages.
GUTTER = 110

# How a contact sheet lies under its headings; the pages' style sheet uses the same text.
SHEET_CSS = """
.sheet { display: grid; grid-template: auto 1fr / auto 1fr; gap: 0.2rem 0.5rem;
  margin: 0.25rem 0 0.5rem; max-width: calc(var(--columns) * 7.5rem + 8rem); }
.sheet-heads { grid-column: 2; display: grid; grid-template-columns: repeat(var(--columns), 1fr); }
.sheet-heads span { text-align: center; font-size: 0.8rem; font-variant-numeric: tabular-nums; }
.sheet-sides { display: grid; grid-template-rows: repeat(var(--rows), 1fr); align-items: center; }
.sheet-sides span { font-size: 0.8rem; line-height: 1.15; max-width: 6.5rem; }
.sheet-image { width: 100%; image-rendering: pixelated; display: block; border-radius: 3px; }
@media (max-width: 640px) {
  .sheet-heads span, .sheet-sides span { font-size: 0.66rem; }
  .sheet-sides span { max-width: 3.6rem; }
}
"""


def damage_and_linkage(curve: Sequence[Point], here: Point, family: PixelFamily, n_candidates: int) -> Figure:
    """Two panels over one axis, the noise level: the error of a pixel, and how often the sender is found.

    Lines of the upper panel are exact expectations; all markers are measured, with 95 % intervals. The visitor's own
    level is a vertical rule through both. Fixed margins and one figure: it is redrawn when the dial is let go.
    """
    levels = [point.level for point in curve]
    linked = [point.linked for point in curve]
    chance = 1 / n_candidates
    traces = [
        *_error(
            levels, "absolute error", look.OTHERS[0], [p.expected.absolute for p in curve], [p.absolute for p in curve]
        ),
        *_error(
            levels, "squared error", look.OTHERS[1], [p.expected.squared for p in curve], [p.squared for p in curve]
        ),
        _measured(levels, linked, "sender found", look.ADVERSARY) | {"mode": "lines+markers", "yaxis": "y2"},
        {
            "x": [levels[0], levels[-1]],
            "y": [chance, chance],
            "yaxis": "y2",
            "mode": "lines",
            "name": f"chance, 1 in {n_candidates}",
            "line": {"color": look.TRUTH.colour, "width": 1.5, "dash": "dot"},
        },
    ]
    level = here.level
    rule = {"x0": level, "x1": level, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": look.TRUTH.colour}}
    label = {"x": level, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return Figure(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": f"{family.level_name} {family.symbol}"}, "rangemode": "tozero", "anchor": "y2"},
            "yaxis": {"title": {"text": "error of a pixel"}, "rangemode": "tozero", "domain": [0.54, 1]},
            "yaxis2": {
                "title": {"text": "sender found"},
                "range": [-0.04, 1.06],
                "tickformat": ".0%",
                "domain": [0, 0.46],
            },
            "shapes": [{"type": "line", **rule}],
            "annotations": [{"text": f"{family.symbol} = {level:.4g}", **label}],
            "height": 520,
            "margin": {"l": 64, "r": 12, "t": 26, "b": 100, "autoexpand": False},
            "legend": {"orientation": "h", "y": -0.14, "yanchor": "top", "x": 0},
            "hovermode": "closest",
        },
    )


def _error(
    levels: list[float], name: str, style: look.Style, expected: list[float], measured: list[Estimate]
) -> list[dict]:
    line = {"x": levels, "y": expected, "mode": "lines", "name": name, "line": _line(style)}
    return [line, _measured(levels, measured, f"{name}, measured", style) | {"mode": "markers", "showlegend": False}]


def _measured(levels: list[float], estimates: list[Estimate], name: str, style: look.Style) -> dict:
    return {
        "x": levels,
        "y": [estimate.mean for estimate in estimates],
        "error_y": _error_bars(estimates, style),
        "name": name,
        "line": _line(style),
        "marker": _marker(style),
    }


def contact_sheet(images: NDArray[np.uint8], gap: int = 1) -> NDArray[np.uint8]:
    """Grey `images` (rows, columns, height, width) side by side, `gap` grey pixels between them."""
    padded = np.pad(images, ((0, 0), (0, 0), (0, gap), (0, gap)), constant_values=GUTTER)
    rows, columns, height, width = padded.shape
    sheet = padded.transpose(0, 2, 1, 3).reshape(rows * height, columns * width)
    return sheet[: sheet.shape[0] - gap, : sheet.shape[1] - gap]


def png(grey: NDArray[np.uint8]) -> bytes:
    """A (height, width) array of grey levels as a PNG file, one pixel for each value."""
    buffer = io.BytesIO()
    Image.fromarray(grey).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def picture_html(grey: NDArray[np.uint8], columns: Sequence[str], rows: Sequence[str], alt: str) -> str:
    """A contact sheet as HTML: the PNG inline, sharp when enlarged, with headings over and beside it."""
    data = base64.b64encode(png(grey)).decode()
    heads = "".join(f"<span>{html.escape(text)}</span>" for text in columns)
    sides = "".join(f"<span>{html.escape(text)}</span>" for text in rows)
    return (
        f'<figure class="sheet" style="--columns:{len(columns)};--rows:{len(rows)}">'
        f'<div class="sheet-heads" aria-hidden="true">{heads}</div>'
        f'<div class="sheet-sides" aria-hidden="true">{sides}</div>'
        f'<img class="sheet-image" src="data:image/png;base64,{data}" alt="{html.escape(alt, quote=True)}">'
        "</figure>"
    )


def picture_page(grey: NDArray[np.uint8], columns: Sequence[str], rows: Sequence[str], alt: str) -> str:
    """`picture_html` as one self-contained HTML page, its text under it."""
    return (
        "<!doctype html><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
        f"<title>privdemo</title><style>{SHEET_CSS} body {{ font-family: sans-serif; }}</style>"
        f"{picture_html(grey, columns, rows, alt)}<p>{html.escape(alt)}</p>"
    )


def to_html(figure: Figure) -> str:
    """The figure as one self-contained HTML page that needs no network."""
    return Figure(figure).update_layout(template="plotly_white").to_html(include_plotlyjs=True)


def _line(style: look.Style) -> dict:
    return {"color": style.colour, "dash": style.dash, "width": 2}


def _marker(style: look.Style) -> dict:
    return {"color": style.colour, "symbol": style.marker, "size": 8}


def _error_bars(estimates: Sequence[Estimate], style: look.Style) -> dict:
    return {
        "type": "data",
        "symmetric": False,
        "array": [estimate.high - estimate.mean for estimate in estimates],
        "arrayminus": [estimate.mean - estimate.low for estimate in estimates],
        "color": style.colour,
        "thickness": 1.2,
        "width": 3,
    }
