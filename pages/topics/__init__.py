"""The pages of the site: home, one page a folder, and the lectures on them."""

from dataclasses import replace
from importlib import import_module
from itertools import pairwise

from pages.kit.page import Page
from pages.topics import home, lectures

# The folders of the pages by the group of the menu in which they stand. A new page is a folder, and its name here.
_FOLDERS = {
    "Start": (
        "home",
        "voting",
        "images",
    ),
    "In class": (
        "poll",
        "lectures",
    ),
    "Decide": (
        "advice",
        "comparison",
        "many_answers",
        "label_counts",
    ),
    "Go deeper": (
        "training",
        "label_proportions",
        "class_ratio",
        "claims",
    ),
}
FOLDERS = tuple(name for names in _FOLDERS.values() for name in names if name not in ("home", "lectures"))
_IN_ORDER: tuple[Page, ...] = tuple(import_module(f"{__name__}.{folder}").PAGE for folder in FOLDERS)
# Each leads to the next one.
OTHERS = (
    *(replace(page, following=(after.address, after.title)) for page, after in pairwise(_IN_ORDER)),
    _IN_ORDER[-1],
)
_ALL = dict(zip(FOLDERS, OTHERS, strict=True)) | {"home": home.PAGE, "lectures": lectures.page((home.PAGE, *OTHERS))}
_ADDRESSES = tuple(one.address for one in _ALL.values())
# The pages by group, and all of them, in the order of the menu.
GROUPS = {
    group: tuple(replace(_ALL[name], addresses=_ADDRESSES) for name in names) for group, names in _FOLDERS.items()
}
PAGES = tuple(page for pages in GROUPS.values() for page in pages)


def page_at(address: str) -> Page:
    """The page of an address."""
    return next(page for page in PAGES if page.address == address)
