"""The chapter on the one likelihood: lies, bag names and set names are all channels; how well one estimator does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pages.kit import cache
from pages.kit.panel import Chart, Panel, Table
from pages.kit.snippet import Snippet
from pages.topics.comparison import shipped
from pages.topics.comparison.answer import Answer, config_snippet
from pages.topics.comparison.question import Question
from pages.topics.comparison.words import METRIC_WORDS, Change, change, marked, people
from privdemo.experiments import comparison
from privdemo.experiments.comparison import CLASSIFY, SHARE
from privdemo.experiments.comparison.study import Row
from privdemo.figures import comparison as charts
from privdemo.methods import BAG_NAMES, COMPARISON, LLP, NAIVE, SPREAD, mmd, set_names
from privdemo.tasks import binary_task
from privdemo.verdict import Verdict

_HEADS = ("what is released", "one way for all", "method made for it", "difference, trial by trial")
# A channel’s name on the screen, where it is another than in the package.
_CHANNELS = {"lies": "noisy labels", "bag names": "bags", "set names": "large groups"}
_LINKS = (
    ("training", "Noisy answers: training on noise →"),
    ("proportions", "Bags: only totals →"),
    ("class_ratio", "Large groups: share of a group →"),
)

example_channels = cache.shared_or_private(comparison.example_channels, max_entries=64)


class Pair(NamedTuple):
    """A kind of `answer` and the one likelihood `ours` on it, beside a method `made` for it, judged by `metric`."""

    answer: str
    task: str
    metric: str
    ours: str
    made: str

    def of(self, rows: Sequence[Row]) -> tuple[Row, Row] | None:
        """Return the rows of both methods, ours first, or None unless both are there."""
        found = {row.method: row for row in rows if (row.task, row.metric) == (self.task, self.metric)}
        return (found[self.ours], found[self.made]) if {self.ours, self.made} <= found.keys() else None


PAIRS = (
    Pair("what each person says", CLASSIFY, "log_loss", SPREAD, NAIVE),
    Pair("the bag of a record", CLASSIFY, "accuracy", BAG_NAMES, LLP),
    Pair("the large group of a record", SHARE, "error", set_names("gaussian"), mmd("gaussian")),
)


_QUESTION = "Does one correction work for labels, bags and groups?"
_SAME = "A noisy answer, a bag and a large group all say something uncertain of a record’s class"


def panels(answer: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Return the one likelihood for three kinds of answer beside the methods made for each, and the three channels."""
    question, epsilon = answer.question, nearest_epsilon(answer.question.config.epsilon)
    body, changes, sources = [], [], []
    for pair in PAIRS:
        if found := of_one_source(pair, answer, epsilon):
            whose, (ours, made) = found
            changes.append(change(ours, made))
            body.append(_row(pair, ours, made, changes[-1]))
            sources.append(f"{pair.answer}: {whose}")
    channels = _channels(question)
    if not body:
        pairs = "; ".join(f"“{COMPARISON[pair.ours].title}” and “{COMPARISON[pair.made].title}”" for pair in PAIRS)
        absent = (
            f"{_SAME}. No numbers are shipped for these records: {pairs} are compared here once both of a pair are "
            "chosen in Settings."
        )
        return [Panel("", _QUESTION, absent), channels]
    left = "" if len(body) == len(PAIRS) else " The other task, or another method in Settings, has the rest."
    table = Panel(
        "one-likelihood",
        figure=Table(_HEADS, body, labelled=True),
        summary="An answer depends on the class through a matrix T[answer | class]. One estimator makes "
        "Σ log Σ T[answer | class] p(class | x) as large as can be. “Better” and “worse”: the "
        f"95 % interval of the difference on the same trials leaves out 0. Trials: {'; '.join(sources)}. Your setting: "
        f"{people(question.config)}.{left}",
        rows=lambda: [dict(zip(_HEADS, cells, strict=True)) for cells in body],
        snippet=_snippet(question, epsilon),
    )
    words = f"{_SAME}, so one way to correct can serve all three. {clear_words(changes)}"
    return [Panel("", _QUESTION, words), (table, channels)]


def nearest_epsilon(epsilon: float) -> float:
    """Return the shipped ε that is nearest on a logarithmic scale."""
    return min(comparison.study.EPSILONS, key=lambda level: abs(math.log(level / epsilon)))


def of_one_source(pair: Pair, answer: Answer, epsilon: float) -> tuple[str, tuple[Row, Row]] | None:
    """Return the two rows of a pair and their source: the visitor’s setting, else the shipped rows at `epsilon`.

    Return None if neither source has both: a difference of two settings would say nothing about the two methods.
    """
    if own := pair.of(answer.own):
        return "of your setting", own
    config = answer.question.config
    here = (config.dataset, config.private, epsilon)
    rows = [row for row in shipped.all_rows() if (row.dataset, row.private, row.epsilon) == here]
    if theirs := pair.of(rows):
        return f"shipped, {theirs[0].n_train:,} people of each class, ε = {epsilon:g}", theirs
    return None


def _row(pair: Pair, ours: Row, made: Row, changed: Change) -> list[str]:
    """Return a pair’s row of the table: what is answered and judged, both methods’ scores, and the difference."""
    judged = METRIC_WORDS[pair.metric] + (" of a share" if pair.metric == "error" else "")
    both = (
        f"{marked(pair.metric, row.estimate)} ({COMPARISON[name].title})"
        for name, row in ((pair.ours, ours), (pair.made, made))
    )
    return [f"{pair.answer}, by {judged}", *both, changed.words]


def clear_words(changes: Sequence[Change]) -> str:
    """Say how often the one likelihood is better, worse or tied; comparisons of too few trials do not count."""
    n = Counter(changed.verdict for changed in changes)
    return (
        f"Compared with the method made for each, it is clearly better in <b>{n[Verdict.BETTER]}</b> of "
        f"{len(changes)}, "
        f"clearly worse in {n[Verdict.WORSE]}, statistically tied in {n[Verdict.NOT_CLEAR]}."
    )


def _channels(question: Question) -> Panel:
    """Return the panel of the three channels of the visitor’s setting."""
    matrices = {_CHANNELS.get(name, name): matrix for name, matrix in example_channels(question.config).items()}
    classes = binary_task(question.config.dataset).classes
    answers = {_CHANNELS["lies"]: [f"“{name}”" for name in classes], _CHANNELS["set names"]: ["group 1", "group 2"]}
    sizes = "; ".join(f"{name}, {len(matrix)} answers" for name, matrix in matrices.items())
    return Panel(
        "channels",
        figure=Chart(charts.channels(matrices, classes, answers)),
        note="Each square: how likely a record of the class below it has this noisy label, bag or group.",
        summary=f"The chance of each answer, T[answer | class], in the first trial of your setting: {sizes}. The more "
        "the two columns differ, the more an answer says of the class. Bags filled at random hardly do.",
        rows=lambda: [
            {"channel": name, "answer": i, **dict(zip(classes, row, strict=True))}
            for name, matrix in matrices.items()
            for i, row in enumerate(matrix)
        ],
        snippet=config_snippet(question).then("print(comparison.example_channels(config))"),
        links=_LINKS,
    )


def _snippet(question: Question, epsilon: float) -> Snippet:
    """Return the code that computes the differences, from the visitor’s own trials if both of a pair have some."""
    return config_snippet(question).then(
        f"trials = [comparison.run(with_trial(config, i)) for i in range({question.n_trials})]",
        "mine = comparison.study.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))",
        f"here = (config.dataset, config.private, {epsilon!r})",
        "shipped = [r for r in comparison.study.load() if (r.dataset, r.private, r.epsilon) == here]",
        "sources = [{(row.task, row.metric, row.method): row for row in rows} for rows in (mine, shipped)]",
        "for task, metric, ours, made in (",
        *(f"    {tuple(pair[1:])!r}," for pair in PAIRS),
        "):",
        "    pair = (task, metric, ours), (task, metric, made)",
        "    source = next((source for source in sources if source.keys() >= set(pair)), None)",
        "    if source:",
        "        print(ours, comparison.study.difference(*(source[one] for one in pair)))",
        imports=("from privdemo.experiments.trials import with_trial",),
    )
