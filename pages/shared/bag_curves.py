"""What k, noise, the number of bags and the way to fill them cost: shipped curves with the visitor's own setting."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.shared import bag_controls, cached, layout, settings, text
from pages.shared.bag_panels import Shown, interval
from pages.shared.live import in_words
from privdemo.experiments import label_proportions, results
from privdemo.experiments.label_proportions import HALF
from privdemo.experiments.label_proportions.study import Row
from privdemo.figures import label_proportions as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms import aggregation
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES
from privdemo.tasks import BINARY

# Where 90 % of the noise is wished to lie (Yan: "control noise domain above 90 % in [−0.5, 0.5]").
HALF_WIDTH = 0.5


# --- k-anonymity ---------------------------------------------------------------------------------


def k_anonymity(shown: Shown) -> None:
    """F1 and information loss against k."""
    config = shown.question.config
    head = st.container()
    kind = settings.choose(bag_controls.CURVE, "Means by")
    rows = _rows(label_proportions.study.BY_K, shown, HALF)
    along = {
        name: [row for row in rows if row.aggregation == name or row.k == 1]
        for name in label_proportions.AGGREGATIONS[1:]
    }
    with head:
        layout.section("What do means of k records cost?", _k_words(along[kind], kind, shown))
    methods = (FULL, LABELLED, NAMES, LLP)
    elsewhere = f"You chose {config.aggregation}: choose it above to see your own setting."
    ks = sorted({float(row.k) for row in along[kind]})
    mine = config.aggregation in (kind, "none")
    yours = _yours(shown, methods, HALF) if mine else {}
    layout.figure(
        "f1-by-k",
        charts.curves(
            _lines(along[kind], methods, lambda row: row.k), "k, records in a mean at least", ks, yours, config.k
        ),
        f"{_study_words(shown)} {_summary(along[kind], methods, lambda row: f'k = {row.k}')} "
        f"{_own_words(shown, yours, _differences(shown, 'k'), HALF) if mine else elsewhere}",
        lambda: [vars(row) for row in rows],
        _study_code(label_proportions.study.BY_K, _dataset(shown)),
    )
    once = {name: [row for row in some if row.method == FULL] for name, some in along.items()}
    loss = label_proportions.mean_of(shown.draws, "loss").mean
    layout.figure(
        "loss-by-k",
        charts.losses(once, ks, (config.k, loss)),
        "Information loss, SSE/SST: of the records’ squared distance from their overall mean, the share that the means "
        f"hide. Yours is {text.share(loss)}.{_diversity(shown)}",
        lambda: [vars(row) for some in once.values() for row in some],
        _study_code(label_proportions.study.BY_K, _dataset(shown)),
    )


def _diversity(shown: Shown) -> str:
    """Whether the visitor's groups hold more than one label."""
    draw = shown.draws[0]
    if draw.config.k == 1:
        return ""
    if draw.least_labels[1] > 1:
        return " Every group holds both labels."
    return " Every group holds one label." if draw.config.aggregation == "k-tree" else " Some groups hold one label."


def _k_words(rows: Sequence[Row], kind: str, shown: Shown) -> str:
    largest = max(row.k for row in rows)
    at = {(row.method, row.k): row.average for row in rows}
    # With labels for single records, it is full labels.
    losses = {name: at[name if name != LABELLED else FULL, 1] - at[name, largest] for name in (LLP, NAMES, LABELLED)}
    turned = label_proportions.mean_of(shown.draws, "turned").mean
    mix = "each of one label" if kind == "k-tree" else "labels mixed"
    moved = (
        "In your own draws the direction in which the slides’ model learns first has not moved at all."
        if turned < 1e-9
        else "In your own draws bags of ½ throughout give the slides’ model no direction to learn in first."
        if math.isinf(turned)
        else "In your own draws noise has moved the direction in which the slides’ model learns first (its gradient at "
        f"0) by {text.share(turned)} of its length."
    )
    return (
        f"From single records to means of {largest} by {kind} ({mix}), F1 falls by <b>{losses[LLP]:.3f}</b> for the "
        f"slides’ model and {losses[NAMES]:.3f} for spread; with every label known, too, by {losses[LABELLED]:.3f}. "
        f"{moved}"
    )


# --- noise ---------------------------------------------------------------------------------------


def noise(shown: Shown) -> None:
    """F1 against ε, what ε promises, and the smallest ε that keeps the noise within bounds."""
    config = shown.question.config
    head, cards = st.container(), st.container()
    on_columns = settings.choose(bag_controls.NOISY, "Noise on") == "columns"
    study = label_proportions.study.FEATURE_NOISE if on_columns else label_proportions.study.PROPORTION_NOISE
    threshold = HALF if on_columns else shown.question.threshold
    rows = _rows(study, shown, threshold)
    if on_columns:
        k = min({row.k for row in rows}, key=lambda k: abs(math.log(k / max(config.k, 1))))
        rows = [row for row in rows if row.k == k]
        count, own, methods = k, config.feature_epsilon, (FULL, LABELLED, NAMES, LLP)
    else:
        count, own, methods = rows[0].bag_size, config.proportion_epsilon, (FULL, NAMES, LLP, MEAN_MAP)

    def level(row: Row) -> float:
        return row.feature_epsilon if on_columns else row.proportion_epsilon

    bound = aggregation.smallest_epsilon(count, HALF_WIDTH)
    with head:
        layout.section("What does noise cost, and what does it promise?", _noise_words(rows, level, on_columns, count))
    with cards:
        layout.cards(_promises(shown))
    yours = _yours(shown, methods, threshold)
    other = _differences(shown, "feature_epsilon" if on_columns else "proportion_epsilon", count if on_columns else 1)
    what = (
        f"every column of means of {count} random records" if on_columns else f"the proportion of every bag of {count}"
    )
    layout.figure(
        "f1-by-noise",
        charts.curves(
            _lines(rows, methods, level),
            "ε of every column" if on_columns else "ε of every label",
            label_proportions.study.EPSILONS,
            yours,
            own,
            [(bound, "90 % within ±0.5")],
        ),
        f"{_study_words(shown, at_random=True)} Laplace noise of scale 1/({count} ε) on {what}. "
        f"{_summary(rows, methods, lambda row: f'ε = {text.epsilon(level(row))}')} Dotted: from ε = {bound:.3g} on, "
        f"90 % of the noise lies within ±{HALF_WIDTH}. {_own_words(shown, yours, other, threshold)}",
        lambda: [vars(row) for row in rows],
        _study_code(study, _dataset(shown)),
    )


def _noise_words(rows: Sequence[Row], level: Callable[[Row], float], on_columns: bool, count: int) -> str:
    """From which ε on the slides' model keeps nearly all of its F1."""
    mine = {level(row): row for row in rows if row.method == LLP}
    whole, worst = mine[math.inf].average, min(mine)
    enough = [epsilon for epsilon in sorted(mine) if all(mine[e].average > whole - 0.02 for e in mine if e >= epsilon)]
    kept = (
        f"keeps its F1 of {whole:.3f} within 0.02 from <b>ε = {text.epsilon(enough[0])} "
        f"{'a column' if on_columns else 'a label'}</b> on"
        if math.isfinite(enough[0])
        else f"loses more than 0.02 of its F1 of {whole:.3f} <b>even at ε = {text.epsilon(sorted(mine)[-2])}</b>"
    )
    return (
        f"With bags filled at random and {f'means of {count}' if on_columns else f'bags of {count}'}, the slides’ "
        f"model {kept}; with ε = {text.epsilon(worst)} it is {mine[worst].average:.3f}. For the same ε "
        f"{'a larger k needs' if on_columns else 'larger bags need'} less noise."
    )


def _promises(shown: Shown) -> list[tuple[str, str, str]]:
    """What the visitor's own ε promise: of a column, an attribute, a label, and a whole record."""
    config = shown.question.config
    n_changes, cards = label_proportions.changed_columns(config.dataset), []
    if math.isfinite(config.feature_epsilon):
        words = _within(max(1, config.k), config.feature_epsilon, f"k = {config.k}")
        if n_changes:
            both = text.epsilon(2 * config.feature_epsilon)
            words += f" An attribute is 1 in one column of its own, so changing it changes two: ε = {both}."
        cards.append(_card("One column", config.feature_epsilon, words, config.column_promise))
    if math.isfinite(config.proportion_epsilon):
        m = int(shown.draws[0].sizes.min())
        words = _within(m, config.proportion_epsilon, f"bags of {m}")
        cards.append(_card("One label", config.proportion_epsilon, words, config.label_promise))
    every, differing = label_proportions.record_epsilon(config)
    n_columns = cached.n_columns(config.dataset)
    if math.isinf(every):
        without = tuple(
            name
            for name, epsilon in (("columns", config.feature_epsilon), ("proportions", config.proportion_epsilon))
            if math.isinf(epsilon)
        )
        words = f"Without noise on {text.a_list(without)} nothing bounds what is given away of a whole record."
    elif n_changes:
        words = (
            f"{n_columns} columns and the label compose to {text.epsilon(every)}; but two records differ in at most "
            f"{n_changes} columns, two for each of the 14 attributes."
        )
    else:
        words = f"All {n_columns:,} columns may differ between two records, and each takes its ε, as does the label."
    cards.append(_card("A whole record", differing, words, math.isinf(every) or config.column_promise))
    return cards


def _within(count: int, epsilon: float, where: str) -> str:
    """How much of the noise on means of `count` is small, and which ε keeps 90 % of it so."""
    within = aggregation.noise_within(float(aggregation.mean_scale(count, epsilon)), HALF_WIDTH)
    bound = text.epsilon(aggregation.smallest_epsilon(count, HALF_WIDTH))
    share = text.share(within)
    words = f"{share[:1].upper()}{share[1:]} of the noise lies within ±{HALF_WIDTH}; ε = {bound} keeps 90 % there"
    return f"{words} ({where})."


def _card(title: str, epsilon: float, words: str, holds: bool) -> tuple[str, str, str]:
    """A promise, or why it is none."""
    if holds:
        return title, f"ε = {text.epsilon(epsilon)}", words
    why = "Bags or groups were made by looking at the records, and no noise covers that (see Caveats). "
    return f"{title}: no promise", f"ε = {text.epsilon(epsilon)} does not hold", f"{why}{words}"


# --- number of bags ------------------------------------------------------------------------------


def number_of_bags(shown: Shown) -> None:
    """F1 against the number of bags, for several ε of the proportions."""
    config = shown.question.config
    rows = _rows(label_proportions.study.BAG_NUMBER, shown, shown.question.threshold)
    epsilons = sorted({row.proportion_epsilon for row in rows})
    numbers = sorted({float(row.n_bags) for row in rows})
    lines = []
    for method in (NAMES, LLP):
        for epsilon, dash in zip(epsilons, ("dot", "dash", "solid"), strict=True):
            name = f"{LABEL_PROPORTIONS[method].title}, {'no noise' if math.isinf(epsilon) else f'ε = {epsilon:g}'}"
            along = [row for row in rows if row.method == method and row.proportion_epsilon == epsilon]
            lines.append(
                (method, name, LABEL_PROPORTIONS[method].style._replace(dash=dash), along, lambda row: row.n_bags)
            )
    at = {(row.method, row.proportion_epsilon, row.n_bags): row.average for row in rows}
    few, many = int(numbers[0]), int(numbers[-1])
    gains = {e: at[LLP, e, many] - at[LLP, e, few] for e in epsilons}
    noisy, clean = gains[epsilons[0]], gains[math.inf]
    why = (
        "more than without: the noise of many bags averages out."
        if noisy > clean + 0.01
        else "less than without: this much noise is too much for so few."
        if noisy < clean - 0.01
        else "much the same."
    )
    layout.section(
        "Do more bags make up for noise?",
        f"From {few} bags to {many}, filled at random, the slides’ model gains {text.signed(clean)} without noise, and "
        f"<b>{text.signed(noisy)}</b> with ε = {epsilons[0]:g} on every label, {why}",
    )
    yours = _yours(shown, (NAMES, LLP), shown.question.threshold)
    layout.figure(
        "f1-by-bags",
        charts.curves(lines, "number of bags", numbers, yours, config.n_bags),
        f"{_study_words(shown, at_random=True, counted=False)} Laplace noise on the proportions alone. "
        + "Average F1: "
        + "; ".join(
            f"{name} {along[0].average:.3f} at {few} bags, {along[-1].average:.3f} at {many}"
            for _, name, _, along, _ in lines
        )
        + f". {_own_words(shown, yours, _differences(shown, 'n_bags'), shown.question.threshold)}",
        lambda: [vars(row) for row in rows],
        _study_code(label_proportions.study.BAG_NUMBER, _dataset(shown)),
    )


# --- filling bags --------------------------------------------------------------------------------


def filling(shown: Shown) -> None:
    """The slides' tables 4.1 and 4.3 beside ours, and every other method on the same bags."""
    dataset = _dataset(shown) if _dataset(shown) in ("adult", "sms") else "adult"
    threshold = shown.question.asked_threshold
    rows = label_proportions.study.select(cached.bag_rows(), label_proportions.study.SELECTING, dataset, threshold)
    at = {(row.selection, row.method): row for row in rows}
    methods = tuple(name for name in LABEL_PROPORTIONS if any(row.method == name for row in rows) and name != FULL)
    random = {row.method: row.average for row in rows if row.selection == "iid" and row.method != FULL}
    best = max(random, key=lambda name: random[name])
    reached = ", ".join(
        f"<b>{at[name, LLP].average:.3f}</b> with {title} ones"
        for name, title in (("balanced", "balanced"), ("skewed", "skewed"))
        if (name, LLP) in at
    )
    layout.section(
        "How should bags be filled?",
        f"On {BINARY[dataset].title}, the slides’ model reaches {at['iid', LLP].average:.3f} with bags filled at "
        f"random and {reached}. At random, the highest mean is {random[best]:.3f}, by {LABEL_PROPORTIONS[best].title}; "
        f"full labels get {at['iid', FULL].average:.3f}.",
    )
    stars = "none are published for SMS" if dataset != "adult" else "published, with the threshold at ½"
    winners = [
        max((row for row in rows if row.selection == name and row.method != FULL), key=lambda row: row.average)
        for name in dict.fromkeys(row.selection for row in rows)
    ]
    layout.figure(
        "filling",
        charts.selections(rows, methods),
        f"{BINARY[dataset].title}, {at['iid', LLP].n_bags} bags of {at['iid', LLP].bag_size}, "
        f"{results.N_DRAWS} draws, threshold {label_proportions.THRESHOLDS[threshold]}; stars: {stars}. Highest means: "
        + "; ".join(
            f"{SELECTIONS[row.selection].title}, {LABEL_PROPORTIONS[row.method].title} {row.average:.3f}"
            for row in winners
        )
        + ".",
        lambda: [vars(row) for row in rows],
        _study_code(label_proportions.study.SELECTING, dataset),
    )
    _published(dataset)


def _published(dataset: str) -> None:
    """Tables 4.1 and 4.3, published and ours, with the slides' threshold."""
    rows = label_proportions.study.select(cached.bag_rows(), label_proportions.study.SELECTING, dataset, HALF)
    ours = {(row.selection, row.method): row for row in rows}
    adult = dataset == "adult"
    table41 = (
        {s: label_proportions.study.PUBLISHED[s, LLP] for s in label_proportions.study.INSTAGRAM_41}
        if adult
        else label_proportions.study.INSTAGRAM_41
    )
    table43 = label_proportions.study.TABLE_43 if adult else label_proportions.study.INSTAGRAM_43
    theirs = "published" if adult else "published, Instagram"
    heads = ["Table 4.1: slides’ model", theirs, "ours"]
    body = [
        [
            SELECTIONS[name].title,
            f"{value:.2f}",
            interval(ours[name, LLP].estimate) if (name, LLP) in ours else "too few records",
        ]
        for name, value in table41.items()
    ]
    body.append(
        ["sure, then unsure (the other reading of “balanced”)", "", interval(ours["mixed", LLP].estimate)]
        if ("mixed", LLP) in ours
        else ["sure, then unsure", "", "too few records"]
    )
    heads43 = ["Table 4.3: F1 +/−/average", theirs, "ours"]
    body43 = [
        [
            f"{LABEL_PROPORTIONS[method].title}, {SELECTIONS[name].title}",
            " / ".join(f"{value:.2f}" for value in values),
            " / ".join(f"{v:.2f}" for v in (row.positive, row.negative, row.average))
            if (row := ours.get((name, method)))
            else "too few records",
        ]
        for (name, method), values in table43.items()
    ]
    layout.grid(heads, body)
    layout.grid(heads43, body43)
    stand_in = (
        ""
        if adult
        else " The slides’ Instagram comments are private; SMS, as rare (13.4 % against 13 %) and as sparse, stands in."
    )
    layout.under_figure(
        "slides-tables",
        "Threshold ½, as in the slides. In brackets 95 % intervals. “Balanced” is read in two ways: bags that each "
        "hold one part of the records (sure positives, unsure positives, sure negatives, unsure negatives, in turn), "
        "or, as the slides say in words, sure ones of both kinds and then unsure ones of both kinds. The first gives "
        "the published number; the second has bags of nearly equal proportions, and on Adult stays below it."
        f"{stand_in}",
        lambda: [vars(row) for row in rows],
        lambda: layout.grid_page(heads, [*body, heads43, *body43]),
        _study_code(label_proportions.study.SELECTING, dataset),
    )


# --- what the curves share -----------------------------------------------------------------------


def _rows(study: str, shown: Shown, threshold: str) -> list[Row]:
    """The shipped rows of a study for the visitor's data set, or for the one that stands in for it."""
    return label_proportions.study.select(cached.bag_rows(), study, _dataset(shown), threshold)


def _dataset(shown: Shown) -> str:
    """Small digits and a visitor's own have no curves: those of MNIST stand in, for a table those of Adult."""
    dataset = shown.question.config.dataset
    if not isinstance(dataset, str):
        return "mnist" if dataset.image_shape else "adult"
    return "mnist" if dataset == "digits" else dataset


def _lines(
    rows: Sequence[Row], methods: Sequence[str], level: Callable[[Row], float]
) -> list[tuple[str, str, charts.palette.Style, list[Row], Callable[[Row], float]]]:
    return [
        (method, LABEL_PROPORTIONS[method].title, LABEL_PROPORTIONS[method].style, along, level)
        for method in methods
        if (along := [row for row in rows if row.method == method])
    ]


def _yours(shown: Shown, methods: Sequence[str], threshold: str) -> dict[str, Estimate]:
    """The visitor's own marks, with the threshold of the curves where that can be had."""
    there = threshold if threshold in shown.draws[0].fits[FULL].f1 else HALF
    known = [name for name in methods if name in shown.methods and name != FULL]
    return {name: label_proportions.mean_score(shown.draws, name, "average", there) for name in known}


def _study_words(shown: Shown, at_random: bool = False, counted: bool = True) -> str:
    """What the shipped curves were made of."""
    name = _dataset(shown)
    base = label_proportions.study.base(name)
    how = "filled at random" if at_random else f"{SELECTIONS[base.selection].title} proportions"
    bags = f"{base.n_bags} bags" if counted else "bags"
    return (
        f"{BINARY[name].title}: {bags} of {base.bag_size}, {how}, {results.N_DRAWS} draws a point with 95 % intervals."
    )


def _differences(shown: Shown, axis: str, k: int = 1) -> tuple[str, ...]:
    """What tells the visitor's setting from that of the curves (means of `k`), but for what is on the `axis`."""
    make = label_proportions.study.base if axis == "k" else label_proportions.study.at_random
    own, base = shown.question.config, make(_dataset(shown))
    sizes = ("n_bags", "bag_size") if axis != "n_bags" else ("bag_size",)
    found = {
        "other records": own.dataset != base.dataset,
        "bags of other sizes": any(getattr(own, name) != getattr(base, name) for name in sizes),
        "bags filled in another way": own.selection != base.selection,
        "other means": axis != "k" and (own.k != k or (k > 1 and own.aggregation != "random-k")),
        "noise on columns": axis != "feature_epsilon" and math.isfinite(own.feature_epsilon),
        "noise on proportions": axis != "proportion_epsilon" and math.isfinite(own.proportion_epsilon),
    }
    return tuple(words for words, differs in found.items() if differs)


def _own_words(shown: Shown, yours: Mapping[str, Estimate], other: tuple[str, ...], threshold: str) -> str:
    """What the visitor's own marks are, drawn with the `threshold` of the curves."""
    if not yours:
        return "Your own setting has no mark here: it is trained or averaged in another way."
    where = f", which has {text.a_list(other)}" if other else ""
    at = (
        ""
        if threshold == shown.question.threshold
        else f", here with threshold {label_proportions.THRESHOLDS[threshold]}"
    )
    return f"The rule and the larger markers are your setting ({in_words(shown.draws)}){where}{at}."


def _summary(rows: Sequence[Row], methods: Sequence[str], words: Callable[[Row], str]) -> str:
    """The ends of every curve in words."""
    parts = []
    for method in methods:
        along = [row for row in rows if row.method == method]
        if along:
            first, last = along[0], along[-1]
            parts.append(
                f"{LABEL_PROPORTIONS[method].title} {first.average:.3f} at {words(first)}, "
                f"{last.average:.3f} at {words(last)}"
            )
    return f"Average F1: {'; '.join(parts)}."


def _study_code(study: str, dataset: str) -> str:
    return f"""
from privdemo.experiments import label_proportions

# computed anew by: python -m privdemo reproduce llp
for row in label_proportions.study.select(label_proportions.study.load(), "{study}", "{dataset}"):
    noise = row.feature_epsilon, row.proportion_epsilon
    print(row.selection, row.n_bags, row.aggregation, row.k, noise, row.method, row.threshold, row.estimate)
"""
