"""What the chapters with shipped curves share: the rows of a study, their words, and the visitor’s own scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from pages.kit import cache, numbers
from pages.kit.numbers import count_trials
from pages.kit.snippet import Snippet
from pages.topics.label_proportions.answer import Answer
from privdemo.experiments import label_proportions, results
from privdemo.experiments.label_proportions import HALF, THRESHOLDS, study
from privdemo.experiments.label_proportions.study import Row
from privdemo.intervals import Estimate
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import FULL, LABEL_PROPORTIONS
from privdemo.palette import Style
from privdemo.tasks import BINARY

Level = Callable[[Row], float]
# A curve: the method, its name in the chart, its style, its rows, and where each stands on the axis.
Line = tuple[str, str, Style, list[Row], Level]

all_rows = cache.shared(study.load)


def study_rows(name: str, answer: Answer, threshold: str) -> list[Row]:
    """Return the shipped rows of a study for the visitor’s data set, or for the one shown in its place."""
    return study.select(all_rows(), name, shown_dataset(answer), threshold)


def shown_dataset(answer: Answer) -> str:
    """Return the data set whose curves are shown: MNIST for small digits and own images, Adult for an own table."""
    dataset = answer.question.config.dataset
    if not isinstance(dataset, str):
        return "mnist" if dataset.image_shape else "adult"
    return "mnist" if dataset == "digits" else dataset


def lines(rows: Sequence[Row], methods: Sequence[str], level: Level) -> list[Line]:
    """Return one curve for each method that has rows."""
    return [
        (method, LABEL_PROPORTIONS[method].title, LABEL_PROPORTIONS[method].style, along, level)
        for method in methods
        if (along := [row for row in rows if row.method == method])
    ]


def own_scores(answer: Answer, methods: Sequence[str], threshold: str) -> dict[str, Estimate]:
    """Return the visitor’s own scores, with the threshold of the curves if the trials have it."""
    threshold_used = threshold if threshold in answer.trials[0].fits[FULL].f1 else HALF
    known = [name for name in methods if name in answer.methods and name != FULL]
    return {name: label_proportions.mean_score(answer.trials, name, "average", threshold_used) for name in known}


def snippet(name: str, dataset: str) -> Snippet:
    """Return the code that prints the rows of a study."""
    return Snippet(
        ("from privdemo.experiments.label_proportions import study",),
        (
            "# computed anew by: python -m privdemo reproduce llp",
            f'for row in study.select(study.load(), "{name}", "{dataset}"):',
            "    noise = row.feature_epsilon, row.proportion_epsilon",
            "    print(row.selection, row.n_bags, row.aggregation, row.k, noise, row.method, row.threshold, "
            "row.estimate)",
        ),
    )


# --- words ---------------------------------------------------------------------------------------


def study_words(answer: Answer, at_random: bool = False, counted: bool = True) -> str:
    """Say what data, bags and trials the shipped curves are from."""
    name = shown_dataset(answer)
    base = study.base(name)
    how = "filled at random" if at_random else f"{SELECTIONS[base.selection].title} shares"
    bags = f"{base.n_bags} bags" if counted else "bags"
    return (
        f"{BINARY[name].title}: {bags} of {base.bag_size}, {how}, {results.N_TRIALS} trials a point with 95 % "
        "intervals."
    )


def differences(answer: Answer, axis: str, k: int = 1) -> tuple[str, ...]:
    """List how the visitor’s setting differs from that of the curves (means of `k`), except on `axis`."""
    make = study.base if axis == "k" else study.at_random
    own, base = answer.question.config, make(shown_dataset(answer))
    sizes = ("n_bags", "bag_size") if axis != "n_bags" else ("bag_size",)
    found = {
        "other records": own.dataset != base.dataset,
        "bags of other sizes": any(getattr(own, name) != getattr(base, name) for name in sizes),
        "bags filled in another way": own.selection != base.selection,
        "other averages": axis != "k" and (own.k != k or (k > 1 and own.aggregation != "random-k")),
        "noise on columns": axis != "feature_epsilon" and math.isfinite(own.feature_epsilon),
        "noise on shares": axis != "proportion_epsilon" and math.isfinite(own.proportion_epsilon),
    }
    return tuple(words for words, differs in found.items() if differs)


def own_words(answer: Answer, marks: Mapping[str, Estimate], other: tuple[str, ...], threshold: str) -> str:
    """Say what the visitor’s own marks are, plotted with the `threshold` of the curves."""
    if not marks:
        return "Your own setting has no mark here: it is trained or averaged in another way."
    where = f", which has {numbers.join_words(other)}" if other else ""
    at = "" if threshold == answer.question.threshold else f", here with threshold {THRESHOLDS[threshold]}"
    return f"The vertical line and the larger marks are your setting ({count_trials(answer.trials)}){where}{at}."


def ends(rows: Sequence[Row], methods: Sequence[str], words: Callable[[Row], str]) -> str:
    """Write the ends of every curve as numbers."""
    parts = []
    for method in methods:
        along = [row for row in rows if row.method == method]
        if along:
            first, last = along[0], along[-1]
            parts.append(
                f"{LABEL_PROPORTIONS[method].title} {first.average:.3f} at {words(first)}, "
                f"{last.average:.3f} at {words(last)}"
            )
    return f"Average F1: {'; '.join(parts)}."
