"""The page "How many voted for A?" in a real Chromium: links, keyboard, narrow screens, downloads."""

from __future__ import annotations

import base64
import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from privdemo.experiments import voting
from tests.browser import browsing

pytestmark = pytest.mark.browser


def dots(page: Page, index: int) -> str:
    """The picture of one dot field, as SVG."""
    source = page.locator(".people img").nth(index).get_attribute("src")
    assert source is not None
    return base64.b64decode(source.split(",")[1]).decode()


def test_drawing_again_reaches_the_link_which_shows_the_same_screen(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?poll_seed=3")
    before = dots(page, 0)
    page.get_by_role("button", name="Draw again").click()
    expect(page).to_have_url(re.compile("polls=101"))
    browsing.settled(page)
    assert dots(page, 0) != before
    seen, takeaway = [dots(page, i) for i in (0, 1)], page.locator(".takeaway").inner_text()
    answer = page.locator(".answer").inner_text()
    page.reload()
    page.locator(".people").first.wait_for()
    browsing.settled(page)
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    assert [dots(page, i) for i in (0, 1)] == seen
    expect(page.locator(".answer")).to_have_text(answer)


def test_the_pollster_sees_no_lie(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    ours, theirs = dots(page, 0), dots(page, 1)
    assert 'fill="none"' in ours
    assert theirs.count('fill="none"') == 0
    config = voting.ElectionConfig()
    poll = voting.poll(config, voting.run(config))
    # Every disc is an arc path: those who voted A on our side, those who said A on the pollster's.
    assert ours.count("0 1 0 7") == poll.voted_a
    assert theirs.count("0 1 0 7") == poll.said_a


def test_the_keyboard_moves_the_lie(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    slider = page.get_by_role("slider", name="Each person lies with probability")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".takeaway", has_text="probability 0.21")).to_be_visible()
    expect(page).to_have_url(re.compile("lie=0.21"))
    slider.press("End")
    expect(page.locator(".takeaway", has_text="nothing can be learnt")).to_be_visible()


def test_after_quick_keys_slider_words_and_link_agree(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    slider = page.get_by_role("slider", name="Each person lies with probability")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
        page.wait_for_timeout(200)  # while the server may be at work on the one before
    expect(page.locator(".takeaway")).not_to_contain_text("probability 0.2 (")
    page.wait_for_timeout(3000)
    browsing.settled(page)
    shown = page.locator(".takeaway").inner_text()
    held = re.search(r"probability ([\d.]+) ", shown.replace("\u00a0", " "))
    assert held is not None
    assert float(slider.input_value()) == pytest.approx(float(held[1]))
    expect(page).to_have_url(re.compile(rf"lie={re.escape(held[1])}$"))


def test_a_lesson_is_changed_alone_and_keeps_its_setting(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lesson=the+price")
    takeaway = page.locator(".takeaway").inner_text()
    page.get_by_role("radio", name="precision").click()
    expect(page).to_have_url(re.compile("solve=precision"))
    expect(page.locator(".answer", has_text="10,000 people at ε = 1 let you know this within")).to_be_visible()
    page.get_by_role("radio", name="more candidates").click()
    expect(page).to_have_url(re.compile("lesson=more"))
    box = page.get_by_role("textbox", name="True shares of the candidates")
    box.fill("0.7, 0.4")
    box.press("Enter")
    expect(page.locator(".answer", has_text="Shares must sum to 1, got 1.1")).to_be_visible()
    box.fill("0.6, 0.4")
    box.press("Enter")
    expect(page.locator(".answer", has_text="2 candidates")).to_be_visible()
    expect(page).to_have_url(re.compile("shares=0.6"))
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    page.get_by_role("radio", name="the price").click()
    expect(page.locator(".answer", has_text="10,000 people at ε = 1 let you know this within")).to_be_visible()
    expect(page).to_have_url(re.compile("solve=precision"))
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile("/voting$"))
    expect(page.locator(".answer", has_text="the naive reading is off by")).to_be_visible()
    browsing.settled(page)
    page.get_by_role("radio", name="the price").click()
    expect(page.locator(".answer", has_text="you need N")).to_be_visible()


def test_downloads_hold_the_shown_numbers(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/voting?polls=12")
    with page.expect_download() as download:
        page.locator(".st-key-polls-csv button").click()
    download.value.save_as(tmp_path / "polls.csv")
    rows = list(csv.DictReader((tmp_path / "polls.csv").open(encoding="utf-8")))
    config = voting.ElectionConfig(n_elections=12)
    records = voting.records(config, voting.run(config))
    assert [float(row["estimate"]) for row in rows] == [value for record in records for value in record.values]
    for name, part in (("people", "img"), ("polls", "svg.main-svg")):
        with page.expect_download() as download:
            page.locator(f".st-key-{name}-html button").click()
        download.value.save_as(tmp_path / f"{name}.html")
        other = page.context.new_page()
        requests: list[str] = []
        other.on("request", lambda request, seen=requests: seen.append(request.url))
        other.goto((tmp_path / f"{name}.html").as_uri())
        expect(other.locator(part).first).to_be_visible()
        assert not [url for url in requests if url.startswith("http")]
        other.close()


@pytest.mark.parametrize(
    ("lesson", "scheme"),
    [("again and again", "light"), ("training on lies", "dark")],
)
def test_a_narrow_screen_never_scrolls_sideways(browser: Browser, address: str, lesson: str, scheme: str) -> None:
    page, wide = browsing.narrow(browser, f"{address}/voting?lesson={lesson}", scheme)
    assert wide <= 0
    assert browsing.in_order(page, (".takeaway", ".people", ".st-key-controls", ".st-key-rest"))
    page.context.close()
