"""The main part of the comparison: every method along ε, and the visitor's own setting among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.shared import cached, layout, live, own, text
from pages.shared.comparison_controls import PIN, Question, encode, has_curves, is_shipped, on_curves
from pages.shared.live import Job
from privdemo.experiments import comparison
from privdemo.experiments.comparison import CLASSIFY, LABELS, RECORD_DELTA, RECORDS, SHARE, ComparisonConfig, Trial
from privdemo.experiments.comparison.study import Row
from privdemo.experiments.draws import at_draw
from privdemo.figures import comparison as charts
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, COMPARISON, NOBODY, OWNER, PUBLISHER, TRUTH
from privdemo.tasks import binary_task

# Draws of each ε of the curves of a setting for which none are shipped, at most.
CURVE_DRAWS = 5
# People of each class from which on a draw with private images is slow.
LARGE = 300
IN_PERCENT = ("accuracy", "error")
WORDS = {"accuracy": "accuracy", "log_loss": "log loss", "brier": "Brier score", "error": "error"}


@dataclass(frozen=True)
class Shown:
    """The question, shipped `curves`, the rows of the visitor's own setting and of the pinned one, and the work."""

    question: Question
    curves: tuple[Row, ...]
    mine: tuple[Row, ...]
    pinned: tuple[Row, ...]
    n_draws: int
    problems: dict[str, str]
    work: live.Work

    @property
    def draws(self) -> bool:
        """Whether there is anything to show: curves come with the app."""
        return bool(self.curves or self.mine)


def lesson(below: Callable[[Shown], None]) -> live.Lesson:
    """How the draws are followed; `below` shows one look at them."""

    def show(shown: Shown) -> None:
        question = shown.question
        curves = [row for row in of_metric(shown.curves, question.metric) if row.method in question.shown]
        layout.figure(
            "frontier",
            charts.frontier(curves, question.metric, own_marks(shown), question.config.epsilon, question.goal),
            summary(shown, curves),
            lambda: table([*shown.curves, *shown.mine]),
            code(question),
            at_once=True,
        )
        _pin_button(question)
        with st.container(key="rest"):
            below(shown)

    return live.Lesson(_jobs, answer, waiting, takeaway, show, "Nothing can be compared here.")


def curve_draws(question: Question) -> int:
    """Draws of each ε of the visitor's own curves."""
    return min(CURVE_DRAWS, question.n_draws)


def of_metric(rows: Sequence[Row], metric: str) -> list[Row]:
    """The rows of one metric."""
    return [row for row in rows if row.metric == metric]


def own_marks(shown: Shown) -> dict[str, Estimate]:
    """The visitor's own marks by the chosen metric."""
    return {row.method: row.estimate for row in of_metric(shown.mine, shown.question.metric)}


def _jobs(question: Question) -> list[Job]:
    """The draws of the visitor's setting and of the pinned one, each in two jobs: there are two processes.

    Where no curves are shipped, the visitor's own are drawn last.
    """
    jobs: list[Job] = []
    pinned = question.pinned if question.shared else None
    for name, config in (("Draw", question.config), ("Pinned draw", pinned)):
        if config is None or is_shipped(config, question.n_draws) or any(config == job.key[1] for job in jobs):
            continue
        for half in range(2):
            tasks = [at_draw(config, draw) for draw in range(half, question.n_draws, 2)]
            jobs.append(Job(("compare", config, half), name, comparison.run, tasks, slow=_slow(config)))
    if not has_curves(question.config):
        tasks = [
            at_draw(replace(question.config, epsilon=epsilon), draw)
            for draw in range(curve_draws(question))
            for epsilon in comparison.study.EPSILONS
        ]
        base = replace(question.config, epsilon=ComparisonConfig.epsilon)
        jobs.append(Job(("curve", base), "Draw for the curves", comparison.run, tasks, slow=_slow(base)))
    return jobs


def _slow(config: ComparisonConfig) -> bool:
    """Whether a draw takes more than a few seconds: then one process is kept free for others."""
    return config.private == RECORDS and config.n_train > LARGE


def answer(question: Question) -> Shown:
    """The shipped curves, and the draws of the visitor's own setting that are there."""
    jobs = _jobs(question)
    work = live.watch(question, jobs)
    everything = cached.comparison_rows()
    mine, pinned = (_draws(work, "compare", config) for config in (question.config, question.pinned))
    curves = _shipped(everything, question.config)
    if not curves:  # the same draws at every ε, the visitor's own among them
        drawn = _draws(work, "curve", None)
        own_epsilon = question.config.epsilon
        if sum(draw.config.epsilon == own_epsilon for draw in drawn) < curve_draws(question):
            drawn = [draw for draw in drawn if draw.config.epsilon != own_epsilon]
            drawn += [draw for draw in mine if draw.config.draw < curve_draws(question)]
        curves = _means(drawn)
    return Shown(
        question,
        tuple(curves),
        tuple(_rows(everything, question, question.config, mine)),
        tuple(_rows(everything, question, question.pinned, pinned)) if question.pinned else (),
        len(mine) or everything[0].n_draws,
        {
            fit.method: fit.problem or "in some draws its optimiser did not settle"
            for draw in mine
            for fit in draw.fits.values()
            if fit.problem or not fit.settled
        },
        work,
    )


def _draws(work: live.Work, kind: str, config: ComparisonConfig | None) -> list[Trial]:
    """The draws of one kind of job, of `config` or of whatever setting."""
    found = [
        draw
        for job, progress in work
        if job.key[0] == kind and config in (None, job.key[1])
        for draw in progress.results
    ]
    return sorted(found, key=lambda draw: draw.config.draw)


def _shipped(rows: Sequence[Row], config: ComparisonConfig) -> list[Row]:
    """The shipped rows of the same task, data set and private part, whatever their ε."""
    wanted = (config.task, config.dataset, config.private)
    return [row for row in rows if (row.task, row.dataset, row.private) == wanted]


def _rows(everything: Sequence[Row], question: Question, config: ComparisonConfig, draws: Sequence[Trial]) -> list[Row]:
    """The marks of one setting, shipped or of draws; before there are draws enough, with nothing to judge them by."""
    if is_shipped(config, question.n_draws):
        return [
            row
            for row in _shipped(everything, config)
            if row.epsilon == config.epsilon and (not config.methods or row.method in config.methods)
        ]
    enough = min(live.ENOUGH, question.n_draws)
    return [
        row if row.n_draws >= enough else replace(row, low=-math.inf, high=math.inf, by_draw="")
        for row in _means(draws)
    ]


def _means(draws: Sequence[Trial]) -> list[Row]:
    return comparison.study.rows(mark for draw in draws for mark in comparison.study.trial_marks(draw))


def _pin_button(question: Question) -> None:
    """Keep this setting to compare the next one against it."""
    with st.container(horizontal=True, gap="small"):
        pin = st.button("Pin this setting", on_click=_pin, args=(encode(question.config),), key="pin-it")
        unpin = bool(question.pinned) and st.button("Unpin", on_click=_pin, args=("",), key="unpin")
    if pin or unpin:
        st.rerun()  # the whole page, so that the pin reaches the link


def _pin(words: str) -> None:
    st.session_state[PIN.key] = words


# --- words ---------------------------------------------------------------------------------------


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    n = len(question.shown)
    return f"<b>{n} {'methods are' if n > 1 else 'method is'} learning</b> from {people(question.config)}."


def people(config: ComparisonConfig) -> str:
    """Who releases something, in words."""
    task = binary_task(config.dataset)
    first, second = task.classes
    return f"{config.n_train:,} records of “{first}” and as many of “{second}” ({task.title})"


def privacy(config: ComparisonConfig) -> str:
    """What is promised, of a label and of a record."""
    label = f"ε = {text.epsilon(config.epsilon)} for every label"
    if config.private == RECORDS:
        whole = comparison.record_epsilon(config)
        return (
            f"{label} and every pixel flipped with the same probability, together ε = {text.epsilon(whole)} for a "
            f"whole "
            f"record at δ = {text.power_of_ten(RECORD_DELTA)}, next to no promise"
        )
    return f"{label} (the records themselves are not hidden)"


def value(metric: str, mark: float) -> str:
    """A mark as people read it."""
    if metric == "accuracy":
        return text.share(mark)
    return f"{100 * mark:.1f} points" if metric == "error" else f"{mark:.3f}"


def longer_side(estimate: Estimate) -> float:
    """Half the 95 % interval, as far as no end is cut."""
    return max(estimate.high - estimate.mean, estimate.mean - estimate.low)


def marked(metric: str, estimate: Estimate) -> str:
    """A mark with its 95 % interval, if known: the longer side where an end is cut at what a mark can be."""
    half = longer_side(estimate)
    if not math.isfinite(half):
        return value(metric, estimate.mean)
    if metric in IN_PERCENT:
        return f"{100 * estimate.mean:.1f} ± {100 * half:.1f} {'%' if metric == 'accuracy' else 'points'}"
    return f"{estimate.mean:.3f} ± {half:.3f}"


def best_by_trust(shown: Shown) -> dict[str, str]:
    """For each of those that may be trusted, the best method of the visitor's setting, by trust."""
    best = comparison.study.best_by_trust(of_metric(shown.mine, shown.question.metric))
    return {trust: best[trust].method for trust in shown.question.trusted if trust in best}


def takeaway(shown: Shown) -> str:
    """What this privacy costs with each kind of trust."""
    question = shown.question
    config, metric, marks = question.config, question.metric, own_marks(shown)
    start = f"At {privacy(config)},{_so_far(shown)}"
    if not marks:
        return f"{start} {no_marks(shown)} {_meanwhile(shown)}"
    best = best_by_trust(shown)
    parts = tuple(
        f"<b>{marked(metric, marks[name])}</b> {_TRUSTING[trust]} ({COMPARISON[name].title})"
        for trust, name in best.items()
    )
    truth = "with all true labels" if config.task == CLASSIFY else "with all true training labels"
    ceiling = f"; {truth} {value(metric, marks[CLEAN].mean)}" if CLEAN in marks else ""
    what = "clean test records are named right in" if metric == "accuracy" else f"the {WORDS[metric]} is"
    if config.task == SHARE:
        what = f"the share of “{binary_task(config.dataset).classes[1]}” is off by"
    unequal = " Equal ε under unequal trust is not equal privacy." if len(best) > 1 else ""
    reached = text.a_list(parts) if parts else "nothing that asks for so little trust"
    return f"{start} {what} {reached}{ceiling}.{unequal}{_sets(shown)}"


def no_marks(shown: Shown) -> str:
    """Why there is no mark of the visitor's setting yet, or none at all."""
    if live.running(shown.work):
        return waiting(shown.question)
    if not shown.problems:
        return "there is no mark yet: go on, or change the settings."
    why = "; ".join(f"{COMPARISON[name].title}: {problem}" for name, problem in shown.problems.items())
    return f"none of the methods has a mark. {text.sentence(why)}"


def _so_far(shown: Shown) -> str:
    n = shown.question.n_draws
    return f" after {shown.n_draws} of {n} draws" if shown.mine and shown.n_draws < n else ""


_TRUSTING = {NOBODY: "trusting nobody", OWNER: "trusting a bag owner", PUBLISHER: "trusting a publisher"}


def _meanwhile(shown: Shown) -> str:
    if not shown.curves:
        return "Nothing is shipped for these records."
    return f"The curves are shipped ones of {_whose(shown)}."


def _sets(shown: Shown) -> str:
    """What ε does not cover of released sets, where they take part."""
    if PUBLISHER not in shown.question.trusted or not _with_sets(shown):
        return ""
    return f" {sets_words(shown.question.config)}"


def _with_sets(shown: Shown) -> bool:
    return any(COMPARISON[name].trust == PUBLISHER for name in shown.question.shown)


def sets_words(config: ComparisonConfig) -> str:
    """What a set's name tells, whatever noise its counts get."""
    told, (least, most) = text.epsilon(config.set_name_epsilon), config.rarer_count_range
    right = [text.share(1 - few / config.n_train).removesuffix(" %") for few in (most, least)]
    covers = (
        "covers the counts alone" if least < most else "covers nothing here, as at so small a ρ the counts are known"
    )
    return (
        f"Of sets, ε (with δ = {text.power_of_ten(config.delta)} more) {covers}: they are filled by label, and a set’s "
        f"name says as much of a label as a lie with ε = {told} may (it is right for "
        f"{'–'.join(dict.fromkeys(right))} %)."
    )


def differing(now: ComparisonConfig, then: ComparisonConfig) -> list[tuple[str, str, str]]:
    """What of two settings is not the same: its name and both values, in words."""
    told: dict[str, tuple[str, Callable[[Any], str]]] = {
        "records": ("dataset", lambda value: binary_task(value).title),
        "people of each class": ("n_train", lambda value: f"{value:,}"),
        "what is private": ("private", lambda value: "labels only" if value == LABELS else "labels and images"),
        "ε": ("epsilon", text.epsilon),
        "δ of counts": ("delta", text.power_of_ten),
        "people in a bag": ("bag_size", str),
        "ρ of the sets": ("rho", lambda value: f"{value:g}"),
        "people asked about": ("n_asked", lambda value: f"{value:,}"),
        "their share": ("share", text.share),
        "seed": ("seed", str),
    }
    found = []
    for name, (field, words) in told.items():
        here, there = getattr(now, field), getattr(then, field)
        # Telling records apart asks nobody about a share.
        if here == there or (field in ("n_asked", "share") and now.task == then.task == CLASSIFY):
            continue
        alike = words(here) == words(there)  # they differ in later digits
        found.append((name, repr(here), repr(there)) if alike else (name, words(here), words(there)))
    return found


def unlike_yours(config: ComparisonConfig) -> str:
    """What the shipped curves have other than the visitor's setting, but for ε; nothing where they have all of it."""
    if not has_curves(config) or on_curves(config):
        return ""
    place = (config.task, config.dataset, config.private)
    curves = next(c for c in comparison.study.CONTEXTS if (c.task, c.dataset, c.private) == place)
    parts = differing(replace(config, epsilon=curves.epsilon), curves)
    told = "; ".join(f"{name} {there}, yours {here}" for name, here, there in parts)
    return f" (not your setting: {told})" if told else ""


def _along(curves: Sequence[Row]) -> str:
    first, last = curves[0].epsilon, curves[-1].epsilon
    return f"at ε = {first:g}" if first == last else f"from ε = {first:g} to {last:g}"


def n_draws(rows: Sequence[Row]) -> str:
    """How many draws stand behind some rows."""
    least, most = (end(row.n_draws for row in rows) for end in (min, max))
    return f"{most}" if least == most else f"{least} to {most}"


def _whose(shown: Shown) -> str:
    return f"{shown.curves[0].n_train:,} people of each class" if shown.curves else "none"


def summary(shown: Shown, curves: Sequence[Row]) -> str:
    """The curves in a sentence, and what is drawn how."""
    question = shown.question
    parts = []
    for name in COMPARISON:
        there = [row for row in curves if row.method == name]
        if there:
            low, high = (value(question.metric, row.mean) for row in (there[0], there[-1]))
            parts.append(f"{COMPARISON[name].title} {low if low == high else f'{low} to {high}'}")
    drawn = (
        f"{'Shipped means' if has_curves(question.config) else 'Means'} over {n_draws(curves)} draws of "
        f"{_whose(shown)}{unlike_yours(question.config)}, {_along(curves)}: {'; '.join(parts)}. "
        if curves
        else "No curves are shipped for this choice: they come after the marks of your setting. "
    )
    own = (
        f"Large marks: your setting, {question.config.n_train:,} people of each class, {shown.n_draws} draws. "
        if shown.mine
        else ""
    )
    problems = "".join(f" {COMPARISON[name].title}: {text.sentence(words)}" for name, words in shown.problems.items())
    drawn_as = [words for trust, words in _DRAWN.items() if any(COMPARISON[n].trust == trust for n in question.shown)]
    goal = " Dotted: the goal." if question.goal is not None else ""
    sets = f" {sets_words(question.config)}" if _with_sets(shown) and PUBLISHER not in question.trusted else ""
    return f"{drawn}{own}Bars are 95 % intervals. Trusted with the truth: {', '.join(drawn_as)}.{goal}{sets}{problems}"


# Whom a mark says that one must trust.
_DRAWN = {
    NOBODY: "nobody (circles)",
    OWNER: "a bag’s owner (squares)",
    PUBLISHER: "a publisher of sets (open diamonds; ε of the counts alone, and none where no noise meets it)",
    TRUTH: "everybody (grey)",
}


def table(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Rows with titles for names."""
    return [vars(row) | {"method": COMPARISON[row.method].title} for row in rows]


def code(question: Question) -> str:
    """The lines that compute the visitor's own marks."""
    return "\n".join(
        [
            *own.imports(question.config),
            "from privdemo.experiments import comparison",
            "from privdemo.experiments.comparison import ComparisonConfig",
            "from privdemo.experiments.draws import at_draw",
            "",
            *own.code(question.config),
            f"draws = [comparison.run(at_draw(config, i)) for i in range({question.n_draws})]",
            "for method in draws[0].fits:",
            f'    print(method, comparison.mean_mark(draws, method, "{question.metric}"))',
            "# the curves anew: python -m privdemo reproduce comparison",
        ]
    )
