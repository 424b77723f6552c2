"""The pages on class ratios and on released counts in a real Chromium: streaming, links, presets, keyboard."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from privdemo.experiments import class_ratio, label_counts
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_counts import CountConfig
from privdemo.methods import CLASS_RATIO, EM, MMD, SPREAD
from tests.browser import browsing

pytestmark = pytest.mark.browser

QUICK = "ratio_records=Breast+cancer&set_size=80&asked=80"
CONFIG = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=(SPREAD, MMD, EM))


def test_draws_stream_in_and_the_whole_page_follows_at_the_end(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/class_ratio?{QUICK}&ratio_draws=6&ratio_look=all+numbers")
    expect(page.locator(".answer", has_text="over 6 draws")).to_be_visible(timeout=60_000)
    expect(page.locator(".st-key-draw-progress")).to_have_count(0)
    draws = [class_ratio.run(at_draw(CONFIG, i)) for i in range(6)]
    mean = class_ratio.error(draws, SPREAD).mean
    expect(page.locator(".takeaway", has_text=f"{mean:.3f}")).to_be_visible()
    expect(page.locator(".grid").first).to_contain_text(f"{class_ratio.mean_error(draws, MMD).mean:.4f}")


def test_a_reload_and_another_visitor_see_the_same_shares(page: Page, browser: Browser, address: str) -> None:
    link = (
        f"{address}/class_ratio?{QUICK}&ratio_draws=2&rho=0.2&release=Laplace%2C+tight&ratio_epsilon=0.3&share=0.7"
        "&ratio_look=the+adversary&ratio_seed=11"
    )
    browsing.seen_again(page, browser, link, "over 2 draws", ".takeaway, .answer, .summary")


def test_a_reload_and_another_visitor_see_the_same_counts(page: Page, browser: Browser, address: str) -> None:
    link = (
        f"{address}/distortion?counts_of=my+own&counts=40%2C60%2C900&count_epsilon=0.2&count_delta=0.001&n_min=20"
        "&along=%CE%B4&count_look=all+numbers&count_seed=4&mechanism=Gaussian%2C+tight"
    )
    browsing.seen_again(page, browser, link, "200 releases", ".takeaway, .answer, .summary, .grid td")


def test_the_keyboard_moves_epsilon_and_the_mix(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/distortion")
    slider = page.get_by_role("slider", name="ε, how much one label can change the odds")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".takeaway", has_text="ε\u00a0=\u00a00.1")).to_be_visible()
    expect(page).to_have_url(re.compile("count_epsilon=0.1"))
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    expect(page.locator(".takeaway", has_text="ε\u00a0=\u00a00.02")).to_be_visible()
    browsing.open_page(page, f"{address}/class_ratio?{QUICK}&ratio_draws=1")
    share = page.get_by_role("slider", name="Share of its first class")
    share.focus()
    share.press("ArrowRight")
    expect(page.locator(".takeaway", has_text="55.0\u00a0% are benign")).to_be_visible()


def test_counts_are_typed_and_the_released_ones_stand_beside_them(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/distortion?counts_of=my+own")
    box = page.get_by_role("textbox", name="Counts of each class")
    box.fill("50\t70\t\t200")
    box.press("Enter")
    expect(page.locator(".takeaway", has_text="320 labels in 3 classes")).to_be_visible()
    expect(page).to_have_url(re.compile("counts="))
    browsing.settled(page)
    with page.expect_download() as download:
        page.locator(".st-key-released-csv button").click()
    download.value.save_as(tmp_path / "released.csv")
    saved = list(csv.DictReader((tmp_path / "released.csv").open(encoding="utf-8")))
    outcome = label_counts.run(CountConfig((50, 70, 200)))["dirichlet public"]
    assert [int(row["true"]) for row in saved] == [50, 70, 200]
    assert [float(row["released"]) for row in saved] == pytest.approx([320 * share for share in outcome.example])


def test_a_preset_reaches_the_controls_and_the_link_and_reset_takes_it_back(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/class_ratio?{QUICK}&ratio_draws=1")
    page.get_by_role("button", name="three digits, private").click()
    expect(page).to_have_url(re.compile("release=Gaussian"))
    expect(page.locator(".takeaway", has_text="Of 600 images")).to_be_visible(timeout=60_000)
    expect(page.locator(".takeaway", has_text="δ\u00a0=\u00a010⁻³")).to_be_visible()
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile(r"/class_ratio(\?job=\w+)?$"))


def test_downloads_hold_the_shown_numbers(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/class_ratio?{QUICK}&ratio_draws=1")
    browsing.settled(page)
    with page.expect_download() as download:
        page.locator(".st-key-shares-csv button").click()
    download.value.save_as(tmp_path / "shares.csv")
    saved = list(csv.DictReader((tmp_path / "shares.csv").open(encoding="utf-8")))
    rows = class_ratio.table([class_ratio.run(CONFIG)])
    assert [row["method"] for row in saved] == [CLASS_RATIO[name].title for name in CONFIG.methods]
    kept = [{k: str(v) for k, v in row.items() if k != "seconds"} for row in rows]
    assert [{k: row[k] for k in expected} for row, expected in zip(saved, kept, strict=True)] == kept


@pytest.mark.parametrize(
    ("link", "scheme"),
    [
        (f"class_ratio?{QUICK}&ratio_draws=1&ratio_look=which+sets", "dark"),
        ("distortion?count_look=all+numbers", "light"),
    ],
)
def test_a_narrow_screen_never_scrolls_sideways(browser: Browser, address: str, link: str, scheme: str) -> None:
    page, wide = browsing.narrow(browser, f"{address}/{link}", scheme)
    assert wide <= 0
    assert browsing.in_order(page, (".takeaway", ".js-plotly-plot", ".st-key-controls", ".st-key-rest", ".st-key-end"))
    page.context.close()
