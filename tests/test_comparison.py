"""The comparison: the same people for every method, releases that keep their promise, and questions put to curves."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, kstest, laplace
from sklearn.exceptions import ConvergenceWarning

from privdemo.experiments import comparison, sweep
from privdemo.experiments.comparison import CLASSIFY, LABELS, RECORDS, SHARE, ComparisonConfig
from privdemo.experiments.comparison.fit import SOLVERS
from privdemo.experiments.comparison.release import _fill_sets
from privdemo.experiments.comparison.study import Mark, Row
from privdemo.experiments.draws import at_draw
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import (
    BAG_NAMES,
    CLEAN,
    COMPARISON,
    CORRECTED_COUNT,
    COUNT_NAIVE,
    FLAT,
    LLP,
    NAIVE,
    NOBODY,
    OWNER,
    PUBLISHER,
    SPREAD,
    TRUE,
    TRUTH,
    mmd,
    set_names,
)

DIGITS = ComparisonConfig(dataset="digits", n_train=100, n_asked=100)


def test_every_method_sees_the_same_people_whatever_the_privacy():
    people = [comparison.draw_people(replace(DIGITS, epsilon=epsilon)) for epsilon in (0.5, 2.0)]
    for name in ("clean", "y", "bags", "sets", "counts", "X_test", "y_test", "asked_clean"):
        np.testing.assert_array_equal(getattr(people[0], name), getattr(people[1], name))
    strict, loose = ((p.lies != p.y) for p in people)
    assert (loose <= strict).all(), "less privacy only takes lies back"
    assert loose.sum() < strict.sum()
    other = comparison.draw_people(at_draw(DIGITS, 1))
    assert not np.array_equal(other.clean, people[0].clean)


def test_people_are_as_many_of_either_class_and_none_is_tested_on():
    people = comparison.draw_people(DIGITS)
    assert np.bincount(people.y).tolist() == [100, 100]
    assert np.bincount(people.y_test).tolist() == [comparison.sizes("digits")[1]] * 2
    known = {row.tobytes() for row in people.clean}
    new = {row.tobytes() for row in people.X_test}
    assert len(known) == 200
    assert not known & new
    assert people.share == 0.3
    assert len(people.asked) == 100


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_people_lie_as_the_promise_allows(epsilon):
    lies = [comparison.draw_people(replace(DIGITS, epsilon=epsilon, draw=draw)) for draw in range(10)]
    told = sum(int((p.lies != p.y).sum()) for p in lies)
    p = 1 / (1 + math.exp(epsilon))
    # one in 17,000 for five standard errors; a lie that keeps ε ± 0.3 is told from it
    assert binomtest(told, 2000, p).pvalue > 6e-7
    assert binomtest(told, 2000, 1 / (1 + math.exp(epsilon + 0.3))).pvalue < 1e-3
    assert lies[0].config.flips.epsilon <= epsilon * (1 + 1e-12)


def test_bags_are_filled_at_random_and_their_noise_is_laplace_of_the_promise():
    noise = []
    for draw in range(40):
        people = comparison.draw_people(replace(DIGITS, epsilon=4.0, draw=draw))
        sizes = np.bincount(people.bags)
        assert sizes.tolist() == [25] * 8
        true = np.bincount(people.bags, people.y) / sizes
        inside = (people.bag_shares > 0) & (people.bag_shares < 1)
        noise += ((people.bag_shares - true) * 25 * 4.0)[inside].tolist()
    assert len(noise) > 310
    assert kstest(noise, laplace.cdf).pvalue > 1e-4
    assert kstest(noise, laplace(scale=1.3).cdf).pvalue < 0.05


def test_sets_have_the_classes_the_other_way_round_and_everybody_once():
    config = replace(DIGITS, rho=0.2)
    people = comparison.draw_people(config)
    few = int(people.counts[0, 1])
    assert people.counts.tolist() == [[100 - few, few], [few, 100 - few]]
    joint = np.zeros((2, 2), int)
    np.add.at(joint, (people.sets, people.y), 1)
    assert joint.tolist() == people.counts.tolist()
    released = people.set_proportions("gaussian tight")
    assert released.sum(axis=1) == pytest.approx([1, 1])
    np.testing.assert_array_equal(released, people.set_proportions("gaussian tight"))
    assert not np.array_equal(released, people.set_proportions("laplace tight"))


def test_private_records_are_flipped_pixel_by_pixel_with_the_labels_probability():
    config = replace(DIGITS, private=RECORDS, epsilon=1.0)
    people = comparison.draw_people(config)
    assert config.pixels == RandomisedResponse(1 / (1 + math.e), 17)
    changed = int((people.released != people.clean).sum())
    assert binomtest(changed, people.clean.size, 1 / (1 + math.e)).pvalue > 1e-4
    assert (people.asked != people.asked_clean).any()
    np.testing.assert_array_equal(people.X_test, comparison.draw_people(replace(config, epsilon=4.0)).X_test)
    assert comparison.record_epsilon(config) == pytest.approx(
        1.0 + RandomisedResponse(1 / (1 + math.e), 17).epsilon_at(1e-5, 64)
    )
    assert math.isinf(comparison.record_epsilon(DIGITS))


def test_marks_are_those_of_the_models_on_clean_test_records():
    people = comparison.draw_people(DIGITS)
    draw = comparison.run(DIGITS)
    assert tuple(draw.fits) == DIGITS.chosen
    for name in (CLEAN, SPREAD, LLP):
        proba = SOLVERS[name][CLASSIFY](people)
        marks = draw.fits[name].marks
        assert marks["accuracy"] == pytest.approx(((proba > 0.5) == people.y_test).mean())
        assert marks["brier"] == pytest.approx(((proba - people.y_test) ** 2).mean())
        right = np.where(people.y_test == 1, proba, 1 - proba)
        assert marks["log_loss"] == pytest.approx(-np.log(right).mean())


def test_little_privacy_leaves_all_that_is_known_and_much_takes_it():
    loose = comparison.run(replace(DIGITS, epsilon=8.0)).fits
    strict = comparison.run(replace(DIGITS, epsilon=0.05)).fits
    for name in (SPREAD, NAIVE, set_names("gaussian")):
        assert loose[name].marks["accuracy"] > 0.95
    assert strict[SPREAD].marks["accuracy"] < 0.9 < strict[CLEAN].marks["accuracy"]
    # probabilities: those who take lies for the truth are the less sure
    middle = [comparison.run(replace(DIGITS, epsilon=1.0, methods=(SPREAD, NAIVE), draw=i)).fits for i in range(4)]
    assert np.mean([fit[SPREAD].marks["log_loss"] - fit[NAIVE].marks["log_loss"] for fit in middle]) < -0.05


def test_counting_lies_is_off_by_what_lies_move_and_the_corrected_count_is_not(mnist):
    config = ComparisonConfig(
        SHARE, "mnist", n_train=20, bag_size=10, n_asked=1000, methods=(COUNT_NAIVE, CORRECTED_COUNT)
    )
    p = config.flips.flip_prob
    draws = [comparison.run(at_draw(config, i)) for i in range(12)]
    naive = comparison.mean_mark(draws, COUNT_NAIVE, "error")
    corrected = comparison.mean_mark(draws, CORRECTED_COUNT, "error")
    # E(told) − θ = p(1 − 2θ); one poll's standard error is below 0.5/√1000 = 0.016
    assert naive.mean == pytest.approx(p * (1 - 0.6), abs=5 * 0.016 / math.sqrt(12))
    assert corrected.mean < 0.05 < naive.mean


def test_whoever_is_asked_several_times_answers_once():
    config = replace(DIGITS, task=SHARE, private=RECORDS, n_asked=500)
    people = comparison.draw_people(config)
    _, who = np.unique(people.asked_clean, axis=0, return_inverse=True)
    assert len(np.unique(who)) < 150
    for person in np.unique(who):
        assert len(np.unique(people.asked_lies[who == person])) == 1
        assert len(np.unique(people.asked[who == person], axis=0)) == 1
    # each with a lie of its own: as many as p says
    first = np.array([np.flatnonzero(who == person)[0] for person in np.unique(who)])
    true = np.repeat([0, 1], [350, 150])[first]
    lied = (people.asked_lies[first] != true).mean()
    p = config.flips.flip_prob
    assert lied == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / len(first)))


def test_counts_of_sets_are_a_secret_that_noise_may_hide():
    """Known is only that they lie between half of ρ and one and a half times ρ; every count there comes up alike."""
    config = replace(DIGITS, rho=0.2, methods=(CLEAN,))
    assert config.rarer_count_range == (10, 30)
    few = [int(_fill_sets(config, np.repeat([0, 1], 100), np.random.default_rng(i))[1][0, 1]) for i in range(2100)]
    times = np.bincount(few, minlength=31)[10:31]
    assert times.sum() == 2100
    assert chisquare(times).pvalue > 1e-4
    drawn = {int(comparison.draw_people(replace(config, draw=draw)).counts[0, 1]) for draw in range(8)}
    assert len(drawn) > 3


def test_what_a_sets_name_tells_is_the_odds_of_its_classes():
    config = ComparisonConfig(rho=0.1, n_train=250)
    assert config.rarer_count_range == (12, 38)
    assert config.set_name_epsilon == pytest.approx(math.log(238 / 12))
    assert ComparisonConfig(rho=0.004, n_train=250).rarer_count_range == (1, 1)
    assert ComparisonConfig(rho=0.4, n_train=250).rarer_count_range == (75, 125), "the rarer class is never over half"
    assert math.isinf(ComparisonConfig(rho=0.0).set_name_epsilon)
    for draw in range(5):
        people = comparison.draw_people(replace(DIGITS, draw=draw))
        right = [(people.y[people.sets == name] == name).mean() for name in (0, 1)]
        assert right == pytest.approx([1 - people.counts[0, 1] / DIGITS.n_train] * 2)
        assert math.log(right[0] / (1 - right[0])) <= DIGITS.set_name_epsilon + 1e-12


def test_an_optimiser_that_does_not_settle_is_told(monkeypatch):
    """Its marks count, and it says so; the others say nothing."""

    def unsettled(people):
        warnings.warn("not converged in 10 steps", ConvergenceWarning, stacklevel=2)
        return np.full(len(people.y_test), 0.4)

    monkeypatch.setitem(SOLVERS, NAIVE, {CLASSIFY: unsettled})
    fits = comparison.run(replace(DIGITS, methods=(NAIVE, CLEAN))).fits
    assert {name: fit.settled for name, fit in fits.items()} == {CLEAN: True, NAIVE: False}
    assert fits[NAIVE].marks["accuracy"] == 0.5
    assert "naive: the optimiser did not settle" in sweep.EXPERIMENTS["comparison"].problem(
        comparison.Trial(DIGITS, fits)
    )


def test_shares_are_found_from_any_names_by_the_one_likelihood():
    config = replace(DIGITS, task=SHARE, epsilon=4.0, share=0.2)
    draws = [comparison.run(at_draw(config, i)) for i in range(3)]
    for name in (CLEAN, SPREAD, set_names("gaussian"), mmd("gaussian")):
        assert comparison.mean_mark(draws, name, "error").mean < 0.06, name
    assert set(draws[0].fits) == {name for name in COMPARISON if comparison.solves(name, SHARE)}


def test_where_no_noise_will_do_a_method_says_so_and_the_others_go_on():
    draw = comparison.run(replace(DIGITS, epsilon=0.05, delta=1e-6))
    fit = draw.fits[set_names("dirichlet")]
    assert "it needs n_min" in fit.problem
    assert fit.marks == {}
    assert draw.fits[SPREAD].marks
    assert comparison.mean_mark([draw, draw], set_names("dirichlet"), "accuracy") is None


def test_methods_that_say_nothing_of_their_own_are_left_out():
    labels, records = DIGITS.chosen, replace(DIGITS, private=RECORDS).chosen
    assert FLAT in records
    assert FLAT not in labels
    assert CORRECTED_COUNT not in labels
    assert CORRECTED_COUNT in replace(DIGITS, task=SHARE).chosen
    assert replace(DIGITS, methods=(SPREAD, CLEAN)).chosen == (CLEAN, SPREAD)
    assert {COMPARISON[name].trust for name in labels} == {TRUTH, NOBODY, OWNER, PUBLISHER}


def test_channels_are_stochastic_and_say_the_less_the_smaller_epsilon():
    without = comparison.example_channels(replace(DIGITS, delta=0.0))
    assert list(without) == ["lies", "bag names"], "no Gaussian noise has δ = 0"
    loose, strict = (comparison.example_channels(replace(DIGITS, epsilon=e)) for e in (4.0, 0.1))
    for found in (loose, strict):
        for matrix in found.values():
            assert np.sum(matrix, axis=0) == pytest.approx([1, 1])

    def contrast(matrix):
        return np.abs(np.diff(matrix, axis=1)).sum() / 2

    assert contrast(strict["lies"]) < 0.1 < 0.9 < contrast(loose["lies"])
    assert len(loose["bag names"]) == 8


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"task": "count"}, "task must be one of classify, share, got 'count'"),
        ({"dataset": "faces"}, "dataset must be one of adult, "),
        ({"dataset": "adult", "private": RECORDS}, "records of adult cannot be private here: only pixels are flipped"),
        ({"epsilon": 0.0}, "epsilon must be in"),
        ({"n_train": 5}, "n_train must be"),
        ({"bag_size": 101}, "bag_size must be a whole number in [2, 100]"),
        ({"methods": ("magic",)}, "methods must be of clean, "),
        ({"methods": (CORRECTED_COUNT,)}, "none of corrected count says anything of this; leave methods out for all"),
        ({"share": 1.5}, "share must be in"),
    ],
)
def test_a_bad_config_gets_a_sentence(change, words):
    with pytest.raises(ValueError, match=words.replace("[", r"\[").replace("(", r"\(")):
        replace(DIGITS, **change)


def test_more_people_than_there_are_get_a_sentence():
    with pytest.raises(ValueError, match=r"in \[20, 120\], got 150; Small digits has no more of the rarer class"):
        comparison.run(replace(DIGITS, n_train=150))


# --- along ε ---------------------------------------------------------------------------------------


def row(epsilon, method, mean, half=0.01, metric="accuracy"):
    task = SHARE if metric == "error" else CLASSIFY
    trust = COMPARISON[method].trust
    return Row(task, "mnist", LABELS, 250, epsilon, method, trust, metric, 10, mean, mean - half, mean + half, "")


CURVES = [
    *(row(e, CLEAN, 0.95) for e in (0.5, 1.0, 2.0)),
    *(row(e, SPREAD, mean) for e, mean in ((0.5, 0.80), (1.0, 0.905), (2.0, 0.94))),
    *(row(e, BAG_NAMES, mean) for e, mean in ((0.5, 0.60), (1.0, 0.92), (2.0, 0.93))),
]


def test_the_least_epsilon_for_a_goal_and_how_sure_it_is():
    found = comparison.study.seek(CURVES, 0.9, (NOBODY, OWNER))
    assert (found.epsilon, found.method, found.surely, found.before) == (1.0, BAG_NAMES, True, 0.5)
    alone = comparison.study.seek(CURVES, 0.9, (NOBODY,))
    assert (alone.epsilon, alone.method, alone.surely, alone.before) == (1.0, SPREAD, False, 0.5)
    assert comparison.study.seek(CURVES, 0.7, (NOBODY,)).before is None
    assert comparison.study.seek(CURVES, 0.945, (NOBODY, OWNER)) is None, "the ceiling has no ε"
    assert comparison.study.seek(CURVES, 0.9, (PUBLISHER,)) is None
    assert comparison.study.seek([], 0.9, (NOBODY,)) is None


def test_a_goal_is_reached_from_where_it_stays_reached():
    lucky = [*CURVES, row(0.5, NAIVE, 0.91), row(1.0, NAIVE, 0.85), row(2.0, NAIVE, 0.96)]
    assert comparison.study.seek(lucky, 0.9, (NOBODY,)).epsilon == 1.0
    lowest = comparison.study.seek(lucky, 0.7, (NOBODY,))
    assert lowest.lowest
    no_noise_below = [*CURVES, row(1.0, set_names("gaussian"), 0.99)]
    found = comparison.study.seek(no_noise_below, 0.98, (PUBLISHER,))
    assert (found.before, found.lowest) == (None, False)
    reference = [*CURVES, row(0.5, TRUE, 0.99)]
    assert comparison.study.seek(reference, 0.98, (NOBODY, OWNER, PUBLISHER, TRUTH)) is None


def test_of_errors_the_small_ones_reach_a_goal():
    rows = [row(0.5, CORRECTED_COUNT, 0.08, metric="error"), row(2.0, CORRECTED_COUNT, 0.02, metric="error")]
    assert comparison.study.seek(rows, 0.05, (NOBODY,)).epsilon == 2.0
    assert comparison.study.seek(rows, 0.1, (NOBODY,)).epsilon == 0.5
    assert comparison.study.seek(rows, 0.01, (NOBODY,)) is None


def marks(values, method=SPREAD, metric="accuracy"):
    return [Mark(DIGITS, draw, method, metric, value) for draw, value in values.items()]


def test_differences_are_draw_by_draw():
    """The same luck in both cancels: of gaps 0.01, 0.02 and 0.03 the t interval is 0.02 ± 4.303 · 0.01/√3, though the
    means' own intervals overlap; another order of the marks, or a draw that one lacks, changes nothing."""
    luck = {0: 0.5, 1: 0.7, 2: 0.9}
    one, other = marks({2: 0.93, 0: 0.51, 1: 0.72}), marks({**luck, 3: 0.1}, NAIVE)
    rows = {row.method: row for row in comparison.study.rows([*other[::-1], *one])}
    assert rows[SPREAD].by_draw == "0.51 0.72 0.93"
    found = comparison.study.difference(rows[SPREAD], rows[NAIVE])
    assert found == pytest.approx((0.02, 0.02 - 4.3027 * 0.01 / 3**0.5, 0.02 + 4.3027 * 0.01 / 3**0.5), abs=1e-5)
    assert not found.excludes_zero
    closer = {row.method: row for row in comparison.study.rows([*marks({0: 0.51, 1: 0.711, 2: 0.912}), *other])}
    assert comparison.study.difference(closer[SPREAD], closer[NAIVE]).excludes_zero
    assert closer[SPREAD].estimate.low < closer[NAIVE].estimate.mean
    gaps = {row.method: row for row in comparison.study.rows([*marks({1: 0.5, 3: 0.6}), *other])}
    assert gaps[SPREAD].by_draw == "- 0.5 - 0.6"
    assert comparison.study.difference(gaps[SPREAD], gaps[NAIVE]).mean == pytest.approx((-0.2 + 0.5) / 2)
    lone = {row.method: row for row in comparison.study.rows([*marks({3: 0.5, 4: 0.6}), *other])}
    assert comparison.study.difference(lone[SPREAD], lone[NAIVE]) is None
    with pytest.raises(ValueError, match="both must be of one metric, got accuracy and error"):
        comparison.study.difference(rows[SPREAD], row(1.0, CORRECTED_COUNT, 0.1, metric="error"))


def test_the_results_file_holds_means_that_can_be_had_again():
    shipped = comparison.study.load()
    context = next(c for c in comparison.study.CONTEXTS if (c.task, c.dataset) == (CLASSIFY, "digits"))
    config = replace(context, epsilon=2.0, methods=(CLEAN, SPREAD, BAG_NAMES, set_names("gaussian")))
    marks = [mark for draw in range(10) for mark in comparison.study.trial(replace(config, draw=draw))]
    found = comparison.study.rows(marks)
    assert len(found) == 12
    for one in found:
        there = next(
            row
            for row in comparison.study.select(shipped, config, one.metric)
            if (row.method, row.epsilon) == (one.method, 2.0)
        )
        # optimisers stop at a tolerance: the same to three digits on another machine
        assert (there.mean, there.low, there.high) == pytest.approx((one.mean, one.low, one.high), abs=2e-3)
        assert there.n_draws == 10
        assert there.values == pytest.approx(one.values, abs=5e-3)
        assert sum(there.values.values()) / 10 == pytest.approx(there.mean, abs=1e-5)
        assert there.trust == COMPARISON[one.method].trust


def test_the_results_file_holds_every_context():
    shipped = comparison.study.load()
    for config in comparison.study.CONTEXTS:
        for metric in comparison.METRICS[config.task]:
            rows = comparison.study.select(shipped, config, metric)
            assert {row.epsilon for row in rows} == set(comparison.study.EPSILONS)
            assert {row.method for row in rows} == set(config.chosen)
            assert {row.n_train for row in rows} == {config.n_train}
