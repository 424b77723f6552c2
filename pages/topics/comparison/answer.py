"""What the comparison says of a question: every method along ε, and the visitor's own setting among them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from pages.kit import numbers, own_data
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.comparison import shipped
from pages.topics.comparison.controls import Question
from pages.topics.comparison.headline import lower_loss, mark_words
from pages.topics.comparison.words import about_sets, change, people, privacy, value
from privdemo.experiments import comparison, results
from privdemo.experiments.comparison import RECORDS, SHARE, ComparisonConfig, Trial
from privdemo.experiments.comparison.study import Row
from privdemo.experiments.trials import with_trial
from privdemo.figures import comparison as charts
from privdemo.intervals import Estimate
from privdemo.methods import (
    COMPARISON,
    CORRECTED_COUNT,
    COUNT_NAIVE,
    CURATOR,
    FLAT,
    NAIVE,
    NOBODY,
    OWNER,
    PUBLISHER,
    SHUFFLER,
    SPREAD,
    TRIED,
    TRUTH,
    by_trying,
)
from privdemo.verdict import ENOUGH, Verdict

# Draws of each ε of the curves of a setting for which none are shipped, at most.
CURVE_DRAWS = 5
# People of each class from which on a draw with private images is slow.
LARGE = 300
_DRAW, _CURVE = "compare", "curve"
# Ways to correct for the lies, the first choice first, each with the way that ignores them.
LIES = (
    (by_trying(SPREAD), NAIVE),
    (SPREAD, NAIVE),
    (FLAT, NAIVE),
    (CORRECTED_COUNT, COUNT_NAIVE),
)


@dataclass(frozen=True)
class Answer:
    """A question and what is known of it so far.

    `curves` are rows along ε, shipped or drawn; `mine` and `pinned` those of the visitor's own setting and of the
    pinned one. `n_draws` counts the own draws, `problems` says why a method has no mark, and `running` whether more
    draws are to come.
    """

    question: Question
    curves: tuple[Row, ...]
    mine: tuple[Row, ...]
    pinned: tuple[Row, ...]
    n_draws: int
    problems: Mapping[str, str]
    running: bool

    def chosen(self, rows: Sequence[Row]) -> list[Row]:
        """Select the rows of the methods shown, by the chosen metric."""
        metric, names = self.question.metric, self.question.config.methods
        return [row for row in rows if row.metric == metric and row.method in names]

    @property
    def marks(self) -> dict[str, Estimate]:
        """The marks of the visitor's own setting by the chosen metric."""
        return {row.method: row.estimate for row in self.chosen(self.mine)}

    @property
    def best_by_trust(self) -> dict[str, str]:
        """For each of those who may be trusted, the best method of the visitor's setting."""
        best = comparison.study.best_by_trust(self.chosen(self.mine))
        return {trust: best[trust].method for trust in self.question.trusted if trust in best}

    def takeaway(self) -> str:
        """What this privacy costs with each kind of trust."""
        question = self.question
        if self.marks:
            few = self.mine and self.n_draws < question.n_draws
            so_far = f"After {self.n_draws} of {question.n_draws} draws: " if few else ""
            return f"{so_far}{mark_words(question, self.marks, self.best_by_trust)}{self._beside_counterpart()}"
        meanwhile = (
            f"The curves are shipped ones of {curve_people(self.curves)}."
            if self.curves
            else "Nothing is shipped for these records."
        )
        return f"{self.no_marks()} {meanwhile}"

    def no_marks(self) -> str:
        """Why there is no mark of the visitor's setting yet, or none at all."""
        if self.running:
            return waiting(self.question)
        if not self.problems:
            return "There is no mark yet: go on, or change the settings."
        why = "; ".join(f"{COMPARISON[name].title}: {problem}" for name, problem in self.problems.items())
        return f"None of the methods has a mark. {numbers.sentence(why)}"

    def _beside_counterpart(self) -> str:
        """What the method named of those that trust nobody wins over its counterpart, in a sentence; or nothing.

        The counterpart of correcting for the lies is ignoring them, and the other way round. Of two that are tied in
        accuracy one may have clearly better probabilities.
        """
        rows = {(row.method, row.metric): row for row in self.mine}
        metric, named = self.question.metric, self.best_by_trust.get(NOBODY)
        counterparts = [theirs if named == ours else ours for ours, theirs in LIES if named in (ours, theirs)]
        shown = self.question.config.methods
        other = next((name for name in counterparts if name in shown and (name, metric) in rows), None)
        if named is None or other is None:
            return ""
        verdict, title = change(rows[named, metric], rows[other, metric]).verdict, f"“{COMPARISON[other].title}”"
        if verdict is Verdict.BETTER:
            return f" The first is clearly better than {title} ({value(metric, rows[other, metric].mean)})."
        if verdict is not Verdict.NOT_CLEAR:
            return ""
        pair = [rows.get((name, "log_loss")) for name in (named, other)]
        return f" The first is statistically tied with {title}{lower_loss(*pair) if metric == 'accuracy' else ''}."

    def ties(self) -> str:
        """Which methods are statistically tied with the best one of the same trust, in a sentence; or nothing."""
        rows = {row.method: row for row in self.chosen(self.mine)}
        words = []
        for trust, best in self.best_by_trust.items():
            others = [row for name, row in rows.items() if COMPARISON[name].trust == trust and name != best]
            tied = [row for row in others if change(row, rows[best]).verdict is Verdict.NOT_CLEAR]
            if tied:
                names = numbers.join_words(tuple(COMPARISON[row.method].title for row in tied))
                words.append(f"{COMPARISON[best].title} with {names}")
        return f"Statistically tied: {'; '.join(words)}. " if words else ""


def by_epsilon(shown: Answer) -> list[Panel]:
    """The marks of every method along ε."""
    return frontiers(shown, "by-epsilon", None)


def frontiers(shown: Answer, name: str, goal: float | None) -> list[Panel]:
    """The marks of every method along ε, with a rule at the `goal` if there is one; none before there are any.

    Methods that learn from sets have a panel of their own, as ε covers the counts alone there.
    """
    question, curves = shown.question, shown.chosen(shown.curves)
    rows = (*shown.curves, *shown.mine)
    if not rows:
        return []
    two = shown.mine and shown.curves and not shipped.on_curves(question.config)
    whose = f"Curves: {n_draws(curves)} draws of {curve_people(curves)}. Large marks: your setting." if curves else ""
    of_sets = {method for method in question.config.methods if COMPARISON[method].trust == PUBLISHER}

    def chart(methods: Set[str], axis: str) -> Chart:
        marks = {method: mark for method, mark in shown.marks.items() if method in methods}
        drawn = [row for row in curves if row.method in methods]
        return Chart(charts.frontier(drawn, question.metric, marks, question.config.epsilon, goal, axis))

    found = []
    if others := set(question.config.methods) - of_sets:
        found.append(
            Panel(
                name,
                figure=chart(others, charts.OF_LABELS),
                summary=_summary(shown, curves),
                rows=lambda: [vars(row) | COMPARISON[row.method].columns for row in rows],
                snippet=snippet(question),
                note=whose if two else "",
            )
        )
    if of_sets:
        found.append(
            Panel(
                f"{name}-of-sets",
                "And with sets, where ε covers their counts alone?",
                figure=chart(of_sets, charts.OF_COUNTS),
                summary=f"{about_sets(question.config)} {_summary(shown, curves)}",
                rows=lambda: [vars(row) | COMPARISON[row.method].columns for row in rows if row.method in of_sets],
                snippet=snippet(question),
            )
        )
    return found


# --- draws ---------------------------------------------------------------------------------------


def jobs(question: Question) -> list[Job]:
    """The draws of the visitor's setting and of the pinned one, each in two jobs: there are two processes.

    Where the two settings are the same, so are their draws. Where no curves are shipped, the visitor's own are drawn
    last.
    """
    found: list[Job] = []
    pinned = question.pinned if question.shared and question.pinned != question.config else None
    for name, config in (("Draw", question.config), ("Pinned draw", pinned)):
        if config is None or shipped.is_shipped(config, question.n_draws):
            continue
        for half in range(2):
            tasks = [with_trial(config, draw) for draw in range(half, question.n_draws, 2)]
            found.append(Job((_DRAW, config, half), name, comparison.run, tasks, slow=_is_slow(config)))
    if not shipped.has_curves(question.config):
        tasks = [
            with_trial(replace(question.config, epsilon=epsilon), draw)
            for draw in range(curve_draws(question))
            for epsilon in comparison.study.EPSILONS
        ]
        base = replace(question.config, epsilon=ComparisonConfig.epsilon)
        found.append(Job((_CURVE, base), "Draw for the curves", comparison.run, tasks, slow=_is_slow(base)))
    return found


def _is_slow(config: ComparisonConfig) -> bool:
    """Whether a draw takes more than a few seconds: then one process is kept free for others."""
    return config.private == RECORDS and config.n_train > LARGE


def curve_draws(question: Question) -> int:
    """Draws of each ε of the visitor's own curves."""
    return min(CURVE_DRAWS, question.n_draws)


def answer(question: Question, made: Trials) -> Answer | None:
    """Put the curves beside the draws of the visitor's own setting that are there."""
    mine = made.of_kind(_DRAW, question.config)
    curves = shipped.curves(question.config) or own_curves(question, made.of_kind(_CURVE), mine)
    problems = {
        fit.method: fit.problem or "in some draws its optimiser did not settle"
        for trial in mine
        for fit in trial.fits.values()
        if fit.problem or not fit.settled
    }
    found = Answer(
        question,
        tuple(curves),
        tuple(rows_of(question.config, question.n_draws, mine)),
        tuple(rows_of(question.pinned, question.n_draws, made.of_kind(_DRAW, question.pinned)))
        if question.pinned
        else (),
        len(mine) or results.N_TRIALS,
        problems,
        made.running,
    )
    return found if found.curves or found.mine or problems else None


def own_curves(question: Question, drawn: Sequence[Trial], mine: Sequence[Trial]) -> list[Row]:
    """The rows of the same draws at every ε, the visitor's own among them."""
    epsilon, n_draws = question.config.epsilon, curve_draws(question)
    if sum(trial.config.epsilon == epsilon for trial in drawn) < n_draws:
        others = [trial for trial in drawn if trial.config.epsilon != epsilon]
        drawn = [*others, *(trial for trial in mine if trial.config.trial < n_draws)]
    return _means(drawn)


def rows_of(config: ComparisonConfig, n_draws: int, trials: Sequence[Trial]) -> list[Row]:
    """The rows of one setting, shipped or of `trials`; before enough of `n_draws` are there, without intervals.

    Such rows have no marks by draw either, so that no difference of theirs is judged.
    """
    if shipped.is_shipped(config, n_draws):
        return shipped.marks(config)
    enough = min(ENOUGH, n_draws)
    return [
        row if row.n_trials >= enough else replace(row, low=-math.inf, high=math.inf, by_trial="")
        for row in _means(trials)
    ]


def _means(trials: Sequence[Trial]) -> list[Row]:
    return comparison.study.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))


# --- words ---------------------------------------------------------------------------------------

# Whom a mark says that one must trust.
_DRAWN_AS = {
    NOBODY: "nobody (circles)",
    SHUFFLER: "a shuffler (pentagons; ε of the count)",
    OWNER: "a bag’s owner (squares)",
    PUBLISHER: "a publisher of sets (diamonds; ε of the counts alone, and none where no noise meets it)",
    CURATOR: "a curator (stars; ε of the whole record)",
    TRUTH: "everybody (grey)",
}


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    n = len(question.config.methods)
    return f"<b>{n} {'methods are' if n > 1 else 'method is'} learning</b> from {people(question.config)}."


def _has_sets(config: ComparisonConfig) -> bool:
    """Whether a method that is shown learns from sets."""
    return any(COMPARISON[name].trust == PUBLISHER for name in config.methods)


def curve_people(curves: Sequence[Row]) -> str:
    """How many people stand behind the curves."""
    return f"{curves[0].n_train:,} people of each class"


def n_draws(rows: Sequence[Row]) -> str:
    """How many draws stand behind some rows."""
    least, most = (end(row.n_trials for row in rows) for end in (min, max))
    return f"{most}" if least == most else f"{least} to {most}"


def _summary(shown: Answer, curves: Sequence[Row]) -> str:
    """The curves in a sentence, and what is drawn how."""
    config = shown.question.config
    own = (
        f"Large marks: your setting, {config.n_train:,} people of each class, {shown.n_draws} draws. "
        if shown.mine
        else ""
    )
    trusted = {COMPARISON[name].trust for name in config.methods}
    drawn_as = ", ".join(words for trust, words in _DRAWN_AS.items() if trust in trusted)
    hollow = " Hollow marks: chosen by trying." if set(config.methods) & set(TRIED) else ""
    unequal = " Equal ε under unequal trust is not equal privacy." if len(trusted - {TRUTH}) > 1 else ""
    sets = f" {about_sets(config)}" if _has_sets(config) else ""
    problems = "".join(f" {COMPARISON[name].title}: {numbers.sentence(why)}" for name, why in shown.problems.items())
    return (
        f"Promised: {privacy(config)}. {shown.ties()}{_curve_words(shown.question, curves)}{own}Bars are 95 % "
        f"intervals. Trusted with the truth: {drawn_as}.{hollow}{unequal}{sets}{problems}"
    )


def _curve_words(question: Question, curves: Sequence[Row]) -> str:
    """Where each method's curve begins and ends, and whose the curves are."""
    if not curves:
        return "No curves are shipped for this choice: they come after the marks of your setting. "
    parts = []
    for name in question.config.methods:
        there = [row for row in curves if row.method == name]
        if there:
            ends = dict.fromkeys(value(question.metric, row.mean) for row in (there[0], there[-1]))
            parts.append(f"{COMPARISON[name].title} {' to '.join(ends)}")
    first, last = curves[0].epsilon, curves[-1].epsilon
    along = f"at ε = {first:g}" if first == last else f"from ε = {first:g} to {last:g}"
    kind = "Shipped means" if shipped.has_curves(question.config) else "Means"
    unlike = shipped.unlike_yours(question.config)
    return f"{kind} over {n_draws(curves)} draws of {curve_people(curves)}{unlike}, {along}: {'; '.join(parts)}. "


# --- code ----------------------------------------------------------------------------------------


def config_snippet(question: Question) -> Snippet:
    """The lines that make the setting of a question."""
    return own_data.snippet(
        question.config,
        question.own_file,
        "from privdemo.experiments import comparison",
        "from privdemo.experiments.comparison import ComparisonConfig",
    )


def snippet(question: Question) -> Snippet:
    """The lines that compute the visitor's own marks."""
    mark = f'comparison.mean_mark(draws, method, "{question.metric}")'
    exact = ", comparison.exact_error(config, method)" if question.config.task == SHARE else ""
    return config_snippet(question).then(
        f"draws = [comparison.run(with_trial(config, i)) for i in range({question.n_draws})]",
        "for method in draws[0].fits:",
        f"    print(method, {mark}{exact})",
        "# the curves anew: python -m privdemo reproduce comparison",
        imports=("from privdemo.experiments.trials import with_trial",),
    )
