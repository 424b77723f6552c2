"""Iyer's claims: numbers of the files and formulas behind them, and verdicts that turn with their rows."""

from dataclasses import replace

import pytest

from privdemo.experiments import class_ratio, label_counts
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, OPEN, UNCLEAR, iyer, iyer_counts, iyer_ratios
from tests.experiments.claims.changes import change, plus, times, verdicts

COUNTS, SETS = label_counts.load(), class_ratio.study.load()
DISTORTION, DEVIATION = ("distortion", "low", "high"), ("deviation", "deviation_low", "deviation_high")
ERROR = ("error", "low", "high")
PUBLISHED, PUBLIC = "dirichlet published", "dirichlet public"


def test_the_sizes_of_data_sets_are_counts_also_where_a_data_set_is_not_here(all_claims, mnist, no_mnist):
    elsewhere = [(OPEN, n) for n in (6_431_471, 11_000_000, 78_823, 6_940)]
    found = [claim for claim in all_claims if claim.place == "table 1"]
    assert [(claim.verdict, claim.published) for claim in found] == [*elsewhere, (HOLDS, 48_842), (HOLDS, 60_000)]
    without = [claim for claim in iyer.all_claims() if claim.place == "table 1"]
    assert [(claim.verdict, claim.published) for claim in without] == [*elsewhere, (OPEN, 48_842), (OPEN, 60_000)]
    assert "python -m privdemo data adult" in without[4].why
    assert {claim.unit for claim in (*found, *without)} == {""}, "a number of records is no percentage"


@pytest.mark.parametrize(
    ("claim", "verdict", "how", "where", "changed"),
    [
        (iyer_counts._ranking, FAILS, times(0.1, *DISTORTION), {"release": [PUBLIC]}, HOLDS),
        (iyer_counts._more_classes, FAILS, times(0.1, *DISTORTION), {"release": [PUBLISHED], "level": [10]}, HOLDS),
        (iyer_counts._all_shares, FAILS, times(0.01, *DISTORTION), {"release": [PUBLISHED]}, CAVEAT),
        (iyer_counts._small_epsilon, FAILS, times(0.1, *DISTORTION), {"release": [PUBLISHED]}, CAVEAT),
        (iyer_counts._no_advantage, CAVEAT, times(0.1, *DISTORTION), {"release": ["gaussian published"]}, FAILS),
        (iyer_counts._no_advantage, CAVEAT, times(9, *DISTORTION), {"release": ["gaussian tight"]}, HOLDS),
        (iyer_counts._variance, [FAILS] * 2, times(0.1, *DEVIATION), {"release": [PUBLISHED, PUBLIC]}, [HOLDS] * 2),
        (
            iyer_counts._figure_1,
            [FAILS, HOLDS],
            lambda row: replace(row, distortion=0.06),
            {"release": [PUBLISHED], "axis": ["epsilon"], "level": [0.05]},
            [HOLDS, HOLDS],
        ),
    ],
)
def test_a_verdict_turns_with_the_distortion_of_counts(claim, verdict, how, where, changed):
    assert verdicts(claim, COUNTS, how, **where) == (verdict, changed)


LAST = {"method": ["mmd"], "study": ["sets"], "copies": [16]}


@pytest.mark.parametrize(
    ("claim", "verdict", "how", "where", "changed"),
    [
        (iyer_ratios._near_training, HOLDS, plus(-0.3, *ERROR), {"method": ["svm"], "share": [0.1, 0.9]}, FAILS),
        (iyer_ratios._skewed_sets, HOLDS, plus(0.1, *ERROR), {"release": ["laplace published"], "share": [0.1]}, FAILS),
        (iyer_ratios._theorem_1, CAVEAT, times(1e-6, "bound"), {"method": ["mmd"]}, FAILS),
        (iyer_ratios._theorem_1, CAVEAT, times(1e-1, "bound"), {"method": ["mmd"]}, HOLDS),
        (iyer_ratios._advice, [HOLDS, UNCLEAR], plus(0.1, *ERROR), LAST, [HOLDS, HOLDS]),
        (iyer_ratios._advice, [HOLDS, UNCLEAR], plus(-0.1, *ERROR), LAST, [HOLDS, FAILS]),
        (
            iyer_ratios._ratios,
            [HOLDS, FAILS, CAVEAT, FAILS],
            times(0.2, *ERROR),
            {"method": ["mmd"], "release": [PUBLIC, PUBLISHED]},
            [HOLDS] * 4,
        ),
        (iyer_ratios._distortion_is_error, HOLDS, times(-1, "distortion"), {"study": ["private counts"]}, FAILS),
    ],
)
def test_a_verdict_turns_with_the_errors_of_class_ratios(claim, verdict, how, where, changed):
    assert verdicts(claim, SETS, how, **where) == (verdict, changed)


def test_where_no_two_releases_differ_clearly_nothing_is_said():
    alike = change(SETS, lambda row: replace(row, low=0.0, high=9.0), study=["private counts"])
    assert iyer_ratios._distortion_is_error(alike).verdict == OPEN
