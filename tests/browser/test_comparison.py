"""The comparison in a real Chromium: its three views of ε agree after quick keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.topics.comparison import settings
from privdemo.mechanisms import RandomisedResponse
from tests.browser import browsing

pytestmark = pytest.mark.browser


def test_after_quick_keys_the_three_views_of_epsilon_agree(page: Page, address: str) -> None:
    """ε by its ladder, as a number, as the probability of a lie, and in the link: no press is lost or taken back."""
    browsing.open_page(page, f"{address}/comparison?compare_on=Small+digits&show=naive&compare_look=one+likelihood")
    slider = page.get_by_role("slider", name="ε, how much one label can change the odds")
    slider.focus()
    steps = settings.EPSILON_STEPS
    place = steps.index(1.0)
    for keys in (["ArrowLeft"] * 6, ["ArrowRight"] * 6 + ["ArrowLeft"] * 3):
        for key in keys:
            slider.press(key)
            page.wait_for_timeout(50)
            place = min(len(steps) - 1, max(0, place + (1 if key == "ArrowRight" else -1)))
        expect(page).to_have_url(re.compile(rf"label_epsilon={steps[place]:g}(\.0)?(&|$)"))
        page.wait_for_timeout(1500)
        browsing.settled(page)
        expect(page.get_by_label("ε of a label", exact=True)).to_have_value(f"{steps[place]:g}")
        lie = RandomisedResponse.from_epsilon(steps[place], 2).flip_prob
        assert float(page.get_by_label("p of a lie", exact=True).input_value()) == pytest.approx(lie, rel=1e-3)
        expect(page).to_have_url(re.compile(rf"label_epsilon={steps[place]:g}(\.0)?(&|$)"))
