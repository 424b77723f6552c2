"""The curves of the comparison along ε: the least ε for a goal, differences draw by draw, and the results file."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments.comparison import CLASSIFY, LABELS, METRICS, SHARE, ComparisonConfig, study
from privdemo.experiments.comparison.study import Mark, Row
from privdemo.methods import (
    BAG_NAMES,
    CLEAN,
    COMPARISON,
    CORRECTED_COUNT,
    NAIVE,
    NOBODY,
    OWNER,
    PUBLISHER,
    SPREAD,
    TRUE,
    set_names,
)
from privdemo.verdict import judge

DIGITS = ComparisonConfig(dataset="digits", n_train=100, n_asked=100)


def row(epsilon, method, mean, half=0.01, metric="accuracy"):
    task = SHARE if metric == "error" else CLASSIFY
    trust = COMPARISON[method].trust
    return Row(task, "mnist", LABELS, 250, epsilon, method, trust, metric, 10, mean, mean - half, mean + half, "")


CURVES = [
    *(row(e, CLEAN, 0.95) for e in (0.5, 1.0, 2.0)),
    *(row(e, SPREAD, mean) for e, mean in ((0.5, 0.80), (1.0, 0.905), (2.0, 0.94))),
    *(row(e, BAG_NAMES, mean) for e, mean in ((0.5, 0.60), (1.0, 0.92), (2.0, 0.93))),
]


LUCKY = [*CURVES, row(0.5, NAIVE, 0.91), row(1.0, NAIVE, 0.85), row(2.0, NAIVE, 0.96)]
REFERENCE = [*CURVES, row(0.5, TRUE, 0.99)]
NO_NOISE_BELOW = [*CURVES, row(1.0, set_names("gaussian"), 0.99)]
ERRORS = [row(0.5, CORRECTED_COUNT, 0.08, metric="error"), row(2.0, CORRECTED_COUNT, 0.02, metric="error")]


@pytest.mark.parametrize(
    ("rows", "goal", "trusted", "expected"),
    [
        (CURVES, 0.9, (NOBODY, OWNER), (1.0, BAG_NAMES, True, 0.5, False)),
        (CURVES, 0.9, (NOBODY,), (1.0, SPREAD, False, 0.5, False)),
        (CURVES, 0.905, (NOBODY,), (1.0, SPREAD, False, 0.5, False)),
        (CURVES, 0.7, (NOBODY,), (0.5, SPREAD, True, None, True)),
        (LUCKY, 0.9, (NOBODY,), (1.0, SPREAD, False, 0.5, False)),
        (NO_NOISE_BELOW, 0.979, (PUBLISHER,), (1.0, set_names("gaussian"), True, None, False)),
        (NO_NOISE_BELOW, 0.98, (PUBLISHER,), (1.0, set_names("gaussian"), False, None, False)),
        (ERRORS, 0.05, (NOBODY,), (2.0, CORRECTED_COUNT, True, 0.5, False)),
        (ERRORS, 0.1, (NOBODY,), (0.5, CORRECTED_COUNT, True, None, True)),
        (CURVES, 0.945, (NOBODY, OWNER), None),
        (CURVES, 0.9, (PUBLISHER,), None),
        (REFERENCE, 0.98, (NOBODY, OWNER, PUBLISHER), None),
    ],
)
def test_the_least_epsilon_from_which_on_a_goal_is_reached(rows, goal, trusted, expected):
    found = study.seek(rows, goal, trusted)
    assert (found and (found.epsilon, found.method, found.surely, found.before, found.lowest)) == expected


def marks(values, method=SPREAD, metric="accuracy"):
    return [Mark(DIGITS, draw, method, metric, value) for draw, value in values.items()]


def compared(one, other):
    """The rows of two methods, from their values by draw."""
    rows = {row.method: row for row in study.rows([*marks(other, NAIVE)[::-1], *marks(one)])}
    return rows[SPREAD], rows[NAIVE]


def test_differences_are_draw_by_draw():
    """The same luck in both cancels: of gaps 0.01, 0.02 and 0.03 the t interval is 0.02 ± 4.303 · 0.01/√3, though the
    means' own intervals overlap; another order of the marks, or a draw that one lacks, changes nothing."""
    luck = {0: 0.5, 1: 0.7, 2: 0.9, 3: 0.1}
    one, other = compared({2: 0.93, 0: 0.51, 1: 0.72}, luck)
    assert (one.by_draw, one.n_draws, one.mean) == ("0.51 0.72 0.93", 3, pytest.approx(0.72))
    half = 4.3027 * 0.01 / 3**0.5
    assert study.difference(one, other) == pytest.approx((0.02, 0.02 - half, 0.02 + half), abs=1e-5)
    closer, other = compared({0: 0.51, 1: 0.711, 2: 0.912}, luck)
    assert judge(study.difference(closer, other)).clear
    assert closer.low < other.mean


def test_a_difference_needs_two_draws_of_both_and_one_metric():
    luck = {0: 0.5, 1: 0.7, 2: 0.9, 3: 0.1}
    one, other = compared({1: 0.5, 3: 0.6}, luck)
    assert (one.by_draw, one.values) == ("- 0.5 - 0.6", {1: 0.5, 3: 0.6})
    assert study.difference(one, other).mean == pytest.approx((-0.2 + 0.5) / 2)
    assert study.difference(*compared({3: 0.5, 4: 0.6}, luck)) is None
    with pytest.raises(ValueError, match="both must be of one metric, got accuracy and error"):
        study.difference(one, ERRORS[0])


def test_shipped_values_can_be_had_again():
    context = next(c for c in study.CONTEXTS if (c.task, c.dataset) == (CLASSIFY, "digits"))
    config = replace(context, epsilon=2.0, draw=3, methods=(CLEAN, SPREAD, BAG_NAMES, set_names("gaussian")))
    shipped = [row for metric in METRICS[CLASSIFY] for row in study.select(study.load(), config, metric)]
    at = {(row.method, row.metric): row for row in shipped if row.epsilon == 2.0}
    for mark in study.trial(config):
        row = at[mark.method, mark.metric]
        # optimisers stop at a tolerance: nearly the same on another machine
        assert row.values[3] == pytest.approx(mark.value, abs=5e-3)
        assert (row.mean, row.n_draws) == (pytest.approx(np.mean(list(row.values.values())), abs=1e-5), 10)
        assert row.trust == COMPARISON[row.method].trust
