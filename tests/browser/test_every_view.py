"""Every chapter of every page in a real Chromium: few words, wide and narrow, accessible by day and night."""

from importlib import resources
from itertools import pairwise

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
# What stands under what on a telephone: the sentence, the main control, the figure, the chapters, and the rest.
PARTS = {
    address: (".takeaway", lever, figure, ".st-key-chapters", ".st-key-end")
    for address, lever, figure in (
        ("voting", ".st-key-pulled", ".people:visible"),
        ("image_noise", "input#level:visible", "canvas"),
        ("training", ".st-key-lever", ".digits"),
        ("proportions", ".st-key-lever", ".js-plotly-plot"),
        ("class_ratio", ".st-key-lever", ".js-plotly-plot"),
        ("distortion", ".st-key-lever", ".js-plotly-plot"),
        ("comparison", ".st-key-lever", ".js-plotly-plot"),
        ("claims", ".st-key-lever", ".verdicts"),
    )
}
IN_THE_CONTROL = """
() => !!document.activeElement.closest(".st-key-lever, .st-key-pulled, .st-key-chapter-controls, .st-key-dial")
"""
# Words on the first screen, menu, controls and charts included: fewer on the home page, more where claims are told.
# Chapters that the default settings have no use for.
ELSEWHERE = {"Classes"}
MOST_WORDS = {"": 120, "claims": 250}


def audited(page: Page, where: str) -> list[str]:
    """What is seriously wrong with what is on screen, by day and by night."""
    if not page.evaluate("() => !!window.axe"):
        page.evaluate(AXE)
    found = []
    for scheme, only in (("light", BY_DAY), ("dark", BY_NIGHT)):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(150)
        if faults := page.evaluate(AUDIT, only):  # of what has just changed and is still pale?
            page.wait_for_timeout(700)
            faults = page.evaluate(AUDIT, only)
        found += [f"{where}, {scheme}: {fault}" for fault in faults]
    page.emulate_media(color_scheme="light")
    return found


def narrow(page: Page, where: str, parts: tuple[str, ...]) -> list[str]:
    """What is wrong on a telephone: something scrolls sideways, or `parts` do not stand one under the other."""
    page.set_viewport_size({"width": 390, "height": 844})
    found = []
    if (over := page.evaluate(SIDEWAYS)) > 0:
        found.append(f"{where}: {over} pixels sideways on a telephone")
    tops = [page.locator(part).first.bounding_box()["y"] for part in parts]
    if any(above >= below for above, below in pairwise(tops)):
        found.append(f"{where}: out of order on a telephone: {dict(zip(parts, tops, strict=True))}")
    page.set_viewport_size({"width": 1280, "height": 800})
    return found


def reached(page: Page) -> bool:
    """Whether the skip link and four more tabs at most lead from the headline to a control that matters."""
    page.locator("h1").evaluate("(headline) => { headline.tabIndex = -1; headline.focus(); }")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate(IN_THE_CONTROL):
            return True
    return False


@pytest.mark.parametrize("shown", PAGES, ids=lambda page: page.address or "home")
def test_every_view_reads_well(page: Page, address: str, shown: AppPage) -> None:
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    browsing.open_page(page, f"{address}/{shown.address}")
    if (words := page.evaluate(WORDS)) > (most := MOST_WORDS.get(shown.address, 200)):
        faults.append(f"{words} words on the first screen, more than {most}")
    seen, forward = 0, page.locator(".st-key-next-chapter button")
    while True:  # some chapters are there for other settings only
        where = f"chapter {seen + 1}"
        faults += audited(page, where)
        faults += narrow(page, where, () if seen else PARTS.get(shown.address, ()))
        if not seen and shown.chapters and not reached(page):
            faults.append("the main control is more than five tabs from the headline")
        seen += 1
        if not forward.count():
            break
        said = page.locator(".takeaway").inner_text()
        forward.click()
        expect(page.locator(".takeaway")).not_to_have_text(said)
        browsing.settled(page)
    assert not faults, "\n".join(faults)
    always = [one for one in shown.chapters.all if one.name not in ELSEWHERE] if shown.chapters else [None]
    assert seen == len(always)


def test_what_many_classes_are_taken_for_reads_well(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/training?images=Small+digits&n=20&draws=2&more_digits=3&look_at=Classes")
    expect(page.locator(".takeaway")).to_contain_text("3")
    faults = [*audited(page, "Classes"), *narrow(page, "Classes", ())]
    assert not faults, "\n".join(faults)
