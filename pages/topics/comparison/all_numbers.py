"""The chapter of all numbers: every method’s scores at the visitor’s ε, and whom each trusts."""

from __future__ import annotations

from pages.kit.chosen import describe_choices
from pages.kit.panel import Panel, Table
from pages.topics.comparison.answer import Answer, config_snippet, snippet
from pages.topics.comparison.words import METRIC_WORDS, long_run, marked, people, scale
from privdemo.estimators.choose import LOW_RANK
from privdemo.experiments.comparison import METRICS, RECORDS, SHARE, TRUST, ComparisonConfig, exact_error
from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.intervals import Estimate
from privdemo.methods import COMPARISON, TRIED, TRUTH

_QUESTION = "How do the methods compare?"


def panels(answer: Answer) -> list[Panel]:
    """Return the table of every method’s scores, best first, and whom each trusts."""
    question = answer.question
    metrics = METRICS[question.config.task]
    names = sorted((name for name in COMPARISON if name in answer.marks), key=lambda name: _rank(answer, name))
    if not names:
        return [Panel("", _QUESTION, answer.no_marks())]
    marks = {(row.method, row.metric): row.estimate for row in answer.own}
    heads = ["method", "who is trusted", *(METRIC_WORDS[metric] for metric in metrics)]
    body = [
        [COMPARISON[name].title, _trusted(name), *(marked(metric, marks[name, metric]) for metric in metrics)]
        for name in names
    ]
    exact = {name: words for name in names if (words := long_run(question.config, name))}
    if exact:
        heads.append("in the long run")
        body = [[*cells, exact.get(name, "–")] for name, cells in zip(names, body, strict=True)]
    counted = " In the long run: exact, over all noise there may be; a few trials may be lucky." if exact else ""
    trust = "; ".join(
        f"{'everybody' if who == TRUTH else who}: {why[:1].lower()}{why[1:].rstrip('.')}" for who, why in TRUST.items()
    )
    return [
        Panel(
            "all-numbers",
            _QUESTION,
            f"At ε = {question.config.epsilon:g}, best first by {METRIC_WORDS[question.metric]}: means over "
            f"<b>{answer.n_trials} trials</b>, each ± half its 95 % interval.",
            Table(heads, body, labelled=True),
            f"{people(question.config)}. Who is trusted with true labels? {trust}.{counted}",
            lambda: [
                _row(name, {metric: marks[name, metric] for metric in metrics}) | _exact_cell(question.config, name)
                for name in names
            ],
            snippet(question),
        ),
        *_choices(answer),
    ]


def _choices(answer: Answer) -> list[Panel]:
    """Return the table of what the choosing methods chose in the visitor’s setting, and why; none if there are none."""
    found = {row.method: row.choices for row in answer.chosen(answer.own) if row.choices}
    if not found:
        return []
    body = [
        [COMPARISON[name].title, f"{len(choices)}", describe_choices(choices, _ways(answer, name))]
        for name, choices in found.items()
    ]
    return [
        Panel(
            "chosen-by-trying",
            "Which variant was the best, and why?",
            "Chosen by how well each predicts released labels that it has not learned from; true labels play no part.",
            Table(("method", "trials", "variant chosen (why)"), body, labelled=True),
            "What held-out people released is likelier by one way to learn than by another: “clearly” is two standard "
            "errors of the difference, person by person. Labels that say too little do not decide.",
            rows=lambda: [
                {**COMPARISON[name].columns, TRIAL_COLUMN: trial, **choice._asdict()}
                for name, choices in found.items()
                for trial, choice in enumerate(choices)
            ],
            snippet=config_snippet(answer.question).then(
                f"trials = [comparison.run(with_trial(config, i)) for i in range({answer.question.n_trials})]",
                "for trial in trials:",
                "    print([(fit.method, fit.chosen, fit.why) for fit in trial.fits.values() if fit.why])",
                imports=("from privdemo.experiments.trials import with_trial",),
            ),
        )
    ]


def _ways(answer: Answer, name: str) -> dict[str, str]:
    """Return the titles of what a choosing method may choose besides a model of the classes.

    With clean records there are no strokes to learn.
    """
    return {LOW_RANK: "strokes" if answer.question.config.private == RECORDS else COMPARISON[TRIED[name]].title}


def _exact_cell(config: ComparisonConfig, name: str) -> dict[str, object]:
    """Return the file’s cell with a method’s exact error in points; empty if the task has none."""
    if config.task != SHARE:
        return {}
    exact = exact_error(config, name)
    return {"error in the long run (points)": None if exact is None else round(100 * exact, 3)}


def _trusted(name: str) -> str:
    """Say whom a method trusts with true labels."""
    trust = COMPARISON[name].trust
    return "everybody" if trust == TRUTH else trust


def _rank(answer: Answer, name: str) -> float:
    """Return a number that is lower for a better score."""
    mark = answer.marks[name].mean
    return mark if answer.question.lower_is_better else -mark


def _row(name: str, marks: dict[str, Estimate]) -> dict[str, object]:
    """Return one method’s row of the file."""
    row: dict[str, object] = {**COMPARISON[name].columns, "trusts": COMPARISON[name].trust}
    for metric, mark in marks.items():
        words, unit = METRIC_WORDS[metric], scale(metric).unit.strip()
        value, half = _cells(mark, scale(metric).factor)
        row |= {f"{words} ({unit})" if unit else words: value, f"± {words}": half}
    return row


def _cells(mark: Estimate, factor: float) -> tuple[float, float | None]:
    """Return a score and half its interval, the longer side where an end is cut; None if the interval is unknown."""
    return round(factor * mark.mean, 3), round(factor * mark.half, 3) if mark.known else None
