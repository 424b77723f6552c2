"""What can be looked at below the marks of the training page, one thing at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared import cached, layout, own, settings, text, training_controls
from pages.shared.live import in_words
from pages.shared.training_panels import Shown, code
from privdemo import datasets, figures
from privdemo.datasets import name_of
from privdemo.experiments import training
from privdemo.experiments.training.study import Row, Study
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms import GaussianNoise, RandomisedResponse
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING

N_DIGITS = 6
# Columns of a visitor's table whose weights are shown.
N_COLUMNS = 12


def show(shown: Shown) -> None:
    """Draw the lesson that is chosen."""
    lessons = {
        training_controls.TRADE_OFF: the_trade_off,
        training_controls.PROBABILITIES: probabilities,
        training_controls.WEIGHTS: weights,
        training_controls.TEST_DIGITS: some_digits,
        training_controls.ADVERSARY: the_adversary,
        training_controls.BY_METHOD: all_numbers,
    }
    choice = shown.question.lessons
    if st.session_state.get(choice.key) not in (None, *choice.options):  # of images, before
        st.session_state[choice.key] = choice.default
    lessons[settings.choose(choice, "Look at")](shown)


def _section(shown: Shown, question: str, sentence: str) -> None:
    layout.section(shown.question.said(question), shown.question.said(sentence))


# --- the trade-off -------------------------------------------------------------------------------


def the_trade_off(shown: Shown) -> None:
    """Accuracy and log loss against the noise, precomputed, with the visitor's own setting on top."""
    head = st.container()
    study = training.study.STUDIES[training_controls.STUDIES[settings.choose(training_controls.STUDY, "Experiment")]]
    rows = cached.study(study.name)
    curves = training.study.points(rows)
    level = own_level(study, shown)
    seen = level is not None and on_axis(study, level)
    yours = {name: marks(shown, name) for name in shown.methods if name in curves} if seen else {}
    with head:
        other = "Of MNIST’s 7s and 9s, not of your records:<br>" if own.is_own(shown.question.config) else ""
        layout.section("What does the noise cost?", other + "<br>".join(findings(study, rows)))
    st.caption(f"{study.title}. {own_words(study, shown, level)}")
    layout.figure(
        "trade-off",
        charts.trade_off(study, curves, yours, level or 0.0),
        curve_words(study, curves),
        lambda: [vars(row) for row in rows],
        f"""
from privdemo.experiments import training

rows = training.study.load("{study.name}")  # computed anew by: python -m privdemo reproduce {study.name}
for method, curve in training.study.points(rows).items():
    print(method, curve)
""",
    )


def marks(shown: Shown, name: str) -> tuple[Estimate, Estimate]:
    """The visitor's accuracy and log loss of one method."""
    return training.mean_score(shown.draws, name, "accuracy"), training.mean_score(shown.draws, name, "log_loss")


def own_level(study: Study, shown: Shown) -> float | None:
    """Where the visitor's setting stands on the axis of `study`; None where it is another kind of noise."""
    pixels, labels = shown.question.config.pixels, shown.question.config.labels
    if study.name == "section6.1":
        return pixels.sigma**2 if isinstance(pixels, GaussianNoise) else None
    if not isinstance(pixels, RandomisedResponse):
        return None
    if study.name == "asymmetric":
        return float(labels.channel_matrix[0, 1])
    return pixels.flip_prob if isinstance(labels, RandomisedResponse) else None


def on_axis(study: Study, level: float) -> bool:
    """Whether a level lies within the study's, or so near that the axis need not be stretched out of shape."""
    low, high = study.levels[0], study.levels[-1]
    margin = (high - low) / 2
    return low - margin <= level <= high + margin


def own_words(study: Study, shown: Shown, level: float | None) -> str:
    """How the visitor's own point differs from the experiment's."""
    if level is None:
        other = "section 6.1" if isinstance(shown.question.config.pixels, GaussianNoise) else "lies that differ"
        return f"Your own noise is of another kind, so it has no place on this axis; it has one under “{other}”."
    if not on_axis(study, level):
        return f"Your own setting, {level:.3g}, lies far outside this axis."
    own, theirs = shown.question.config, study.config(study.levels[0])
    other = []
    if (own.dataset, own.classes) != (theirs.dataset, theirs.classes):
        other.append(f"{' and '.join(own.classes)} of {name_of(own.dataset)}")
    if own.n_train != theirs.n_train:
        other.append(f"{own.n_train:,} people of each class")
    if study.name == "figure3" and own.labels.flip_prob != level:
        other.append(f"label flips of {own.labels.flip_prob:.3g}")
    if study.name == "section6.1" and own.labels != theirs.labels:
        other.append("other lies about the label")
    if study.name == "asymmetric":
        first, noise = float(own.labels.channel_matrix[1, 0]), own.pixels.flip_prob
        other += [f"{first:.3g} of the {own.classes[0]}s lying"] if first != theirs.labels.p10 else []
        other += [f"pixel flips of {noise:.3g}"] if noise != theirs.pixels.flip_prob else []
    point = f"The rule and the large markers are your setting ({in_words(shown.draws)})"
    return f"{point}, which has {text.a_list(tuple(other))}." if other else f"{point}."


def findings(study: Study, rows: tuple[Row, ...]) -> list[str]:
    """What the shipped draws say of naive against spread, level by level."""
    accuracy = training.study.compare(rows, SPREAD, NAIVE, "accuracy")
    losses = training.study.compare(rows, SPREAD, NAIVE, "log_loss")
    at = {"figure3": "p =", "section6.1": "σ² =", "asymmetric": "a share of 9s that lie of"}[study.name]
    same = [level for level, gap in accuracy.items() if not gap.excludes_zero]
    ahead, behind = above(accuracy), below(accuracy)
    worse, better = below(losses), above(losses)
    unclear = [level for level, gap in losses.items() if not gap.excludes_zero]
    n_draws = len({row.draw for row in rows})
    collapsed = {name: training.study.collapsed(rows, name) for name in (RECONSTRUCTION, SPREAD, NAIVE)}
    sentences: dict[str, Sequence[float] | Mapping[float, Estimate]] = {
        f"At {at} {_levels(same)} naive training is as accurate as spread, as far as {n_draws} draws show.": same,
        f"Spread is more accurate at {at} {_gaps(ahead)}.": ahead,
        f"Naive is more accurate at {at} {_gaps(behind)}.": behind,
        f"Naive’s probabilities are worse at {at} {_levels(list(worse))}: its log loss is the higher one.": worse,
        f"Spread’s probabilities are worse at {at} {_levels(list(better))}: its log loss is the higher one.": better,
        f"No difference in log loss between the two shows at {at} {_levels(unclear)}.": unclear,
    }
    for name, levels in collapsed.items():
        title = TRAINING[name].title.capitalize()
        sentences[f"{title} ends up naming one class only in some draws at {at} {_levels(levels)}."] = levels
    methods = {row.method for row in rows}
    sentences |= _about_priors(at, rows) if FLAT in methods else {}
    sentences |= _about_the_em(at, rows) if PUBLISHED in methods else {}
    return [sentence for sentence, levels in sentences.items() if levels]


def above(gaps: Mapping[float, Estimate]) -> dict[float, Estimate]:
    """The levels at which a difference is clearly above 0."""
    return {level: gap for level, gap in gaps.items() if gap.low > 0}


def below(gaps: Mapping[float, Estimate]) -> dict[float, Estimate]:
    """The levels at which a difference is clearly below 0."""
    return {level: gap for level, gap in gaps.items() if gap.high < 0}


def _about_priors(at: str, rows: tuple[Row, ...]) -> dict[str, list[float]]:
    """Where the learned pixel prior is better or worse than the flat one."""
    accuracy = above(training.study.compare(rows, SPREAD, FLAT, "accuracy"))
    losses = above(training.study.compare(rows, SPREAD, FLAT, "log_loss"))
    return {
        f"The learned prior is more accurate than the flat one at {at} {_levels(list(accuracy))}.": list(accuracy),
        f"The flat prior gives the better probabilities at {at} {_levels(list(losses))}.": list(losses),
    }


def _about_the_em(at: str, rows: tuple[Row, ...]) -> dict[str, list[float]]:
    """The published EM, stopped early and without a penalty, beside quadrature with a chosen one."""
    accuracy = training.study.compare(rows, PUBLISHED, SPREAD, "accuracy")
    losses = training.study.compare(rows, PUBLISHED, SPREAD, "log_loss")
    return {
        f"The published EM is more accurate than quadrature at {at} {_gaps(above(accuracy))}.": list(above(accuracy)),
        f"Quadrature is more accurate than the published EM at {at} {_gaps(below(accuracy))}.": list(below(accuracy)),
        f"The published EM’s probabilities are worse than quadrature’s at {at} {_levels(list(above(losses)))}.": list(
            above(losses)
        ),
        f"The published EM’s probabilities are better at {at} {_levels(list(below(losses)))}.": list(below(losses)),
    }


def _levels(levels: list[float]) -> str:
    return text.a_list(tuple(f"{level:g}" for level in levels))


def _gaps(gaps: Mapping[float, Estimate]) -> str:
    return text.a_list(tuple(f"{level:g} (by {100 * abs(gap.mean):.1f} points)" for level, gap in gaps.items()))


def curve_words(study: Study, curves: Mapping[str, tuple[training.study.Point, ...]]) -> str:
    """The curves in a sentence a method, and the published numbers."""
    lines = "; ".join(
        f"{TRAINING[name].title} {', '.join(text.share(point.accuracy.mean) for point in curve)}"
        for name, curve in curves.items()
    )
    counts = f"{min(point.n_draws for curve in curves.values() for point in curve)} draws a point"
    stars = ", ".join(
        f"{TRAINING[name].title} {text.share(value)} at {level:g}"
        for name, values in study.published.items()
        for level, value in values.items()
    )
    published = (
        f"Stars: published accuracies ({stars})."
        if stars
        else "The paper draws its figure without printing its numbers."
    )
    return f"Accuracy at {_levels(list(study.levels))}: {lines}. Means and 95 % intervals over {counts}. {published}"


# --- probabilities -------------------------------------------------------------------------------


def probabilities(shown: Shown) -> None:
    """Calibration curves."""
    second = shown.question.config.classes[1]
    errors = {name: training.calibration_error(shown.draws, name) for name in shown.methods}
    words = "; ".join(
        f"<b>{TRAINING[name].title}</b> by {100 * error:.1f} points"
        for name, error in sorted(errors.items(), key=lambda e: e[1])
    )
    _section(
        shown,
        "Can its probabilities be trusted?",
        f"A probability given to a test image is off, on average, for {words}.",
    )
    layout.figure(
        "calibration",
        charts.calibration(shown.draws, shown.methods),
        shown.question.said(
            f"Of the test images that a model gives about the same probability of being “{second}”, the share that is "
            f"so, in bins of ten points with 95 % intervals, from {in_words(shown.draws)}. On the dotted line 70 % "
            "means 70 %. A curve steeper than the line is too timid: what it calls likely is more likely still."
        ),
        lambda: training.calibration_table(shown.draws, shown.methods),
        _more_code(shown, "for method in draws[0].fits:\n    print(method, training.calibration(draws, method))"),
    )


# --- weights -------------------------------------------------------------------------------------


def weights(shown: Shown) -> None:
    """The learnt weights as pictures, side by side."""
    draw = shown.draws[0]
    first, second = draw.config.classes
    fits = [draw.fits[name] for name in shown.methods if name in draw.fits]
    empty = tuple(TRAINING[fit.method].title for fit in fits if abs(fit.coef).max() < training.NO_WEIGHT)
    turned = "; ".join(
        f"{TRAINING[fit.method].title} by {fit.angle:.0f}°"
        for fit in fits
        if fit.method != CLEAN and abs(fit.coef).max() >= training.NO_WEIGHT
    )
    words = [f"White pixels speak for {second}, black ones for {first}."]
    words += [f"Turned away from what clean data teaches: {turned}."] if turned else []
    words += (
        [f"The weights of {text.a_list(empty)} are practically 0: every image gets the same answer."] if empty else []
    )
    if shown.question.of_table:
        _column_weights(shown, fits, " ".join(words[1:]))
        return
    layout.section("What has it learnt?", " ".join(words))
    sheet = charts.weight_sheet([fit.coef for fit in fits], cached.test_images(draw.config).shape[1:])
    titles = [TRAINING[fit.method].title for fit in fits]
    summary = (
        f"Weights of the first draw as pictures, each scaled to its own largest: {', '.join(titles)}. Mid-grey is 0. "
        f"Angles: 0° is the same direction as with clean data, 90° nothing in common with it."
    )
    st.html(figures.picture_html(sheet, titles, [""], summary))
    layout.under_figure(
        "weights",
        summary,
        lambda: training.weight_table(draw),
        lambda: figures.picture_page(sheet, titles, [""], summary),
        _more_code(shown, "for fit in draws[0].fits.values():\n    print(fit.method, fit.angle, fit.coef)"),
    )


def _column_weights(shown: Shown, fits: Sequence[training.Fit], turned: str) -> None:
    """The weights of a table's columns as a table of numbers, the heaviest on clean data first."""
    first, second = shown.question.config.classes
    names = datasets.load(shown.question.config.dataset).feature_names
    clean = next(fit for fit in fits if fit.method == CLEAN)
    heaviest = sorted(range(len(names)), key=lambda j: -abs(clean.coef[j]))[:N_COLUMNS]
    layout.section(
        "What has it learnt?",
        shown.question.said(f"Weights above 0 speak for “{second}”, those below for “{first}”. {turned}"),
    )
    heads = ["column", *(TRAINING[fit.method].title for fit in fits)]
    rows = [[names[j], *(text.signed(float(fit.coef[j])) for fit in fits)] for j in heaviest]
    layout.grid(heads, rows)
    layout.under_figure(
        "weights",
        f"First draw, the {len(rows)} of {len(names)} columns that weigh most on clean data, each on the scale 0 to 1.",
        lambda: training.weight_table(shown.draws[0]),
        lambda: layout.grid_page(heads, rows),
        _more_code(shown, "for fit in draws[0].fits.values():\n    print(fit.method, fit.angle, fit.coef)"),
    )


# --- some images ---------------------------------------------------------------------------------


def some_digits(shown: Shown) -> None:
    """Test digits with what every model says of them."""
    draw = shown.draws[0]
    names = [name for name in shown.methods if name in draw.fits]
    head = st.container()
    disputed = settings.choose(training_controls.PICKED, "Which") == training_controls.PICKED.options[1]
    chosen = training.disputed(draw, N_DIGITS) if disputed else training.typical(draw, N_DIGITS)
    classes = draw.config.classes
    rows = []
    for name in names:
        proba = draw.fits[name].proba[chosen]
        right = (proba > 0.5) == draw.y[chosen]
        rows.append((TRAINING[name].title, [(_percent(p), bool(ok)) for p, ok in zip(proba, right, strict=True)]))
    wrong = {TRAINING[name].title: sum(not ok for _, ok in cells) for name, (_, cells) in zip(names, rows, strict=True)}
    with head:
        _section(
            shown,
            "What does it say of a single image?",
            f"The probability of “{classes[1]}” that each model gives to six clean test images"
            + (", the ones that divide the models most." if disputed else "."),
        )
    images = cached.test_images(draw.config)[chosen]
    truths = [classes[c] for c in draw.y[chosen]]
    summary = (
        f"Test images of {', '.join(truths)} of the first draw. Underlined: on the wrong side of 50 % ("
        + ", ".join(f"{title} {n}" for title, n in wrong.items())
        + " of 6)."
    )
    table = charts.digits_html(images, truths, rows, summary)
    st.html(table)
    layout.under_figure(
        "digits",
        summary,
        lambda: training.digit_table(draw, chosen),
        lambda: charts.digits_page(table, summary),
        _more_code(
            shown,
            f"print(training.digit_table(draws[0], training.{'disputed' if disputed else 'typical'}(draws[0], 6)))",
        ),
    )


def _percent(value: float) -> str:
    """A probability as a cell says it: “7 %”, “> 99 %”."""
    return "> 99 %" if value > 0.995 else "< 1 %" if value < 0.005 else f"{100 * value:.0f} %"


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(shown: Shown) -> None:
    """The label guessed from the released image by a model trained on noise, against the label's own ε."""
    rates = training.attack_rates(shown.draws)
    labels = shown.question.config.labels
    promised = training.best_guess(labels)
    image = rates["image"]
    alike = training.equivalent_epsilon(image.mean)
    start = (
        f"The lie about the label (ε = {text.epsilon(labels.epsilon)}) lets it be guessed {text.share(promised)} of "
        "the time at best."
    )
    if image.low > promised:
        words = (
            f"{start} <b>The released image gives it away {text.share(image.mean)} of the time</b>, as much as a label "
            f"released with ε = {text.epsilon(alike)}: the label’s ε is no promise about the pair."
        )
    elif image.high < promised:
        words = f"{start} The released image gives it away less often, {text.share(image.mean)} of the time."
    else:
        words = (
            f"{start} The released image gives it away {text.share(image.mean)} of the time: no clear difference in "
            f"{in_words(shown.draws)}."
        )
    _section(shown, "What does the adversary see?", words)
    both = rates["both"]
    timid = (
        " Both together do worse than the image alone: the model is too unsure of noisy images, and gives way to "
        "labels that lie; a better adversary would leave the label out."
        if both.high < image.low
        else ""
    )
    layout.figure(
        "attack",
        charts.attack(rates, promised),
        shown.question.said(
            f"Fresh releases of the test images of {in_words(shown.draws)}, on which nobody trained. An adversary with "
            f"the spread model, itself trained on noise alone, names the true label from the released label "
            f"{text.percent(rates['label'])}, from the released image {text.percent(image)}, from both "
            f"{text.percent(both)}. Rule: the best that the label’s own lie allows when both classes are equally "
            f"common; dotted: a coin.{timid}"
        ),
        lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
        _more_code(shown, "print(training.attack_rates(draws))"),
    )


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Shown) -> None:
    """Every method's numbers in a table, the training time among them."""
    quickest = min(training.mean_of(shown.draws, name, "seconds") for name in shown.methods)
    _section(
        shown,
        "How do they compare in numbers?",
        f"Means over {in_words(shown.draws)}; the quickest training took {text.seconds(quickest)}, its choice of a "
        "penalty included.",
    )
    sampled = PUBLISHED in shown.methods
    rows = [_row(shown, name, sampled) for name in shown.methods]
    heads = ["", "accuracy", "log loss", "Brier score", "turned", "training time"]
    heads += ["effective samples"] if sampled else []
    layout.grid(heads, rows)
    layout.under_figure(
        "numbers",
        "In brackets 95 % intervals. Turned: the angle between the weights and those learnt on clean data."
        + (" Effective samples: how many of a person’s samples count." if sampled else ""),
        lambda: training.score_table(shown.draws),
        lambda: layout.grid_page(heads, rows),
        _more_code(shown, "print(training.score_table(draws))"),
    )


def _row(shown: Shown, name: str, sampled: bool) -> list[str]:
    """One method's line of the table."""
    losses = [training.mean_score(shown.draws, name, mark) for mark in ("log_loss", "brier")]
    row = [
        TRAINING[name].title + (f" ({in_words(training.having(shown.draws, name))})" if name == PUBLISHED else ""),
        text.percent(training.mean_score(shown.draws, name, "accuracy")),
        *(f"{mark.mean:.3f} ({max(0.0, mark.low):.3f}–{mark.high:.3f})" for mark in losses),
        text.degrees(training.mean_of(shown.draws, name, "angle")),
        text.seconds(training.mean_of(shown.draws, name, "seconds")),
    ]
    if sampled and name == PUBLISHED:
        row.append(f"{training.mean_of(shown.draws, name, 'effective_samples'):.1f} of {training.N_SAMPLES}")
    return [*row, ""] if sampled and name != PUBLISHED else row


def _more_code(shown: Shown, lines: str) -> str:
    """The lines that make the draws, and what to do with them."""
    return code(shown.question).split("\nfor method")[0] + "\n" + lines
