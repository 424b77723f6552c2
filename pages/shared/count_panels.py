"""The main part of the page on released counts: distortion along every lever."""

from __future__ import annotations

from collections.abc import Mapping

from pages.shared import cached, layout, settings, text
from pages.shared.count_controls import AXES, AXIS, Question
from privdemo.experiments import distortion
from privdemo.experiments.distortion import Outcome
from privdemo.figures import distortion as charts
from privdemo.mechanisms.label_counts import RELEASES


def misplaced(value: float, total: int) -> str:
    """An L1 distance of proportions as labels that changed class: half of it, times the labels there are."""
    labels = value * total / 2
    return f"{labels:,.0f}" if labels >= 9.5 else f"{labels:.2g}"


def best(outcomes: Mapping[str, Outcome]) -> Outcome | None:
    """Of the mechanisms whose promise holds, the one that distorts least."""
    valid = [outcome for outcome in outcomes.values() if outcome.holds]
    return min(valid, key=lambda outcome: outcome.distortion.mean) if valid else None


def takeaway(question: Question, outcomes: Mapping[str, Outcome]) -> str:
    """The one sentence: what the promise costs at least, and with noise as published."""
    config = question.config
    total, least, smallest = sum(config.counts), best(outcomes), min(config.counts)
    start = (
        f"Released with ε = {text.epsilon(config.epsilon)} and δ = {text.power_of_ten(config.delta)}, the counts of "
        f"{total:,} labels in {len(config.counts)} classes (the smallest has {smallest:,})"
    )
    if least is None:
        return f"{start} have no mechanism here that keeps the promise: allow a larger δ."
    laplace = outcomes["laplace published"]
    chosen = outcomes[question.release]
    mine = ""
    if question.release not in (least.release, laplace.release):
        mine = f" {capital(RELEASES[question.release].title)}: " + (
            text.sentence(chosen.problem)
            if chosen.problem
            else f"{misplaced(chosen.distortion.mean, total)}{_promise(question, chosen)}."
        )
    return (
        f"{start} look as if <b>{misplaced(least.distortion.mean, total)} labels</b> had changed class with the least "
        f"noise that keeps the promise ({RELEASES[least.release].title}), and as if "
        f"<b>{misplaced(laplace.distortion.mean, total)}</b> had with Laplace noise as published.{mine}"
    )


def _promise(question: Question, outcome: Outcome) -> str:
    if RELEASES[outcome.release].data_dependent:
        return ", but its noise is chosen from the private counts: <b>no formal guarantee</b>"
    if not outcome.holds:
        return f", but <b>its promise is void</b>: at this ε its δ is {outcome.delta:.2g}"
    return ""


def capital(words: str) -> str:
    """With a capital at its start."""
    return words[:1].upper() + words[1:]


def main_figure(question: Question) -> None:
    """Distortion along the chosen lever."""
    axis = AXES[settings.choose(AXIS, "Along")]
    config = question.config
    outcomes = cached.released_along(config, axis, question.n_classes, question.total, question.rho)
    on_design = axis in (distortion.C_AXIS, distortion.RHO_AXIS)
    yours = {
        distortion.C_AXIS: float(question.n_classes),
        distortion.RHO_AXIS: question.rho,
        distortion.EPSILON_AXIS: config.epsilon,
        distortion.DELTA_AXIS: config.delta or None,
    }[axis]
    layout.figure(
        "distortion",
        charts.along(axis, outcomes, None if question.own and on_design else yours),
        _summary(question, axis, outcomes),
        lambda: table(outcomes, axis),
        along_code(question, axis),
    )


def _summary(question: Question, axis: str, outcomes: Mapping[float, Mapping[str, Outcome]]) -> str:
    config = question.config
    low, high = min(outcomes), max(outcomes)
    parts = []
    for name, release in RELEASES.items():
        there = [x for x, here in outcomes.items() if not here[name].problem]
        if not there:
            parts.append(f"{release.title} has no noise here that meets the wish")
            continue
        ends = [f"{outcomes[x][name].distortion.mean:.3f} at {x:g}" for x in dict.fromkeys((there[0], there[-1]))]
        short = "" if (there[0], there[-1]) == (low, high) else " (no noise will do at the others)"
        parts.append(f"{release.title} {' and '.join(ends)}{short}")
    what = {
        distortion.C_AXIS: f"{question.total:,} labels, every class but the last with a share of {question.rho:g}",
        distortion.RHO_AXIS: f"{question.total:,} labels in {question.n_classes} classes",
    }.get(axis, "Your counts")
    own = (
        " These counts are the paper’s design, not yours."
        if question.own
        and axis
        in (
            distortion.C_AXIS,
            distortion.RHO_AXIS,
        )
        else ""
    )
    stars = (
        ""
        if axis == distortion.DELTA_AXIS
        else (
            " Stars: what the paper’s text gives at its design, 0.06 for scaled Dirichlet and 0.15 for the best of the "
            "others."
        )
    )
    return (
        f"{what}.{own} Mean L1 distance of released and true proportions over {config.repeats:,} releases, 95 % "
        f"intervals: {'; '.join(parts)}. Dotted: the noise is chosen from the private counts, no formal "
        f"guarantee.{stars}"
    )


def table(outcomes: Mapping[float, Mapping[str, Outcome]], axis: str) -> list[dict[str, object]]:
    """The figure's numbers as rows."""
    return [
        {
            axis: level,
            "mechanism": RELEASES[name].title,
            "distortion": outcome.distortion.mean,
            "low": outcome.distortion.low,
            "high": outcome.distortion.high,
            "standard deviation": outcome.deviation,
            "delta": outcome.delta,
            "guaranteed": outcome.holds,
            "problem": outcome.problem,
        }
        for level, here in outcomes.items()
        for name, outcome in here.items()
    ]


def code(question: Question) -> str:
    """The lines that release the counts."""
    return "\n".join(
        [
            "from privdemo.experiments import distortion",
            "from privdemo.experiments.distortion import DistortionConfig",
            "",
            f"config = {question.config!r}",
            "outcomes = distortion.run(config)",
            "for name, outcome in outcomes.items():",
            "    print(name, outcome.distortion, outcome.delta, outcome.problem)",
        ]
    )


def along_code(question: Question, axis: str) -> str:
    """The lines that compute the main figure."""
    return "\n".join(
        [
            "from privdemo.experiments import distortion",
            "from privdemo.experiments.distortion import DistortionConfig",
            "",
            f"config = {question.config!r}",
            f'outcomes = distortion.along(config, "{axis}", {question.n_classes}, {question.total}, {question.rho})',
            "for level, here in outcomes.items():",
            "    print(level, {name: outcome.distortion.mean for name, outcome in here.items()})",
        ]
    )


def question_takeaway(question: Question) -> tuple[str, Mapping[str, Outcome]]:
    """The takeaway, and the outcomes it is of."""
    outcomes = cached.released(question.config)
    return takeaway(question, outcomes), outcomes
