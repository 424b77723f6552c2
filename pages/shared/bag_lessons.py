"""What can be looked at below the F1 of the page on bags, one thing at a time."""

from __future__ import annotations

import math

from pages.shared import bag_controls, bag_curves, layout, settings, text
from pages.shared.bag_panels import Shown, code, interval
from pages.shared.live import in_words
from privdemo.experiments import label_proportions
from privdemo.figures import label_proportions as charts
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, LABEL_PROPORTIONS, LLP, MEAN_MAP, NAMES


def show(shown: Shown) -> None:
    """Draw the lesson that is chosen."""
    lessons = {
        bag_controls.BAGS: the_bags,
        bag_controls.MEANS: bag_curves.k_anonymity,
        bag_controls.NOISE: bag_curves.noise,
        bag_controls.NUMBER: bag_curves.number_of_bags,
        bag_controls.FILLING: bag_curves.filling,
        bag_controls.ADVERSARY: the_adversary,
        bag_controls.NUMBERS: all_numbers,
    }
    lessons[settings.choose(bag_controls.LESSON, "Look at")](shown)


def _more_code(shown: Shown, line: str) -> str:
    return f"{code(shown.question)}\n{line}"


# --- the bags ------------------------------------------------------------------------------------


def the_bags(shown: Shown) -> None:
    """The first draw's bags: what their owner knows, and what is released."""
    draw, config = shown.draws[0], shown.question.config
    exposed = draw.attack.exposed
    low, high = float(draw.true_proportions.min()), float(draw.true_proportions.max())
    gives = "gives" if math.isinf(config.proportion_epsilon) else "without noise would give"
    diverse = (
        f"<b>{exposed:,} of {draw.attack.n:,} {shown.task.records} are in bags of one label</b>, which {gives} all of "
        "them away: that is not ℓ-diverse for ℓ = 2."
        if draw.least_labels[0] < 2
        else "Every bag holds both labels (it is ℓ-diverse for ℓ = 2)."
    )
    differ = (
        f"Bags hold between {text.share(low)} and {text.share(high)} positives: the more they differ, the more can be "
        "learnt."
        if high > low
        else f"All bags hold {text.share(low)} positives, so nothing tells the classes apart."
    )
    layout.section("What is known of a bag?", f"{differ} {diverse}")
    some = len(charts.shown_bags(draw))
    which = f"All {some} bags" if some == len(draw.blocks) else f"{some} of {len(draw.blocks)} bags"
    blocks = (
        "every record is released as it is"
        if config.k == 1
        else f"each block is the mean of its records, {min(map(min, draw.blocks))} at least"
    )
    noise = (
        ""
        if math.isinf(config.proportion_epsilon)
        else f" Noise has moved proportions by {100 * _moved(draw):,.1f} points on average; a diamond may leave its "
        "bag, and is an arrow where it lies far outside."
    )
    layout.figure(
        "bags",
        charts.columns(draw, shown.task.positive),
        f"{which} of the first draw, a column each. Above, teal records {shown.task.positive} and lie at the foot, "
        f"brown ones do not. Below, all that is released: {blocks}, and one proportion, which "
        f"is the colour of the whole bag and the height of its diamond.{noise}",
        lambda: label_proportions.bag_table(draw),
        _more_code(shown, "print(label_proportions.bag_table(draws[0]))"),
    )


def _moved(draw: label_proportions.Trial) -> float:
    return float(abs(draw.proportions - draw.true_proportions).mean())


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(shown: Shown) -> None:
    """How often the label of a record is guessed from what is released, and what that is for a few records."""
    learners = (NAMES, LLP, ALTERNATING, MEAN_MAP)
    spy = next((LABEL_PROPORTIONS[name].title for name in learners if name in shown.methods), None)
    rates = {
        source: rate
        for source, rate in label_proportions.attack_rates(shown.draws).items()
        if spy or source in ("prior", "bag")  # no model, no guess by one
    }
    with_model, in_numbers = "; none of the models that learn from bags was trained", ""
    if spy:
        with_model = f", and <b>{text.share(rates['both'].mean)}</b> with a model trained on the release too"
        in_numbers = (
            f", by the model alone ({spy}) {text.percent(rates['model'])}, by both {text.percent(rates['both'])}"
        )
    layout.section(
        "What does the adversary see?",
        f"Somebody who knows a record and its bag names its label {text.share(rates['prior'].mean)} of the time before "
        f"the release, {text.share(rates['bag'].mean)} by the bag’s proportion{with_model}.",
    )
    by_x = (
        " Where a model filled the bags, bag and record say the same twice, and the two together can be too sure."
        if SELECTIONS[shown.question.config.selection].pools
        else ""
    )
    layout.figure(
        "bag-attack",
        charts.attack(rates),
        f"Records in the bags of {in_words(shown.draws)}. The likelier label is named: by the overall share "
        f"{text.percent(rates['prior'])}, by the bag’s proportion {text.percent(rates['bag'])}{in_numbers}. Rule: "
        f"without the bag.{by_x}",
        lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
        _more_code(shown, "print(label_proportions.attack_rates(draws))"),
    )
    _some_guesses(shown, bool(spy))


def _some_guesses(shown: Shown, learnt: bool) -> None:
    """A few records, from prior to posterior."""
    attack = shown.draws[0].attack
    heads = ["bag", "before", "released of its bag", "its bag says", "bag and record say", "in truth"]
    body = [
        [
            str(guess.bag + 1),
            text.share(attack.prior),
            text.share(guess.proportion),
            text.share(guess.by_bag),
            text.share(guess.by_both) if learnt else "–",
            "positive" if guess.label else "negative",
        ]
        for guess in attack.guesses
    ]
    layout.grid(heads, body)
    layout.under_figure(
        "bag-guesses",
        f"Some {shown.task.records} of the first draw, up to three of each label: how probable it is that they "
        f"{shown.task.positive}, prior to posterior. What its bag says weighs what noise leaves possible; then odds "
        "multiply, odds(record) · odds(bag) / odds(before).",
        lambda: [{"before": attack.prior, **guess._asdict(), "bag": guess.bag + 1} for guess in attack.guesses],
        lambda: layout.grid_page(heads, body),
        _more_code(shown, "print(draws[0].attack.guesses)"),
    )


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Shown) -> None:
    """Every method's numbers in a table, the training time among them."""
    loss = label_proportions.mean_of(shown.draws, "loss").mean
    layout.section(
        "How do they compare in numbers?",
        f"Means over {in_words(shown.draws)}; information loss is {text.share(loss)}.",
    )
    heads = ["", "average F1", "F1 of positives", "F1 of negatives", "training time"]
    rows = [
        [
            LABEL_PROPORTIONS[name].title,
            *(interval(shown.score(name, which)) for which in label_proportions.F1S),
            text.seconds(sum(draw.fits[name].seconds for draw in shown.draws) / len(shown.draws)),
        ]
        for name in shown.methods
    ]
    layout.grid(heads, rows)
    layout.under_figure(
        "bag-numbers",
        ("In brackets 95 % intervals over the draws. " if len(shown.draws) > 1 else "")
        + "Training includes the choice of a penalty.",
        lambda: label_proportions.score_table(shown.draws),
        lambda: layout.grid_page(heads, rows),
        _more_code(shown, "print(label_proportions.score_table(draws))"),
    )
