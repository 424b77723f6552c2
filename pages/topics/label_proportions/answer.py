"""What the page on bags says of a question: the trials of it, the sentence, and every method's F1."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pages.kit import cache, draws, numbers, own_data
from pages.kit.draws import Draws, Job
from pages.kit.numbers import MARK, count_draws, with_half, with_range
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.label_proportions.controls import Question
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, SHARE, Trial
from privdemo.figures import label_proportions as charts
from privdemo.intervals import Estimate
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LLP, MEAN_MAP, NAMES
from privdemo.tasks import Task, binary_task
from privdemo.verdict import Verdict, judge

# The methods that learn from the bags alone.
LEARNERS = (NAMES, LLP, MEAN_MAP, ALTERNATING)
# The least difference in F1 that a reader sees, and the least that is worth a word beside a trivial answer.
LEAST, WORTH_A_WORD = 0.0005, 0.005

one_trial = cache.by_config(label_proportions.run, max_entries=64, spinner="Filling bags, training and testing once…")


@dataclass(frozen=True)
class Answer:
    """A question and the trials of it that are done."""

    question: Question
    trials: list[Trial]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that were tried, full labels last."""
        return (*(name for name in LABEL_PROPORTIONS if name in self.trials[0].fits and name != FULL), FULL)

    @property
    def task(self) -> Task:
        """What is asked of the records."""
        return binary_task(self.question.config.dataset)

    def score(self, method: str, which: str = "average") -> Estimate:
        """A method's F1 over the trials."""
        return label_proportions.mean_score(self.trials, method, which, self.question.threshold)

    def takeaway(self) -> str:
        """The page in one sentence or three: what bag totals reach, and what full labels would."""
        start = f"Of {bags_words(self)}, {released_words(self)} are known."
        tried = [name for name in LEARNERS if name in self.methods]
        ceiling = self.score(FULL).mean
        if not tried:
            return f"{start} With every label known, F1 is <b>{ceiling:.3f}</b>."
        best = max(tried, key=lambda name: self.score(name).mean)
        nothing = label_proportions.all_negative(self.trials).average
        sentences = [
            start,
            f"Single records are then classified with an F1 of {with_half(self.score(best), MARK, bold=True)} by "
            f"{LABEL_PROPORTIONS[best].title}, {beside_words(self.score(best).mean, ceiling, nothing)}; always “no” "
            f"gets {nothing:.3f}.",
        ]
        if {NAMES, LLP} <= set(tried):
            gap = label_proportions.difference(self.trials, NAMES, LLP, self.question.threshold)
            verdict = judge(gap, len(self.trials), least=LEAST)
            sentences.append(compare_words(verdict, abs(gap.mean), count_draws(self.trials)))
        if not all(trial.identified for trial in self.trials):
            sentences.append("In some draws all bags have the same proportion, and nothing tells the classes apart.")
        return " ".join(sentences)

    def main(self) -> tuple[Panel, ...]:
        """Every method's F1."""
        return (
            Panel(
                "bag-scores",
                figure=Chart(charts.scores(self.trials, self.methods, self.question.threshold)),
                summary=score_words(self),
                rows=lambda: label_proportions.score_table(self.trials),
                snippet=score_snippet(self.question),
            ),
        )


def jobs(question: Question) -> list[Job]:
    """The work in the background."""
    return draws.one_job("bags", question, label_proportions.run, one_trial)


def answer(question: Question, made: Draws) -> Answer | None:
    """Gather the trials that are done."""
    (trials,) = made.results
    return Answer(question, list(trials)) if trials else None


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    config = question.config
    return (
        f"<b>{len(label_proportions.methods_of(config))} models are being trained</b> on {config.n_bags:,} bags of "
        f"{config.bag_size:,} {binary_task(config.dataset).records}."
    )


# --- words ---------------------------------------------------------------------------------------


def bags_words(shown: Answer) -> str:
    """“100 bags of 100 people”, as they were filled."""
    sizes, asked = shown.trials[0].sizes, shown.question.config.bag_size
    low, high = int(sizes.min()), int(sizes.max())
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    fewer = f" (for {asked:,} there are too few of a kind)" if low < asked and shown.question.config.k == 1 else ""
    return f"{len(sizes):,} bags of {size} {shown.task.records}{fewer}"


def released_words(shown: Answer) -> str:
    """What becomes public, in words."""
    config = shown.question.config
    what = "the records" if config.k == 1 else f"the means of {config.k} or more records"
    if math.isfinite(config.feature_epsilon):
        what += f", with noise (ε = {numbers.epsilon(config.feature_epsilon)} a column),"
    share = f"the share that {shown.task.positive}"
    if math.isfinite(config.proportion_epsilon):
        share += f", with noise (ε = {numbers.epsilon(config.proportion_epsilon)} a label),"
    return f"{what} of each bag and {share}"


def beside_words(reached: float, ceiling: float, nothing: float) -> str:
    """An F1 beside that of full labels, or beside that of calling everything negative if it is no better."""
    if reached < nothing - WORTH_A_WORD:
        return "worse than calling everything negative"
    if reached <= nothing + WORTH_A_WORD:
        return "no better than calling everything negative"
    return f"{abs(ceiling - reached):.3f} {'above' if reached > ceiling else 'below'} full labels ({ceiling:.3f})"


def compare_words(verdict: Verdict, gap: float, where: str) -> str:
    """Say how spread on bag names does beside the slides' model, `gap` apart."""
    if verdict is Verdict.TOO_FEW:
        return f"{where.capitalize()} cannot tell which method is better."
    if not verdict.clear:
        return f"No difference shows between spread and the slides’ model in {where}."
    ahead, behind = ("spread", "the slides’ model")[:: 1 if verdict is Verdict.BETTER else -1]
    return f"In {where}, {ahead} is ahead of {behind} by {gap:.3f}."


def threshold_words(question: Question) -> str:
    """Where a record counts as positive."""
    if question.threshold == SHARE:
        return "The threshold is where, of the records in the bags, as many are positive as their released share says"
    known = question.config.single or question.asked_threshold == HALF
    why = "" if known else ": of means or noisy records the known share cannot be counted off"
    return f"A record is called positive where that is likelier than not{why}"


def score_words(shown: Answer) -> str:
    """Every method's F1 in a sentence, and what the figure's marks are."""
    marks = "; ".join(
        f"{LABEL_PROPORTIONS[name].title} {with_range(shown.score(name), MARK)}, "
        f"positives {shown.score(name, 'positive').mean:.3f}, negatives {shown.score(name, 'negative').mean:.3f}"
        for name in shown.methods
    )
    n = len(shown.trials)
    over = f"95 % intervals over {n} draws" if n > 1 else "One draw, so no interval is known"
    return (
        f"Average F1 on {shown.trials[0].n_test:,} clean test records, weighted by how common each class is: {marks}. "
        f"{over}. {threshold_words(shown.question)}. Solid rule: full labels; dotted, where it is on the axis: calling "
        "every record negative."
    )


# --- code ----------------------------------------------------------------------------------------


def snippet(question: Question) -> Snippet:
    """The lines that make the draws."""
    return own_data.snippet(
        question.config,
        question.own_file,
        "from privdemo.experiments import label_proportions",
        "from privdemo.experiments.draws import at_draw",
        "from privdemo.experiments.label_proportions import BagConfig",
    ).then(f"draws = [label_proportions.run(at_draw(config, i)) for i in range({question.n_draws})]")


def score_snippet(question: Question) -> Snippet:
    """The lines that compute every method's F1."""
    return snippet(question).then(
        "for method in draws[0].fits:",
        f'    print(method, label_proportions.mean_score(draws, method, "average", "{question.threshold}"))',
    )
