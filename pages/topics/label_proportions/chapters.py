"""The chapters on the bags, the adversary and all numbers; the chapters on shipped curves have modules of their own."""

from __future__ import annotations

import math

from pages.kit import chosen, numbers
from pages.kit.numbers import MARK, count_trials, with_range
from pages.kit.panel import Chart, Panel, Table
from pages.topics.label_proportions.answer import Answer, bag_snippet, score_snippet, score_words
from privdemo.estimators.choose import LOW_RANK
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import F1S, Trial
from privdemo.figures import label_proportions as charts
from privdemo.intervals import Estimate, gap_interval
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import LABEL_PROPORTIONS, NAMES, by_trying
from privdemo.verdict import Verdict, judge

# What the choosing method may choose besides a model of the classes.
_WAYS = {LOW_RANK: LABEL_PROPORTIONS[NAMES].title}

# --- the bags ------------------------------------------------------------------------------------


def the_bags(answer: Answer) -> list[Panel]:
    """Return the panel of the first trial’s bags: what whoever collected them knows, and what is released."""
    trial = answer.trials[0]
    return [
        Panel(
            "bags",
            "What is the computer told about each bag?",
            f"{_differences_words(answer)} {_diversity_words(answer)}",
            Chart(charts.columns(trial, answer.task.positive)),
            _column_words(answer),
            lambda: label_proportions.bag_table(trial),
            bag_snippet(answer.question),
            note=f"Each column is a bag. {_shown_words(trial)} drawn.",
        )
    ]


def _shown_words(trial: Trial) -> str:
    """Say how many of a trial’s bags the chart shows."""
    shown, n = len(charts.shown_bags(trial)), len(trial.blocks)
    return f"All {n} bags are" if shown == n else f"{shown} of {n} bags are"


def _differences_words(answer: Answer) -> str:
    """Say how much the bags differ."""
    trial, positive = answer.trials[0], answer.task.positive
    is_noisy = math.isfinite(answer.question.config.proportion_epsilon)
    low, high = float(trial.true_proportions.min()), float(trial.true_proportions.max())
    if high > low:
        return (
            f"Of each bag it is told only one percentage: how many of its {answer.task.records} {positive}"
            f"{', with noise; in truth it goes' if is_noisy else ','} from <b>{numbers.share(low)}</b> in one bag to "
            f"<b>{numbers.share(high)}</b> in another. The more bags differ, the more can be learned."
        )
    return f"Of every bag {numbers.share(low)} {positive}, so nothing tells the labels apart."


def _diversity_words(answer: Answer) -> str:
    """Say whether bags of a single label reveal labels."""
    trial, attack = answer.trials[0], answer.trials[0].attack
    if trial.least_labels[0] >= 2:
        return "No bag has 0 % or 100 %, so that no percentage gives anybody away for certain."
    gives = "gives" if math.isinf(answer.question.config.proportion_epsilon) else "without noise would give"
    return (
        f"<b>{attack.exposed:,} of {attack.n:,} {answer.task.records} are in bags of one label</b>, which {gives} all "
        "of them away."
    )


def _column_words(answer: Answer) -> str:
    """Explain the columns of bags."""
    trial, config = answer.trials[0], answer.question.config
    blocks = (
        "every record is released as it is"
        if config.k == 1
        else f"each block is the average of its records, {min(map(min, trial.blocks))} at least"
    )
    moved = float(abs(trial.proportions - trial.true_proportions).mean())
    noisy = (
        ""
        if math.isinf(config.proportion_epsilon)
        else f" Noise has moved shares by {numbers.absolute_points(moved)} on average; a diamond may leave its bag, "
        "and is an arrow where it lies far outside."
    )
    return (
        f"{_shown_words(trial)} drawn, a column each, of the first trial. Above, teal records {answer.task.positive} "
        f"and lie at the foot, brown ones do not. Below, all that is released: {blocks}, and one percentage, the "
        f"height of the bag’s diamond.{noisy} Bags that all hold both labels are called ℓ-diverse for ℓ = 2."
    )


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(answer: Answer) -> list[Panel]:
    """Return the panels of how often a label is guessed from the release, and of some guesses."""
    learners = [name for name in label_proportions.ADVERSARIES if name in answer.methods]
    model = LABEL_PROPORTIONS[learners[0]].title if learners else ""
    rates = {
        source: rate
        for source, rate in label_proportions.attack_rates(answer.trials).items()
        if model or source in ("prior", "bag")  # no model, no guess by one
    }
    return [
        Panel(
            "bag-attack",
            f"How well can others guess the {answer.task.kept_back}?",
            _right_words(rates, answer.task.records),
            Chart(charts.attack(rates)),
            _rate_words(answer, rates, model),
            lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
            score_snippet(answer.question).then("print(label_proportions.attack_rates(trials))"),
            note=_both_words(rates),
        ),
        _some_guesses(answer, bool(model)),
    ]


def _right_words(rates: dict[str, Estimate], records: str) -> str:
    """Say how often the adversary is right."""
    before, with_bag = (numbers.per_hundred(rates[source].mean) for source in ("prior", "bag"))
    bag = "adds nothing" if with_bag == before else f"makes that {with_bag}"
    known = f"guessing the same of all is right for {before}, and knowing the percentage of the bag {bag}"
    if "both" not in rates:
        return f"{numbers.capital(known)}, of 100 {records}; no model that learns from bags was trained."
    right = numbers.per_hundred(rates["both"].mean)
    return f"A model trained on all that was sent guesses right for <b>{right} of 100</b> {records}; {known}."


def _both_words(rates: dict[str, Estimate]) -> str:
    """Say that the bag’s share makes no clear difference to the model, if it makes none."""
    if "both" not in rates or judge(gap_interval(rates["both"], rates["model"])) is not Verdict.NOT_CLEAR:
        return ""
    return "Whether the model also knows the bag’s share makes no clear difference."


def _rate_words(answer: Answer, rates: dict[str, Estimate], model: str) -> str:
    """Say how often the adversary is right, with intervals; `model` is the title of its model, “” for none."""
    by_model = (
        f", by a model ({model}) {with_range(rates['model'])}, by a model and the bag’s share "
        f"{with_range(rates['both'])}"
        if model
        else ""
    )
    by_x = (
        " Where a model filled the bags, bag and record say the same twice, and the two together can be too sure."
        if SELECTIONS[answer.question.config.selection].pools
        else ""
    )
    return (
        f"Records in the bags of {count_trials(answer.trials)}. The likelier label is named: by the overall share "
        f"{with_range(rates['prior'])}, by the bag’s share {with_range(rates['bag'])}{by_model}. Vertical line: "
        f"by the overall share.{by_x}"
    )


def _some_guesses(answer: Answer, learnt: bool) -> Panel:
    """Return the table of a few records, from prior to posterior."""
    attack = answer.trials[0].attack
    heads = (
        "bag no.",
        f"chance of “{answer.task.labels[1]}” by the overall share",
        "percentage sent on for the bag",
        "chance by the bag’s share",
        "chance by a model and the bag’s share",
        "the truth",
    )
    body = [
        [
            str(guess.bag + 1),
            numbers.share(attack.prior),
            numbers.share(guess.proportion),
            numbers.share(guess.by_bag),
            numbers.share(guess.by_both) if learnt else "–",
            answer.task.positive if guess.label else answer.task.words[0],
        ]
        for guess in attack.guesses
    ]
    return Panel(
        "bag-guesses",
        figure=Table(heads, body, labelled=True),
        summary=f"Some {answer.task.records} of the first trial, up to three of each label: how probable it is that "
        "they "
        f"{answer.task.positive}, before and after the release. What its bag says weighs what noise leaves possible; "
        "then odds multiply, odds(record) · odds(bag) / odds(before).",
        rows=lambda: [{"before": attack.prior, **guess._asdict(), "bag": guess.bag + 1} for guess in attack.guesses],
        snippet=score_snippet(answer.question).then("print(trials[0].attack.guesses)"),
    )


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(answer: Answer) -> list[Panel]:
    """Return the table of every method’s numbers, the training time included."""
    n = len(answer.trials)
    loss = label_proportions.mean_of(answer.trials, "loss").mean
    body = [
        [
            LABEL_PROPORTIONS[name].title,
            *(with_range(answer.score(name, which), MARK) for which in F1S),
            numbers.seconds(sum(trial.fits[name].seconds for trial in answer.trials) / n),
        ]
        for name in answer.methods
    ]
    return [
        Panel(
            "bag-numbers",
            "How do all methods compare?",
            f"Every number is a mean over {count_trials(answer.trials)}"
            + (f"; averages of records hide <b>{numbers.share(loss)}</b> of how they differ." if loss else ".")
            + f" {chosen.describe_fits(answer.trials, by_trying(NAMES), _WAYS)}".rstrip(),
            Table(("method", "average F1", "F1 of positives", "F1 of negatives", "training time"), body, labelled=True),
            ("In brackets 95 % intervals over the trials. " if n > 1 else "")
            + "Training includes the choice of a penalty. What averages hide is the information loss, SSE/SST.",
            lambda: label_proportions.score_table(answer.trials),
            score_snippet(answer.question).then("print(label_proportions.score_table(trials))"),
        ),
        Panel(
            "all-scores",
            figure=Chart(charts.scores(answer.trials, answer.methods, answer.question.threshold)),
            summary=score_words(answer),
            rows=lambda: label_proportions.score_table(answer.trials),
            snippet=score_snippet(answer.question),
        ),
    ]
