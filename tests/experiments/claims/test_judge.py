"""The rules that turn numbers into verdicts, one row a case, with every threshold from both sides."""

import math

import pytest

from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, UNCLEAR, judge
from privdemo.intervals import Estimate

ABOVE, ACROSS, BELOW = Estimate(0.2, 0.1, 0.3), Estimate(0.1, -0.1, 0.3), Estimate(-0.2, -0.3, -0.1)


@pytest.mark.parametrize(
    ("rule", "arguments", "verdict", "reason"),
    [
        (judge.judge_number, (0.0, Estimate(0.01, 0.005, 0.015)), HOLDS, "within 1 point"),
        (judge.judge_number, (0.0, Estimate(-0.01, -0.015, -0.005)), HOLDS, "within 1 point"),
        (judge.judge_number, (0.0, Estimate(0.0101, 0.005, 0.02)), CAVEAT, "ours is better"),
        (judge.judge_number, (0.0, Estimate(-0.0101, -0.02, -0.005)), FAILS, "ours is worse"),
        (judge.judge_number, (0.1, Estimate(0.06, 0.02, 0.1)), HOLDS, "within the interval"),
        (judge.judge_number, (0.0, Estimate(0.05, 0.0, 0.1)), HOLDS, "within the interval"),
        (judge.judge_number, (0.1, Estimate(0.02, -0.01, 0.1)), UNCLEAR, "too wide"),
        (judge.judge_number, (0.5, Estimate(0.5, 0.0, 1.0)), HOLDS, "within 1 point"),
        (judge.judge_reduction, (0.6, 0.7), HOLDS, "as much lower"),
        (judge.judge_reduction, (0.6, 0.5), HOLDS, "less than 10 points short"),
        (judge.judge_reduction, (0.6, 0.49), CAVEAT, "by less than the text says"),
        (judge.judge_reduction, (0.6, 0.11), CAVEAT, "by less than the text says"),
        (judge.judge_reduction, (0.6, 0.1), FAILS, "not lower by 10 %"),
        (judge.judge_reduction, (0.6, -0.5), FAILS, "not lower by 10 %"),
    ],
)
def test_a_number_with_a_reason(rule, arguments, verdict, reason):
    found, why = rule(*arguments)
    assert found == verdict
    assert reason in why


@pytest.mark.parametrize(
    ("rule", "arguments", "verdict"),
    [
        *((judge.judge_value, (0.5, x, 1e-9), verdict) for x, verdict in ((0.5, HOLDS), (0.5 + 2e-9, FAILS))),
        *((judge.judge_value, (0.0, x, 1e-4), verdict) for x, verdict in ((1e-4, HOLDS), (-2e-4, FAILS))),
        *((judge.judge_value, (1.0, x), verdict) for x, verdict in ((1.0, HOLDS), (1.0 + 2e-9, FAILS))),
        *((judge.judge_limit, (0.5, x), HOLDS) for x in (0.4, 0.5)),
        *((judge.judge_limit, (0.5, x), FAILS) for x in (0.5 + 1e-11, math.inf)),
        *((judge.judge_difference, (gap,), v) for gap, v in ((ABOVE, HOLDS), (ACROSS, UNCLEAR), (BELOW, FAILS))),
        (judge.judge_difference, (Estimate(0.1, 0.0, 0.2),), UNCLEAR),
        (judge.judge_difference, (Estimate(-0.1, -0.2, 0.0),), UNCLEAR),
        (judge.judge_levels, ({0: ABOVE, 1: ABOVE},), (HOLDS, [0, 1])),
        (judge.judge_levels, ({0: ABOVE, 1: ACROSS},), (CAVEAT, [0])),
        (judge.judge_levels, ({0: ACROSS, 1: ABOVE},), (CAVEAT, [1])),
        (judge.judge_levels, ({0: ABOVE, 1: BELOW},), (FAILS, [0])),
        (judge.judge_levels, ({0: ACROSS, 1: ACROSS},), (UNCLEAR, [])),
        (judge.judge_levels, ({0: ACROSS, 1: BELOW},), (FAILS, [])),
        *((judge.judge_multiple, (multiple,), HOLDS) for multiple in (1.0, 1.09, 0.91)),
        *((judge.judge_multiple, (multiple,), CAVEAT) for multiple in (1.125, 0.88)),
        *((judge.judge_multiple, (multiple,), FAILS) for multiple in (1.25, 0.75)),
        *((judge.judge_part, (part,), v) for part, v in ((1, HOLDS), (0.99, CAVEAT), (0.51, CAVEAT), (0.5, FAILS))),
    ],
)
def test_a_verdict(rule, arguments, verdict):
    assert rule(*arguments) == verdict
