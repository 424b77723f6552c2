"""Contact sheets of images, as PNG files and HTML."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from privdemo.datasets import Dataset

# The grey level (0 to 255) between the tiles of a contact sheet: visible next to black and white tiles, on light and
# dark pages.
GAP_LEVEL = 110

# The CSS of a contact sheet with its headings; the pages' style sheet uses the same text.
SHEET_CSS = """
.sheet { display: grid; grid-template: auto 1fr / auto 1fr; gap: 0.2rem 0.5rem;
  margin: 0.25rem 0 0.5rem; max-width: calc(var(--columns) * 7.5rem + 8rem); }
.sheet-heads { grid-column: 2; display: grid; grid-template-columns: repeat(var(--columns), 1fr); }
.sheet-heads span { text-align: center; font-size: max(0.875rem, var(--least-letters, 0px));
  font-variant-numeric: tabular-nums; }
.sheet-sides { display: grid; grid-template-rows: repeat(var(--rows), 1fr); align-items: center; }
.sheet-sides span { font-size: max(0.875rem, var(--least-letters, 0px)); line-height: 1.15; max-width: 6.5rem; }
.sheet-image { width: 100%; image-rendering: pixelated; display: block; border-radius: 3px; }
@media (max-width: 640px) {
  .sheet-heads span, .sheet-sides span { font-size: 0.66rem; }
  .sheet-sides span { max-width: 3.6rem; }
}
"""
# The CSS of `labelled_html`: a label that chance switched is dashed.
LABELLED_CSS = """
.labelled { display: grid; grid-template-columns: max-content repeat(var(--columns), minmax(4.2rem, 5rem));
  gap: 0.3rem 0; align-items: center; padding: 0.5rem 0 0.75rem; }
.labelled .words { padding-right: 1rem; }
.labelled img { grid-column: 2 / -1; width: 100%; image-rendering: pixelated; border-radius: 3px; }
.labelled .label { justify-self: center; padding: 0.1rem 0.4rem; }
.labelled .chance { border: 2px dashed #D55E00; border-radius: 0.4rem; }
@media (max-width: 900px) {
  .labelled { grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); }
  .labelled :is(.words, img) { grid-column: 1 / -1; }
  .labelled { max-width: 34rem; }
  .labelled .words { padding-top: 0.4rem; }
  .labelled .label { padding: 0 0.1rem; font-size: 0.85rem; }
}
"""


def contact_sheet(images: NDArray[np.uint8], gap: int = 1, gap_level: int = GAP_LEVEL) -> NDArray[np.uint8]:
    """Return grey `images` (rows, columns, height, width) side by side, `gap` pixels of grey level `gap_level` between
    them.
    """
    padded = np.pad(images, ((0, 0), (0, 0), (0, gap), (0, gap)), constant_values=gap_level)
    rows, columns, height, width = padded.shape
    sheet = padded.transpose(0, 2, 1, 3).reshape(rows * height, columns * width)
    return sheet[: sheet.shape[0] - gap, : sheet.shape[1] - gap]


def labelled_html(images: Mapping[str, NDArray[np.uint8]], labels: Mapping[str, Sequence[str]]) -> str:
    """Return images over their labels as HTML, with a heading beside each row: the first of each, then the second.

    `images` are contact sheets of one row, `labels` the true labels and the released ones; a label that is not the true
    one is dashed.
    """
    true, *_ = labels.values()
    sheets = [
        f'<b class="words">{html.escape(words)}</b>'
        f'<img src="{data_uri(grey)}" alt="{len(true)} images side by side: {html.escape(words)}">'
        for words, grey in images.items()
    ]
    rows = [
        f'<b class="words">{html.escape(words)}</b>'
        + "".join(
            f'<span class="label{" chance" * (label != one)}">{html.escape(label)}</span>'
            for label, one in zip(row, true, strict=True)
        )
        for words, row in labels.items()
    ]
    pairs = "".join(chain.from_iterable(zip_longest(sheets, rows, fillvalue="")))
    return f'<div class="labelled" style="--columns:{len(true)}">{pairs}</div>'


def sample_sheet(dataset: Dataset, n: int) -> tuple[NDArray[np.uint8], list[str]]:
    """Return `n` evenly spaced images of a data set side by side, in 256 grey levels, and the names of their classes.

    Raises ``ValueError`` if the records are not images.
    """
    if dataset.image_shape is None or dataset.n_states is None:
        raise ValueError(f"dataset must hold images, got {dataset.name!r}")
    rows = np.linspace(0, len(dataset.y) - 1, n).astype(int)
    grey = np.rint(255 * dataset.unit(rows)).astype(np.uint8) if (dataset.n_states > 2).all() else dataset.X[rows] * 255
    return contact_sheet(grey.reshape(1, n, *dataset.image_shape)), [
        dataset.class_names[dataset.y[row]] for row in rows
    ]


def png(grey: NDArray[np.uint8]) -> bytes:
    """Return a (height, width) array of grey levels as a PNG file, one pixel for each value.

    A third axis of two holds the grey level of a pixel and its opacity, 0 to 255.
    """
    buffer = io.BytesIO()
    Image.fromarray(grey).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def data_uri(grey: NDArray[np.uint8]) -> str:
    """Return `png` as a data URI, an address that holds the picture itself."""
    return f"data:image/png;base64,{base64.b64encode(png(grey)).decode()}"


def picture_html(grey: NDArray[np.uint8], columns: Sequence[str], rows: Sequence[str], alt: str) -> str:
    """Return a contact sheet as HTML: the PNG inline, sharp when enlarged, with headings over and beside it."""
    heads = "".join(f"<span>{html.escape(text)}</span>" for text in columns)
    sides = "".join(f"<span>{html.escape(text)}</span>" for text in rows)
    return (
        f'<figure class="sheet" style="--columns:{len(columns)};--rows:{len(rows)}">'
        f'<div class="sheet-heads" aria-hidden="true">{heads}</div>'
        f'<div class="sheet-sides" aria-hidden="true">{sides}</div>'
        f'<img class="sheet-image" src="{data_uri(grey)}" alt="{html.escape(alt, quote=True)}">'
        "</figure>"
    )
