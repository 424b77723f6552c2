"""What can be looked at below the marks of the training page: one pure function a tab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pages.kit import cache, numbers
from pages.kit.numbers import LOSS, count_draws, with_range
from pages.kit.panel import Chart, Markup, Panel, Table
from pages.topics.training.answer import Answer, snippet
from pages.topics.training.controls import DISPUTED
from privdemo import datasets, figures
from privdemo.experiments import training
from privdemo.figures import training as charts
from privdemo.intervals import gap_interval
from privdemo.methods import CLEAN, PUBLISHED, TRAINING
from privdemo.verdict import Verdict, clearly_below, judge

# Test images that are shown, and columns of a visitor's table whose weights are.
N_IMAGES, N_COLUMNS = 6, 12

test_images = cache.by_config(training.test_images, max_entries=64)


def _panel(
    shown: Answer, name: str, question: str, answer: str, figure: Chart | Markup | Table, summary: str, **more: Any
) -> Panel:
    """A panel, with the words for a table where the records are rows of one."""
    said = shown.question.said
    return Panel(name, said(question), said(answer), figure, said(summary), **more)


def probabilities(shown: Answer) -> list[Panel]:
    """The calibration curves of every method."""
    second = shown.question.config.classes[1]
    errors = {name: training.calibration_error(shown.trials, name) for name in shown.methods}
    words = "; ".join(
        f"<b>{TRAINING[name].title}</b> by {numbers.apart(error)}"
        for name, error in sorted(errors.items(), key=lambda e: e[1])
    )
    return [
        _panel(
            shown,
            "calibration",
            "Can its probabilities be trusted?",
            f"A probability given to a test image is off, on average, for {words}.",
            Chart(charts.calibration(shown.trials, shown.methods)),
            f"Of the test images that a model gives about the same probability of being “{second}”, the share that is "
            f"so, in bins of ten points with 95 % intervals, from {count_draws(shown.trials)}. On the dotted line 70 % "
            "means 70 %. A curve steeper than the line is too timid: what it calls likely is more likely still.",
            rows=lambda: training.calibration_table(shown.trials, shown.methods),
            snippet=snippet(shown.question).then(
                "for method in draws[0].fits:", "    print(method, training.calibration(draws, method))"
            ),
        )
    ]


# --- weights -------------------------------------------------------------------------------------


def weights(shown: Answer) -> list[Panel]:
    """The learnt weights of the first trial, as pictures side by side; of a table's columns, as numbers."""
    trial = shown.trials[0]
    fits = [trial.fits[name] for name in shown.methods if name in trial.fits]
    figure = _column_weights if shown.question.of_table else _pixel_weights
    answer, shape, summary = figure(shown, fits, _turned(fits))
    return [
        _panel(
            shown,
            "weights",
            "What has it learnt?",
            answer,
            shape,
            summary,
            rows=lambda: training.weight_table(trial),
            snippet=snippet(shown.question).then(
                "for fit in draws[0].fits.values():", "    print(fit.method, fit.angle, fit.coef)"
            ),
        )
    ]


def _turned(fits: Sequence[training.Fit]) -> str:
    """How far each method's weights are turned away from those of clean data, and which are practically 0."""
    empty = tuple(TRAINING[fit.method].title for fit in fits if abs(fit.coef).max() < training.NO_WEIGHT)
    turned = "; ".join(
        f"{TRAINING[fit.method].title} by {fit.angle:.0f}°"
        for fit in fits
        if fit.method != CLEAN and TRAINING[fit.method].title not in empty
    )
    words = [f"Turned away from what clean data teaches: {turned}."] if turned else []
    if empty:
        words.append(f"The weights of {numbers.a_list(empty)} are practically 0: every image gets the same answer.")
    return " ".join(words)


def _pixel_weights(shown: Answer, fits: Sequence[training.Fit], turned: str) -> tuple[str, Markup, str]:
    """The answer, the weights as pictures, and their summary."""
    first, second = shown.question.config.classes
    sheet = charts.weight_sheet([fit.coef for fit in fits], test_images(shown.trials[0].config).shape[1:])
    titles = [TRAINING[fit.method].title for fit in fits]
    summary = (
        f"Weights of the first draw as pictures, each scaled to its own largest: {', '.join(titles)}. Mid-grey is 0. "
        "Angles: 0° is the same direction as with clean data, 90° nothing in common with it."
    )
    picture = Markup(figures.picture_html(sheet, titles, [""], summary))
    return f"White pixels speak for {second}, black ones for {first}. {turned}".strip(), picture, summary


def _column_weights(shown: Answer, fits: Sequence[training.Fit], turned: str) -> tuple[str, Table, str]:
    """The answer, a table of weights, the heaviest on clean data first, and its summary."""
    first, second = shown.question.config.classes
    names = datasets.load(shown.question.config.dataset).feature_names
    clean = next(fit for fit in fits if fit.method == CLEAN)
    heaviest = sorted(range(len(names)), key=lambda j: -abs(clean.coef[j]))[:N_COLUMNS]
    heads = ["column", *(TRAINING[fit.method].title for fit in fits)]
    rows = [[names[j], *(numbers.signed(float(fit.coef[j])) for fit in fits)] for j in heaviest]
    summary = (
        f"First draw, the {len(rows)} of {len(names)} columns that weigh most on clean data, each on the scale 0 to 1."
    )
    answer = f"Weights above 0 speak for “{second}”, those below for “{first}”. {turned}"
    return answer, Table(heads, rows), summary


# --- some images ---------------------------------------------------------------------------------


def some_images(shown: Answer, picked: str) -> list[Panel]:
    """Test images with what every model says of them."""
    trial = shown.trials[0]
    names = [name for name in shown.methods if name in trial.fits]
    pick = training.disputed if picked == DISPUTED else training.typical
    chosen = pick(trial, N_IMAGES)
    classes = trial.config.classes
    rows, wrong = [], []
    for name in names:
        proba = trial.fits[name].proba[chosen]
        right = (proba > 0.5) == trial.y[chosen]
        rows.append((TRAINING[name].title, [(_percent(p), bool(ok)) for p, ok in zip(proba, right, strict=True)]))
        wrong.append(f"{TRAINING[name].title} {sum(not ok for ok in right)}")
    truths = [classes[c] for c in trial.y[chosen]]
    summary = (
        f"Test images of {', '.join(truths)} of the first draw. Underlined: on the wrong side of 50 % "
        f"({', '.join(wrong)} of {len(chosen)})."
    )
    table = charts.digits_html(test_images(trial.config)[chosen], truths, rows, summary)
    which = ", the ones that divide the models most." if picked == DISPUTED else "."
    return [
        _panel(
            shown,
            "digits",
            "What does it say of a single image?",
            f"The probability of “{classes[1]}” that each model gives to {len(chosen)} clean test images{which}",
            Markup(table),
            summary,
            rows=lambda: training.digit_table(trial, chosen),
            snippet=snippet(shown.question).then(
                f"print(training.digit_table(draws[0], training.{pick.__name__}(draws[0], {N_IMAGES})))"
            ),
        )
    ]


def _percent(value: float) -> str:
    """A probability as a table cell shows it: “7 %”, “> 99 %”."""
    return "> 99 %" if value > 0.995 else "< 1 %" if value < 0.005 else f"{100 * value:.0f} %"


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(shown: Answer) -> list[Panel]:
    """The label guessed from the released image by a model trained on noise, against the label's own ε."""
    rates = training.attack_rates(shown.trials)
    labels = shown.question.config.labels
    promised = training.best_guess(labels)
    image, both = rates["image"], rates["both"]
    beyond = judge(image, than=promised)
    timid = (
        " Both together do worse than the image alone: the model is too unsure of noisy images, and gives way to "
        "labels that lie; a better adversary would leave the label out."
        if clearly_below(gap_interval(both, image))
        else ""
    )
    return [
        _panel(
            shown,
            "attack",
            "What does the adversary see?",
            f"The lie about the label (ε = {numbers.epsilon(labels.epsilon)}) lets it be guessed "
            f"{numbers.share(promised)} of the time at best. {attack_words(beyond, image.mean, len(shown.trials))}",
            Chart(charts.attack(rates, promised)),
            f"Fresh releases of the test images of {count_draws(shown.trials)}, on which nobody trained. An adversary "
            "with the spread model, itself trained on noise alone, names the true label from the released label "
            f"{with_range(rates['label'])}, from the released image {with_range(image)}, from both "
            f"{with_range(both)}. Rule: the best that the label’s own lie allows when both classes are equally "
            f"common; dotted: a coin.{timid}",
            rows=lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
            snippet=snippet(shown.question).then("print(training.attack_rates(draws))"),
        )
    ]


def attack_words(beyond: Verdict, found: float, n_trials: int) -> str:
    """Say whether the released image gives a label away more often than the label's own lie allows."""
    if beyond is Verdict.BETTER:
        alike = numbers.epsilon(training.equivalent_epsilon(found))
        return (
            f"<b>The released image gives it away {numbers.share(found)} of the time</b>, as much as a label "
            f"released with ε = {alike}: the label’s ε is no promise about the pair."
        )
    if beyond is Verdict.WORSE:
        return f"The released image gives it away less often, {numbers.share(found)} of the time."
    return (
        f"The released image gives it away {numbers.share(found)} of the time: no clear difference in "
        f"{count_draws(range(n_trials))}."
    )


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Answer) -> list[Panel]:
    """Every method's numbers in a table, the training time among them."""
    quickest = min(training.mean_of(shown.trials, name, "seconds") for name in shown.methods)
    sampled = PUBLISHED in shown.methods
    heads = ["", "accuracy", "log loss", "Brier score", "turned", "training time"]
    heads += ["effective samples"] if sampled else []
    table = Table(heads, [_row(shown, name, sampled) for name in shown.methods])
    return [
        _panel(
            shown,
            "numbers",
            "How do they compare in numbers?",
            f"Means over {count_draws(shown.trials)}; the quickest training took {numbers.seconds(quickest)}, its "
            "choice of a penalty included.",
            table,
            "In brackets 95 % intervals. Turned: the angle between the weights and those learnt on clean data."
            + (" Effective samples: how many of a person’s samples count." if sampled else ""),
            rows=lambda: training.score_table(shown.trials),
            snippet=snippet(shown.question).then("print(training.score_table(draws))"),
        )
    ]


def _row(shown: Answer, name: str, sampled: bool) -> list[str]:
    """One method's line of the table."""
    over = f" ({count_draws(training.having(shown.trials, name))})" if name == PUBLISHED else ""
    row = [
        TRAINING[name].title + over,
        with_range(shown.score(name, "accuracy")),
        *(with_range(shown.score(name, mark), LOSS) for mark in ("log_loss", "brier")),
        numbers.degrees(training.mean_of(shown.trials, name, "angle")),
        numbers.seconds(training.mean_of(shown.trials, name, "seconds")),
    ]
    if not sampled:
        return row
    effective = f"{training.mean_of(shown.trials, name, 'effective_samples'):.1f} of {training.N_SAMPLES}"
    return [*row, effective if name == PUBLISHED else ""]
