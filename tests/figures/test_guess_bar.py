"""The bar of how often a guess between two answers is right."""

import re

import pytest

from privdemo.figures.guess_bar import guess_bar


@pytest.mark.parametrize(("probability", "filled"), [(0.5, 0), (0.75, 25), (0.731, 23.1), (1.0, 50)])
def test_what_is_more_than_pure_guessing_is_in_colour(probability, filled):
    (width,) = re.findall(r"width:([\d.]+)%", guess_bar(probability))
    assert float(width) == filled


@pytest.mark.parametrize("probability", [0.49, 1.01, float("nan")])
def test_no_guess_is_right_less_often_than_by_chance_or_more_than_always(probability):
    with pytest.raises(ValueError, match=r"probability must be in \[0\.5, 1\], got"):
        guess_bar(probability)
