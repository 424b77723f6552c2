"""Made-up rows of the comparison, and questions and answers of them."""

from __future__ import annotations

from typing import Any

from pages.topics.comparison.answer import Answer, rows_of
from pages.topics.comparison.controls import Question
from privdemo.experiments.comparison import CLASSIFY, ComparisonConfig, Fit, Trial
from privdemo.experiments.comparison.study import Row
from privdemo.experiments.draws import at_draw
from privdemo.methods import NAIVE, NOBODY, OWNER, SPREAD

BOTH = (NAIVE, SPREAD)
DIGITS = ComparisonConfig(dataset="digits", n_train=120, methods=BOTH)
# One of which nothing is shipped.
SMALL = ComparisonConfig(dataset="digits", n_train=40, methods=BOTH)


def question(config: ComparisonConfig = DIGITS, n_draws: int = 10, **more: Any) -> Question:
    return Question(config, n_draws, **({"metric": "accuracy", "goal": None, "trusted": (NOBODY, OWNER)} | more))


def trials(config: ComparisonConfig, *marks: float) -> list[Trial]:
    """One trial a mark of the config's first method, by the main metric of its task."""
    method, metric = config.methods[0], "accuracy" if config.task == CLASSIFY else "error"
    return [Trial(at_draw(config, i), {method: Fit(method, {metric: mark}, 0.0)}) for i, mark in enumerate(marks)]


def row(config: ComparisonConfig, *marks: float) -> Row:
    """The row of such trials once all are made."""
    return rows_of(config, len(marks), trials(config, *marks))[0]


def shown(asked: Question, *mine: Row, **more: Any) -> Answer:
    nothing = {"curves": (), "pinned": (), "n_draws": 10, "problems": {}, "running": False}
    return Answer(asked, mine=mine, **(nothing | more))
