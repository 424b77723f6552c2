"""The studies of bags: means over draws, their file, what is studied, and the shipped numbers made again."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from privdemo.experiments import results
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import (
    F1,
    HALF,
    SHARE,
    default_bags,
    draw_release,
    methods_of,
    n_training,
    run,
    study,
)
from privdemo.experiments.label_proportions.study import STUDIES, Mark, Row, Study, at_random, load
from privdemo.mechanisms.aggregation import TooFewRecords
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, FULL, LABELLED, LLP, NAMES
from tests.experiments.label_proportions.cases import GROUPED, SINGLE
from tests.experiments.oracles import student

# Six digits are written.
WRITTEN = 5e-6
# Machines sum in other orders: a record or two of 171, or a penalty's next value; of 16,281 records it is far less.
AGAIN = {"breast_cancer": 2 / 171, "adult": 0.002}
PLACE = ("dataset", "selection", "aggregation", "k", "feature_epsilon", "proportion_epsilon", "n_bags", "bag_size")


def tiny_configs(dataset):
    start = replace(SINGLE, dataset=dataset, methods=(LABELLED, LLP))
    return [start, replace(start, aggregation="random-k", k=5), replace(start, aggregation="nearest-k", k=5)]


@pytest.fixture
def tiny(monkeypatch):
    """Two small studies in place of those shipped."""
    tiny = Study("tiny", "Tumours", "k", ("sms", "breast_cancer"), tiny_configs)
    monkeypatch.setattr(study, "STUDIES", {"other": replace(tiny, name="other"), "tiny": tiny})


def make_mark(name, config, method, threshold, average, loss=0.0):
    return Mark(name, config, method, threshold, F1(average / 2, average / 3, average), loss)


# --- marks, rows and files ---------------------------------------------------------------------------


def test_rows_are_means_over_draws_in_the_studys_order(tiny):
    rng = np.random.default_rng(0)
    values = {
        (name, config, method): rng.random((4, 2))
        for name in ("tiny", "other")
        for dataset in ("breast_cancer", "sms")
        for config in tiny_configs(dataset)[::-1]
        for method in (FULL, LLP)
    }
    marks = [make_mark(*place, HALF, *drawn[draw]) for draw in range(4) for place, drawn in values.items()]
    rows = study.rows(marks)
    assert [(row.study, row.dataset, row.aggregation, row.k, row.method) for row in rows] == [
        (name, dataset, config.aggregation, config.k, method)
        for name in ("other", "tiny")
        for dataset in ("sms", "breast_cancer")
        for config in tiny_configs(dataset)
        for method in (FULL, LLP)
    ]
    for row in rows:
        config = next(c for c in tiny_configs(row.dataset) if (c.aggregation, c.k) == (row.aggregation, row.k))
        assert [getattr(row, name) for name in PLACE] == [getattr(config, name) for name in PLACE]
        average, loss = values[row.study, config, row.method].T
        inside = [np.clip(student(v).expected, 0, 1) for v in (average, average / 2, average / 3, loss)]
        assert row.estimate == pytest.approx(inside[0])
        assert row.by_class == (pytest.approx(inside[1]), pytest.approx(inside[2]))
        assert (row.loss_estimate, row.n_draws, row.threshold) == (pytest.approx(inside[3]), 4, HALF)


def test_a_file_gives_back_what_was_written(tiny):
    configs = [replace(config, feature_epsilon=2.0) for config in tiny_configs("sms")] + tiny_configs("sms")
    study.STUDIES["tiny"] = replace(study.STUDIES["tiny"], configs=lambda dataset: configs)
    marks = [make_mark("tiny", config, LLP, HALF, 0.1 * draw, 0.3) for config in configs for draw in range(4)]
    back = results.from_csv(Row, study.to_csv(marks))
    assert {row.feature_epsilon for row in back} == {2.0, math.inf}
    for row, again in zip(study.rows(marks), back, strict=True):
        for value, read in zip(vars(row).values(), vars(again).values(), strict=True):
            assert type(read) is type(value)
            assert read == (pytest.approx(value, rel=WRITTEN) if isinstance(value, float) else value)
    (single,) = results.from_csv(Row, study.to_csv(marks[:1]))
    assert (single.n_draws, single.low, single.high) == (1, -math.inf, math.inf)


def test_places_that_some_draw_could_not_fill_are_left_out(tiny):
    full, other, _ = tiny_configs("sms")
    marks = [make_mark("tiny", full, LLP, HALF, 0.5)] * 3 + [make_mark("tiny", other, LLP, HALF, 0.5)] * 2
    assert [(row.aggregation, row.n_draws) for row in study.rows(marks)] == [("none", 3)]


def test_every_config_of_every_study_is_tried_on_every_draw(tiny):
    places = [(name, dataset) for name in ("other", "tiny") for dataset in ("sms", "breast_cancer")]
    expected = [(name, at_draw(c, draw)) for name, d in places for c in tiny_configs(d) for draw in range(2)]
    assert study.trials(2) == expected


def test_a_trial_is_a_run(monkeypatch):
    config = replace(GROUPED, draw=3)
    done = run(config)
    assert study.trial("k", config) == [
        Mark("k", replace(config, draw=0), name, threshold, f1, done.loss)
        for name, fit in done.fits.items()
        for threshold, f1 in fit.f1.items()
    ]
    monkeypatch.setattr(study, "run", lambda config: 1 / 0)  # not everything is too few records
    with pytest.raises(ZeroDivisionError):
        study.trial("k", config)


def test_rows_with_one_threshold_or_half_where_there_is_no_other(tiny):
    single, grouped, _ = tiny_configs("breast_cancer")
    cases = [(single, FULL, HALF), (single, FULL, SHARE), (grouped, FULL, HALF), (grouped, LABELLED, HALF)]
    rows = study.rows([make_mark("tiny", *case, 0.5) for case in cases] + [make_mark("other", single, LLP, HALF, 0.4)])

    def selected(threshold):
        return [(row.k, row.method, row.threshold) for row in study.select(rows, "tiny", "breast_cancer", threshold)]

    of_means = [(5, FULL, HALF), (5, LABELLED, HALF)]
    assert selected(None) == [(1, FULL, HALF), (1, FULL, SHARE), *of_means]
    assert selected(SHARE) == [(1, FULL, SHARE), *of_means]
    assert selected(HALF) == [(1, FULL, HALF), *of_means]
    assert study.select(rows, "tiny", "adult") == study.select(rows, "k", "breast_cancer") == []


# --- what is studied ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [study.PROPORTION_NOISE, study.FEATURE_NOISE, study.BAG_NUMBER])
def test_noise_is_studied_where_it_promises_something(name, data_folder, mnist):
    varied = ("n_bags", "aggregation", "k", "feature_epsilon", "proportion_epsilon", "methods")
    for dataset in STUDIES[name].datasets:
        configs = STUDIES[name].configs(dataset)
        assert len(set(configs)) == len(configs)
        for config in configs:
            assert config.label_promise
            assert config.column_promise
            assert config == replace(at_random(dataset), **{field: getattr(config, field) for field in varied})
            assert config.n_bags * config.bag_size <= n_training(dataset)
        if name == study.PROPORTION_NOISE:
            assert [config.proportion_epsilon for config in configs] == list(study.EPSILONS)


@pytest.mark.parametrize(
    ("dataset", "numbers"),
    [
        ("adult", [5, 10, 20, 50, 100, 200]),
        ("sms", [5, 10, 20, 50, 60]),
        ("breast_cancer", [5, 10, 15]),
        ("mnist", [5, 10, 20, 40, 50]),
    ],
)
def test_bags_selections_and_ks_are_studied_as_far_as_bags_can_be_filled(dataset, numbers, data_folder, mnist):
    configs = STUDIES[study.BAG_NUMBER].configs(dataset)
    assert [(c.n_bags, c.proportion_epsilon) for c in configs] == [
        (n, e) for n in numbers for e in (0.05, 0.2, math.inf)
    ]
    n_bags, size = default_bags(dataset)
    assert n_bags in numbers
    assert [(c.aggregation, c.k) for c in STUDIES[study.BY_K].configs(dataset)] == [("none", 1)] + [
        (name, k)
        for name, most in (("random-k", size), ("nearest-k", size), ("k-tree", size // 2))
        for k in (2, 5, 10, 20, 50, 100)
        if k <= most
    ]
    selections = STUDIES[study.SELECTING].configs(dataset)
    assert [(c.selection, c.n_bags) for c in selections] == [
        (name, 12 if dataset == "sms" else n_bags) for name in SELECTIONS
    ]


# --- what is shipped ---------------------------------------------------------------------------------


def shipped(name, dataset, **place):
    """The one row of the shipped file at a place."""
    rows = [row for row in load() if (row.study, row.dataset) == (name, dataset)]
    (row,) = [row for row in rows if all(getattr(row, field) == value for field, value in place.items())]
    return row


def test_the_shipped_file_holds_every_place_once(data_folder, mnist):
    rows = load()
    found = Counter((row.study, *(getattr(row, name) for name in PLACE), row.method, row.threshold) for row in rows)
    assert set(found.values()) == {1}
    expected, places = set(), {place[: 1 + len(PLACE)] for place in found}
    for one in STUDIES.values():
        for config in (config for dataset in one.datasets for config in one.configs(dataset)):
            place = (one.name, *(getattr(config, name) for name in PLACE))
            if place not in places:
                with pytest.raises(TooFewRecords):
                    draw_release(config)
                continue
            thresholds = (HALF, SHARE) if config.single else (HALF,)
            names = dict.fromkeys((FULL, *methods_of(config)))
            expected |= {(*place, name, threshold) for name in names for threshold in thresholds}
    assert set(found) == expected
    for row in rows:
        assert row.n_draws == results.N_DRAWS
        assert row.low <= row.average <= row.high
        assert 0 <= min(row.positive, row.negative) <= row.average <= max(row.positive, row.negative) <= 1
        assert row.loss < 1e-9 if row.k == 1 else 0 < row.loss < 1


@pytest.mark.parametrize(
    ("name", "dataset", "change", "method", "threshold", "other"),
    [
        (study.PROPORTION_NOISE, "breast_cancer", {"proportion_epsilon": 0.1}, LLP, SHARE, 0.02),
        (study.BAG_NUMBER, "adult", {"n_bags": 20, "proportion_epsilon": math.inf}, NAMES, SHARE, 0.05),
    ],
)
def test_shipped_rows_come_out_again(data_folder, name, dataset, change, method, threshold, other):
    config = replace(at_random(dataset), methods=(method,), **change)
    assert any(replace(one, methods=(method,)) == config for one in STUDIES[name].configs(dataset))
    marks = [mark for draw in range(results.N_DRAWS) for mark in study.trial(name, at_draw(config, draw))]
    found = np.mean([mark.f1 for mark in marks if (mark.method, mark.threshold) == (method, threshold)], axis=0)
    place = change | {"method": method, "threshold": threshold}
    row = shipped(name, dataset, **place)
    assert (row.positive, row.negative, row.average) == pytest.approx(tuple(found), abs=AGAIN[dataset])
    neighbour = shipped(name, dataset, **place | {"proportion_epsilon": other})
    assert abs(neighbour.average - found[2]) > 2 * AGAIN[dataset]


@pytest.mark.parametrize(
    ("selection", "method", "threshold", "least"),
    [
        ("iid", NAMES, SHARE, 0.79),
        ("skewed", NAMES, SHARE, 0.833),
        ("iid", LLP, HALF, 0.75),
        ("iid", FULL, HALF, 0.855),
    ],
)
def test_learning_from_bags_reaches_what_it_should(selection, method, threshold, least):
    row = shipped(study.SELECTING, "adult", selection=selection, method=method, threshold=threshold)
    standard_error = (row.high - row.low) / 2 / stats.t.ppf(0.975, row.n_draws - 1)
    assert row.average >= least - 2 * standard_error  # what ten other draws might have given
    nothing = shipped(study.SELECTING, "adult", selection="mixed", method=ALTERNATING, threshold=HALF)  # all negative
    assert row.average - 5 * standard_error > nothing.average == pytest.approx(0.66148, abs=1e-5)
