"""The main part of the page on bags: draws as they come, and every method's F1."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.shared import bag_controls, cached, layout, live, own, settings, text
from pages.shared.bag_controls import Question
from pages.shared.live import Job, in_words
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import Trial
from privdemo.figures import label_proportions as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LLP, MEAN_MAP, NAMES
from privdemo.tasks import BINARY, Task, binary_task

# One click to the slides' settings: how bags are filled, means, k, ε of columns and of proportions (None: no noise).
# Bags with noise are filled at random: only so does its ε hold.
PRESETS = {
    "table 4.3, LLP": ("iid", "none", 1, None, None),
    "table 4.3, balanced": ("balanced", "none", 1, None, None),
    "k = 10": ("skewed", "random-k", 10, None, None),
    "k = 50, ε = 1": ("iid", "random-k", 50, 1.0, 1.0),
}


@dataclass(frozen=True)
class Shown:
    """The question, the draws that are done, and how the others come along."""

    question: Question
    draws: list[Trial]
    work: live.Work

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that were tried, full labels last."""
        return (*(name for name in LABEL_PROPORTIONS if name in self.draws[0].fits and name != FULL), FULL)

    @property
    def task(self) -> Task:
        """What is asked of the records."""
        return binary_task(self.question.config.dataset)

    def score(self, method: str, which: str = "average") -> Estimate:
        """A method's F1."""
        return label_proportions.mean_score(self.draws, method, which, self.question.threshold)


def presets() -> None:
    """The slides' settings on one click, where their data set is here."""
    if bag_controls.data_choice().default != BINARY["adult"].title:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Slides:", width="content", help="Settings of Yan’s slides, on one click.")
        for name in PRESETS:
            st.button(name, key=f"bags {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    fill, means, k, columns, proportions = PRESETS[name]
    chosen = {
        bag_controls.data_choice(): BINARY["adult"].title,
        bag_controls.FILL: SELECTIONS[fill].title,
        bag_controls.AGGREGATION: means,
        bag_controls.FEATURE_NOISE: bag_controls.LAPLACE if columns else bag_controls.OFF,
        bag_controls.PROPORTION_NOISE: bag_controls.LAPLACE if proportions else bag_controls.OFF,
        bag_controls.THRESHOLD: label_proportions.THRESHOLDS[label_proportions.HALF],
    }
    for choice, value in chosen.items():
        st.session_state[choice.key] = value
    n_bags, bag_size = label_proportions.default_bags("adult")
    numbers = {"bags": n_bags, "bag_size": bag_size, "k": k if k > 1 else bag_controls.K.default}
    numbers |= {bag_controls.FEATURE_EPSILON.key: columns or bag_controls.FEATURE_EPSILON.default}
    numbers |= {bag_controls.PROPORTION_EPSILON.key: proportions or bag_controls.PROPORTION_EPSILON.default}
    settings.assign(numbers)


def lesson(below: Callable[[Shown], None]) -> live.Lesson:
    """How the draws are followed; `below` shows one look at them."""

    def show(shown: Shown) -> None:
        layout.figure(
            "bag-scores",
            charts.scores(shown.draws, shown.methods, shown.question.threshold),
            score_words(shown),
            lambda: label_proportions.score_table(shown.draws),
            code(shown.question),
        )
        with st.container(key="rest"):
            st.caption(
                "**F1** says how well a class is found: 1 is without error, and the average is over both. **Full "
                "labels** is logistic regression with every label known. The others know bags alone: **spread on bag "
                "names**, **the slides’ model** (Yan 2018) and **mean map**; see *How it works* below."
            )
            below(shown)

    return live.Lesson(_jobs, answer, waiting, takeaway, show, "Nothing can be learnt here.")


def _jobs(question: Question) -> list[Job]:
    """The draws that are made away from the screen."""
    return live.one_job("bags", question, label_proportions.run)


def answer(question: Question) -> Shown:
    """Make the first draw, at once where that is quick, and ask for the others."""
    return Shown(question, *live.draws_so_far(question, _jobs(question), cached.one_bag_draw))


# --- words ---------------------------------------------------------------------------------------


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    config = question.config
    return (
        f"<b>{len(label_proportions.methods_of(config))} models are being trained</b> on {config.n_bags:,} bags of "
        f"{config.bag_size:,} {binary_task(config.dataset).records}."
    )


def bags_words(shown: Shown) -> str:
    """“100 bags of 100 people”, as they were filled."""
    sizes, asked = shown.draws[0].sizes, shown.question.config.bag_size
    low, high = int(sizes.min()), int(sizes.max())
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    fewer = f" (for {asked:,} there are too few of a kind)" if low < asked and shown.question.config.k == 1 else ""
    return f"{len(sizes):,} bags of {size} {shown.task.records}{fewer}"


def released_words(shown: Shown) -> str:
    """What becomes public, in words."""
    config = shown.question.config
    what = "the records" if config.k == 1 else f"the means of {config.k} or more records"
    if math.isfinite(config.feature_epsilon):
        what += f", with noise (ε = {text.epsilon(config.feature_epsilon)} a column),"
    share = f"the share that {shown.task.positive}"
    if math.isfinite(config.proportion_epsilon):
        share += f", with noise (ε = {text.epsilon(config.proportion_epsilon)} a label),"
    return f"{what} of each bag and {share}"


def takeaway(shown: Shown) -> str:
    """The one sentence: what bag totals reach, and what full labels would."""
    tried = [name for name in shown.methods if name in (NAMES, LLP, MEAN_MAP, ALTERNATING)]
    start = f"Of {bags_words(shown)}, {released_words(shown)} are known."
    ceiling = shown.score(FULL).mean
    if not tried:
        return f"{start} With every label known, F1 is <b>{ceiling:.3f}</b>."
    best = max(tried, key=lambda name: shown.score(name).mean)
    nothing = label_proportions.all_negative(shown.draws).average
    reached = shown.score(best).mean
    beside = "above" if reached > ceiling else "below"
    lost = (
        "worse than calling everything negative"
        if reached < nothing - 0.005
        else "no better than calling everything negative"
        if reached <= nothing + 0.005
        else f"{abs(ceiling - reached):.3f} {beside} full labels ({ceiling:.3f})"
    )
    same = (
        ""
        if all(draw.identified for draw in shown.draws)
        else " In some draws all bags have the same proportion, and nothing tells the classes apart."
    )
    judged = f" {_verdict(shown)}" if {NAMES, LLP} <= set(tried) else ""
    return (
        f"{start} Single records are then classified with an F1 of {bold_interval(shown.score(best))} by "
        f"{LABEL_PROPORTIONS[best].title}, {lost}; "
        f"always “no” gets {nothing:.3f}.{judged}{same}"
    )


def _verdict(shown: Shown) -> str:
    """Spread on bag names against the slides' model, on the same draws."""
    if len(shown.draws) < live.ENOUGH:
        return f"{in_words(shown.draws).capitalize()} cannot tell which method is better."
    gap = label_proportions.difference(shown.draws, NAMES, LLP, shown.question.threshold)
    if not gap.excludes_zero or abs(gap.mean) < 0.0005:
        return f"No difference shows between spread and the slides’ model in {in_words(shown.draws)}."
    ahead = ("spread", "the slides’ model") if gap.mean > 0 else ("the slides’ model", "spread")
    return f"In {in_words(shown.draws)}, {ahead[0]} is ahead of {ahead[1]} by {abs(gap.mean):.3f}."


def interval(estimate: Estimate, digits: int = 3) -> str:
    """“0.806 (0.798–0.814)”; of one draw, the number alone."""
    mean = f"{estimate.mean:.{digits}f}"
    if not math.isfinite(estimate.low):
        return mean
    return f"{mean} ({max(0.0, estimate.low):.{digits}f}–{min(1.0, estimate.high):.{digits}f})"


def bold_interval(estimate: Estimate) -> str:
    """“<b>0.806</b> ± 0.010”, half the 95 % interval; of one draw, the number alone."""
    known = math.isfinite(estimate.low)
    return f"<b>{estimate.mean:.3f}</b>" + (f" ± {estimate.high - estimate.mean:.3f}" if known else "")


def threshold_words(question: Question) -> str:
    """Where a record counts as positive."""
    if question.threshold == label_proportions.SHARE:
        return "The threshold is where, of the records in the bags, as many are positive as their released share says"
    why = (
        ""
        if question.config.single or question.asked_threshold == label_proportions.HALF
        else (": of means or noisy records the known share cannot be counted off")
    )
    return f"A record is called positive where that is likelier than not{why}"


def score_words(shown: Shown) -> str:
    """Every method's F1 in a sentence, and what the figure's marks are."""
    marks = "; ".join(
        f"{LABEL_PROPORTIONS[name].title} {interval(shown.score(name))}, "
        f"positives {shown.score(name, 'positive').mean:.3f}, negatives {shown.score(name, 'negative').mean:.3f}"
        for name in shown.methods
    )
    over = (
        f"95 % intervals over {len(shown.draws)} draws" if len(shown.draws) > 1 else "One draw, so no interval is known"
    )
    return (
        f"Average F1 on {shown.draws[0].n_test:,} clean test records, weighted by how common each class is: {marks}. "
        f"{over}. {threshold_words(shown.question)}. Solid rule: full labels; dotted, where it is on the axis: calling "
        "every record negative."
    )


def code(question: Question) -> str:
    """The lines that compute the figure."""
    return "\n".join(
        [
            "import math",
            *(own.imports(question.config) or [""]),
            "from privdemo.experiments import label_proportions",
            "from privdemo.experiments.draws import at_draw",
            "from privdemo.experiments.label_proportions import BagConfig",
            "",
            *(line.replace("=inf", "=math.inf") for line in own.code(question.config)),
            f"draws = [label_proportions.run(at_draw(config, i)) for i in range({question.n_draws})]",
            "for method in draws[0].fits:",
            f'    print(method, label_proportions.mean_score(draws, method, "average", "{question.threshold}"))',
        ]
    )
