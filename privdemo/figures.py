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


def distortion(curve: Sequence[Point], here: Point, family: PixelFamily) -> Figure:
    """Mean absolute and squared error of a pixel against the noise level, the visitor's level marked.

    Lines are exact expectations, markers are means over measured releases with 95 % intervals.
    """
    levels = [point.level for point in curve]
    traces: list[dict] = []
    for name, style, expected, measured in (
        ("absolute error", look.OTHERS[0], [p.expected.absolute for p in curve], [p.absolute for p in curve]),
        ("squared error", look.OTHERS[1], [p.expected.squared for p in curve], [p.squared for p in curve]),
    ):
        traces.append({"x": levels, "y": expected, "mode": "lines", "name": name, "line": _line(style)})
        traces.append(
            {
                "x": levels,
                "y": [estimate.mean for estimate in measured],
                "error_y": _error_bars(measured, style),
                "mode": "markers",
                "name": f"{name}, measured",
                "marker": _marker(style),
                "showlegend": False,
            }
        )
    axis = {"title": {"text": "error of a pixel (1 = black for white)"}, "rangemode": "tozero"}
    return _against_level(traces, axis, family, here.level)


def linkage(curve: Sequence[Point], here: Point, family: PixelFamily, n_candidates: int) -> Figure:
    """How often a released image is matched to its owner among `n_candidates`, with chance drawn."""
    levels = [point.level for point in curve]
    estimates = [point.linked for point in curve]
    owner = {
        "x": levels,
        "y": [estimate.mean for estimate in estimates],
        "error_y": _error_bars(estimates, look.ADVERSARY),
        "mode": "lines+markers",
        "name": "sender found",
        "line": _line(look.ADVERSARY),
        "marker": _marker(look.ADVERSARY),
    }
    chance = {
        "x": [levels[0], levels[-1]],
        "y": [1 / n_candidates] * 2,
        "mode": "lines",
        "name": f"chance, 1 in {n_candidates}",
        "line": {"color": look.TRUTH.colour, "width": 1.5, "dash": "dot"},
    }
    axis = {"title": {"text": "images linked to their sender"}, "range": [-0.03, 1.06], "tickformat": ".0%"}
    return _against_level([owner, chance], axis, family, here.level)


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


def _against_level(traces: list[dict], y_axis: dict, family: PixelFamily, level: float) -> Figure:
    """Curves against a noise level, with the visitor's own `level` as a vertical rule.

    Fixed margins and one call: this is redrawn whenever the dial is let go.
    """
    rule = {"x0": level, "x1": level, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": look.TRUTH.colour}}
    label = {"x": level, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return Figure(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": f"{family.level_name} {family.symbol}"}, "rangemode": "tozero"},
            "yaxis": y_axis,
            "shapes": [{"type": "line", **rule}],
            "annotations": [{"text": f"{family.symbol} = {level:.4g}", **label}],
            "height": 360,
            "margin": {"l": 64, "r": 12, "t": 26, "b": 92, "autoexpand": False},
            "legend": {"orientation": "h", "y": -0.27, "yanchor": "top", "x": 0},
            "hovermode": "closest",
        },
    )


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
