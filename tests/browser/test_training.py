"""The page "Can a classifier be trained on noise?" in a real Chromium: streaming, stopping, links, keyboard."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from privdemo.experiments import training
from privdemo.experiments.draws import at_draw
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import SPREAD
from tests.browser import browsing

pytestmark = pytest.mark.browser

QUICK = "images=Small+digits&n=40"
CONFIG = TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.2, 17))
PROGRESS = ".st-key-draw-progress"


def test_draws_stream_in_and_the_whole_page_follows_at_the_end(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/training?{QUICK}&draws=6&look_at=all+numbers")
    expect(page.locator(".answer", has_text="Means over 6 draws")).to_be_visible(timeout=60_000)
    expect(page.locator(PROGRESS)).to_have_count(0)
    draws = [training.run(at_draw(CONFIG, i)) for i in range(6)]
    mean = training.mean_score(draws, SPREAD, "accuracy").mean
    expect(page.locator(".takeaway", has_text=f"{100 * mean:.1f}")).to_be_visible()


def test_stop_ends_the_work_and_go_on_takes_it_up_again(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/training?{QUICK}&draws=50&training_seed=7")
    main = page.get_by_test_id("stMainBlockContainer")
    main.get_by_role("button", name="Stop").click()
    expect(main.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.locator(PROGRESS)).to_contain_text("stopped")
    browsing.settled(page)
    done = page.locator(PROGRESS).inner_text()
    page.wait_for_timeout(2500)
    assert page.locator(PROGRESS).inner_text() == done, "nothing comes in after the stop"
    page.wait_for_timeout(11_000)  # longer than a silent watcher counts as there: going on must poll again
    main.get_by_role("button", name="Go on").click()
    expect(page.locator(PROGRESS)).not_to_contain_text(done.split(" of")[0].strip() + " of", timeout=30_000)


def test_a_reload_and_another_visitor_see_the_same_screen(page: Page, browser: Browser, address: str) -> None:
    link = f"{address}/training?{QUICK}&draws=2&label_p=0.3&look_at=some+images&which=the+disputed&training_seed=11"
    browsing.seen_again(page, browser, link, "over 2 draws", ".takeaway, .answer, .summary, .digits td")


def test_the_keyboard_moves_the_lie(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/training?{QUICK}&draws=1")
    slider = page.get_by_role("slider", name="Each label is flipped with probability")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".takeaway", has_text="flipped with probability 0.21")).to_be_visible()
    expect(page).to_have_url(re.compile("label_p=0.21"))
    slider.press("End")
    expect(page.locator(".takeaway", has_text="add up to 1")).to_be_visible()
    slider.press("Home")
    expect(page.locator(".takeaway", has_text="flipped with probability 0 ")).to_be_visible()


def test_a_preset_reaches_the_controls_and_the_link_from_any_kind_of_noise(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/training?draws=1&n=30&pixel_noise=Gaussian&label_lies=asymmetric")
    page.get_by_role("button", name="p = 0.3").click()
    expect(page.locator(".takeaway", has_text="flipped with probability 0.3")).to_be_visible()
    for part in ("pixel_p=0.3", "label_p=0.3"):
        expect(page).to_have_url(re.compile(part))
    browsing.settled(page)
    takeaway = page.locator(".takeaway").inner_text()
    page.reload()
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    page.get_by_role("button", name="σ² = 0.5").click()
    for part in ("pixel_noise=Gaussian", "pixel_sigma=0.707", "n=4500", "label_p=0.2|^((?!label_p).)*$"):
        expect(page).to_have_url(re.compile(part))
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile(r"/training(\?job=\w+)?$"))


def test_a_lesson_follows_the_draws_and_can_be_changed_while_they_run(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/training?{QUICK}&draws=40&training_seed=5&look_at=all+numbers")
    expect(page.locator(".answer", has_text=re.compile(r"Means over ([2-9]|[1-3]\d) draws"))).to_be_visible(
        timeout=60_000
    )
    page.get_by_role("radio", name="the adversary").click()
    expect(page.locator(".answer", has_text="lets it be guessed")).to_be_visible()
    expect(page).to_have_url(re.compile("look_at=the"))
    page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Stop").click()


def test_downloads_hold_the_shown_numbers(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/training?{QUICK}&draws=1&look_at=some+images")
    browsing.settled(page)
    draw = training.run(CONFIG)
    for name, rows in (
        ("scores", training.score_table([draw])),
        ("digits", training.digit_table(draw, training.typical(draw, 6))),
    ):
        with page.expect_download() as download:
            page.locator(f".st-key-{name}-csv button").click()
        download.value.save_as(tmp_path / f"{name}.csv")
        saved = list(csv.DictReader((tmp_path / f"{name}.csv").open(encoding="utf-8")))
        kept = [{k: str(v) for k, v in row.items() if k not in ("seconds", "effective_samples")} for row in rows]
        assert [{k: row[k] for k in expected} for row, expected in zip(saved, kept, strict=True)] == kept
        with page.expect_download() as download:
            page.locator(f".st-key-{name}-html button").click()
        assert download.value.path().stat().st_size > 2000


@pytest.mark.parametrize(
    ("lesson", "scheme"),
    [("weights", "dark"), ("all numbers", "light")],
)
def test_a_narrow_screen_never_scrolls_sideways(browser: Browser, address: str, lesson: str, scheme: str) -> None:
    page, wide = browsing.narrow(browser, f"{address}/training?{QUICK}&draws=1&look_at={lesson}", scheme)
    assert wide <= 0
    assert browsing.in_order(page, (".takeaway", ".js-plotly-plot", ".st-key-controls", ".st-key-rest", ".st-key-end"))
    page.context.close()
