"""What the page on released counts says of a question: the sentence, and distortion along every lever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Trials
from pages.topics.label_counts.controls import AT_FIRST, Drawn, Question
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig, Outcome
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import LABEL_COUNTS

Outcomes = Mapping[str, Outcome]
# What others are measured against: what the paper takes of those before it.
LAPLACE = "laplace published"

released = cache.shared(label_counts.run, max_entries=1024)


def _released_along(config: CountConfig, axis: str, n_classes: int, total: int, rho: float) -> dict[float, Outcomes]:
    """Every release along an axis; most of its levels are there whatever the visitor's own is."""
    return label_counts.along(config, axis, n_classes, total, rho, released)


released_along = cache.shared(_released_along, max_entries=256, spinner="Releasing counts along the curve…")


@dataclass(frozen=True)
class Answer:
    """A question, and what every mechanism does with its counts."""

    question: Question
    outcomes: Outcomes

    @property
    def chosen(self) -> Outcome:
        """The release that the visitor looks at."""
        return self.outcomes[self.question.release]

    def along(self, axis: str) -> Mapping[float, Outcomes]:
        """Every release along an axis. Raises ``ValueError`` where there is nothing along it."""
        asked = self.question
        return released_along(asked.config, axis, asked.n_classes, asked.total, asked.rho)

    def takeaway(self) -> str:
        """What the promise costs at least, and with noise as published."""
        return takeaway(self.question, self.outcomes)

    @property
    def shown_first(self) -> tuple[str, ...]:
        """Three releases: the best, Laplace as published, and the one that the visitor looks at, or another."""
        wanted = (
            best(self.outcomes).release,
            LAPLACE,
            self.question.release,
            "dirichlet public",
            "dirichlet published",
        )
        three = list(dict.fromkeys(wanted))[:3]
        return tuple(name for name in RELEASES if name in three)

    def main(self, drawn: Drawn = AT_FIRST) -> tuple[Panel, ...]:
        """Distortion along the chosen axis."""
        try:
            outcomes = self.along(drawn.axis)
        except ValueError as error:
            return (Panel(answer=numbers.sentence(error)),)
        names = tuple(RELEASES) if drawn.all else self.shown_first
        return (_along(self.question, outcomes, drawn.axis, names),)


def answer(question: Question, _: Trials) -> Answer:
    """Release the counts in every way."""
    return Answer(question, released(question.config))


def misplaced(value: float, total: int) -> str:
    """How many of `total` labels change class at an L1 distance of proportions: half of it, times `total`."""
    labels = value * total / 2
    return f"{labels:,.0f}" if labels >= 9.5 else f"{labels:.2g}"


def best(outcomes: Mapping[str, Outcome]) -> Outcome:
    """The release that distorts least among those whose promise holds; Laplace noise always has one."""
    return outcomes[label_counts.least(outcomes)[0]]


def level_words(names: Sequence[str]) -> str:
    """Name the releases that cannot be told from the best."""
    spoken_names = tuple(spoken(name) for name in names)
    return f", statistically tied with {numbers.join_words(spoken_names)}" if names else ""


def spoken(release: str) -> str:
    """A release's title as it stands within a sentence: “Laplace as published”, “tight Gaussian”."""
    name, _, kind = RELEASES[release].title.partition(", ")
    return f"{name} as published" if kind.startswith("published") else f"tight {name}"


def takeaway(question: Question, outcomes: Mapping[str, Outcome]) -> str:
    """Say what the promise costs at least, and with noise as published."""
    total = sum(question.config.counts)
    least, laplace, chosen = best(outcomes), outcomes[LAPLACE], outcomes[question.release]
    start = (
        f"The best private release misplaces <b>{misplaced(least.distortion.mean, total)} of {total:,} labels</b> "
        f"({spoken(least.release)} noise{level_words(label_counts.least(outcomes)[1:])})"
    )
    if laplace.release != least.release:
        start += f"; {spoken(LAPLACE)} <b>{misplaced(laplace.distortion.mean, total)}</b>"
    if question.release in (least.release, laplace.release):
        return f"{start}."
    title = capital(RELEASES[question.release].title)
    if chosen.problem:
        return f"{start}. {title}: {numbers.sentence(chosen.problem)}"
    mine, promise = misplaced(chosen.distortion.mean, total), _promise(chosen)
    if promise:
        return f"{start}. {title}: {mine}{promise}."
    joint = ";" if laplace.release == least.release else ","
    return f"{start}{joint} {spoken(question.release)} <b>{mine}</b>."


def _promise(outcome: Outcome) -> str:
    if RELEASES[outcome.release].data_dependent:
        return ", but its noise is chosen from the secret counts: <b>no guarantee</b>"
    if not outcome.holds:
        return f", but <b>its promise is broken</b>: at this ε its δ is {small(outcome.delta)}"
    return ""


def capital(words: str) -> str:
    """`words` with a capital at their start."""
    return words[:1].upper() + words[1:]


def small(value: float) -> str:
    """A δ with three figures, a very small one as a power of ten."""
    return f"{value:.3g}" if value >= 1e-3 or value == 0 else numbers.power_of_ten(float(f"{value:.2g}"))


def _along(question: Question, outcomes: Mapping[float, Outcomes], axis: str, names: Sequence[str]) -> Panel:
    """Distortion of the releases `names` along an axis, with the visitor's own place on it."""
    config = question.config
    on_design = axis in (label_counts.C_AXIS, label_counts.RHO_AXIS)
    yours = {
        label_counts.C_AXIS: float(question.n_classes),
        label_counts.RHO_AXIS: question.rho,
        label_counts.EPSILON_AXIS: config.epsilon,
        label_counts.DELTA_AXIS: config.delta or None,
    }[axis]
    marks = {
        level: {name: here[name].distortion for name in names if here[name].mechanism}
        for level, here in outcomes.items()
    }
    own_place = None if question.own and on_design else yours
    return Panel(
        "distortion",
        figure=Chart(charts.along(axis, marks, own_place, _as_published(question, axis), in_l1=False)),
        summary=_summary(question, axis, outcomes, names),
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


def _summary(question: Question, axis: str, outcomes: Mapping[float, Outcomes], names: Sequence[str]) -> str:
    config, at = question.config, {label_counts.EPSILON_AXIS: "ε = ", label_counts.DELTA_AXIS: "δ = "}.get(axis, "")
    parts = []
    for name in names:
        there = [x for x, here in outcomes.items() if not here[name].problem]
        if not there:
            parts.append(f"{RELEASES[name].title} has no noise that keeps the promise")
            continue
        ends = [
            f"{misplaced(outcomes[x][name].distortion.mean, 1000)} at {at}{numbers.power_of_ten(x)}"
            for x in dict.fromkeys((there[0], there[-1]))
        ]
        short = "" if len(there) == len(outcomes) else " (elsewhere no noise keeps the promise)"
        parts.append(f"{RELEASES[name].title} {' and '.join(ends)}{short}")
    on_design = axis in (label_counts.C_AXIS, label_counts.RHO_AXIS)
    what = {
        label_counts.C_AXIS: f"{question.total:,} labels; every class but the last has a share of {question.rho:g}",
        label_counts.RHO_AXIS: f"{question.total:,} labels in {question.n_classes} classes",
    }.get(
        axis, f"{sum(config.counts):,} labels in {len(config.counts)} classes, the smallest with {min(config.counts):,}"
    )
    own = " These counts are the paper’s design, not yours." if question.own and on_design else ""
    dotted = " Dotted: the noise is chosen from the secret counts, no guarantee." if _any_unsafe(names) else ""
    return (
        f"{what}.{own} How many of 1,000 labels are misplaced, which is half the L1 distance of the released shares "
        f"from the true ones: the mean over {config.repeats:,} releases with 95 % intervals. From end to end: "
        f"{'; '.join(parts)}.{dotted}{_star_words(question, axis, names)}"
    )


def _any_unsafe(names: Sequence[str]) -> bool:
    return any(RELEASES[name].data_dependent for name in names)


def _star_words(question: Question, axis: str, names: Sequence[str]) -> str:
    """What the stars are, if there are any."""
    there = {name: value for name, value in label_counts.PUBLISHED.items() if name in names}
    if not there or not _as_published(question, axis):
        return ""
    whose = {"dirichlet published": "scaled Dirichlet", LAPLACE: "the best of the others"}
    given = numbers.join_words(tuple(f"{value:g} for {whose[name]}" for name, value in there.items()))
    return f" Stars: what the paper’s text gives, an L1 distance of {given}."


def table(outcomes: Mapping[float, Mapping[str, Outcome]], axis: str) -> list[dict[str, Any]]:
    """The figure's numbers as rows."""
    return [
        {
            axis: level,
            **LABEL_COUNTS[name].columns,
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
