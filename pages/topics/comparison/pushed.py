"""The chapter on pushed labels: what is reached along the part of the people who send what an attacker has chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pages.kit import numbers
from pages.kit.panel import Chart, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.topics.comparison import shipped
from pages.topics.comparison.answer import (
    AT_CURVES,
    TRUSTED_PARTY,
    Answer,
    config_snippet,
    score_words,
    trial_counts,
)
from pages.topics.comparison.words import marked, names_in, people, privacy, pushed_label, value
from privdemo.experiments import comparison
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.comparison.pushed import PushedRow
from privdemo.experiments.comparison.study import Row
from privdemo.figures import comparison as charts
from privdemo.methods import CLEAN, COMPARISON, CURATOR, LEADER, NOBODY, SHUFFLER, TRUTH

_QUESTION = "What if some people lie?"
# The part of the people whose labels are said to be pushed while the visitor has nobody push.
_EXAMPLE = 0.2


@dataclass(frozen=True)
class Pushed:
    """What the best method of each party that may be trusted reaches along the part of the people who push.

    `honest` and `attacked` are their rows by trust, if nobody pushes and if `part` of the people do.
    """

    answer: Answer
    part: float
    honest: Mapping[str, Row]
    attacked: Mapping[str, Row]

    @property
    def config(self) -> ComparisonConfig:
        """The visitor’s config."""
        return self.answer.question.config

    @property
    def metric(self) -> str:
        """The metric by which methods are judged."""
        return self.answer.question.metric

    @property
    def sent(self) -> str:
        """What is sent by those who push, with how many they are."""
        return f"<b>{numbers.per_hundred(self.part)} of 100 people</b> send {pushed_label(self.config)}"


def panels(answer: Answer) -> list[Panel]:
    """Return the panel of what is reached along the part of the people who push."""
    rows = answer.chosen(answer.pushed)
    pushed = _pushed(answer, rows)
    if not pushed.attacked:
        return [Panel("", _QUESTION, _why_not(answer), is_waiting=True)]
    names = {row.method: AT_CURVES.get(trust, trust) for trust, row in pushed.honest.items()}
    names |= {CLEAN: AT_CURVES[TRUTH]} if any(row.method == CLEAN for row in rows) else {}
    shown = [row for row in rows if row.method in names]
    mine = {method: mark for method, mark in answer.marks.items() if method in names}
    records = names_in(pushed.config.dataset).records
    return [
        Panel(
            "pushed",
            _QUESTION,
            _words(pushed),
            Chart(charts.pushed(shown, pushed.metric, mine, pushed.config.fake_part, names, records)),
            _summary(pushed, rows),
            lambda: [vars(row) | COMPARISON[row.method].columns for row in answer.pushed],
            _snippet(pushed),
            note=_note(pushed),
            prediction=_prediction(pushed, shown, names),
        )
    ]


def _pushed(answer: Answer, rows: list[PushedRow]) -> Pushed:
    """Return the best method of each trust where nobody pushes, and what it reaches where a part do."""
    part = answer.question.config.fake_part or _EXAMPLE
    at_zero = [row for row in rows if not row.fake_part]
    best = comparison.study.best_by_trust(at_zero)
    honest = {trust: best[trust] for trust in answer.question.trusted if trust in best}
    there: list[Row] = [row for row in rows if row.fake_part == part] or answer.chosen(answer.own)
    by_method = {row.method: row for row in there}
    attacked = {trust: by_method[row.method] for trust, row in honest.items() if row.method in by_method}
    return Pushed(answer, part, {trust: honest[trust] for trust in attacked}, attacked)


def _why_not(answer: Answer) -> str:
    """Say why there are no curves, or not yet."""
    if not answer.question.along_pushed:
        return "The curves along the part of the people who push their labels are computed while this chapter is shown."
    if answer.running:
        return "The curves along the part of the people who push their labels are being computed."
    return "No method that is shown has results here: go on, or show others."


# --- words ---------------------------------------------------------------------------------------


def _words(pushed: Pushed) -> str:
    """Say what is reached with pushed labels, and what would be without, by who is trusted."""
    (first, row), *others = pushed.attacked.items()
    before = {trust: value(pushed.metric, one.mean) for trust, one in pushed.honest.items()}
    score = score_words(pushed.answer.question, f"<b>{value(pushed.metric, row.mean)}</b>")
    more = "".join(
        f"; trusting {trust} <b>{value(pushed.metric, one.mean)}</b> instead of {before[trust]}"
        for trust, one in others
    )
    start = "if" if pushed.config.fake_part else "for example, if"
    words = f"{start} {pushed.sent}, trusting {first}, {score} instead of {before[first]}{more}."
    sign = -1 if pushed.answer.question.lower_is_better else 1
    is_worse = all(sign * one.mean < sign * pushed.honest[trust].mean for trust, one in pushed.attacked.items())
    return f"Results get worse: {words}" if is_worse else numbers.capital(words)


def _note(pushed: Pushed) -> str:
    """Say why it matters who is trusted, and whose curves these are."""
    why = {
        NOBODY: "if nobody is trusted, chance does not switch a false label, so that it counts as "
        f"{numbers.times(_counts_as(pushed.config))} true ones",
        SHUFFLER: "before a shuffler chance switches fewer labels",
        LEADER: "the group leader and the curator put noise on all labels alike",
        CURATOR: "a curator puts the same noise on all",
    }
    trusted = [
        trust for trust in why if trust in pushed.attacked and not (trust == CURATOR and LEADER in pushed.attacked)
    ]
    said = "; ".join(why[trust] for trust in trusted)
    unlike = "" if shipped.has_pushed_curves(pushed.config) else " Curves: your setting."
    return f"{numbers.capital(said)}.{unlike}" if said else unlike.strip()


def _counts_as(config: ComparisonConfig) -> float:
    """Return as how many people one label counts that skips the noise: 1/(1 − 2p)."""
    return 1 / (1 - 2 * config.flips.flip_prob)


def _summary(pushed: Pushed, rows: list[PushedRow]) -> str:
    """Describe the figure."""
    curves = "; ".join(
        f"{TRUSTED_PARTY[trust]} ({COMPARISON[row.method].title}) "
        + ", ".join(
            f"{marked(pushed.metric, one.estimate)} at {numbers.per_hundred(one.fake_part)} of 100"
            for one in rows
            if one.method == row.method
        )
        for trust, row in pushed.honest.items()
    )
    return (
        f"Promised: {privacy(pushed.config)}, to people who follow the rules. Of {people(pushed.config)}, "
        f"{trial_counts(rows)} trials at each part of people who send {pushed_label(pushed.config)}: {curves}. "
        "As many of one class push as of the other. Their records are true and get the same noise as all; their labels "
        "get none where nobody is trusted, and the noise of all where somebody is told. All methods take them to "
        "follow the rules. Bars are 95 % intervals."
    )


def _prediction(pushed: Pushed, shown: list[PushedRow], names: Mapping[str, str]) -> Prediction | None:
    """Return the guess how many records are still named correctly if nobody is trusted; None for other scores."""
    if pushed.metric != "accuracy" or NOBODY not in pushed.attacked:
        return None
    known = [row for row in shown if not row.fake_part or row.method == CLEAN]
    records = names_in(pushed.config.dataset).records
    return Prediction(
        "pushed-labels",
        f"Nobody is trusted, and {numbers.people_of_100(pushed.honest[NOBODY].mean)} of 100 new {records} are "
        f"judged correctly. Now {pushed.sent}. <b>Of 100 new {records}, how many are still judged correctly?</b>",
        100 * pushed.attacked[NOBODY].mean,
        Scale(0.0, 100.0, 1, " of 100"),
        Chart(charts.pushed(known, pushed.metric, {}, pushed.config.fake_part, names, records)),
        f"A coin toss gives 50. Chance does not switch a false label, so that it counts as "
        f"{numbers.times(_counts_as(pushed.config))} people who follow the rules.",
    )


def _snippet(pushed: Pushed) -> Snippet:
    """Return the code that computes the curves, from the shipped file where they are in it."""
    metric, config = pushed.metric, pushed.config
    code = config_snippet(pushed.answer.question)
    if shipped.has_pushed_curves(config):
        code = code.then(f'rows = [row for row in comparison.pushed.load() if row.task == "{config.task}"]')
    else:
        code = code.then(
            "configs = [with_trial(one, i) for one in comparison.pushed.along(config) for i in range(2)]",
            "trials = map(comparison.run, configs)",
            "rows = comparison.pushed.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))",
            imports=("from privdemo.experiments.trials import with_trial",),
        )
    return code.then(
        "for row in rows:",
        f'    if row.metric == "{metric}" and row.method in config.methods:',
        "        print(row.fake_part, row.fake_label, row.method, row.estimate)",
    )
