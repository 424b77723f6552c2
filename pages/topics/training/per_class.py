"""The chapter on more than two classes: which are confused with which, and every class’s recall and precision."""

from __future__ import annotations

from pages.kit import numbers
from pages.kit.numbers import count_draws, with_range
from pages.kit.panel import Chart, Panel, Table
from pages.topics.training.answer import Answer, snippet
from pages.topics.training.chapters import panel_of
from privdemo.experiments import training
from privdemo.figures import training as charts
from privdemo.methods import CLEAN, TRAINING


def classes(answer: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Return the panels of which classes are confused with which, and of every class’s recall and precision."""
    names, trials = answer.question.config.classes, answer.trials
    methods = answer.compared or (CLEAN,)
    words = []
    for method in methods:
        true, named = training.most_confused(trials, method)
        share = float(training.confusion(trials, method)[true, named])
        words.append(
            f"“{TRAINING[method].title}” most often takes a “{names[true]}” for a “{names[named]}”: "
            f"<b>{numbers.share(share)}</b> of the time."
        )
    return [
        Panel("", "Which classes are mixed up?", answer.question.in_its_words(" ".join(words))),
        tuple(_confusion_panel(answer, method) for method in methods),
        tuple(_class_scores_panel(answer, method) for method in methods),
    ]


def _confusion_panel(answer: Answer, method: str) -> Panel:
    """Return the panel of a method’s confusion matrix."""
    trials = training.having(answer.trials, method)
    return panel_of(
        answer,
        f"confusion-{method.replace(' ', '-')}",
        "",
        "",
        Chart(charts.confusion(trials, method)),
        f"The share of clean test images of each class, the rows, to which “{TRAINING[method].title}” gives each "
        f"class, the columns; mean over {count_draws(trials)}.",
        rows=lambda: training.class_table(answer.trials),
        snippet=snippet(answer.question).then(f'print(training.confusion(draws, "{method}"))'),
    )


def _class_scores_panel(answer: Answer, method: str) -> Panel:
    """Return the table of a method’s recall and precision for each class, with intervals."""
    marks = zip(answer.question.config.classes, training.class_marks(answer.trials, method), strict=True)
    meaning = (
        f"“{TRAINING[method].title}”. Found: of the images of a class, the share named so. Right: of those named so, "
        f"the share of it. In brackets 95 % intervals, {_interval_words(answer)}."
    )
    cells = [
        [name, with_range(mark.recall), with_range(mark.precision) if mark.precision else "never named"]
        for name, mark in marks
    ]
    return panel_of(
        answer,
        f"classes-{method.replace(' ', '-')}",
        "",
        "",
        Table(["class", "found (recall)", "right (precision)"], cells, labelled=True),
        " ".join([meaning, *(f"{name}: {found}, {right}." for name, found, right in cells)]),
        rows=lambda: training.class_table(answer.trials),
        snippet=snippet(answer.question).then(f'print(training.class_marks(draws, "{method}"))'),
        note=meaning,
    )


def _interval_words(answer: Answer) -> str:
    """Say what the intervals are over."""
    n = len(answer.trials)
    return f"over {n} draws" if n > 1 else "over the test images of one draw"
