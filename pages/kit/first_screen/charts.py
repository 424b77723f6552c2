"""Pictures of the charts on first screens, as Plotly renders them in a browser.

`make first-figures` makes them: an SVG file for each chart of a page's default question and each of four window widths.
The name of a file ends with the fingerprint of its chart: no picture is shown of a chart that has changed.
"""

from __future__ import annotations

from pathlib import Path

from privdemo import figures

FOLDER = Path(__file__).parent / "charts"
# Widths of the window at which pictures are made, in pixels; style.css says at which widths each of them is shown.
WINDOWS = (390, 820, 1280, 1800)


def empty_place(figure: figures.Figure, number: int) -> str:
    """Return the empty place of a chart as markup, as high as Plotly will render the chart.

    The pictures of the first screen are moved there. Each place has another `number`, so that the browser replaces the
    place before it, and with it the picture of a chart that may have changed.
    """
    return f'<div class="chart-place" data-number="{number}" style="height:{figures.height(figure):g}px"></div>'


def place_with_pictures(figure: figures.Figure) -> str:
    """Return the place of a chart with its pictures, of which style.css shows one; it is empty if there are none."""
    chart = figures.fingerprint(figure)
    content = "".join(file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob(f"*-{chart}.svg")))
    style = f"height:{figures.height(figure):g}px"
    return f'<div class="chart-place" data-chart="{chart}" style="{style}">{content}</div>'
