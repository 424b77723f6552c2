"""Screenshots of every page's first screen, and its words: `python -m tests.browser.screens FOLDER [ADDRESS]`.

Sizes: a laptop, a telephone, a projector of 1024 × 768 at 150 %, and a wide screen; each by day and by night. Without
an ADDRESS, the app of this checkout is started. `sheet BEFORE AFTER OUT` puts two such folders into one picture a page.
"""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from pages.topics import PAGES
from tests.browser import browsing

# CSS pixels, and how many of the screen each is wide.
SIZES = {
    "1280": (1280, 800, 1.0),
    "390": (390, 844, 1.0),
    "1024-at-150": (683, 512, 1.5),
    "1920": (1920, 1080, 1.0),
}
SCHEMES = ("light", "dark")
WORDS = r"""
() => {
  const count = (words) => words.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const all = (part) => [...part.querySelectorAll("*")].filter((one) => one.checkVisibility());
  // What components render lies in trees of their own, which the text of the page leaves out.
  const inner = (part) => all(part).flatMap(({ shadowRoot }) => (shadowRoot ? [...shadowRoot.children] : []));
  const seen = (part) => count(part.innerText ?? "") + inner(part).reduce((sum, each) => sum + seen(each), 0);
  const unseen = document.querySelectorAll("[data-testid=stIconMaterial], [data-testid=stSkipToContent], .skip");
  const shown = [...unseen].filter((part) => part.checkVisibility()).map((part) => count(part.innerText));
  return shown.reduce((left, each) => left - each, seen(document.querySelector("[data-testid=stApp]")));
}
"""
_CELL = 460


def shoot(browser: Browser, address: str, folder: Path) -> dict[str, int]:
    """Write a picture of every page at every size; return the words that each shows on a laptop."""
    folder.mkdir(parents=True, exist_ok=True)
    words = {}
    for app_page in PAGES:
        name = app_page.address or "home"
        for size, (width, height, scale) in SIZES.items():
            for scheme in SCHEMES:
                viewport = {"width": width, "height": height}
                page = browser.new_page(viewport=viewport, device_scale_factor=scale, color_scheme=scheme)  # type: ignore[arg-type]
                page.goto(f"{address}/{app_page.address}")
                page.locator("h1").first.wait_for()
                page.wait_for_timeout(2500)
                page.locator(browsing.PROGRESS).wait_for(state="hidden", timeout=120_000)
                browsing.settled(page)
                page.screenshot(path=folder / f"{name}-{size}-{scheme}.png")
                if (size, scheme) == ("1280", "light"):
                    words[name] = page.evaluate(WORDS)
                page.close()
    (folder / "words.json").write_text(json.dumps(words, indent=1), encoding="utf-8")
    return words


def sheet(before: Path, after: Path, out: Path) -> None:
    """For every page one picture: on the left how it was, on the right how it is, by day and by night."""
    out.mkdir(parents=True, exist_ok=True)
    for app_page in PAGES:
        name = app_page.address or "home"
        rows = []
        for size in SIZES:
            files = [where / f"{name}-{size}-{scheme}.png" for where in (before, after) for scheme in SCHEMES]
            rows.append([Image.open(file).convert("RGB") if file.exists() else None for file in files])
        scaled = [[_scaled(shot) if shot else None for shot in row] for row in rows]
        heights = [max((shot.height for shot in row if shot), default=0) for row in scaled]
        whole = Image.new("RGB", (4 * (_CELL + 8), sum(heights) + 8 * len(heights)), "#888888")
        top = 0
        for row, height in zip(scaled, heights, strict=True):
            for i, shot in enumerate(row):
                if shot:
                    whole.paste(shot, (i * (_CELL + 8), top))
            top += height + 8
        whole.save(out / f"{name}.webp", quality=55, method=6)


def _scaled(shot: Image.Image) -> Image.Image:
    """A picture as wide as its cell; a telephone's is half as wide."""
    width = _CELL if shot.width > shot.height else _CELL // 2
    return shot.resize((width, round(shot.height * width / shot.width)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    if sys.argv[1] == "sheet":
        sheet(*map(Path, sys.argv[2:5]))
    else:
        app = nullcontext(sys.argv[2]) if len(sys.argv) > 2 else browsing.running_app()
        with app as address, browsing.chromium() as browser:
            print(shoot(browser, address, Path(sys.argv[1])))
