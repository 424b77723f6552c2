"""The shipped study of a larger δ: the curator's classifier along ε at `LARGE_DELTA`, beside the default δ of `study`.

The shares need none, as the errors of those who count are known exactly. Its results are one small CSV file;
`python -m privdemo reproduce deltas` computes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privdemo.experiments.comparison import study
from privdemo.experiments.comparison.config import CLASSIFY, ComparisonConfig
from privdemo.experiments.comparison.study import Mark, Row
from privdemo.experiments.shipped_study import ShippedStudy
from privdemo.methods import CURATED

# With 500 people half a record on average may be published at this δ.
LARGE_DELTA = 1e-3
CONTEXTS = tuple(context for context in study.CONTEXTS if context.task == CLASSIFY)


def settings() -> list[tuple[ComparisonConfig]]:
    """Return the configs of all curves."""
    return [
        (replace(context, epsilon=epsilon, delta=LARGE_DELTA, methods=(CURATED,)),)
        for context in CONTEXTS
        for epsilon in study.EPSILONS
    ]


def rows(marks: Sequence[Mark]) -> list[Row]:
    """Return the means over two or more trials, in the order of contexts, ε and metrics."""
    return study.rows(replace(mark, config=replace(mark.config, delta=None, methods=())) for mark in marks)


_TITLE = "A larger δ: a curator’s classifier along ε at δ = 10⁻³"
STUDY = ShippedStudy(
    "deltas",
    _TITLE,
    settings,
    study.run_trial,
    Row,
    rows,
    lambda all_rows: [_TITLE, *study.report(all_rows)[1:]],
    needs="MNIST and Adult",
)
load = STUDY.load
