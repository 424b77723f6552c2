"""Panels of the chapter on choosing sets: error by skew and by number of sets, condition number and bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pages.kit import numbers
from pages.kit.panel import Chart, Panel
from pages.topics.class_ratio.answer import Answer
from pages.topics.class_ratio.figures import shipped, study_snippet
from privdemo.estimators.mmd import BOUND_DELTA
from privdemo.experiments import class_ratio, results
from privdemo.experiments.class_ratio import NO_RELEASE, study
from privdemo.experiments.class_ratio.study import Row
from privdemo.figures import class_ratio as charts
from privdemo.intervals import gap_interval, mean_interval
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, MMD, RFF, SPREAD
from privdemo.verdict import Verdict, clearly_above, clearly_below, judge


def which_sets(answer: Answer) -> list[Panel]:
    """Return the panels on what helps to learn from sets: skew, and few large ones."""
    skew, sets = study.select(shipped(), study.SKEW), study.select(shipped(), study.SETS)
    config = answer.question.config
    same = config.copies * config.set_size == sets[0].copies * sets[0].set_size
    records = sets[0].copies * sets[0].set_size
    return [
        _axis_panel("rho", "share of each rarer class in a group", skew, config.rho, study.SKEW, _advice(skew)),
        _axis_panel(
            "copies",
            f"groups of each kind, of {records:,} records in all",
            sets,
            float(config.copies) if same else None,
            study.SETS,
        ),
        Panel(question="Do few, large groups help?", answer=set_size_words(sets)),
        Panel(question="How easy are your own groups?", answer=_own_sets_words(answer)),
    ]


def _advice(skew: Sequence[Row]) -> str:
    """State the paper’s advice, and how much skewed sets lower the error."""
    value_at = {(row.rho, row.method): row for row in skew if row.release == NO_RELEASE}
    low, high = min(row.rho for row in skew), max(row.rho for row in skew)
    return (
        "The paper advises <b>few, large, skewed groups</b>. When a rarer class goes from "
        f"{numbers.share(low, 0)} to {numbers.share(high, 0)} of a group, the L1 error of {CLASS_RATIO[MMD].title} "
        f"goes from {value_at[low, MMD].error:.3f} to {value_at[high, MMD].error:.3f}, that of "
        f"{CLASS_RATIO[SPREAD].title} from {value_at[low, SPREAD].error:.3f} to {value_at[high, SPREAD].error:.3f}."
    )


def _own_sets_words(answer: Answer) -> str:
    """Say the condition number and the bound of the visitor’s own sets."""
    condition_numbers = [trial.condition_number for trial in answer.trials if math.isfinite(trial.condition_number)]
    kernel = next((name for name in (MMD, RFF) if name in answer.methods), None)
    if not condition_numbers or kernel is None:
        return f"Choose the method “{CLASS_RATIO[MMD].title}” in the settings to see it."
    bound = mean_interval([trial.bound for trial in answer.trials]).mean
    return (
        f"Their condition number is <b>{mean_interval(condition_numbers).mean:.3g}</b>. {bound_words(answer, bound)} "
        f"{CLASS_RATIO[kernel].title} has an L1 error of {class_ratio.error(answer.trials, kernel).mean:.3f}."
    )


def bound_words(answer: Answer, bound: float) -> str:
    """Say what the paper’s theorem guarantees: an L2 error, which is √2 at most."""
    if answer.question.config.private:
        return "With private counts Theorem 1 needs a further term, and guarantees nothing."
    if math.isinf(bound):
        return "For more groups than classes Theorem 1 guarantees nothing."
    start = f"Theorem 1 guarantees only an error below {f'{bound:,.0f}' if bound >= 100 else f'{bound:.3g}'}"
    if bound >= math.sqrt(2):
        return f"{start}: no use here, as none is above {math.sqrt(2):.3g}."
    return f"{start} (L2, in {100 * (1 - BOUND_DELTA):g} of 100 cases)."


def _axis_panel(
    name: str, title: str, rows: Sequence[Row], own_level: float | None, study_name: str, advice: str = ""
) -> Panel:
    """Return the panel of errors along ρ or the number of sets; the first one carries the `advice`."""
    curves = {
        (method, release): [
            (float(getattr(row, name)), row.estimate) for row in rows if (row.method, row.release) == (method, release)
        ]
        for method in (SPREAD, MMD)
        for release in (NO_RELEASE, study.WITH_NOISE)
    }
    return Panel(
        f"by-{name}",
        "Which groups should a publisher make?" if advice else "",
        advice,
        Chart(charts.errors_along_setting(curves, title, own_level)),
        _axis_words(name, rows),
        lambda: [vars(row) | CLASS_RATIO[row.method].columns for row in rows],
        study_snippet(study_name),
    )


# What a verdict on the error of many small sets less that of few large ones says.
_VERDICT_WORDS = {Verdict.BETTER: "more", Verdict.WORSE: "less", Verdict.NOT_CLEAR: "statistically tied"}


def set_size_words(sets: Sequence[Row]) -> str:
    """Say whether few large sets do better than the same records in many small ones, for true and private counts."""
    few, many = min(row.copies for row in sets), max(row.copies for row in sets)
    at = {(row.copies, row.method, row.release): row.estimate for row in sets}
    sentences, better = [], []
    for method in (MMD, SPREAD):
        parts = []
        for release, words in ((NO_RELEASE, "with true counts"), (study.WITH_NOISE, "with private ones")):
            large, small = at[few, method, release], at[many, method, release]
            verdict = judge(gap_interval(small, large))
            parts.append(f"{small.mean:.3f} instead of {large.mean:.3f} {words} ({_VERDICT_WORDS[verdict]})")
            if verdict is Verdict.BETTER:
                tried = {n: other for (n, *rest), other in at.items() if rest == [method, release]}
                first = min(n for n, other in tried.items() if clearly_above(gap_interval(other, large)))
                better.append(f"{CLASS_RATIO[method].title} {words} (from {first} times as many on)")
        sentences.append(f"{CLASS_RATIO[method].title} has an L1 error of {' and '.join(parts)}")
    helps = (
        f"Few, large groups clearly help {numbers.join_words(tuple(better))}"
        if better
        else "Size helps nowhere clearly"
    )
    return f"{helps}. With the same records in {many} times as many small groups, {'; '.join(sentences)}."


def _axis_words(name: str, rows: Sequence[Row]) -> str:
    """Say what the curves along ρ or the number of sets are from, and list their ends."""
    ends = min(getattr(row, name) for row in rows), max(getattr(row, name) for row in rows)
    at = {(getattr(row, name), row.method, row.release): row.error for row in rows}
    parts = [
        f"{CLASS_RATIO[method].title}{'' if release == NO_RELEASE else ' with private counts'} "
        f"{at[ends[0], method, release]:.3f} to {at[ends[1], method, release]:.3f}"
        for method in (SPREAD, MMD)
        for release in (NO_RELEASE, study.WITH_NOISE)
    ]
    first, noisy = rows[0], next(row for row in rows if row.release == study.WITH_NOISE)
    if name == "rho":
        n_sets = first.copies * first.n_classes
        value_at = {row.rho: row.condition_number for row in rows if (row.method, row.release) == (MMD, NO_RELEASE)}
        what = (
            f"{first.n_classes} digits, {n_sets} groups of {first.set_size}, {n_sets} more to choose settings; from "
            f"left to right the condition number goes from {value_at[ends[0]]:.0f} to {value_at[ends[1]]:.0f}"
        )
    else:
        what = "The same records in few large groups or many small ones; in small ones the same noise weighs more"
    return (
        f"{what}. MNIST, mean L1 error over mixes, {results.N_TRIALS} trials with 95 % intervals. Private counts: "
        f"{RELEASES[study.WITH_NOISE].title}, ε = {noisy.epsilon:g}, δ = {noisy.delta:g}. From {ends[0]:g} to "
        f"{ends[1]:g}: {'; '.join(parts)}.{_private_better_words(name, rows)}"
    )


def _private_better_words(name: str, rows: Sequence[Row]) -> str:
    """Say how often private counts have a lower error than true ones, and whether that is clear."""
    at = {(getattr(row, name), row.method, row.release): row.estimate for row in rows}
    pairs = [
        (at[level, method, study.WITH_NOISE], estimate)
        for (level, method, release), estimate in at.items()
        if release == NO_RELEASE
    ]
    private_better = [(private, true) for private, true in pairs if private.mean < true.mean]
    if not private_better:
        return ""
    clear = sum(clearly_below(gap_interval(private, true)) for private, true in private_better)
    significance = f"in {clear} of them clearly" if clear else "in none of them clearly"
    return (
        f" Private counts have a lower mean than true ones in {len(private_better)} of {len(pairs)} places; "
        f"{significance}."
    )
