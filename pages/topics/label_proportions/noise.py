"""The chapter on noise: what it costs, in shipped curves with the visitor's own setting, and what it promises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pages.kit import cache, numbers
from pages.kit.panel import Cards, Chart, Panel
from pages.topics.label_proportions import shipped
from pages.topics.label_proportions.answer import Answer
from pages.topics.label_proportions.controls import COLUMNS
from pages.topics.label_proportions.shipped import Level
from privdemo import datasets
from privdemo.datasets import Source
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, study
from privdemo.experiments.label_proportions.study import Row
from privdemo.figures import label_proportions as charts
from privdemo.mechanisms import aggregation
from privdemo.methods import FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES

# How much of the noise is wished to lie within ± what (Yan: "control noise domain above 90 % in [−0.5, 0.5]").
WITHIN, HALF_WIDTH = 0.9, 0.5
# The F1 that may be lost for it to be kept.
LOST = 0.02


def _n_columns(dataset: Source) -> int:
    """How many columns the records have."""
    return len(datasets.load(dataset).feature_names)


n_columns = cache.shared_or_private(_n_columns)


@dataclass(frozen=True)
class _Curves:
    """The curves of noise on averages of `count`: on columns of records, or on shares of bags."""

    study: str
    rows: list[Row]
    count: int
    methods: tuple[str, ...]
    threshold: str
    on_columns: bool

    def level(self, row: Row) -> float:
        """The ε of a row."""
        return row.feature_epsilon if self.on_columns else row.proportion_epsilon


def _curves(shown: Answer, on_columns: bool) -> _Curves:
    if not on_columns:
        threshold = shown.question.threshold
        rows = shipped.study_rows(study.PROPORTION_NOISE, shown, threshold)
        return _Curves(study.PROPORTION_NOISE, rows, rows[0].bag_size, (FULL, NAMES, LLP, MEAN_MAP), threshold, False)
    rows = shipped.study_rows(study.FEATURE_NOISE, shown, HALF)
    own = max(shown.question.config.k, 1)
    k = min({row.k for row in rows}, key=lambda k: abs(math.log(k / own)))
    rows = [row for row in rows if row.k == k]
    return _Curves(study.FEATURE_NOISE, rows, k, (FULL, LABELLED, NAMES, LLP), HALF, True)


def panels(shown: Answer, noise_on: str) -> list[Panel]:
    """F1 against ε, what ε promises, and the smallest ε that keeps the noise within bounds."""
    config, curves = shown.question.config, _curves(shown, noise_on == COLUMNS)
    bound = aggregation.smallest_epsilon(curves.count, HALF_WIDTH, WITHIN)
    marks = shipped.yours(shown, curves.methods, curves.threshold)
    figure = charts.curves(
        shipped.lines(curves.rows, curves.methods, curves.level),
        "ε of every column" if curves.on_columns else "ε of every label",
        study.EPSILONS,
        marks,
        config.feature_epsilon if curves.on_columns else config.proportion_epsilon,
        [(bound, f"{numbers.share(WITHIN, 0)} within ±{HALF_WIDTH}")],
    )
    axis, k = ("feature_epsilon", curves.count) if curves.on_columns else ("proportion_epsilon", 1)
    own = shipped.own_words(shown, marks, shipped.differences(shown, axis, k), curves.threshold)
    return [
        Panel(
            "f1-by-noise",
            "What does noise cost?",
            cost_words(curves.rows, curves.level, curves.on_columns, curves.count),
            Chart(figure),
            f"{shipped.study_words(shown, at_random=True)} {_curve_words(curves, bound)} {own}",
            lambda: [vars(row) | LABEL_PROPORTIONS[row.method].columns for row in curves.rows],
            shipped.snippet(curves.study, shipped.stand_in(shown)),
        ),
        Panel("bag-promises", "What does your own noise promise?", figure=Cards(promises(shown))),
    ]


def _curve_words(curves: _Curves, bound: float) -> str:
    """What the noise is, and the ends of the curves."""
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


def cost_words(rows: Sequence[Row], level: Level, on_columns: bool, count: int) -> str:
    """Say from which ε on matching bag shares keeps nearly all of its F1."""
    mine = {level(row): row.average for row in rows if row.method == LLP}
    whole, least, largest = mine[math.inf], min(mine), max(filter(math.isfinite, mine))
    enough = min(epsilon for epsilon in mine if all(mine[e] > whole - LOST for e in mine if e >= epsilon))
    each = "column" if on_columns else "label"
    kept = (
        f"loses under {LOST} of its F1 of {whole:.3f} if each {each} gets <b>ε ≥ {numbers.epsilon(enough)}</b>"
        if math.isfinite(enough)
        else f"loses more than {LOST} of its F1 of {whole:.3f} <b>even at ε = {numbers.epsilon(largest)}</b> a {each}"
    )
    return (
        f"With {f'averages of {count}' if on_columns else f'bags of {count}'}, {LABEL_PROPORTIONS[LLP].title} {kept}; "
        f"at ε = {numbers.epsilon(least)} it scores {mine[least]:.3f}. For the same ε "
        f"{'a larger k needs' if on_columns else 'larger bags need'} less noise."
    )


# --- promises ------------------------------------------------------------------------------------


def promises(shown: Answer) -> list[tuple[str, str, str]]:
    """What the visitor's own ε promise: of a column, an attribute, a label, and a whole record."""
    config, cards = shown.question.config, []
    if math.isfinite(config.feature_epsilon):
        words = _within(max(1, config.k), config.feature_epsilon, f"k = {config.k}")
        if label_proportions.changed_columns(config.dataset):
            both = numbers.epsilon(2 * config.feature_epsilon)
            words += f" An attribute is 1 in one column of its own, so changing it changes two: ε = {both}."
        cards.append(_card("One column", config.feature_epsilon, words, config.column_promise))
    if math.isfinite(config.proportion_epsilon):
        m = int(shown.trials[0].sizes.min())
        words = _within(m, config.proportion_epsilon, f"bags of {m}")
        cards.append(_card("One label", config.proportion_epsilon, words, config.label_promise))
    return [*cards, _whole_record(shown)]


def _whole_record(shown: Answer) -> tuple[str, str, str]:
    """What all ε together promise of a record."""
    config = shown.question.config
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


def _within(count: int, epsilon: float, where: str) -> str:
    """How much of the noise on averages of `count` is small, and which ε keeps `WITHIN` of it so."""
    within = aggregation.noise_within(float(aggregation.mean_scale(count, epsilon)), HALF_WIDTH)
    bound = numbers.epsilon(aggregation.smallest_epsilon(count, HALF_WIDTH, WITHIN))
    share = numbers.share(within)
    words = f"{share[:1].upper()}{share[1:]} of the noise lies within ±{HALF_WIDTH}"
    return f"{words}; ε = {bound} keeps {numbers.share(WITHIN, 0)} there ({where})."


def _card(title: str, epsilon: float, words: str, holds: bool) -> tuple[str, str, str]:
    """A promise, or why it is none."""
    if holds:
        return title, f"ε = {numbers.epsilon(epsilon)}", words
    why = "Bags or groups were made by looking at the records, and no noise covers that (see Caveats). "
    return f"{title}: no promise", f"ε = {numbers.epsilon(epsilon)} does not hold", f"{why}{words}"
