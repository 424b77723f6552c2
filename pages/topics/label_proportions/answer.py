"""The answer of the page on bags: the trials of its question, the sentence, and every method’s F1."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pages.kit import cache, numbers, own_data, trials
from pages.kit.numbers import MARK, count_draws, with_half, with_range
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.label_proportions.question import Question
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, SHARE, Trial
from privdemo.figures import label_proportions as charts
from privdemo.intervals import Estimate
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LLP, MEAN_MAP, NAMES, by_trying
from privdemo.tasks import Task, binary_task
from privdemo.verdict import Verdict, judge

# The methods that learn from the bags alone.
LEARNERS = (NAMES, by_trying(NAMES), LLP, MEAN_MAP, ALTERNATING)
ALL_ALIKE = "In some draws all bags have the same share, and nothing tells the classes apart."
# The least difference in F1 between methods that counts, and the least from always answering “no”.
LEAST, LEAST_AGAINST_TRIVIAL = 0.0005, 0.005

one_trial = cache.shared_or_private(
    label_proportions.run, max_entries=64, spinner="Filling bags, training and testing once…"
)


@dataclass(frozen=True)
class Answer:
    """A question and its trials finished so far."""

    question: Question
    trials: list[Trial]

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the methods that were tried, full labels last."""
        return (*(name for name in LABEL_PROPORTIONS if name in self.trials[0].fits and name != FULL), FULL)

    @property
    def task(self) -> Task:
        """Return the task that the records are used for."""
        return binary_task(self.question.config.dataset)

    def score(self, method: str, which: str = "average") -> Estimate:
        """Return a method’s mean F1 over the trials."""
        return label_proportions.mean_score(self.trials, method, which, self.question.threshold)

    def takeaway(self) -> str:
        """Say what F1 learning from bag totals reaches, and what learning from every label does."""
        start = f"{bags_words(self)}: {released_words(self)}."
        tried = [name for name in LEARNERS if name in self.methods]
        ceiling = self.score(FULL).mean
        if not tried:
            return f"{start} With every label known, F1 = <b>{ceiling:.3f}</b>."
        best = max(tried, key=lambda name: self.score(name).mean)
        nothing = label_proportions.all_negative(self.trials).average
        reached = self.score(best)
        alike = "" if all(trial.identified for trial in self.trials) else f" {ALL_ALIKE}"
        return (
            f"{start} A model trained on this alone scores F1 = {with_half(reached, MARK, bold=True)} "
            f"({LABEL_PROPORTIONS[best].title}{self.verdict(best)}); "
            f"{beside_words(reached.mean, ceiling, nothing)}.{alike}"
        )

    def verdict(self, best: str) -> str:
        """Say how the best method compares with the other of the two that this page is about."""
        other = {NAMES: LLP, by_trying(NAMES): LLP, LLP: NAMES}.get(best)
        if other is None or other not in self.methods:
            return ""
        gap = label_proportions.difference(self.trials, best, other, self.question.threshold)
        where = count_draws(self.trials)
        return compare_words(judge(gap, len(self.trials), least=LEAST), other, where)

    def main(self) -> list[tuple[Panel, ...]]:
        """Return the panels of every method’s F1 and of some of the bags."""
        trial = self.trials[0]
        scores = Panel(
            "bag-scores",
            figure=Chart(charts.scores(self.trials, self.methods, self.question.threshold, ("average",))),
            summary=score_words(self),
            rows=lambda: label_proportions.score_table(self.trials),
            snippet=score_snippet(self.question),
        )
        some = len(charts.shown_bags(trial, few=True))
        bags = Panel(
            "some-bags",
            figure=Chart(charts.columns(trial, self.task.positive, few=True)),
            summary=f"{some} of {len(trial.blocks)} bags of the first draw, a column each; see also the next chapter.",
            rows=lambda: label_proportions.bag_table(trial),
            snippet=bag_snippet(self.question),
        )
        return [(scores, bags)]


def jobs(question: Question) -> list[Job]:
    """Return the job that runs the trials in the background."""
    return trials.one_job("bags", question, label_proportions.run, one_trial)


def answer(question: Question, trials_so_far: Trials) -> Answer | None:
    """Return the answer from the trials so far, or None if there are none."""
    (trials,) = trials_so_far.results
    return Answer(question, list(trials)) if trials else None


def waiting(question: Question) -> str:
    """Say what is being done before there is anything to show."""
    config = question.config
    return (
        f"<b>{len(label_proportions.methods_of(config))} models are being trained</b> on {config.n_bags:,} bags of "
        f"{config.bag_size:,} {binary_task(config.dataset).records}."
    )


# --- words ---------------------------------------------------------------------------------------


def bags_words(answer: Answer) -> str:
    """Write the bags as they were filled: “100 bags of 100 people”."""
    sizes, requested = answer.trials[0].sizes, answer.question.config.bag_size
    low, high = int(sizes.min()), int(sizes.max())
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    fewer = (
        f" (for {requested:,} there are too few of a kind)" if low < requested and answer.question.config.k == 1 else ""
    )
    return f"<b>{len(sizes):,} bags of {size} {answer.task.records}</b>{fewer}"


def released_words(answer: Answer) -> str:
    """Say what is known of a bag."""
    config = answer.question.config
    known = f"of each only the share that {answer.task.positive} is known"
    if math.isfinite(config.proportion_epsilon):
        known += f", with noise (ε = {numbers.epsilon(config.proportion_epsilon)} a label)"
    records = "" if config.k == 1 else f"averages of {config.k} or more records"
    if math.isfinite(config.feature_epsilon):
        records = f"{records or 'records'} with noise (ε = {numbers.epsilon(config.feature_epsilon)} a column)"
    return f"{known}, beside {records}" if records else known


def beside_words(reached: float, ceiling: float, nothing: float) -> str:
    """Say what learning from every label reaches and, if the model is no better, what “no” to everybody scores."""
    known = f"with every label known it is {ceiling:.3f}"
    if reached < nothing - LEAST_AGAINST_TRIVIAL:
        return f"always answering “no” scores more, {nothing:.3f}; {known}"
    if reached <= nothing + LEAST_AGAINST_TRIVIAL:
        return f"always answering “no” scores no less, {nothing:.3f}; {known}"
    return known


def compare_words(verdict: Verdict, other: str, where: str) -> str:
    """Say how the best method compares with another in so many trials; both scores are in the chart."""
    title = LABEL_PROPORTIONS[other].title
    if verdict is Verdict.TOO_FEW:
        return f"; {where} cannot tell it from {title}"
    return f", draw by draw clearly ahead of {title}" if verdict.clear else f", statistically tied with {title}"


def threshold_words(question: Question) -> str:
    """Say where a record counts as positive."""
    if question.threshold == SHARE:
        return "A record is called positive so often that the predicted share equals the released share"
    known = question.config.single or question.chosen_threshold == HALF
    why = "" if known else ": with averages or noisy records the released share cannot be counted off"
    return f"A record is called positive where that is likelier than not{why}"


def score_words(answer: Answer) -> str:
    """List every method’s F1, and explain the figure’s marks."""
    marks = "; ".join(
        f"{LABEL_PROPORTIONS[name].title} {with_range(answer.score(name), MARK)}, "
        f"positives {answer.score(name, 'positive').mean:.3f}, negatives {answer.score(name, 'negative').mean:.3f}"
        for name in answer.methods
    )
    n = len(answer.trials)
    over = f"95 % intervals over {n} draws" if n > 1 else "One draw, so no interval is known"
    return (
        f"Average F1 on {answer.trials[0].n_test:,} clean test records, weighted by how common each class is: {marks}. "
        f"{over}. {threshold_words(answer.question)}. Solid rule: every label known; dotted, where it is on the axis: "
        f"“no” for every record, {label_proportions.all_negative(answer.trials).average:.3f}."
    )


# --- code ----------------------------------------------------------------------------------------


def snippet(question: Question) -> Snippet:
    """Return the code that runs the trials."""
    return own_data.snippet(
        question.config,
        question.own_file,
        "from privdemo.experiments import label_proportions",
        "from privdemo.experiments.trials import with_trial",
        "from privdemo.experiments.label_proportions import BagConfig",
    ).then(f"draws = [label_proportions.run(with_trial(config, i)) for i in range({question.n_draws})]")


def bag_snippet(question: Question) -> Snippet:
    """Return the code that prints the bags of the first trial."""
    return snippet(question).then("print(label_proportions.bag_table(draws[0]))")


def score_snippet(question: Question) -> Snippet:
    """Return the code that computes every method’s F1."""
    return snippet(question).then(
        "for method in draws[0].fits:",
        f'    print(method, label_proportions.mean_score(draws, method, "average", "{question.threshold}"))',
    )
