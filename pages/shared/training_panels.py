"""The main part of the training page: draws as they come, and every method's marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import streamlit as st

from pages.shared import cached, layout, text, training_controls
from pages.shared.training_controls import Question
from privdemo.experiments import private_training as training
from privdemo.experiments.private_training import CLEAN, METHODS, N_STEPS, NAIVE, PUBLISHED, SPREAD, Draw
from privdemo.experiments.trade_off import N_PUBLISHED
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.jobs import Progress
from privdemo.mechanisms import RandomisedResponse

# Seconds between looks at how far the draws are.
POLL = 1.0
_STOPPED, _AGAIN, _VISITOR = "stopped_draws", "draws_again", "visitor"


@dataclass(frozen=True)
class Shown:
    """The question, the draws that are done, and how the others come along."""

    question: Question
    draws: list[Draw]
    work: list[tuple[str, Progress]]

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return any(progress.running for _, progress in self.work)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that have been tried, clean data last."""
        tried = [name for name in METHODS if any(name in draw.fits for draw in self.draws) and name != CLEAN]
        return (*tried, CLEAN)


def presets() -> None:
    """The paper's settings on one click."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Paper:", width="content", help="The settings of the paper’s experiments, on one click.")
        for name in training_controls.PRESETS:
            st.button(name, key=f"train {name}", on_click=training_controls.apply_preset, args=(name,))


def follow(question: Question | None, title: str, place: Any) -> Shown | None:
    """Show the draws and go on showing them as they come; what is there now, or None where nothing can be shown."""
    _leave(question)
    if question is None:
        layout.takeaway(place, title, "Change the settings that the note names, and people release their data again.")
        return None
    try:
        shown = answer(question)
    except ValueError as error:
        layout.takeaway(place, title, f"Nothing can be trained here. {text.sentence(error)}")
        return None
    every = POLL if shown.running else None
    st.fragment(_live, run_every=every)(shown, title, place)
    return shown if shown.draws else None


def _live(before: Shown, title: str, place: Any) -> None:
    """All that changes while draws come in; alone it runs again."""
    shown = answer(before.question)
    finished = before.running and not shown.running
    if finished or (shown.draws and not before.draws):
        st.rerun()  # the rest of the page has not seen these draws
    if problem := next((progress.error for _, progress in shown.work if progress.error), None):
        st.warning(f"Not all draws could be made: {problem}")
    _progress(shown)
    if not shown.draws:
        words = f"<b>{len(before.question.config.methods)} models are being trained</b> on {people(before.question)}."
        layout.takeaway(place, title, words)
        return
    layout.takeaway(place, title, takeaway(shown))
    layout.figure(
        "scores",
        charts.scores(shown.draws, shown.methods),
        score_words(shown),
        lambda: training.score_table(shown.draws),
        code(shown.question),
    )


def _leave(question: Question | None) -> None:
    """This visitor no longer waits for the draws of other settings, and what was stopped is stopped for those alone."""
    keep = _jobs(question) if question else []
    cached.runner().leave(_visitor(), [key for key, *_ in keep])


def _visitor() -> str:
    return st.session_state.setdefault(_VISITOR, uuid4().hex)


def _jobs(question: Question) -> list[tuple[Any, str, list[training.TrainingConfig]]]:
    """(key, what it is, tasks) of the work that is done away from the screen."""
    config = question.config
    quick = training.with_methods(config, tuple(name for name in config.methods if name != PUBLISHED))
    first = 1 if question.at_once else 0
    jobs = [(("draws", quick, first), "Draw", [training.at_draw(quick, i) for i in range(first, question.n_draws)])]
    if PUBLISHED in config.methods:
        slow = training.with_methods(config, (PUBLISHED,))
        tasks = [training.at_draw(slow, i) for i in range(min(question.n_draws, N_PUBLISHED))]
        jobs.append((("draws", slow, 0), "The published EM", tasks))
    return jobs


def answer(question: Question) -> Shown:
    """Train on the first draw, at once where that is quick, and ask for the others."""
    runner, stopped = cached.runner(), st.session_state.get(_STOPPED) == question
    again = st.session_state.pop(_AGAIN, False)
    results: list[list[Draw]] = []
    work: list[tuple[str, Progress]] = []
    for key, name, tasks in _jobs(question):
        if stopped:
            progress = runner.look(key) or Progress((), len(tasks), False)
        else:
            progress = runner.watch(key, _visitor(), training.run, tasks, new_try=again)
        results.append(list(progress.results[: len(tasks)]))
        work.append((name, Progress(tuple(results[-1]), len(tasks), progress.running, progress.error)))
    quick, *slow = results
    if question.at_once:
        quick.insert(0, cached.one_draw(_jobs(question)[0][0][1]))
    return Shown(question, training.merge(quick, slow[0]) if slow else quick, work)


def _progress(shown: Shown) -> None:
    """How many draws are done, and a way to stop or go on."""
    if all(progress.finished for _, progress in shown.work):
        return
    extra = 1 if shown.question.at_once else 0
    parts = []
    for name, progress in shown.work:
        more = extra if name == "Draw" else 0
        parts.append(f"{name} {len(progress.results) + more} of {progress.total + more}")
    if len(parts) > 1:
        parts[1] += f", {N_STEPS} steps each"
    done = sum(len(progress.results) for _, progress in shown.work) + extra
    total = sum(progress.total for _, progress in shown.work) + extra
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="draw-progress"):
        st.progress(done / total, " · ".join(parts) + ("" if shown.running else ", stopped"), width="stretch")
        if shown.running:
            st.button("Stop", on_click=_stop, args=(shown.question,), key="stop-draws")
        else:
            st.button("Go on", on_click=_go_on, key="more-draws")


def _stop(question: Question) -> None:
    st.session_state[_STOPPED] = question
    cached.runner().leave(_visitor())


def _go_on() -> None:
    st.session_state.pop(_STOPPED, None)
    st.session_state[_AGAIN] = True


# --- words ---------------------------------------------------------------------------------------


def people(question: Question) -> str:
    """Who releases, in words."""
    first, second = question.config.classes
    n = question.config.n_train
    return f"{n:,} people with a {first} and {n:,} with a {second}"


def noise_words(question: Question) -> str:
    """What happens to each image and label, with the ε of both."""
    config = question.config
    pixels, labels = config.pixels, config.labels
    if isinstance(pixels, RandomisedResponse):
        image = (
            f"every pixel is replaced with probability <b>{text.probability(pixels.flip_prob)}</b> "
            f"(ε = {text.epsilon(pixels.epsilon)} a pixel)"
        )
    else:
        image = f"every pixel gets Gaussian noise of variance <b>{pixels.sigma**2:.3g}</b>"
    first, second = config.classes
    if isinstance(labels, RandomisedResponse):
        label = f"the label is flipped with <b>{text.probability(labels.flip_prob)}</b>"
    else:
        label = (
            f"{first}s are sent as {second} with <b>{text.probability(labels.p10)}</b>, {second}s as {first} with "
            f"<b>{text.probability(labels.p01)}</b>"
        )
    return f"{image} and {label} (ε = {text.epsilon(labels.epsilon)})"


def takeaway(shown: Shown) -> str:
    """The page in one sentence or three, with the live numbers."""
    accuracy = {name: training.score(shown.draws, name, "accuracy") for name in shown.methods}
    both = [name for name in (SPREAD, NAIVE) if name in accuracy]
    named = both or [name for name in shown.methods if name != CLEAN][:1]
    start = f"Of {people(shown.question)} {noise_words(shown.question)}."
    clean = f"<b>{text.share(accuracy[CLEAN].mean)}</b>"
    if not named:
        return (
            f"{start} Trained on clean data a classifier is right on {clean} of clean test images; the others follow."
        )
    reached = " and ".join(f"<b>{text.share(accuracy[n].mean)}</b> ({METHODS[n].title})" for n in named)
    words = (
        f"Trained on that alone, a classifier is right on {reached} of clean test images; trained on clean data, on "
        f"{clean}."
    )
    return f"{start} {words} {verdict(shown)}" if len(both) == 2 else f"{start} {words}"


def verdict(shown: Shown) -> str:
    """Spread against naive on the same draws: accuracy and log loss, and whether a difference shows."""
    gap = training.difference(shown.draws, SPREAD, NAIVE, "accuracy")
    loss = {name: training.score(shown.draws, name, "log_loss").mean for name in (SPREAD, NAIVE)}
    losses = training.difference(shown.draws, SPREAD, NAIVE, "log_loss")
    shows, ahead = clear(gap, 0.001), gap.mean > 0
    better, worse = ("spread", "naive") if ahead else ("naive", "spread")
    where = f"in {draws_words(shown.draws)}"
    first = (
        f"{better.capitalize()} is more accurate than {worse} by {100 * abs(gap.mean):.1f} points {where}"
        if shows
        else f"No difference in accuracy shows {where}"
    )
    if not clear(losses, 0.01):
        joint = "but none shows" if shows else "nor"
        numbers = f"(log loss {loss[NAIVE]:.2f} against {loss[SPREAD]:.2f})"
        return f"{first}, {joint} in how good the probabilities are {numbers}."
    joint = "and" if shows and ahead == (losses.mean < 0) else "but"
    bad, good = ("naive", "spread") if losses.mean < 0 else ("spread", "naive")
    numbers = f"(log loss {loss[bad]:.2f} against {loss[good]:.2f})"
    return f"{first}, {joint} {bad}’s probabilities are worse than {good}’s {numbers}."


def clear(difference: Estimate, least: float = 0.0) -> bool:
    """Whether a 95 % interval leaves out 0, and the difference is one of `least` or more, which a reader would see."""
    return not difference.low <= 0 <= difference.high and abs(difference.mean) >= least


def draws_words(draws: list[Draw]) -> str:
    """“10 draws”, “one draw”."""
    return "one draw" if len(draws) == 1 else f"{len(draws)} draws"


def score_words(shown: Shown) -> str:
    """Every method's marks in a sentence, and what the figure's marks are."""
    first = shown.draws[0]
    marks = "; ".join(
        f"{METHODS[name].title} {text.percent(training.score(shown.draws, name, 'accuracy'))}, log loss "
        f"{training.score(shown.draws, name, 'log_loss').mean:.3f}, Brier score "
        f"{training.score(shown.draws, name, 'brier').mean:.3f}"
        for name in shown.methods
    )
    over = (
        f"95 % intervals over {len(shown.draws)} draws"
        if len(shown.draws) > 1
        else "95 % intervals over the test images of one draw: how much luck there is in who was drawn is not in them"
    )
    return (
        f"Accuracy on {len(first.y):,} clean test images: {marks}. {over}. Solid rule: clean data. Dotted rule: a "
        f"coin, whose log loss is ln 2 = {math.log(2):.3f}.{_collapse(shown)}"
    )


def _collapse(shown: Shown) -> str:
    """Where reconstruction has confirmed itself into one class, say so."""
    name = training.RECONSTRUCTION
    if name not in shown.methods or not training.one_sided(shown.draws, name):
        return ""
    return (
        " In some draws reconstruction names one class for nearly every image: it learns from its own guesses, and the "
        "surer it is the better it likes them."
    )


def code(question: Question) -> str:
    """The lines that compute the figure."""
    return "\n".join(
        (
            "from privdemo.experiments import private_training as training",
            "from privdemo.experiments.private_training import TrainingConfig",
            "from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse",
            "",
            f"config = {question.config!r}",
            f"draws = [training.run(training.at_draw(config, i)) for i in range({question.n_draws})]",
            "for method in config.methods:",
            '    print(method, training.score(draws, method, "accuracy"), training.score(draws, method, "log_loss"))',
        )
    )
