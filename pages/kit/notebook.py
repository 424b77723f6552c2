"""Write a figure's code, settings and words as a Jupyter notebook."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any

from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from privdemo import __version__

# The settings that a link holds, by key; None where the page cannot be answered again from them.
Settings = Mapping[str, str | tuple[str, ...]]
# The most letters of a chart that is saved with its notebook.
_MOST_SAVED = 100_000


def text(
    panel: Panel, title: str, question: str, address: str, settings: Settings | None, opendp: Snippet | None = None
) -> str:
    """Return a notebook of a panel that has a snippet, on the page with this `title`, `question` and `address`.

    With `settings` it also holds the page's own sentence and figure: that of the panel, or the page's first one if the
    panel has no name. The lines of `opendp`, if there are any, come last. The same arguments give the same text.
    """
    import nbformat  # a tenth of a second, which only a visitor who downloads a notebook waits for

    cells = [
        nbformat.v4.new_markdown_cell(_head(panel, title, question, settings)),
        nbformat.v4.new_code_cell(str(panel.snippet)),
    ]
    if settings is not None:
        cells += [
            nbformat.v4.new_markdown_cell(
                "## The same on the screen\n\nThe page computes its sentence and its figure again, with the settings "
                "above and the same seed."
            ),
            nbformat.v4.new_code_cell(
                f"from pages import screens\n\nshown = screens.answer({address!r}, {dict(settings)!r}, "
                f"{panel.name!r})\nprint(shown.sentence)\nshown",
                outputs=[nbformat.v4.new_output("display_data", one) for one in _saved_figure(panel)],
            ),
        ]
    if panel.summary:
        cells.append(nbformat.v4.new_markdown_cell(f"## The figure as text\n\n{_plain(panel.summary)}"))
    if opendp:
        words = "## The same noise with OpenDP\n\nThis needs another package: `pip install opendp`."
        # A notebook that is run from start to end goes on behind a cell with this tag, if OpenDP is not there.
        code = nbformat.v4.new_code_cell(str(opendp), metadata={"tags": ["raises-exception"]})
        cells += [nbformat.v4.new_markdown_cell(words), code]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}, "title": question}
    )
    return nbformat.writes(made)


def _head(panel: Panel, title: str, question: str, settings: Settings | None) -> str:
    """Return the first cell: what is asked and answered, at which settings, and how to run the notebook."""
    parts = [f"# {_plain(panel.question or question)}"]
    if panel.answer:
        parts.append(_plain(panel.answer))
    parts.append(f"From the page “{title}” of privdemo {__version__}.")
    if settings is None:
        parts.append("The settings are in the code, with the answers that were counted or the name of your own file.")
    elif settings:
        lines = [f"| `{key}` | {_cell(value)} |" for key, value in settings.items()]
        parts.append("\n".join(["| setting | value |", "|---|---|", *lines]) + "\n\nAll others are at their defaults.")
    else:
        parts.append("All settings are at their defaults.")
    parts.append(
        "To run it, save this file in the folder of privdemo, the one with `app.py`. In that folder run "
        "`pip install -r requirements.txt jupyterlab`, then `jupyter lab`."
    )
    return "\n\n".join(parts)


def _saved_figure(panel: Panel) -> list[dict[str, Any]]:
    """Return the chart as it is on the screen, for who opens the notebook and does not run it; none if it is large."""
    if not isinstance(panel.figure, Chart) or len(written := str(panel.figure.figure.to_json())) > _MOST_SAVED:
        return []
    return [{"application/vnd.plotly.v1+json": json.loads(written)}]


def _cell(value: str | tuple[str, ...]) -> str:
    """Return the value of a setting for a table of Markdown."""
    return ", ".join(f"`{part}`" for part in ((value,) if isinstance(value, str) else value)).replace("|", "\\|")


def _plain(markup: str) -> str:
    """Return the text of some HTML, in which nothing is Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|$~])", r"\\\1", html.unescape(re.sub("<[^<>]*>", "", markup)))
