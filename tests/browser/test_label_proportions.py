"""The page "What if only bag totals are known?" in a real Chromium: streaming, links, presets, keyboard."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import BagConfig
from tests.browser import browsing

pytestmark = pytest.mark.browser

QUICK = "records=Breast+cancer&fill=skewed"
CONFIG = BagConfig("breast_cancer", 15, 20, "skewed")


def test_a_reload_and_another_visitor_see_the_same_screen(page: Page, browser: Browser, address: str) -> None:
    link = (
        f"{address}/proportions?{QUICK}&bag_draws=2&bags=12&bag_size=10&means=nearest-k&k=3&proportion_noise=Laplace"
        "&proportion_epsilon=0.7&look_into=the+adversary&bag_seed=11"
    )
    browsing.seen_again(page, browser, link, "over 2 draws", ".takeaway, .answer, .summary, .grid td")


def test_the_keyboard_moves_k(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/proportions?{QUICK}&bag_draws=1&means=random-k&k=4")
    slider = page.get_by_role("slider", name="k, records in a mean at least")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".takeaway", has_text="means of 5 or more records")).to_be_visible()
    slider.press("ArrowRight")
    expect(page.locator(".takeaway", has_text="means of 6 or more records")).to_be_visible()
    expect(page).to_have_url(re.compile("k=6"))
    slider.press("End")  # more than a bag of 20 holds: a sentence, and the way back is open
    expect(page.locator(".takeaway", has_text="K must be at most 20, the records of a bag, got 100")).to_be_visible()
    slider.press("Home")
    expect(page.locator(".takeaway", has_text="the records of each bag")).to_be_visible()


def test_other_records_keep_the_link_true(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/proportions?{QUICK}&bag_draws=1&bags=9")
    page.get_by_role("radio", name="Small digits").click()
    expect(page.locator(".takeaway", has_text="12 bags of 20 images")).to_be_visible()
    browsing.settled(page)
    words = page.locator(".takeaway").inner_text()
    page.reload()
    expect(page.locator(".takeaway")).to_have_text(words)


def test_downloads_hold_the_shown_numbers(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/proportions?{QUICK}&bag_draws=1&look_into=the+bags")
    browsing.settled(page)
    draw = label_proportions.run(CONFIG)
    for name, rows in (
        ("bag-scores", label_proportions.score_table([draw])),
        ("bags", label_proportions.bag_table(draw)),
    ):
        with page.expect_download() as download:
            page.locator(f".st-key-{name}-csv button").click()
        download.value.save_as(tmp_path / f"{name}.csv")
        saved = list(csv.DictReader((tmp_path / f"{name}.csv").open(encoding="utf-8")))
        kept = [{k: str(v) for k, v in row.items() if k != "seconds"} for row in rows]
        assert [{k: row[k] for k in expected} for row, expected in zip(saved, kept, strict=True)] == kept


@pytest.mark.parametrize(
    ("lesson", "scheme"),
    [("the bags", "dark"), ("filling bags", "light")],
)
def test_a_narrow_screen_never_scrolls_sideways(browser: Browser, address: str, lesson: str, scheme: str) -> None:
    page, wide = browsing.narrow(browser, f"{address}/proportions?{QUICK}&bag_draws=1&look_into={lesson}", scheme)
    assert wide <= 0
    assert browsing.in_order(page, (".takeaway", ".js-plotly-plot", ".st-key-controls", ".st-key-rest", ".st-key-end"))
    page.context.close()
