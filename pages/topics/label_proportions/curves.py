"""The chapters on k and on the number of bags: shipped curves with the visitor’s own setting."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pages.kit import numbers
from pages.kit.panel import Chart, Panel
from pages.topics.label_proportions import shipped
from pages.topics.label_proportions.answer import Answer
from pages.topics.label_proportions.shipped import Line
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import AGGREGATIONS, HALF, study
from privdemo.experiments.label_proportions.study import Row
from privdemo.figures import label_proportions as charts
from privdemo.methods import FULL, LABEL_PROPORTIONS, LABELLED, LLP, NAMES

# The least difference between two gains in F1 that is reported, and the relative change of the gradient below which it
# is rounding error.
LEAST_GAIN, SMALLEST_CHANGE = 0.01, 1e-9


# --- k-anonymity ---------------------------------------------------------------------------------


def k_anonymity(answer: Answer, kind: str) -> list[Panel]:
    """Return the panels of F1, for means by one `kind` of groups, and of information loss, both against k."""
    rows = shipped.study_rows(study.BY_K, answer, HALF)
    along = {name: [row for row in rows if row.aggregation == name or row.k == 1] for name in AGGREGATIONS[1:]}
    return [_f1_by_k(answer, kind, rows, along[kind]), _loss_by_k(answer, along)]


def _f1_by_k(answer: Answer, kind: str, rows: list[Row], along: list[Row]) -> Panel:
    """Return the panel of F1 against k."""
    config, methods = answer.question.config, (FULL, LABELLED, NAMES, LLP)
    ks = sorted({float(row.k) for row in along})
    is_own_kind = config.aggregation in (kind, "none")
    marks = shipped.own_scores(answer, methods, HALF) if is_own_kind else {}
    own = (
        shipped.own_words(answer, marks, shipped.differences(answer, "k"), HALF)
        if is_own_kind
        else f"You chose averages by {config.aggregation}: choose it above to see your own setting."
    )
    lines = shipped.lines(along, methods, lambda row: row.k)
    gradient_change = label_proportions.mean_of(answer.trials, "turned").mean
    return Panel(
        "f1-by-k",
        "What do averages of k records cost?",
        fall_words(along, kind),
        Chart(charts.curves(lines, "k, records in an average at least", ks, marks, config.k)),
        f"{shipped.study_words(answer)} {shipped.ends(along, methods, lambda row: f'k = {row.k}')} {own} "
        f"{gradient_words(gradient_change)}",
        lambda: [vars(row) | LABEL_PROPORTIONS[row.method].columns for row in rows],
        shipped.snippet(study.BY_K, shipped.shown_dataset(answer)),
        note=own,
    )


def fall_words(rows: Sequence[Row], kind: str) -> str:
    """Say how much F1 falls from single records to the largest means."""
    largest = max(row.k for row in rows)
    at = {(row.method, row.k): row.average for row in rows}
    # With labels for single records, every label is known.
    losses = {name: at[name if name != LABELLED else FULL, 1] - at[name, largest] for name in (LLP, NAMES, LABELLED)}
    mix = "each of one label" if kind == "k-tree" else "labels mixed"
    title = {name: LABEL_PROPORTIONS[name].title for name in (LLP, NAMES, LABELLED)}
    return (
        f"From single records to averages of {largest} ({kind}, {mix}), {title[LLP]} loses <b>{losses[LLP]:.3f}</b> of "
        f"F1 and {title[NAMES]} {losses[NAMES]:.3f}; {title[LABELLED]}, {losses[LABELLED]:.3f}."
    )


def gradient_words(gradient_change: float) -> str:
    """Say how much noise changes the gradient at 0 of matching bag shares, relative to its length (∞ for length 0)."""
    first = f"the first step of “{LABEL_PROPORTIONS[LLP].title}”"
    if gradient_change < SMALLEST_CHANGE:
        return f"In your own trials {first} has not moved at all."
    if math.isinf(gradient_change):
        return f"In your own trials all shares are ½, and {first} has no direction."
    share = numbers.share(gradient_change)
    return f"In your own trials noise has moved {first} (its gradient at 0) by {share} of its length."


def _loss_by_k(answer: Answer, along: dict[str, list[Row]]) -> Panel:
    """Return the panel of information loss against k."""
    # The loss is the same for all methods.
    by_kind = {name: [row for row in rows if row.method == FULL] for name, rows in along.items()}
    ks = sorted({float(row.k) for rows in by_kind.values() for row in rows})
    loss = label_proportions.mean_of(answer.trials, "loss").mean
    return Panel(
        "loss-by-k",
        figure=Chart(charts.losses(by_kind, ks, (answer.question.config.k, loss))),
        summary="Information loss, SSE/SST: of the records’ squared distance from their overall mean, the share that "
        f"averages hide. Yours is {numbers.share(loss)}.{_diversity(answer)}",
        rows=lambda: [vars(row) | LABEL_PROPORTIONS[row.method].columns for rows in by_kind.values() for row in rows],
        snippet=shipped.snippet(study.BY_K, shipped.shown_dataset(answer)),
    )


def _diversity(answer: Answer) -> str:
    """Say whether the records of each of the visitor’s groups have both labels."""
    trial = answer.trials[0]
    if trial.config.k == 1:
        return ""
    _, least_in_group = trial.least_labels
    if least_in_group > 1:
        return " Every group holds both labels."
    return " Every group holds one label." if trial.config.aggregation == "k-tree" else " Some groups hold one label."


# --- number of bags ------------------------------------------------------------------------------


def number_of_bags(answer: Answer) -> list[Panel]:
    """Return F1 against the number of bags, for several ε of the proportions."""
    threshold = answer.question.threshold
    rows = shipped.study_rows(study.BAG_NUMBER, answer, threshold)
    counts = sorted({float(row.n_bags) for row in rows})
    fewest, most = int(counts[0]), int(counts[-1])
    lines = _lines_by_noise(rows)
    marks = shipped.own_scores(answer, (NAMES, LLP), threshold)
    reached = "; ".join(
        f"{name} {along[0].average:.3f} at {fewest} bags, {along[-1].average:.3f} at {most}"
        for _, name, _, along, _ in lines
    )
    own = shipped.own_words(answer, marks, shipped.differences(answer, "n_bags"), threshold)
    return [
        Panel(
            "f1-by-bags",
            "Do more bags make up for noise?",
            _gain_words(rows, fewest, most),
            Chart(charts.curves(lines, "number of bags", counts, marks, answer.question.config.n_bags)),
            f"{shipped.study_words(answer, at_random=True, counted=False)} Laplace noise on the proportions alone. "
            f"Average F1: {reached}. {own}",
            lambda: [vars(row) | LABEL_PROPORTIONS[row.method].columns for row in rows],
            shipped.snippet(study.BAG_NUMBER, shipped.shown_dataset(answer)),
        )
    ]


def _lines_by_noise(rows: Sequence[Row]) -> list[Line]:
    """Return a curve for each method and ε."""
    lines: list[Line] = []
    for method in (NAMES, LLP):
        table = LABEL_PROPORTIONS[method]
        for epsilon, dash in zip(
            sorted({row.proportion_epsilon for row in rows}), ("dot", "dash", "solid"), strict=True
        ):
            name = f"{table.title}, {'no noise' if math.isinf(epsilon) else f'ε = {epsilon:g}'}"
            along = [row for row in rows if row.method == method and row.proportion_epsilon == epsilon]
            lines.append((method, name, table.style._replace(dash=dash), along, lambda row: row.n_bags))
    return lines


def _gain_words(rows: Sequence[Row], fewest: int, most: int) -> str:
    """Say what matching bag shares gains by more bags, with the most noise and without."""
    at = {(row.proportion_epsilon, row.n_bags): row.average for row in rows if row.method == LLP}
    noisiest = min(row.proportion_epsilon for row in rows)
    noisy, clean = (at[epsilon, most] - at[epsilon, fewest] for epsilon in (noisiest, math.inf))
    return (
        f"From {fewest} bags to {most}, filled at random, the F1 of {LABEL_PROPORTIONS[LLP].title} changes by "
        f"{numbers.signed(clean)} without noise and by <b>{numbers.signed(noisy)}</b> with ε = {noisiest:g} on every "
        f"label: {compare_gains(noisy, clean)}"
    )


def compare_gains(noisy: float, clean: float) -> str:
    """Compare the gains by more bags: with noise and without."""
    if noisy > clean + LEAST_GAIN:
        return "the noise of many bags averages out."
    if noisy < clean - LEAST_GAIN:
        return "this much noise is too much for so few."
    return "much the same."
