"""The shipped study of pushed labels: the comparison along the part of the people who send a label of an attacker's
choice.

Its results are one small CSV file; `python -m privdemo reproduce pushed` computes it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from privdemo.experiments.comparison import study
from privdemo.experiments.comparison.config import CLASSIFY, OPPOSITE, SECOND, SHARE, ComparisonConfig
from privdemo.experiments.comparison.study import Mark, Row
from privdemo.experiments.shipped_study import ShippedStudy, group

# The parts of the people who push that are tried.
PARTS = (0.0, 0.1, 0.2, 0.3)
# What is shipped: both tasks, all else by default.
CONTEXTS = tuple(ComparisonConfig(task) for task in (CLASSIFY, SHARE))


@dataclass(frozen=True)
class PushedRow(Row):
    """One method by one metric where a part of the people push their labels."""

    fake_part: float = 0.0
    fake_label: str = OPPOSITE


def along(config: ComparisonConfig) -> list[ComparisonConfig]:
    """Return a config at every one of `PARTS`; at 0 nobody sends anything else, so that its attack is the default."""
    return [replace(config, fake_part=part, fake_label=config.fake_label if part else OPPOSITE) for part in PARTS]


def settings() -> list[tuple[ComparisonConfig]]:
    """Return the configs of all curves, each once."""
    attacked = [replace(context, fake_label=label) for context in CONTEXTS for label in (OPPOSITE, SECOND)]
    return [(config,) for config in dict.fromkeys(one for each in attacked for one in along(each))]


def rows(marks: Iterable[Mark]) -> list[PushedRow]:
    """Return the means over two or more trials, config by config, each in the order of methods and metrics."""
    return [
        PushedRow(**vars(row), fake_part=config.fake_part, fake_label=config.fake_label)
        for config, of_config in group(marks, lambda mark: mark.config).items()
        for row in study.rows(of_config)
    ]


def report(all_rows: Sequence[PushedRow]) -> list[str]:
    """Return every measure of every method."""
    lines = [STUDY.title, "mean and 95 % interval on clean test records; who must be trusted"]
    return lines + [
        f"{row.task:8s}  {row.fake_part:4.0%} send the {row.fake_label:8s}  {row.method:20s}  {row.metric:8s}  "
        f"{row.estimate:.3f}  {row.trust}"
        for row in all_rows
    ]


STUDY = ShippedStudy(
    "pushed",
    "Labels pushed by some: every family on the same people, along the part who send a label of an attacker's choice",
    settings,
    study.run_trial,
    PushedRow,
    rows,
    report,
    needs="MNIST",
)
load = STUDY.load
