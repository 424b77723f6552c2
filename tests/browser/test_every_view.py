"""Every chapter of every page in a real Chromium: few words, wide and narrow, accessible by day and night."""

from importlib import resources

import pytest
from playwright.sync_api import Page, expect

from pages.kit.page import Page as AppPage
from pages.topics import PAGES
from tests.browser import browsing
from tests.browser.screens import WORDS

pytestmark = pytest.mark.browser

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
# What WCAG 2.2 asks at levels A and AA; by night only the colours differ.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
BY_DAY, BY_NIGHT = {"type": "tag", "values": TAGS}, {"type": "rule", "values": ["color-contrast"]}
AUDIT = """
async (only) => (await axe.run(document, { runOnly: only, resultTypes: ["violations"] })).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => [found.id, ...found.nodes.slice(0, 4).map((node) => node.html.slice(0, 140) + node.failureSummary)])
"""
SIDEWAYS = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth; }"
# What stands under what on a telephone.
PARTS = (".takeaway", ".st-key-figure", ".st-key-nav", ".st-key-end")
# Words on the first screen, menu, controls and charts included: fewer on the home page, more where claims are told.
MOST_WORDS = {"": 120, "claims": 250}


def audited(page: Page, where: str) -> list[str]:
    """What is seriously wrong with what is on screen, by day and by night."""
    if not page.evaluate("() => !!window.axe"):
        page.evaluate(AXE)
    found = []
    for scheme, only in (("light", BY_DAY), ("dark", BY_NIGHT)):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(150)
        found += [f"{where}, {scheme}: {fault}" for fault in page.evaluate(AUDIT, only)]
    page.emulate_media(color_scheme="light")
    return found


@pytest.mark.parametrize("shown", PAGES, ids=lambda page: page.address or "home")
def test_every_view_reads_well(page: Page, address: str, shown: AppPage) -> None:
    browsing.open_page(page, f"{address}/{shown.address}")
    faults = []
    if (words := page.evaluate(WORDS)) > (most := MOST_WORDS.get(shown.address, 200)):
        faults.append(f"{words} words on the first screen, more than {most}")
    for i, chapter in enumerate(shown.chapters.all if shown.chapters else [None]):
        where = chapter.name if chapter else "the page"
        if i:
            said = page.locator(".takeaway").inner_text()
            page.locator(".st-key-next-chapter button").click()
            expect(page.locator(".takeaway")).not_to_have_text(said)
            browsing.settled(page)
        faults += audited(page, where)
        page.set_viewport_size({"width": 390, "height": 844})
        if (over := page.evaluate(SIDEWAYS)) > 0:
            faults.append(f"{where}: {over} pixels sideways on a telephone")
        if not i and shown.chapters:
            tops = [box["y"] for part in PARTS if (box := page.locator(part).first.bounding_box())]
            if tops != sorted(tops):
                faults.append(f"out of order on a telephone: {tops}")
        page.set_viewport_size({"width": 1280, "height": 800})
    assert not faults, "\n".join(faults)


IN_THE_CONTROL = (
    "() => !!document.activeElement.closest('.st-key-lever, .st-key-pulled, .st-key-chapter-controls, .st-key-dial')"
)


@pytest.mark.parametrize("shown", [page for page in PAGES if page.chapters], ids=lambda page: page.address)
def test_the_main_control_is_five_tabs_from_the_headline(page: Page, address: str, shown: AppPage) -> None:
    browsing.open_page(page, f"{address}/{shown.address}")
    page.locator("h1").evaluate("(headline) => { headline.tabIndex = -1; headline.focus(); }")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate(IN_THE_CONTROL):
            return
    pytest.fail("the skip link does not lead to the control")
