"""The tables of methods against what is shipped under their names; ten colours that stand out from every page."""

import tomllib

import pytest

from privdemo import methods, palette
from privdemo.experiments import class_ratio, comparison, label_proportions, training
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import COMPARISON, LABEL_PROPORTIONS, LEADER, NOBODY, PUBLISHER, TRAINING, TRUTH
from tests.documents import ROOT

TABLES = (methods.VOTING, methods.LABEL_COUNTS, TRAINING, LABEL_PROPORTIONS, methods.CLASS_RATIO, COMPARISON)


def test_what_people_send_is_said_in_few_words_another_for_each_oracle():
    oracles = methods.FREQUENCY_ORACLES.values()
    assert len({one.plain for one in oracles if one.plain}) == len(oracles)


@pytest.mark.parametrize("table", TABLES)
def test_methods_of_a_table_can_be_told_apart_and_one_colour_is_the_spread_likelihood(table):
    assert list(table) == [method.name for method in table.values()]
    assert len({method.title for method in table.values()}) == len(table)
    together = [method for name, method in table.items() if name != methods.COUNT_NAIVE]  # naive, of another task
    assert len({method.style for method in together}) == len(together)
    for method in table.values():
        assert method.style.colour in palette.PALETTE
        assert method.trust in methods.MARKERS
        assert len(method.title) <= 55, "fits in a legend on a telephone"
        assert method.columns == {"method": method.title, "key": method.name}
        assert method.in_full == (f"{method.title} ({method.paper})" if method.paper else method.title)
        assert (method.style.colour == palette.SPREAD.colour) == method.title.startswith(
            ("correct for", "use each bag", "use each group")
        ), method


def test_shipped_results_are_of_these_methods():
    trained = [row for name in training.study.STUDIES for row in training.study.load(name)]
    assert {row.method for row in trained} == set(TRAINING)
    assert {row.method for row in label_proportions.study.load()} == set(LABEL_PROPORTIONS)
    assert {row.method for row in class_ratio.study.load()} == set(methods.CLASS_RATIO)
    assert {row.method for row in comparison.study.load()} == set(COMPARISON)


def test_whom_a_method_trusts_is_its_marker_in_the_comparison_and_its_noise_in_its_title():
    for name, method in COMPARISON.items():
        hollow = "-open" if name.endswith(" chosen") else ""
        assert method.style.marker == methods.MARKERS[method.trust] + hollow or name == methods.CLEAN
    assert len(set(methods.MARKERS.values())) == 6
    shown = (methods.CLEAN, methods.TRUE, methods.NAIVE, methods.LLP, methods.mmd("laplace"), methods.CURATED)
    assert [COMPARISON[name].trust for name in shown] == [TRUTH, TRUTH, NOBODY, LEADER, PUBLISHER, methods.CURATOR]
    assert COMPARISON[methods.SHUFFLED_COUNT].trust == methods.SHUFFLER
    assert COMPARISON[methods.set_names("dirichlet")].title == "use each group as a hint, scaled Dirichlet"
    assert set(methods.TIGHT.values()) <= set(RELEASES)


def test_unknown_methods_are_refused():
    methods.check_methods(("clean", "naive"), TRAINING)
    with pytest.raises(ValueError, match=r"^methods must be one or more of clean, .*, published, got llp, guess$"):
        methods.check_methods(("llp", "clean", "guess"), TRAINING)


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


def test_every_colour_stands_out_from_the_background():
    for scheme in ("light", "dark"):
        background = luminance(CONFIG["theme"][scheme]["backgroundColor"])
        for colour in palette.PALETTE:
            dark, light = sorted((luminance(colour), background))
            assert (light + 0.05) / (dark + 0.05) >= 3, colour
