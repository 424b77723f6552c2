"""What can be looked at beside the F1 of the page on bags: the bags, the adversary, all numbers."""

from __future__ import annotations

import math

from pages.kit import chosen, numbers
from pages.kit.numbers import MARK, count_draws, with_range
from pages.kit.panel import Chart, Panel, Table
from pages.topics.label_proportions.answer import Answer, bag_snippet, score_snippet, score_words
from privdemo.estimators.choose import LOW_RANK
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import F1S, Trial
from privdemo.figures import label_proportions as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import LABEL_PROPORTIONS, NAMES, by_trying

# What the choosing method may take beside a model of the classes.
_WAYS = {LOW_RANK: LABEL_PROPORTIONS[NAMES].title}

# --- the bags ------------------------------------------------------------------------------------


def the_bags(shown: Answer) -> list[Panel]:
    """The first trial's bags: what their owner knows, and what is released."""
    trial = shown.trials[0]
    return [
        Panel(
            "bags",
            "What is known of a bag?",
            f"{_differ(trial, shown.task.positive)} {_diverse(shown)}",
            Chart(charts.columns(trial, shown.task.positive)),
            _column_words(shown),
            lambda: label_proportions.bag_table(trial),
            bag_snippet(shown.question),
        )
    ]


def _differ(trial: Trial, positive: str) -> str:
    """How much the bags differ."""
    low, high = float(trial.true_proportions.min()), float(trial.true_proportions.max())
    if high > low:
        return (
            f"Between <b>{numbers.share(low)}</b> and <b>{numbers.share(high)}</b> of a bag {positive}: the more bags "
            "differ, the more can be learned."
        )
    return f"Of every bag {numbers.share(low)} {positive}, so nothing tells the classes apart."


def _diverse(shown: Answer) -> str:
    """Whether bags of one label give labels away."""
    trial, attack = shown.trials[0], shown.trials[0].attack
    if trial.least_labels[0] >= 2:
        return "Every bag holds both labels."
    gives = "gives" if math.isinf(shown.question.config.proportion_epsilon) else "without noise would give"
    return (
        f"<b>{attack.exposed:,} of {attack.n:,} {shown.task.records} are in bags of one label</b>, which {gives} all "
        "of them away."
    )


def _column_words(shown: Answer) -> str:
    """What the columns of bags are."""
    trial, config = shown.trials[0], shown.question.config
    some = len(charts.shown_bags(trial))
    which = f"All {some} bags" if some == len(trial.blocks) else f"{some} of {len(trial.blocks)} bags"
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
        f"{which} of the first draw, a column each. Above, teal records {shown.task.positive} and lie at the foot, "
        f"brown ones do not. Below, all that is released: {blocks}, and one share, which is the colour of the whole "
        f"bag and the height of its diamond.{noisy} Bags that all hold both labels are called ℓ-diverse for ℓ = 2."
    )


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(shown: Answer) -> list[Panel]:
    """How often the label of a record is guessed from what is released, and what that is for a few records."""
    learners = [name for name in label_proportions.ADVERSARIES if name in shown.methods]
    spy = LABEL_PROPORTIONS[learners[0]].title if learners else ""
    rates = {
        source: rate
        for source, rate in label_proportions.attack_rates(shown.trials).items()
        if spy or source in ("prior", "bag")  # no model, no guess by one
    }
    return [
        Panel(
            "bag-attack",
            "What does the adversary see?",
            _named(rates),
            Chart(charts.attack(rates)),
            _rate_words(shown, rates, spy),
            lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
            score_snippet(shown.question).then("print(label_proportions.attack_rates(draws))"),
        ),
        _some_guesses(shown, bool(spy)),
    ]


def _named(rates: dict[str, Estimate]) -> str:
    """How often the adversary is right."""
    with_model = (
        f", and <b>{numbers.per_hundred(rates['both'].mean)}</b> with a model trained on the release too"
        if "both" in rates
        else "; no model that learns from bags was trained"
    )
    return (
        "Somebody who knows a person’s record and bag guesses the label right for "
        f"{numbers.per_hundred(rates['prior'].mean)} of 100 before the release, for "
        f"<b>{numbers.per_hundred(rates['bag'].mean)}</b> by the bag’s share{with_model}."
    )


def _rate_words(shown: Answer, rates: dict[str, Estimate], spy: str) -> str:
    """How often the adversary is right, with intervals; `spy` is the model that guesses, if there is one."""
    by_model = (
        f", by the model alone ({spy}) {with_range(rates['model'])}, by both {with_range(rates['both'])}" if spy else ""
    )
    by_x = (
        " Where a model filled the bags, bag and record say the same twice, and the two together can be too sure."
        if SELECTIONS[shown.question.config.selection].pools
        else ""
    )
    return (
        f"Records in the bags of {count_draws(shown.trials)}. The likelier label is named: by the overall share "
        f"{with_range(rates['prior'])}, by the bag’s share {with_range(rates['bag'])}{by_model}. Rule: without the "
        f"bag.{by_x}"
    )


def _some_guesses(shown: Answer, learnt: bool) -> Panel:
    """A few records, from prior to posterior."""
    attack = shown.trials[0].attack
    heads = ("bag", "before", "released of its bag", "its bag says", "bag and record say", "in truth")
    body = [
        [
            str(guess.bag + 1),
            numbers.share(attack.prior),
            numbers.share(guess.proportion),
            numbers.share(guess.by_bag),
            numbers.share(guess.by_both) if learnt else "–",
            "positive" if guess.label else "negative",
        ]
        for guess in attack.guesses
    ]
    return Panel(
        "bag-guesses",
        figure=Table(heads, body, labelled=True),
        summary=f"Some {shown.task.records} of the first draw, up to three of each label: how probable it is that they "
        f"{shown.task.positive}, before and after the release. What its bag says weighs what noise leaves possible; "
        "then odds multiply, odds(record) · odds(bag) / odds(before).",
        rows=lambda: [{"before": attack.prior, **guess._asdict(), "bag": guess.bag + 1} for guess in attack.guesses],
        snippet=score_snippet(shown.question).then("print(draws[0].attack.guesses)"),
    )


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Answer) -> list[Panel]:
    """Every method's numbers in a table, the training time among them."""
    n = len(shown.trials)
    loss = label_proportions.mean_of(shown.trials, "loss").mean
    body = [
        [
            LABEL_PROPORTIONS[name].title,
            *(with_range(shown.score(name, which), MARK) for which in F1S),
            numbers.seconds(sum(trial.fits[name].seconds for trial in shown.trials) / n),
        ]
        for name in shown.methods
    ]
    return [
        Panel(
            "bag-numbers",
            "How do they compare in numbers?",
            f"Every number is a mean over {count_draws(shown.trials)}"
            + (f"; averages of records hide <b>{numbers.share(loss)}</b> of how they differ." if loss else ".")
            + f" {chosen.describe_fits(shown.trials, by_trying(NAMES), _WAYS)}".rstrip(),
            Table(("method", "average F1", "F1 of positives", "F1 of negatives", "training time"), body, labelled=True),
            ("In brackets 95 % intervals over the draws. " if n > 1 else "")
            + "Training includes the choice of a penalty. What averages hide is the information loss, SSE/SST.",
            lambda: label_proportions.score_table(shown.trials),
            score_snippet(shown.question).then("print(label_proportions.score_table(draws))"),
        ),
        Panel(
            "all-scores",
            figure=Chart(charts.scores(shown.trials, shown.methods, shown.question.threshold)),
            summary=score_words(shown),
            rows=lambda: label_proportions.score_table(shown.trials),
            snippet=score_snippet(shown.question),
        ),
    ]
