"""The comparison in a real Chromium: a setting of one's own streams in, a pin stays in the link, the keyboard works."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.topics.comparison import settings
from privdemo.experiments import comparison
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.draws import at_draw
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import NAIVE, SPREAD
from tests.browser import browsing

pytestmark = pytest.mark.browser

QUICK = "compare_on=Small+digits&people=40&label_epsilon=2&compare_draws=4&show=naive&show=spread+on+lies"
CONFIG = ComparisonConfig(dataset="digits", n_train=40, epsilon=2.0, methods=(NAIVE, SPREAD))


def test_ones_own_setting_streams_in_over_shipped_curves(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/comparison?{QUICK}&compare_look=all+numbers")
    expect(page.locator(".summary", has_text="Shipped means over 10 draws").first).to_be_visible()
    expect(page.locator(".summary", has_text="your setting, 40 people of each class, 4 draws").first).to_be_visible(
        timeout=60_000
    )
    expect(page.locator(".st-key-draw-progress")).to_have_count(0)
    draws = [comparison.run(at_draw(CONFIG, i)) for i in range(4)]
    best = max(comparison.mean_mark(draws, name, "accuracy").mean for name in (NAIVE, SPREAD))
    expect(page.locator(".takeaway", has_text=f"{100 * best:.1f}")).to_be_visible()


def test_a_pin_is_in_the_link_that_shows_the_same_to_others(page: Page, browser: Browser, address: str) -> None:
    browsing.open_page(page, f"{address}/comparison?compare_on=Small+digits&compare_look=against+a+pin")
    page.get_by_role("button", name="Pin this setting").click()
    expect(page).to_have_url(re.compile("pin=classify"))
    slider = page.get_by_role("slider", name="ε, how much one label can change the odds")
    slider.focus()
    slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile("label_epsilon=0.5"))
    expect(page.locator(".answer", has_text="clearly")).to_be_visible()
    browsing.settled(page)
    browsing.seen_again(page, browser, page.url, "Large marks", ".takeaway, .answer, .summary, .grid td")


@pytest.mark.parametrize("keys", [["ArrowLeft"] * 6, ["ArrowLeft"] * 4 + ["ArrowRight"] * 6])
def test_after_quick_keys_the_three_views_of_epsilon_agree(page: Page, address: str, keys: list[str]) -> None:
    """ε by its ladder, as a number, as the probability of a lie, and in the link: no press is lost or taken back."""
    browsing.open_page(page, f"{address}/comparison?compare_on=Small+digits&show=naive&compare_look=one+likelihood")
    slider = page.get_by_role("slider", name="ε, how much one label can change the odds")
    slider.focus()
    for key in keys:
        slider.press(key)
        page.wait_for_timeout(50)
    steps = settings.EPSILON_STEPS
    place = steps.index(1.0)
    for key in keys:
        place = min(len(steps) - 1, max(0, place + (1 if key == "ArrowRight" else -1)))
    expect(page).to_have_url(re.compile(rf"label_epsilon={steps[place]:g}(\.0)?(&|$)"))
    page.wait_for_timeout(2000)
    browsing.settled(page)
    expect(page.get_by_label("ε of a label", exact=True)).to_have_value(f"{steps[place]:g}")
    lie = RandomisedResponse.from_epsilon(steps[place], 2).flip_prob
    assert float(page.get_by_label("p of a lie", exact=True).input_value()) == pytest.approx(lie, rel=1e-3)
    expect(page).to_have_url(re.compile(rf"label_epsilon={steps[place]:g}(\.0)?(&|$)"))


@pytest.mark.parametrize(("link", "scheme"), [("comparison?compare_look=all+numbers", "dark"), ("claims", "light")])
def test_a_narrow_screen_never_scrolls_sideways(browser: Browser, address: str, link: str, scheme: str) -> None:
    page, wide = browsing.narrow(browser, f"{address}/{link}", scheme)
    assert wide <= 0
    assert browsing.in_order(page, (".takeaway", ".js-plotly-plot", ".st-key-end"))
    page.context.close()


@pytest.mark.parametrize(
    ("width", "scheme", "link"),
    [(1280, "light", "compare_on=Small+digits"), (390, "dark", "compare_on=Small+digits&task=find+a+share")],
)
def test_the_curves_stand_there_before_plotly_has_started(
    browser: Browser, address: str, width: int, scheme: str, link: str
) -> None:
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    waiting = []
    page.route("**/PlotlyChart*", lambda route: waiting.append(route))
    page.goto(f"{address}/comparison?{link}")
    drawing = page.locator(".first-look > div > img")
    expect(drawing).to_be_visible()
    expect(page.locator(".first-look p")).to_contain_text("spread on lies")
    browsing.settled(page)
    before = drawing.bounding_box()
    tops = page.locator(".summary").first.bounding_box()["y"]
    waiting[0].continue_()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(drawing).to_be_hidden()
    after = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    sides = ("x", "y", "width", "height")
    assert [after[side] for side in sides] == pytest.approx([before[side] for side in sides], abs=16)
    assert page.locator(".summary").first.bounding_box()["y"] == pytest.approx(tops, abs=2)
    page.context.close()


def test_a_job_is_in_the_address_while_it_runs_and_a_reload_goes_on_with_it(page: Page, address: str) -> None:
    page.goto(f"{address}/comparison?compare_on=Small+digits&people=121&private=images+too&compare_draws=50")
    progress = page.locator(".st-key-draw-progress")
    expect(progress).to_contain_text(re.compile(r"Draw [1-9]\d? of 50"), timeout=60_000)
    expect(page).to_have_url(re.compile("&job=[0-9a-f]{12}$"))
    link, entries = page.url, page.evaluate("history.length")
    page.reload()
    expect(progress).to_contain_text(re.compile("Draw [1-9][0-9]? of 50"))
    assert page.url == link
    page.get_by_role("button", name="Stop", exact=True).last.click()
    expect(progress).to_contain_text("stopped")
    expect(page).not_to_have_url(re.compile("job="))
    assert page.evaluate("history.length") == entries
    page.goto(link)
    expect(progress).to_contain_text(re.compile("Draw [1-9][0-9]? of 50"))
    expect(page.locator(".st-key-link-notes")).to_have_count(0)
    page.get_by_role("button", name="Stop", exact=True).last.click()


def test_a_links_words_come_alive_nowhere_and_fetch_nothing(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    evil = "//evil.example"
    words = f"[In](https:{evil}/x) ![p](https:{evil}/p.png) www.evil.example a@evil.example <img src={evil}/y> :smile:"
    for link in (
        f"comparison?pin={words},digits,labels,250,1,0",
        "comparison?pin=:streamlit:,digits,labels,250,1,0",
        f"voting?shares={words}",
        f"distortion?counts={words}",
    ):
        browsing.open_page(page, f"{address}/{link}")
        expect(page.locator(".st-key-link-notes")).to_contain_text("was ignored")
        assert page.locator(".st-key-link-notes :is(a, img)").count() == 0
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
