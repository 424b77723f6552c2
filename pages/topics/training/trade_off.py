"""The chapter on the cost of noise: accuracy and log loss in a shipped study, with the visitor’s own setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pages.kit import cache, numbers, own_data
from pages.kit.numbers import count_trials
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.training.answer import Answer, method_compared
from pages.topics.training.pixel_noise import noise_of
from pages.topics.training.question import STUDIES
from privdemo.datasets import name_of
from privdemo.experiments import training
from privdemo.experiments.training.study import Row, Study
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.methods import CHOSEN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING
from privdemo.verdict import Verdict, judge

shipped = cache.shared(training.study.load)


def panels(answer: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Return the curves of the visitor’s methods in the chosen study, and what they show."""
    study = training.study.STUDIES[STUDIES[answer.question.study]]
    rows = shipped(study.name)
    all_curves = training.study.points(rows)
    curves = {name: curve for name, curve in all_curves.items() if name in answer.methods}
    level = own_level(study, answer)
    is_on_axis = level is not None and on_axis(study, level)
    own_methods = [name for name in curves if is_on_axis]
    other = "Of MNIST’s 7s and 9s, not of your records: " if own_data.is_own(answer.question.config) else ""

    def panel(metric: str, summary: str) -> Panel:
        own_marks = {name: answer.score(name, metric) for name in own_methods}
        return Panel(
            f"what-it-costs-{metric.replace('_', '-')}",
            figure=Chart(charts.trade_off(study, curves, own_marks, level or 0.0, metric)),
            summary=summary,
            rows=lambda: [vars(row) | TRAINING[row.method].columns for row in rows],
            snippet=_snippet(study),
        )

    words = f"{' '.join(findings(study, rows))} {curve_words(study, all_curves)}"
    way = method_compared(curves) or SPREAD
    gaps = _above(training.study.compare(rows, way, NAIVE, "accuracy")).values()
    facts = {"gain": numbers.absolute_points(max(gap.mean for gap in gaps))} if gaps else {}
    return [
        Panel("", "Does it pay to correct for the noise?", f"{other}{in_short(study, rows, way)}", facts=facts),
        (
            panel("accuracy", words),
            panel(
                "log_loss",
                f"{study.title}. The same models by their log loss, which is large for a model that is sure and wrong.",
            ),
        ),
        Panel("", note=f"{study.title}. {own_words(study, answer, level)}"),
    ]


def _snippet(study: Study) -> Snippet:
    """Return the code that reads the shipped trials."""
    return Snippet(
        ("from privdemo.experiments import training",),
        (
            f'rows = training.study.load("{study.name}")  '
            f"# computed anew by: python -m privdemo reproduce {study.name}",
            "for method, curve in training.study.points(rows).items():",
            "    print(method, curve)",
        ),
    )


def own_level(study: Study, answer: Answer) -> float | None:
    """Return the level of the visitor’s noise on the axis of `study`, or None if it is noise of another kind."""
    config = answer.question.config
    axes = noise_of(config.pixels).axes
    return axes[study.name](config) if study.name in axes else None


def on_axis(study: Study, level: float) -> bool:
    """Return whether a level lies within the study’s levels or near enough not to stretch the axis much."""
    low, high = study.levels[0], study.levels[-1]
    margin = (high - low) / 2
    return low - margin <= level <= high + margin


def own_words(study: Study, answer: Answer, level: float | None) -> str:
    """Say how the visitor’s own point differs from the study’s."""
    if level is None:
        *_, fitting = noise_of(answer.question.config.pixels).axes
        title = next(title for title, name in STUDIES.items() if name == fitting)
        return f"Your own noise is of another kind; it has a place under “{title}”."
    if not on_axis(study, level):
        return f"Your own setting, {level:.3g}, lies far outside this axis."
    own, theirs = answer.question.config, study.config(study.levels[0])
    other = []
    if (own.dataset, own.classes) != (theirs.dataset, theirs.classes):
        other.append(f"{' and '.join(own.classes)} of {name_of(own.dataset)}")
    if own.n_train != theirs.n_train:
        other.append(f"{own.n_train:,} people of each class")
    if study.name == "figure3" and (flip := float(own.labels.channel_matrix[0, 1])) != level:
        other.append(f"{numbers.share(flip)} of labels wrong")
    if study.name == "section6.1" and own.labels != theirs.labels:
        other.append("other lies about the label")
    if study.name == "asymmetric":
        first, noise = float(own.labels.channel_matrix[1, 0]), own.pixels.flip_prob
        other += [f"{numbers.share(first)} of the {own.classes[0]}s lying"] if first != theirs.labels.p10 else []
        other += [f"{numbers.share(noise)} of pixels replaced"] if noise != theirs.pixels.flip_prob else []
    point = f"Vertical line and large marks: your setting ({count_trials(answer.trials)})"
    return f"{point}, which has {numbers.join_words(tuple(other))}." if other else f"{point}."


# The words before the levels of a study.
_LEVEL_WORDS = {"figure3": "at p =", "section6.1": "at σ² =", "asymmetric": "where the share of 9s that lie is"}


def in_short(study: Study, rows: tuple[Row, ...], way: str = SPREAD) -> str:
    """Say where one `way` to correct for the noise is ahead of ignoring it, by accuracy and by probabilities."""
    at = _LEVEL_WORDS[study.name]
    accuracy = training.study.compare(rows, way, NAIVE, "accuracy")
    losses = training.study.compare(rows, way, NAIVE, "log_loss")
    ahead, behind = _above(accuracy), _below(accuracy)
    better, worse = _below(losses), _above(losses)
    ours, theirs = (f"“{TRAINING[name].title}”" for name in (way, NAIVE))
    if ahead:
        most = numbers.absolute_points(max(gap.mean for gap in ahead.values()))
        where = _at_levels(at, ahead, accuracy)
        start = "At some levels" if behind else "Yes"
        first = f"<b>{start}.</b> {ours} is more accurate than {theirs} {where} (by up to <b>{most}</b>)"
    elif behind:
        most = numbers.absolute_points(min(gap.mean for gap in behind.values()))
        where = _at_levels(at, behind, accuracy)
        first = f"<b>No.</b> {theirs} is more accurate than {ours} {where} (by up to <b>{most}</b>)"
    else:
        start = "Not clearly" if not better else "Only in how sure it is"
        first = f"<b>{start}.</b> {ours} and {theirs} are statistically tied in accuracy at every level"
    if not better and not worse:
        return f"{first}; in saying how sure they are they do not clearly differ."
    whose, where = (ours, better) if len(better) >= len(worse) else (theirs, worse)
    return f"{first}; {whose} is better at saying how sure it is {_at_levels(at, where, losses)}."


def _at_levels(at: str, some: Mapping[float, Estimate], every: Mapping[float, Estimate]) -> str:
    """Say at which levels something holds, `at` before them: “at every level” or “at p = 0.1 and 0.2”."""
    return "at every level" if len(some) == len(every) else f"{at} {_levels(list(some))}"


def findings(study: Study, rows: tuple[Row, ...]) -> list[str]:
    """List what the shipped trials show about the methods, level by level."""
    accuracy = training.study.compare(rows, SPREAD, NAIVE, "accuracy")
    losses = training.study.compare(rows, SPREAD, NAIVE, "log_loss")
    at = _LEVEL_WORDS[study.name]
    same = list(_where(accuracy, Verdict.NOT_CLEAR))
    ahead, behind = _above(accuracy), _below(accuracy)
    worse, better = _below(losses), _above(losses)
    unclear = list(_where(losses, Verdict.NOT_CLEAR))
    n_trials = len({row.trial for row in rows})
    collapsed = {name: training.study.collapsed(rows, name) for name in (RECONSTRUCTION, SPREAD, NAIVE)}
    ours, theirs = (f"“{TRAINING[name].title}”" for name in (SPREAD, NAIVE))
    sentences: dict[str, Sequence[float] | Mapping[float, Estimate]] = {
        f"{ours} and {theirs} are statistically tied in accuracy over {n_trials} trials {at} {_levels(same)}.": same,
        f"{ours} is more accurate {at} {_gaps(ahead)}.": ahead,
        f"{theirs} is more accurate {at} {_gaps(behind)}.": behind,
        f"The probabilities of {ours} are better {at} {_levels(list(worse))}: its log loss is lower.": worse,
        f"The probabilities of {theirs} are better {at} {_levels(list(better))}: its log loss is lower.": better,
        f"Their log loss does not clearly differ {at} {_levels(unclear)}.": unclear,
    }
    for name, levels in collapsed.items():
        title = f"“{TRAINING[name].title}”"
        sentences[f"{title} sometimes gives every image the same answer, {at} {_levels(levels)}."] = levels
    methods = {row.method for row in rows}
    for one, other in ((SPREAD, FLAT), (PUBLISHED, SPREAD), (CHOSEN, SPREAD), (CHOSEN, NAIVE)):
        sentences |= _differences(at, rows, one, other) if {one, other} <= methods else {}
    return [sentence for sentence, levels in sentences.items() if levels]


def _where(gaps: Mapping[float, Estimate], verdict: Verdict) -> dict[float, Estimate]:
    """Return the levels at which a difference has this verdict."""
    return {level: gap for level, gap in gaps.items() if judge(gap) is verdict}


def _above(gaps: Mapping[float, Estimate]) -> dict[float, Estimate]:
    """Return the levels at which a difference is clearly above 0."""
    return _where(gaps, Verdict.BETTER)


def _below(gaps: Mapping[float, Estimate]) -> dict[float, Estimate]:
    """Return the levels at which a difference is clearly below 0."""
    return _where(gaps, Verdict.WORSE)


def _differences(at: str, rows: tuple[Row, ...], one: str, other: str) -> dict[str, list[float]]:
    """Say where one way to correct for the noise is better or worse than another."""
    accuracy = training.study.compare(rows, one, other, "accuracy")
    losses = training.study.compare(rows, one, other, "log_loss")
    first, second = (f"“{TRAINING[name].title}”" for name in (one, other))
    ahead, behind, worse, better = _above(accuracy), _below(accuracy), _above(losses), _below(losses)
    return {
        f"{first} is more accurate than {second} {at} {_gaps(ahead)}.": list(ahead),
        f"{second} is more accurate than {first} {at} {_gaps(behind)}.": list(behind),
        f"{second} gives better probabilities than {first} {at} {_levels(list(worse))}.": list(worse),
        f"{first} gives better probabilities than {second} {at} {_levels(list(better))}.": list(better),
    }


def _levels(levels: list[float]) -> str:
    """List levels."""
    return numbers.join_words(tuple(f"{level:g}" for level in levels))


def _gaps(gaps: Mapping[float, Estimate]) -> str:
    """List levels, each with the size of the difference."""
    return numbers.join_words(
        tuple(f"{level:g} (by {numbers.absolute_points(gap.mean)})" for level, gap in gaps.items())
    )


def curve_words(study: Study, curves: Mapping[str, tuple[training.study.Point, ...]]) -> str:
    """Write each method’s curve as numbers, and list the published ones."""
    lines = "; ".join(
        f"{TRAINING[name].title} {', '.join(numbers.share(point.accuracy.mean) for point in curve)}"
        for name, curve in curves.items()
    )
    counts = f"{min(point.n_trials for curve in curves.values() for point in curve)} trials a point"
    stars = ", ".join(
        f"{TRAINING[name].title} {numbers.share(value)} at {level:g}"
        for name, values in study.published.items()
        for level, value in values.items()
    )
    published = (
        f"Stars: published accuracies ({stars})."
        if stars
        else "The paper plots this without printing the numbers."
        if study.in_paper
        else "The paper has no such figure."
    )
    return (
        f"Accuracy {_LEVEL_WORDS[study.name]} {_levels(list(study.levels))}: {lines}. Means and 95 % intervals over "
        f"{counts}. "
        f"{published}"
    )
