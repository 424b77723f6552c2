"""The answer of the comparison: every method along ε, and the visitor’s own setting among them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from pages.kit import numbers, own_data
from pages.kit.panel import Chart, Panel, Prediction
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.comparison import shipped
from pages.topics.comparison.question import Question
from pages.topics.comparison.words import METRIC_WORDS, about_sets, change, long_run, marked, people, privacy, value
from privdemo.experiments import comparison, results
from privdemo.experiments.comparison import RECORDS, SHARE, ComparisonConfig, Trial, has_pixels
from privdemo.experiments.comparison.study import Row
from privdemo.experiments.trials import with_trial
from privdemo.figures import comparison as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import (
    CLEAN,
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
from privdemo.tasks import binary_task
from privdemo.verdict import ENOUGH, Verdict

# How many trials at each ε a setting without shipped curves gets, at most.
CURVE_DRAWS = 5
# With more people of each class than this, a trial with private images is slow.
LARGE = 300
_OWN_TRIALS, _CURVE_TRIALS = "compare", "curve"
# The accuracy of a guess between two classes.
_BY_CHANCE = 0.5
# Methods that correct for the noise, in order of preference, each with the method that ignores it.
CORRECTED_AND_NAIVE = (
    (by_trying(SPREAD), NAIVE),
    (SPREAD, NAIVE),
    (FLAT, NAIVE),
    (CORRECTED_COUNT, COUNT_NAIVE),
)


# The names of the best scores, by who is trusted, in the sentences of a lecture.
_FACTS = {NOBODY: "nobody", SHUFFLER: "shuffler", OWNER: "owner", PUBLISHER: "publisher", CURATOR: "curator"}


@dataclass(frozen=True)
class Answer:
    """A question and its results so far.

    `curves` are the rows at several ε, shipped or from the visitor’s trials; `own` and `pinned` are the rows of the
    visitor’s setting and of the pinned one. `n_draws` is the number of trials of the visitor’s setting, `problems` maps
    a method to the reason why it has no score, and `running` is true if more trials are to come.
    """

    question: Question
    curves: tuple[Row, ...]
    own: tuple[Row, ...]
    pinned: tuple[Row, ...]
    n_draws: int
    problems: Mapping[str, str]
    running: bool

    def chosen(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows of the methods shown, by the chosen metric."""
        metric, names = self.question.metric, self.question.config.methods
        return [row for row in rows if row.metric == metric and row.method in names]

    @property
    def marks(self) -> dict[str, Estimate]:
        """Return the scores of the visitor’s own setting by the chosen metric."""
        return {row.method: row.estimate for row in self.chosen(self.own)}

    @property
    def best_by_trust(self) -> dict[str, str]:
        """Return the best method of the visitor’s setting for each of the parties that may be trusted."""
        best = comparison.study.best_by_trust(self.chosen(self.own))
        return {trust: best[trust].method for trust in self.question.trusted if trust in best}

    def takeaway(self) -> str:
        """Say what this privacy costs with each kind of trust."""
        question = self.question
        if self.marks:
            few = self.own and self.n_draws < question.n_draws
            so_far = f"After {self.n_draws} of {question.n_draws} trials: " if few else ""
            return f"{so_far}{mark_words(question, self.marks, self.best_by_trust)}"
        meanwhile = (
            f"The curves are shipped ones of {curve_people(self.curves)}."
            if self.curves
            else "Nothing is shipped for these records."
        )
        return f"{self.no_marks()} {meanwhile}"

    @property
    def facts(self) -> dict[str, str]:
        """Return the best score of the visitor’s setting by who is trusted, for the sentences of a lecture."""
        metric, marks = self.question.metric, self.marks
        names = {_FACTS[trust]: method for trust, method in self.best_by_trust.items()} | {"clean": CLEAN}
        found = {name: value(metric, marks[method].mean) for name, method in names.items() if method in marks}
        return found | {"epsilon": numbers.epsilon(self.question.config.epsilon)}

    def no_marks(self) -> str:
        """Say why there is no score of the visitor’s setting yet, or none at all."""
        if self.running:
            return waiting(self.question)
        if not self.problems:
            return "There is no result yet: go on, or change the settings."
        why = "; ".join(f"{COMPARISON[name].title}: {problem}" for name, problem in self.problems.items())
        return f"None of the methods has a result. {numbers.sentence(why)}"

    def beside_counterpart(self) -> str:
        """Compare the best method that trusts nobody with its counterpart; empty if nothing is clear.

        The counterpart of correcting for the noise is ignoring it, and the reverse. Of two that are tied in accuracy
        one may have clearly better probabilities.
        """
        rows = {(row.method, row.metric): row for row in self.own}
        metric, named = self.question.metric, self.best_by_trust.get(NOBODY)
        counterparts = [
            theirs if named == ours else ours for ours, theirs in CORRECTED_AND_NAIVE if named in (ours, theirs)
        ]
        answer = self.question.config.methods
        other = next((name for name in counterparts if name in answer and (name, metric) in rows), None)
        if named is None or other is None:
            return ""
        verdict, title = change(rows[named, metric], rows[other, metric]).verdict, f"“{COMPARISON[other].title}”"
        if verdict is Verdict.BETTER:
            return f"The first is clearly better than {title} ({value(metric, rows[other, metric].mean)}). "
        if verdict is not Verdict.NOT_CLEAR:
            return ""
        pair = [rows.get((name, "log_loss")) for name in (named, other)]
        return f"The first is statistically tied with {title}{lower_loss(*pair) if metric == 'accuracy' else ''}. "

    def best_words(self) -> str:
        """Name the best method for each of the parties that may be trusted; empty without results."""
        best = [f"{TRUSTED_PARTY[trust]}, {COMPARISON[name].title}" for trust, name in self.best_by_trust.items()]
        return f"Best with {'; with '.join(best)}. " if best else ""

    def ties(self) -> str:
        """List the methods that are statistically tied with the best one of the same trust; empty if there are none."""
        rows = {row.method: row for row in self.chosen(self.own)}
        words = []
        for trust, best in self.best_by_trust.items():
            others = [row for name, row in rows.items() if COMPARISON[name].trust == trust and name != best]
            tied = [row for row in others if change(row, rows[best]).verdict is Verdict.NOT_CLEAR]
            if tied:
                names = numbers.join_words(tuple(COMPARISON[row.method].title for row in tied))
                words.append(f"{COMPARISON[best].title} with {names}")
        return f"Statistically tied: {'; '.join(words)}. " if words else ""


def by_epsilon(answer: Answer) -> list[Panel]:
    """Return the figure of every method’s score along ε."""
    first, *others = frontiers(answer, "by-epsilon", None) or [Panel()]
    return [replace(first, prediction=_prediction(answer)), *others]


def _prediction(answer: Answer) -> Prediction | None:
    """Return the guess who may see true labels where a model is most accurate; None without several such scores."""
    question, best = answer.question, answer.best_by_trust
    config = question.config
    if question.metric != "accuracy" or config.private == RECORDS or len(best) < 2 or CLEAN not in answer.marks:
        return None
    one, other = binary_task(config.dataset).classes
    records = "images" if has_pixels(config.dataset) else "records"
    rows = {row.method: row for row in answer.chosen(answer.own)}
    first, *others = sorted(best, key=lambda trust: -rows[best[trust]].mean)
    found = [f"{value(question.metric, rows[best[trust]].mean)} with {TRUSTED_PARTY[trust]}" for trust in best]
    is_clear = change(rows[best[first]], rows[best[others[0]]]).verdict is Verdict.BETTER
    known = answer.marks[CLEAN].mean
    return Prediction(
        "most-accurate-trust",
        f"A model learns to tell “{one}” from “{other}” at ε = {numbers.epsilon(config.epsilon)}. When is it most "
        f"accurate: if {_any_of(list(best))} sees the true labels?",
        first,
        tuple(best),
        Chart(charts.still_empty({trust: _way_to_learn(trust, config) for trust in best}, known, _BY_CHANCE)),
        f"Of new {records}, {numbers.join_words(tuple(found))} are named correctly"
        f"{'' if is_clear else ', without a clear difference between the best two'}.",
    )


def _any_of(names: Sequence[str]) -> str:
    """Join names: “nobody, a bag owner or a curator”."""
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _way_to_learn(trust: str, config: ComparisonConfig) -> str:
    """Say in a few words what a model learns from, by who is trusted."""
    swapped = numbers.out_of_100(RandomisedResponse.from_epsilon(config.epsilon, 2).flip_prob)
    what = {
        NOBODY: f"{swapped} labels swapped at random",
        OWNER: f"noisy totals of {config.bag_size} labels each",
        PUBLISHER: "noisy counts of two sets",
        CURATOR: "noise added to the finished model",
    }
    return f"{trust}: {what[trust]}"


def frontiers(answer: Answer, name: str, goal: float | None) -> list[Panel]:
    """Return the figures of every method’s score along ε, with a line at the `goal` if there is one.

    Without results the list is empty. Methods that learn from sets have a figure of their own, as their ε covers only
    the counts.
    """
    question, curves = answer.question, answer.chosen(answer.curves)
    rows = (*answer.curves, *answer.own)
    if not rows:
        return []
    differ = answer.own and answer.curves and not shipped.on_curves(question.config)
    legend = f"Curves: {n_draws(curves)} trials of {curve_people(curves)}. Large marks: your setting." if curves else ""
    of_sets = {method for method in question.config.methods if COMPARISON[method].trust == PUBLISHER}

    def chart(methods: Set[str], axis: str) -> Chart:
        marks = {method: mark for method, mark in answer.marks.items() if method in methods}
        curves_shown = [row for row in curves if row.method in methods]
        return Chart(charts.frontier(curves_shown, question.metric, marks, question.config.epsilon, goal, axis))

    panels = []
    if others := set(question.config.methods) - of_sets:
        panels.append(
            Panel(
                name,
                figure=chart(others, charts.OF_LABELS),
                summary=_summary(answer, curves),
                rows=lambda: [vars(row) | COMPARISON[row.method].columns for row in rows],
                snippet=snippet(question),
                note=legend if differ else "",
            )
        )
    if of_sets:
        panels.append(
            Panel(
                f"{name}-of-sets",
                "And with sets, where ε covers their counts alone?",
                figure=chart(of_sets, charts.OF_COUNTS),
                summary=f"{about_sets(question.config)} {_summary(answer, curves)}",
                rows=lambda: [vars(row) | COMPARISON[row.method].columns for row in rows if row.method in of_sets],
                snippet=snippet(question),
            )
        )
    return panels


# --- trials --------------------------------------------------------------------------------------


def jobs(question: Question) -> list[Job]:
    """Return the trials of the visitor’s setting and of the pinned one, each in two jobs, as there are two processes.

    If the two settings are the same, they share their trials. If no curves are shipped, trials for curves come last.
    """
    all_jobs: list[Job] = []
    pinned = question.pinned if question.shared and question.pinned != question.config else None
    for name, config in (("Trial", question.config), ("Pinned trial", pinned)):
        if config is None or shipped.is_shipped(config, question.n_draws):
            continue
        for half in range(2):
            tasks = [with_trial(config, trial) for trial in range(half, question.n_draws, 2)]
            all_jobs.append(Job((_OWN_TRIALS, config, half), name, comparison.run, tasks, slow=_is_slow(config)))
    if not shipped.has_curves(question.config):
        tasks = [
            with_trial(replace(question.config, epsilon=epsilon), trial)
            for trial in range(n_curve_trials(question))
            for epsilon in comparison.study.EPSILONS
        ]
        base = replace(question.config, epsilon=ComparisonConfig.epsilon)
        all_jobs.append(Job((_CURVE_TRIALS, base), "Trial for the curves", comparison.run, tasks, slow=_is_slow(base)))
    return all_jobs


def _is_slow(config: ComparisonConfig) -> bool:
    """Return whether a trial takes more than a few seconds, so that one process should stay free for others."""
    return config.private == RECORDS and config.n_train > LARGE


def n_curve_trials(question: Question) -> int:
    """Return how many trials the visitor’s own curves have at each ε."""
    return min(CURVE_DRAWS, question.n_draws)


def answer(question: Question, trials_so_far: Trials) -> Answer | None:
    """Return the answer from the curves and the trials so far, or None if there is nothing to show."""
    own = trials_so_far.of_kind(_OWN_TRIALS, question.config)
    curves = shipped.curves(question.config) or own_curves(question, trials_so_far.of_kind(_CURVE_TRIALS), own)
    problems = {
        fit.method: fit.problem or "in some trials its optimiser did not settle"
        for trial in own
        for fit in trial.fits.values()
        if fit.problem or not fit.settled
    }
    result = Answer(
        question,
        tuple(curves),
        tuple(rows_of(question.config, question.n_draws, own)),
        tuple(rows_of(question.pinned, question.n_draws, trials_so_far.of_kind(_OWN_TRIALS, question.pinned)))
        if question.pinned
        else (),
        len(own) or results.N_TRIALS,
        problems,
        trials_so_far.running,
    )
    return result if result.curves or result.own or problems else None


def own_curves(question: Question, curve_trials: Sequence[Trial], own: Sequence[Trial]) -> list[Row]:
    """Return the rows of the same trials at every ε, the visitor’s own included."""
    epsilon, n_draws = question.config.epsilon, n_curve_trials(question)
    if sum(trial.config.epsilon == epsilon for trial in curve_trials) < n_draws:
        others = [trial for trial in curve_trials if trial.config.epsilon != epsilon]
        curve_trials = [*others, *(trial for trial in own if trial.config.trial < n_draws)]
    return _means(curve_trials)


def rows_of(config: ComparisonConfig, n_draws: int, trials: Sequence[Trial]) -> list[Row]:
    """Return the rows of one setting, shipped or from `trials`; without intervals until there are enough of `n_draws`.

    Rows without intervals have no scores by trial either, so that no difference is judged.
    """
    if shipped.is_shipped(config, n_draws):
        return shipped.marks(config)
    enough = min(ENOUGH, n_draws)
    return [
        row if row.n_trials >= enough else replace(row, low=-math.inf, high=math.inf, by_trial="")
        for row in _means(trials)
    ]


def _means(trials: Sequence[Trial]) -> list[Row]:
    """Return the mean scores of the trials as rows."""
    return comparison.study.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))


# --- words ---------------------------------------------------------------------------------------

# The words before a score, by who is trusted.
_TRUST_WORDS = {
    NOBODY: "If nobody is trusted",
    SHUFFLER: "With a trusted shuffler",
    OWNER: "From a trusted bag owner’s totals alone",
    PUBLISHER: "With a trusted publisher, where ε covers no more than its counts",
    CURATOR: "With a trusted curator, whose ε covers whole records",
}
# The same for the second score and later ones.
_TRUST_WORDS_SHORT = {
    NOBODY: "nobody trusted gives",
    SHUFFLER: "a shuffler gives",
    OWNER: "a bag owner’s totals give",
    PUBLISHER: "a publisher, where ε covers no more than its counts, gives",
    CURATOR: "a curator gives",
}
TRUSTED_PARTY = {
    NOBODY: "nobody trusted",
    SHUFFLER: "a shuffler",
    OWNER: "a bag owner",
    PUBLISHER: "a publisher",
    CURATOR: "a curator",
}


def mark_words(question: Question, marks: Mapping[str, Estimate], best: Mapping[str, str]) -> str:
    """Say what the `best` method reaches for each kind of trust, and what is reached with true labels."""
    ceiling = (
        f" With {COMPARISON[CLEAN].title} it is {value(question.metric, marks[CLEAN].mean)}." if CLEAN in marks else ""
    )
    if not best:
        return f"No method that is shown needs so little trust.{ceiling}"
    (first, name), *others = best.items()
    more = "".join(
        f"; {_TRUST_WORDS_SHORT[trust]} {_result(question, method, marks[method])}" for trust, method in others
    )
    return f"{_TRUST_WORDS[first]}, {_score_words(question, _result(question, name, marks[name]))}{more}.{ceiling}"


def _result(question: Question, method: str, mark: Estimate) -> str:
    """Write a score and, if it is known exactly, that in the long run, which few trials may miss."""
    exact = long_run(question.config, method)
    return f"<b>{marked(question.metric, mark)}</b>" + (f" ({exact} in the long run)" if exact else "")


def lower_loss(named: Row | None, other: Row | None) -> str:
    """Say whose log loss is clearly lower, the named method’s or the other’s; empty if neither."""
    if named is None or other is None:
        return ""
    verdict = change(named, other).verdict
    lower = {Verdict.BETTER: "its log loss lower", Verdict.WORSE: "whose log loss is lower"}.get(verdict)
    marks = (named, other) if verdict is Verdict.BETTER else (other, named)
    least, most = (f"{row.mean:.2f}" for row in marks)
    return f", {lower} ({least}, not {most})" if lower else ""


def _score_words(question: Question, mark: str) -> str:
    """Say what a score measures, at which ε."""
    config = question.config
    also = " for every label and pixel" if config.private == RECORDS else ""
    at = f"(ε = {numbers.epsilon(config.epsilon)}{also})"
    if config.task == SHARE:
        return f"the share of “{binary_task(config.dataset).classes[1]}” is off by {mark} {at}"
    if question.metric == "accuracy":
        records = "images" if has_pixels(config.dataset) else "records"
        return f"{mark} of test {records} are named correctly {at}"
    return f"the {METRIC_WORDS[question.metric]} is {mark} {at}"


# How the figure marks methods by who is trusted.
_MARKS_BY_TRUST = {
    NOBODY: "nobody (circles)",
    SHUFFLER: "a shuffler (pentagons; ε of the count)",
    OWNER: "a bag’s owner (squares)",
    PUBLISHER: "a publisher of sets (diamonds; ε of the counts alone, and none where no noise meets it)",
    CURATOR: "a curator (stars; ε of the whole record)",
    TRUTH: "everybody (grey)",
}


def waiting(question: Question) -> str:
    """Say what is being done before there is anything to show."""
    n = len(question.config.methods)
    return f"<b>{n} {'methods are' if n > 1 else 'method is'} learning</b> from {people(question.config)}."


def _has_sets(config: ComparisonConfig) -> bool:
    """Return whether a method that is shown learns from sets."""
    return any(COMPARISON[name].trust == PUBLISHER for name in config.methods)


def curve_people(curves: Sequence[Row]) -> str:
    """Say how many people the curves are from."""
    return f"{curves[0].n_train:,} people of each class"


def n_draws(rows: Sequence[Row]) -> str:
    """Write how many trials some rows are from."""
    least, most = (end(row.n_trials for row in rows) for end in (min, max))
    return f"{most}" if least == most else f"{least} to {most}"


def _summary(answer: Answer, curves: Sequence[Row]) -> str:
    """Describe the figure: the promise, ties, the curves, and what each mark means."""
    config = answer.question.config
    own = (
        f"Large marks: your setting, {config.n_train:,} people of each class, {answer.n_draws} trials. "
        if answer.own
        else ""
    )
    trusted = {COMPARISON[name].trust for name in config.methods}
    marks_by_trust = ", ".join(words for trust, words in _MARKS_BY_TRUST.items() if trust in trusted)
    hollow = " Hollow marks: the best of several variants." if set(config.methods) & set(TRIED) else ""
    unequal = " Equal ε under unequal trust is not equal privacy." if len(trusted - {TRUTH}) > 1 else ""
    sets = f" {about_sets(config)}" if _has_sets(config) else ""
    problems = "".join(f" {COMPARISON[name].title}: {numbers.sentence(why)}" for name, why in answer.problems.items())
    return (
        f"Promised: {privacy(config)}. "
        f"{answer.best_words()}{answer.beside_counterpart()}{answer.ties()}"
        f"{_curve_words(answer.question, curves)}{own}Bars are 95 % "
        f"intervals. Trusted with the truth: {marks_by_trust}.{hollow}{unequal}{sets}{problems}"
    )


def _curve_words(question: Question, curves: Sequence[Row]) -> str:
    """Say where each method’s curve begins and ends, and what the curves are from."""
    if not curves:
        return "No curves are shipped for this choice: they come after the results of your setting. "
    parts = []
    for name in question.config.methods:
        of_method = [row for row in curves if row.method == name]
        if of_method:
            ends = dict.fromkeys(value(question.metric, row.mean) for row in (of_method[0], of_method[-1]))
            parts.append(f"{COMPARISON[name].title} {' to '.join(ends)}")
    first, last = curves[0].epsilon, curves[-1].epsilon
    along = f"at ε = {first:g}" if first == last else f"from ε = {first:g} to {last:g}"
    kind = "Shipped means" if shipped.has_curves(question.config) else "Means"
    unlike = shipped.unlike_yours(question.config)
    return f"{kind} over {n_draws(curves)} trials of {curve_people(curves)}{unlike}, {along}: {'; '.join(parts)}. "


# --- code ----------------------------------------------------------------------------------------


def config_snippet(question: Question) -> Snippet:
    """Return the code that makes the config of a question."""
    return own_data.snippet(
        question.config,
        question.own_file,
        "from privdemo.experiments import comparison",
        "from privdemo.experiments.comparison import ComparisonConfig",
    )


def snippet(question: Question) -> Snippet:
    """Return the code that computes the visitor’s own scores."""
    mark = f'comparison.mean_mark(trials, method, "{question.metric}")'
    exact = ", comparison.exact_error(config, method)" if question.config.task == SHARE else ""
    return config_snippet(question).then(
        f"trials = [comparison.run(with_trial(config, i)) for i in range({question.n_draws})]",
        "for method in trials[0].fits:",
        f"    print(method, {mark}{exact})",
        "# the curves anew: python -m privdemo reproduce comparison",
        imports=("from privdemo.experiments.trials import with_trial",),
    )
