"""A notebook holds a panel's words, its code, its settings, the screen's answer and the lines for OpenDP."""

import nbformat
import pytest
from plotly.graph_objects import Figure, Scatter

from pages.kit import notebook
from pages.kit.panel import Chart, Panel, Table
from pages.kit.snippet import Snippet
from privdemo import __version__

CHART = Chart(Figure([Scatter(y=[1, 2])]))
PANEL = Panel("curve", "Is a < b?", "Yes: <b>5&nbsp;%</b>_", CHART, "A curve_.", list, Snippet(("import a",), ("a.b",)))
LINES = Snippet(("import opendp",))


def cells(panel=PANEL, settings=None, opendp=None):
    text = notebook.text(panel, "Title", "What?", "page", {} if settings is None else settings, opendp)
    made = nbformat.reads(text, as_version=4)
    nbformat.validate(made)
    return made.cells


def test_the_first_cell_says_what_is_answered_at_which_settings_and_how_to_run_it():
    head, code, *_ = cells(settings={"p": "0.2", "show": ("a|b", "c")})
    assert head.source.startswith("# Is a \\< b?\n\nYes: 5\u00a0%\\_\n\n")
    assert f"From the page “Title” of privdemo {__version__}." in head.source
    assert "| `p` | `0.2` |\n| `show` | `a\\|b`, `c` |" in head.source
    assert "`pip install -r requirements.txt jupyterlab`, then `jupyter lab`." in head.source
    assert code.source == "import a\n\na.b"
    assert "All settings are at their defaults." in cells()[0].source


def test_the_screen_is_answered_again_from_the_settings_and_its_chart_is_there_before():
    shown = cells(settings={"p": "0.2"})[3]
    assert "screens.answer('page', {'p': '0.2'}, 'curve')" in shown.source
    (output,) = shown.outputs
    assert output.data["application/vnd.plotly.v1+json"]["data"][0]["type"] == "scatter"
    assert cells()[4].source == "## The figure as text\n\nA curve\\_."


@pytest.mark.parametrize("figure", [Table(["a"], [["b"]]), Chart(Figure([Scatter(text=["word"] * 20_000)]))])
def test_a_large_chart_or_another_figure_is_not_saved(figure):
    assert cells(Panel("curve", figure=figure, snippet=PANEL.snippet))[3].outputs == []


def test_without_settings_the_screen_is_not_asked():
    text = notebook.text(PANEL, "Title", "What?", "page", None)
    made = nbformat.reads(text, as_version=4).cells
    assert [cell.cell_type for cell in made] == ["markdown", "code", "markdown"]
    assert "The settings are in the code" in made[0].source
    assert "screens" not in text


def test_the_lines_for_opendp_come_last_and_may_fail():
    words, code = cells(opendp=LINES)[-2:]
    assert "`pip install opendp`" in words.source
    assert (code.source, code.metadata.tags) == ("import opendp", ["raises-exception"])


def test_the_same_panel_gives_the_same_notebook():
    assert notebook.text(PANEL, "T", "Q", "a", {}) == notebook.text(PANEL, "T", "Q", "a", {})
