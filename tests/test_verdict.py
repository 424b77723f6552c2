"""The one rule for better, worse and not clear."""

import pytest

from privdemo.intervals import Estimate
from privdemo.verdict import ENOUGH, Verdict, clearly_above, clearly_below, judge

UP, DOWN, UNCLEAR = Estimate(0.1, 0.05, 0.15), Estimate(-0.1, -0.15, -0.05), Estimate(0.1, -0.05, 0.25)


@pytest.mark.parametrize(
    ("difference", "options", "verdict"),
    [
        (UP, {}, Verdict.BETTER),
        (DOWN, {}, Verdict.WORSE),
        (UNCLEAR, {}, Verdict.NOT_CLEAR),
        (Estimate(0.1, 0.0, 0.2), {}, Verdict.NOT_CLEAR),
        (UP, {"lower_is_better": True}, Verdict.WORSE),
        (UP, {"than": 0.05}, Verdict.NOT_CLEAR),
        (UP, {"than": 0.16}, Verdict.WORSE),
        (UP, {"than": 0.04, "least": 0.07}, Verdict.NOT_CLEAR),
        (UP, {"least": 0.1}, Verdict.BETTER),
        (DOWN, {"least": 0.11}, Verdict.NOT_CLEAR),
        (UP, {"n_draws": 5}, Verdict.BETTER),
        (UP, {"n_draws": 4}, Verdict.TOO_FEW),
    ],
)
def test_one_rule_says_which_is_better(difference, options, verdict):
    assert judge(difference, **options) is verdict
    assert verdict.clear == (verdict in (Verdict.BETTER, Verdict.WORSE))
    assert ENOUGH == 5


def test_clearly_above_and_below_leave_the_number_out():
    assert [clearly_above(UP, than) for than in (0.04, 0.1, 0.16)] == [True, False, False]
    assert [clearly_below(UP, than) for than in (0.04, 0.1, 0.16)] == [False, False, True]
