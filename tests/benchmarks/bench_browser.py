"""The first view of every page, and from letting go of the dial to a page that is up to date, in a real Chromium.

The clock runs in the browser. A first view is a fresh tab of a warm server; its clock starts with the first byte.
Every release of the dial goes to a level not seen before, so nothing comes from the cache; its clock stops when
the pictures that the server has computed for it are shown.
"""

from __future__ import annotations

import json
import statistics

from playwright.sync_api import Browser, Page

from pages.topics import PAGES
from tests.benchmarks.timing import table
from tests.browser import browsing

RELEASES = 25
VIEWS = 15
# The first time that each part of the page is on screen, in ms: the first screen, which comes with the page's HTML, and
# what Streamlit renders in its place.
_FIGURE = ":is(img, canvas, table, .card, .verdicts, .sets, .secret, .chart-place > svg, .main-svg)"
PARTS = {
    "first figure": f".row {_FIGURE}, .st-key-figure {_FIGURE}",
    "the app's figure": f".st-key-figure {_FIGURE}",
    "a control": ":is(.st-key-page-main, .st-key-questions-first) :is(input, [role='radio'])",
}
WATCH = """
window.seen = {};
const look = () => {
  const start = performance.getEntriesByType("navigation")[0]?.responseStart ?? 0;
  const roots = [document, document.getElementById("first-screen")?.shadowRoot].filter((root) => root);
  const all = (part) => roots.flatMap((root) => [...root.querySelectorAll(part)]);
  const now = (part) => all(part).some((e) => e.getBoundingClientRect().height > 5);
  for (const [name, part] of Object.entries(%s))
    if (!(name in seen) && now(part)) seen[name] = performance.now() - start;
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
WAIT_FOR_ALL = """
async ([index]) => {
  const dial = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r && r.querySelector('.dial'));
  const input = dial.querySelector('input');
  const start = performance.now();
  input.value = index;
  input.dispatchEvent(new Event('input'));
  const rendered = performance.now() - start;
  input.dispatchEvent(new Event('change'));
  const { dataset } = dial.querySelector('.dial');
  if (dataset.guesses === 'exact') throw new Error('the pictures did not follow the dial');
  while (dataset.guesses !== 'exact') {
    if (performance.now() - start > 10000) throw new Error('the page did not follow the dial to ' + input.value);
    await new Promise((next) => setTimeout(next, 4));
  }
  return [rendered, performance.now() - start];
}
"""


def releases(page: Page, address: str, noise: str) -> list[tuple[float, float]]:
    """(ms to render while dragging, ms from release to up to date) of every release."""
    browsing.open_page(page, f"{address}/image_noise?noise={noise}")
    page.locator(".dial input").first.wait_for()
    times = []
    for i in range(RELEASES):
        times.append(tuple(page.evaluate(WAIT_FOR_ALL, [str(10 + 5 * i)])))
        browsing.settled(page)
    return times


def first_views(browser: Browser, address: str, page_address: str) -> list[dict[str, float]]:
    """When each part of a page stood on screen, in ms, of every fresh tab; the first one warms up."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(WATCH % json.dumps(PARTS))
    views = []
    for _ in range(VIEWS + 1):
        page = context.new_page()
        page.goto(f"{address}/{page_address}", wait_until="commit")
        page.wait_for_function(f"() => Object.keys(window.seen ?? {{}}).length === {len(PARTS)}")
        views.append(page.evaluate("window.seen"))
        page.close()
    context.close()
    return views[1:]


if __name__ == "__main__":
    with browsing.running_app() as address, browsing.chromium() as browser:
        rows = []
        for app_page in (one for one in PAGES if one.chapters):
            views = first_views(browser, address, app_page.address)
            times = {name: sorted(view[name] for view in views) for name in PARTS}
            middle = [f"{statistics.median(times[name]):.0f}" for name in PARTS]
            rows.append([app_page.title, f"{times['first figure'][0]:.0f} to {times['first figure'][-1]:.0f}", *middle])
        header = ["page", "first figure, range (ms)", *(f"{name}, median" for name in PARTS)]
        table(f"First view in a fresh tab, {VIEWS} times", header, rows)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        rows = []
        for noise in ("Randomised response", "Gaussian", "Laplace"):
            rendered, whole = zip(*releases(page, address, noise.replace(" ", "+")), strict=True)
            spread = f"median {statistics.median(whole):.0f}, min {min(whole):.0f}, max {max(whole):.0f}"
            rows.append([noise, f"{statistics.median(rendered):.1f} ms", spread])
        header = ["noise", "render while dragging", "release to up to date (ms)"]
        table(f"Letting go of the dial, {RELEASES} times", header, rows)
