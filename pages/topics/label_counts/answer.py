"""What the page on released counts says of a question: the sentence, and distortion along every lever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.kit import cache, numbers
from pages.kit.draws import Draws
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.label_counts.controls import Question
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import Outcome
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES

Outcomes = Mapping[str, Outcome]

released = cache.shared(label_counts.run, max_entries=256)
released_along = cache.shared(label_counts.along, max_entries=256, spinner="Releasing counts along the curve…")


@dataclass(frozen=True)
class Answer:
    """A question, and what every mechanism does with its counts."""

    question: Question
    outcomes: Outcomes

    @property
    def chosen(self) -> Outcome:
        """The mechanism that the visitor looks at."""
        return self.outcomes[self.question.release]

    def along(self, axis: str) -> Mapping[float, Outcomes]:
        """What every mechanism does along a lever. Raises ``ValueError`` where the lever cannot be moved."""
        asked = self.question
        return released_along(asked.config, axis, asked.n_classes, asked.total, asked.rho)

    def takeaway(self) -> str:
        """What the promise costs at least, and with noise as published."""
        return takeaway(self.question, self.outcomes)

    def main(self) -> tuple[Panel, ...]:
        """Distortion along the chosen lever."""
        try:
            outcomes = self.along(self.question.axis)
        except ValueError as error:
            return (Panel(answer=numbers.sentence(error)),)
        return (_along(self.question, outcomes),)


def answer(question: Question, _: Draws) -> Answer:
    """Release the counts with every mechanism."""
    return Answer(question, released(question.config))


def misplaced(value: float, total: int) -> str:
    """How many of `total` labels change class at an L1 distance of proportions: half of it, times `total`."""
    labels = value * total / 2
    return f"{labels:,.0f}" if labels >= 9.5 else f"{labels:.2g}"


def best(outcomes: Mapping[str, Outcome]) -> Outcome:
    """The mechanism that distorts least among those whose promise holds; Laplace noise always has one."""
    return outcomes[label_counts.least(outcomes)[0]]


def level_words(names: Sequence[str]) -> str:
    """Name the mechanisms that cannot be told from the best, in brackets."""
    titles = tuple(RELEASES[name].title for name in names)
    return f", no clear difference from {numbers.a_list(titles)}" if titles else ""


def takeaway(question: Question, outcomes: Mapping[str, Outcome]) -> str:
    """Say what the promise costs at least, and with noise as published."""
    config = question.config
    total, smallest = sum(config.counts), min(config.counts)
    least, laplace, chosen = best(outcomes), outcomes["laplace published"], outcomes[question.release]
    start = (
        f"Released with ε = {numbers.epsilon(config.epsilon)} and δ = {numbers.power_of_ten(config.delta)}, the counts "
        f"of {total:,} labels in {len(config.counts):,} classes (the smallest has {smallest:,}) look as if "
        f"<b>{misplaced(least.distortion.mean, total)}</b> labels had changed class with the mechanism that keeps the "
        f"promise and distorts least ({RELEASES[least.release].title}{level_words(label_counts.least(outcomes)[1:])})"
    )
    if laplace.release != least.release:
        start += f", and as if <b>{misplaced(laplace.distortion.mean, total)}</b> had with Laplace noise as published"
    mine = ""
    if question.release not in (least.release, laplace.release):
        mine = f" {_capital(RELEASES[question.release].title)}: " + (
            numbers.sentence(chosen.problem)
            if chosen.problem
            else f"{misplaced(chosen.distortion.mean, total)} labels{_promise(chosen)}."
        )
    return f"{start}.{mine}"


def _promise(outcome: Outcome) -> str:
    if RELEASES[outcome.release].data_dependent:
        return ", but its noise is chosen from the private counts: <b>no formal guarantee</b>"
    if not outcome.holds:
        return f", but <b>its promise is void</b>: at this ε its δ is {outcome.delta:.2g}"
    return ""


def _capital(words: str) -> str:
    """`words` with a capital at their start."""
    return words[:1].upper() + words[1:]


def _along(question: Question, outcomes: Mapping[float, Outcomes]) -> Panel:
    """Distortion along the lever, with the visitor's own place on it."""
    axis, config = question.axis, question.config
    on_design = axis in (label_counts.C_AXIS, label_counts.RHO_AXIS)
    yours = {
        label_counts.C_AXIS: float(question.n_classes),
        label_counts.RHO_AXIS: question.rho,
        label_counts.EPSILON_AXIS: config.epsilon,
        label_counts.DELTA_AXIS: config.delta or None,
    }[axis]
    marks = {level: {name: o.distortion for name, o in here.items() if o.mechanism} for level, here in outcomes.items()}
    own_place = None if question.own and on_design else yours
    return Panel(
        "distortion",
        figure=Chart(charts.along(axis, marks, own_place, _as_published(question, axis))),
        summary=_summary(question, axis, outcomes),
        rows=lambda: table(outcomes, axis),
        snippet=along_snippet(question, axis).then(
            "for level, here in outcomes.items():",
            "    print(level, {name: outcome.distortion.mean for name, outcome in here.items()})",
        ),
    )


def _as_published(question: Question, axis: str) -> bool:
    """Whether all but what is on the axis is the paper's design, so that its values may stand beside ours."""
    paper = {
        label_counts.C_AXIS: (question.n_classes, label_counts.CLASSES),
        label_counts.RHO_AXIS: (question.rho, label_counts.RHO),
        label_counts.EPSILON_AXIS: (question.config.epsilon, label_counts.EPSILON),
        label_counts.DELTA_AXIS: (question.config.delta, label_counts.DELTA),
    }
    same = all(mine == theirs for lever, (mine, theirs) in paper.items() if lever != axis)
    return same and question.total == label_counts.TOTAL and not question.own and axis != label_counts.DELTA_AXIS


def _summary(question: Question, axis: str, outcomes: Mapping[float, Mapping[str, Outcome]]) -> str:
    config = question.config
    parts = []
    for name, release in RELEASES.items():
        there = [x for x, here in outcomes.items() if not here[name].problem]
        if not there:
            parts.append(f"{release.title} has no noise here that meets the wish")
            continue
        ends = [
            f"{numbers.distance(outcomes[x][name].distortion.mean)} at {numbers.power_of_ten(x)}"
            for x in dict.fromkeys((there[0], there[-1]))
        ]
        short = "" if len(there) == len(outcomes) else " (no noise will do at others)"
        parts.append(f"{release.title} {' and '.join(ends)}{short}")
    on_design = axis in (label_counts.C_AXIS, label_counts.RHO_AXIS)
    what = {
        label_counts.C_AXIS: f"{question.total:,} labels, every class but the last with a share of {question.rho:g}",
        label_counts.RHO_AXIS: f"{question.total:,} labels in {question.n_classes} classes",
    }.get(axis, "Your counts")
    own = " These counts are the paper’s design, not yours." if question.own and on_design else ""
    stars = (
        " Stars: what the paper’s text gives at its design, {:g} for scaled Dirichlet and {:g} for the best of the "
        "others.".format(*label_counts.PUBLISHED.values())
        if _as_published(question, axis)
        else ""
    )
    return (
        f"{what}.{own} Mean L1 distance of released and true proportions (half of it is the share of labels that would "
        f"have to change class) over {config.repeats:,} releases, bars 95 % intervals. End to end: "
        f"{'; '.join(parts)}. Dotted: the "
        f"noise is chosen from the private counts, no formal guarantee.{stars}"
    )


def table(outcomes: Mapping[float, Mapping[str, Outcome]], axis: str) -> list[dict[str, Any]]:
    """The figure's numbers as rows."""
    return [
        {
            axis: level,
            "mechanism": RELEASES[name].title,
            "key": name,
            "distortion": outcome.distortion.mean,
            "low": outcome.distortion.low,
            "high": outcome.distortion.high,
            "standard deviation": outcome.deviation,
            "exact delta": outcome.delta,
            "guarantee": RELEASES[name].guarantee,
            "(ε, δ) holds": outcome.holds,
            "problem": outcome.problem,
        }
        for level, here in outcomes.items()
        for name, outcome in here.items()
    ]


def snippet(question: Question) -> Snippet:
    """The lines that release the counts."""
    return _config(question).then("outcomes = label_counts.run(config)")


def along_snippet(question: Question, axis: str) -> Snippet:
    """The lines that release counts along a lever."""
    design = f"{question.n_classes}, {question.total}, {question.rho}"
    return _config(question).then(f'outcomes = label_counts.along(config, "{axis}", {design})')


def print_outcomes(question: Question) -> Snippet:
    """The lines that release the counts and print what became of them."""
    return snippet(question).then(
        "for name, outcome in outcomes.items():",
        "    print(name, outcome.distortion, outcome.delta, outcome.problem)",
    )


def _config(question: Question) -> Snippet:
    imports = (
        "from privdemo.experiments import label_counts",
        "from privdemo.experiments.label_counts import CountConfig",
    )
    return Snippet(imports, (f"config = {question.config!r}",))
