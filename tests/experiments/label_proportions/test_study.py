"""A shipped row of the studies of bags is made again, from its draws."""

from dataclasses import replace

import pytest

from privdemo.experiments import results
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import HALF, SHARE, study
from privdemo.experiments.label_proportions.study import Row, Study, at_random, load
from privdemo.methods import FULL, LLP

# Machines sum in other orders: a record or two of 171, or a penalty's next value.
AGAIN = 2 / 171


def test_shipped_rows_come_out_again(monkeypatch):
    name, dataset = study.PROPORTION_NOISE, "breast_cancer"
    configs = [replace(at_random(dataset), methods=(LLP,), proportion_epsilon=epsilon) for epsilon in (0.1, 0.02)]
    monkeypatch.setattr(study, "STUDIES", {name: Study(name, "", "", (dataset,), lambda dataset: configs)})
    trials = study.trials()
    assert trials == [(name, at_draw(config, draw)) for config in configs for draw in range(results.N_DRAWS)]
    marks = [mark for arguments in trials[: results.N_DRAWS] for mark in study.trial(*arguments)]
    rows = results.from_csv(Row, study.to_csv(marks[::-1]))
    shipped = {(row.method, row.threshold, row.proportion_epsilon): row for row in study.select(load(), name, dataset)}
    assert {(row.method, row.threshold) for row in rows} == {(m, t) for m in (FULL, LLP) for t in (HALF, SHARE)}
    for row in rows:
        same = shipped[row.method, row.threshold, row.proportion_epsilon]
        for field, value in vars(row).items():
            near = pytest.approx(value, abs=2 * AGAIN) if isinstance(value, float) else value
            assert getattr(same, field) == near, field
        assert row.average == pytest.approx(same.average, abs=AGAIN)
        other = shipped[row.method, row.threshold, 0.02]
        assert row.method == FULL or row.threshold == HALF or abs(other.average - row.average) > 2 * AGAIN
    chosen = study.select(rows, name, dataset, SHARE)
    assert {row.threshold for row in chosen} == {SHARE}
