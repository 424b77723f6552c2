"""The answer of the page on private counts: the sentence, how far off all releases are, and the code."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.kit import cache, numbers, opendp
from pages.kit.snippet import Snippet
from pages.kit.trials import Trials
from pages.topics.label_counts.question import Question
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig, Outcome
from privdemo.figures.label_counts import published_errors
from privdemo.mechanisms.label_counts import RELEASES, calibrate
from privdemo.methods import LABEL_COUNTS

Outcomes = Mapping[str, Outcome]
# The release that the paper, and so the sentence, compares others with.
LAPLACE = "laplace published"

# What is said of an error that is less than such a part of all people.
_HOW_MUCH = ((0.03, "Only a little"), (0.2, "Noticeably"), (math.inf, "Very"))
# So many times as large an error is said to be larger.
_MUCH = 1.5

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
        """Say by how many people each count is off on average."""
        return takeaway(self.question, self.chosen)

    @property
    def shown_first(self) -> tuple[str, ...]:
        """Return three releases: the best, the visitor’s choice, and others that are made in another way."""
        first = best(self.outcomes).release
        near = self.outcomes[LAPLACE].distortion.mean < _MUCH * self.outcomes[first].distortion.mean
        laplace = () if near else (LAPLACE,)
        wanted = (first, *laplace, self.question.release, "gaussian tight", "dirichlet public", "dirichlet published")
        three = list(dict.fromkeys(wanted))[:3]
        return tuple(name for name in RELEASES if name in three)


def answer(question: Question, _: Trials) -> Answer:
    """Release the counts in every way."""
    return Answer(question, released(question.config))


def off_by(value: float, total: int) -> str:
    """Write by how many of `total` people all counts together are off at an L1 distance of shares."""
    people = value * total
    return f"{people:,.0f}" if people >= 9.5 else f"{people:.2g}"


def off_on_average(people: float) -> str:
    """Write by how many people one count is off on average: “1.9”, “23”, “less than 0.1”."""
    if 0 < people < 0.05:
        return "less than 0.1"
    return f"{people:.1f}" if people < 9.95 else f"{people:,.0f}"


def best(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Return the release with the least distortion among those whose promise holds; Laplace noise always does."""
    return outcomes[label_counts.best_and_tied(outcomes)[0]]


def tied_words(names: Sequence[str]) -> str:
    """List the releases that are statistically tied with the best."""
    spoken_names = tuple(spoken_title(name) for name in names)
    return f", statistically tied with {numbers.join_words(spoken_names)}" if names else ""


def spoken_title(release: str) -> str:
    """Return a release’s title in a sentence: “Laplace noise as in the paper”, “Gaussian noise”."""
    name = RELEASES[release].title.partition(", ")[0]
    return f"{name} noise" if RELEASES[release].tight else f"{name} noise as in the paper"


def takeaway(question: Question, chosen: Outcome) -> str:
    """Say by how many people each count of the `chosen` release is off on average."""
    title = numbers.capital(RELEASES[chosen.release].title)
    if chosen.problem:
        return f"{title}: {numbers.error_sentence_html(chosen.problem)}"
    total = sum(question.config.counts)
    errors = published_errors(chosen, question.config.counts)
    each = chosen.distortion.mean * total / len(errors)
    promise = _broken_promise_words(chosen)
    people, person = ("patients", "patient") if question.names else ("people", "person")
    # Where noise hardly ever changes a count, every reader knows that it is exact.
    is_changed = all((high - low) * total >= 1 for low, high in chosen.ranges)
    is_hidden = chosen.holds and is_changed and 0 in errors
    by_chance = " Readers cannot tell which counts are exact." if is_hidden else ""
    much = next(word for part, word in _HOW_MUCH if chosen.distortion.mean < part)
    counted = f"{total:,} {people if total > 1 else person}"
    return (
        f"<b>{much}:</b> over many repetitions, each of the {len(errors)} counts is off by "
        f"<b>{off_on_average(each)}</b> on average ({counted} in all){promise}. To hide every single {person}, "
        f"each count is changed by a random amount (noise) before it is published.{by_chance}"
    )


def least_words(question: Question, outcomes: Mapping[str, Outcome], drawn: Collection[str] | None = None) -> str:
    """Say by how few people the counts are off with noise that keeps the promise, and with other noise of those that
    are `drawn`; of any, if None.
    """
    total = sum(question.config.counts)
    laplace, chosen = outcomes[LAPLACE], outcomes[question.release]
    shown = {name: one for name, one in outcomes.items() if drawn is None or name in (*drawn, question.release)}
    if any(not one.problem and one.holds for one in shown.values()):
        outcomes = shown
    least = best(outcomes)
    tied = label_counts.best_and_tied(outcomes)[1:]
    start = (
        f"By <b>{off_by(least.distortion.mean, total)} of {total:,}</b> people in all with "
        f"{spoken_title(least.release)}{tied_words(tied)}, the best here"
    )
    is_drawn = drawn is None or laplace.release in drawn
    if is_drawn and laplace.release != least.release and laplace.release not in tied:
        start += f"; with {spoken_title(LAPLACE)}, by <b>{off_by(laplace.distortion.mean, total)}</b>"
    if question.release in (least.release, laplace.release):
        return f"{start}.{_most_words(outcomes, total)}"
    title = numbers.capital(RELEASES[question.release].title)
    if chosen.problem:
        return f"{start}. {title}: {numbers.error_sentence_html(chosen.problem)}"
    own, promise = off_by(chosen.distortion.mean, total), _broken_promise_words(chosen)
    if promise:
        return f"{start}. {title}: {own}{promise}."
    return f"{start}; with {spoken_title(question.release)}, by <b>{own}</b>."


def _most_words(outcomes: Mapping[str, Outcome], total: int) -> str:
    """Say with which noise that keeps its promise the counts are off most, if that is clearly another one."""
    kept = [outcome for outcome in outcomes.values() if not outcome.problem and outcome.holds]
    most, least = (end(kept, key=lambda outcome: outcome.distortion.mean) for end in (max, min))
    if most.distortion.mean < _MUCH * least.distortion.mean:
        return ""
    off = off_by(most.distortion.mean, total)
    return f" With {spoken_title(most.release)} they are off by <b>{off}</b>."


def _broken_promise_words(outcome: Outcome) -> str:
    """Say why the promise of a release does not hold; empty if it does."""
    if RELEASES[outcome.release].data_dependent:
        return ", but the noise is chosen from the secret counts: <b>no guarantee</b>"
    if not outcome.holds:
        return f", but <b>its promise is broken</b>: at this ε its δ is {small(outcome.delta)}"
    return ""


def small(value: float) -> str:
    """Write a δ with three figures, a very small one as a power of ten."""
    return f"{value:.3g}" if value >= 1e-3 or value == 0 else numbers.power_of_ten(float(f"{value:.2g}"))


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


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that add the noise of the chosen release to counts."""
    config = question.config
    try:
        mechanism = calibrate(question.release, config.epsilon, config.delta, config.counts, config.n_min)
    except ValueError:  # the page says why there is no such noise
        return None
    return opendp.snippet(config.delta, counts=mechanism)


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
