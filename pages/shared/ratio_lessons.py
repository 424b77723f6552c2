"""What can be looked at below the shares on the page on class ratios, one thing at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from pages.shared import cached, layout, ratio_controls, settings, text
from pages.shared.bag_panels import interval
from pages.shared.live import in_words
from pages.shared.ratio_panels import Shown, code
from privdemo.experiments import class_ratio, results
from privdemo.experiments.class_ratio import NO_RELEASE, SHARES, study
from privdemo.experiments.class_ratio.study import Row
from privdemo.figures import class_ratio as charts
from privdemo.intervals import mean_interval
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, EM, MMD, PSVM, RFF, SPREAD
from privdemo.tasks import COUNTING


def show(shown: Shown) -> None:
    """Draw the lesson that is chosen."""
    lessons = {
        ratio_controls.MIXES: other_mixes,
        ratio_controls.BINARY: two_classes,
        ratio_controls.COUNTS: private_counts,
        ratio_controls.SETS: which_sets,
        ratio_controls.ADVERSARY: the_adversary,
        ratio_controls.NUMBERS: all_numbers,
    }
    lessons[settings.choose(ratio_controls.LESSON, "Look at")](shown)


def _more_code(shown: Shown, line: str) -> str:
    return f"{code(shown.question)}\n{line}"


def _study_code(study: str) -> str:
    return f"""
from privdemo.experiments import class_ratio

# computed anew by: python -m privdemo reproduce classratio
for row in class_ratio.study.select(class_ratio.study.load(), "{study}"):
    print(row.dataset, row.rho, row.copies, row.release, row.method, row.estimate)
"""


# --- other mixes ---------------------------------------------------------------------------------


def other_mixes(shown: Shown) -> None:
    """The error of every method against the mix of the set asked about (figure 2), in the visitor's own draws."""
    draws, methods = shown.draws, shown.methods
    means = {name: class_ratio.mean_error(draws, name) for name in methods}
    best = min(means, key=lambda name: means[name].mean)
    edge = class_ratio.error_along(draws, best, 0), class_ratio.error_along(draws, best, len(SHARES) - 1)
    layout.section(
        "Does it work for other mixes?",
        f"Over mixes from {text.share(SHARES[0], 0)} to {text.share(SHARES[-1], 0)} of the first class, the least "
        f"error is that of {CLASS_RATIO[best].title}: <b>{means[best].mean:.3f}</b> on average, "
        f"{edge[0].mean:.3f} at the lowest share and {edge[1].mean:.3f} at the highest. An error of 0.1 means that "
        "5 % of the set would have to change class.",
    )
    layout.figure(
        "errors",
        charts.errors(draws, methods),
        f"Mean L1 error over all mixes, {_over(shown)}: "
        + "; ".join(f"{CLASS_RATIO[name].title} {interval(means[name])}" for name in methods)
        + ("" if shown.question.config.share is None else ". Rule: the mix that you ask about")
        + ".",
        lambda: class_ratio.table(draws),
        _more_code(shown, "for method in draws[0].fits:\n    print(method, class_ratio.mean_error(draws, method))"),
    )


def _over(shown: Shown) -> str:
    return f"95 % intervals over {len(shown.draws)} draws" if len(shown.draws) > 1 else "one draw, no interval known"


# --- figure 2 ------------------------------------------------------------------------------------


def two_classes(shown: Shown) -> None:
    """The paper's figure 2: two classes, every method."""
    head = st.container()
    title = settings.choose(ratio_controls.FIGURE_DATA, "Data set of the figure")
    dataset = next(name for name, task in COUNTING.items() if task.title == title)
    everything = cached.ratio_rows()
    overall = [row for row in study.select(everything, study.BINARY) if row.dataset == dataset]
    single = [row for row in study.select(everything, study.BINARY, overall=False) if row.dataset == dataset]
    at = {row.method: row for row in overall}
    count, mmd, spread = (at[name].estimate for name in (PSVM, MMD, SPREAD))
    worse = [name for name, row in ((MMD, mmd), (SPREAD, spread)) if count.low > row.high]
    answer = (
        "No: it is clearly worse."
        if len(worse) == 2
        else f"It is clearly worse than {CLASS_RATIO[worse[0]].title} only."
        if worse
        else "Here it is no worse, as intervals overlap."
    )
    with head:
        layout.section(
            "Two classes: does classifying and counting do?",
            f"{answer} On {title}, counting what ∝SVM names is off by {count.mean:.3f}, MMD by "
            f"<b>{mmd.mean:.3f}</b> and "
            f"spread on set names by <b>{spread.mean:.3f}</b>, the mean over mixes; all labels with the correction by "
            f"{at[EM].error:.3f}.",
        )
    first = overall[0]
    by_method = {name: [row for row in single if row.method == name] for name in CLASS_RATIO if name in at}
    layout.figure(
        "figure-2",
        charts.study_errors(by_method),
        f"{title}: two sets of {first.set_size} with proportions 0.1 and 0.9, two more to choose settings, sets of "
        f"{first.set_size} to ask about; {results.N_DRAWS} draws with 95 % intervals. Mean over mixes: "
        + "; ".join(f"{CLASS_RATIO[name].title} {interval(at[name].estimate)}" for name in by_method)
        + f". {_claims(everything, 0, 1)} Its Census is Adult here; YouTube and Higgs are not at hand. ∝SVM is linear, "
        "with C = 1.",
        lambda: [vars(row) for row in single],
        _study_code(study.BINARY),
    )


def _claims(rows: Sequence[Row], first: int, last: int) -> str:
    """What the paper's text says of a figure, beside ours; it prints no other numbers."""
    told = [
        f"{one.words}: {text.share(one.published, 0)} lower published, {text.share(abs(one.ours.mean), 0)} "
        f"{'lower' if one.ours.mean >= 0 else 'higher'} here"
        for one in study.published_reductions(rows)[first:last]
    ]
    return f"Of its figure the paper’s text gives how two errors compare: {'; '.join(told)}."


# --- figure 3 ------------------------------------------------------------------------------------


def private_counts(shown: Shown) -> None:
    """The paper's figure 3: ten digits, every release of the counts."""
    head = st.container()
    words = settings.choose(ratio_controls.FIGURE_METHOD, "Shares found by")
    method = next(name for name, method in CLASS_RATIO.items() if method.title == words)
    everything = cached.ratio_rows()
    overall = [row for row in study.select(everything, study.PRIVATE) if row.method == method]
    single = [row for row in study.select(everything, study.PRIVATE, overall=False) if row.method == method]
    at = {row.release: row for row in overall}
    clean = at[NO_RELEASE].error
    tight = {name: at[name].error for name in RELEASES if name in at and RELEASES[name].tight}
    best = min((name for name in tight if not RELEASES[name].data_dependent), key=lambda name: tight[name])
    with head:
        layout.section(
            "What does noise on the counts cost?",
            f"With true counts {CLASS_RATIO[method].title} is off by {clean:.3f}. With Laplace noise as published, "
            f"ε = δ = 0.05, by {at['laplace published'].error:.3f}; with tight noise ({RELEASES[best].title}) by "
            f"<b>{tight[best]:.3f}</b>, a difference to true counts of {text.signed(tight[best] - clean)}.",
        )
    first = overall[0]
    by_release = {name: [row for row in single if row.release == name] for name in at}
    layout.figure(
        "figure-3",
        charts.study_errors(by_release),
        f"MNIST, ten digits: ten sets of {first.set_size:,} (ρ = {first.rho:g}), ten more to choose settings, sets of "
        f"{study.ten_digits().n_test:,} to ask about, n_min = {first.n_min}; {results.N_DRAWS} draws with "
        f"95 % intervals. Mean over mixes: "
        + "; ".join(f"{charts.title_of(name)} {interval(at[name].estimate)}" for name in at)
        + f". Dotted: noise chosen from the private counts, no formal guarantee. {_claims(everything, 1, 4)} Some "
        f"records "
        "are in two sets, as MNIST has too few of some digits; for them ε and δ are twice as large.",
        lambda: [vars(row) for row in single],
        _study_code(study.PRIVATE),
    )


# --- which sets ----------------------------------------------------------------------------------


def which_sets(shown: Shown) -> None:
    """Q, the bound, and what skew and the number of sets do to the error."""
    everything = cached.ratio_rows()
    skew = study.select(everything, study.SKEW)
    sets = study.select(everything, study.SETS)
    config, draws = shown.question.config, shown.draws
    by = {(row.rho, row.method, row.release): row for row in skew}
    low, high = min(row.rho for row in skew), max(row.rho for row in skew)
    known = [draw.condition_number for draw in draws if math.isfinite(draw.condition_number)]
    kernel = next((name for name in (MMD, RFF) if name in shown.methods), None)
    yours = "Choose MMD under “More settings” to see Q and the bound of your own sets."
    if known and kernel:
        bound = mean_interval([draw.bound for draw in draws]).mean
        says = (
            "with private counts the theorem needs a further term, and no bound is given"
            if config.private
            else "for more sets than classes the theorem says nothing"
            if math.isinf(bound)
            else f"Theorem 1, were the sets’ means the true ones, says that the L2 error is below {bound:,.0f} with "
            "probability 0.95 (more than √2 says nothing)"
        )
        yours = (
            f"Yours have Q = <b>{mean_interval(known).mean:.3g}</b>; {says}. {CLASS_RATIO[kernel].title} is off by "
            f"{class_ratio.error(draws, kernel).mean:.3f} (L1). So Q says what helps, not how much."
        )
    layout.section(
        "Which sets should a publisher make?",
        "The paper’s advice is <b>few, large, skewed sets: easier to learn, harder to hide.</b> The condition "
        "number Q "
        f"says how much errors are magnified; it is at the bandwidth that was chosen. On three digits, from ρ = "
        f"{low:g} to "
        f"{high:g}, Q goes from {by[low, MMD, NO_RELEASE].condition_number:.0f} to "
        f"{by[high, MMD, NO_RELEASE].condition_number:.0f}, MMD’s error from {by[low, MMD, NO_RELEASE].error:.3f} to "
        f"{by[high, MMD, NO_RELEASE].error:.3f} and spread’s from {by[low, SPREAD, NO_RELEASE].error:.3f} to "
        f"{by[high, SPREAD, NO_RELEASE].error:.3f}. {_few_words(sets)} {yours}",
    )
    same = config.copies * config.set_size == sets[0].copies * sets[0].set_size
    wanted = {"rho": config.rho, "copies": float(config.copies) if same else None}
    for name, title, rows in (
        ("rho", "ρ, share of each rarer class", skew),
        ("copies", "sets of each kind, of 2,400 records in all", sets),
    ):
        curves = {
            (method, release): [
                (float(getattr(row, name)), row.estimate)
                for row in rows
                if row.method == method and row.release == release
            ]
            for method in (SPREAD, MMD)
            for release in (NO_RELEASE, study.WITH_NOISE)
        }
        layout.figure(
            f"by-{name}",
            charts.levers(curves, title, wanted[name]),
            _lever_words(name, rows),
            lambda rows=rows: [vars(row) for row in rows],  # type: ignore[misc]
            _study_code(study.SKEW if name == "rho" else study.SETS),
        )


def _few_words(sets: Sequence[Row]) -> str:
    """Whether few large sets do better than the same records in many small ones, with true counts and private ones."""
    few, many = min(row.copies for row in sets), max(row.copies for row in sets)
    at = {(row.copies, row.method, row.release): row.estimate for row in sets}
    told, better = [], []
    for method in (MMD, SPREAD):
        parts = []
        for release, words in ((NO_RELEASE, "with true counts"), (study.WITH_NOISE, "with private ones")):
            large, small = at[few, method, release], at[many, method, release]
            apart = small.low > large.high or small.high < large.low
            verdict = ("more" if small.mean > large.mean else "less") if apart else "no clear difference"
            parts.append(f"{small.mean:.3f} instead of {large.mean:.3f} {words} ({verdict})")
            if verdict == "more":
                first = min(n for (n, *of), other in at.items() if of == [method, release] and other.low > large.high)
                better.append(f"{CLASS_RATIO[method].title} {words} (from {first} times as many on)")
        told.append(f"{CLASS_RATIO[method].title} is off by {' and '.join(parts)}")
    helps = (
        f"So few, large sets clearly help {text.a_list(tuple(better))}" if better else "So size helps nowhere clearly"
    )
    return (
        f"In {many} times as many small sets of the same records {'; '.join(told)}. {helps}; how hard labels are to "
        "hide is the same for all, as ε and δ are set."
    )


def _lever_words(name: str, rows: Sequence[Row]) -> str:
    """The ends of the curves of a lever in words."""
    ends = min(getattr(row, name) for row in rows), max(getattr(row, name) for row in rows)
    at = {(getattr(row, name), row.method, row.release): row.error for row in rows}
    parts = [
        f"{CLASS_RATIO[method].title}{'' if release == NO_RELEASE else ' with private counts'} "
        f"{at[ends[0], method, release]:.3f} to {at[ends[1], method, release]:.3f}"
        for method in (SPREAD, MMD)
        for release in (NO_RELEASE, study.WITH_NOISE)
    ]
    if name == "rho":
        what = "Three digits, six sets of 600"
    else:
        what = "The same records in few large sets or many small ones; in small ones the same noise weighs more"
    return (
        f"{what}. MNIST, mean L1 error over mixes, {results.N_DRAWS} draws with 95 % intervals. Private counts: "
        f"{RELEASES[study.WITH_NOISE].title}, ε = δ = 0.05. From {ends[0]:g} to {ends[1]:g}: "
        f"{'; '.join(parts)}.{_odd_words(name, rows)}"
    )


def _odd_words(name: str, rows: Sequence[Row]) -> str:
    """What is to be made of places where private counts do better than true ones."""
    at = {(getattr(row, name), row.method, row.release): row.estimate for row in rows}
    pairs = [
        (at[place, method, study.WITH_NOISE], estimate)
        for (place, method, release), estimate in at.items()
        if release == NO_RELEASE
    ]
    odd = [(private, true) for private, true in pairs if private.mean < true.mean]
    if not odd:
        return ""
    clear = sum(private.high < true.low for private, true in odd)
    luck = "in all of them intervals overlap" if not clear else f"in {clear} of them clearly"
    return f" Private counts have a lower mean than true ones in {len(odd)} of {len(pairs)} places; {luck}."


# --- the adversary -------------------------------------------------------------------------------


def the_adversary(shown: Shown) -> None:
    """How often the label of a single record is named, though only sets were labelled."""
    if SPREAD not in shown.methods:
        layout.section("What does the adversary see?", "Choose spread on set names, the model that names records.")
        return
    rates = class_ratio.attack_rates(shown.draws)
    config = shown.question.config
    private, pure = config.private, not config.private and config.pure
    told = "Pure sets release every label. Also," if pure else "No label of any record was released by itself. Yet"
    layout.section(
        "What does the adversary see?",
        f"{told} somebody who knows a record names its class "
        f"<b>{text.share(rates['model'].mean)}</b> of the time by a model of the sets, and "
        f"{text.share(rates['new'].mean)} for records that were in no set; its set’s proportions alone give "
        f"{text.share(rates['set'].mean)}. "
        + (
            "Noise on the counts bounds what one person’s label changes, not what the sets teach of people in general."
            if private
            else "A set of one class hides nothing."
            if pure
            else "Even true counts of large sets hide no more than this."
        ),
    )
    worse = rates["both"].high < rates["model"].low
    layout.figure(
        "ratio-attack",
        charts.attack(rates),
        f"Records in the training sets of {in_words(shown.draws)}, and new ones with every class alike: the likeliest "
        f"class is named, by the set’s released proportions {text.percent(rates['set'])}, by spread on set names "
        f"{text.percent(rates['model'])}, by both {text.percent(rates['both'])}; new records "
        f"{text.percent(rates['new'])}. Rule: the set alone."
        + (" Both are worse than the model, as noise has moved the set’s proportions." if worse and private else ""),
        lambda: [{"source": source, **rate._asdict()} for source, rate in rates.items()],
        _more_code(shown, "print(class_ratio.attack_rates(draws))"),
    )


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Shown) -> None:
    """Every method's errors, its time, and ten digits in the published protocol."""
    draws = shown.draws
    heads = ["method", "L1 error, your mix", "mean over mixes", "training, s a draw"]
    body = [
        [
            CLASS_RATIO[name].title,
            interval(class_ratio.error(draws, name), 4),
            interval(class_ratio.mean_error(draws, name), 4),
            f"{mean_interval([draw.fits[name].seconds for draw in draws]).mean:.2f}",
        ]
        for name in shown.methods
    ]
    everything = cached.ratio_rows()
    rows = [row for row in study.select(everything, study.PRIVATE) if row.release == NO_RELEASE]
    rows += study.select(everything, study.DIGITS)
    ten = [[CLASS_RATIO[row.method].title, interval(row.estimate, 4)] for row in rows]
    layout.section(
        "How do all methods compare?",
        f"Yours first, over {in_words(draws)}. Then ten digits of MNIST in the paper’s protocol, ten sets of 3,000 "
        f"with ρ = 0.05: {CLASS_RATIO[rows[0].method].title} <b>{rows[0].error:.4f}</b>, "
        + ", ".join(f"{CLASS_RATIO[row.method].title} {row.error:.4f}" for row in rows[1:3])
        + ".",
    )
    layout.grid(heads, body)
    heads_ten = ["ten digits, shipped", heads[2]]
    layout.grid(heads_ten, ten)
    layout.under_figure(
        "ratio-numbers",
        f"In brackets 95 % intervals. {_bandwidths(shown)} {_gap(shown)} Times are of this computer, one thread, with "
        "whatever else it did.",
        lambda: class_ratio.table(draws),
        lambda: layout.grid_page(heads, [*body, heads_ten, *ten]),
        code(shown.question),
    )


def _bandwidths(shown: Shown) -> str:
    factors = sorted({draw.factor for draw in shown.draws if math.isfinite(draw.factor)})
    if not factors:
        return ""
    return f"MMD’s bandwidth was {' or '.join(f'{factor:g}' for factor in factors)} times the median heuristic."


def _gap(shown: Shown) -> str:
    if not {MMD, RFF} <= set(shown.methods):
        return ""
    gap = class_ratio.features_gap(shown.draws)
    return f"Random features differ from the exact kernel by {interval(gap)} (L1, your mix)."
