"""Downloads of one figure or a whole page are self-contained HTML."""

import re

import numpy as np

from pages.kit import report
from pages.kit.panel import Cards, Chart, LiveDial, Markup, Panel, Table
from pages.kit.settings import Number
from pages.kit.snippet import Snippet
from privdemo import __version__, figures
from privdemo.limits import Limit

ROWS = [{"lie": 0.2, "share": i} for i in range(120)]
CHART = Chart(figures.Figure(data=[{"x": [1], "y": [2]}]))
SHOWN = Panel("first", "How many <A>?", "Of 100, <b>7</b>.", CHART, "Seven of them.", lambda: ROWS, Snippet((), ("x",)))
CHAPTERS = {
    "The poll": [SHOWN, Panel("cards", figure=Cards([("Cost", "3", "Three people.")]))],
    "Lies & more": [Panel("again", figure=CHART), Panel("table", figure=Table(["a"], [["b"]])), Panel(answer="None.")],
}
CODE = "Compute:\n```python\nprint(1 < 2)\n```\nor in a terminal:\n```\nprivdemo run\n```"


def the_report():
    settings = {"lie": 0.2, "text": "<script>alert(1)</script>", "kinds": ["a", "b"]}
    return report.page("Who voted <for A>?", "Of 100 people <b>7</b>.", CHAPTERS, settings, CODE)


def test_a_report_holds_sentence_figures_tables_settings_versions_and_code():
    page = the_report()
    assert "<title>Who voted &lt;for A&gt;? · privdemo</title>" in page
    assert '<p class="takeaway">Of 100 people <b>7</b>.</p>' in page
    assert re.findall(r"<h2>(.*?)</h2>", page) == [
        "The poll",
        "Lies &amp; more",
        "Settings",
        "How to compute this again",
    ]
    assert "<h3>How many &lt;A&gt;?</h3><p>Of 100, <b>7</b>.</p>" in page
    assert "<p>Seven of them.</p>" in page
    assert "Three people." in page
    assert "<p>None.</p>" in page
    assert "<summary>Data</summary>" in page
    assert page.count('<th scope="row">0.2</th>') == 100
    assert "The first 100 of 120 rows." in page
    assert f"by privdemo {__version__} with numpy {np.__version__}, " in page
    assert "<pre><code>print(1 &lt; 2)\n</code></pre><pre><code>privdemo run\n</code></pre>" in page


def test_words_in_a_report_have_no_effect_as_html():
    page = the_report()
    assert "alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "[&#x27;a&#x27;, &#x27;b&#x27;]" in page


def test_plotlys_library_is_in_a_report_once():
    library = re.compile(r"plotly\.js v\d")
    page = the_report()
    assert len(library.findall(page)) == 1
    assert page.count("Plotly.newPlot(") == 2 + figures.chart(CHART.figure).count("Plotly.newPlot(") - 1
    bare = {"Words": [Panel(answer="None.", figure=Markup("<i>x</i>"))]}
    assert not library.search(report.page("T", "S", bare, {"lie": 1}, ""))


def test_one_figure_is_titled_by_its_question_or_by_its_page():
    page = report.figure(SHOWN, "The page")
    assert "<h1>How many &lt;A&gt;?</h1><p>Of 100, <b>7</b>.</p>" in page
    assert "plotly.js v" in page
    assert "<h3>" not in page
    assert "<summary>Data" not in page
    live = report.figure(
        Panel(figure=LiveDial({}, Number("p", Limit("p", 0, 1), 0.5), lambda: "<i>still</i>")), "The page"
    )
    assert "<h1>The page</h1><i>still</i></html>" in live
