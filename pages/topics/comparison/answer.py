"""The answer of the comparison: every method along ε, and the visitor’s own setting among them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from html import escape

from pages.kit import numbers, opendp, own_data
from pages.kit.panel import Chart, KnownNumber, Markup, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.comparison import shipped, two_deltas
from pages.topics.comparison.question import Question
from pages.topics.comparison.words import (
    METRIC_WORDS,
    about_sets,
    change,
    long_run,
    marked,
    names_in,
    people,
    privacy,
    pushed_label,
    value,
)
from privdemo import figures
from privdemo.accounting import is_large_delta
from privdemo.experiments import comparison, results
from privdemo.experiments.comparison import METRICS, RECORDS, SHARE, ComparisonConfig, Trial, has_pixels, needs_delta
from privdemo.experiments.comparison.config import records
from privdemo.experiments.comparison.pushed import PushedRow
from privdemo.experiments.comparison.release import example_labels
from privdemo.experiments.comparison.study import Row
from privdemo.experiments.trials import with_trial
from privdemo.figures import comparison as charts
from privdemo.figures.comparison import COIN
from privdemo.intervals import Estimate
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import (
    CLEAN,
    COMPARISON,
    CORRECTED_COUNT,
    COUNT_NAIVE,
    CURATOR,
    FLAT,
    LEADER,
    NAIVE,
    NOBODY,
    PUBLISHER,
    SHUFFLER,
    SPREAD,
    TRIED,
    TRUTH,
    by_trying,
)
from privdemo.verdict import ENOUGH, Verdict

# The name of the guess that the page begins with.
GUESS = "accuracy-trusting-nobody"
# How many trials at each ε a setting without shipped curves gets, at most.
MOST_CURVE_TRIALS = 5
# So many images are shown before the guess.
N_IMAGES = 6
# With more people of each class than this, a trial with private images is slow.
LARGE = 300
_OWN_TRIALS, _CURVE_TRIALS, _PUSHED_TRIALS = "compare", "curve", "pushed"
_OTHER_LEVELS = "And with more privacy, or less?"
# Who is trusted, at the ends of curves: on a telephone no line has space for more letters.
AT_CURVES = {TRUTH: "all true", SHUFFLER: "shuffler", LEADER: "group leader", CURATOR: "curator"}
# Methods that correct for the noise, in order of preference, each with the method that ignores it.
CORRECTED_AND_NAIVE = (
    (by_trying(SPREAD), NAIVE),
    (SPREAD, NAIVE),
    (FLAT, NAIVE),
    (CORRECTED_COUNT, COUNT_NAIVE),
)


# The names of the best scores, by who is trusted, in the sentences of a lecture.
_FACTS = {NOBODY: "nobody", SHUFFLER: "shuffler", LEADER: "leader", PUBLISHER: "publisher", CURATOR: "curator"}


@dataclass(frozen=True)
class Answer:
    """A question and its results so far.

    `curves` are the rows at several ε, shipped or from the visitor’s trials; `own` and `pinned` are the rows of the
    visitor’s setting and of the pinned one. `n_trials` is the number of trials of the visitor’s setting, `problems`
    maps a method to the reason why it has no score, and `running` is true if more trials are to come. `pushed` are the
    rows along the part of the people who push their labels: shipped, or computed while the chapter on them is shown.
    """

    question: Question
    curves: tuple[Row, ...]
    own: tuple[Row, ...]
    pinned: tuple[Row, ...]
    n_trials: int
    problems: Mapping[str, str]
    running: bool
    pushed: tuple[PushedRow, ...] = ()

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

    @property
    def ranked(self) -> dict[str, Row]:
        """Return the best row for each of the parties that may be trusted, the best first."""
        rows = {row.method: row for row in self.chosen(self.own)}
        return ranked([rows[name] for name in self.best_by_trust.values()])

    def takeaway(self) -> str:
        """Say with whose trust a model does best."""
        question = self.question
        if self.marks:
            few = self.own and self.n_trials < question.n_trials
            so_far = f"After {self.n_trials} of {question.n_trials} trials: " if few else ""
            return f"{so_far}{mark_words(question, self.marks, self.ranked)}"
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

    def elsewhere(self) -> str:
        """Say at which other ε trusting somebody else does clearly better than trusting whoever does best here."""
        config, here = self.question.config, self.ranked
        if PUBLISHER in here or not here or (shipped.has_curves(config) and not shipped.on_curves(config)):
            return ""
        first, words = next(iter(here)), []
        others: dict[str, list[float]] = {}
        for epsilon in dict.fromkeys(row.epsilon for row in self.curves if row.epsilon != config.epsilon):
            at_epsilon = [row for row in self.chosen(self.curves) if row.epsilon == epsilon]
            best = comparison.study.best_by_trust([row for row in at_epsilon if row.trust in here])
            for trust, row in best.items():
                if first in best and trust != first and change(row, best[first]).verdict is Verdict.BETTER:
                    others.setdefault(trust, []).append(epsilon)
        for trust, levels in others.items():
            at = numbers.join_words(tuple(f"{level:g}" for level in levels))
            words.append(f"at ε = {at} trusting {trust} does better than trusting {first}")
        return f"{numbers.capital('; '.join(words))}." if words else ""

    def no_marks(self) -> str:
        """Say why there is no score of the visitor’s setting yet, or none at all."""
        if self.running:
            return waiting(self.question)
        if not self.problems:
            return "There is no result yet: go on, or change the settings."
        why = "; ".join(f"{COMPARISON[name].title}: {problem}" for name, problem in self.problems.items())
        return f"None of the methods has a result. {numbers.error_sentence_html(why)}"

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


def what_it_costs(answer: Answer) -> list[Panel]:
    """Return what a model reaches by who is trusted, and the best method of each along ε."""
    rows, config = answer.ranked, answer.question.config
    if not rows:
        return frontiers(answer, "by-epsilon", None) or [Panel()]
    best = tuple(row.method for row in rows.values())
    needs = [trust for trust, row in rows.items() if needs_delta(row.method)]
    large = f" {numbers.large_delta_words(config.people, config.release_delta)}" if needs else ""
    marks = numbers.marks_words(answer.n_trials, all(math.isfinite(row.low) for row in rows.values()))
    at_setting = Panel(
        "by-trust",
        figure=_by_trust(answer),
        summary=_own_summary(answer),
        rows=lambda: [vars(row) | COMPARISON[row.method].columns for row in answer.own],
        snippet=snippet(answer.question),
        prediction=_prediction(answer),
        note=f"{marks}{large}".rstrip(),
    )
    shown = tuple(name for name in config.methods if name in (CLEAN, *best) or COMPARISON[name].trust == PUBLISHER)
    alone = replace(answer, question=replace(answer.question, config=replace(config, methods=shown)))
    names = {row.method: AT_CURVES.get(trust, trust) for trust, row in rows.items()} | {CLEAN: AT_CURVES[TRUTH]}
    along, *others = frontiers(alone, "by-epsilon", None, names) or [Panel()]
    if along.name == "by-epsilon":
        along = replace(along, question=_OTHER_LEVELS, answer=answer.elsewhere())
    deltas = two_deltas.panels(config, answer.question.metric, list(rows.values()), config_snippet(answer.question))
    why, delta = _why_words(answer), _delta_words(config, needs)
    question = "Why can it be worse if somebody sees the truth?" if why else "Does the protection always hold?"
    below = [Panel("why", question, f"{why} {delta}".strip())] if why or delta else []
    return [at_setting, *below, along, *others, *deltas]


def _by_trust(answer: Answer) -> Chart:
    """Return the figure of what the best method of each trust reaches."""
    question = answer.question
    ways = [
        charts.Way(
            _way_to_learn(trust, question.config),
            COMPARISON[answer.best_by_trust[trust]],
            answer.marks[answer.best_by_trust[trust]],
        )
        for trust in answer.best_by_trust
    ]
    write = partial(value, question.metric)
    records = names_in(question.config.dataset).records
    return Chart(charts.by_trust(ways, answer.marks.get(CLEAN), question.metric, write, records))


def ranked(rows: Sequence[Row]) -> dict[str, Row]:
    """Return rows by their trust, the best first; a publisher’s, whose ε covers less, last."""
    sign = -1 if rows and METRICS[rows[0].task][rows[0].metric] else 1
    in_order = sorted(rows, key=lambda row: (row.trust == PUBLISHER, sign * row.mean))
    return {row.trust: row for row in in_order}


def _prediction(answer: Answer) -> Prediction | None:
    """Return the guess how accurate a model is if people trust nobody; None without that, and if pixels are secret."""
    question, best = answer.question, answer.best_by_trust.get(NOBODY)
    config, names = question.config, names_in(question.config.dataset)
    if question.metric != "accuracy" or config.private == RECORDS or best is None or CLEAN not in answer.marks:
        return None
    one, other = map(escape, names.classes)
    flip_prob = _flip_prob(config)
    part = f"{100 * flip_prob:g} of 100" if flip_prob >= 0.01 else f"{numbers.percent(flip_prob)} of the"
    return Prediction(
        GUESS,
        f"A computer learns from {config.people:,} people’s {names.records}, each with a private {names.label}: "
        f"{names.example or f'{one} or {other}'}. To protect people, about {part} {names.labels}, picked by chance, "
        f"are switched to the other one before the computer sees them.{_pushed_sentence(config)} <b>Of 100 new "
        f"{names.records}, how many will it label correctly?</b>",
        100 * answer.marks[best].mean,
        Scale(0, 100, 1, f" {names.records}"),
        _before_the_guess(answer),
        f"More {names.labels} are right than wrong, and the computer learns from all together.",
        f"Your guess: how many of 100 new {names.records} it labels correctly",
        sorted(
            [
                KnownNumber(50, "pure guessing"),
                KnownNumber(100 * answer.marks[CLEAN].mean, f"if all {names.labels} were true"),
            ]
        ),
    )


def _flip_prob(config: ComparisonConfig) -> float:
    """Return with which chance people who trust nobody switch their labels, to two digits."""
    return float(f"{RandomisedResponse.from_epsilon(config.epsilon, 2).flip_prob:.2g}")


def _chance(config: ComparisonConfig) -> str:
    """Write with which chance people who trust nobody switch their labels."""
    return numbers.percent(_flip_prob(config))


def _before_the_guess(answer: Answer) -> Markup:
    """Return what stands below the guess: some images with their true labels, and with those that a computer learns
    from; of records without pixels the labels alone.
    """
    config, names = answer.question.config, names_in(answer.question.config.dataset)
    labels = example_labels(config, N_IMAGES)
    truly, as_told = ([names.classes[label] for label in classes] for classes in labels)
    sheet = figures.sample_sheet(records(config.dataset), N_IMAGES)[0] if has_pixels(config.dataset) else None
    table = figures.labelled_html(
        {} if sheet is None else {f"{N_IMAGES} {names.records}": sheet},
        {f"true {names.label}": truly, f"{names.label} the computer is told": as_told},
    )
    return Markup(f"<p>Dashed {names.label}: switched by chance.</p>{table}")


def _pushed_sentence(config: ComparisonConfig) -> str:
    """Say how many labels are pushed, if any are."""
    if not config.fake_part:
        return ""
    return f" {numbers.per_hundred(config.fake_part)} of 100 people send {pushed_label(config)}."


def _way_to_learn(trust: str, config: ComparisonConfig) -> tuple[str, str]:
    """Say who sees what, and what hides it from all others; on a telephone each has one line."""
    _, label, labels, (_, second), *_ = names_in(config.dataset)
    nobody = _sees(NOBODY, config), f"each is switched with a chance of {_chance(config)}"
    if config.private == RECORDS:
        nobody = nobody[0], f"each pixel and {label} is changed at random"
    share = config.task == SHARE
    ways = {
        NOBODY: nobody,
        SHUFFLER: ("a shuffler mixes what is sent", f"each {label} is switched less often"),
        LEADER: (
            f"a group leader sees {config.bag_size} {labels}",
            f"passes on how many are {second}, changed at random",
        ),
        PUBLISHER: (_sees(PUBLISHER, config), "publishes counts of large groups, changed at random"),
        CURATOR: (
            "one office (a curator) sees all",
            "publishes a count changed at random" if share else "adds random errors while the computer learns",
        ),
    }
    return ways[trust]


def _sees(trust: str, config: ComparisonConfig) -> str:
    """Say who alone sees what is true: “nobody sees true labels”."""
    names = names_in(config.dataset)
    true = f"true {names.records} or {names.labels}" if config.private == RECORDS else f"true {names.labels}"
    if trust == SHUFFLER:
        return f"a shuffler mixes changed {names.labels}"
    if trust == NOBODY:
        return f"nobody sees {true}"
    return f"only {'one office (a curator)' if trust == CURATOR else trust} sees {true}"


def _why_words(answer: Answer) -> str:
    """Say why a party that sees more may still give worse results, if it does here; else return an empty string."""
    order, config = list(answer.ranked), answer.question.config
    if NOBODY not in order or config.task == SHARE:
        return ""
    after = order[order.index(NOBODY) + 1 :]
    names = names_in(config.dataset)
    record, label = names.records.removesuffix("s"), names.label
    hidden = f"{record} and {label}, not the {label} alone"
    if config.private == RECORDS:
        hidden = f"the {label} and the whole {record} at once, not each of them alone"
    why = {
        LEADER: f"A group leader gives one total for {config.bag_size} {names.labels}, which teaches less than "
        f"{config.bag_size} {names.labels} one by one.",
        CURATOR: f"A curator’s noise must hide {hidden}, so there is more of it.",
    }
    return " ".join(words for trust, words in why.items() if trust in after)


def frontiers(answer: Answer, name: str, goal: float | None, names: Mapping[str, str] | None = None) -> list[Panel]:
    """Return the figures of every method’s score along ε, with a line at the `goal` if there is one.

    With `names`, few methods are called by them at the ends of their curves. Without results the list is empty. Methods
    that learn from sets have a figure of their own, as their ε covers only the counts.
    """
    question, curves = answer.question, answer.chosen(answer.curves)
    rows = (*answer.curves, *answer.own)
    if not rows:
        return []
    differ = answer.own and answer.curves and not shipped.on_curves(question.config)
    legend = (
        f"Curves: {trial_counts(curves)} trials of {curve_people(curves)}. Large marks: your setting." if curves else ""
    )
    of_sets = {method for method in question.config.methods if COMPARISON[method].trust == PUBLISHER}

    def chart(methods: Set[str], axis: str) -> Chart:
        marks = {method: mark for method, mark in answer.marks.items() if method in methods}
        curves_shown = [row for row in curves if row.method in methods]
        epsilon, records = question.config.epsilon, names_in(question.config.dataset).records
        called = None if axis == charts.OF_COUNTS else names
        return Chart(charts.frontier(curves_shown, question.metric, marks, epsilon, goal, axis, called, records))

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
                "And with large groups, where ε covers their counts alone?",
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
        if config is None or shipped.is_shipped(config, question.n_trials):
            continue
        for half in range(2):
            tasks = [with_trial(config, trial) for trial in range(half, question.n_trials, 2)]
            all_jobs.append(Job((_OWN_TRIALS, config, half), name, comparison.run, tasks, slow=_is_slow(config)))
    if not shipped.has_curves(question.config):
        tasks = [
            with_trial(replace(question.config, epsilon=epsilon), trial)
            for trial in range(n_curve_trials(question))
            for epsilon in comparison.study.EPSILONS
        ]
        base = replace(question.config, epsilon=ComparisonConfig.epsilon)
        all_jobs.append(Job((_CURVE_TRIALS, base), "Trial for the curves", comparison.run, tasks, slow=_is_slow(base)))
    if question.along_pushed and not shipped.has_pushed_curves(question.config):
        tasks = [
            with_trial(config, trial)
            for trial in range(n_curve_trials(question))
            for config in comparison.pushed.along(question.config)
        ]
        base = replace(question.config, fake_part=0.0)
        all_jobs.append(Job((_PUSHED_TRIALS, base), "Trial for the curves", comparison.run, tasks, slow=_is_slow(base)))
    return all_jobs


def _is_slow(config: ComparisonConfig) -> bool:
    """Return whether a trial takes more than a few seconds, so that one process should stay free for others."""
    return config.private == RECORDS and config.n_train > LARGE


def n_curve_trials(question: Question) -> int:
    """Return how many trials the visitor’s own curves have at each ε."""
    return min(MOST_CURVE_TRIALS, question.n_trials)


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
        tuple(rows_of(question.config, question.n_trials, own)),
        tuple(rows_of(question.pinned, question.n_trials, trials_so_far.of_kind(_OWN_TRIALS, question.pinned)))
        if question.pinned
        else (),
        len(own) or results.N_TRIALS,
        problems,
        trials_so_far.running,
        tuple(_pushed(question, trials_so_far)),
    )
    return result if result.curves or result.own or problems else None


def _pushed(question: Question, trials_so_far: Trials) -> list[PushedRow]:
    """Return the rows of a question along the part of the people who push, shipped or from the trials so far."""
    if shipped.has_pushed_curves(question.config):
        return shipped.pushed_curves(question.config)
    trials = trials_so_far.of_kind(_PUSHED_TRIALS)
    return comparison.pushed.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))


def own_curves(question: Question, curve_trials: Sequence[Trial], own: Sequence[Trial]) -> list[Row]:
    """Return the rows of the same trials at every ε, the visitor’s own included."""
    epsilon, n_trials = question.config.epsilon, n_curve_trials(question)
    if sum(trial.config.epsilon == epsilon for trial in curve_trials) < n_trials:
        others = [trial for trial in curve_trials if trial.config.epsilon != epsilon]
        curve_trials = [*others, *(trial for trial in own if trial.config.trial < n_trials)]
    return _means(curve_trials)


def rows_of(config: ComparisonConfig, n_trials: int, trials: Sequence[Trial]) -> list[Row]:
    """Return the rows of one setting, shipped or from `trials`; without intervals until there are enough of `n_trials`.

    Rows without intervals have no scores by trial either, so that no difference is judged.
    """
    if shipped.is_shipped(config, n_trials):
        return shipped.marks(config)
    enough = min(ENOUGH, n_trials)
    return [
        row if row.n_trials >= enough else replace(row, low=-math.inf, high=math.inf, by_trial="")
        for row in _means(trials)
    ]


def _means(trials: Sequence[Trial]) -> list[Row]:
    """Return the mean scores of the trials as rows."""
    return comparison.study.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))


# --- words ---------------------------------------------------------------------------------------

TRUSTED_PARTY = {
    NOBODY: "nobody trusted",
    SHUFFLER: "a shuffler",
    LEADER: "a group leader",
    PUBLISHER: "a publisher",
    CURATOR: "a curator",
}


def mark_words(question: Question, marks: Mapping[str, Estimate], best: Mapping[str, Row]) -> str:
    """Say whom to trust for the best score, and what is learned: `best` are the best rows by trust, the best first."""
    known = value(question.metric, marks[CLEAN].mean) if CLEAN in marks else ""
    if not best:
        without = f" Without privacy, {score_words(question, known)}." if known else ""
        return f"No method that is shown needs so little trust.{without}"
    (trust, row), *others = best.items()
    rest = [one for one, _ in others if one != PUBLISHER]
    verdict = change(row, best[rest[0]]).verdict if rest else None
    score, seen, after = _result(question, row), _sees(trust, question.config), ""
    if verdict is Verdict.BETTER:
        ways = f"the {len(rest) + 1} ways with the same ε" if PUBLISHER in best else f"these {len(best)} ways"
        after = f" That is the best of {ways}, with these settings."
    elif verdict is Verdict.NOT_CLEAR:
        score = f"{score} or {_result(question, best[rest[0]])}"
        seen = f"{seen} or {_sees(rest[0], question.config)}"
        after = " The difference is not clear."
    without = f" (without privacy, {known})" if known else ""
    yes = _yes(question, marks, row)
    though = "although" if yes in ("Yes: ", "Partly: ") else "if"
    words = numbers.capital(f"{yes}{score_words(question, score)}, {though} {seen}{without}")
    return f"<b>{words}.</b>{after} {_about_labels(question.config)}{_protection_words(question, best)}"


def _yes(question: Question, marks: Mapping[str, Estimate], best: Row) -> str:
    """Answer the page’s question, whether a computer can still learn; nothing for other scores than accuracy."""
    if question.metric != "accuracy" or CLEAN not in marks:
        return ""
    return f"{numbers.how_far(best.mean, COIN, marks[CLEAN].mean)}: "


def _protection_words(question: Question, best: Mapping[str, Row]) -> str:
    """Say with which ε all ways hide what is secret; for a publisher also what it reaches, as its ε covers less."""
    epsilon = f"ε = {numbers.epsilon(question.config.epsilon)}{_also_pixels(question.config)}"
    if len(best) < 2:
        return f"The privacy loss is {epsilon}."
    if PUBLISHER in best:
        gives = f"A publisher, whose ε covers no more than its counts, gives {_result(question, best[PUBLISHER])}"
        return f"{gives}. The privacy loss of the other {'ways' if len(best) > 2 else 'way'} is {epsilon}."
    if _is_equal(question.config):
        label = names_in(question.config.dataset).label
        return f"Each way hides a {label} equally well from outsiders, by changing something at random."
    return f"All ways below change something at random, with the same privacy loss ({epsilon})."


def _is_equal(config: ComparisonConfig) -> bool:
    """Return whether outsiders find out equally little of a label whoever is trusted: not where ε is that of more than
    a label, or δ is large.
    """
    return config.private != RECORDS and not is_large_delta(config.people, config.release_delta)


def _about_labels(config: ComparisonConfig) -> str:
    """Say what is secret, and how many labels are false, if any are."""
    return f"{_secret(config)}{_pushed_sentence(config)} "


def _secret(config: ComparisonConfig) -> str:
    """Say what is secret, and what stands for it."""
    names = names_in(config.dataset)
    if config.private == RECORDS:
        both = f"{names.records.removesuffix('s')} and {names.label}"
        return f"Each person’s {both} are secret. {escape(names.remark)}".rstrip()
    one, other = map(escape, names.classes)
    return escape(names.remark) or f"Each person’s {names.label} ({one} or {other}) is secret."


def _delta_words(config: ComparisonConfig, parties: Sequence[str]) -> str:
    """Say with which `parties` privacy holds but for a chance δ; empty if with none, or if δ is 0."""
    if not parties or not config.release_delta:
        return ""
    delta = config.release_delta
    once = numbers.one_in(delta).replace("one", "once", 1) + " times" if delta < 0.01 else "often"
    return (
        f"With {numbers.join_words(tuple(parties))}, protection can fail {once} "
        f"(δ\u00a0=\u00a0{numbers.power_of_ten(config.release_delta)})."
    )


def _also_pixels(config: ComparisonConfig) -> str:
    """Say that ε is that of every pixel too, if it is."""
    return f" for every {names_in(config.dataset).label} and pixel" if config.private == RECORDS else ""


def _result(question: Question, row: Row) -> str:
    """Write a score and, if it is known exactly, that in the long run, which few trials may miss."""
    exact = long_run(question.config, row.method)
    return value(question.metric, row.mean) + (f" ({exact} in the long run)" if exact else "")


def lower_loss(named: Row | None, other: Row | None) -> str:
    """Say whose log loss is clearly lower, the named method’s or the other’s; empty if neither."""
    if named is None or other is None:
        return ""
    verdict = change(named, other).verdict
    lower = {Verdict.BETTER: "its log loss lower", Verdict.WORSE: "whose log loss is lower"}.get(verdict)
    marks = (named, other) if verdict is Verdict.BETTER else (other, named)
    least, most = (f"{row.mean:.2f}" for row in marks)
    return f", {lower} ({least}, not {most})" if lower else ""


def score_words(question: Question, mark: str) -> str:
    """Say what a score measures."""
    config = question.config
    if config.task == SHARE:
        return f"the share of {names_in(config.dataset).second} is off by {mark}"
    if question.metric == "accuracy":
        return f"it gets {mark} of new {names_in(config.dataset).records} right"
    return f"the {METRIC_WORDS[question.metric]} is {mark}"


# How the figure marks methods by who is trusted.
_MARKS_BY_TRUST = {
    NOBODY: "nobody (circles)",
    SHUFFLER: "a shuffler (pentagons; ε of the count)",
    LEADER: "a group leader (squares)",
    PUBLISHER: "a publisher of large groups (diamonds; ε of the counts alone, and none where no noise meets it)",
    CURATOR: "a curator (triangles; ε of the whole record)",
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


def trial_counts(rows: Sequence[Row]) -> str:
    """Write how many trials some rows are from."""
    least, most = (end(row.n_trials for row in rows) for end in (min, max))
    return f"{most}" if least == most else f"{least} to {most}"


def _own_summary(answer: Answer) -> str:
    """Describe the figure by trust: the promise, the scores with their intervals and the methods behind them, and
    ties.
    """
    metric, config = answer.question.metric, answer.question.config
    scores = "; ".join(
        f"{TRUSTED_PARTY[trust]} {marked(metric, row.estimate)} ({COMPARISON[row.method].title})"
        for trust, row in answer.ranked.items()
    )
    known = f"; {COMPARISON[CLEAN].title} {marked(metric, answer.marks[CLEAN])}" if CLEAN in answer.marks else ""
    sets = f" {about_sets(config)}" if _has_sets(config) else ""
    unequal = " Equal ε under unequal trust is not equal privacy." if len(answer.best_by_trust) > 1 else ""
    return (
        f"Promised: {privacy(config)}. Of {people(config)}, {answer.n_trials} trials: {scores}{known}. "
        f"{answer.best_words()}{answer.beside_counterpart()}{answer.ties()}Bars are 95 % intervals.{unequal}{sets} "
        f"{numbers.HOW_FAR_WORDS.format(least='blind guessing')}"
    )


def _summary(answer: Answer, curves: Sequence[Row]) -> str:
    """Describe the figure: the promise, ties, the curves, and what each mark means."""
    config = answer.question.config
    own = (
        f"Large marks: your setting, {config.n_train:,} people of each class, {answer.n_trials} trials. "
        if answer.own
        else ""
    )
    trusted = {COMPARISON[name].trust for name in config.methods}
    marks_by_trust = ", ".join(words for trust, words in _MARKS_BY_TRUST.items() if trust in trusted)
    hollow = " Hollow marks: the best of several variants." if set(config.methods) & set(TRIED) else ""
    unequal = " Equal ε under unequal trust is not equal privacy." if len(trusted - {TRUTH}) > 1 else ""
    sets = f" {about_sets(config)}" if _has_sets(config) else ""
    problems = "".join(
        f" {COMPARISON[name].title}: {numbers.error_sentence_html(why)}" for name, why in answer.problems.items()
    )
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
    return f"{kind} over {trial_counts(curves)} trials of {curve_people(curves)}{unlike}, {along}: {'; '.join(parts)}. "


# --- code ----------------------------------------------------------------------------------------


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that randomise as people do who trust nobody, and as a group leader does."""
    config = question.config
    by_leader = {"totals": opendp.BagTotals(config.epsilon)} if LEADER in question.trusted else {}
    return opendp.snippet(label=config.flips, pixel=config.pixels, **by_leader)


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
        f"trials = [comparison.run(with_trial(config, i)) for i in range({question.n_trials})]",
        "for method in trials[0].fits:",
        f"    print(method, {mark}{exact})",
        "# the curves anew: python -m privdemo reproduce comparison",
        imports=("from privdemo.experiments.trials import with_trial",),
    )
