"""The question of the comparison: which methods take part, and how secret counts are."""

import math
from dataclasses import replace

import pytest

from privdemo.experiments.comparison import CLASSIFY, RECORDS, SHARE, ComparisonConfig, solves
from privdemo.experiments.comparison.fit import SOLVERS
from privdemo.methods import CLEAN, COMPARISON, CORRECTED_COUNT, FLAT, NOBODY, OWNER, PUBLISHER, SPREAD, TRUTH

DIGITS = ComparisonConfig(dataset="digits", n_train=100, n_asked=100)


def test_every_method_has_a_solver_for_just_the_tasks_that_it_can_do():
    found = {name: set(tasks) for name, tasks in SOLVERS.items()}
    assert found == {name: {task for task in (CLASSIFY, SHARE) if solves(name, task)} for name in COMPARISON}


def test_methods_that_say_nothing_of_their_own_are_left_out():
    labels, records = DIGITS.chosen, replace(DIGITS, private=RECORDS).chosen
    assert FLAT in records
    assert FLAT not in labels
    assert CORRECTED_COUNT not in labels
    assert CORRECTED_COUNT in replace(DIGITS, task=SHARE).chosen
    assert replace(DIGITS, methods=(SPREAD, CLEAN)).chosen == (CLEAN, SPREAD)
    assert {COMPARISON[name].trust for name in labels} == {TRUTH, NOBODY, OWNER, PUBLISHER}


@pytest.mark.parametrize(
    ("rho", "expected"), [(0.1, (12, 38)), (0.004, (1, 1)), (0.0, (0, 0)), (0.4, (75, 125)), (0.2, (25, 75))]
)
def test_the_count_of_the_rarer_class_is_a_secret_around_rho(rho, expected):
    """ρn ± ρn/2 for n = 250, but the rarer class is never over half."""
    config = ComparisonConfig(rho=rho, n_train=250)
    assert config.rarer_count_range == expected
    least = expected[0]
    assert config.set_name_epsilon == pytest.approx(math.log((250 - least) / least) if least else math.inf)
