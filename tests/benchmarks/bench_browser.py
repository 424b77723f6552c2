"""From letting go of the dial to figures that are up to date, in a real Chromium.

    python -m tests.benchmarks.bench_browser
Every release goes to a level not seen before, so nothing comes from the cache; the clock runs in
the browser and stops when takeaway, pictures and curves show the new level.
"""

from __future__ import annotations

import statistics

from playwright.sync_api import Page

from tests import browsing

RELEASES = 25
WAIT_FOR_ALL = """
async ([index]) => {
  const dial = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r && r.querySelector('.dial'));
  const input = dial.querySelector('input');
  const start = performance.now();
  input.value = index;
  input.dispatchEvent(new Event('input'));
  const drawn = performance.now() - start;
  const level = dial.querySelector('output').textContent;
  input.dispatchEvent(new Event('change'));
  const done = () =>
    document.querySelector(".takeaway")?.textContent.includes(level) &&
    !dial.querySelector('.dial').classList.contains('stale') &&
    document.querySelector('.js-plotly-plot .annotation-text')?.textContent === level;
  while (!done()) {
    if (performance.now() - start > 10000) throw new Error('the page did not follow the dial to ' + level);
    await new Promise((next) => setTimeout(next, 4));
  }
  return [drawn, performance.now() - start];
}
"""


def releases(page: Page, address: str, noise: str) -> list[tuple[float, float]]:
    """(ms to redraw while dragging, ms from release to up to date) of every release."""
    browsing.open_page(page, f"{address}/image_noise?noise={noise}")
    page.locator("canvas.released").first.wait_for()
    times = []
    for i in range(RELEASES):
        times.append(tuple(page.evaluate(WAIT_FOR_ALL, [str(10 + 5 * i)])))
        browsing.settled(page)
    return times


def main() -> None:
    """Print the medians for the three mechanisms."""
    with browsing.running_app() as address, browsing.chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        print(f"{'noise':<22}{'redraw while dragging':>24}{'release to up to date (ms)':>32}")
        for noise in ("Randomised+response", "Gaussian", "Laplace"):
            times = releases(page, address, noise)
            drawn = statistics.median(t[0] for t in times)
            whole = sorted(t[1] for t in times)
            print(
                f"{noise.replace('+', ' '):<22}{drawn:>21.1f} ms"
                f"{f'median {statistics.median(whole):.0f}, min {whole[0]:.0f}, max {whole[-1]:.0f}':>32}"
            )


if __name__ == "__main__":
    main()
