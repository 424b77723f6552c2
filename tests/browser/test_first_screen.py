"""A page's first screen in a real Chromium: there before Streamlit has started, and gone once the page stands."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser


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
    drawing, words = page.locator(".first-look > div > img"), page.locator(".takeaway")
    expect(drawing).to_be_visible()
    before, said = drawing.bounding_box(), words.inner_text()
    for route in held:
        route.continue_()
    browsing.settled(page)
    expect(page.locator("#first-screen")).to_have_count(0)
    assert words.inner_text() == said
    after = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert [after[side] for side in after] == pytest.approx([before[side] for side in after], abs=apart)
