"""The chapter on reaching a goal: the least ε from which on it is reached, by who is trusted, along the curves."""

from __future__ import annotations

from collections.abc import Sequence

from pages.kit import numbers
from pages.kit.panel import Panel, Table
from pages.kit.snippet import Snippet
from pages.topics.comparison import shipped
from pages.topics.comparison.answer import Answer, config_snippet, frontiers, n_curve_trials, trial_counts
from pages.topics.comparison.question import Question
from pages.topics.comparison.words import marked, value
from privdemo.experiments import comparison
from privdemo.experiments.comparison.study import Reached, Row
from privdemo.methods import COMPARISON, PUBLISHER

_OTHER_QUESTIONS = [
    (
        "advice",
        "Seek ε and people for a share",
        "“Which method?”: shares and numbers, right within points that you choose",
    )
]
_QUESTION = "How private can it be and still reach the goal?"
_COLUMNS = ("who is trusted", "smallest ε", "method", "result there", "reached by")
_HEADS = (*_COLUMNS[:3], "result at that ε", "how sure")


def panels(answer: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Return the least ε for the goal with all trust given, and with each kind of it alone."""
    question = answer.question
    if question.goal is None:
        return [Panel("", _QUESTION, "Choose accuracy in Settings under “Judge by”, for which a goal can be set.")]
    rows = answer.chosen(answer.curves)
    if not rows or (answer.running and not shipped.has_curves(question.config)):
        return [Panel("", _QUESTION, "The curves along ε are being computed; then the goal is sought along them.")]
    body = [_row(question, trust, rows) for trust in question.trusted]
    levels = ", ".join(f"{epsilon:g}" for epsilon in sorted({row.epsilon for row in rows}))
    table = Panel(
        "goal",
        figure=Table(_HEADS, body, labelled=True),
        summary=f"Among the ε of the curves ({levels}) the smallest at which a method reaches the goal on average, and "
        f"at every larger one{_whose_words(question, rows)}. It is the best of several methods on the same trials, "
        "which flatters it a little.",
        rows=lambda: [dict(zip(_COLUMNS, cells, strict=True)) for cells in body],
        snippet=_snippet(question, question.goal),
        links=_OTHER_QUESTIONS,
    )
    words = f"{reached_words(question, rows)}{own_words(answer)}"
    if not (curves := frontiers(answer, "goal-curves", question.goal)):
        return [Panel("", _QUESTION, words), table]
    return [Panel("", _QUESTION, words), (curves[0], table), *curves[1:]]


def _row(question: Question, trust: str, rows: Sequence[Row]) -> list[str]:
    """Return the result for one kind of trust alone, as a row of the table."""
    assert question.goal is not None
    found = comparison.study.seek(rows, question.goal, (trust,))
    if found is None:
        tried = any(row.trust == trust for row in rows)
        return [trust, "never reaches it" if tried else "no method is shown", "–", "–", "–"]
    return [
        trust,
        f"{found.epsilon:g}",
        COMPARISON[found.method].title,
        marked(question.metric, found.estimate),
        "the whole 95 % interval reaches it" if found.surely else "only on average",
    ]


def _goal_words(question: Question) -> str:
    """Say what the goal is."""
    assert question.goal is not None
    if question.metric == "accuracy":
        return f"{100 * question.goal:.4g} % accuracy"
    return f"a share within {100 * question.goal:g} point{'' if question.goal == 0.01 else 's'} of the truth"


def _whose_words(question: Question, rows: Sequence[Row]) -> str:
    """Say which curves the goal is sought along."""
    unlike = shipped.unlike_yours(question.config)
    return f", with {rows[0].n_train:,} people of each class{unlike} in {trial_counts(rows)} trials"


def reached_words(question: Question, rows: Sequence[Row]) -> str:
    """Say the least ε found along `rows`, how sure it is, and what is below; or the best score if none suffices."""
    assert question.goal is not None
    found = comparison.study.seek(rows, question.goal, question.trusted)
    if found is None:
        trusted = " or ".join(question.trusted)
        start = f"<b>No method here</b> reaches {_goal_words(question)} if {trusted} may be trusted."
        return f"{start}{_best_words(question, rows)}"
    sure = "" if found.surely else ", though its interval goes on to the other side"
    method = COMPARISON[found.method]
    protection = f"{numbers.protection(found.epsilon)} (ε = {found.epsilon:g})"
    if method.trust == PUBLISHER:  # whose groups' names say more of a label than the noise on the counts lets them
        protection = f"ε = {found.epsilon:g}, for the counts alone"
    reaches = "reaches" if question.metric == "accuracy" else "is off by"
    return (
        f"The strongest protection with which {_goal_words(question)} can be reached is <b>{protection}</b>, with "
        f"{method.trust} trusted: “{method.title}” {reaches} <b>{marked(question.metric, found.estimate)}</b>{sure}"
        f"{_below_words(found)}."
    )


def _below_words(found: Reached) -> str:
    """Say what is known about smaller ε."""
    if found.before is not None:
        return f"; at ε = {found.before:g} it does not"
    return ", at the smallest ε that was tried" if found.lowest else "; for a smaller ε there is no noise of its kind"


def _best_words(question: Question, rows: Sequence[Row]) -> str:
    """Say which method with such trust comes closest, and where."""
    tried = [row for row in rows if row.trust in question.trusted]
    if not tried:
        return ""
    best = max(tried, key=lambda row: _rank(question, row.mean))
    mark = value(question.metric, best.mean)
    return f" The best is {mark}, by “{COMPARISON[best.method].title}” at ε = {best.epsilon:g}."


def _rank(question: Question, mark: float) -> float:
    """Return a number that is larger for a better score."""
    return -mark if question.lower_is_better else mark


def own_words(answer: Answer) -> str:
    """Say whether the visitor’s own setting reaches the goal, if the curves are of another one."""
    question, marks, best = answer.question, answer.marks, answer.best_by_trust
    if shipped.on_curves(question.config) or not best or question.goal is None:
        return ""
    name = max(best.values(), key=lambda method: _rank(question, marks[method].mean))
    does = _rank(question, marks[name].mean) >= _rank(question, question.goal)
    return (
        f" Your own setting {'reaches' if does else 'does not reach'} it at ε = {question.config.epsilon:g}: "
        f"{marked(question.metric, marks[name])} by “{COMPARISON[name].title}”."
    )


def _snippet(question: Question, goal: float) -> Snippet:
    """Return the code that seeks the goal along the shipped curves, or along new ones if none are shipped."""
    code = config_snippet(question)
    if shipped.has_curves(question.config):
        code = code.then("rows = comparison.study.load()")
    else:
        code = code.then(
            "levels = comparison.study.EPSILONS",
            f"tried = [replace(config, epsilon=e, trial=i) for e in levels for i in range({n_curve_trials(question)})]",
            "trials = map(comparison.run, tried)",
            "rows = comparison.study.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))",
            imports=("from dataclasses import replace",),
        )
    return code.then(
        f'rows = comparison.study.select(rows, config, "{question.metric}")',
        "rows = [row for row in rows if row.method in config.methods]",
        f"print(comparison.study.seek(rows, {goal!r}, {question.trusted!r}))",
    )
