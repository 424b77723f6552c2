"""The shipped studies of class ratios: rows are means over draws, and the results file holds what the studies ask."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments import class_ratio, results
from privdemo.experiments.class_ratio import SHARES, RatioConfig, study
from privdemo.methods import MMD, PSVM, SPREAD

CONFIG = RatioConfig("digits", 4, 80, n_test=80, methods=(SPREAD, MMD), epsilon=0.5, n_min=5)


def test_rows_are_means_over_draws_of_every_release(monkeypatch):
    small = study.Study("skew", "", (CONFIG, replace(CONFIG, rho=0.15)), ("none", "laplace tight"))
    monkeypatch.setattr(study, "STUDIES", {"skew": small})
    assert len(study.trials(2)) == 4
    marks = [mark for arguments in study.trials(2) for mark in study.trial(*arguments)]
    assert len(marks) == 2 * 2 * 2 * 2
    rows = study.rows(marks[::-1])
    assert len(rows) == 2 * 2 * 2 * (1 + len(SHARES))
    assert [row.rho for row in study.select(rows, "skew")] == [0.1] * 4 + [0.15] * 4, "in the order of the study"
    trials = [class_ratio.run(replace(CONFIG, release="laplace tight", draw=draw)) for draw in range(2)]
    place = {"rho": 0.1, "release": "laplace tight", "method": SPREAD}
    overall, *single = (row for row in rows if all(getattr(row, name) == value for name, value in place.items()))
    assert overall.error == pytest.approx(class_ratio.mean_error(trials, SPREAD).mean)
    assert overall.distortion == pytest.approx(np.mean([trial.distortion for trial in trials]))
    assert [row.share for row in single] == list(SHARES)
    assert single[4].error == pytest.approx(class_ratio.error_along(trials, SPREAD, 4).mean)
    again = results.from_csv(study.Row, study.to_csv(marks))
    assert [row.error for row in again] == pytest.approx([row.error for row in rows], rel=1e-5)
    assert math.isnan(again[0].share)


def test_the_results_file_holds_every_study():
    rows = study.load()
    expected = {
        (one.name, config.dataset, config.rho, config.copies, release, method)
        for one in study.STUDIES.values()
        for config in one.configs
        for release in one.releases
        for method in config.methods
    }
    overall = [row for name in study.STUDIES for row in study.select(rows, name)]
    found = {(row.study, row.dataset, row.rho, row.copies, row.release, row.method) for row in overall}
    assert found == expected
    assert len(overall) == len(expected)
    assert {row.n_draws for row in rows} == {results.N_DRAWS}
    assert {row.guarantee for row in rows if row.release == "dirichlet local"} == {
        "none: noise chosen from the private counts"
    }


def test_a_shipped_place_can_be_had_again():
    config = next(c for c in study.STUDIES[study.BINARY].configs if c.dataset == "breast_cancer")
    fresh = {mark.method: np.mean(mark.errors) for mark in study.trial(study.BINARY, config)}
    rows = {row.method: row for row in study.select(study.load(), study.BINARY) if row.dataset == "breast_cancer"}
    assert set(fresh) == set(rows)
    for method, value in fresh.items():
        # one draw of ten: within five standard deviations of the mean (t(0.975, 9) = 2.26)
        deviation = (rows[method].high - rows[method].low) / 2 / 2.26 * math.sqrt(10)
        assert abs(value - rows[method].error) <= 5 * deviation + 1e-9


def test_the_papers_reductions_stand_beside_ours():
    rows = study.load()
    found = study.published_reductions(rows)
    assert [one.published for one in found] == [0.7, 0.6, 0.6, 0.6]
    at = {row.release: row.error for row in study.select(rows, study.PRIVATE) if row.method == MMD}
    assert [one.ours.mean for one in found[1:]] == pytest.approx(
        [
            1 - at["dirichlet published"] / at["laplace published"],
            1 - at["dirichlet public"] / at["laplace published"],
            1 - at["dirichlet public"] / at["laplace tight"],
        ]
    )
    shares = study.select(rows, study.BINARY, overall=False)
    adult = {(row.method, row.share): row.error for row in shares if row.dataset == "adult"}
    assert found[0].ours.mean == pytest.approx(max(1 - adult[MMD, share] / adult[PSVM, share] for share in SHARES))
    assert all(one.ours.low < one.ours.mean < one.ours.high for one in found)
