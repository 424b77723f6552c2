"""The chapter on how far off each kind of noise is, along ε, δ, the number of classes or their share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pages.kit import numbers
from pages.kit.panel import Chart, Panel
from pages.topics.label_counts.answer import LAPLACE, Answer, Outcomes, along_snippet, least_words, off_by, table
from pages.topics.label_counts.question import DEFAULT_CURVES, Curves, Question
from privdemo.experiments import label_counts
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES

_QUESTION = "By how many people are the counts off?"


def panels(answer: Answer, curves: Curves | None = None) -> list[Panel]:
    """Return the panel of distortion along the chosen axis, with the visitor’s own level marked."""
    question, (axis, shows_all) = answer.question, curves or DEFAULT_CURVES
    try:
        outcomes = answer.along(axis)
    except ValueError as error:
        return [Panel(question=_QUESTION, answer=numbers.error_sentence_html(error))]
    names = question.config.releases if shows_all else answer.shown_first
    config = question.config
    on_design = axis in (label_counts.C_AXIS, label_counts.RHO_AXIS)
    own_level = {
        label_counts.C_AXIS: float(question.n_classes),
        label_counts.RHO_AXIS: question.rho,
        label_counts.EPSILON_AXIS: config.epsilon,
        label_counts.DELTA_AXIS: config.delta or None,
    }[axis]
    marks = {
        level: {name: here[name].distortion for name in names if here[name].mechanism}
        for level, here in outcomes.items()
    }
    marked_level = None if question.own and on_design else own_level
    return [
        Panel(
            "distortion",
            _QUESTION,
            least_words(question, answer.outcomes, names),
            Chart(charts.along(axis, marks, marked_level, _as_published(question, axis), in_l1=False)),
            _summary(question, axis, outcomes, names),
            lambda: table(outcomes, axis),
            along_snippet(question, axis).then(
                "for level, here in outcomes.items():",
                "    print(level, {name: outcome.distortion.mean for name, outcome in here.items()})",
            ),
            note=f"{_paper_words(names)}Each mark: the errors of all counts added up, of 1,000 people, the mean over "
            f"{config.repeats:,} publications.{_end_words(outcomes, names)}",
        )
    ]


def _paper_words(names: Sequence[str]) -> str:
    """Say whose noise is called that of the paper, if any is shown."""
    in_paper = any("as in the paper" in RELEASES[name].title for name in names)
    return "“As in the paper”: as Iyer, Nath & Sarawagi (2016) add it. " * in_paper


def _end_words(outcomes: Mapping[float, Outcomes], names: Sequence[str]) -> str:
    """Say why a curve ends within the figure, if one does."""
    ends = any(here[name].problem for here in outcomes.values() for name in names)
    return " A curve ends where no noise of its kind keeps the promise." * ends


def _as_published(question: Question, axis: str) -> bool:
    """Return whether everything except the axis is as in the paper’s design, so that its values are comparable."""
    paper = {
        label_counts.C_AXIS: (question.n_classes, label_counts.CLASSES),
        label_counts.RHO_AXIS: (question.rho, label_counts.RHO),
        label_counts.EPSILON_AXIS: (question.config.epsilon, label_counts.EPSILON),
        label_counts.DELTA_AXIS: (question.config.delta, label_counts.DELTA),
    }
    same = all(own == theirs for other_axis, (own, theirs) in paper.items() if other_axis != axis)
    return same and question.total == label_counts.TOTAL and not question.own and axis != label_counts.DELTA_AXIS


def _summary(question: Question, axis: str, outcomes: Mapping[float, Outcomes], names: Sequence[str]) -> str:
    """Describe the figure of distortion along an axis."""
    config, at = question.config, {label_counts.EPSILON_AXIS: "ε = ", label_counts.DELTA_AXIS: "δ = "}.get(axis, "")
    parts = []
    for name in names:
        feasible = [x for x, here in outcomes.items() if not here[name].problem]
        if not feasible:
            parts.append(f"{RELEASES[name].title} has no noise that keeps the promise")
            continue
        ends = [
            f"{off_by(outcomes[x][name].distortion.mean, 1000)} at {at}{numbers.power_of_ten(x)}"
            for x in dict.fromkeys((feasible[0], feasible[-1]))
        ]
        short = "" if len(feasible) == len(outcomes) else " (elsewhere no noise keeps the promise)"
        parts.append(f"{RELEASES[name].title} {' and '.join(ends)}{short}")
    on_design = axis in (label_counts.C_AXIS, label_counts.RHO_AXIS)
    what = {
        label_counts.C_AXIS: f"{question.total:,} people; every class but the last has a share of {question.rho:g}",
        label_counts.RHO_AXIS: f"{question.total:,} people in {question.n_classes} classes",
    }.get(
        axis, f"{sum(config.counts):,} people in {len(config.counts)} classes, the smallest with {min(config.counts):,}"
    )
    own = " Along this axis the counts are the paper’s design." if question.own and on_design else ""
    no_guarantee = any(RELEASES[name].data_dependent for name in names)
    dotted = " Dotted: the noise is chosen from the secret counts, no guarantee." if no_guarantee else ""
    return (
        f"{what}.{own} By how many of 1,000 people the counts are off, all differences added up, which is the L1 "
        f"distance of the released shares from the true ones: the mean over {config.repeats:,} releases with 95 % "
        "intervals. From end to end: "
        f"{'; '.join(parts)}.{dotted}{_star_words(question, axis, names)}"
    )


def _star_words(question: Question, axis: str, names: Sequence[str]) -> str:
    """Explain the stars, if there are any."""
    published = {name: value for name, value in label_counts.PUBLISHED.items() if name in names}
    if not published or not _as_published(question, axis):
        return ""
    whose = {"dirichlet published": "scaled Dirichlet", LAPLACE: "the best of the others"}
    given = numbers.join_words(tuple(f"{value:g} for {whose[name]}" for name, value in published.items()))
    return f" Stars: what the paper’s text gives, an L1 distance of {given}."
