"""The chapters on the paper’s figures 2 and 3, from the shipped studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pages.kit import cache, numbers
from pages.kit.numbers import with_range
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.class_ratio.answer import L1, Answer
from pages.topics.class_ratio.question import ShownCurves
from privdemo.experiments import results
from privdemo.experiments.class_ratio import NO_RELEASE, study
from privdemo.experiments.class_ratio.study import Row
from privdemo.figures import class_ratio as charts
from privdemo.intervals import gap_interval
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, EM, MMD, PSVM, SPREAD
from privdemo.tasks import COUNTING
from privdemo.verdict import clearly_above

shipped = cache.shared(study.load)


def study_snippet(name: str) -> Snippet:
    """Return the code that prints the shipped rows of a study."""
    return Snippet(
        ("from privdemo.experiments import class_ratio",),
        (
            "# computed anew by: python -m privdemo reproduce classratio",
            f'for row in class_ratio.study.select(class_ratio.study.load(), "{name}"):',
            "    print(row.dataset, row.rho, row.copies, row.release, row.method, row.estimate)",
        ),
    )


# --- figure 2 ------------------------------------------------------------------------------------


def two_classes(_: Answer, shown: ShownCurves) -> list[Panel]:
    """Return the paper’s figure 2: two classes, with three methods or all."""
    title = shown.title
    dataset = next(name for name, task in COUNTING.items() if task.title == title)
    overall = [row for row in study.select(shipped(), study.BINARY) if row.dataset == dataset]
    single = [row for row in study.select(shipped(), study.BINARY, overall=False) if row.dataset == dataset]
    at, first = {row.method: row for row in overall}, overall[0]
    by_method = {name: [row for row in single if row.method == name] for name in CLASS_RATIO if name in at}
    return [
        Panel(
            "figure-2",
            "Is classify-and-count good enough?",
            f"{counting_words(at)} On {title}, {_title(PSVM)} has an L1 error of {at[PSVM].error:.3f}, {_title(MMD)} "
            f"<b>{at[MMD].error:.3f}</b> and {_title(SPREAD)} <b>{at[SPREAD].error:.3f}</b>; {_title(EM)}, "
            f"{at[EM].error:.3f}.",
            Chart(charts.study_errors(by_method if shown.all else _only(by_method, (SPREAD, MMD, PSVM)))),
            f"{title}: two groups of {first.set_size}, with shares {first.rho:g} and {1 - first.rho:g}, two more to "
            f"choose settings, new groups of {first.set_size}; {results.N_TRIALS} trials with 95 % intervals. "
            "Mean over mixes: "
            + "; ".join(f"{CLASS_RATIO[name].title} {with_range(at[name].estimate, L1)}" for name in by_method)
            + f". {_claims(shipped(), 0, 1)} The paper’s Census is Adult here; YouTube and Higgs are not at hand. "
            "The widest margin is linear, with C = 1.",
            lambda: [vars(row) | CLASS_RATIO[row.method].columns for row in single],
            study_snippet(study.BINARY),
        )
    ]


def _only(by_name: Mapping[str, list[Row]], names: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows of these names only."""
    return {name: rows for name, rows in by_name.items() if name in names}


def counting_words(at: dict[str, Row]) -> str:
    """Say whether classifying and counting is clearly worse than methods made for shares."""
    gaps = {name: gap_interval(at[PSVM].estimate, at[name].estimate) for name in (MMD, SPREAD)}
    worse = [name for name, gap in gaps.items() if clearly_above(gap)]
    if len(worse) == 2:
        return "No, it is clearly worse."
    if worse:
        return f"It is clearly worse than {_title(worse[0])} only."
    return "Here it is not clearly worse."


def _title(method: str) -> str:
    """Return a method’s title, in quotes if it contains a comma."""
    title = CLASS_RATIO[method].title
    return f"“{title}”" if "," in title else title


def _claims(rows: Sequence[Row], first: int, last: int) -> str:
    """List what the paper’s text says about a figure, beside ours; it prints no other numbers."""
    comparisons = [
        f"{one.words}: {numbers.share(one.published, 0)} lower published, {numbers.share(abs(one.ours.mean), 0)} "
        f"{'lower' if one.ours.mean >= 0 else 'higher'} here"
        for one in study.published_reductions(rows)[first:last]
    ]
    words = "; ".join(comparisons)
    return f"Of this figure the text of Iyer, Nath & Sarawagi (2016) gives how two errors compare: {words}."


# --- figure 3 ------------------------------------------------------------------------------------


def private_counts(_: Answer, shown: ShownCurves) -> list[Panel]:
    """Return the paper’s figure 3: ten digits, with three releases of the counts or all."""
    title = shown.title
    method = next(name for name, method in CLASS_RATIO.items() if method.title == title)
    overall = [row for row in study.select(shipped(), study.PRIVATE) if row.method == method]
    single = [row for row in study.select(shipped(), study.PRIVATE, overall=False) if row.method == method]
    at, first = {row.release: row for row in overall}, overall[0]
    clean = at[NO_RELEASE].error
    tight = {
        name: at[name].error
        for name, release in RELEASES.items()
        if name in at and release.tight and not release.data_dependent
    }
    best = min(tight, key=lambda name: tight[name])
    noisy, n_sets = at["laplace published"], first.copies * first.n_classes
    by_release = {name: [row for row in single if row.release == name] for name in at}
    return [
        Panel(
            "figure-3",
            "What does noise on the counts cost?",
            f"With true counts {title} has an L1 error of {clean:.3f}; with published Laplace noise "
            f"(ε = {noisy.epsilon:g}, δ = {noisy.delta:g}) {noisy.error:.3f}; with tight noise "
            f"({RELEASES[best].title}) <b>{tight[best]:.3f}</b>.",
            Chart(
                charts.study_errors(
                    by_release if shown.all else _only(by_release, (NO_RELEASE, "laplace published", best))
                )
            ),
            f"MNIST, {first.n_classes} digits: {n_sets} groups of {first.set_size:,} (ρ = {first.rho:g}), {n_sets} "
            f"more to choose settings, new groups of {study.ten_digits().n_test:,}, a public minimum of {first.n_min}; "
            f"{results.N_TRIALS} trials with 95 % intervals. Mean over mixes: "
            + "; ".join(f"{charts.title_of(name)} {with_range(at[name].estimate, L1)}" for name in at)
            + f". Dotted: noise chosen from the secret counts, no guarantee. {_claims(shipped(), 1, 4)} Some records "
            "are in two groups, as MNIST has too few of some digits; for them ε and δ are twice as large.",
            lambda: [vars(row) | CLASS_RATIO[row.method].columns for row in single],
            study_snippet(study.PRIVATE),
        )
    ]
