"""How settings, scores and differences are written on the comparison page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pages.kit import numbers
from pages.kit.numbers import LOSS, MARK, MARK_DIFFERENCE, POINTS, SHARE, Scale
from privdemo.datasets import Source
from privdemo.experiments import comparison
from privdemo.experiments.comparison import (
    CLASSIFY,
    LABELS,
    METRICS,
    OPPOSITE,
    RECORD_DELTA,
    RECORDS,
    ComparisonConfig,
    has_pixels,
)
from privdemo.experiments.comparison.study import Row
from privdemo.intervals import Estimate
from privdemo.tasks import binary_task
from privdemo.verdict import Verdict, judge

METRIC_WORDS = {"accuracy": "accuracy", "log_loss": "log loss", "brier": "Brier score", "error": "error"}
# How marks by each metric are written, and how their differences are.
_SCALES: dict[str, tuple[Scale, Scale]] = {
    "accuracy": (SHARE, POINTS),
    "error": (POINTS, POINTS),
    "log_loss": (LOSS, MARK_DIFFERENCE),
    "brier": (MARK, MARK_DIFFERENCE),
}


def scale(metric: str) -> Scale:
    """Return how scores by a metric are written."""
    return _SCALES[metric][0]


def value(metric: str, mark: float) -> str:
    """Write a score: “91.7 %”, “3.2 points”, “0.304”."""
    if metric == "accuracy":
        return numbers.share(mark)
    return numbers.absolute_points(mark) if metric == "error" else f"{mark:.3f}"


def marked(metric: str, estimate: Estimate) -> str:
    """Write a score with half its 95 % interval, if that is known."""
    return numbers.with_half(estimate, scale(metric))


def long_run(config: ComparisonConfig, method: str) -> str:
    """Write a method’s exact mean score, if it has a closed form: “0.5 points”; else return an empty string."""
    exact = comparison.exact_error(config, method)
    return "" if exact is None else numbers.absolute_points(exact)


class Change(NamedTuple):
    """The `verdict` on a difference of two rows, and `words` for the difference and the verdict."""

    verdict: Verdict
    words: str


def change(now: Row, then: Row) -> Change:
    """Judge the difference of two rows of one metric, over the trials that both have."""
    gap = comparison.study.difference(now, then)
    if gap is None:
        return Change(Verdict.TOO_FEW, "too few trials of both")
    if gap.has_no_width and gap.mean == 0:
        return Change(Verdict.NOT_CLEAR, "the same")
    n_trials = len(now.values.keys() & then.values.keys())
    verdict = judge(gap, n_trials, lower_is_better=not METRICS[now.task][now.metric])
    scale = _SCALES[now.metric][1]
    # Up to five decimals, so that the difference does not look like 0.
    digits = next((d for d in range(scale.digits, 6) if round(scale.factor * gap.mean, d)), scale.digits)
    return Change(verdict, f"{numbers.with_half(gap, scale._replace(digits=digits), signed=True)}, {verdict.value}")


# --- a setting -----------------------------------------------------------------------------------


class Names(NamedTuple):
    """What records, one label, several and the two classes are called on screen, with a `remark` and an `example`."""

    records: str
    label: str
    labels: str
    classes: tuple[str, str]
    remark: str = ""
    example: str = ""

    @property
    def second(self) -> str:
        """Return the second class in quotation marks."""
        return f"“{self.classes[1].strip('“”')}”"


def names_in(dataset: Source) -> Names:
    """Return what records and labels are called, and that digits stand for private images."""
    one, other = (f"“{name}”" for name in binary_task(dataset).classes)
    if not has_pixels(dataset):
        return Names("records", "label", "labels", (one, other))
    if not isinstance(dataset, str):
        return Names("images", "label", "labels", (one, other))
    return Names(
        "images",
        "label",
        "labels",
        (one, other),
        "Handwritten digits stand for private images here.",
        f"here {one} or {other}, but think of “ill” or “healthy”",
    )


def people(config: ComparisonConfig) -> str:
    """Say who releases something."""
    task = binary_task(config.dataset)
    first, second = task.classes
    words = f"{config.n_train:,} records of “{first}” and as many of “{second}” ({task.title})"
    if not config.fake_part:
        return words
    return f"{words}; {numbers.per_hundred(config.fake_part)} of 100 people send {pushed_label(config)}"


def pushed_label(config: ComparisonConfig) -> str:
    """Say what people send who push their labels."""
    if config.fake_label == OPPOSITE:
        return f"the opposite of their true {names_in(config.dataset).label}"
    return f"{names_in(config.dataset).second}, whatever is true"


def privacy(config: ComparisonConfig) -> str:
    """Say what is promised for a label and for a record."""
    label = f"ε = {numbers.epsilon(config.epsilon)} for every label"
    if config.private != RECORDS:
        return f"{label} (the records themselves are not hidden)"
    whole = comparison.record_epsilon(config)
    return (
        f"{label}, and every pixel is replaced as often: together ε = {numbers.epsilon(whole)} for a whole record at "
        f"δ = {numbers.power_of_ten(RECORD_DELTA)}, next to no promise"
    )


def about_sets(config: ComparisonConfig) -> str:
    """Say what ε covers of released sets, and what a set’s name reveals whatever noise its counts have."""
    epsilon_of_name, (least, most) = numbers.epsilon(config.set_name_epsilon), config.rarer_count_range
    right = [numbers.share(1 - count / config.n_train) for count in (most, least)]
    covers = (
        "covers the counts alone" if least < most else "covers nothing here, as at so small a ρ the counts are known"
    )
    return (
        f"Of large groups, ε (with δ = {numbers.power_of_ten(config.release_delta)} more) {covers}: they are filled by "
        f"label, and the name of a group says as much of a label as an answer with ε = {epsilon_of_name} may (it is "
        f"right for {' to '.join(dict.fromkeys(right))})."
    )


# In what two settings may differ: its name, the field of the config, and how its value is written.
_FIELDS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("records", "dataset", lambda dataset: binary_task(dataset).title),
    ("people of each class", "n_train", lambda n: f"{n:,}"),
    ("what is private", "private", lambda part: "labels only" if part == LABELS else "labels and images"),
    ("ε", "epsilon", numbers.epsilon),
    ("δ of counts and models", "release_delta", numbers.power_of_ten),
    ("people in a bag", "bag_size", str),
    ("ρ of the large groups", "rho", lambda rho: f"{rho:g}"),
    ("people asked about", "n_asked", lambda n: f"{n:,}"),
    ("their share", "share", numbers.share),
    ("false labels", "fake_part", lambda part: f"{numbers.per_hundred(part)} of 100"),
    (
        "what is sent by whoever pushes",
        "fake_label",
        lambda label: "the opposite" if label == OPPOSITE else "one class",
    ),
    ("seed", "seed", str),
)


def differing(now: ComparisonConfig, then: ComparisonConfig) -> list[tuple[str, str, str]]:
    """Return what differs between two settings: its name and both values, in words."""
    found = []
    for name, field, words in _FIELDS:
        value_now, value_then = getattr(now, field), getattr(then, field)
        # Telling records apart asks nobody about a share.
        if value_now == value_then or (field in ("n_asked", "share") and now.task == then.task == CLASSIFY):
            continue
        read_alike = words(value_now) == words(value_then)  # they differ in later digits
        found.append(
            (name, repr(value_now), repr(value_then)) if read_alike else (name, words(value_now), words(value_then))
        )
    return found
