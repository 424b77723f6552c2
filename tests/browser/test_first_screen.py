"""A page's first screen in a real Chromium: there before Streamlit has started, and gone once the page stands."""

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser
PICTURE = ".chart-place > svg:visible"
# Puts the pictures of a chart, as the server sends them, over the chart.
COVER = """
async (plot) => {
  const sent = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const places = [...sent.querySelector("#first-screen template").content.querySelectorAll(".chart-place")];
  const plots = [...document.querySelectorAll(".st-key-figure .js-plotly-plot")];
  const cover = document.importNode(places[plots.indexOf(plot)], true);
  cover.style.cssText = "position: absolute; inset: 0; z-index: 3; background: var(--ground)";
  plot.append(cover);
}
"""
UNCOVER = "(plot) => plot.lastElementChild.remove()"
WORDS = "(svgs) => svgs.flatMap((svg) => [...svg.querySelectorAll('text')].map((one) => one.textContent)).sort()"


def pixels(png: bytes) -> np.ndarray:
    """The colours of a screenshot."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), float)


# On a telephone the control over the figure takes two lines or three; the room left for it is two.
@pytest.mark.parametrize(("width", "apart"), [(1280, 24), (390, 96)])
def test_the_first_screen_stands_before_streamlit_where_the_page_draws_the_same(
    page: Page, address: str, width: int, apart: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    browsing.open_page(page, f"{address}/comparison")  # the first visitor's, which the next ones find
    expect(page.locator("#first-screen")).to_have_count(0)
    held: list[Route] = []
    page.route("**/static/js/react-dom.*", lambda route: held.append(route))
    page.goto(f"{address}/comparison", wait_until="commit")
    drawing, words = page.locator(PICTURE), page.locator(".takeaway")
    expect(drawing).to_be_visible()
    before, said = drawing.bounding_box(), words.inner_text()
    for route in held:
        route.continue_()
    browsing.settled(page)
    expect(page.locator("#first-screen")).to_have_count(0)
    assert words.inner_text() == said
    after = page.locator(".js-plotly-plot").first.bounding_box()
    assert [after[side] for side in after] == pytest.approx([before[side] for side in after], abs=apart)


@pytest.mark.parametrize(
    ("place", "scheme"),
    [
        ("", "light"),
        ("many_answers", "dark"),
        ("proportions", "light"),
        ("class_ratio", "dark"),
        ("distortion", "light"),
        ("comparison", "dark"),
    ],
)
def test_a_picture_of_a_chart_is_what_plotly_renders(page: Page, address: str, place: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    browsing.open_page(page, f"{address}/{place}")
    for window in (1280, 390):
        page.set_viewport_size({"width": window, "height": 1600})
        browsing.settled(page)
        for plot in page.locator(".st-key-figure .js-plotly-plot").all():
            rendered, words = pixels(plot.screenshot()), plot.locator(".main-svg").evaluate_all(WORDS)
            plot.evaluate(COVER)
            drawn = pixels(plot.screenshot())
            assert plot.locator(PICTURE).evaluate_all(WORDS) == words, "stale: make first-figures"
            plot.evaluate(UNCOVER)
            assert np.ptp(rendered) > 150, "something is drawn"
            different = np.abs(rendered - drawn).max(axis=2) > 40
            assert different.mean() < 3e-3, "stale: make first-figures"


def test_a_picture_stands_in_the_place_of_its_chart_until_a_setting_changes(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/distortion")
    held: list[Route] = []
    page.route("**/PlotlyChart*", lambda route: held.append(route))
    page.goto(f"{address}/distortion")
    expect(page.locator("#first-screen")).to_have_count(0)
    picture, place = page.locator(PICTURE), page.locator(".chart-place")
    expect(picture).to_have_count(1)
    for width in (320, 390, 560, 561, 820, 1000, 1001, 1280, 1540, 1541, 1800, 2560):
        page.set_viewport_size({"width": width, "height": 800})
        expect(picture).to_have_count(1)
        assert picture.bounding_box() == place.bounding_box()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1280, "height": 800})
    height, said = place.bounding_box()["height"], page.locator(".takeaway").inner_text()
    page.get_by_role("slider").first.press("ArrowRight")
    expect(page.locator(".takeaway")).not_to_have_text(said)
    expect(picture).to_have_count(0)
    before = place.bounding_box()
    assert before["height"] == height
    for route in held:
        route.continue_()
    browsing.settled(page)
    expect(place).to_be_hidden()
    assert page.locator(".js-plotly-plot").bounding_box() == pytest.approx(before, abs=1)
