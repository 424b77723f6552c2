"""Measure what stands on a slide of a lecture, from the page itself.

`python -m tests.browser.slides` walks every step of the lectures of the app, and every chapter of every page as a lecture
of its own, at three sizes, light and dark, and prints a table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from playwright.sync_api import Page

from pages.kit import lecture
from pages.kit.lecture import Lecture, Step
from pages.topics import PAGES
from tests.browser import browsing
from tests.pages.test_lectures import linked

SIZES = ((1024, 768), (1280, 800), (1920, 1080))
# The least part of a screen's height that the drawn part of a figure takes, and the least size of letters in pixels.
LEAST_DRAWN, LEAST_LETTERS = 0.45, 20
# What is drawn: the plots of a chart without their axes, pictures, fields of a component, rows of a table, cards. Texts: all
# that are visible, those of components included. A text that is rotated stands for a narrow strip along its middle.
MEASURE = """
() => {
  const visible = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const app = document.querySelector("[data-testid=stApp]");
  const elements = all(app).filter(visible);
  const figure = document.querySelector(".st-key-figure");
  const within = (one, part) => {
    for (let at = one; at; at = at.parentNode ?? (at instanceof ShadowRoot ? at.host : null)) if (at === part) return true;
    return false;
  };
  const DRAWN = ".nsewdrag, .people img, img, canvas, svg.drawing, .st-key-figure tr, .card, .bar, .wheel, .poll-join";
  const drawn = elements.filter((one) => one.matches(DRAWN) && figure && within(one, figure) && one.getBoundingClientRect().height > 4);
  const spans = drawn.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => [Math.max(top, 0), Math.min(bottom, innerHeight)]);
  spans.sort((a, b) => a[0] - b[0]);
  let height = 0, reached = -1;
  for (const [top, bottom] of spans) {
    height += Math.max(0, bottom - Math.max(top, reached));
    reached = Math.max(reached, bottom);
  }
  const texts = [];
  const ofText = (element) => {
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.textContent.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const style = getComputedStyle(element);
      const matrix = element.getScreenCTM?.();
      const scale = matrix ? Math.hypot(matrix.a, matrix.b) : (element.currentCSSZoom ?? 1);
      const turned = matrix && Math.abs(matrix.b) > 0.01;
      for (const rect of range.getClientRects()) {
        if (rect.width < 1 || rect.height < 1) continue;
        const line = { text: node.textContent.trim().slice(0, 60), size: parseFloat(style.fontSize) * scale, turned, element,
          raised: Boolean(element.closest("sup, sub, tspan[dy]")),
          left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom };
        texts.push(line);
      }
    }
  };
  elements.filter((one) => !one.closest("[data-testid=stSkipToContent], .skip, style, script, option, math, .katex, [data-testid=stIconMaterial]")).forEach(ofText);
  const clipped = (one) => {
    for (let at = one.element; at && at !== document.documentElement; at = at.parentNode instanceof ShadowRoot ? at.parentNode.host : at.parentElement) {
      const style = getComputedStyle(at);
      if (style.clipPath !== "none" && at.getBoundingClientRect().width <= 2) return null; // for screen readers alone
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const box = at.getBoundingClientRect();
      if (one.left < box.left - 2 || one.right > box.right + 2 || one.top < box.top - 3 || one.bottom > box.bottom + 3) return true;
    }
    return one.left < -1 || one.right > innerWidth + 1 || one.top < -1 || one.bottom > innerHeight + 1;
  };
  const seen = texts.filter((one) => clipped(one) !== null);
  const overlaps = [];
  const inner = (one) => ({ l: one.left + 1, r: one.right - 1, t: one.top + 0.2 * (one.bottom - one.top), b: one.bottom - 0.2 * (one.bottom - one.top) });
  for (let i = 0; i < seen.length; i++)
    for (let j = i + 1; j < seen.length; j++) {
      const [a, b] = [seen[i], seen[j]];
      if (a.turned || b.turned || a.element === b.element) continue;
      const [x, y] = [inner(a), inner(b)];
      if (Math.min(x.r, y.r) - Math.max(x.l, y.l) > 2 && Math.min(x.b, y.b) - Math.max(x.t, y.t) > 2) overlaps.push(`${a.text} | ${b.text}`);
    }
  return {
    drawn: height / innerHeight,
    overlaps: overlaps.slice(0, 6),
    cut: seen.filter(clipped).map((one) => one.text).slice(0, 6),
    small: seen.filter((one) => one.size < 19.5 && !one.raised).map((one) => `${one.text} (${one.size.toFixed(1)})`).slice(0, 6),
    said: [...app.querySelectorAll("h1, h2.chapter, .takeaway")].filter(visible).map((one) => one.innerText).join(" ").split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length,
    scrolls: document.querySelector("[data-testid=stMain]").scrollHeight > innerHeight + 1,
  };
}
"""


@dataclass(frozen=True)
class Slide:
    """A slide: what it is called here, and its address without the server's."""

    name: str
    address: str


def of_lecture(name: str, of: Lecture) -> list[Slide]:
    """The slides of a lecture of the app."""
    return [
        Slide(f"{name} {number}", _address(step, f"{number}-{name}")) for number, step in enumerate(of.steps, start=1)
    ]


def of_pages() -> list[Slide]:
    """Every chapter of every page, presented alone."""
    found = []
    for page in PAGES:
        names = [one.name for one in page.chapters.all] if page.chapters else [""]
        for name in names:
            settings = {page.chapters.choice().key: name} if page.chapters else {}
            step = Step(page.address, settings)
            alone = Lecture(page.title, "", 1, (step,))
            found.append(Slide(f"{page.address or 'home'}: {name}", _address(step, f"1-{lecture.to_link(alone)}")))
    return found


def _address(step: Step, position: str) -> str:
    return f"{step.page}?{urlencode({**linked(step), 'present': position}, doseq=True)}"


def measured(page: Page, sizes: tuple[tuple[int, int], ...] = SIZES) -> Iterator[tuple[tuple[int, int], dict]]:
    """What stands on the slide of a page, for each size."""
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(400)
        browsing.settled(page)
        page.locator(browsing.PROGRESS).wait_for(state="hidden", timeout=120_000)
        page.wait_for_timeout(200)
        yield (width, height), page.evaluate(MEASURE)


def faults(look: dict, has_figure: bool = True) -> list[str]:
    """What is wrong with a slide."""
    wrong = {
        f"the drawn part has {look['drawn']:.0%} of the height": has_figure and look["drawn"] < LEAST_DRAWN,
        f"texts overlap: {look['overlaps']}": look["overlaps"],
        f"texts are cut: {look['cut']}": look["cut"],
        f"letters are small: {look['small']}": look["small"],
        f"{look['said']} words": look["said"] > 32,
    }
    return [fault for fault, there in wrong.items() if there]


def main(arguments: list[str]) -> None:
    """Print the measures of all slides, or of those whose names hold one of the arguments; save pictures in /shots."""
    slides = [slide for name, of in lecture.shipped().items() for slide in of_lecture(name, of)] + of_pages()
    folder = next((a.removeprefix("shots=") for a in arguments if a.startswith("shots=")), "")
    schemes = ("light", "dark") if "dark" in arguments else ("light",)
    wanted = [a for a in arguments if not a.startswith("shots=") and a != "dark"]
    slides = [slide for slide in slides if not wanted or any(part in slide.name for part in wanted)]
    with browsing.running_app() as address, browsing.chromium() as browser:
        for scheme in schemes:
            for slide in slides:
                page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
                page.goto(f"{address}/{slide.address}")
                page.locator("h1").first.wait_for()
                for (width, height), look in measured(page):
                    print(f"{slide.name} | {width} | {look['drawn']:.0%} | {'; '.join(faults(look))}", flush=True)
                    if folder:
                        name = slide.name.replace("/", "-").replace(" ", "_").replace(":", "")
                        page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png")
                page.close()


if __name__ == "__main__":
    main(sys.argv[1:])
