"""The chapter on classes, where there are more than two: which are taken for which, and every class's marks."""

from __future__ import annotations

from pages.kit import numbers
from pages.kit.numbers import count_draws, with_range
from pages.kit.panel import Chart, Panel, Table
from pages.topics.training.answer import Answer, snippet
from pages.topics.training.chapters import panel_of
from privdemo.experiments import training
from privdemo.figures import training as charts
from privdemo.methods import CLEAN, TRAINING


def classes(shown: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Which classes are taken for which, and every class's marks."""
    names, trials = shown.question.config.classes, shown.trials
    told = shown.compared or (CLEAN,)
    words = []
    for method in told:
        true, named = training.most_confused(trials, method)
        share = float(training.confusion(trials, method)[true, named])
        words.append(
            f"“{TRAINING[method].title}” most often takes a “{names[true]}” for a “{names[named]}”: "
            f"<b>{numbers.share(share)}</b> of the time."
        )
    return [
        Panel("", "Which classes are mixed up?", shown.question.said(" ".join(words))),
        tuple(_matrix(shown, method) for method in told),
        tuple(_marks(shown, method) for method in told),
    ]


def _matrix(shown: Answer, method: str) -> Panel:
    """What a method names the images of each class."""
    trials = training.having(shown.trials, method)
    return panel_of(
        shown,
        f"confusion-{method.replace(' ', '-')}",
        "",
        "",
        Chart(charts.confusion(trials, method)),
        f"The share of clean test images of each class, the rows, to which “{TRAINING[method].title}” gives each "
        f"class, the columns; mean over {count_draws(trials)}.",
        rows=lambda: training.class_table(shown.trials),
        snippet=snippet(shown.question).then(f'print(training.confusion(draws, "{method}"))'),
    )


def _marks(shown: Answer, method: str) -> Panel:
    """How often each class is found, and how often its name is right, with intervals."""
    marks = zip(shown.question.config.classes, training.class_marks(shown.trials, method), strict=True)
    meaning = (
        f"“{TRAINING[method].title}”. Found: of the images of a class, the share named so. Right: of those named so, "
        f"the share of it. In brackets 95 % intervals, {_over(shown)}."
    )
    cells = [
        [name, with_range(mark.recall), with_range(mark.precision) if mark.precision else "never named"]
        for name, mark in marks
    ]
    return panel_of(
        shown,
        f"classes-{method.replace(' ', '-')}",
        "",
        "",
        Table(["class", "found (recall)", "right (precision)"], cells, labelled=True),
        " ".join([meaning, *(f"{name}: {found}, {right}." for name, found, right in cells)]),
        rows=lambda: training.class_table(shown.trials),
        snippet=snippet(shown.question).then(f'print(training.class_marks(draws, "{method}"))'),
        note=meaning,
    )


def _over(shown: Answer) -> str:
    n = len(shown.trials)
    return f"over {n} draws" if n > 1 else "over the test images of one draw"
