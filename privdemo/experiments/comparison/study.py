"""The shipped study: the comparison along ε over many trials, and functions of its curves.

Its results are one small CSV file; `python -m privdemo reproduce comparison` computes it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from privdemo.datasets import name_of
from privdemo.estimators.choose import Choice
from privdemo.experiments.comparison.config import CLASSIFY, LABELS, METRICS, RANGES, RECORDS, SHARE, ComparisonConfig
from privdemo.experiments.comparison.score import Trial, run
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate, mean_interval
from privdemo.methods import COMPARISON, TRUTH
from privdemo.verdict import Verdict, judge

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
# What is shipped: tasks, data sets and what is private, all else by default.
CONTEXTS = tuple(
    ComparisonConfig(
        task,
        dataset,
        private,
        n_train=120 if dataset == "digits" else ComparisonConfig.n_train,
    )
    for task in (CLASSIFY, SHARE)
    for dataset, private in (("mnist", LABELS), ("mnist", RECORDS), ("adult", LABELS), ("digits", LABELS))
)


@dataclass(frozen=True)
class Mark:
    """The mark of one method by one metric in one `trial`; that of `config` itself is 0.

    `choice` is what a choosing method has taken, and why.
    """

    config: ComparisonConfig
    trial: int
    method: str
    metric: str
    value: float
    choice: Choice | None = None


@dataclass(frozen=True)
class Row:
    """One method at one ε by one metric: its mean over `n_trials` trials, and its 95 % interval.

    `by_trial` are the values of the trials in order, separated by blanks; "-" if a trial has none. `chosen` is what a
    choosing method has taken in them, and why: “classes: clearly ahead; low rank: no clear difference”.
    """

    task: str
    dataset: str
    private: str
    n_train: int
    epsilon: float
    method: str
    trust: str
    metric: str
    n_trials: int
    mean: float
    low: float
    high: float
    by_trial: str
    chosen: str = ""

    @property
    def values(self) -> dict[int, float]:
        """The values by trial."""
        return {i: float(value) for i, value in enumerate(self.by_trial.split()) if value != "-"}

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What a choosing method has taken, and why, trial by trial."""
        return tuple(Choice(*one.split(": ")) for one in self.chosen.split("; ") if one)

    @property
    def estimate(self) -> Estimate:
        """The mean with its interval."""
        return Estimate(self.mean, self.low, self.high)


def run_trial(config: ComparisonConfig, trial: int) -> list[Mark]:
    """Return the marks of all methods on one trial."""
    return trial_marks(run(with_trial(config, trial)))


def trial_marks(one: Trial) -> list[Mark]:
    """Return the marks of a trial."""
    place = replace(one.config, trial=0)
    return [
        Mark(place, one.config.trial, fit.method, metric, value, Choice(fit.chosen, fit.why) if fit.why else None)
        for fit in one.fits.values()
        for metric, value in fit.marks.items()
    ]


def settings() -> list[tuple[ComparisonConfig]]:
    """Return the configs of all curves."""
    return [(replace(context, epsilon=epsilon),) for context in CONTEXTS for epsilon in EPSILONS]


def rows(marks: Iterable[Mark]) -> list[Row]:
    """Return the means over two or more trials, in the order of contexts, ε, methods and metrics."""
    groups = group(marks, lambda mark: (mark.config, mark.method, mark.metric))
    contexts, methods = list(CONTEXTS), list(COMPARISON)

    def order(place: tuple[ComparisonConfig, str, str]) -> tuple[int, float, int, int]:
        config, method, metric = place
        context = replace(config, epsilon=ComparisonConfig.epsilon)
        known = contexts.index(context) if context in contexts else len(contexts)
        return known, config.epsilon, methods.index(method), list(METRICS[config.task]).index(metric)

    by_trial = {place: {mark.trial: mark for mark in groups[place]} for place in sorted(groups, key=order)}
    return [_row(*place, here) for place, here in by_trial.items() if len(here) > 1]


def _row(config: ComparisonConfig, method: str, metric: str, marks: dict[int, Mark]) -> Row:
    in_order = [marks[trial] for trial in sorted(marks)]
    return Row(
        config.task,
        name_of(config.dataset),
        config.private,
        config.n_train,
        config.epsilon,
        method,
        COMPARISON[method].trust,
        metric,
        len(marks),
        *mean_interval([mark.value for mark in in_order], *RANGES[metric]),
        " ".join(f"{marks[trial].value:.6g}" if trial in marks else "-" for trial in range(max(marks) + 1)),
        "; ".join(": ".join(mark.choice) for mark in in_order if mark.choice),
    )


def difference(one: Row, other: Row) -> Estimate | None:
    """Return the mean of `one` less `other` trial by trial, with its 95 % interval; None if they share fewer than two
    trials.

    The same trial has the same people, whose sampling error cancels. Raises ``ValueError`` for marks by different
    metrics.
    """
    if one.metric != other.metric:
        raise ValueError(f"both must be of one metric, got {one.metric} and {other.metric}")
    theirs = other.values
    gaps = [value - theirs[trial] for trial, value in one.values.items() if trial in theirs]
    return mean_interval(gaps) if len(gaps) > 1 else None


def select(all_rows: Sequence[Row], config: ComparisonConfig, metric: str) -> list[Row]:
    """Return the rows with the task, the data set and the private part of `config`, at any ε and any number of
    people.
    """
    wanted = (config.task, name_of(config.dataset), config.private, metric)
    return [row for row in all_rows if (row.task, row.dataset, row.private, row.metric) == wanted]


def best_by_trust(some: Sequence[Row]) -> dict[str, Row]:
    """Return the best of the rows with each trust, among rows of one metric at one ε; the clean ceiling is among
    them.
    """
    found: dict[str, Row] = {}
    for row in some:
        sign = 1 if METRICS[row.task][row.metric] else -1
        if row.trust not in found or sign * row.mean > sign * found[row.trust].mean:
            found[row.trust] = row
    return found


class Reached(NamedTuple):
    """The least ε, of those tried, from which on a method reaches a goal.

    Args:
        epsilon: That ε.
        method: The method.
        estimate: The method's mark there.
        surely: Whether the whole interval of the mark reaches the goal.
        before: The next lower ε at which the method has a mark; None if it has none.
        lowest: Whether no lower ε was tried.
    """

    epsilon: float
    method: str
    estimate: Estimate
    surely: bool
    before: float | None
    lowest: bool


def seek(some: Sequence[Row], goal: float, trusted: Sequence[str]) -> Reached | None:
    """Return the least tried ε from which on the mean of a method that needs only `trusted` reaches `goal`.

    The method must reach the goal at every larger ε too, so that chance at one ε does not count. At that ε the best
    method is taken; None if none reaches the goal. Methods that use the truth are left out, as they have no ε. `some`
    are rows of one metric and one setting.
    """
    if not some:
        return None
    more_is_better = METRICS[some[0].task][some[0].metric]
    sign = 1.0 if more_is_better else -1.0
    reached = [
        row
        for row in some
        if row.trust in trusted
        and row.trust != TRUTH
        and all(
            sign * later.mean >= sign * goal
            for later in some
            if later.method == row.method and later.epsilon >= row.epsilon
        )
    ]
    if not reached:
        return None
    best = min(reached, key=lambda row: (row.epsilon, -sign * row.mean))
    below = [row.epsilon for row in some if row.method == best.method and row.epsilon < best.epsilon]
    lowest = best.epsilon == min(row.epsilon for row in some)
    sure = judge(best.estimate, than=goal, lower_is_better=not more_is_better) is Verdict.BETTER
    return Reached(best.epsilon, best.method, best.estimate, sure, max(below, default=None), lowest)


def report(all_rows: Sequence[Row]) -> list[str]:
    """Return every measure of every method, and who must be trusted."""
    lines = [STUDY.title, "mean and 95 % interval on clean test records; who must be trusted"]
    return lines + [
        f"{row.task:8s}  {row.dataset:6s}  private {row.private:7s}  ε {row.epsilon:<5g}  {row.method:20s}  "
        f"{row.metric:8s}  {row.estimate:.3f}  {row.trust}"
        for row in all_rows
    ]


STUDY = ShippedStudy(
    "comparison",
    "Which method, at which privacy? Every family on the same people, along the ε of a label",
    settings,
    run_trial,
    Row,
    rows,
    report,
    needs="MNIST and Adult",
)
load = STUDY.load
