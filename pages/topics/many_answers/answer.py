"""What the page on many answers says of a question: the sentence, and true shares beside estimated ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from pages.kit import cache, numbers, own_data
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.many_answers.controls import Question
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import ZIPF, AnswersConfig, Fit, Release
from privdemo.experiments.results import N_TRIALS
from privdemo.experiments.trials import with_trial
from privdemo.figures import many_answers as charts
from privdemo.methods import FREQUENCY_ORACLES

# So many people times answers are read, report by report, while a visitor waits.
_AT_ONCE = 2_000_000
_FITS = "many answers"
# From this part of another error on an error is called just as much.
_AS_MUCH = 0.98

released = cache.by_config(many_answers.run)
fitted = cache.by_config(many_answers.fit)
errors_of = cache.shared(many_answers.errors, max_entries=1024)


@dataclass(frozen=True, eq=False)
class Answer:
    """A question, what was released, and the `errors` that every oracle has here.

    `fits` read whole reports, `along` those at several levels of an axis, by the axis.
    """

    question: Question
    found: Release
    errors: Mapping[str, float]
    fits: tuple[Fit, ...] = ()
    along: Mapping[str, tuple[Fit, ...]] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """How many different answers there are."""
        return self.found.truth.k

    @property
    def best(self) -> str:
        """The oracle with the least error here, of equals the simpler."""
        least = min(self.errors.values())
        return next(name for name, error in self.errors.items() if error <= least * (1 + 1e-9))

    @property
    def unasked(self) -> float:
        """The error of asking nobody; 0 where all answers are equally frequent, as far as whole people can be."""
        error = many_answers.unasked_error(self.found.truth)
        return error if error * self.question.config.people >= 1 else 0.0

    def takeaway(self) -> str:
        """How far the lie is off, and how far the one that it is measured against."""
        config = self.question.config
        mine, rival = self.found.found
        own, other, least = (self.errors[name] for name in (mine, rival, self.best))
        is_better = least < _AS_MUCH * min(own, other)
        figures = 2 if _read_apart(own, other, least if is_better else own) else 3
        off, rivals, best = (numbers.standard_error(error, figures) for error in (own, other, least))
        start = (
            f"With ε = {numbers.epsilon(config.epsilon)} and {numbers.people(config.people)}, <b>{title(mine)}</b> is "
            f"typically off by <b>{off} points</b> a share; {title(rival)} "
        )
        if many_answers.same_lie(mine, rival, self.k, config.epsilon):
            words = f"{start}is the same lie where sets hold one answer, as here."
        else:
            words = f"{start}by <b>{rivals}</b>{_compared(other / own)}."
        if is_better:
            words += f" Best here: {title(self.best)}, {best}."
        if 0 < self.unasked < max(own, other):
            words += (
                f" Asking nobody, and taking all answers for equally frequent, is off by {bare_points(self.unasked)}."
            )
        return words

    def main(self) -> tuple[Panel, ...]:
        """True shares, and those estimated from one release of two lies."""
        return (
            Panel(
                "shares",
                figure=Chart(charts.shares(self.found)),
                summary=self._summary(),
                rows=lambda: share_rows(self.found),
                snippet=snippet(self.question).then(
                    "release = many_answers.run(config)",
                    "print(release.truth.names, release.truth.shares)",
                    "for oracle, found in release.found.items():",
                    "    print(oracle, found.shares, found.low, found.high)",
                ),
            ),
        )

    def _summary(self) -> str:
        config, people = self.question.config, self.found.truth
        some = f"the {charts.SHOWN} most frequent of {people.k:,}" if people.k > charts.SHOWN else f"all {people.k}"
        parts = []
        for oracle, found in self.found.found.items():
            covered = ((found.low <= people.shares) & (people.shares <= found.high)).mean()
            parts.append(
                f"{title(oracle)}: “{people.names[0]}” {numbers.share(float(found.shares[0]))} "
                f"({numbers.between(float(found.low[0]), float(found.high[0]))}), and "
                f"{numbers.share(float(covered))} of all intervals contain the truth"
            )
        return (
            f"{_who(config)}: {some} answers. Bars: true shares, “{people.names[0]}” "
            f"{numbers.share(float(people.shares[0]))}. Marks: shares read from one release by inversion, with 95 % "
            f"intervals; they are of these {config.people:,} people, and may begin below 0. "
            f"{capital('; '.join(parts))}. How far a lie is typically off is the root of its mean squared error over "
            "all answers, in closed form, whatever the shares are."
        )


def answer(question: Question, made: Trials) -> Answer:
    """Release the answers by two lies, and read what whole reports are there."""
    found = released(question.config)
    config = question.config
    errors = errors_of(found.truth.k, config.epsilon, config.people)
    along = {axis: tuple(made.of_kind(_along(axis))) for axis in many_answers.READ_AT}
    return Answer(question, found, errors, tuple(made.of_kind(_FITS)), along)


def jobs(question: Question) -> list[Job]:
    """Reports that are drawn person by person, where the chapter on reading them is on the screen."""
    config = question.config
    if not question.reads:
        return []
    along = [job for axis in many_answers.READ_AT if (job := _job_along(axis, config)).tasks]
    people = released(config).truth
    if not many_answers.is_soon(config, people):
        return along
    before = 1 if config.people * people.k <= _AT_ONCE else 0
    tasks, first = [with_trial(config, i) for i in range(before, N_TRIALS)], partial(fitted, config) if before else None
    return [Job((_FITS, config, before), "Draw", many_answers.fit, tasks, first), *along]


def _along(axis: str) -> str:
    return f"{_FITS} along {axis}"


def _job_along(axis: str, config: AnswersConfig) -> Job:
    """The draws along an axis; one's own level makes no difference, so that they are there at any."""
    tasks = many_answers.read_along(config, axis)
    return Job((_along(axis), tasks[0] if tasks else config), "Draw", many_answers.fit, tasks)


def title(oracle: str) -> str:
    """An oracle as sentences call it."""
    return FREQUENCY_ORACLES[oracle].title


def capital(words: str) -> str:
    """`words` with a capital at their start."""
    return words[:1].upper() + words[1:]


def points(error: float) -> str:
    """A typical error: “1.9 points”."""
    return f"{bare_points(error)} points"


def bare_points(error: float) -> str:
    """A typical error in points, without the word: “1.9”."""
    return numbers.standard_error(error)


def _read_apart(*errors: float) -> bool:
    """Whether errors that are not just as much as each other do not read the same."""
    ordered = sorted(errors)
    return all(low >= _AS_MUCH * high or bare_points(low) != bare_points(high) for low, high in pairwise(ordered))


def _compared(times: float) -> str:
    """How the other lie compares, whose error is `times` as large."""
    if _AS_MUCH * times >= 1:
        return f": {numbers.times(times)} times as much"
    return ", just as much" if times > _AS_MUCH else f": {numbers.times(1 / times)} times as exact"


def _who(config: Any) -> str:
    return f"{config.people:,} people" + (
        f" whose answers follow Zipf’s law (s = {config.exponent:g})" * (config.dataset == ZIPF)
    )


def share_rows(found: Release) -> list[dict[str, Any]]:
    """Every answer's true share and both estimates as rows."""
    people = found.truth
    return [
        {"answer": name, "people": int(people.counts[i]), "true": float(people.shares[i])}
        | {
            f"{oracle}: {column}": float(getattr(estimate, part)[i])
            for oracle, estimate in found.found.items()
            for column, part in (("estimate", "shares"), ("low", "low"), ("high", "high"))
        }
        for i, name in enumerate(people.names)
    ]


def snippet(question: Question) -> Snippet:
    """The lines that make the config."""
    imports = (
        "from privdemo.experiments import many_answers",
        "from privdemo.experiments.many_answers import AnswersConfig",
    )
    return own_data.snippet(question.config, question.file, *imports)


def column(oracle: str) -> dict[str, str]:
    """What names an oracle in a CSV file."""
    return FREQUENCY_ORACLES[oracle].columns
