"""The rules that turn numbers into verdicts, one row a case, with every threshold from both sides."""

from __future__ import annotations

import math

import pytest

from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, UNCLEAR, judge
from privdemo.intervals import Estimate

ABOVE, ACROSS, BELOW = Estimate(0.2, 0.1, 0.3), Estimate(0.1, -0.1, 0.3), Estimate(-0.2, -0.3, -0.1)


@pytest.mark.parametrize(
    ("published", "ours", "verdict", "reason"),
    [
        (0.0, (0.01, 0.005, 0.015), HOLDS, "within 1 point"),
        (0.0, (-0.01, -0.015, -0.005), HOLDS, "within 1 point"),
        (0.0, (0.0101, 0.005, 0.02), CAVEAT, "ours is better"),
        (0.0, (-0.0101, -0.02, -0.005), FAILS, "ours is worse"),
        (0.1, (0.02, 0.0, 0.1), HOLDS, "within the interval"),
        (0.0, (0.05, 0.0, 0.1), HOLDS, "within the interval"),
        (0.1, (0.02, -0.01, 0.1), UNCLEAR, "too wide"),
        (0.5, (0.5, 0.0, 1.0), HOLDS, "within 1 point"),
    ],
)
def test_a_published_number(published, ours, verdict, reason):
    found, why = judge.judge_number(published, Estimate(*ours))
    assert found == verdict
    assert reason in why


@pytest.mark.parametrize(
    ("published", "true", "tolerance", "verdict"),
    [(0.5, 0.5, 1e-9, HOLDS), (0.5, 0.5 + 2e-9, 1e-9, FAILS), (0.0, 1e-4, 1e-4, HOLDS), (0.0, -2e-4, 1e-4, FAILS)],
)
def test_a_printed_value(published, true, tolerance, verdict):
    assert judge.judge_value(published, true, tolerance) == verdict
    assert judge.judge_value(1.0, 1.0 + 2e-9) == FAILS


@pytest.mark.parametrize(("largest", "verdict"), [(0.4, HOLDS), (0.5, HOLDS), (0.5 + 1e-11, FAILS), (math.inf, FAILS)])
def test_an_upper_limit(largest, verdict):
    assert judge.judge_limit(0.5, largest) == verdict


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [
        (ABOVE, HOLDS),
        (ACROSS, UNCLEAR),
        (BELOW, FAILS),
        (Estimate(0.1, 0.0, 0.2), UNCLEAR),
        (Estimate(-0.1, -0.2, 0.0), UNCLEAR),
    ],
)
def test_a_difference(gap, verdict):
    assert judge.judge_difference(gap) == verdict


@pytest.mark.parametrize(
    ("gaps", "verdict", "clear"),
    [
        ([ABOVE, ABOVE], HOLDS, [0, 1]),
        ([ABOVE, ACROSS], CAVEAT, [0]),
        ([ACROSS, ABOVE], CAVEAT, [1]),
        ([ABOVE, BELOW], FAILS, [0]),
        ([ACROSS, ACROSS], UNCLEAR, []),
        ([ACROSS, BELOW], FAILS, []),
        ([BELOW], FAILS, []),
    ],
)
def test_differences_at_several_levels(gaps, verdict, clear):
    assert judge.judge_levels(dict(enumerate(gaps))) == (verdict, clear)


@pytest.mark.parametrize(
    ("multiple", "verdict"),
    [(1.0, HOLDS), (1.09, HOLDS), (0.91, HOLDS), (1.125, CAVEAT), (0.88, CAVEAT), (1.25, FAILS), (0.75, FAILS)],
)
def test_a_multiple_of_a_published_number(multiple, verdict):
    assert judge.judge_multiple(multiple) == verdict


@pytest.mark.parametrize(("part", "verdict"), [(1, HOLDS), (0.99, CAVEAT), (0.51, CAVEAT), (0.5, FAILS), (0, FAILS)])
def test_a_claim_about_all_cases(part, verdict):
    assert judge.judge_part(part) == verdict


@pytest.mark.parametrize(
    ("published", "ours", "verdict", "reason"),
    [
        (0.6, 0.7, HOLDS, "as much lower"),
        (0.6, 0.5, HOLDS, "less than 10 points short"),
        (0.6, 0.49, CAVEAT, "by less than the text says"),
        (0.6, 0.11, CAVEAT, "by less than the text says"),
        (0.6, 0.1, FAILS, "not lower by 10 %"),
        (0.6, -0.5, FAILS, "not lower by 10 %"),
    ],
)
def test_a_reduction(published, ours, verdict, reason):
    found, why = judge.judge_reduction(published, ours)
    assert found == verdict
    assert reason in why
