"""Panels of the chapter on noise: F1 against ε, from shipped results, and the privacy guarantee of the own setting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pages.kit import cache, numbers
from pages.kit.panel import Cards, Chart, Panel
from pages.topics.label_proportions import shipped
from pages.topics.label_proportions.answer import Answer
from pages.topics.label_proportions.question import COLUMNS
from pages.topics.label_proportions.shipped import Level
from privdemo import datasets
from privdemo.datasets import Source
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, study
from privdemo.experiments.label_proportions.study import Row
from privdemo.figures import label_proportions as charts
from privdemo.mechanisms import aggregation
from privdemo.methods import FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES
from privdemo.tasks import BINARY, Task

# The fraction of the noise that should lie within ± the half-width (Yan: "control noise domain above 90 % in
# [−0.5, 0.5]").
WITHIN, HALF_WIDTH = 0.9, 0.5
# A drop of F1 (absolute) below this counts as negligible.
LOSS = 0.02


def _n_columns(dataset: Source) -> int:
    """Return how many columns the records have."""
    return len(datasets.load(dataset).feature_names)


n_columns = cache.shared_or_private(_n_columns)


@dataclass(frozen=True)
class _Curves:
    """The curves of noise on averages of `count` records: on columns of records, or on shares of bags."""

    study: str
    rows: list[Row]
    count: int
    methods: tuple[str, ...]
    threshold: str
    on_columns: bool

    def level(self, row: Row) -> float:
        """Return the ε of a row."""
        return row.feature_epsilon if self.on_columns else row.proportion_epsilon


def _curves(answer: Answer, on_columns: bool) -> _Curves:
    """Return the curves of noise on columns, at the k nearest to the visitor’s, or on shares."""
    if not on_columns:
        threshold = answer.question.threshold
        rows = shipped.study_rows(study.PROPORTION_NOISE, answer, threshold)
        return _Curves(study.PROPORTION_NOISE, rows, rows[0].bag_size, (FULL, NAMES, LLP, MEAN_MAP), threshold, False)
    rows = shipped.study_rows(study.FEATURE_NOISE, answer, HALF)
    own = max(answer.question.config.k, 1)
    k = min({row.k for row in rows}, key=lambda k: abs(math.log(k / own)))
    rows = [row for row in rows if row.k == k]
    return _Curves(study.FEATURE_NOISE, rows, k, (FULL, LABELLED, NAMES, LLP), HALF, True)


def panels(answer: Answer, noise_on: str) -> list[Panel]:
    """Return F1 against ε, with the smallest ε that bounds the noise, and the guarantee of the visitor’s ε."""
    config, curves = answer.question.config, _curves(answer, noise_on == COLUMNS)
    bound = aggregation.smallest_epsilon(curves.count, HALF_WIDTH, WITHIN)
    scores = shipped.own_scores(answer, curves.methods, curves.threshold)
    figure = charts.curves(
        shipped.lines(curves.rows, curves.methods, curves.level),
        f"ε {_each(curves.on_columns)}, log scale (right: less noise)",
        study.EPSILONS,
        scores,
        config.feature_epsilon if curves.on_columns else config.proportion_epsilon,
        [(bound, f"{numbers.share(WITHIN, 0)} of the noise within ±{HALF_WIDTH} →")],
    )
    axis, k = ("feature_epsilon", curves.count) if curves.on_columns else ("proportion_epsilon", 1)
    own = shipped.own_words(answer, scores, shipped.differences(answer, axis, k), curves.threshold)
    return [
        Panel(
            "f1-by-noise",
            "What does noise cost?",
            cost_words(
                curves.rows, curves.level, curves.on_columns, curves.count, BINARY[shipped.shown_dataset(answer)]
            ),
            Chart(figure),
            f"{shipped.study_words(answer, at_random=True)} {_curve_words(curves, bound)} {own}",
            lambda: [vars(row) | LABEL_PROPORTIONS[row.method].columns for row in curves.rows],
            shipped.snippet(curves.study, shipped.shown_dataset(answer)),
            note="Each number that noise is added to lies between 0 and 1. Right of the dotted line "
            f"{numbers.share(WITHIN, 0)} of the noise moves it by at most {HALF_WIDTH}.",
        ),
        Panel("bag-promises", "What does your own noise promise?", figure=Cards(promises(answer))),
    ]


def _curve_words(curves: _Curves, bound: float) -> str:
    """Say what the noise is, and list the ends of the curves."""
    what = (
        f"every column of averages of {curves.count} random records"
        if curves.on_columns
        else f"the share of every bag of {curves.count}"
    )
    ends = shipped.ends(curves.rows, curves.methods, lambda row: f"ε = {numbers.epsilon(curves.level(row))}")
    return (
        f"Laplace noise of scale 1/({curves.count} ε) on {what}. {ends} Dotted: from ε = {bound:.3g} on, "
        f"{numbers.share(WITHIN, 0)} of the noise lies within ±{HALF_WIDTH}."
    )


def cost_words(rows: Sequence[Row], level: Level, on_columns: bool, count: int, task: Task) -> str:
    """State the smallest ε from which on noise costs matching bag shares less than `LOSS` of its F1."""
    by_epsilon = {level(row): row for row in rows if row.method == LLP}
    f1_by_epsilon = {epsilon: row.average for epsilon, row in by_epsilon.items()}
    f1_without_noise = f1_by_epsilon[math.inf]
    least, largest = min(f1_by_epsilon), max(filter(math.isfinite, f1_by_epsilon))
    sufficient_epsilon = min(
        epsilon
        for epsilon in f1_by_epsilon
        if all(f1_by_epsilon[e] > f1_without_noise - LOSS for e in f1_by_epsilon if e >= epsilon)
    )
    lowers = f"that lowers the F1 score of “{LABEL_PROPORTIONS[LLP].title}”"
    cost = (
        f"<b>With ε of {numbers.epsilon(sufficient_epsilon)} or more</b> {lowers} by less than {LOSS}"
        if math.isfinite(sufficient_epsilon)
        else f"<b>Even with ε = {numbers.epsilon(largest)}</b> {lowers} by more than {LOSS}"
    )
    what = (
        f"Averages of {count} {task.records} are sent on, with noise on each number"
        if on_columns
        else f"Noise is added to the share of each bag of {count}"
    )
    lazy = (
        f", which calling all {task.records} “{task.labels[0]}” reaches too" if not by_epsilon[least].positive else ""
    )
    return (
        f"{what}. {cost}, from {f1_without_noise:.3f} without noise; with ε = {numbers.epsilon(least)} it is "
        f"{f1_by_epsilon[least]:.3f}{lazy}. For the same ε "
        f"{f'averages of more {task.records}' if on_columns else 'larger bags'} need less noise."
    )


def _each(on_columns: bool) -> str:
    """Say what an ε of the curves is for."""
    return "for each number of an average" if on_columns else "for each label"


# --- promises ------------------------------------------------------------------------------------


def promises(answer: Answer) -> list[tuple[str, str, str]]:
    """Return the cards of what the visitor’s own ε promise: for a column, an attribute, a label, and a record."""
    config, cards = answer.question.config, []
    if math.isfinite(config.feature_epsilon):
        words = _within_words(max(1, config.k), config.feature_epsilon, f"k = {config.k}")
        if label_proportions.changed_columns(config.dataset):
            both = numbers.epsilon(2 * config.feature_epsilon)
            words += f" An attribute is 1 in one column of its own, so changing it changes two: ε = {both}."
        cards.append(_card("One column", config.feature_epsilon, words, config.column_promise))
    if math.isfinite(config.proportion_epsilon):
        m = int(answer.trials[0].sizes.min())
        words = _within_words(m, config.proportion_epsilon, f"bags of {m}")
        cards.append(_card("One label", config.proportion_epsilon, words, config.label_promise))
    return [*cards, _whole_record(answer)]


def _whole_record(answer: Answer) -> tuple[str, str, str]:
    """Return the card of what all ε together promise for a record."""
    config = answer.question.config
    n, n_changes = n_columns(config.dataset), label_proportions.changed_columns(config.dataset)
    every, differing = label_proportions.record_epsilon(config)
    if math.isinf(every):
        noise = {"columns": config.feature_epsilon, "shares": config.proportion_epsilon}
        without = numbers.join_words(tuple(name for name, epsilon in noise.items() if math.isinf(epsilon)))
        words = f"Without noise on {without} nothing bounds what is given away of a whole record."
    elif n_changes:
        words = (
            f"{n} columns and the label add up to {numbers.epsilon(every)}; but two records differ in at most "
            f"{n_changes} columns, two for each of the {n_changes // 2} attributes."
        )
    else:
        words = f"All {n:,} columns may differ between two records, and each takes its ε, as does the label."
    return _card("A whole record", differing, words, math.isinf(every) or config.column_promise)


def _within_words(count: int, epsilon: float, where: str) -> str:
    """Say how much of the noise on averages of `count` is small, and which ε keeps `WITHIN` of it small."""
    within = aggregation.noise_within(float(aggregation.mean_scale(count, epsilon)), HALF_WIDTH)
    bound = numbers.epsilon(aggregation.smallest_epsilon(count, HALF_WIDTH, WITHIN))
    share = numbers.share(within)
    words = f"{share[:1].upper()}{share[1:]} of the noise lies within ±{HALF_WIDTH}"
    return f"{words}; ε = {bound} keeps {numbers.share(WITHIN, 0)} there ({where})."


def _card(title: str, epsilon: float, words: str, holds: bool) -> tuple[str, str, str]:
    """Return the card of a promise, or of why there is none."""
    if holds:
        return title, f"ε = {numbers.epsilon(epsilon)}", words
    why = "Bags or groups were made by looking at the records, and no noise covers that (see Limits). "
    return f"{title}: no promise", f"ε = {numbers.epsilon(epsilon)} does not hold", f"{why}{words}"
