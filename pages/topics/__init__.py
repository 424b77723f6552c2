"""The pages of the site, in the order of the menu."""

from pages.topics import training

PAGES = (training.PAGE,)
