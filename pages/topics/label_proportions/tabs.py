"""What can be looked at below the F1 of the page on bags: the bags, the adversary, all numbers, and shipped curves."""

from __future__ import annotations

import math

from pages.kit import numbers
from pages.kit.numbers import MARK, count_draws, with_range
from pages.kit.panel import Chart, Panel, Table
from pages.topics.label_proportions.answer import Answer, score_snippet
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import F1S, Trial
from privdemo.figures import label_proportions as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, LABEL_PROPORTIONS, LLP, MEAN_MAP, NAMES

TERMS = (
    "**F1** says how well a class is found: 1 is without error, and the average is over both. **Full labels** is "
    "logistic regression with every label known. The others know bags alone: **spread on bag names**, **the slides’ "
    "model** (Yan 2018) and **mean map**; see *How it works* below."
)


def terms(_: Answer) -> list[Panel]:
    """What is needed to read all tabs."""
    return [Panel(note=TERMS)]


# --- the bags ------------------------------------------------------------------------------------


def the_bags(shown: Answer) -> list[Panel]:
    """The first trial's bags: what their owner knows, and what is released."""
    trial = shown.trials[0]
    return [
        Panel(
            "bags",
            "What is known of a bag?",
            f"{_differ(trial)} {_diverse(shown)}",
            Chart(charts.columns(trial, shown.task.positive)),
            _column_words(shown),
            lambda: label_proportions.bag_table(trial),
            score_snippet(shown.question).then("print(label_proportions.bag_table(draws[0]))"),
        )
    ]


def _differ(trial: Trial) -> str:
    """How much the bags differ."""
    low, high = float(trial.true_proportions.min()), float(trial.true_proportions.max())
    if high > low:
        return (
            f"Bags hold between {numbers.share(low)} and {numbers.share(high)} positives: the more they differ, the "
            "more can be learnt."
        )
    return f"All bags hold {numbers.share(low)} positives, so nothing tells the classes apart."


def _diverse(shown: Answer) -> str:
    """Whether bags of one label give labels away."""
    trial, attack = shown.trials[0], shown.trials[0].attack
    if trial.least_labels[0] >= 2:
        return "Every bag holds both labels (it is ℓ-diverse for ℓ = 2)."
    gives = "gives" if math.isinf(shown.question.config.proportion_epsilon) else "without noise would give"
    return (
        f"<b>{attack.exposed:,} of {attack.n:,} {shown.task.records} are in bags of one label</b>, which {gives} all "
        "of them away: that is not ℓ-diverse for ℓ = 2."
    )


def _column_words(shown: Answer) -> str:
    """What the columns of bags are."""
    trial, config = shown.trials[0], shown.question.config
    some = len(charts.shown_bags(trial))
    which = f"All {some} bags" if some == len(trial.blocks) else f"{some} of {len(trial.blocks)} bags"
    blocks = (
        "every record is released as it is"
        if config.k == 1
        else f"each block is the mean of its records, {min(map(min, trial.blocks))} at least"
    )
    moved = float(abs(trial.proportions - trial.true_proportions).mean())
    noisy = (
        ""
        if math.isinf(config.proportion_epsilon)
        else f" Noise has moved proportions by {numbers.apart(moved)} on average; a diamond may leave its bag, and "
        "is an arrow where it lies far outside."
    )
    return (
        f"{which} of the first draw, a column each. Above, teal records {shown.task.positive} and lie at the foot, "
        f"brown ones do not. Below, all that is released: {blocks}, and one proportion, which is the colour of the "
        f"whole bag and the height of its diamond.{noisy}"
    )


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(shown: Answer) -> list[Panel]:
    """How often the label of a record is guessed from what is released, and what that is for a few records."""
    learners = [name for name in (NAMES, LLP, ALTERNATING, MEAN_MAP) if name in shown.methods]
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
        f", and <b>{numbers.share(rates['both'].mean)}</b> with a model trained on the release too"
        if "both" in rates
        else "; none of the models that learn from bags was trained"
    )
    return (
        f"Somebody who knows a record and its bag names its label {numbers.share(rates['prior'].mean)} of the time "
        f"before the release, {numbers.share(rates['bag'].mean)} by the bag’s proportion{with_model}."
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
        f"{with_range(rates['prior'])}, by the bag’s proportion {with_range(rates['bag'])}{by_model}. Rule: without "
        f"the bag.{by_x}"
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
        figure=Table(heads, body),
        summary=f"Some {shown.task.records} of the first draw, up to three of each label: how probable it is that they "
        f"{shown.task.positive}, prior to posterior. What its bag says weighs what noise leaves possible; then odds "
        "multiply, odds(record) · odds(bag) / odds(before).",
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
            f"Means over {count_draws(shown.trials)}; information loss is {numbers.share(loss)}.",
            Table(("", "average F1", "F1 of positives", "F1 of negatives", "training time"), body),
            ("In brackets 95 % intervals over the draws. " if n > 1 else "")
            + "Training includes the choice of a penalty.",
            lambda: label_proportions.score_table(shown.trials),
            score_snippet(shown.question).then("print(label_proportions.score_table(draws))"),
        )
    ]
