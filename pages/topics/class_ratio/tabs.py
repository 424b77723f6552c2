"""What can be looked at below the shares on the page on class ratios: one pure function a tab."""

from __future__ import annotations

import math

from pages.kit import numbers
from pages.kit.numbers import count_draws, with_range
from pages.kit.panel import Chart, Panel, Table
from pages.topics.class_ratio import figures
from pages.topics.class_ratio.answer import L1, Answer, print_errors, snippet
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, SHARES, study
from privdemo.figures import class_ratio as charts
from privdemo.intervals import gap_interval, mean_interval
from privdemo.methods import CLASS_RATIO, MMD, RFF, SPREAD
from privdemo.verdict import clearly_below

# The same with a digit more, where methods lie near each other.
FINE = L1._replace(digits=4)


# --- other mixes ---------------------------------------------------------------------------------


def other_mixes(shown: Answer) -> list[Panel]:
    """The error of every method against the mix of the set asked about (figure 2), in the visitor's own draws."""
    trials, methods = shown.trials, shown.methods
    means = {name: class_ratio.mean_error(trials, name) for name in methods}
    best = min(means, key=lambda name: means[name].mean)
    low, high = (class_ratio.error_along(trials, best, place).mean for place in (0, len(SHARES) - 1))
    over = f"95 % intervals over {len(trials)} draws" if len(trials) > 1 else "one draw, no interval known"
    return [
        Panel(
            "errors",
            "Does it work for other mixes?",
            f"Over mixes from {numbers.share(SHARES[0], 0)} to {numbers.share(SHARES[-1], 0)} of the first class, the "
            f"least error is that of {CLASS_RATIO[best].title}: <b>{means[best].mean:.3f}</b> on average, {low:.3f} at "
            f"the lowest share and {high:.3f} at the highest. An error of 0.1 means that 5 % of the set would have to "
            "change class.",
            Chart(charts.errors(trials, methods)),
            f"Mean L1 error over all mixes, {over}: "
            + "; ".join(f"{CLASS_RATIO[name].title} {with_range(means[name], L1)}" for name in methods)
            + ("" if shown.question.config.share is None else ". Rule: the mix that you ask about")
            + ".",
            lambda: class_ratio.table(trials),
            snippet(shown.question).then(
                "for method in draws[0].fits:", "    print(method, class_ratio.mean_error(draws, method))"
            ),
        )
    ]


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(shown: Answer) -> list[Panel]:
    """How often the label of a single record is named, though only sets were labelled."""
    asked = "What does the adversary see?"
    if SPREAD not in shown.methods:
        return [Panel(question=asked, answer="Choose spread on set names, the model that names records.")]
    rates, config = class_ratio.attack_rates(shown.trials), shown.question.config
    pure = not config.private and config.pure
    told = "Pure sets release every label. Also," if pure else "No label of any record was released by itself. Yet"
    bound = (
        "Noise on the counts bounds what one person’s label changes, not what the sets teach of people in general."
        if config.private
        else "A set of one class hides nothing."
        if pure
        else "Even true counts of large sets hide no more than this."
    )
    worse = config.private and clearly_below(gap_interval(rates["both"], rates["model"]))
    return [
        Panel(
            "ratio-attack",
            asked,
            f"{told} somebody who knows a record names its class <b>{numbers.share(rates['model'].mean)}</b> of the "
            f"time by a model of the sets, and {numbers.share(rates['new'].mean)} for records that were in no set; its "
            f"set’s proportions alone give {numbers.share(rates['set'].mean)}. {bound}",
            Chart(charts.attack(rates)),
            f"Records in the training sets of {count_draws(shown.trials)}, and new ones with every class alike: the "
            f"likeliest class is named, by the set’s released proportions {with_range(rates['set'])}, by spread on set "
            f"names {with_range(rates['model'])}, by both {with_range(rates['both'])}; new records "
            f"{with_range(rates['new'])}. Rule: the set alone."
            + (" Both are worse than the model, as noise has moved the set’s proportions." if worse else ""),
            lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
            snippet(shown.question).then("print(class_ratio.attack_rates(draws))"),
        )
    ]


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Answer) -> list[Panel]:
    """Every method's errors, its time, and ten digits in the published protocol."""
    trials = shown.trials
    rows = [row for row in study.select(figures.shipped(), study.PRIVATE) if row.release == NO_RELEASE]
    rows += study.select(figures.shipped(), study.DIGITS)
    mine = Table(
        ["method", "L1 error, your mix", "mean over mixes", "training, s a draw"],
        [
            [
                CLASS_RATIO[name].title,
                with_range(class_ratio.error(trials, name), FINE),
                with_range(class_ratio.mean_error(trials, name), FINE),
                f"{mean_interval([trial.fits[name].seconds for trial in trials]).mean:.2f}",
            ]
            for name in shown.methods
        ],
    )
    ten = Table(
        ["ten digits, shipped", "mean over mixes"],
        [[CLASS_RATIO[row.method].title, with_range(row.estimate, FINE)] for row in rows],
    )
    first = rows[0]
    return [
        Panel(
            "ratio-numbers",
            "How do all methods compare?",
            f"Yours first, over {count_draws(trials)}. Then ten digits of MNIST in the paper’s protocol, "
            f"{first.n_classes} sets of {first.set_size:,} with ρ = {first.rho:g}: "
            f"{CLASS_RATIO[first.method].title} <b>{first.error:.4f}</b>, "
            + ", ".join(f"{CLASS_RATIO[row.method].title} {row.error:.4f}" for row in rows[1:3])
            + ".",
            mine,
            f"In brackets 95 % intervals. {_bandwidths(shown)} {_gap(shown)} Times are of this computer, one thread, "
            "with whatever else it did.",
            lambda: class_ratio.table(trials),
            print_errors(shown.question),
        ),
        Panel(
            "ratio-ten-digits",
            figure=ten,
            summary=f"{first.n_draws} shipped draws of MNIST’s ten digits.",
            rows=lambda: [vars(row) | CLASS_RATIO[row.method].columns for row in rows],
            snippet=figures.study_snippet(study.DIGITS),
        ),
    ]


def _bandwidths(shown: Answer) -> str:
    factors = sorted({trial.factor for trial in shown.trials if math.isfinite(trial.factor)})
    if not factors:
        return ""
    return f"MMD’s bandwidth was {' or '.join(f'{factor:g}' for factor in factors)} times the median heuristic."


def _gap(shown: Answer) -> str:
    if not {MMD, RFF} <= set(shown.methods):
        return ""
    gap = class_ratio.features_gap(shown.trials)
    return f"Random features differ from the exact kernel by {with_range(gap, L1)} (L1, your mix)."


def methods_in_words(_: Answer) -> list[Panel]:
    """What the methods that are shown first do."""
    return [
        Panel(
            note="**Spread on set names** takes the name of a record’s set for a lie about its class. **MMD** looks "
            "for the mixture of training sets whose mean in a kernel’s feature space is nearest. **All labels** knows "
            "the class of every training record; the others know the sets’ proportions alone."
        )
    ]
