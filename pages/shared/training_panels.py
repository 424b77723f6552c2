"""The main part of the training page: draws as they come, and every method's marks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.shared import cached, layout, live, own, text, training_controls
from pages.shared.live import Job, in_words
from pages.shared.training_controls import DELTA, EM_DRAWS, Question
from privdemo.experiments import training
from privdemo.experiments.draws import at_draw
from privdemo.experiments.training import N_STEPS, Trial
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING, TRUE


@dataclass(frozen=True)
class Shown:
    """The question, the draws that are done, and how the others come along."""

    question: Question
    draws: list[Trial]
    work: live.Work

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that have been tried, clean data last."""
        tried = [name for name in TRAINING if any(name in draw.fits for draw in self.draws) and name != CLEAN]
        return (*tried, CLEAN)


def presets() -> None:
    """The paper's settings on one click."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Paper:", width="content", help="The settings of the paper’s experiments, on one click.")
        for name in training_controls.PRESETS:
            st.button(name, key=f"train {name}", on_click=training_controls.apply_preset, args=(name,))


def lesson(below: Callable[[Shown], None]) -> live.Lesson:
    """How the draws are followed; `below` shows one look at them."""

    def show(shown: Shown) -> None:
        layout.figure(
            "scores",
            charts.scores(shown.draws, shown.methods),
            shown.question.said(score_words(shown)),
            lambda: training.score_table(shown.draws),
            code(shown.question),
        )
        with st.container(key="rest"):
            below(shown)

    return live.Lesson(_jobs, answer, waiting, takeaway, show, "Nothing can be trained here.")


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    return question.said(f"<b>{len(question.config.methods)} models are being trained</b> on {people(question)}.")


def _jobs(question: Question) -> list[Job]:
    """The work that is done away from the screen."""
    config = question.config
    quick = training.with_methods(config, tuple(name for name in config.methods if name != PUBLISHED))
    first = 1 if question.at_once else 0
    tasks = [at_draw(quick, i) for i in range(first, question.n_draws)]
    jobs = [Job(("draws", quick, first), "Draw", training.run, tasks, before=first)]
    if PUBLISHED in config.methods:
        slow = training.with_methods(config, (PUBLISHED,))
        tasks = [at_draw(slow, i) for i in range(min(question.n_draws, EM_DRAWS))]
        note = f", {N_STEPS} steps each"
        jobs.append(Job(("draws", slow, 0), "The published EM", training.run, tasks, slow=True, note=note))
    return jobs


def answer(question: Question) -> Shown:
    """Train on the first draw, at once where that is quick, and ask for the others.

    Raises ``ValueError`` with a sentence where there is nothing to learn from.
    """
    training.check_noise(question.config)
    jobs = _jobs(question)
    work = live.watch(question, jobs)
    quick, *slow_draws = [list(progress.results) for _, progress in work]
    if question.at_once:
        quick.insert(0, cached.one_draw(jobs[0].key[1]))
    return Shown(question, training.merge(quick, slow_draws[0]) if slow_draws else quick, work)


# --- words ---------------------------------------------------------------------------------------


def people(question: Question) -> str:
    """Who releases, in words."""
    first, second = question.config.classes
    n = question.config.n_train
    if own.is_own(question.config):
        return f"{n:,} people of class “{first}” and {n:,} of class “{second}”"
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
        image = (
            f"every pixel gets Gaussian noise of variance <b>{pixels.sigma**2:.3g}</b> "
            f"(ε = {text.epsilon(pixels.epsilon_at(DELTA))} a pixel at δ = {text.power_of_ten(DELTA)})"
        )
    first, second = config.classes
    if isinstance(labels, RandomisedResponse):
        label = f"the label is flipped with probability <b>{text.probability(labels.flip_prob)}</b>"
    else:
        label = (
            f"“{first}” is sent as “{second}” with probability <b>{text.probability(labels.p10)}</b>, “{second}” as "
            f"“{first}” with <b>{text.probability(labels.p01)}</b>"
        )
    return f"{image} and {label} (ε = {text.epsilon(labels.epsilon)})"


def takeaway(shown: Shown) -> str:
    """The page in one sentence or three, with the live numbers."""
    accuracy = {name: training.mean_score(shown.draws, name, "accuracy") for name in shown.methods}
    both = [name for name in (SPREAD, NAIVE) if name in accuracy]
    named = both or [name for name in shown.methods if name != CLEAN][:1]
    start = f"Of {people(shown.question)} {noise_words(shown.question)}."
    clean = f"<b>{text.share(accuracy[CLEAN].mean)}</b>"
    if not named:
        return shown.question.said(f"{start} Trained on clean data, {clean} of clean test images are named right.")
    reached = " and ".join(f"<b>{text.share(accuracy[n].mean)}</b> ({TRAINING[n].title})" for n in named)
    source = "that and the pixels’ true habits" if named == [TRUE] else "that alone"
    words = f"Trained on {source}, a classifier is right on {reached} of clean test images; on clean data, on {clean}."
    verdicts = [verdict(shown)] if len(both) == 2 else []
    return shown.question.said(" ".join([start, words, *verdicts, *_reversed(shown)]))


def _reversed(shown: Shown) -> list[str]:
    """Why naive training is worse than a coin where more than half lie."""
    channel = shown.question.config.labels.channel_matrix
    if NAIVE not in shown.methods or channel[0, 0] >= channel[0, 1]:
        return []
    first, second = shown.question.config.classes
    return [f"A label is more often a lie than not: what naive training takes for “{first}” is “{second}”."]


def verdict(shown: Shown) -> str:
    """Spread against naive on the same draws: accuracy and log loss, and whether a difference shows."""
    gap = training.difference(shown.draws, SPREAD, NAIVE, "accuracy")
    loss = {name: training.mean_score(shown.draws, name, "log_loss").mean for name in (SPREAD, NAIVE)}
    numbers = f"(log loss: naive {loss[NAIVE]:.2f}, spread {loss[SPREAD]:.2f})"
    where = in_words(shown.draws)
    if len(shown.draws) < live.ENOUGH:
        return f"{where.capitalize()} cannot tell which is better {numbers}."
    losses = training.difference(shown.draws, SPREAD, NAIVE, "log_loss")
    shows, ahead = clear(gap, 0.001), gap.mean > 0
    better, worse = ("spread", "naive") if ahead else ("naive", "spread")
    first = (
        f"{better.capitalize()} is more accurate than {worse} by {100 * abs(gap.mean):.1f} points in {where}"
        if shows
        else f"No difference in accuracy shows in {where}"
    )
    if not clear(losses, 0.01):
        joint = "but no difference shows" if shows else "nor"
        return f"{first}, {joint} in how good the probabilities are {numbers}."
    joint = "and" if shows and ahead == (losses.mean < 0) else "but"
    bad, good = ("naive", "spread") if losses.mean < 0 else ("spread", "naive")
    return f"{first}, {joint} {bad}’s probabilities are worse than {good}’s {numbers}."


def clear(difference: Estimate, least: float) -> bool:
    """Whether a difference shows: its interval leaves out 0, and it is one of `least` or more, which a reader sees."""
    return difference.excludes_zero and abs(difference.mean) >= least


def score_words(shown: Shown) -> str:
    """Every method's marks in a sentence, and what the figure's marks are."""
    first = shown.draws[0]
    marks = "; ".join(
        f"{TRAINING[name].title} {text.percent(training.mean_score(shown.draws, name, 'accuracy'))}, log loss "
        f"{training.mean_score(shown.draws, name, 'log_loss').mean:.3f}, Brier score "
        f"{training.mean_score(shown.draws, name, 'brier').mean:.3f}"
        for name in shown.methods
    )
    over = (
        f"95 % intervals over {len(shown.draws)} draws"
        if len(shown.draws) > 1
        else "95 % intervals over the test images of one draw: how much luck there is in who was drawn is not in them"
    )
    if PUBLISHED in shown.methods:
        over += f" (published EM: {in_words(training.having(shown.draws, PUBLISHED))})"
    return (
        f"Accuracy on {len(first.y):,} clean test images: {marks}. {over}. Solid rule: clean data. Dotted rule: a "
        f"coin, whose log loss is ln 2 = {math.log(2):.3f}.{_collapse(shown)}"
    )


def _collapse(shown: Shown) -> str:
    """Which methods have ended in one class, and why."""
    ended = [name for name in shown.methods if training.one_sided(shown.draws, name)]
    where = "In this draw" if len(shown.draws) == 1 else "In some draws"
    words = []
    if RECONSTRUCTION in ended:
        words.append(
            f" {where} reconstruction names one class for nearly every image: it learns from its own guesses, and the "
            "surer it is the better it likes them."
        )
    others = tuple(TRAINING[name].title for name in ended if name != RECONSTRUCTION)
    if others:
        words.append(
            f" {where} {text.a_list(others)} {'names' if len(others) == 1 else 'name'} one class for nearly every "
            "image: so little shows through the noise that cross-validation leaves next to nothing but the intercept."
        )
    return "".join(words)


def code(question: Question) -> str:
    """The lines that compute the figure."""
    config = question.config
    lines = [
        *own.imports(config),
        "from privdemo.experiments import training",
        "from privdemo.experiments.draws import at_draw",
        "from privdemo.experiments.training import TrainingConfig",
        "from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse",
        "",
        *own.code(training.with_methods(config, tuple(name for name in config.methods if name != PUBLISHED))),
        f"draws = [training.run(at_draw(config, i)) for i in range({question.n_draws})]",
    ]
    if PUBLISHED in config.methods:
        n = min(question.n_draws, EM_DRAWS)
        lines += [
            f'slow = training.with_methods(config, ("{PUBLISHED}",))  # about a minute a draw',
            f"draws = training.merge(draws, [training.run(at_draw(slow, i)) for i in range({n})])",
        ]
    lines += [
        "for method in draws[0].fits:",
        '    print(method, *(training.mean_score(draws, method, metric) for metric in ("accuracy", "log_loss")))',
    ]
    return "\n".join(lines)
