"""What the training page says of a question: the draws of it, the sentence, and every method's marks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pages.kit import cache, numbers, own_data
from pages.kit.draws import Draws, Job
from pages.kit.numbers import count_draws, with_range
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.training.controls import EM_DRAWS, Question
from pages.topics.training.pixel_noise import noise_of
from privdemo.experiments import training
from privdemo.experiments.draws import at_draw
from privdemo.experiments.training import N_STEPS, Trial
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING, TRUE
from privdemo.verdict import Verdict, judge

# The least difference in accuracy and in log loss that a reader sees.
LEAST_ACCURACY, LEAST_LOSS = 0.001, 0.01

one_trial = cache.by_config(training.run, max_entries=64, spinner="Releasing, training and testing once…")


@dataclass(frozen=True)
class Answer:
    """A question and the trials of it that are done."""

    question: Question
    trials: list[Trial]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that have been tried, clean data last."""
        tried = [name for name in TRAINING if any(name in trial.fits for trial in self.trials) and name != CLEAN]
        return (*tried, CLEAN)

    def score(self, method: str, metric: str) -> Estimate:
        """A method's mark over the trials."""
        return training.mean_score(self.trials, method, metric)

    def takeaway(self) -> str:
        """The page in one sentence or three, with the live numbers."""
        return self.question.said(" ".join(_sentences(self)))

    def main(self) -> tuple[Panel, ...]:
        """Every method's marks."""
        return (
            Panel(
                "scores",
                figure=Chart(charts.scores(self.trials, self.methods)),
                summary=self.question.said(score_words(self)),
                rows=lambda: training.score_table(self.trials),
                snippet=print_scores(self.question),
            ),
        )


def jobs(question: Question) -> list[Job]:
    """The work in the background: the quick methods, and the published EM in a slow job of its own."""
    config = question.config
    quick = training.with_methods(config, tuple(name for name in config.methods if name != PUBLISHED))
    before = 1 if question.at_once else 0
    tasks = [at_draw(quick, i) for i in range(before, question.n_draws)]
    at_once = (lambda: one_trial(quick)) if before else None
    found = [Job(("draws", quick, before), "Draw", training.run, tasks, at_once)]
    if PUBLISHED in config.methods:
        slow = training.with_methods(config, (PUBLISHED,))
        tasks = [at_draw(slow, i) for i in range(min(question.n_draws, EM_DRAWS))]
        note = f", {N_STEPS} steps each"
        found.append(Job(("draws", slow, 0), "The published EM", training.run, tasks, slow=True, note=note))
    return found


def answer(question: Question, draws: Draws) -> Answer | None:
    """Put the trials of all methods together.

    Raises ``ValueError`` with a sentence where there is nothing to learn from.
    """
    training.check_noise(question.config)
    quick, *slow = draws.results
    trials = training.merge(quick, slow[0]) if slow else list(quick)
    return Answer(question, trials) if trials else None


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    return question.said(f"<b>{len(question.config.methods)} models are being trained</b> on {people(question)}.")


# --- words ---------------------------------------------------------------------------------------


def people(question: Question) -> str:
    """Who releases, in words."""
    first, second = question.config.classes
    n = question.config.n_train
    if own_data.is_own(question.config):
        return f"{n:,} people of class “{first}” and {n:,} of class “{second}”"
    return f"{n:,} people with a {first} and {n:,} with a {second}"


def noise_words(question: Question) -> str:
    """What happens to each image and label, with the ε of both."""
    config, labels = question.config, question.config.labels
    first, second = config.classes
    p10, p01 = (float(labels.channel_matrix[at]) for at in ((1, 0), (0, 1)))
    label = (
        f"the label is flipped with probability <b>{numbers.probability(p10)}</b>"
        if p10 == p01
        else f"“{first}” is sent as “{second}” with probability <b>{numbers.probability(p10)}</b>, “{second}” as "
        f"“{first}” with <b>{numbers.probability(p01)}</b>"
    )
    image = noise_of(config.pixels).words(config.pixels)
    return f"{image} and {label} (ε = {numbers.epsilon(labels.epsilon)})"


def _sentences(shown: Answer) -> list[str]:
    """Who releases what, what can be learnt from it, and whether spread or naive is ahead."""
    accuracy = {name: shown.score(name, "accuracy") for name in shown.methods}
    both = [name for name in (SPREAD, NAIVE) if name in accuracy]
    named = both or [name for name in shown.methods if name != CLEAN][:1]
    start = f"Of {people(shown.question)} {noise_words(shown.question)}."
    clean = f"<b>{numbers.share(accuracy[CLEAN].mean)}</b>"
    if not named:
        return [f"{start} Trained on clean data, {clean} of clean test images are named right."]
    reached = " and ".join(f"<b>{numbers.share(accuracy[n].mean)}</b> ({TRAINING[n].title})" for n in named)
    source = "that and the pixels’ true habits" if named == [TRUE] else "that alone"
    words = f"Trained on {source}, a classifier is right on {reached} of clean test images; on clean data, on {clean}."
    compared = [compare(shown)] if len(both) == 2 else []
    return [start, words, *compared, *_reversed(shown)]


def _reversed(shown: Answer) -> list[str]:
    """Why naive training is worse than a coin where more than half lie."""
    channel = shown.question.config.labels.channel_matrix
    if NAIVE not in shown.methods or channel[0, 0] >= channel[0, 1]:
        return []
    first, second = shown.question.config.classes
    return [f"A label is more often a lie than not: what naive training takes for “{first}” is “{second}”."]


def compare(shown: Answer) -> str:
    """Spread against naive on the same draws: accuracy and log loss, and whether a difference shows."""
    trials = shown.trials
    gap = training.difference(trials, SPREAD, NAIVE, "accuracy")
    losses = training.difference(trials, SPREAD, NAIVE, "log_loss")
    marks = {name: shown.score(name, "log_loss").mean for name in (SPREAD, NAIVE)}
    return compare_words(
        judge(gap, len(trials), least=LEAST_ACCURACY),
        judge(losses, len(trials), least=LEAST_LOSS, lower_is_better=True),
        abs(gap.mean),
        f"(log loss: naive {marks[NAIVE]:.2f}, spread {marks[SPREAD]:.2f})",
        count_draws(trials),
    )


def compare_words(accuracy: Verdict, loss: Verdict, gap: float, losses: str, where: str) -> str:
    """Say how spread does beside naive by accuracy, `gap` apart, and by its probabilities."""
    if accuracy is Verdict.TOO_FEW:
        return f"{where.capitalize()} cannot tell which is better {losses}."
    better, worse = ("spread", "naive") if accuracy is Verdict.BETTER else ("naive", "spread")
    first = (
        f"{better.capitalize()} is more accurate than {worse} by {numbers.apart(gap)} in {where}"
        if accuracy.clear
        else f"No difference in accuracy shows in {where}"
    )
    if not loss.clear:
        joint = "but no difference shows" if accuracy.clear else "nor"
        return f"{first}, {joint} in how good the probabilities are {losses}."
    joint = "and" if accuracy is loss else "but"
    bad, good = ("naive", "spread") if loss is Verdict.BETTER else ("spread", "naive")
    return f"{first}, {joint} {bad}’s probabilities are worse than {good}’s {losses}."


def score_words(shown: Answer) -> str:
    """Every method's marks in a sentence, and what the figure's marks are."""
    trials = shown.trials
    marks = "; ".join(
        f"{TRAINING[name].title} {with_range(shown.score(name, 'accuracy'))}, log loss "
        f"{shown.score(name, 'log_loss').mean:.3f}, Brier score {shown.score(name, 'brier').mean:.3f}"
        for name in shown.methods
    )
    over = (
        f"95 % intervals over {len(trials)} draws"
        if len(trials) > 1
        else "95 % intervals over the test images of one draw: how much luck there is in who was drawn is not in them"
    )
    if PUBLISHED in shown.methods:
        over += f" (published EM: {count_draws(training.having(trials, PUBLISHED))})"
    return (
        f"Accuracy on {len(trials[0].y):,} clean test images: {marks}. {over}. Solid rule: clean data. Dotted rule: a "
        f"coin, whose log loss is ln 2 = {math.log(2):.3f}.{_collapse(shown)}"
    )


def _collapse(shown: Answer) -> str:
    """Which methods have ended in one class, and why."""
    ended = {name: n for name in shown.methods if (n := training.one_sided(shown.trials, name))}
    words = []
    own_guesses = {name: ended.pop(name) for name in (RECONSTRUCTION,) if name in ended}
    if own_guesses:
        words.append(
            f"{_of_draws(shown, own_guesses)} names one class for nearly every image: it learns from its own guesses, "
            "and the surer it is the better it likes them."
        )
    if ended:
        words.append(
            f"{_of_draws(shown, ended)} {'names' if len(ended) == 1 else 'name'} one class for nearly every image: so "
            "little shows through the noise that cross-validation leaves next to nothing but the intercept."
        )
    return "".join(words)


def _of_draws(shown: Answer, ended: Mapping[str, int]) -> str:
    """Methods, each with the number of draws in which it has ended in one class."""
    n = len(shown.trials)
    often = {name: "" if n == 1 else f" (in {times} of {n} draws)" for name, times in ended.items()}
    words = numbers.a_list(tuple(f"{TRAINING[name].title}{times}" for name, times in often.items()))
    return f" In this draw {words}" if n == 1 else f" {words[0].upper()}{words[1:]}"


def snippet(question: Question) -> Snippet:
    """The lines that make the draws."""
    config = question.config
    quick = training.with_methods(config, tuple(name for name in config.methods if name != PUBLISHED))
    made = own_data.snippet(
        quick,
        question.own_file,
        "from privdemo.experiments import training",
        "from privdemo.experiments.draws import at_draw",
        "from privdemo.experiments.training import TrainingConfig",
        "from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse",
    ).then(f"draws = [training.run(at_draw(config, i)) for i in range({question.n_draws})]")
    if PUBLISHED not in config.methods:
        return made
    n = min(question.n_draws, EM_DRAWS)
    return made.then(
        f'slow = training.with_methods(config, ("{PUBLISHED}",))  # about a minute a draw',
        f"draws = training.merge(draws, [training.run(at_draw(slow, i)) for i in range({n})])",
    )


def print_scores(question: Question) -> Snippet:
    """The lines that make the draws and print every method's marks."""
    return snippet(question).then(
        "for method in draws[0].fits:",
        '    print(method, training.mean_score(draws, method, "accuracy"), '
        'training.mean_score(draws, method, "log_loss"))',
    )
