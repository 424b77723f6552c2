"""Make the pictures of the charts on first screens: `python -m tests.browser.first_figures`, or `make first-figures`.

A page's default question may need MNIST or Adult, and there is another one where these are missing: there are pictures
for both.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from pages.kit.first_screen import charts
from pages.topics import PAGES
from privdemo import datasets
from tests.browser import browsing

# A chart on the page as one SVG image. Words in the colour of the page get that of the page on which the image is, so
# that one image serves the light and the dark scheme. The window's width and the fingerprint make its ids unique.
IMAGE = r"""
(plot, [chart, window]) => {
  const { width, height } = plot.getBoundingClientRect();
  const { color } = getComputedStyle(plot);
  const invisible = "rect.bg, .draglayer, .hoverlayer, .zoomlayer, .legendtoggle, .scrollbar, path:not([d])";
  const shorter = (value) =>
    value.replace(/\d+\.\d{3,}/g, (number) => String(Math.round(100 * number) / 100))
      .replace(/\b(stroke-|fill-)?opacity: 1; ?/g, "");
  const layers = [...plot.querySelectorAll(".main-svg")].map((layer) => {
    const copy = layer.cloneNode(true);
    const words = layer.querySelectorAll("text, tspan");
    copy.querySelectorAll("text, tspan").forEach((one, i) => {
      if (getComputedStyle(words[i]).fill === color) one.style.fill = "currentColor";
    });
    copy.querySelectorAll(invisible).forEach((one) => one.remove());
    for (const one of [...copy.querySelectorAll("g, defs, clipPath, text")].reverse())
      if (!one.childNodes.length) one.remove();
    for (const one of [copy, ...copy.querySelectorAll("*")])
      for (const { name, value } of [...one.attributes])
        if (/^(class|data-.*)$/.test(name) || !shorter(value)) one.removeAttribute(name);
        else one.setAttribute(name, shorter(value));
    copy.removeAttribute("style"); // the background
    return copy.childNodes.length ? copy.outerHTML : "";
  });
  const all = layers.join("").replaceAll(plot._fullLayout._uid, `${chart}-${window}-`);
  return `<svg xmlns="http://www.w3.org/2000/svg" class="window-${window}" viewBox="0 0 ${width} ${height}" ` +
    `preserveAspectRatio="none" aria-hidden="true">${all}</svg>\n`;
}
"""


def make(browser: Browser, address: str) -> set[Path]:
    """Write the pictures of all pages of the app at `address`; return their files."""
    files = set()
    for app_page in PAGES:
        url, name = f"{address}/{app_page.address}", app_page.address or "home"
        page = browser.new_page()
        browsing.open_page(page, url)  # the first visitor's, with whom the first screen is saved
        response = page.goto(url)
        shown = re.findall(r'class="chart-place" data-chart="(\w+)"', response.text() if response else "")
        for window in charts.WINDOWS if shown else ():
            page.set_viewport_size({"width": window, "height": 800})
            browsing.open_page(page, url)
            plots = page.locator(".st-key-figure .js-plotly-plot")
            for i, chart in enumerate(shown):
                file = charts.FOLDER / f"{name}-{i + 1}-{window}-{chart}.svg"
                file.write_text(plots.nth(i).evaluate(IMAGE, [chart, window]), encoding="utf-8")
                files.add(file)
        page.close()
    return files


if __name__ == "__main__":
    if missing := [name for name in ("mnist", "adult") if not datasets.available(name)]:
        sys.exit(f"The pictures of default charts need {' and '.join(missing)}: python -m privdemo data all")
    charts.FOLDER.mkdir(exist_ok=True)
    made = set()
    with tempfile.TemporaryDirectory() as empty, browsing.chromium() as browser:
        for data in ({}, {"PRIVDEMO_DATA": "", "XDG_CACHE_HOME": empty}):
            with browsing.running_app(**data) as address:
                made |= make(browser, address)
    for file in set(charts.FOLDER.iterdir()) - made:
        file.unlink()
