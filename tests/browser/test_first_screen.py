"""The prerendered first screen of a page in Chromium: shown until Streamlit has rendered the page, then removed."""

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from pages.kit import first_screen
from pages.topics import PAGES
from tests.browser import browsing

pytestmark = pytest.mark.browser
PICTURE = ".chart-place > svg:visible"
# Lay the server's prerendered picture of a chart over the chart.
OVERLAY_PICTURE = """
async (plot) => {
  const sent = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const places = [...sent.querySelector("#first-screen template").content.querySelectorAll(".chart-place")];
  const plots = [...document.querySelectorAll(".st-key-figure .js-plotly-plot")];
  const cover = document.importNode(places[plots.indexOf(plot)], true);
  cover.style.cssText = "position: absolute; inset: 0; z-index: 3; background: var(--ground)";
  plot.append(cover);
}
"""
N_PICTURED = """
async () => {
  const sent = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  return sent.querySelector("#first-screen template").content.querySelectorAll(".chart-place").length;
}
"""
PRERENDERED = 'id="first-screen"'
REMOVE_PICTURE = "(plot) => plot.lastElementChild.remove()"
TEXTS_OF = "(svgs) => svgs.flatMap((svg) => [...svg.querySelectorAll('text')].map((one) => one.textContent)).sort()"


def pixels(png: bytes) -> np.ndarray:
    """Return the RGB values (height, width, 3) of a screenshot."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), float)


def have_prerendered(page: Page, address: str) -> None:
    """Have the server prerender a page, as it does for the first visitor: later ones get its first screen."""
    if PRERENDERED not in page.request.get(address).text():
        browsing.open_page(page, address)
        expect(page.locator("#first-screen")).to_have_count(0)
        assert PRERENDERED in page.request.get(address).text()


# On a telephone the control above the figure takes two or three lines; the first screen reserves two.
@pytest.mark.parametrize(("width", "tolerance_px"), [(1280, 24), (390, 96)])
@pytest.mark.parametrize(
    ("where", "prerendered", "rendered"),
    [("distortion", PICTURE, ".js-plotly-plot"), ("advice", ".cards", ".cards")],
    ids=["counts", "advice"],
)
def test_the_first_screen_has_the_layout_and_sentence_of_the_rendered_page(
    page: Page, address: str, width: int, tolerance_px: int, where: str, prerendered: str, rendered: str
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    have_prerendered(page, f"{address}/{where}")
    blocked: list[Route] = []
    page.route("**/static/js/react-dom.*", lambda route: blocked.append(route))
    page.goto(f"{address}/{where}", wait_until="commit")
    figure, sentence = page.locator(prerendered).first, page.locator(".takeaway")
    expect(figure).to_be_visible()
    boxes, text = [sentence.bounding_box(), figure.bounding_box()], sentence.inner_text()
    for route in blocked:
        route.continue_()
    browsing.settled(page)
    expect(page.locator("#first-screen")).to_have_count(0)
    assert sentence.inner_text() == text
    for before, after in zip(boxes, [sentence, page.locator(rendered).first], strict=True):
        box = after.bounding_box()
        assert [box[side] for side in box] == pytest.approx([before[side] for side in box], abs=tolerance_px)


@pytest.mark.parametrize("where", [one.address for one in PAGES if one.chapters])
def test_what_removes_the_first_screen_is_on_every_page(page: Page, address: str, where: str) -> None:
    """Without such a figure it would lie over the page for three seconds more."""
    (kinds,) = re.findall('kinds = "(.*)";', first_screen.SCRIPT)
    browsing.open_page(page, f"{address}/{where}", guesses=True)
    expect(page.locator(f".st-key-figure :is({kinds})").filter(visible=True).first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_of_home_is_the_first_step_of_its_story(page: Page, address: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    have_prerendered(page, address)
    blocked: list[Route] = []
    page.route("**/static/js/react-dom.*", lambda route: blocked.append(route))
    page.goto(address, wait_until="commit")
    step = page.get_by_text("This is only a demonstration: your answer stays in this browser.")
    yes = page.locator(".secret .yes:visible")
    expect(step).to_be_visible()
    before, look = yes.bounding_box(), np.median(pixels(yes.screenshot()), axis=(0, 1))
    for route in blocked:
        route.continue_()
    browsing.settled(page)
    expect(page.locator("#first-screen")).to_have_count(0)
    expect(yes).to_have_count(1)
    expect(yes).to_be_enabled()
    assert yes.bounding_box() == pytest.approx(before, abs=8)
    assert np.median(pixels(yes.screenshot()), axis=(0, 1)) == pytest.approx(look, abs=8)


@pytest.mark.parametrize(
    ("place", "scheme"),
    [
        ("distortion", "dark"),
        ("distortion", "light"),
        ("comparison", "dark"),
    ],
)
def test_a_prerendered_chart_looks_like_the_one_plotly_renders(
    page: Page, address: str, place: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    browsing.open_page(page, f"{address}/{place}")
    for window in (1280, 390):
        page.set_viewport_size({"width": window, "height": 1600})
        browsing.settled(page)
        # Of the charts of a page those on its first screen have pictures.
        for plot in page.locator(".st-key-figure .js-plotly-plot").all()[: page.evaluate(N_PICTURED)]:
            rendered, words = pixels(plot.screenshot()), plot.locator(".main-svg").evaluate_all(TEXTS_OF)
            plot.evaluate(OVERLAY_PICTURE)
            pictured = pixels(plot.screenshot())
            assert plot.locator(PICTURE).evaluate_all(TEXTS_OF) == words, "stale: make first-figures"
            plot.evaluate(REMOVE_PICTURE)
            assert np.ptp(rendered) > 150, "something is rendered"
            different = np.abs(rendered - pictured).max(axis=2) > 40
            assert different.mean() < 3e-3, "stale: make first-figures"


def test_a_prerendered_chart_is_shown_until_the_figure_changes(page: Page, address: str) -> None:
    have_prerendered(page, f"{address}/distortion")
    blocked: list[Route] = []
    page.route("**/PlotlyChart*", lambda route: blocked.append(route))
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
    text = page.locator(".takeaway").inner_text()
    page.get_by_role("button", name="Just show me").click()
    expect(page.locator(".takeaway")).not_to_have_text(text)
    expect(picture).to_have_count(0)
    before = place.bounding_box()
    for route in blocked:
        route.continue_()
    browsing.settled(page)
    expect(place).to_be_hidden()
    assert page.locator(".js-plotly-plot").bounding_box() == pytest.approx(before, abs=1)
