"""The pages of the site, in the order of the menu."""

from pages.kit.page import Page
from pages.topics import claims, label_counts, training, voting

PAGES = (voting.PAGE, training.PAGE, label_counts.PAGE, claims.PAGE)


def page_at(address: str) -> Page:
    """The page of an address."""
    return next(page for page in PAGES if page.address == address)
