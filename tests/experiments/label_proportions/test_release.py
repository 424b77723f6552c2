"""Releases of bags against direct counts, guarantees of the noise, intervals of scores, and reproduced shipped rows."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments import label_proportions, results, running
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig, records, release, run, sample_release, study
from privdemo.experiments.label_proportions.study import Row, Study, at_random, load
from privdemo.experiments.trials import generator, with_trial
from privdemo.intervals import grouped_interval
from privdemo.mechanisms import bags
from privdemo.mechanisms.aggregation import dense, noisy_means, noisy_proportions
from privdemo.methods import FULL, LLP, NAMES
from tests.experiments.label_proportions.cases import CASES, GROUPED, NOISY, SINGLE
from tests.experiments.oracles import student


def count_records(data):
    """Count each labelled record."""
    return Counter(zip((row.tobytes() for row in data.X), data.y.tolist(), strict=True))


def without_noise(config):
    """The same release without noise."""
    return sample_release(replace(config, feature_epsilon=math.inf, proportion_epsilon=math.inf))


def equal(one, other, *fields):
    return all(np.array_equal(dense(getattr(one, name)), dense(getattr(other, name))) for name in fields)


@pytest.mark.parametrize("selection", bags.SELECTIONS)
@pytest.mark.parametrize(
    ("aggregation", "k", "labels_ignored", "columns_ignored"),
    [
        ("k-tree", 1, True, True),
        ("random-k", 5, True, True),
        ("nearest-k", 5, True, False),  # uses columns
        ("k-tree", 5, False, False),  # uses columns and labels
    ],
)
def test_noise_guarantees_privacy_only_if_bags_and_groups_ignore_the_private_values(
    selection, aggregation, k, labels_ignored, columns_ignored
):
    config = BagConfig(selection=selection, aggregation=aggregation, k=k)
    random = selection == "iid"
    assert (config.label_promise, config.column_promise) == (random and labels_ignored, random and columns_ignored)


def test_a_records_epsilon_adds_up_over_the_columns_in_which_two_can_differ(data_folder):
    X = records("adult")[0].X
    assert X.shape[1] == 338
    assert set(np.diff(X.indptr)) == {14}  # one 1 for each attribute, so two records differ in 28 columns at most
    some = dense(X[np.random.default_rng(0).choice(X.shape[0], 2000, replace=False)])
    assert 20 < (some[:1000] != some[1000:]).sum(axis=1).max() <= 28 == label_proportions.changed_columns("adult")
    assert label_proportions.changed_columns("sms") is None
    noisy = BagConfig("adult", feature_epsilon=0.5, proportion_epsilon=3.0)
    assert label_proportions.record_epsilon(noisy) == (338 * 0.5 + 3, 28 * 0.5 + 3)
    assert label_proportions.record_epsilon(NOISY) == (30 * 3.0 + 0.5,) * 2
    assert label_proportions.record_epsilon(replace(noisy, proportion_epsilon=math.inf)) == (math.inf, math.inf)


@pytest.mark.parametrize("config", CASES.values(), ids=CASES)
def test_a_release_equals_direct_counts_of_its_records(config):
    released, known = sample_release(config), records(config.dataset)[0]
    inside, bags = released.records, released.record_bags
    assert max(count_records(known).values()) == 1  # no tumour twice, so that sets of records are sets of people
    assert len(count_records(inside) + count_records(released.test)) == len(inside.y) + len(released.test.y)
    assert len(released.test.y) == round(0.3 * 569)
    assert 0 <= inside.X.min() <= inside.X.max() <= 1
    members = [np.flatnonzero(bags == b) for b in range(config.n_bags)]
    np.testing.assert_array_equal(released.sizes, [len(rows) for rows in members])
    np.testing.assert_allclose(released.true_proportions, [inside.y[rows].mean() for rows in members], atol=1e-15)
    np.testing.assert_array_equal(
        np.bincount(released.row_bags, released.positives), [inside.y[m].sum() for m in members]
    )
    kinds = (released.positives > 0).astype(int) + (released.positives < released.counts)
    assert released.least_labels == (min(len(set(inside.y[rows])) for rows in members), kinds.min())
    assert (released.counts >= config.k).all()
    plain = without_noise(config)
    assert equal(plain, released, "counts", "positives", "row_bags", "true_proportions", "record_bags")
    np.testing.assert_array_equal(plain.proportions, plain.true_proportions)
    centre = inside.X.mean(axis=0)
    kept = plain.counts @ np.square(plain.rows - centre).sum(axis=1) / np.square(inside.X - centre).sum()
    assert released.loss == pytest.approx(1 - kept, abs=1e-9)
    assert released.loss <= 1e-9 if config.k == 1 else 0.1 < released.loss < 1


def test_each_noise_is_that_of_its_mechanism_with_its_own_random_stream():
    noisy, plain = sample_release(NOISY), without_noise(NOISY)
    rows = noisy_means(plain.rows, plain.counts, 3.0, generator(NOISY, release.FEATURE_STREAM))
    np.testing.assert_array_equal(noisy.rows, rows)
    rng = generator(NOISY, release.PROPORTION_STREAM)
    proportions = noisy_proportions(plain.proportions, plain.sizes, 0.5, rng)
    np.testing.assert_array_equal(noisy.proportions, proportions)
    np.testing.assert_array_equal(noisy.projected, np.clip(proportions, 0, 1))


@pytest.mark.parametrize("aggregation", ["none", "random-k", "nearest-k", "k-tree"])
def test_bags_ignore_labels_exactly_where_labels_have_a_guarantee(aggregation, monkeypatch):
    """Permuted labels leave bags and groups as they are if and only if `label_promise` is true."""
    config = replace(GROUPED, selection="iid", aggregation=aggregation, k=1 if aggregation == "none" else 4)
    first, (known, n_train) = sample_release(config), records("breast_cancer")
    permuted = known._replace(y=np.random.default_rng(0).permutation(known.y))
    monkeypatch.setattr(release, "records", lambda dataset: (permuted, n_train))
    other = sample_release(config)
    assert not np.array_equal(other.true_proportions, first.true_proportions)
    alike = first.rows.shape == other.rows.shape and equal(other, first, "rows", "row_bags", "counts")
    assert alike == config.label_promise


@pytest.fixture(scope="module")
def three_trials():
    return [run(with_trial(replace(SINGLE, methods=(NAMES, LLP)), i)) for i in range(3)]


def test_scores_differences_and_attacks_have_textbook_intervals(three_trials):
    values = [trial.fits[LLP].f1[SHARE].positive for trial in three_trials]
    assert label_proportions.mean_score(three_trials, LLP, "positive", SHARE) == student(values)
    assert label_proportions.mean_score(three_trials[:1], LLP, "positive", SHARE) == (values[0], -math.inf, math.inf)
    gaps = [t.fits[LLP].f1[SHARE].average - t.fits[NAMES].f1[SHARE].average for t in three_trials]
    assert label_proportions.difference(three_trials, LLP, NAMES, SHARE) == student(gaps)
    rates = label_proportions.attack_rates(three_trials)
    n = [trial.attack.n for trial in three_trials]
    for source, rate in rates.items():
        assert rate == grouped_interval([getattr(trial.attack, f"{source}_right") for trial in three_trials], n)


# The tolerance of F1 between machines, which sum in other orders: two test records of 171.
F1_TOLERANCE = 2 / 171


def test_recomputed_rows_match_the_results_file(monkeypatch):
    name, dataset = study.PROPORTION_NOISE, "breast_cancer"
    configs = [replace(at_random(dataset), methods=(LLP,), proportion_epsilon=epsilon) for epsilon in (0.1, 0.02)]
    monkeypatch.setattr(study, "STUDIES", {name: Study(name, "", "", (dataset,), lambda dataset: configs)})
    trials = study.STUDY.trials()
    assert trials == [(name, config, trial) for config in configs for trial in range(results.N_TRIALS)]
    first = trials[: results.N_TRIALS]
    marks = [mark for arguments in first for mark in running.in_one_thread(study.run_trial, *arguments)]
    rows = results.from_csv(Row, study.STUDY.to_file(study.rows(marks)).decode())
    shipped = {(row.method, row.threshold, row.proportion_epsilon): row for row in study.select(load(), name, dataset)}
    for row in rows:
        same = shipped[row.method, row.threshold, row.proportion_epsilon]
        assert row.average == pytest.approx(same.average, abs=F1_TOLERANCE)
        other = shipped[row.method, row.threshold, 0.02]
        assert row.method == FULL or row.threshold == HALF or abs(other.average - row.average) > 2 * F1_TOLERANCE
