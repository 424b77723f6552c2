"""Real deployments: every number within limits, with a source, a date and a unit; and what is computed from others."""

import math
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from privdemo import deployments, limits
from privdemo.accounting import concentrated_epsilon, gaussian_epsilon
from privdemo.deployments import CENTRAL, DEPLOYMENTS, LOCAL, UNITS
from privdemo.mechanisms.frequency_oracles import ORACLES

BY_NAME = {one.name: one for one in DEPLOYMENTS}
TABLE = (Path(__file__).parent.parent / "docs/deployments.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("one", DEPLOYMENTS, ids=BY_NAME)
def test_every_row_has_a_number_in_its_limits_a_source_a_date_and_a_unit(one):
    limits.DEPLOYED_EPSILON.check(one.epsilon)
    limits.DELTA.check(one.delta)
    assert one.unit in UNITS
    assert one.model in (LOCAL, CENTRAL)
    assert re.fullmatch(r"https://[^\s]+\.[^\s]+", one.address)
    assert one.source
    assert one.organisation
    assert one.released
    assert one.mechanism
    assert one.protects
    assert one.when
    assert one.read >= date(2026, 11, 26)
    assert one.least_epsilon is None or 0 < one.least_epsilon < one.epsilon
    assert one.rho is None or one.delta > 0  # ρ is an ε only at some δ
    if one.preset:
        assert one.model == LOCAL
        ORACLES[one.preset.oracle](one.preset.k, one.epsilon)  # the page takes both


def test_there_are_ten_at_least_each_in_one_row_of_units():
    assert len(DEPLOYMENTS) == len(BY_NAME) >= 10
    rows = deployments.by_unit()
    assert tuple(rows) == UNITS
    assert all(rows.values())
    assert sorted(one.name for here in rows.values() for one in here) == sorted(BY_NAME)
    for here in rows.values():
        assert [one.epsilon for one in here] == sorted(one.epsilon for one in here)


def test_the_table_of_quotations_has_every_row_and_no_long_quotation():
    rows = [line.split("|")[1:-1] for line in TABLE.splitlines() if line.startswith("| ") and "](http" in line]
    assert [row[0].strip() for row in rows] == list(BY_NAME)
    for name, number, words, source, *_ in rows:
        one = BY_NAME[name.strip()]
        assert one.address in source
        assert f"{one.epsilon:.3g}" in number
        for quotation in re.findall(r"“(.*?)”", words):
            assert len(quotation.split()) < 15, quotation
        assert "“" in words or "`" in words


def test_what_is_derived_follows_from_what_the_source_states():
    f, h = 0.5, 2
    assert BY_NAME["Chrome home pages"].epsilon == pytest.approx(2 * h * math.log((1 - f / 2) / (f / 2)))
    census = BY_NAME["US census 2020"]
    assert census.rho == pytest.approx(1 / (339 / 542) ** 2)
    assert f"{census.epsilon:.2f}" == "17.14"
    gboard = BY_NAME["Gboard"]
    assert concentrated_epsilon(0.2, 1e-10) == gboard.least_epsilon
    assert concentrated_epsilon(2.0, 1e-10) == gboard.epsilon
    # randomised response over k possible reports keeps the report with 1 − k/(k − 1 + e^ε): its source says 0.24 %
    # of the clicks, which have 2,925, and 0.00025 % of the views, which have 3
    epsilon = BY_NAME["Chrome ad reports"].epsilon
    assert f"{2925 / (2924 + math.exp(epsilon)):.2%}" == "0.24%"
    assert f"{3 / (2 + math.exp(epsilon)):.5%}" == "0.00025%"


def test_rho_of_gaussian_noise_gives_an_epsilon_just_above_the_exact_one():
    for rho in (0.015, 0.5, 2.56, 50.0):
        for delta in (1e-3, 1e-7, 1e-10):
            exact = gaussian_epsilon(1 / math.sqrt(2 * rho), delta)
            found = concentrated_epsilon(rho, delta)
            assert exact <= found <= rho + 2 * math.sqrt(rho * math.log(1 / delta)) + 1e-9  # Bun & Steinke 2016
            assert found <= 1.15 * exact + 0.05
    assert concentrated_epsilon(1e-6, 0.5) == 0
    for wrong, sentence in (((0.0, 1e-5), "^rho must be"), ((1.0, 0.0), "^delta must be")):
        with pytest.raises(ValueError, match=sentence):
            concentrated_epsilon(*wrong)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"epsilon": 0.0}, "^epsilon must be"),
        ({"delta": 1.5}, "^delta must be"),
        ({"rho": -1.0}, "^rho must be"),
        ({"unit": "a week"}, "^unit must be one of one report"),
        ({"model": "cloud"}, "^model must be one of local, central"),
    ],
)
def test_a_row_with_a_wrong_number_or_word_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(DEPLOYMENTS[0], **change)
