"""The chapter on filling bags: the slides’ tables 4.1 and 4.3 beside ours, and all methods on the same bags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pages.kit import numbers
from pages.kit.numbers import MARK, with_range
from pages.kit.panel import Chart, Markup, Panel, Table
from pages.topics.label_proportions import shipped
from pages.topics.label_proportions.answer import Answer
from privdemo import datasets
from privdemo.experiments import results
from privdemo.experiments.label_proportions import HALF, THRESHOLDS, study
from privdemo.experiments.label_proportions.study import Row
from privdemo.figures import label_proportions as charts
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import FULL, LABEL_PROPORTIONS, LLP
from privdemo.tasks import BINARY

# The data set of the slides, and those with which bags were filled in every way.
SLIDES = "adult"
FILLED = study.STUDIES[study.SELECTING].datasets
_ABSENT = "too few records"


def panels(answer: Answer) -> list[Panel]:
    """Return the panels of F1 by the way of filling bags, and of the slides’ tables."""
    dataset = shipped.shown_dataset(answer) if shipped.shown_dataset(answer) in FILLED else SLIDES
    threshold = answer.question.chosen_threshold
    rows = study.select(shipped.all_rows(), study.SELECTING, dataset, threshold)
    methods = tuple(name for name in LABEL_PROPORTIONS if any(row.method == name for row in rows) and name != FULL)
    return [
        Panel(
            "filling",
            "How should bags be filled?",
            best_words(rows, BINARY[dataset].title),
            Chart(charts.selections(rows, methods)),
            _winner_words(rows, dataset, threshold),
            lambda: [vars(row) | LABEL_PROPORTIONS[row.method].columns for row in rows],
            shipped.snippet(study.SELECTING, dataset),
        ),
        _published(dataset),
    ]


def best_words(rows: Sequence[Row], title: str) -> str:
    """Say what F1 matching bag shares reaches with bags filled in three ways, and which method is best at random."""
    at = {(row.selection, row.method): row.average for row in rows}
    random = {method: f1 for (selection, method), f1 in at.items() if selection == "iid" and method != FULL}
    best = max(random, key=lambda name: random[name])
    reached = ", ".join(
        f"<b>{at[name, LLP]:.3f}</b> with {name} ones" for name in ("balanced", "skewed") if (name, LLP) in at
    )
    return (
        f"On {title}, {LABEL_PROPORTIONS[LLP].title} scores F1 = {at['iid', LLP]:.3f} with bags filled at random and "
        f"{reached}. At random the highest mean is {random[best]:.3f} ({LABEL_PROPORTIONS[best].title}); with every "
        f"label known, {at['iid', FULL]:.3f}."
    )


def _winner_words(rows: Sequence[Row], dataset: str, threshold: str) -> str:
    """Say what the rows are from, and which method has the highest mean for each way of filling bags."""
    stars = "published, with the threshold at ½" if dataset == SLIDES else "none are published for SMS"
    winners = [
        max((row for row in rows if row.selection == name and row.method != FULL), key=lambda row: row.average)
        for name in dict.fromkeys(row.selection for row in rows)
    ]
    highest = "; ".join(
        f"{SELECTIONS[row.selection].title}, {LABEL_PROPORTIONS[row.method].title} {row.average:.3f}" for row in winners
    )
    llp = next(row for row in rows if (row.selection, row.method) == ("iid", LLP))
    return (
        f"{BINARY[dataset].title}, {llp.n_bags} bags of {llp.bag_size}, {results.N_TRIALS} trials, threshold "
        f"{THRESHOLDS[threshold]}; stars: {stars}. Highest means: {highest}."
    )


# --- the slides' tables --------------------------------------------------------------------------


def _published(dataset: str) -> Panel:
    """Return tables 4.1 and 4.3, published and ours, with the slides’ threshold."""
    rows = study.select(shipped.all_rows(), study.SELECTING, dataset, HALF)
    ours = {(row.selection, row.method): row for row in rows}
    table41, table43 = _table41(dataset, ours), _table43(dataset, ours)
    return Panel(
        "slides-tables",
        figure=Markup(f"{table41.html}<br>{table43.html}"),
        summary="The tables of Yan’s slides, with threshold ½ as there. In brackets 95 % intervals. “Balanced” is read "
        "in two ways: bags that each hold one part of the records (sure positives, unsure positives, sure negatives, "
        "unsure negatives, in turn), or, as the slides say in words, sure ones of both kinds and then unsure ones of "
        "both kinds. The first gives the published number; the second has bags of nearly equal shares, and on Adult "
        "stays below it." + _stand_in_words(dataset),
        rows=lambda: [vars(row) | LABEL_PROPORTIONS[row.method].columns for row in rows],
        snippet=shipped.snippet(study.SELECTING, dataset),
    )


def _theirs(dataset: str) -> str:
    """Return the heading of the published column."""
    return "published" if dataset == SLIDES else "published, Instagram"


def _table41(dataset: str, ours: Mapping[tuple[str, str], Row]) -> Table:
    """Return the average F1 of matching bag shares by the way of filling bags."""
    published = (
        {name: study.PUBLISHED[name, LLP] for name in study.INSTAGRAM_41} if dataset == SLIDES else study.INSTAGRAM_41
    )

    def found(name: str) -> str:
        return with_range(ours[name, LLP].estimate, MARK) if (name, LLP) in ours else _ABSENT

    other = "sure, then unsure" + (" (the other reading of “balanced”)" if ("mixed", LLP) in ours else "")
    body = [[SELECTIONS[name].title, f"{value:.2f}", found(name)] for name, value in published.items()]
    heads = (f"Table 4.1: {LABEL_PROPORTIONS[LLP].title}", _theirs(dataset), "ours")
    return Table(heads, [*body, [other, "", found("mixed")]], labelled=True)


def _table43(dataset: str, ours: Mapping[tuple[str, str], Row]) -> Table:
    """Return the F1 of positives, of negatives and their average."""
    published = study.TABLE_43 if dataset == SLIDES else study.INSTAGRAM_43

    def written(values: Sequence[float]) -> str:
        return " / ".join(f"{value:.2f}" for value in values)

    body = [
        [
            f"{LABEL_PROPORTIONS[method].title}, {SELECTIONS[name].title}",
            written(values),
            written((row.positive, row.negative, row.average)) if (row := ours.get((name, method))) else _ABSENT,
        ]
        for (name, method), values in published.items()
    ]
    return Table(("Table 4.3: F1 +/−/average", _theirs(dataset), "ours"), body, labelled=True)


def _stand_in_words(dataset: str) -> str:
    """Say which records stand in for the slides’ private ones."""
    if dataset == SLIDES:
        return ""
    negative, positive = datasets.load(dataset).class_counts
    share, theirs = numbers.share(positive / (negative + positive)), numbers.share(study.INSTAGRAM_SHARE, 0)
    return (
        f" The slides’ Instagram comments are private; {BINARY[dataset].title}, as rare ({share} against {theirs}) and "
        "as sparse, stands in."
    )
