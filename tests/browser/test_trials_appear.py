"""Background trials in a real Chromium: they stream in, stop, and outlive a reload."""

import re

import pytest
from playwright.sync_api import Page, expect

from privdemo.experiments import training
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.trials import with_trial
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import NAIVE
from tests.browser import browsing

pytestmark = pytest.mark.browser

QUICK = "training?images=Small+digits&n=40&methods=ignore+the+noise"
CONFIG = TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.2, 17), methods=(NAIVE,))


def test_trials_appear_one_by_one_and_the_whole_page_reruns_at_the_end(page: Page, address: str) -> None:
    """A chapter can be changed meanwhile."""
    browsing.open_page(page, f"{address}/{QUICK}&draws=6&look_at=What+an+adversary+can+guess")
    browsing.unfold_chapters(page)
    page.get_by_role("radio", name="All results in a table").click()
    expect(page.locator(".takeaway", has_text="Means over")).to_be_visible()
    expect(page).to_have_url(re.compile("look_at=All"))
    expect(page.locator(".takeaway", has_text="Means over 6 trials")).to_be_visible(timeout=60_000)
    expect(page.locator(browsing.PROGRESS)).to_have_count(0)
    mean = training.mean_score([training.run(with_trial(CONFIG, i)) for i in range(6)], NAIVE, "accuracy").mean
    expect(page.locator(".grid td", has_text=f"{100 * mean:.1f} %").first).to_be_visible()
    expect(page).not_to_have_url(re.compile("job="))


def test_a_job_is_in_the_address_while_it_runs_and_a_reload_goes_on_with_it(page: Page, address: str) -> None:
    page.goto(f"{address}/comparison?compare_on=Small+digits&people=121&private=images+too&compare_draws=50")
    progress = page.locator(browsing.PROGRESS)
    under_way = re.compile(r"Trial [1-9]\d? of 50")
    expect(progress).to_contain_text(under_way, timeout=60_000)
    expect(page).to_have_url(re.compile("&job=[0-9a-f]{12}$"))
    link, entries = page.url, page.evaluate("history.length")
    page.reload()
    expect(progress).to_contain_text(under_way)
    assert page.url == link
    browsing.stop(page)
    browsing.settled(page)
    done = progress.inner_text()
    page.wait_for_timeout(2000)
    assert progress.inner_text() == done, "nothing comes in after the stop"
    expect(page).not_to_have_url(re.compile("job="))
    assert page.evaluate("history.length") == entries
    page.goto(link)
    expect(progress).to_contain_text(under_way)
    expect(page.locator(".st-key-link-notes")).to_have_count(0)
    browsing.stop(page)
