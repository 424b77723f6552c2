"""The ten colours and their meanings: the theme has them, and each stands out from light and dark pages."""

import tomllib

import pytest

from privdemo import palette
from tests.documents import ROOT

CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))


def luminance(colour: str) -> float:
    """The relative luminance of a colour (WCAG 2.1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_theme_lists_the_ten_meanings_follows_nobody_and_shows_no_tracebacks():
    assert tuple(CONFIG["theme"]["chartCategoricalColors"]) == palette.PALETTE
    assert len(set(palette.PALETTE)) == 10
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] == "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_stands_out_from_the_background(scheme):
    background = luminance(CONFIG["theme"][scheme]["backgroundColor"])
    for colour in palette.PALETTE:
        dark, light = sorted((luminance(colour), background))
        assert (light + 0.05) / (dark + 0.05) >= 3, colour
