"""The tab on which sets to make: Q, the bound, and what skew and the number of sets do to the error."""

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


def which_sets(shown: Answer) -> list[Panel]:
    """What helps to learn from sets: skew, and few large ones."""
    skew, sets = study.select(shipped(), study.SKEW), study.select(shipped(), study.SETS)
    config = shown.question.config
    same = config.copies * config.set_size == sets[0].copies * sets[0].set_size
    records = sets[0].copies * sets[0].set_size
    return [
        _lever("rho", "ρ, share of each rarer class", skew, config.rho, study.SKEW, _advice(shown, skew, sets)),
        _lever(
            "copies",
            f"sets of each kind, of {records:,} records in all",
            sets,
            float(config.copies) if same else None,
            study.SETS,
        ),
    ]


def _advice(shown: Answer, skew: Sequence[Row], sets: Sequence[Row]) -> str:
    """The paper's advice, and how much each of its two parts helps."""
    by = {(row.rho, row.method): row for row in skew if row.release == NO_RELEASE}
    low, high = min(row.rho for row in skew), max(row.rho for row in skew)
    return (
        "The paper’s advice is <b>few, large, skewed sets: easier to learn, harder to hide.</b> The condition number Q "
        "says how much errors are magnified; it is at the bandwidth that was chosen. On "
        f"{skew[0].n_classes} digits, from ρ = {low:g} to {high:g}, Q goes from {by[low, MMD].condition_number:.0f} to "
        f"{by[high, MMD].condition_number:.0f}, MMD’s error from {by[low, MMD].error:.3f} to "
        f"{by[high, MMD].error:.3f} and spread’s from {by[low, SPREAD].error:.3f} to {by[high, SPREAD].error:.3f}. "
        f"{few_words(sets)} {_yours(shown)}"
    )


def _yours(shown: Answer) -> str:
    """Q and the bound of the visitor's own sets."""
    known = [trial.condition_number for trial in shown.trials if math.isfinite(trial.condition_number)]
    kernel = next((name for name in (MMD, RFF) if name in shown.methods), None)
    if not known or kernel is None:
        return "Choose MMD under “More settings” to see Q and the bound of your own sets."
    bound = mean_interval([trial.bound for trial in shown.trials]).mean
    says = (
        "with private counts the theorem needs a further term, and no bound is given"
        if shown.question.config.private
        else "for more sets than classes the theorem says nothing"
        if math.isinf(bound)
        else f"Theorem 1, were the sets’ means the true ones, says that the L2 error is below {bound:,.0f} with "
        f"probability {1 - BOUND_DELTA:g} (more than √2 says nothing)"
    )
    return (
        f"Yours have Q = <b>{mean_interval(known).mean:.3g}</b>; {says}. {CLASS_RATIO[kernel].title} is off by "
        f"{class_ratio.error(shown.trials, kernel).mean:.3f} (L1). So Q says what helps, not how much."
    )


def _lever(name: str, title: str, rows: Sequence[Row], yours: float | None, study_name: str, advice: str = "") -> Panel:
    """Errors along ρ or the number of sets; the first panel carries the `advice`."""
    curves = {
        (method, release): [
            (float(getattr(row, name)), row.estimate) for row in rows if (row.method, row.release) == (method, release)
        ]
        for method in (SPREAD, MMD)
        for release in (NO_RELEASE, study.WITH_NOISE)
    }
    return Panel(
        f"by-{name}",
        "Which sets should a publisher make?" if advice else "",
        advice,
        Chart(charts.levers(curves, title, yours)),
        _lever_words(name, rows),
        lambda: [vars(row) | CLASS_RATIO[row.method].columns for row in rows],
        study_snippet(study_name),
    )


# What a verdict on the error of many small sets less that of few large ones says.
_MORE_OR_LESS = {Verdict.BETTER: "more", Verdict.WORSE: "less", Verdict.NOT_CLEAR: "no clear difference"}


def few_words(sets: Sequence[Row]) -> str:
    """Whether few large sets do better than the same records in many small ones, with true counts and private ones."""
    few, many = min(row.copies for row in sets), max(row.copies for row in sets)
    at = {(row.copies, row.method, row.release): row.estimate for row in sets}
    told, better = [], []
    for method in (MMD, SPREAD):
        parts = []
        for release, words in ((NO_RELEASE, "with true counts"), (study.WITH_NOISE, "with private ones")):
            large, small = at[few, method, release], at[many, method, release]
            verdict = judge(gap_interval(small, large))
            parts.append(f"{small.mean:.3f} instead of {large.mean:.3f} {words} ({_MORE_OR_LESS[verdict]})")
            if verdict is Verdict.BETTER:
                tried = {n: other for (n, *of), other in at.items() if of == [method, release]}
                first = min(n for n, other in tried.items() if clearly_above(gap_interval(other, large)))
                better.append(f"{CLASS_RATIO[method].title} {words} (from {first} times as many on)")
        told.append(f"{CLASS_RATIO[method].title} is off by {' and '.join(parts)}")
    helps = (
        f"So few, large sets clearly help {numbers.a_list(tuple(better))}"
        if better
        else "So size helps nowhere clearly"
    )
    return (
        f"In {many} times as many small sets of the same records {'; '.join(told)}. {helps}; how hard labels are to "
        "hide is the same for all, as ε and δ are set."
    )


def _lever_words(name: str, rows: Sequence[Row]) -> str:
    """The ends of the curves of a lever in words."""
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
        what = f"{first.n_classes} digits, {n_sets} sets of {first.set_size}, {n_sets} more to choose settings"
    else:
        what = "The same records in few large sets or many small ones; in small ones the same noise weighs more"
    return (
        f"{what}. MNIST, mean L1 error over mixes, {results.N_DRAWS} draws with 95 % intervals. Private counts: "
        f"{RELEASES[study.WITH_NOISE].title}, ε = {noisy.epsilon:g}, δ = {noisy.delta:g}. From {ends[0]:g} to "
        f"{ends[1]:g}: {'; '.join(parts)}.{_odd_words(name, rows)}"
    )


def _odd_words(name: str, rows: Sequence[Row]) -> str:
    """How many times private counts do better than true ones, and whether that is clear."""
    at = {(getattr(row, name), row.method, row.release): row.estimate for row in rows}
    pairs = [
        (at[place, method, study.WITH_NOISE], estimate)
        for (place, method, release), estimate in at.items()
        if release == NO_RELEASE
    ]
    odd = [(private, true) for private, true in pairs if private.mean < true.mean]
    if not odd:
        return ""
    clear = sum(clearly_below(gap_interval(private, true)) for private, true in odd)
    luck = f"in {clear} of them clearly" if clear else "in none of them clearly"
    return f" Private counts have a lower mean than true ones in {len(odd)} of {len(pairs)} places; {luck}."
