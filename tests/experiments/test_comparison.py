"""The comparison: who the people are, what every method makes of their releases, and curves along ε."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, laplace

from privdemo import accounting, methods
from privdemo.estimators.bags import bag_channel, name_channel
from privdemo.estimators.choose import Choice, ChosenLogisticRegression
from privdemo.estimators.curator import CuratorLogisticRegression
from privdemo.estimators.set_names import contrast
from privdemo.experiments import comparison, results, running
from privdemo.experiments.comparison import (
    CLASSIFY,
    LABELS,
    METRICS,
    OPPOSITE,
    RECORDS,
    SECOND,
    SHARE,
    ComparisonConfig,
    deltas,
    pushed,
    study,
)
from privdemo.experiments.comparison.config import records
from privdemo.experiments.comparison.fit import SOLVERS
from privdemo.experiments.comparison.release import example_labels
from privdemo.experiments.comparison.study import Mark, Row
from privdemo.experiments.trials import with_trial
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import (
    BAG_NAMES,
    CLEAN,
    COMPARISON,
    CORRECTED_COUNT,
    COUNT_NAIVE,
    CURATED,
    CURATED_PURE,
    CURATOR,
    LEADER,
    NAIVE,
    NOBODY,
    PUBLISHER,
    SHUFFLED_COUNT,
    SHUFFLER,
    SPREAD,
    TIGHT,
    by_trying,
    set_names,
)
from privdemo.verdict import judge
from tests.experiments.oracles import student

DIGITS = ComparisonConfig(dataset="digits", n_train=100, n_asked=100)


def test_every_method_has_a_solver_for_just_the_tasks_that_it_can_do():
    found = {name: set(tasks) for name, tasks in SOLVERS.items()}
    assert found == {name: {task for task in (CLASSIFY, SHARE) if comparison.solves(name, task)} for name in COMPARISON}


@pytest.mark.parametrize(
    ("rho", "expected"), [(0.1, (12, 38)), (0.004, (1, 1)), (0.0, (0, 0)), (0.4, (75, 125)), (0.2, (25, 75))]
)
def test_the_count_of_the_rarer_class_is_a_secret_around_rho(rho, expected):
    """ρn ± ρn/2 for n = 250, but the rarer class is never over half."""
    config = ComparisonConfig(rho=rho, n_train=250)
    assert config.rarer_count_range == expected
    least = expected[0]
    assert config.set_name_epsilon == pytest.approx(math.log((250 - least) / least) if least else math.inf)


def test_every_method_sees_the_same_people_whatever_the_privacy_and_is_tested_on_others():
    people = [comparison.sample_people(replace(DIGITS, epsilon=epsilon)) for epsilon in (0.5, 2.0)]
    for name in ("clean", "y", "bags", "sets", "counts", "X_test", "y_test", "target_clean"):
        np.testing.assert_array_equal(getattr(people[0], name), getattr(people[1], name))
    strict, loose = ((p.lies != p.y) for p in people)
    assert (loose <= strict).all(), "less privacy only takes lies back"
    assert loose.sum() < strict.sum()
    assert not np.array_equal(comparison.sample_people(with_trial(DIGITS, 1)).clean, people[0].clean)
    people = people[0]
    assert np.bincount(people.y).tolist() == [100, 100]
    assert np.bincount(people.y_test).tolist() == [comparison.sizes("digits")[1]] * 2
    known, new = ({row.tobytes() for row in rows} for rows in (people.clean, people.X_test))
    assert len(known) == 200
    assert not known & new
    assert (people.share, len(people.target)) == (0.3, 100)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_people_lie_as_often_as_the_guarantee_demands(epsilon):
    people = [comparison.sample_people(replace(DIGITS, epsilon=epsilon, trial=trial)) for trial in range(10)]
    n_lies = sum(int((p.lies != p.y).sum()) for p in people)
    # five standard errors; a lie that keeps ε + 0.3 is distinguished from it
    assert binomtest(n_lies, 2000, 1 / (1 + math.exp(epsilon))).pvalue > 6e-7
    assert binomtest(n_lies, 2000, 1 / (1 + math.exp(epsilon + 0.3))).pvalue < 1e-3
    assert people[0].config.flips.epsilon <= epsilon * (1 + 1e-12)


def test_the_noise_on_bags_is_laplace_noise_of_the_configs_epsilon():
    noise = []
    for trial in range(40):
        people = comparison.sample_people(replace(DIGITS, epsilon=4.0, trial=trial))
        bag_sizes = np.bincount(people.bags)
        assert bag_sizes.tolist() == [25] * 8
        true = np.bincount(people.bags, people.y) / bag_sizes
        inside = (people.bag_shares > 0) & (people.bag_shares < 1)
        noise += ((people.bag_shares - true) * 25 * 4.0)[inside].tolist()
    assert len(noise) > 310
    assert kstest(noise, laplace.cdf).pvalue > 1e-4
    assert kstest(noise, laplace(scale=1.3).cdf).pvalue < 0.05


def test_sets_have_the_classes_the_other_way_round_and_everybody_once():
    config = replace(DIGITS, rho=0.2)
    rarers = {int(comparison.sample_people(replace(config, trial=trial)).counts[0, 1]) for trial in range(12)}
    assert len(rarers) > 5
    assert 10 <= min(rarers) <= max(rarers) <= 30
    people = comparison.sample_people(config)
    rarer = int(people.counts[0, 1])
    assert people.counts.tolist() == [[100 - rarer, rarer], [rarer, 100 - rarer]]
    joint = np.zeros((2, 2), int)
    np.add.at(joint, (people.sets, people.y), 1)
    assert joint.tolist() == people.counts.tolist()
    assert people.set_proportions("gaussian tight").sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("release", "sampler", "number"), [("laplace tight", "laplace", 1), ("gaussian tight", "standard_normal", 3)]
)
def test_noise_on_counts_has_a_stream_of_a_fixed_number(release, sampler, number):
    """That of its place when numbers were first shipped: a mechanism added between others changes none of them."""
    for i in range(5):
        people = comparison.sample_people(with_trial(DIGITS, i))
        rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(i, 6, number)))
        noise = getattr(rng, sampler)(size=2)
        moved = people.set_proportions(release)[0, 0] - people.counts[0, 0] / 100
        assert np.sign(moved) == np.sign(noise[0] - noise[1])


@pytest.mark.parametrize("release", TIGHT.values())
def test_the_secret_of_both_sets_is_released_once(release):
    """The second set's counts are never read: its shares follow from the first's and from how many people it has."""
    people = comparison.sample_people(replace(DIGITS, rho=0.3, epsilon=4.0))
    first, second = people.set_proportions(release)
    np.testing.assert_allclose(second, first[::-1], rtol=1e-12)
    other = people._replace(counts=np.array([people.counts[0], [50, 50]]))
    np.testing.assert_array_equal(other.set_proportions(release), [first, second])
    attacked = comparison.sample_people(replace(DIGITS, rho=0.3, epsilon=4.0, fake_part=0.2, fake_label=SECOND))
    first, second = attacked.set_proportions(release)
    assert attacked.counts.sum(axis=1).tolist() == [80, 120]
    assert second == pytest.approx([first[1] * 80 / 120, 1 - first[1] * 80 / 120])


@pytest.mark.parametrize("method", [COUNT_NAIVE, CORRECTED_COUNT])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_the_exact_error_of_counting_lies_is_that_of_every_way_to_lie(method, share):
    config = ComparisonConfig(SHARE, "digits", n_asked=10, share=share, epsilon=1.0)
    p = 1 / (1 + math.e)
    truth = np.repeat([0, 1], [10 - round(10 * share), round(10 * share)])
    expected = 0.0
    for lies in itertools.product((0, 1), repeat=10):
        said = float(np.bitwise_xor(truth, lies).mean())
        found = said if method == COUNT_NAIVE else min(max((said - p) / (1 - 2 * p), 0), 1)
        expected += p ** sum(lies) * (1 - p) ** (10 - sum(lies)) * abs(found - share)
    assert comparison.exact_error(config, method) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize(("method", "delta"), [(CURATED, 0.05), (CURATED_PURE, 0.0)])
def test_the_exact_error_of_a_noisy_count_is_that_of_all_noise(method, delta, share):
    config = ComparisonConfig(SHARE, "digits", n_asked=10, share=share, epsilon=0.5, delta=0.05)
    found = comparison.exact_error(config, method)

    def error(scale):
        noise = laplace(scale=scale).ppf((np.arange(100_000) + 0.5) / 100_000)
        return np.abs(np.clip(share + noise / 10, 0, 1) - share).mean()

    scale = accounting.laplace_scale(0.5, delta)
    assert found == pytest.approx(error(scale), rel=1e-4)
    assert found != pytest.approx(error(1.03 * scale), rel=1e-3)


def test_the_exact_error_of_shuffled_lies_is_that_of_lies_with_more_epsilon():
    config = ComparisonConfig(SHARE, "digits", n_asked=20, epsilon=1.0, delta=1e-3)
    local = accounting.shuffled_poll_local_epsilon(1.0, 1e-3, 20)
    assert local > 1.05
    expected = comparison.exact_error(replace(config, epsilon=local), CORRECTED_COUNT)
    assert comparison.exact_error(config, SHUFFLED_COUNT) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method", [SHUFFLED_COUNT, CURATED])
def test_trials_of_a_count_have_its_exact_error(method):
    config = ComparisonConfig(SHARE, "digits", n_asked=40, n_train=50, epsilon=0.5, methods=(method,))
    off = [comparison.run(with_trial(config, i)).fits[method].marks["error"] for i in range(60)]
    assert np.mean(off) == pytest.approx(comparison.exact_error(config, method), abs=4 * np.std(off) / math.sqrt(60))


def test_the_exact_error_is_none_without_a_closed_form():
    config = ComparisonConfig(SHARE, "digits", n_asked=100)
    assert comparison.exact_error(config, CORRECTED_COUNT) is None, "some people are asked several times"
    assert comparison.exact_error(replace(config, n_asked=20), SPREAD) is None
    assert comparison.exact_error(replace(config, n_asked=20, task=CLASSIFY), CORRECTED_COUNT) is None


def test_private_records_are_flipped_pixel_by_pixel_with_the_labels_probability():
    config = replace(DIGITS, private=RECORDS, epsilon=1.0)
    people = comparison.sample_people(config)
    changed = int((people.released != people.clean).sum())
    assert binomtest(changed, people.clean.size, 1 / (1 + math.e)).pvalue > 1e-4
    assert (people.target != people.target_clean).any()
    np.testing.assert_array_equal(people.X_test, comparison.sample_people(replace(config, epsilon=4.0)).X_test)
    pixels = RandomisedResponse(1 / (1 + math.e), 17)
    assert comparison.record_epsilon(config) == pytest.approx(1.0 + pixels.epsilon_at(1e-5, 64))
    assert math.isinf(comparison.record_epsilon(DIGITS))


def test_whoever_is_asked_several_times_answers_once():
    config = replace(DIGITS, task=SHARE, private=RECORDS, n_asked=500)
    people = comparison.sample_people(config)
    _, first, who = np.unique(people.target_clean, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(people.target_lies, people.target_lies[first][who.ravel()])
    np.testing.assert_array_equal(people.target, people.target[first][who.ravel()])
    lied = (people.target_lies[first] != np.repeat([0, 1], [350, 150])[first]).mean()
    p = config.flips.flip_prob
    assert lied == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / len(first)))


def test_scores_are_those_of_the_models_on_clean_test_records():
    people, trial = comparison.sample_people(DIGITS), comparison.run(DIGITS)
    assert tuple(trial.fits) == DIGITS.chosen
    for name in (CLEAN, SPREAD, methods.LLP):
        proba, choice = SOLVERS[name][CLASSIFY](people)
        assert not choice
        right = np.where(people.y_test == 1, proba, 1 - proba)
        assert trial.fits[name].marks == pytest.approx(
            {
                "accuracy": ((proba > 0.5) == people.y_test).mean(),
                "log_loss": -np.log(right).mean(),
                "brier": ((proba - people.y_test) ** 2).mean(),
            }
        )


def test_where_no_noise_will_do_a_method_says_so_and_the_others_go_on():
    trial = comparison.run(replace(DIGITS, epsilon=0.05, delta=1e-6))
    fit = trial.fits[set_names("dirichlet")]
    assert "it needs one of" in fit.problem
    assert fit.marks == {}
    assert trial.fits[SPREAD].marks
    assert comparison.mean_mark([trial, trial], set_names("dirichlet"), "accuracy") is None
    assert comparison.mean_mark([trial], SPREAD, "accuracy") is None, "of one trial there is no interval"


def row(epsilon, method, mean, half=0.01, metric="accuracy"):
    task = SHARE if metric == "error" else CLASSIFY
    trust = COMPARISON[method].trust
    return Row(task, "mnist", LABELS, 250, epsilon, method, trust, metric, 10, mean, mean - half, mean + half, "")


CURVES = [
    *(row(e, CLEAN, 0.95) for e in (0.5, 1.0, 2.0)),
    *(row(e, SPREAD, mean) for e, mean in ((0.5, 0.80), (1.0, 0.905), (2.0, 0.94))),
    *(row(e, BAG_NAMES, mean) for e, mean in ((0.5, 0.60), (1.0, 0.92), (2.0, 0.93))),
]
ERRORS = [row(0.5, CORRECTED_COUNT, 0.08, metric="error"), row(2.0, CORRECTED_COUNT, 0.02, metric="error")]


@pytest.mark.parametrize(
    ("rows", "goal", "trusted", "expected"),
    [
        (CURVES, 0.9, (NOBODY, LEADER), (1.0, BAG_NAMES, True, 0.5, False)),
        (CURVES, 0.9, (NOBODY,), (1.0, SPREAD, False, 0.5, False)),
        (CURVES, 0.7, (NOBODY,), (0.5, SPREAD, True, None, True)),
        (ERRORS, 0.05, (NOBODY,), (2.0, CORRECTED_COUNT, True, 0.5, False)),
        (CURVES, 0.945, (NOBODY, LEADER), None),
    ],
)
def test_the_least_epsilon_from_which_on_a_goal_is_reached(rows, goal, trusted, expected):
    found = study.seek(rows, goal, trusted)
    assert (found and (found.epsilon, found.method, found.surely, found.before, found.lowest)) == expected


def marks(values, method=SPREAD, metric="accuracy"):
    return [Mark(DIGITS, trial, method, metric, value) for trial, value in values.items()]


def compared(one, other):
    """The rows of two methods, from their values by trial."""
    rows = {row.method: row for row in study.rows([*marks(other, NAIVE)[::-1], *marks(one)])}
    return rows[SPREAD], rows[NAIVE]


def test_what_is_chosen_by_trying_learns_through_the_channel_of_lies_bags_or_sets():
    people = comparison.sample_people(replace(DIGITS, private=RECORDS, epsilon=4.0))
    bags, sets = np.bincount(people.bags), np.bincount(people.sets)
    for name, channel, names in (
        (SPREAD, people.config.flips.channel_matrix, people.lies),
        (BAG_NAMES, bag_channel(people.bag_shares, bags), people.bags),
        (set_names("gaussian"), name_channel(people.set_proportions("gaussian tight"), sets), people.sets),
    ):
        model = ChosenLogisticRegression(channel, people.config.pixels, tol=1e-4 * contrast(channel))
        expected = model.fit(people.released, names).predict_proba(people.X_test)[:, 1]
        found, choice = SOLVERS[by_trying(name)][CLASSIFY](people)
        np.testing.assert_array_equal(found, expected)
        assert choice == {"chosen": model.chosen_, "why": model.why_}


LUCK = {0: 0.5, 1: 0.7, 2: 0.9, 3: 0.1}


def test_differences_are_trial_by_trial():
    """The same luck in both cancels; another order of the marks, or a trial that one lacks, changes nothing."""
    one, other = compared({2: 0.93, 0: 0.51, 1: 0.72}, LUCK)
    assert (one.by_trial, one.n_trials, one.mean) == ("0.51 0.72 0.93", 3, pytest.approx(0.72))
    assert study.difference(one, other) == student([0.01, 0.02, 0.03])
    closer, other = compared({0: 0.51, 1: 0.711, 2: 0.912}, LUCK)
    assert judge(study.difference(closer, other)).clear
    assert closer.low < other.mean, "though the means' own intervals overlap"


def test_choices_are_kept_trial_by_trial():
    taken = {2: Choice("low rank", "no clear difference"), 0: Choice("classes", "clearly ahead")}
    made = [Mark(DIGITS, trial, SPREAD, "accuracy", 0.9, taken[trial]) for trial in taken]
    chosen, plain = study.rows([*made, *marks({0: 0.8, 2: 0.9}, NAIVE)])[::-1]
    assert (chosen.choices, plain.choices) == ((taken[0], taken[2]), ())
    assert results.from_csv(Row, results.to_csv(Row, [chosen]))[0].choices == chosen.choices


def test_recomputed_values_match_the_results_file():
    context = next(c for c in study.CONTEXTS if (c.task, c.dataset) == (CLASSIFY, "digits"))
    config = replace(
        context, epsilon=2.0, trial=3, methods=(CLEAN, SPREAD, by_trying(SPREAD), BAG_NAMES, set_names("gaussian"))
    )
    shipped = [row for metric in METRICS[CLASSIFY] for row in study.select(study.load(), config, metric)]
    at = {(row.method, row.metric): row for row in shipped if row.epsilon == 2.0}
    for mark in running.in_one_thread(study.run_trial, config, config.trial):
        row = at[mark.method, mark.metric]
        # optimisers stop at a tolerance: nearly the same on another machine
        assert row.values[3] == pytest.approx(mark.value, abs=5e-3)
        assert (row.mean, row.n_trials) == (pytest.approx(np.mean(list(row.values.values())), abs=1e-5), 10)
        assert row.trust == COMPARISON[row.method].trust
        assert row.choices[3:4] == ((mark.choice,) if mark.choice else ())


def test_mixed_answers_are_lies_of_as_little_as_the_shuffled_count_allows():
    config = replace(DIGITS, task=SHARE, n_asked=60, epsilon=0.5)
    trials = [comparison.sample_people(with_trial(config, trial)) for trial in range(20)]
    local = accounting.shuffled_poll_local_epsilon(0.5, config.release_delta, 60)
    flips = RandomisedResponse.from_epsilon(local, 2)
    changed = 0
    for people in trials:
        used, lies = people.shuffled_lies()
        assert used == flips
        changed += int((lies != people.target_y).sum())
        found = np.clip((lies.mean() - flips.flip_prob) / (1 - 2 * flips.flip_prob), 0, 1)
        assert SOLVERS[SHUFFLED_COUNT][SHARE](people).found == pytest.approx(found)
        assert people.target_y.mean() == people.share
    assert 0.5 < local < 2.5
    assert binomtest(changed, 1200, flips.flip_prob).pvalue > 1e-4
    assert binomtest(changed, 1200, RandomisedResponse.from_epsilon(1.4 * local, 2).flip_prob).pvalue < 1e-4
    with pytest.raises(ValueError, match="asked several times"):
        comparison.sample_people(replace(config, n_asked=500)).shuffled_lies()


def test_a_curator_counts_with_laplace_noise_of_the_whole_answer_and_classifies_true_records():
    config = replace(DIGITS, task=SHARE, n_asked=60, epsilon=2.0, share=0.5)
    sampled = [comparison.sample_people(with_trial(config, trial)) for trial in range(100)]
    noise = [60 * 2.0 * (SOLVERS[CURATED_PURE][SHARE](people).found - people.share) for people in sampled]
    assert kstest(noise, laplace.cdf).pvalue > 1e-3
    assert kstest(noise, laplace(scale=1.6).cdf).pvalue < 0.05
    assert sampled[0].curated_share(0.05) != sampled[0].curated_share(0.0)
    many = comparison.sample_people(replace(config, n_asked=500))
    assert many.target_most > 1
    off = [500 * (many._replace(target_most=most).curated_share(0.0) - many.share) for most in (1, many.target_most)]
    assert off[1] == pytest.approx(many.target_most * off[0])
    people = comparison.sample_people(replace(DIGITS, private=RECORDS))
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0, 9, 0)))
    model = CuratorLogisticRegression(1.0, people.config.release_delta, rule="best", random_state=rng).fit(
        people.clean / 16, people.y
    )
    expected = model.predict_proba(people.X_test / 16)[:, 1]
    np.testing.assert_allclose(SOLVERS[CURATED][CLASSIFY](people).found, expected)


# --- pushed labels -------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [OPPOSITE, SECOND])
def test_pushed_labels_go_into_every_release_and_nothing_else_changes(label):
    """Noise is of the same random numbers, so that whoever follows the rules sends what they send without attackers."""
    asked = replace(DIGITS, epsilon=2.0, n_asked=20)
    honest = comparison.sample_people(asked)
    config = replace(asked, fake_part=0.2, fake_label=label)
    attacked = comparison.sample_people(config)
    for name in ("clean", "y", "bags", "X_test", "y_test", "target_y", "target_clean"):
        np.testing.assert_array_equal(getattr(attacked, name), getattr(honest, name))
    np.testing.assert_array_equal(honest.claimed, honest.y)
    fakes = attacked.claimed != attacked.y
    assert np.bincount(attacked.y[fakes], minlength=2).tolist() == ([20, 20] if label == OPPOSITE else [20, 0])
    np.testing.assert_array_equal(attacked.lies[fakes], attacked.claimed[fakes])
    kept = np.flatnonzero(~fakes) if label == OPPOSITE else np.flatnonzero(~fakes & (attacked.y == 0))
    np.testing.assert_array_equal(attacked.lies[kept], honest.lies[kept])
    noise = [p.bag_shares - np.bincount(p.bags, p.claimed) / np.bincount(p.bags) for p in (honest, attacked)]
    inside = [(p.bag_shares > 0) & (p.bag_shares < 1) for p in (honest, attacked)]
    np.testing.assert_allclose(*(one[inside[0] & inside[1]] for one in noise))
    joint = np.zeros((2, 2), int)
    np.add.at(joint, (attacked.sets, attacked.claimed), 1)
    assert joint.tolist() == attacked.counts.tolist()
    assert attacked.counts[0, 1] == attacked.counts[1, 0] == honest.counts[0, 1]
    moved = np.flatnonzero((attacked.sets != attacked.claimed) & (attacked.claimed == 1))
    assert 0 < fakes[moved].mean() < 0.6, "those who push are among others in a set"
    flips, shuffled = attacked.shuffled_lies()
    np.testing.assert_array_equal(shuffled[attacked.target_fakes], attacked.target_claimed[attacked.target_fakes])
    assert flips == honest.shuffled_lies()[0]
    assert attacked.curated_share(0.0) - honest.curated_share(0.0) == pytest.approx(
        (attacked.target_claimed.sum() - honest.target_y.sum()) / 20
    )


def test_more_who_push_are_the_same_and_others():
    few, many = (
        comparison.sample_people(replace(DIGITS, fake_part=part)).claimed != comparison.sample_people(DIGITS).y
        for part in (0.1, 0.3)
    )
    assert (few <= many).all()
    assert (few.sum(), many.sum()) == (20, 60)


@pytest.mark.parametrize("label", [OPPOSITE, SECOND])
def test_a_curators_model_is_of_the_labels_that_people_claim(label):
    people = comparison.sample_people(replace(DIGITS, fake_part=0.2, fake_label=label))
    found, _ = SOLVERS[CURATED][CLASSIFY](people)
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0, 9, 0)))
    model = CuratorLogisticRegression(1.0, people.config.release_delta, rule="best", random_state=rng)
    model.fit(people.clean, people.claimed)
    np.testing.assert_array_equal(found, model.predict_proba(people.X_test)[:, 1])


@pytest.mark.parametrize("method", [COUNT_NAIVE, CORRECTED_COUNT])
@pytest.mark.parametrize("label", [OPPOSITE, SECOND])
def test_the_exact_error_of_pushed_answers_is_that_of_every_way_to_lie(method, label):
    """Of 10 people 4 are of the second class; of each class every fourth pushes: 2 and 1."""
    config = ComparisonConfig(SHARE, "digits", n_asked=10, share=0.4, fake_part=0.25, fake_label=label)
    p, truth, fakes = 1 / (1 + math.e), np.repeat([0, 1], [6, 4]), np.isin(np.arange(10), (0, 1, 6))
    expected = 0.0
    for lies in itertools.product((0, 1), repeat=7):
        said = 1 - truth if label == OPPOSITE else np.ones(10, int)
        said[~fakes] = np.bitwise_xor(truth[~fakes], lies)
        found = said.mean() if method == COUNT_NAIVE else min(max((said.mean() - p) / (1 - 2 * p), 0), 1)
        expected += p ** sum(lies) * (1 - p) ** (7 - sum(lies)) * abs(found - 0.4)
    assert comparison.exact_error(config, method) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("label", "told"), [(OPPOSITE, 6 / 12), (SECOND, 7 / 12)])
def test_the_exact_error_of_a_noisy_count_of_pushed_labels(label, told):
    """Of 12 people 5 are of the second class; of each class every fourth pushes: 2 and 1."""
    config = ComparisonConfig(SHARE, "digits", n_asked=12, share=5 / 12, epsilon=0.5, fake_part=0.25, fake_label=label)
    noise = laplace(scale=2.0).ppf((np.arange(200_000) + 0.5) / 200_000)
    expected = np.abs(np.clip(told + noise / 12, 0, 1) - 5 / 12).mean()
    assert comparison.exact_error(config, CURATED_PURE) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("method", [SHUFFLED_COUNT, CURATED, CORRECTED_COUNT])
def test_trials_of_a_pushed_count_have_its_exact_error(method):
    config = ComparisonConfig(SHARE, "digits", n_asked=40, n_train=50, methods=(method,), fake_part=0.2)
    off = [comparison.run(with_trial(config, i)).fits[method].marks["error"] for i in range(60)]
    assert np.mean(off) == pytest.approx(comparison.exact_error(config, method), abs=4 * np.std(off) / math.sqrt(60))


def test_the_shipped_rows_without_attackers_are_those_of_the_comparison():
    honest = {
        (r.task, r.method, r.metric): r
        for r in study.load()
        if (r.dataset, r.private, r.epsilon) == ("mnist", LABELS, 1.0)
    }
    rows = pushed.load()
    zeros = [row for row in rows if not row.fake_part]
    assert [row.by_trial for row in zeros] == [honest[row.task, row.method, row.metric].by_trial for row in zeros]
    assert {row.method for row in zeros} == {row.method for row in honest.values()}
    attacked = {(row.fake_part, row.fake_label) for row in rows if row.fake_part}
    assert attacked == set(itertools.product(pushed.PARTS[1:], (OPPOSITE, SECOND)))
    assert [one.fake_part for one in pushed.along(DIGITS)] == list(pushed.PARTS)
    assert len(pushed.settings()) == 14


@pytest.mark.mnist
def test_a_shipped_trial_of_pushed_labels_is_what_a_trial_gives_now(mnist):
    config = ComparisonConfig(fake_part=0.2, fake_label=SECOND, methods=(NAIVE, CURATED), trial=3)
    for name, fit in comparison.run(config).fits.items():
        (row,) = (
            row
            for row in pushed.load()
            if (row.task, row.method, row.metric, row.fake_part, row.fake_label)
            == (CLASSIFY, name, "accuracy", 0.2, SECOND)
        )
        assert row.values[3] == pytest.approx(fit.marks["accuracy"], abs=1e-6)


# --- δ -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "delta"),
    [
        (ComparisonConfig(), 1e-6),
        (ComparisonConfig(n_train=1000), 1 / 2000**2),
        (ComparisonConfig(n_asked=5000), 1e-6),
        (ComparisonConfig(SHARE, n_asked=5000), 1 / 5000**2),
        (ComparisonConfig(SHARE, n_train=4000, n_asked=5000), 1 / 8000**2),
        (ComparisonConfig(delta=0.05), 0.05),
        (ComparisonConfig(delta=0.0), 0.0),
    ],
)
def test_delta_follows_from_the_people_of_the_larger_release_unless_it_is_set(config, delta):
    assert config.release_delta == pytest.approx(delta)


def test_only_who_sees_or_mixes_labels_needs_delta():
    needing = {COMPARISON[name].trust for name in COMPARISON if comparison.needs_delta(name)}
    assert needing == {SHUFFLER, PUBLISHER, CURATOR}
    assert not comparison.needs_delta(CURATED_PURE)


@pytest.mark.mnist
def test_nothing_that_needs_no_delta_changes_with_it(mnist):
    strict, loose = (comparison.run(ComparisonConfig(SHARE, epsilon=0.5, delta=delta)) for delta in (None, 1e-3))
    for name, fit in strict.fits.items():
        assert (fit.marks == loose.fits[name].marks) or comparison.needs_delta(name)


@pytest.mark.mnist
@pytest.mark.parametrize(("epsilon", "at_large", "at_default"), [(0.25, 0.95, 0.86), (1.0, 0.89, 0.77), (4.0, 0.23, 0)])
def test_how_far_a_shuffler_goes_from_lies_to_a_curator_hangs_on_delta(mnist, epsilon, at_large, at_default):
    for delta, expected in ((deltas.LARGE_DELTA, at_large), (None, at_default)):
        config = ComparisonConfig(SHARE, epsilon=epsilon, delta=delta)
        lies, shuffled, curated = (
            comparison.exact_error(config, name) for name in (CORRECTED_COUNT, SHUFFLED_COUNT, CURATED)
        )
        assert (lies - shuffled) / (lies - curated) == pytest.approx(expected, abs=0.006)


@pytest.mark.mnist
def test_a_shipped_trial_at_a_larger_delta_is_what_a_trial_gives_now(mnist):
    assert len(deltas.load()) == 3 * len(deltas.settings())
    (config,) = next(one for one in deltas.settings() if one[0].epsilon == 1.0)
    for mark in deltas.STUDY.run_trial(config, 3):
        (row,) = (row for row in study.select(deltas.load(), config, mark.metric) if row.epsilon == 1.0)
        assert row.values[3] == pytest.approx(mark.value, rel=1e-5)


def test_example_labels_are_sent_as_people_send_them_who_trust_nobody():
    every = replace(DIGITS, epsilon=1.0)
    found = [example_labels(replace(every, trial=0, seed=seed), 40) for seed in range(50)]
    data = records(DIGITS.dataset)
    assert found[0].true == [int(data.y[i]) for i in np.linspace(0, len(data.y) - 1, 40).astype(int)]
    switched = [one != other for labels in found for one, other in zip(labels.true, labels.sent, strict=True)]
    assert np.mean(switched) == pytest.approx(1 / (1 + math.e), abs=4 * math.sqrt(0.27 * 0.73 / 2000))
    certain = example_labels(replace(every, epsilon=20.0), 40)
    assert certain.true == certain.sent
