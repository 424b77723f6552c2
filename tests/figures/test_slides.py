"""Charts for slides: large letters, names at the ends of curves or below the plot, and no height of their own."""

import pytest

from privdemo import figures
from privdemo.figures import slides
from privdemo.figures.chart_style import axis_names, extent, legend_entries, tick_words, traces_on, width
from privdemo.figures.charts import DotPlot, dot_plots, percent
from privdemo.figures.plain import parts
from privdemo.intervals import Estimate
from privdemo.methods import LABEL_PROPORTIONS
from tests.figures.gallery import MAKERS, gallery, of_every_chart

SCREENS = ((1024, 768), (1280, 800), (1920, 1080))


@pytest.mark.parametrize("screen", SCREENS)
def test_letters_are_read_from_the_last_row_and_the_page_gives_the_height(screen):
    figure = gallery("sets")["class_ratio.errors 2"]
    slide = parts(figures.for_slide(figure, *screen))["layout"]
    size = slides.letter_size(screen[0])
    assert size >= 20
    assert (slide["xaxis"]["tickfont"]["size"], slide["font"]["size"]) == (size, size)
    assert "height" not in slide
    assert figure.layout.font.size == 14, "the page's own chart stays as it was"


@of_every_chart
def test_every_name_stands_at_the_end_of_its_curve_or_in_a_legend_that_has_space(figure):
    for screen in SCREENS:
        plain = parts(figures.for_slide(figure, *screen))
        layout, names = plain["layout"], [name for name, _ in legend_entries(parts(figure))]
        if parts(figure)["layout"].get("showlegend") is False or len(names) < 2:
            assert layout["showlegend"] is False
        elif layout["showlegend"]:
            size = slides.letter_size(screen[0])
            shown = [width(name, size) + slides._MARKER * size for name, _ in legend_entries(plain)]
            rows = sum(shown) / (screen[0] - slides._BESIDE)
            assert layout["margin"]["b"] >= 1.5 * size * rows
        else:
            words = " ".join(note["text"].replace("<br>", " ") for note in layout["annotations"])
            assert all(name in words for name in names)


@of_every_chart
def test_marks_in_rows_take_most_of_the_width(figure):
    slide = parts(figures.for_slide(figure, *SCREENS[0]))
    for name in axis_names(slide, "x"):
        axis, traces = slide["layout"][name], traces_on(slide, name)
        if axis.get("type") == "log" or not all(map(slides._is_in_row, traces)):
            continue
        low, high = axis["range"]
        lines = [one["x0"] for one in slide["layout"].get("shapes", ()) if one["xref"] == name.replace("axis", "")]
        shown = [x for x in (*(x for trace in traces for x in extent(trace, "x")), *lines) if low <= x <= high]
        assert max(shown) - min(shown) >= 0.7 * (high - low) or len(set(shown)) == 1
        ticks = axis["ticktext"] if "ticktext" in axis else [words for _, words in tick_words(axis)]
        assert len(ticks) > 1
        assert len(set(filter(None, ticks))) == len(list(filter(None, ticks)))


@pytest.mark.parametrize(("title", "stays"), [("right (axis starts at 60 %)", True), ("right", False)])
def test_an_axis_stays_where_its_title_says_that_it_starts(title, stays):
    rows = [(LABEL_PROPORTIONS[name], Estimate(0.8, 0.79, 0.81)) for name in list(LABEL_PROPORTIONS)[:2]]
    figure = dot_plots([DotPlot(title, 0.58, 1.0, rows, percent, percent, [], ".0%")])
    low, _ = parts(figures.for_slide(figure, *SCREENS[0]))["layout"]["xaxis"]["range"]
    assert (low == 0.58) == stays


def test_a_plot_of_curves_with_long_names_has_them_at_its_right_on_the_smallest_screen():
    found = [
        name
        for kind in MAKERS
        for name, figure in gallery(kind).items()
        if len(axis_names(parts(figure), "x")) == 1
        and len(legend_entries(parts(figure))) > 4
        and parts(figures.for_slide(figure, *SCREENS[0]))["layout"]["showlegend"] is False
    ]
    assert found
