"""Every method on one draw: marks by hand, and methods without an answer."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from privdemo.experiments import comparison, sweep
from privdemo.experiments.comparison import CLASSIFY, SHARE, ComparisonConfig, Trial, run
from privdemo.experiments.comparison.fit import SOLVERS
from privdemo.experiments.draws import at_draw
from privdemo.methods import CLEAN, COMPARISON, CORRECTED_COUNT, COUNT_NAIVE, LLP, NAIVE, SPREAD, mmd, set_names

DIGITS = ComparisonConfig(dataset="digits", n_train=100, n_asked=100)


def test_marks_are_those_of_the_models_on_clean_test_records():
    people, trial = comparison.draw_people(DIGITS), run(DIGITS)
    assert tuple(trial.fits) == DIGITS.chosen
    for name in (CLEAN, SPREAD, LLP):
        proba = SOLVERS[name][CLASSIFY](people)
        right = np.where(people.y_test == 1, proba, 1 - proba)
        assert trial.fits[name].marks == pytest.approx(
            {
                "accuracy": ((proba > 0.5) == people.y_test).mean(),
                "log_loss": -np.log(right).mean(),
                "brier": ((proba - people.y_test) ** 2).mean(),
            }
        )


def test_shares_are_found_from_any_names_by_the_one_likelihood():
    config = replace(DIGITS, task=SHARE, epsilon=4.0, share=0.2)
    trials = [run(at_draw(config, i)) for i in range(3)]
    for name in (CLEAN, SPREAD, set_names("gaussian"), mmd("gaussian"), CORRECTED_COUNT):
        errors = [trial.fits[name].marks["error"] for trial in trials]
        assert comparison.mean_mark(trials, name, "error").mean == pytest.approx(np.mean(errors))
        assert np.mean(errors) < 0.06, name
    assert set(trials[0].fits) == {name for name in COMPARISON if comparison.solves(name, SHARE)}


def test_counting_lies_is_off_by_what_lies_move_and_the_corrected_count_is_not():
    people = comparison.draw_people(replace(DIGITS, task=SHARE))
    told, p = people.asked_lies.mean(), people.config.flips.flip_prob
    assert SOLVERS[COUNT_NAIVE][SHARE](people) == pytest.approx(told)
    assert SOLVERS[CORRECTED_COUNT][SHARE](people) == pytest.approx(np.clip((told - p) / (1 - 2 * p), 0, 1))


def test_where_no_noise_will_do_a_method_says_so_and_the_others_go_on():
    trial = run(replace(DIGITS, epsilon=0.05, delta=1e-6))
    fit = trial.fits[set_names("dirichlet")]
    assert "it needs n_min" in fit.problem
    assert fit.marks == {}
    assert trial.fits[SPREAD].marks
    assert comparison.mean_mark([trial, trial], set_names("dirichlet"), "accuracy") is None
    assert comparison.mean_mark([trial], SPREAD, "accuracy") is None, "of one draw there is no interval"


def test_an_optimiser_that_does_not_settle_is_told(monkeypatch):
    """Its marks count, and it says so; the others say nothing."""

    def unsettled(people):
        warnings.warn("not converged in 10 steps", ConvergenceWarning, stacklevel=2)
        return np.full(len(people.y_test), 0.4)

    monkeypatch.setitem(SOLVERS, NAIVE, {CLASSIFY: unsettled})
    fits = run(replace(DIGITS, methods=(NAIVE, CLEAN))).fits
    assert {name: fit.settled for name, fit in fits.items()} == {CLEAN: True, NAIVE: False}
    assert fits[NAIVE].marks["accuracy"] == 0.5
    assert "naive: the optimiser did not settle" in sweep.EXPERIMENTS["comparison"].problem(Trial(DIGITS, fits))
