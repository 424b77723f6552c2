"""Every chapter of every page in a real Chromium: few words, wide and narrow, accessible by day and night."""

from collections.abc import Sequence
from importlib import resources
from itertools import pairwise
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from pages.kit.page import Page as AppPage
from pages.topics import PAGES
from tests.browser import browsing
from tests.browser.screens import WORDS

pytestmark = pytest.mark.browser

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
# What WCAG 2.2 asks at levels A and AA.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


class Look(NamedTuple):
    """A way to look at a chapter: the colours, and the size of the screen."""

    scheme: Literal["light", "dark"]
    width: int
    height: int


DAY = Look("light", 1280, 800)
NIGHT_ON_A_TELEPHONE = Look("dark", 390, 844)
# Streamlit's own list of pages on a telephone, whose groups are no items of a list, is left out. Formulas folded away
# are most of the elements of a page, and only an audit of the whole page looks at them.
AUDIT = """
async ([part, tags]) => {
  const formulas = part === "html" ? [] : document.querySelectorAll("details:not([open]) .katex");
  const places = [...formulas].map((formula) => [document.createComment(""), formula]);
  places.forEach(([place, formula]) => formula.replaceWith(place));
  try {
    return (await axe.run({ include: [part], exclude: ["[data-testid=stSidebarNavItems]"] },
        { runOnly: tags, resultTypes: ["violations"], preload: false })).violations
      .filter((found) => ["serious", "critical"].includes(found.impact))
      .map((found) => [found.id, ...found.nodes.slice(0, 4).map((one) => one.html.slice(0, 140) + one.failureSummary)]);
  } finally {
    places.forEach(([place, formula]) => place.replaceWith(formula));
  }
}
"""
SIDEWAYS = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth; }"
# Words of charts that leave their chart at a side, where they are cut off.
CUT = """
() => [...document.querySelectorAll("[data-testid=stPlotlyChart] .js-plotly-plot")].flatMap((plot) => {
  const box = plot.getBoundingClientRect();
  return [...plot.querySelectorAll("text")].filter((text) => {
    const { left, right, width } = text.getBoundingClientRect();
    return width > 0 && (left < box.left - 1 || right > box.right + 1);
  }).map((text) => text.textContent);
})
"""
IN_COLOURS = """
(scheme) => getComputedStyle(document.querySelector("[data-testid=stApp]")).colorScheme === scheme
"""
# What stands under what on a telephone: the sentence, the main control, the figure, the chapters, and the rest.
SLIDER = " :is(.slide, [data-testid=stSlider])"
PARTS = {
    address: (".takeaway", control, figure, ".st-key-chapters", ".st-key-end")
    for address, control, figure in (
        ("voting", f".st-key-main-control-fragment{SLIDER}", ".people:visible"),
        ("poll", ".st-key-main-control", ".st-key-poll_reveal-component canvas"),
        ("many_answers", f".st-key-main-control{SLIDER}", ".js-plotly-plot"),
        ("image_noise", "input#level:visible", "canvas"),
        ("training", f".st-key-main-control{SLIDER}", ".digits"),
        ("proportions", f".st-key-main-control{SLIDER}", ".js-plotly-plot"),
        ("class_ratio", f".st-key-main-control{SLIDER}", ".ratio"),
        ("distortion", f".st-key-main-control{SLIDER}", ".js-plotly-plot"),
        ("comparison", f".st-key-main-control{SLIDER}", ".js-plotly-plot"),
        ("claims", ".st-key-main-control", ".verdicts"),
    )
}
IN_THE_CONTROL = """
() => !!document.activeElement.closest(
  ".st-key-main-control, .st-key-main-control-fragment, .st-key-chapter-controls, .st-key-dial, [class*=-component]")
"""
# Pages all of whose controls are in the settings.
IN_SETTINGS = {"claims"}
# Chapters that the default settings have no use for.
ELSEWHERE = {"Which classes are mixed up"}
# Words on the page, menu, controls and charts included: more on the home page, which has the steps of a story, three
# doors and two figures, where claims are told, and where each method has half a line on how it works.
MOST_WORDS = {"": 390, "claims": 500, "many_answers": 355, "image_noise": 280, "poll": 295}
MOST_WORDS |= {
    "advice": 355,
    "voting": 280,
    "comparison": 500,
    "training": 400,
    "proportions": 380,
    "class_ratio": 380,
    "distortion": 380,
}


def apply_look(page: Page, look: Look) -> None:
    """Show the page in a look's colours and size."""
    size = {"width": look.width, "height": look.height}
    if page.viewport_size != size or not page.evaluate(IN_COLOURS, look.scheme):
        page.emulate_media(color_scheme=look.scheme)
        page.set_viewport_size(size)
        page.wait_for_function(IN_COLOURS, arg=look.scheme)
        page.wait_for_timeout(150)  # charts follow
    page.get_by_test_id("stMain").evaluate("(main) => main.scrollTo(0, 0)")  # the main control would cover some


def audited(page: Page, part: str = "html") -> list[str]:
    """What is seriously wrong with what is on screen, or with a part of it."""
    if not page.evaluate("() => !!window.axe"):
        page.evaluate(AXE)
    if faults := page.evaluate(AUDIT, [part, TAGS]):  # of what has just changed and is still pale?
        page.wait_for_timeout(700)
        faults = page.evaluate(AUDIT, [part, TAGS])
    return [str(fault) for fault in faults]


def placed(page: Page, parts: tuple[str, ...]) -> list[str]:
    """What is wrong with the places: something scrolls sideways, words of a chart are cut off, or `parts` do not stand
    one under the other.
    """
    found = []
    if (over := page.evaluate(SIDEWAYS)) > 0:
        found.append(f"{over} pixels sideways")
    found += [f"cut off: {words}" for words in page.evaluate(CUT)]
    tops = [page.locator(part).first.bounding_box()["y"] for part in parts]
    if any(above >= below for above, below in pairwise(tops)):
        found.append(f"out of order: {dict(zip(parts, tops, strict=True))}")
    return found


def faults_of(page: Page, where: str, looks: Sequence[Look], part: str, parts: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with `part` in each look; on a telephone `parts` stand in order."""
    found = []
    for look in looks:
        apply_look(page, look)
        wrong = audited(page, part) + placed(page, parts if look is NIGHT_ON_A_TELEPHONE else ())
        found += [f"{where}, {look.scheme}, {look.width} pixels wide: {fault}" for fault in wrong]
    return found


def reached(page: Page) -> bool:
    """Whether the skip link and four more tabs at most lead from the headline to a control that matters."""
    page.locator("h1").evaluate("(headline) => { headline.tabIndex = -1; headline.focus(); }")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main-control")).to_be_focused()
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
    expect(page.locator(browsing.PROGRESS)).to_have_count(0)  # of trials under way, in words of its own
    if (words := page.evaluate(WORDS)) > (most := MOST_WORDS.get(shown.address, 260)):
        faults.append(f"{words} words on the first screen, more than {most}")
    if shown.chapters and not reached(page) and shown.address not in IN_SETTINGS:
        faults.append("the main control is more than five tabs from the headline")
    # The whole page in both looks, then what each chapter has of its own where there is the least space.
    faults += faults_of(page, "chapter 1", (DAY,), "html")
    faults += faults_of(page, "chapter 1", (NIGHT_ON_A_TELEPHONE,), "body", PARTS.get(shown.address, ()))
    chapters = page.locator(".st-key-chapters [role=radio]")
    there = chapters.count()
    for i in range(1, there):
        browsing.unfold_chapters(page)
        said = page.locator(".takeaway").inner_text()
        chapters.nth(i).click()
        expect(page.locator(".takeaway")).not_to_have_text(said)
        browsing.settled(page)
        if browsing.asks_for_guess(page):
            faults += faults_of(page, f"chapter {i + 1}, before a guess", (NIGHT_ON_A_TELEPHONE,), ".st-key-stage")
            browsing.show_without_guess(page)
        faults += faults_of(page, f"chapter {i + 1}", (NIGHT_ON_A_TELEPHONE,), ".st-key-stage")
    assert not faults, "\n".join(faults)
    always = [one for one in shown.chapters.all if one.name not in ELSEWHERE] if shown.chapters else [None]
    assert there in (0, len(always))


def test_what_many_classes_are_taken_for_reads_well(page: Page, address: str) -> None:
    browsing.open_page(
        page, f"{address}/training?images=Small+digits&n=20&draws=2&more_digits=3&look_at=Which+classes+are+mixed+up"
    )
    expect(page.locator(".takeaway")).to_contain_text("3")
    faults = faults_of(page, "Which classes are mixed up", (DAY, NIGHT_ON_A_TELEPHONE), "html")
    assert not faults, "\n".join(faults)
