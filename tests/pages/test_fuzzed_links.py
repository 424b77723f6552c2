"""Made-up links to every page, and the way back to each: whatever they hold, no page ends in an error."""

from functools import partial
from random import Random

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import local_script_runner

from pages.kit import page as kit_page
from pages.kit.page import Page
from pages.kit.settings import Choice, Setting
from pages.kit.values import Values
from pages.topics import PAGES
from tests.pages.visiting import visit

LINKS_A_PAGE = 4
WORDS = ["", "-1", "0", "1", "1.5", "7", "1e400", "nan", "5O", "ε", "a,b", "`*x*`", "<b>", "a" * 99, "0.5,0.5"]


def made_up(settings: list[Setting], random: Random) -> dict[str, list[str]]:
    """The parameters of a link: known keys and others, with values that are good, that were, and that never were."""
    keys = [*(setting.key for setting in settings), "what", "Job", "a b", "present", "controls"]
    options = {setting.key: setting for setting in settings if isinstance(setting, Choice)}
    link = {}
    for key in random.sample(keys, random.randint(1, len(keys))):
        choice = options.get(key)
        known = choice.options if choice else WORDS
        link[key] = [random.choice(known if random.random() < 0.8 else WORDS) for _ in range(random.choice([1, 1, 2]))]
    return link


@pytest.mark.parametrize("address", ["voting", "image_noise", "distortion"])
def test_no_link_ends_in_an_error_when_it_is_answered(address: str) -> None:
    random, page = Random(f"answers to links to {address}"), next(page for page in PAGES if page.address == address)
    for _ in range(2):
        visit(address, **made_up(page.all_settings(Values()), random))  # which looks for exceptions


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address or "home")
def test_no_link_ends_in_an_error(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit_page, "show", lambda *args: None)  # what is answered has tests of its own
    random = Random(f"links to {page.address}")
    links = [made_up(page.all_settings(Values()), random) for _ in range(LINKS_A_PAGE)]
    at = visit(page.address, **links[0])
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
    for link in links[1:]:
        at.query_params.clear()
        for key, values in link.items():
            at.query_params[key] = values
        at.run()
        assert not at.exception, (link, at.exception[0].message)
