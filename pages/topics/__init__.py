"""The pages of the site, in the order of the menu, the home page with a way to each of the others."""

from pages.kit.page import Page
from pages.topics import (
    claims,
    class_ratio,
    comparison,
    home,
    images,
    label_counts,
    label_proportions,
    training,
    voting,
)

OTHERS = (
    voting.PAGE,
    images.PAGE,
    training.PAGE,
    label_proportions.PAGE,
    class_ratio.PAGE,
    label_counts.PAGE,
    comparison.PAGE,
    claims.PAGE,
)
PAGES = (home.page(OTHERS), *OTHERS)


def page_at(address: str) -> Page:
    """The page of an address."""
    return next(page for page in PAGES if page.address == address)
