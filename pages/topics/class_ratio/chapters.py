"""The chapters on other mixes, the adversary and all numbers; the others have modules of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pages.kit import chosen, numbers
from pages.kit.numbers import count_trials, with_range
from pages.kit.panel import Chart, Panel, Table
from pages.topics.class_ratio import figures
from pages.topics.class_ratio.answer import (
    L1,
    Answer,
    class_labels,
    compare,
    first_class,
    mean_words,
    print_errors,
    print_mean_errors,
    snippet,
)
from privdemo.estimators import set_names
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import FULLY_LABELLED_METHODS, NO_RELEASE, SHARES, study
from privdemo.figures import class_ratio as charts
from privdemo.intervals import gap_interval, mean_interval
from privdemo.methods import CLASS_RATIO, MMD, RFF, SPREAD, by_trying
from privdemo.verdict import Verdict, clearly_below, judge

# The same with one more digit, for methods that are close.
FINE = L1._replace(digits=4)
# What the choosing method may choose besides a model of the classes.
_WAYS = {set_names.SPREAD: CLASS_RATIO[SPREAD].title}


# --- other mixes ---------------------------------------------------------------------------------


def other_mixes(answer: Answer) -> list[Panel]:
    """Return the error of every method against the mix of the group (figure 2), in the visitor’s own trials."""
    trials, methods = answer.trials, answer.methods
    blind = [name for name in methods if name not in FULLY_LABELLED_METHODS]
    return [
        Panel(
            "errors",
            "How far off is each method for other true shares?",
            f"{_nearest_words(answer, blind or methods)} {_errors_words(answer, blind or methods)}",
            Chart(charts.errors(trials, methods, class_labels(answer)[0])),
            mean_words(answer) + own_mix(answer),
            lambda: class_ratio.table(trials),
            print_mean_errors(answer.question),
            note="Each mark: how far off one trial is on average. (Chapter 1 shows the mean of all estimates, in which "
            "errors too high and too low cancel.) Lines with end caps: 95 % intervals; where they overlap, chance may "
            "decide which method is nearer.",
        ),
        Panel(
            "mean-errors",
            figure=Chart(charts.mean_errors(trials, methods)),
            summary=f"{mean_words(answer)} An L1 error of 0.02 puts 10 of 1,000 records in a wrong class."
            f"{compare(answer)}",
            rows=lambda: class_ratio.table(trials),
            snippet=print_mean_errors(answer.question),
        ),
    ]


def _nearest_words(answer: Answer, methods: Sequence[str]) -> str:
    """Say which of the methods has the least mean error at which true shares."""
    trials = answer.trials
    nearest: dict[str, list[int]] = {}
    for place in range(len(SHARES)):
        best = min(methods, key=lambda name: class_ratio.error_along(trials, name, place).mean)
        nearest.setdefault(best, []).append(place)
    known = "Of the methods that know no label, " * (len(methods) < len(answer.methods))
    often_first = sorted(nearest, key=lambda name: -len(nearest[name]))
    titles = [f"“{CLASS_RATIO[name].title}”" for name in often_first]
    if len(nearest) == 1:
        return numbers.capital(f"{known}{titles[0]} is off least on average, whatever the true share.")
    where = [_runs_words(nearest[name]) for name in often_first]
    first = f"{titles[0]} is off least on average if {where[0]} {first_class(answer)}"
    others = "; ".join(f"{title}, if {at}" for title, at in zip(titles[1:], where[1:], strict=True))
    return f"{numbers.capital(f'{known}no method is the best everywhere')}: {first}; {others}."


def _errors_words(answer: Answer, methods: Sequence[str]) -> str:
    """Say between which numbers of 1,000 records the methods’ mean errors are, and how far off known labels are."""
    trials, records = answer.trials, answer.task.records

    def off(names: Sequence[str]) -> list[float]:
        return [500 * class_ratio.error_along(trials, n, place).mean for n in names for place in range(len(SHARES))]

    known = [name for name in answer.methods if name not in methods]
    most_known = f"; with labels known, {max(off(known)):.0f} at most" if known else ""
    errors = f"<b>{min(off(methods)):.0f} to {max(off(methods)):.0f}</b> of 1,000 {records}"
    return f"The error is {errors}{most_known}."


def _runs_words(places: Sequence[int]) -> str:
    """Write the true shares at these places of `SHARES`, those side by side as a range: “10 % or 80 to 90 %”."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    words = (
        numbers.share(SHARES[run[0]], 0)
        if len(run) == 1
        else f"{100 * SHARES[run[0]]:.0f} to {numbers.share(SHARES[run[-1]], 0)}"
        for run in runs
    )
    return numbers.join_words(tuple(words), "or")


def own_mix(answer: Answer) -> str:
    """Say that the visitor’s own group is another than that of the curves at the same mix."""
    if answer.question.config.share is None:
        return ""
    return (
        " Vertical line: the mix that you set. Each mix here has new groups of its own, so an error at the line is "
        "not that of chapter 1."
    )


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(answer: Answer) -> list[Panel]:
    """Return the panel of how often the label of a single record is guessed, though only sets were labelled."""
    question = "How well can others guess a label?"
    if SPREAD not in answer.methods:
        return [Panel(question=question, answer=f"Choose the method “{CLASS_RATIO[SPREAD].title}”: it names records.")]
    rates, config = class_ratio.attack_rates(answer.trials), answer.question.config
    pure = not config.private and config.pure
    start = "A group of one class hides nothing. " if pure else ""
    bound = (
        " Noise on the counts bounds what one person’s label changes, not what the groups teach of people in general."
        if config.private
        else ""
    )
    alone, both = rates["model"], rates["both"]
    is_clear = judge(gap_interval(both, alone)) is not Verdict.NOT_CLEAR
    worse = config.private and clearly_below(gap_interval(rates["both"], rates["model"]))
    return [
        Panel(
            "ratio-attack",
            question,
            f"{start}A computer that is told only the percentages of the groups is right for "
            f"<b>{numbers.per_hundred(rates['model'].mean)} of 100</b> {answer.task.records} in them; guessing what "
            f"most of the group are is right for {numbers.per_hundred(rates['set'].mean)}.",
            Chart(charts.attack(rates)),
            f"Records in the training groups of {count_trials(answer.trials)}, and new ones with every class alike: "
            f"the likeliest class is named, by the released mix of the group {with_range(rates['set'])}, by "
            f"{CLASS_RATIO[SPREAD].title} {with_range(rates['model'])}, by both {with_range(rates['both'])}; new "
            f"records {with_range(rates['new'])}. Vertical line: the shares of the group alone.{bound}"
            + (" Both together are worse than the model, as noise has moved the group’s mix." if worse else ""),
            lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
            snippet(answer.question).then("print(class_ratio.attack_rates(trials))"),
            note="This is about the groups whose percentages are known, not about the new one."
            + " Whether the model also knows the percentages of the group makes no clear difference." * (not is_clear),
        )
    ]


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(answer: Answer) -> list[Panel]:
    """Return the tables of every method’s errors and time, and of ten digits in the published protocol."""
    trials = answer.trials
    rows = [row for row in study.select(figures.shipped(), study.PRIVATE) if row.release == NO_RELEASE]
    rows += study.select(figures.shipped(), study.DIGITS)
    own_table = Table(
        ["method", "L1 error, your new group", f"mean over {len(SHARES)} other ones", "training, s a trial"],
        [
            [
                CLASS_RATIO[name].title,
                with_range(class_ratio.error(trials, name), FINE),
                with_range(class_ratio.mean_error(trials, name), FINE),
                f"{mean_interval([trial.fits[name].seconds for trial in trials]).mean:.2f}",
            ]
            for name in answer.methods
        ],
        labelled=True,
    )
    ten = Table(
        ["ten digits, shipped", "mean over mixes"],
        [[CLASS_RATIO[row.method].title, with_range(row.estimate, FINE)] for row in rows],
        labelled=True,
    )
    first = rows[0]
    return [
        Panel(
            "ratio-numbers",
            "How do all methods compare?",
            f"Yours first, over {count_trials(trials)}; below, ten digits of MNIST as the paper sets them up: "
            + numbers.join_words(tuple(f"{CLASS_RATIO[row.method].title} <b>{row.error:.4f}</b>" for row in rows[:3]))
            + f". {chosen.describe_fits(trials, by_trying(SPREAD), _WAYS)}".rstrip(),
            own_table,
            f"L1 errors, in brackets 95 % intervals. Each mix has its own new groups. {_bandwidths(answer)} "
            f"{_gap(answer)} Times are of this computer, one thread, with whatever else it did.",
            lambda: class_ratio.table(trials),
            print_errors(answer.question),
        ),
        Panel(
            "ratio-ten-digits",
            figure=ten,
            summary=f"{first.n_trials} shipped trials of MNIST’s ten digits, {first.n_classes} groups of "
            f"{first.set_size:,}; every rarer class has a share of {first.rho:g}.",
            rows=lambda: [vars(row) | CLASS_RATIO[row.method].columns for row in rows],
            snippet=figures.study_snippet(study.DIGITS),
        ),
    ]


def _bandwidths(answer: Answer) -> str:
    """Say which bandwidths of MMD were chosen."""
    factors = sorted({trial.factor for trial in answer.trials if math.isfinite(trial.factor)})
    if not factors:
        return ""
    return f"The bandwidth of MMD was {' or '.join(f'{factor:g}' for factor in factors)} times the median heuristic."


def _gap(answer: Answer) -> str:
    """Say how far random features differ from the exact averages."""
    if not {MMD, RFF} <= set(answer.methods):
        return ""
    gap = class_ratio.features_gap(answer.trials)
    return f"Random features differ from the exact averages by {with_range(gap, L1)} (L1, your new group)."
