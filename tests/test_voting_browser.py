"""The page "How many voted for A?" in a real Chromium: links, keyboard, narrow screens, downloads."""

from __future__ import annotations

import base64
import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from privdemo.experiments import voting
from tests import browsing

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
    answers = page.locator(".answer").all_inner_texts()
    page.reload()
    page.locator(".people").first.wait_for()
    browsing.settled(page)
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    assert [dots(page, i) for i in (0, 1)] == seen
    assert page.locator(".answer").all_inner_texts() == answers


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
    expect(page.locator(".takeaway")).to_contain_text("probability 0.21")
    expect(page).to_have_url(re.compile("lie=0.21"))
    slider.press("End")
    expect(page.locator(".takeaway")).to_contain_text("nothing can be learnt")


def test_a_section_is_changed_alone_and_keeps_its_setting_in_the_link(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    takeaway = page.locator(".takeaway").inner_text()
    page.get_by_role("radio", name="precision").click()
    expect(page).to_have_url(re.compile("solve=precision"))
    expect(page.locator(".answer").nth(2)).to_contain_text("10,000 people at ε = 1 tell you this within")
    box = page.get_by_label("True shares of the candidates")
    box.fill("0.7, 0.4")
    box.press("Enter")
    expect(page.locator(".answer").nth(5)).to_contain_text("Shares must sum to 1, got 1.1")
    box.fill("0.6, 0.4")
    box.press("Enter")
    expect(page.locator(".answer").nth(5)).to_contain_text("2 candidates")
    expect(page).to_have_url(re.compile("shares=0.6"))
    expect(page.locator(".takeaway")).to_have_text(takeaway)


def test_the_contents_lead_to_every_section(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    links = page.locator(".contents a")
    assert links.count() == page.locator(".answer").count()
    for i in range(links.count()):
        target = links.nth(i).get_attribute("href")
        assert page.locator(f"h3{target}").count() == 1, target
    links.nth(2).click()
    expect(page.locator("h3#price")).to_be_in_viewport()


def test_downloads_hold_the_shown_numbers(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/voting?polls=12")
    with page.expect_download() as download:
        page.locator(".st-key-polls-csv button").click()
    download.value.save_as(tmp_path / "polls.csv")
    rows = list(csv.DictReader((tmp_path / "polls.csv").open(encoding="utf-8")))
    config = voting.ElectionConfig(n_elections=12)
    records = voting.records(config, voting.run(config))
    assert [float(row["estimate"]) for row in rows] == [value for record in records for value in record.values]
    for name, part in (("people", "img"), ("figure1", "svg.main-svg")):
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


def test_nothing_is_fetched_from_elsewhere(page: Page, address: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    browsing.open_page(page, f"{address}/voting")
    assert requests
    assert not [url for url in requests if not url.startswith((address, "data:", "blob:"))]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen_never_scrolls_sideways(browser: Browser, address: str, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    browsing.open_page(page, f"{address}/voting")
    wide = page.evaluate(
        "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth; }"
    )
    assert wide <= 0
    tops = [page.locator(part).first.bounding_box()["y"] for part in (".takeaway", ".people", ".st-key-controls", "h3")]
    assert tops == sorted(tops), "takeaway, main figure, controls, the rest"
    context.close()
