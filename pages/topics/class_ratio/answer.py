"""What the page on class ratios says of a question: its draws, the sentence, and the shares that methods find."""

from __future__ import annotations

from dataclasses import dataclass

from pages.kit import cache, numbers, own_data
from pages.kit.draws import Draws, Job, one_job
from pages.kit.numbers import LOSS, count_draws, with_half, with_range
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.class_ratio.controls import LARGE, Question
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import LABELLED, Trial
from privdemo.experiments.class_ratio.score import MOST_DISTANCE
from privdemo.figures import class_ratio as charts
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, EM, MMD, PCC, RFF, SPREAD
from privdemo.tasks import Task, counting_task
from privdemo.verdict import Verdict, judge

# An L1 error, a distance of two mixes, as it is written.
L1 = LOSS._replace(most=MOST_DISTANCE)
# The least lead of a set's common class over the others; with less the sets are nearly alike.
ALIKE = 0.1

one_trial = cache.by_config(class_ratio.run, max_entries=64, spinner="Drawing sets, training and asking once…")


@dataclass(frozen=True)
class Answer:
    """A question and the trials of it that are done."""

    question: Question
    trials: tuple[Trial, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that were tried, in their order."""
        return tuple(name for name in CLASS_RATIO if name in self.trials[0].fits)

    @property
    def task(self) -> Task:
        """The data set and its words."""
        return counting_task(self.question.config.dataset)

    def takeaway(self) -> str:
        """What is found, how far off, and what all labels would give."""
        return takeaway(self)

    def main(self) -> tuple[Panel, ...]:
        """The shares that every method finds."""
        return (
            Panel(
                "shares",
                figure=Chart(charts.proportions(self.trials, self.methods)),
                summary=shares_words(self),
                rows=lambda: class_ratio.table(self.trials),
                snippet=print_errors(self.question),
            ),
        )


def jobs(question: Question) -> list[Job]:
    """The draws in the background; many records leave a process free for others."""
    return one_job("ratio", question, class_ratio.run, one_trial, slow=question.n_records > LARGE)


def answer(question: Question, draws: Draws) -> Answer | None:
    """Gather the trials that are done."""
    (trials,) = draws.results
    return Answer(question, trials) if trials else None


# --- words ---------------------------------------------------------------------------------------


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    config = question.config
    n_sets, records = 2 * config.copies * config.n_classes, counting_task(config.dataset).records
    slow = MMD in config.methods and question.n_records > LARGE
    large = " The exact kernel of so many records takes a minute or two a draw." if slow else ""
    return f"<b>{n_sets} sets of {config.set_size:,} {records}</b> are being drawn and learnt from.{large}"


def takeaway(shown: Answer) -> str:
    """Say what is found, how far off it is, and what all labels would give."""
    config, trials = shown.question.config, shown.trials
    first = shown.task.words[shown.task.classes.index(config.chosen_classes[0])]
    blind = [name for name in shown.methods if name not in LABELLED][:2]
    tried = blind or list(shown.methods[:1])
    found = numbers.a_list(
        tuple(
            f"{CLASS_RATIO[name].title} finds <b>{numbers.share(estimate.mean)}</b>{numbers.margin(estimate)}"
            for name in tried
            for estimate in (class_ratio.share_of(trials, name, 0),)
        )
    )
    off = numbers.a_list(tuple(with_half(class_ratio.error(trials, name), L1, bold=True) for name in tried))
    every = "Both shares" if config.n_classes == 2 else f"All {config.n_classes} shares"
    n_sets = 2 * config.copies * config.n_classes
    source = f"{n_sets} sets whose {_proportions(shown)} known" if blind else f"{n_sets} sets with every label"
    start = (
        f"Of {config.n_test:,} {shown.task.records}, {numbers.share(trials[0].truth[0])} {first}. "
        f"From {source}, {found}. {every} together are off by {off} (sum of absolute errors)"
    )
    ceiling = [name for name in (EM, PCC) if name in shown.methods and name not in tried][:1]
    if ceiling:
        start += f", against {class_ratio.error(trials, ceiling[0]).mean:.3f} with every training label"
    return f"{start}.{compare(shown)}{_cost(shown) if blind else ''}{_alike(shown) if blind else ''}"


def _proportions(shown: Answer) -> str:
    config, draw = shown.question.config, shown.trials[0]
    if not config.private:
        return "true proportions are"
    times = max(some.most_sets for some in shown.trials)
    promise = f"ε = {numbers.epsilon(config.epsilon)}, δ = {numbers.power_of_ten(config.delta)}"
    if RELEASES[config.release].data_dependent:
        promise = f"no formal guarantee: chosen from the private counts for {promise}"
    elif not draw.holds:
        promise = f"its promise of {promise} is void"
    elif times > 1:
        promise = f"private, {promise}; {times} times that for records that are in {times} sets"
    else:
        promise = f"private, {promise}"
    return f"proportions, with noise ({promise}), are"


def compare(shown: Answer) -> str:
    """Spread on set names against MMD, on the same draws and all mixes."""
    kernel = next((name for name in (MMD, RFF) if name in shown.methods), None)
    if SPREAD not in shown.methods or kernel is None:
        return ""
    gap = class_ratio.difference(shown.trials, SPREAD, kernel)
    verdict = judge(gap, len(shown.trials), lower_is_better=True)
    return compare_words(verdict, abs(gap.mean), count_draws(shown.trials))


def compare_words(verdict: Verdict, gap: float, where: str) -> str:
    """Say which of spread and MMD is ahead by its error, `gap` apart."""
    if verdict is Verdict.TOO_FEW:
        return f" {where.capitalize()} cannot tell which method is better."
    if not verdict.clear:
        return f" No difference shows between spread and MMD in {where}, over all mixes."
    ahead, behind = ("spread", "MMD") if verdict is Verdict.BETTER else ("MMD", "spread")
    return f" Over all mixes, {ahead}’s error is {gap:.3f} below {behind}’s."


def _alike(shown: Answer) -> str:
    """A warning where the sets are nearly alike; else an empty string."""
    row = shown.trials[0].proportions[0]
    if row.max() - row.min() > ALIKE:
        return ""
    return (
        f" <b>The sets are nearly alike</b> (the common class of a set has {numbers.share(row.max())}, the others "
        f"{numbers.share(row.min())}), so hardly anything tells classes apart: lower ρ."
    )


def _cost(shown: Answer) -> str:
    config = shown.question.config
    if not config.private:
        return ""
    moved = sum(draw.distortion for draw in shown.trials) / len(shown.trials)
    lost = [draw for draw in shown.trials if draw.problem]
    flat = f" In {count_draws(lost)} released proportions cannot tell the classes apart." if lost else ""
    return f" With {shown.trials[0].noise}, the proportions of a training set have moved by {moved:.3f}.{flat}"


def shares_words(shown: Answer) -> str:
    """Every method's shares in a sentence, and what the figure's marks are."""
    config, trials = shown.question.config, shown.trials
    classes = config.labels
    some = range(min(3, len(classes)))
    marks = "; ".join(
        f"{CLASS_RATIO[name].title} finds "
        + ", ".join(f"{classes[c]}: {numbers.share(class_ratio.share_of(trials, name, c).mean)}" for c in some)
        + f", L1 error {with_range(class_ratio.error(trials, name), L1)}"
        for name in shown.methods
    )
    over = f"95 % intervals over {len(trials)} draws" if len(trials) > 1 else "One draw, so no interval is known"
    true = ", ".join(f"{classes[c]}: {numbers.share(trials[0].truth[c])}" for c in some)
    more = " and so on" if len(classes) > 3 else ""
    return f"True shares, {true}{more}. {marks[:1].upper()}{marks[1:]}. {over}; grey bars without pattern: the truth."


def snippet(question: Question) -> Snippet:
    """The lines that make the draws."""
    return own_data.snippet(
        question.config,
        question.own_file,
        "from privdemo.experiments import class_ratio",
        "from privdemo.experiments.class_ratio import RatioConfig",
        "from privdemo.experiments.draws import at_draw",
    ).then(f"draws = [class_ratio.run(at_draw(config, i)) for i in range({question.n_draws})]")


def print_errors(question: Question) -> Snippet:
    """The lines that make the draws and print every method's error."""
    return snippet(question).then("for method in draws[0].fits:", "    print(method, class_ratio.error(draws, method))")
