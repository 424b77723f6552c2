"""The shipped studies of class ratios: rows are means over draws, and shipped ones come out again."""

import math
from dataclasses import replace

import pytest

from privdemo.experiments import results
from privdemo.experiments.class_ratio import SHARES, study
from privdemo.methods import MMD, SPREAD


def test_shipped_rows_come_out_again(monkeypatch):
    config = next(c for c in study.STUDIES[study.BINARY].configs if c.dataset == "breast_cancer")
    config = replace(config, methods=(MMD, SPREAD))
    monkeypatch.setattr(study, "STUDIES", {study.BINARY: study.Study(study.BINARY, "", (config,))})
    marks = [mark for arguments in study.trials() for mark in study.trial(*arguments)]
    rows = results.from_csv(study.Row, study.to_csv(marks[::-1]))
    assert [row.method for row in study.select(rows, study.BINARY)] == [SPREAD, MMD], "in the order of all methods"
    shipped = [row for row in study.load() if (row.study, row.dataset) == (study.BINARY, "breast_cancer")]
    at = {(row.method, row.share if row.share == row.share else None): row for row in shipped}
    assert len(rows) == 2 * (1 + len(SHARES))
    for row in rows:
        same = at[row.method, None if math.isnan(row.share) else row.share]
        assert (row.error, row.low, row.high) == pytest.approx((same.error, same.low, same.high), abs=0.01)
        assert (row.n_draws, row.guarantee, row.rho, row.set_size) == (10, same.guarantee, same.rho, same.set_size)
    assert study.select(rows, study.BINARY)[0].distortion == 0
