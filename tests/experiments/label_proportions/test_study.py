"""The studies of bags: means over draws, their file, what is studied, and the shipped numbers made again."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments import results
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import (
    F1,
    HALF,
    SHARE,
    draw_release,
    methods_of,
    n_training,
    run,
    study,
)
from privdemo.experiments.label_proportions.study import STUDIES, Mark, Row, Study, at_random, load
from privdemo.mechanisms.aggregation import TooFewRecords
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import FULL, LABELLED, LLP
from tests.experiments.label_proportions.cases import GROUPED, SINGLE
from tests.experiments.oracles import student

# Six digits are written.
WRITTEN = 5e-6
# Machines sum in other orders: a record or two of 171, or a penalty's next value.
AGAIN = 2 / 171
KS = (2, 5, 10, 20, 50)
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


def test_rows_are_means_over_draws_in_the_studys_order_and_a_file_gives_them_back(tiny):
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
    for row, again in zip(rows, results.from_csv(Row, study.to_csv(marks)), strict=True):
        for value, read in zip(vars(row).values(), vars(again).values(), strict=True):
            assert type(read) is type(value)
            assert read == (pytest.approx(value, rel=WRITTEN) if isinstance(value, float) else value)


def test_places_that_some_draw_could_not_fill_are_left_out(tiny):
    full, other, _ = tiny_configs("sms")
    marks = [make_mark("tiny", full, LLP, HALF, 0.5)] * 3 + [make_mark("tiny", other, LLP, HALF, 0.5)] * 2
    assert [(row.aggregation, row.n_draws) for row in study.rows(marks)] == [("none", 3)]


def test_every_config_of_every_study_is_tried_on_every_draw(tiny):
    places = [(name, dataset) for name in ("other", "tiny") for dataset in ("sms", "breast_cancer")]
    expected = [(name, at_draw(c, draw)) for name, d in places for c in tiny_configs(d) for draw in range(2)]
    assert study.trials(2) == expected


def test_a_trial_is_a_run():
    config = replace(GROUPED, draw=3)
    done = run(config)
    assert study.trial("k", config) == [
        Mark("k", replace(config, draw=0), name, threshold, f1, done.loss)
        for name, fit in done.fits.items()
        for threshold, f1 in fit.f1.items()
    ]


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


def test_bags_selections_and_ks_are_studied_as_far_as_bags_can_be_filled(data_folder):
    numbers = STUDIES[study.BAG_NUMBER].configs("sms")
    assert [(c.n_bags, c.proportion_epsilon) for c in numbers] == [
        (n, e) for n in (5, 10, 20, 50, 60) for e in (0.05, 0.2, math.inf)
    ]
    assert [(c.aggregation, c.k) for c in STUDIES[study.BY_K].configs("sms")] == [("none", 1)] + [
        (name, k) for name, most in (("random-k", 60), ("nearest-k", 60), ("k-tree", 30)) for k in KS if k <= most
    ]
    for dataset, n_bags in (("sms", 12), ("adult", 100)):
        selections = STUDIES[study.SELECTING].configs(dataset)
        assert [(c.selection, c.n_bags) for c in selections] == [(name, n_bags) for name in SELECTIONS]


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


def test_a_shipped_row_comes_out_again():
    change, place = {"proportion_epsilon": 0.1}, {"method": LLP, "threshold": SHARE}
    config = replace(at_random("breast_cancer"), methods=(LLP,), **change)
    marks = [mark for draw in range(results.N_DRAWS) for mark in study.trial("k", at_draw(config, draw))]
    found = np.mean([mark.f1 for mark in marks if (mark.method, mark.threshold) == (LLP, SHARE)], axis=0)
    row = shipped(study.PROPORTION_NOISE, "breast_cancer", **change, **place)
    assert (row.positive, row.negative, row.average) == pytest.approx(tuple(found), abs=AGAIN)
    neighbour = shipped(study.PROPORTION_NOISE, "breast_cancer", proportion_epsilon=0.02, **place)
    assert abs(neighbour.average - found[2]) > 2 * AGAIN
