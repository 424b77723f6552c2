"""The tables of methods, against what is shipped under their names."""

import pytest

from privdemo import methods, palette
from privdemo.experiments import class_ratio, comparison, label_proportions, training
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, COMPARISON, LABEL_PROPORTIONS, NOBODY, OWNER, PUBLISHER, TRAINING, TRUTH

TABLES = {
    "training": TRAINING,
    "label proportions": LABEL_PROPORTIONS,
    "class ratio": CLASS_RATIO,
    "comparison": COMPARISON,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_methods_of_a_table_can_be_told_apart(table):
    assert list(table) == [method.name for method in table.values()]
    assert len({method.title for method in table.values()}) == len(table)
    together = [method for name, method in table.items() if name != methods.COUNT_NAIVE]  # naive, of another task
    assert len({method.style for method in together}) == len(together)
    assert {method.style.colour for method in table.values()} <= set(palette.PALETTE)
    assert {method.trust for method in table.values()} <= {TRUTH, NOBODY, OWNER, PUBLISHER}


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (TRAINING, [row for name in training.study.STUDIES for row in training.study.load(name)]),
        (LABEL_PROPORTIONS, label_proportions.study.load()),
        (CLASS_RATIO, class_ratio.study.load()),
        (COMPARISON, comparison.study.load()),
    ],
    ids=TABLES,
)
def test_shipped_results_are_of_these_methods(table, rows):
    assert {row.method for row in rows} == set(table)


def test_whom_a_method_trusts_is_its_marker_in_the_comparison():
    for name, method in COMPARISON.items():
        if name != methods.CLEAN:
            assert method.style.marker == methods.MARKERS[method.trust]
    assert len(set(methods.MARKERS.values())) == 4
    trusted = {name: method.trust for name, method in COMPARISON.items()}
    assert (trusted[methods.NAIVE], trusted[methods.LLP], trusted[methods.mmd("laplace")]) == (NOBODY, OWNER, PUBLISHER)
    assert trusted[methods.CLEAN] == trusted[methods.TRUE] == TRUTH


def test_one_colour_is_the_spread_likelihood():
    for table in TABLES.values():
        for method in table.values():
            assert (method.style.colour == palette.SPREAD.colour) == method.title.startswith("spread"), method


def test_methods_on_sets_are_named_after_their_noise():
    assert COMPARISON[methods.set_names("dirichlet")].title == "spread on set names, scaled Dirichlet"
    assert COMPARISON[methods.mmd("laplace")].title == "MMD, Laplace"
    assert set(methods.TIGHT.values()) <= set(RELEASES)


def test_unknown_methods_and_none_are_refused():
    methods.check_methods(("clean", "naive"), TRAINING)
    with pytest.raises(ValueError, match=r"^methods must be one or more of clean, .*, published, got llp, guess$"):
        methods.check_methods(("llp", "clean", "guess"), TRAINING)
    with pytest.raises(ValueError, match=r"got none$"):
        methods.check_methods((), TRAINING)
