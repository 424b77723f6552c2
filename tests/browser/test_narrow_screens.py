"""Every page on a telephone's screen in a real Chromium: nothing scrolls sideways, and parts stand in order."""

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser

PARTS = (".takeaway", ".st-key-lever", ".js-plotly-plot", ".st-key-chapters", ".st-key-end")
OVER = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth; }"
# Each page by its link, the tabs to look at beside the first, and what stands under what.
VISITS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "": ([], ()),
    "voting": (
        ["Many polls", "Training", "Guessing back"],
        (".takeaway", ".st-key-lever", ".people:visible", ".st-key-chapters", ".st-key-end"),
    ),
    "image_noise?data=Small+digits": (
        ["What is lost", "What is promised"],
        (".takeaway", "input#level", "canvas", ".st-key-chapters", ".st-key-end"),
    ),
    "training?images=Small+digits&n=40&draws=1": (
        ["Weights", "All numbers", "Scores"],
        (".takeaway", ".st-key-lever", ".digits", ".st-key-chapters", ".st-key-end"),
    ),
    "proportions?records=Breast+cancer&bag_draws=1": (["Filling bags", "All numbers"], PARTS),
    "class_ratio?ratio_records=Breast+cancer&set_size=80&asked=80&ratio_draws=1": (
        ["Which sets", "All numbers"],
        PARTS,
    ),
    "distortion": (["All numbers", "Who wins"], PARTS),
    "comparison": (["All numbers", "Reach a goal"], (".takeaway", ".st-key-lever", ".js-plotly-plot", ".st-key-end")),
    "claims": (
        ["All claims"],
        (".takeaway", ".st-key-lever", ".verdicts", ".cards", ".st-key-chapters", ".st-key-end"),
    ),
}


@pytest.mark.parametrize("link", VISITS, ids=lambda link: link or "home")
def test_a_narrow_screen_never_scrolls_sideways(page: Page, address: str, link: str) -> None:
    """Every other look is by night."""
    tabs, parts = VISITS[link]
    page.set_viewport_size({"width": 390, "height": 844})
    browsing.open_page(page, f"{address}/{link}")
    assert page.evaluate(OVER) <= 0, "the first tab"
    tops = [page.locator(part).first.bounding_box()["y"] for part in parts]
    assert all(above < below for above, below in pairwise(tops)), dict(zip(parts, tops, strict=True))
    for name, scheme in zip(tabs, ("dark", "light"), strict=False):
        page.emulate_media(color_scheme=scheme)
        page.get_by_test_id("stMainBlockContainer").get_by_role("radio", name=name, exact=True).click()
        expect(page.get_by_role("radio", name=name, exact=True)).to_be_checked()
        browsing.settled(page)
        assert page.evaluate(OVER) <= 0, name
    assert all(box["width"] <= 390 for dial in page.locator(".dial").all() if (box := dial.bounding_box()))
