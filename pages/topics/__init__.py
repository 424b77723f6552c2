"""The pages of the site: home, one page a folder, and the lectures on them."""

from dataclasses import replace
from importlib import import_module
from itertools import pairwise

from pages.kit.page import Page
from pages.topics import home, lectures

# The folders of all pages but home, in the order of the menu. A new page is a folder and a line here.
FOLDERS = (
    "voting",
    "poll",
    "many_answers",
    "images",
    "training",
    "label_proportions",
    "class_ratio",
    "label_counts",
    "comparison",
    "claims",
)
_IN_ORDER: tuple[Page, ...] = tuple(import_module(f"{__name__}.{folder}").PAGE for folder in FOLDERS)
# Each leads to the next one.
OTHERS = (
    *(replace(page, following=(after.address, after.title)) for page, after in pairwise(_IN_ORDER)),
    _IN_ORDER[-1],
)
_CONTENT = (home.PAGE, *OTHERS)
_ALL = (*_CONTENT, lectures.page(_CONTENT))
PAGES = tuple(replace(page, addresses=tuple(one.address for one in _ALL)) for page in _ALL)


def page_at(address: str) -> Page:
    """The page of an address."""
    return next(page for page in PAGES if page.address == address)
