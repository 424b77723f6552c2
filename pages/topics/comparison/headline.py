"""The comparison’s sentence: what is reached with each kind of trust."""

from __future__ import annotations

from collections.abc import Mapping

from pages.kit import numbers
from pages.topics.comparison.question import Question
from pages.topics.comparison.words import METRIC_WORDS, change, long_run, marked, value
from privdemo.experiments.comparison import RECORDS, SHARE, has_pixels
from privdemo.experiments.comparison.study import Row
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, COMPARISON, CURATOR, NOBODY, OWNER, PUBLISHER, SHUFFLER
from privdemo.tasks import binary_task
from privdemo.verdict import Verdict

# The words before a score, by who is trusted.
_TRUST_WORDS = {
    NOBODY: "if nobody is trusted",
    SHUFFLER: "with a trusted shuffler",
    OWNER: "from a trusted bag owner’s totals alone",
    PUBLISHER: "with a trusted publisher, where ε covers no more than its counts",
    CURATOR: "with a trusted curator, whose ε covers whole records",
}
# The same for the second score and later ones.
_TRUST_WORDS_SHORT = {
    NOBODY: "nobody",
    SHUFFLER: "shuffler",
    OWNER: "bag owner’s totals",
    PUBLISHER: "publisher, where ε covers no more than its counts",
    CURATOR: "curator, for whole records",
}


def mark_words(question: Question, marks: Mapping[str, Estimate], best: Mapping[str, str]) -> str:
    """Say what the `best` method reaches for each kind of trust, and what is reached with true labels."""
    parts = [
        (trust, f"<b>{marked(question.metric, marks[name])}</b>", f" ({_method_words(question, name)})")
        for trust, name in best.items()
    ]
    ceiling = f"; {COMPARISON[CLEAN].title}: {value(question.metric, marks[CLEAN].mean)}" if CLEAN in marks else ""
    if not parts:
        return f"No method that is shown needs so little trust{ceiling}."
    (first, mark, name), *others = parts
    several = {trust for trust in best if sum(COMPARISON[method].trust == trust for method in marks) > 1}
    more = "".join(
        f"; {_TRUST_WORDS_SHORT[trust]}: {score}{method if trust in several else ''}" for trust, score, method in others
    )
    return (
        f"{_TRUST_WORDS[first][0].upper()}{_TRUST_WORDS[first][1:]}, "
        f"{_score_words(question, mark)}{name}{more}{ceiling}."
    )


def lower_loss(named: Row | None, other: Row | None) -> str:
    """Say whose log loss is clearly lower, the named method’s or the other’s; empty if neither."""
    if named is None or other is None:
        return ""
    verdict = change(named, other).verdict
    lower = {Verdict.BETTER: "its log loss lower", Verdict.WORSE: "whose log loss is lower"}.get(verdict)
    marks = (named, other) if verdict is Verdict.BETTER else (other, named)
    least, most = (f"{row.mean:.2f}" for row in marks)
    return f", {lower} ({least}, not {most})" if lower else ""


def _method_words(question: Question, name: str) -> str:
    """Write a method’s title and, if it is known exactly, its score in the long run, which few trials may miss."""
    exact = long_run(question.config, name)
    return f"{COMPARISON[name].title}; {exact} in the long run" if exact else COMPARISON[name].title


def _score_words(question: Question, mark: str) -> str:
    """Say what a score measures, at which ε."""
    config = question.config
    records = "images" if has_pixels(config.dataset) else "records"
    also = " and pixel" if config.private == RECORDS else ""
    at = f"at ε = {numbers.epsilon(config.epsilon)}" + (f" for every label{also}" if also else "")
    if config.task == SHARE:
        return f"the share of “{binary_task(config.dataset).classes[1]}” is off by {mark} {at}"
    if question.metric == "accuracy":
        return f"{mark} of test {records} are classified correctly {at}"
    return f"the {METRIC_WORDS[question.metric]} is {mark} {at}"
