"""The answer of the page on bags: the trials of its question, the sentence, one bag, and what every method reaches."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from pages.kit import cache, numbers, opendp, own_data, trials
from pages.kit.numbers import MARK, count_trials, with_range
from pages.kit.panel import Chart, KnownNumber, Markup, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.label_proportions.question import Question
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig, Trial
from privdemo.figures import label_proportions as charts
from privdemo.figures.bag import MOST as MOST_DOTS
from privdemo.figures.bag import (
    MOST_OF_GROUP,
    PEOPLE,
    RECORDS,
    KnownGroup,
    bag_html,
    groups_html,
    known_group_html,
    new_records_html,
    side_by_side_html,
)
from privdemo.intervals import Estimate
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LLP, MEAN_MAP, NAMES, by_trying
from privdemo.tasks import Task, binary_task
from privdemo.verdict import Verdict, judge

# The name of the guess that the page begins with.
GUESS = "bag-totals"
# So many bags are shown before the guess.
_SHOWN_BAGS = 4
# Of two known numbers that are closer than this, one alone is marked.
_SAME = 5
# So many examples of a task are members of groups; the others are new records.
N_MEMBERS = 2
# The methods that learn from the bags alone.
LEARNERS = (NAMES, by_trying(NAMES), LLP, MEAN_MAP, ALTERNATING)
ALL_ALIKE = "In some trials all bags have the same share, and nothing tells the two labels apart."
# The least difference in F1 between methods that counts, and the least share of records between a method and always
# answering “no”.
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

    def accuracy(self, method: str) -> Estimate:
        """Return which share of the test records a method names correctly."""
        return label_proportions.mean_accuracy(self.trials, method, self.question.threshold)

    @property
    def best(self) -> str:
        """Return the method that names most records correctly, among those that learn from the bags alone, if any."""
        tried = [name for name in LEARNERS if name in self.methods]
        return max(tried, key=lambda name: self.accuracy(name).mean, default="")

    def takeaway(self) -> str:
        """Say how many records a model trained on bag shares names correctly, and one trained on every label."""
        ceiling = self.accuracy(FULL).mean
        records = self.task.records
        if not self.best:
            right = f"<b>{numbers.out_of_100(ceiling)}</b>"
            return f"A computer told the {self.task.kept_back} is right for {right} new {records}."
        reached = self.accuracy(self.best).mean
        nothing = 1 - sum(trial.test_share for trial in self.trials) / len(self.trials)
        alike = "" if all(trial.identified for trial in self.trials) else f" {ALL_ALIKE}"
        n_tried = sum(name in self.methods for name in LEARNERS)
        best = f"The best of {n_tried} methods" if n_tried > 1 else f"“{LABEL_PROPORTIONS[self.best].title}”"
        is_right = f"{best} is right for <b>{numbers.out_of_100(reached)}</b> new {records}"
        beside = beside_words(self.task, reached, ceiling, nothing)
        n_trials = len(self.trials)
        verdict = f"<b>{numbers.how_far(reached, nothing, ceiling)}.</b> " if n_trials > 1 else ""
        return f"{verdict}{_told(self, 'A computer')} {is_right}; {beside}.{alike}"

    @property
    def facts(self) -> dict[str, str]:
        """Return how many records of 100 are named correctly in which way, for the sentences of a lecture."""
        nothing = 1 - sum(trial.test_share for trial in self.trials) / len(self.trials)
        found = {
            "bags": f"{len(self.trials[0].sizes):,}",
            "known": numbers.share(self.accuracy(FULL).mean),
            "alike": numbers.share(nothing),
        }
        return found | ({"right": numbers.share(self.accuracy(self.best).mean)} if self.best else {})

    def main(self) -> list[tuple[Panel, ...]]:
        """Return the panels of how many records every method names correctly, and of one bag and what leaves it."""
        bag = Panel(
            "one-bag",
            figure=one_bag(self),
            summary=f"{one_bag_words(self)} It is one of {len(self.trials[0].blocks)} bags of the first trial; the "
            "next chapter shows more.",
            rows=lambda: label_proportions.bag_table(self.trials[0]),
            snippet=bag_snippet(self.question),
        )
        scores = Panel(
            "bag-scores",
            figure=Chart(
                charts.accuracies(
                    self.trials,
                    self.methods,
                    self.question.threshold,
                    self.task,
                )
            ),
            note=_marks_words(self),
            summary=f"{score_words(self)}{_best_two_words(self)} "
            + numbers.HOW_FAR_WORDS.format(least=f"always saying “{self.task.labels[0]}”"),
            rows=lambda: label_proportions.score_table(self.trials),
            snippet=score_snippet(self.question),
            prediction=_prediction(self),
        )
        return [(scores, bag)]


def _marks_words(answer: Answer) -> str:
    """Explain the marks of the chart."""
    n = len(answer.trials)
    marks = f"{numbers.marks_words(n)} " if n > 1 else "Each mark is from one trial, so no interval is known. "
    return f"{marks}Vertical grey lines: without privacy (solid), always saying “{answer.task.labels[0]}” (dashed)."


def _best_two_words(answer: Answer) -> str:
    """Say whether the two methods that name most records correctly differ by more than chance."""
    found = {name: answer.accuracy(name) for name in LEARNERS if name in answer.methods}
    if len(found) < 2:
        return ""
    first, second, *_ = sorted(found, key=lambda name: -found[name].mean)
    gap = label_proportions.accuracy_difference(answer.trials, first, second, answer.question.threshold)
    one, other = (f"“{LABEL_PROPORTIONS[name].title}”" for name in (first, second))
    verdict = judge(gap, len(answer.trials))
    if verdict is Verdict.TOO_FEW:
        return ""
    if verdict.clear:
        return f" On the same people {one} is better than {other}, and not by luck, though whiskers may overlap."
    return f" Chance alone may explain why {one} is ahead of {other}."


def _prediction(answer: Answer) -> Prediction | None:
    """Return the guess of how many records the best method names correctly, with one bag in place of the chart."""
    if not answer.best:
        return None
    records, ceiling = answer.task.records, answer.accuracy(FULL).mean
    nothing = 1 - sum(trial.test_share for trial in answer.trials) / len(answer.trials)
    what = f"for new {records}" if answer.task.question else f"which new {records} {answer.task.positive}"
    return Prediction(
        GUESS,
        f"{_told_briefly(answer)} <b>Then it guesses {what}. How often is it right?</b>",
        100 * answer.accuracy(answer.best).mean,
        Scale(0, 100, unit=f" {records}"),
        _some_bags(answer),
        f"Without privacy, a computer is right for {numbers.whole_per_hundred(ceiling)} of 100.",
        f"Your guess: of 100 new {records}, for how many is the computer right?",
        _known(100 * nothing, answer.task),
    )


def _known(nothing: float, task: Task) -> list[KnownNumber]:
    """Return what is right without learning: always the first label, and a coin toss where that is not the same."""
    no = "no" if task.question else task.labels[0]
    always = KnownNumber(nothing, "right", f"always saying “{no}” gets")
    coin = KnownNumber(50, "right", "tossing a coin gets")
    return [always] if abs(nothing - 50) < _SAME else sorted([coin, always])


def _told(answer: Answer, who: str) -> str:
    """Say what a computer (`who`) learns from: what it is given of every record, and what it is told of each bag."""
    noise = ", changed by noise" * math.isfinite(answer.question.config.proportion_epsilon)
    learns = f"{who} learns from {bags_words(answer)}. It sees {_sent_kind(answer)}."
    told = f"only, group by group, what percentage {answer.task.positive}{noise}"
    why = "To protect people, it" if answer.task.records == "people" else "It"
    return f"{learns} {why} is told {told}."


def _told_briefly(answer: Answer) -> str:
    """Say as `_told` does what a computer learns from, for a guess."""
    trial, task = answer.trials[0], answer.task
    seen, _, hidden = _sent_kind(answer).replace("each person’s", "people’s").partition(", but not the ")
    noise = ", changed by noise" * math.isfinite(answer.question.config.proportion_epsilon)
    shares = [_share(float(share)) for share in trial.proportions]
    some = f"{', '.join(shares[:2])} and so on" if len(shares) > 2 else numbers.join_words(tuple(shares))
    random = "random " * (answer.question.config.selection == "iid")
    gives_away = not noise and any(share in (0, 1) for share in trial.true_proportions)
    nobody = f"but is not told anyone’s {hidden}" if gives_away else f"but nobody’s {hidden}"
    knows = f"knows {seen}, {nobody}" if hidden else f"sees {seen}"
    return f"A computer {knows}. It is told only what percentage of each {random}group {task.positive}{noise}: {some}."


def _some_bags(answer: Answer) -> Markup:
    """Return the picture of what is sent on of the first bags, and of what is asked of new records."""
    trial, task = answer.trials[0], answer.task
    groups = [
        (_share(float(share)), float(share), len(block))
        for share, block in zip(trial.proportions[:_SHOWN_BAGS], trial.blocks[:_SHOWN_BAGS], strict=True)
    ]
    n_more = len(trial.blocks) - len(groups)
    more = f"and {n_more:,} more groups" if n_more > 1 else "and 1 more group" * n_more
    mark = PEOPLE.unlabelled if task.records == "people" else RECORDS.unlabelled
    if known := _known_group(answer):
        title = f"It learns from {len(trial.blocks):,} groups, put together at random"
        learnt = known_group_html(title, groups, more, mark, known)
    else:
        noise = " (with noise)" * math.isfinite(answer.question.config.proportion_epsilon)
        if any(not 0 <= share <= 1 for _, share, _ in groups):
            noise = " (with noise, which can push it below 0 % or above 100 %)"
        random = "random " * (answer.question.config.selection == "iid")
        bags = re.sub("</?b>", "", bags_words(answer)).replace("groups", f"{random}groups")
        large = max(n for *_, n in groups) > MOST_OF_GROUP
        unknown = f"one of {_unknown_words(answer)}{f'; {MOST_OF_GROUP} of a group are drawn' * large}"
        learnt = groups_html(
            f"It learns from {bags}: what percentage {task.positive}{noise}", groups, more, mark, unknown
        )
    title = f"Then it guesses for new {task.records}, from outside these groups"
    return Markup(side_by_side_html(learnt, new_records_html(title, mark, task.examples[N_MEMBERS:], task.question)))


def _known_group(answer: Answer) -> KnownGroup | None:
    """Say what is known of the first group, if it is that in which the task’s examples are; else None.

    Other groups have other people, and with averages or noisy columns nobody’s details are sent on as they are.
    """
    config, task = answer.question.config, answer.task
    fills = (
        "dataset",
        "n_bags",
        "bag_size",
        "selection",
        "k",
        "feature_epsilon",
        "proportion_epsilon",
        "seed",
        "trial",
    )
    if not task.examples or any(getattr(config, name) != getattr(BagConfig("adult"), name) for name in fills):
        return None
    return KnownGroup(
        f"One group: {len(answer.trials[0].blocks[0]):,} {task.records}, such as",
        task.examples[:N_MEMBERS],
        f"{task.kept_back}: hidden",
        f"of this group {task.positive}",
        "other groups:",
    )


def _hidden_words(answer: Answer) -> str:
    """Say what of the first bag is hidden from the computer."""
    is_noisy = math.isfinite(answer.question.config.proportion_epsilon)
    if not is_noisy and not 0 < float(answer.trials[0].true_proportions[0]) < 1:
        return f"So the computer knows the {answer.task.kept_back} of every one."
    return f"Which ones{', and how many exactly, are' if is_noisy else ' they are is'} hidden from the computer."


def _unknown_words(answer: Answer) -> str:
    """Name what a grey mark stands for: “them: age, job and other details known, income not told”."""
    config, task = answer.question.config, answer.task
    if config.k > 1:
        return f"the averages of {config.k} or more records"
    details = f"{task.details} known, " if task.details and math.isinf(config.feature_epsilon) else ""
    kept_back = "label" if task.kept_back == "labels" else task.kept_back
    return f"the {task.records}: {details}{kept_back} not told"


def one_bag(answer: Answer) -> Markup:
    """Return the picture of the first bag: what whoever collected it knows, and what is sent on."""
    trial, task = answer.trials[0], answer.task
    size, n_sent = int(trial.sizes[0]), len(trial.blocks[0])
    scale = f" (a dot is {size / MOST_DOTS:.1f} of them)" if size > MOST_DOTS else ""
    positive = f"{round(size * float(trial.true_proportions[0])):,}"
    config = answer.question.config
    told, noisy = _share(float(trial.proportions[0])), math.isfinite(config.proportion_epsilon)
    noise = " (with noise)" * noisy
    also = f", and {_sent_words(answer)}" if config.k > 1 or math.isfinite(config.feature_epsilon) else ""
    return Markup(
        bag_html(
            size,
            float(trial.true_proportions[0]),
            n_sent,
            PEOPLE if task.records == "people" else RECORDS,
            kept=f"One of {len(trial.sizes):,} groups: {positive} of {size:,} {task.records} {task.positive}{scale}. "
            f"{_hidden_words(answer)}",
            legend=(task.positive, task.words[0]),
            sent=f"What the computer is told: {told} of this group {task.positive}{noise}{also}",
            told=told,
            unknown=f"one of {_unknown_words(answer)}",
            alt=one_bag_words(answer),
        )
    )


def _sent_words(answer: Answer) -> str:
    """Say what is sent on of the first bag beside the share: “records without labels”, “20 averages of 5 or more …”."""
    n, kind = len(answer.trials[0].blocks[0]), _sent_kind(answer)
    return kind if answer.question.config.k == 1 else f"{n:,} {kind}"


def _sent_kind(answer: Answer) -> str:
    """Say what is sent on beside the share: “records without labels”, “averages of 5 or more records, with noise”."""
    config = answer.question.config
    what = answer.task.unlabelled if config.k == 1 else f"averages of {config.k} or more records without labels"
    if math.isinf(config.feature_epsilon):
        return what
    details, but, kept_back = what.partition(", but not ")
    return f"{details}, with noise{but}{kept_back}"


def _total_words(answer: Answer) -> str:
    """Say what the share of the first bag means, and the true one if it has noise."""
    true = _share(float(answer.trials[0].true_proportions[0]))
    noise = f" (with noise; the truth is {true})" if math.isfinite(answer.question.config.proportion_epsilon) else ""
    return f"of this group {answer.task.positive}{noise}"


def _share(value: float) -> str:
    """Write a share of one bag, without decimals where it is a whole percentage."""
    return numbers.share(value, 0 if abs(100 * value - round(100 * value)) < 1e-9 else 1)


def one_bag_words(answer: Answer) -> str:
    """Describe the picture of the first bag."""
    trial = answer.trials[0]
    size, share = int(trial.sizes[0]), float(trial.true_proportions[0])
    return (
        f"Whoever collected bag 1 knows that {round(share * size):,} of its {size:,} {answer.task.records} "
        f"{answer.task.positive}, and which. What is sent on: {_sent_words(answer)}, and one percentage: "
        f"{_share(float(trial.proportions[0]))} {_total_words(answer)}."
    )


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
        f"<b>{len(label_proportions.methods_of(config))} models are being trained</b> on {config.n_bags:,} groups "
        f"of {config.bag_size:,} {binary_task(config.dataset).records}."
    )


# --- words ---------------------------------------------------------------------------------------


def bags_words(answer: Answer) -> str:
    """Write the bags as they were filled: “100 groups of 100 people”."""
    sizes, requested = answer.trials[0].sizes, answer.question.config.bag_size
    low, high = int(sizes.min()), int(sizes.max())
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    fewer = (
        f" (for {requested:,} there are too few of a kind)" if low < requested and answer.question.config.k == 1 else ""
    )
    return f"<b>{len(sizes):,} groups of {size} {answer.task.records}</b>{fewer}"


def beside_words(task: Task, reached: float, ceiling: float, nothing: float) -> str:
    """Say how many records are named correctly by one answer to all, and without privacy."""
    lazy = f"always saying “{task.labels[0]}” is right"
    least, most = numbers.whole_per_hundred(nothing), numbers.whole_per_hundred(ceiling)
    known = f"told the {task.kept_back}, a computer is right for <b>{most}</b>"
    if nothing + LEAST_AGAINST_TRIVIAL < reached < ceiling:
        return f"that is between {least} (always saying “{task.labels[0]}”) and {most} (told the {task.kept_back})"
    if reached < nothing - LEAST_AGAINST_TRIVIAL:
        return f"{known}, and {lazy} for {least}, more often"
    if reached <= nothing + LEAST_AGAINST_TRIVIAL:
        return f"{known}, and {lazy} as often, for {least}"
    return f"{known}, and {lazy} for {least}"


def compare_words(verdict: Verdict, best: str, other: str, where: str) -> str:
    """Say how the method with the best F1 compares with another in so many trials."""
    ours, theirs = (f"“{LABEL_PROPORTIONS[name].title}”" for name in (best, other))
    if verdict is Verdict.TOO_FEW:
        return f" {where.capitalize()} cannot tell whether {ours} or {theirs} has the better F1."
    if verdict.clear:
        return f" Trial by trial, {ours} has a clearly better F1 than {theirs}."
    return f" {ours} and {theirs} are statistically tied in F1."


def _verdict_words(answer: Answer) -> str:
    """Say how the method with the best F1 compares with the other of the two that this page is about."""
    best = max((name for name in LEARNERS if name in answer.methods), key=lambda n: answer.score(n).mean, default="")
    other = {NAMES: LLP, by_trying(NAMES): LLP, LLP: NAMES}.get(best)
    if other is None or other not in answer.methods:
        return ""
    gap = label_proportions.difference(answer.trials, best, other, answer.question.threshold)
    where = count_trials(answer.trials)
    return compare_words(judge(gap, len(answer.trials), least=LEAST), best, other, where)


def threshold_words(question: Question) -> str:
    """Say where a record counts as positive."""
    if question.threshold == SHARE:
        return "A record is called positive so often that the predicted share equals the released share"
    known = question.config.single or question.chosen_threshold == HALF
    why = "" if known else ": with averages or noisy records the released share cannot be counted off"
    return f"A record is called positive where that is likelier than not{why}"


def score_words(answer: Answer) -> str:
    """List every method’s F1, and explain the figure’s marks."""
    right = "; ".join(f"{LABEL_PROPORTIONS[name].title} {with_range(answer.accuracy(name))}" for name in answer.methods)
    marks = "; ".join(
        f"{LABEL_PROPORTIONS[name].title} {with_range(answer.score(name), MARK)}, "
        f"positives {answer.score(name, 'positive').mean:.3f}, negatives {answer.score(name, 'negative').mean:.3f}"
        for name in answer.methods
    )
    n = len(answer.trials)
    over = f"95 % intervals over {n} trials" if n > 1 else "One trial, so no interval is known"
    nothing = 1 - sum(trial.test_share for trial in answer.trials) / n
    return (
        f"Of {answer.trials[0].n_test:,} clean test records, classified correctly: {right}. Solid line: every label "
        f"known; dashed: “{answer.task.labels[0]}” for every record, {numbers.share(nothing)}. Average F1, weighted by "
        f"how common each class is: {marks}; the same for every record, "
        f"{label_proportions.all_negative(answer.trials).average:.3f}. {over}. "
        f"{threshold_words(answer.question)}.{_verdict_words(answer)}"
    )


# --- code ----------------------------------------------------------------------------------------


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that add the noise of the release to the totals of bags; None without noise there."""
    return opendp.snippet(totals=opendp.BagTotals(question.config.proportion_epsilon))


def snippet(question: Question) -> Snippet:
    """Return the code that runs the trials."""
    return own_data.snippet(
        question.config,
        question.own_file,
        "from privdemo.experiments import label_proportions",
        "from privdemo.experiments.trials import with_trial",
        "from privdemo.experiments.label_proportions import BagConfig",
    ).then(f"trials = [label_proportions.run(with_trial(config, i)) for i in range({question.n_trials})]")


def bag_snippet(question: Question) -> Snippet:
    """Return the code that prints the bags of the first trial."""
    return snippet(question).then("print(label_proportions.bag_table(trials[0]))")


def score_snippet(question: Question) -> Snippet:
    """Return the code that computes every method’s share of right names and its F1."""
    return snippet(question).then(
        "for method in trials[0].fits:",
        f'    print(method, label_proportions.mean_accuracy(trials, method, "{question.threshold}"))',
        f'    print(method, label_proportions.mean_score(trials, method, "average", "{question.threshold}"))',
    )
