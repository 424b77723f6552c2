"""The chapter that compares the visitor’s setting with the pinned one, method by method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pages.kit.panel import Panel, Table
from pages.kit.snippet import Snippet
from pages.topics.comparison.answer import Answer, config_snippet, frontiers
from pages.topics.comparison.question import Question
from pages.topics.comparison.words import METRIC_WORDS, Change, change, differing, marked
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.methods import COMPARISON

_QUESTION = "How do two settings differ?"
_HEADS = ("method", "now", "pinned", "difference, trial by trial")


def panels(answer: Answer) -> list[Panel]:
    """Return what differs and what that does to each method; until both settings have scores, the curves."""
    question, pinned = answer.question, answer.question.pinned
    now, then = ({row.method: row for row in answer.chosen(rows)} for rows in (answer.own, answer.pinned))
    both = [name for name in COMPARISON if name in now and name in then]
    if pinned is None or pinned.task != question.config.task or not both:
        return [Panel("", _QUESTION, why_not(question, answer.running)), *frontiers(answer, "by-epsilon", None)]
    changes = {name: change(now[name], then[name]) for name in both}
    body = [
        [
            COMPARISON[name].title,
            *(marked(question.metric, rows[name].estimate) for rows in (now, then)),
            changed.words,
        ]
        for name, changed in changes.items()
    ]
    return [
        Panel(
            "against-a-pin",
            _QUESTION,
            f"{difference_words(question.config, pinned)} {clear_words(changes)}",
            Table(_HEADS, body, labelled=True),
            f"By {METRIC_WORDS[question.metric]}. “Better” and “worse”: the 95 % interval of the difference, trial by "
            "trial, leaves out 0. "
            f"{_people_words(question.config, pinned)}",
            lambda: [dict(zip(_HEADS, cells, strict=True)) for cells in body],
            _snippet(question, pinned),
        )
    ]


def why_not(question: Question, running: bool) -> str:
    """Say why nothing can be compared with a pin, or not yet."""
    if question.pinned is None:
        return (
            "Nothing is compared yet: press “Pin this setting”, then move the slider or change the settings. The "
            "results of both then stand side by side."
        )
    if question.pinned.task != question.config.task:
        return "The pinned setting is of the other task, so its results cannot be compared. Pin anew."
    if not question.shared:
        return "None of the methods shown has a result in the pinned setting: show others, or pin anew."
    return "The trials of both settings are being computed." if running else "No method has results of both settings."


def difference_words(now: ComparisonConfig, then: ComparisonConfig) -> str:
    """Say what differs between two settings."""
    parts = [f"{name} {here} (pinned {there})" for name, here, there in differing(now, then)]
    return f"What differs: {'; '.join(parts)}." if parts else "Nothing differs: this is the pinned setting."


def clear_words(changes: Mapping[str, Change]) -> str:
    """Say how many methods differ clearly, and by how much."""
    clear = [f"{COMPARISON[name].title} {changed.words}" for name, changed in changes.items() if changed.verdict.clear]
    methods = "method" if len(changes) == 1 else "methods"
    differ = "differs" if len(clear) == 1 else "differ"
    which = f": {'; '.join(clear)}" if clear else ""
    return f"Of {len(changes)} {methods} <b>{len(clear)}</b> {differ} clearly{which}."


def _people_words(now: ComparisonConfig, then: ComparisonConfig) -> str:
    """Say whether both settings are of the same people."""
    same = (now.dataset, now.n_train, now.seed) == (then.dataset, then.n_train, then.seed)
    if same:
        return "Both are of the same people, so that chance matters less for the difference."
    return "The people of the two are not the same."


def _snippet(question: Question, pinned: ComparisonConfig) -> Snippet:
    """Return the code that runs both settings and computes their differences."""
    now = config_snippet(question)
    return config_snippet(replace(question, config=pinned)).then(
        "then = config",
        *now.lines,
        "",
        "def rows(config):",
        f"    trials = [comparison.run(with_trial(config, i)) for i in range({question.n_trials})]",
        "    found = comparison.study.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))",
        f'    return {{row.method: row for row in found if row.metric == "{question.metric}"}}',
        "",
        "now, then = rows(config), rows(then)",
        "for method in now.keys() & then.keys():",
        "    print(method, comparison.study.difference(now[method], then[method]))",
        imports=(*now.imports, "from privdemo.experiments.trials import with_trial"),
    )
