"""The answer of the page on private counts: the sentence, and distortion along an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Trials
from pages.topics.label_counts.question import DEFAULT_CURVES, Curves, Question
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig, Outcome
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import LABEL_COUNTS

Outcomes = Mapping[str, Outcome]
# The release that the paper, and so the sentence, compares others with.
LAPLACE = "laplace published"

released = cache.shared(label_counts.run, max_entries=1024)


def _released_along(config: CountConfig, axis: str, n_classes: int, total: int, rho: float) -> dict[float, Outcomes]:
    """Release counts at every level of an axis; most levels do not depend on the visitor’s own."""
    return label_counts.along(config, axis, n_classes, total, rho, released)


released_along = cache.shared(_released_along, max_entries=256, spinner="Releasing counts along the curve…")


@dataclass(frozen=True)
class Answer:
    """A question, and the outcome of every release of its counts."""

    question: Question
    outcomes: Outcomes

    @property
    def chosen(self) -> Outcome:
        """Return the outcome of the visitor’s chosen release."""
        return self.outcomes[self.question.release]

    def along(self, axis: str) -> Mapping[float, Outcomes]:
        """Return the outcomes along an axis. Raise ``ValueError`` if the axis has no levels."""
        question = self.question
        return released_along(question.config, axis, question.n_classes, question.total, question.rho)

    def takeaway(self) -> str:
        """Say what the promise costs at least, and what it costs with the published noise."""
        return takeaway(self.question, self.outcomes)

    @property
    def shown_first(self) -> tuple[str, ...]:
        """Return three releases: the best, the published Laplace noise, and the visitor’s choice or another."""
        wanted = (
            best(self.outcomes).release,
            LAPLACE,
            self.question.release,
            "dirichlet public",
            "dirichlet published",
        )
        three = list(dict.fromkeys(wanted))[:3]
        return tuple(name for name in RELEASES if name in three)

    def main(self, curves: Curves = DEFAULT_CURVES) -> tuple[Panel, ...]:
        """Return the panel of distortion along the chosen axis."""
        try:
            outcomes = self.along(curves.axis)
        except ValueError as error:
            return (Panel(answer=numbers.sentence(error)),)
        names = tuple(RELEASES) if curves.all else self.shown_first
        return (_along(self.question, outcomes, curves.axis, names),)


def answer(question: Question, _: Trials) -> Answer:
    """Release the counts in every way."""
    return Answer(question, released(question.config))


def misplaced(value: float, total: int) -> str:
    """Write how many of `total` labels change class at an L1 distance of proportions: half of it times `total`."""
    labels = value * total / 2
    return f"{labels:,.0f}" if labels >= 9.5 else f"{labels:.2g}"


def best(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Return the release with the least distortion among those whose promise holds; Laplace noise always does."""
    return outcomes[label_counts.best_and_tied(outcomes)[0]]


def tied_words(names: Sequence[str]) -> str:
    """List the releases that are statistically tied with the best."""
    spoken_names = tuple(spoken_title(name) for name in names)
    return f", statistically tied with {numbers.join_words(spoken_names)}" if names else ""


def spoken_title(release: str) -> str:
    """Return a release’s title as used within a sentence: “Laplace as published”, “tight Gaussian”."""
    name, _, kind = RELEASES[release].title.partition(", ")
    return f"{name} as published" if kind.startswith("published") else f"tight {name}"


def takeaway(question: Question, outcomes: Mapping[str, Outcome]) -> str:
    """Say what the promise costs at least, and what it costs with the published noise."""
    total = sum(question.config.counts)
    least, laplace, chosen = best(outcomes), outcomes[LAPLACE], outcomes[question.release]
    start = (
        f"The best private release misplaces <b>{misplaced(least.distortion.mean, total)} of {total:,} labels</b> "
        f"({spoken_title(least.release)} noise{tied_words(label_counts.best_and_tied(outcomes)[1:])})"
    )
    if laplace.release != least.release:
        start += f"; {spoken_title(LAPLACE)} <b>{misplaced(laplace.distortion.mean, total)}</b>"
    if question.release in (least.release, laplace.release):
        return f"{start}."
    title = capital(RELEASES[question.release].title)
    if chosen.problem:
        return f"{start}. {title}: {numbers.sentence(chosen.problem)}"
    own, promise = misplaced(chosen.distortion.mean, total), _broken_promise_words(chosen)
    if promise:
        return f"{start}. {title}: {own}{promise}."
    joint = ";" if laplace.release == least.release else ","
    return f"{start}{joint} {spoken_title(question.release)} <b>{own}</b>."


def _broken_promise_words(outcome: Outcome) -> str:
    """Say why the promise of a release does not hold; empty if it does."""
    if RELEASES[outcome.release].data_dependent:
        return ", but its noise is chosen from the secret counts: <b>no guarantee</b>"
    if not outcome.holds:
        return f", but <b>its promise is broken</b>: at this ε its δ is {small(outcome.delta)}"
    return ""


def capital(words: str) -> str:
    """Return `words` with a capital first letter."""
    return words[:1].upper() + words[1:]


def small(value: float) -> str:
    """Write a δ with three figures, a very small one as a power of ten."""
    return f"{value:.3g}" if value >= 1e-3 or value == 0 else numbers.power_of_ten(float(f"{value:.2g}"))


def _along(question: Question, outcomes: Mapping[float, Outcomes], axis: str, names: Sequence[str]) -> Panel:
    """Return the panel of distortion of the releases `names` along an axis, with the visitor’s own level marked."""
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
    return Panel(
        "distortion",
        figure=Chart(charts.along(axis, marks, marked_level, _as_published(question, axis), in_l1=False)),
        summary=_summary(question, axis, outcomes, names),
        rows=lambda: table(outcomes, axis),
        snippet=along_snippet(question, axis).then(
            "for level, here in outcomes.items():",
            "    print(level, {name: outcome.distortion.mean for name, outcome in here.items()})",
        ),
    )


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
            f"{misplaced(outcomes[x][name].distortion.mean, 1000)} at {at}{numbers.power_of_ten(x)}"
            for x in dict.fromkeys((feasible[0], feasible[-1]))
        ]
        short = "" if len(feasible) == len(outcomes) else " (elsewhere no noise keeps the promise)"
        parts.append(f"{RELEASES[name].title} {' and '.join(ends)}{short}")
    on_design = axis in (label_counts.C_AXIS, label_counts.RHO_AXIS)
    what = {
        label_counts.C_AXIS: f"{question.total:,} labels; every class but the last has a share of {question.rho:g}",
        label_counts.RHO_AXIS: f"{question.total:,} labels in {question.n_classes} classes",
    }.get(
        axis, f"{sum(config.counts):,} labels in {len(config.counts)} classes, the smallest with {min(config.counts):,}"
    )
    own = " These counts are the paper’s design, not yours." if question.own and on_design else ""
    dotted = (
        " Dotted: the noise is chosen from the secret counts, no guarantee." if _any_without_guarantee(names) else ""
    )
    return (
        f"{what}.{own} How many of 1,000 labels are misplaced, which is half the L1 distance of the released shares "
        f"from the true ones: the mean over {config.repeats:,} releases with 95 % intervals. From end to end: "
        f"{'; '.join(parts)}.{dotted}{_star_words(question, axis, names)}"
    )


def _any_without_guarantee(names: Sequence[str]) -> bool:
    """Return whether any of these releases chooses its noise from the secret counts."""
    return any(RELEASES[name].data_dependent for name in names)


def _star_words(question: Question, axis: str, names: Sequence[str]) -> str:
    """Explain the stars, if there are any."""
    published = {name: value for name, value in label_counts.PUBLISHED.items() if name in names}
    if not published or not _as_published(question, axis):
        return ""
    whose = {"dirichlet published": "scaled Dirichlet", LAPLACE: "the best of the others"}
    given = numbers.join_words(tuple(f"{value:g} for {whose[name]}" for name, value in published.items()))
    return f" Stars: what the paper’s text gives, an L1 distance of {given}."


def table(outcomes: Mapping[float, Mapping[str, Outcome]], axis: str) -> list[dict[str, Any]]:
    """Return the figure’s numbers as rows of a file."""
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
    """Return the code that releases the counts."""
    return _config(question).then("outcomes = label_counts.run(config)")


def along_snippet(question: Question, axis: str) -> Snippet:
    """Return the code that releases counts along an axis."""
    design = f"{question.n_classes}, {question.total}, {question.rho}"
    return _config(question).then(f'outcomes = label_counts.along(config, "{axis}", {design})')


def print_outcomes(question: Question) -> Snippet:
    """Return the code that releases the counts and prints the outcomes."""
    return snippet(question).then(
        "for name, outcome in outcomes.items():",
        "    print(name, outcome.distortion, outcome.delta, outcome.problem)",
    )


def _config(question: Question) -> Snippet:
    """Return the code that makes the config."""
    imports = (
        "from privdemo.experiments import label_counts",
        "from privdemo.experiments.label_counts import CountConfig",
    )
    return Snippet(imports, (f"config = {question.config!r}",))
