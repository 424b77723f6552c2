"""The main part of the page on class ratios: draws as they come, and the shares that every method finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.shared import cached, layout, live, own, settings, text
from pages.shared.bag_panels import bold_interval, interval
from pages.shared.live import Job, in_words
from pages.shared.ratio_controls import (
    CLASSES,
    COPIES,
    DATA,
    DELTA,
    EPSILON,
    LARGE,
    MIX,
    N_MIN,
    RELEASE,
    RHO,
    SLIDE,
    Question,
    data_choice,
    size_settings,
)
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import LABELLED, Trial
from privdemo.figures import class_ratio as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, EM, MMD, PCC, RFF, SPREAD
from privdemo.tasks import COUNTING, Task, counting_task

# Where a set's common class is ahead of the others by less, the sets are nearly alike.
ALIKE = 0.1
# One click to a setting: data set, classes, records in a set, ρ, records asked about, release, ε, δ, n_min.
PRESETS = {
    "paper, binary": ("adult", 2, 600, 0.1, 600, "", 0.05, 0.05, 25),
    "three digits, private": ("mnist", 3, 600, 0.1, 600, "gaussian tight", 0.05, 0.001, 25),
    "ten digits, 3,000 each": ("mnist", 10, 3000, 0.05, 3000, "", 0.05, 0.05, 75),
}


@dataclass(frozen=True)
class Shown:
    """The question, the draws that are done, and how the others come along."""

    question: Question
    draws: list[Trial]
    work: live.Work

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that were tried, in their order."""
        return tuple(name for name in CLASS_RATIO if name in self.draws[0].fits)

    @property
    def task(self) -> Task:
        """The data set and its words."""
        return counting_task(self.question.config.dataset)


def presets() -> None:
    """Settings of the paper and others on one click, where their data sets are here."""
    here = {name: values for name, values in PRESETS.items() if COUNTING[values[0]].title in data_choice().options}
    if not here:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Try:", width="content")
        for name in here:
            st.button(name, key=f"ratio {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    dataset, n_classes, size, rho, n_test, release, epsilon, delta, n_min = PRESETS[name]
    st.session_state[data_choice().key] = COUNTING[dataset].title
    st.session_state[DATA] = dataset
    st.session_state[RELEASE.key] = RELEASES[release].title if release else RELEASE.default
    st.session_state[MIX.key] = SLIDE
    set_sizes, test_sizes = size_settings()
    numbers = {CLASSES: n_classes, set_sizes: size, COPIES: 1, RHO: rho, test_sizes: n_test}
    numbers |= {EPSILON: epsilon, DELTA: delta, N_MIN: n_min}
    settings.assign({setting.key: value for setting, value in numbers.items()})


def lesson(below: Callable[[Shown], None]) -> live.Lesson:
    """How the draws are followed; `below` shows one look at them."""

    def show(shown: Shown) -> None:
        layout.figure(
            "shares",
            charts.proportions(shown.draws, shown.methods),
            shares_words(shown),
            lambda: class_ratio.table(shown.draws),
            code(shown.question),
        )
        with st.container(key="rest"):
            st.caption(
                "**Spread on set names** takes the name of a record’s set for a lie about its class. **MMD** looks for "
                "the mixture of training sets whose mean in a kernel’s feature space is nearest. **All labels** knows "
                "the class of every training record; the others know the sets’ proportions alone."
            )
            below(shown)

    return live.Lesson(_jobs, answer, waiting, takeaway, show, "Nothing can be found here.")


def _jobs(question: Question) -> list[Job]:
    """The draws that are made away from the screen."""
    return live.one_job("ratio", question, class_ratio.run, slow=question.n_records > LARGE)


def answer(question: Question) -> Shown:
    """Make the first draw, at once where that is quick, and ask for the others."""
    return Shown(question, *live.draws_so_far(question, _jobs(question), cached.one_ratio_draw))


# --- words ---------------------------------------------------------------------------------------


def waiting(question: Question) -> str:
    """What is being done before there is anything to show."""
    config = question.config
    n_sets, records = 2 * config.copies * config.n_classes, counting_task(config.dataset).records
    slow = MMD in config.methods and question.n_records > LARGE
    large = " The exact kernel of so many records takes a minute or two a draw." if slow else ""
    return f"<b>{n_sets} sets of {config.set_size:,} {records}</b> are being drawn and learnt from.{large}"


def takeaway(shown: Shown) -> str:
    """The one sentence: what is found, how far off, and what all labels would give."""
    config, draws = shown.question.config, shown.draws
    first = shown.task.words[shown.task.classes.index(config.chosen_classes[0])]
    blind = [name for name in shown.methods if name not in LABELLED][:2]
    tried = blind or list(shown.methods[:1])
    found = text.a_list(
        tuple(
            f"{CLASS_RATIO[name].title} finds <b>{text.share(estimate.mean)}</b>{_half(estimate)}"
            for name in tried
            for estimate in (class_ratio.share_of(draws, name, 0),)
        )
    )
    off = text.a_list(tuple(bold_interval(class_ratio.error(draws, name)) for name in tried))
    every = "Both shares" if config.n_classes == 2 else f"All {config.n_classes} shares"
    n_sets = 2 * config.copies * config.n_classes
    source = f"{n_sets} sets whose {_proportions(shown)} known" if blind else f"{n_sets} sets with every label"
    start = (
        f"Of {config.n_test:,} {shown.task.records}, {text.share(draws[0].truth[0])} {first}. From {source}, {found}. "
        f"{every} together are off by {off} (sum of absolute errors)"
    )
    ceiling = [name for name in (EM, PCC) if name in shown.methods and name not in tried][:1]
    if ceiling:
        start += f", against {class_ratio.error(draws, ceiling[0]).mean:.3f} with every training label"
    return f"{start}.{_verdict(shown)}{_cost(shown) if blind else ''}{_alike(shown) if blind else ''}"


def _half(estimate: Estimate) -> str:
    if not math.isfinite(estimate.low):
        return ""
    if math.isclose(estimate.high - estimate.mean, estimate.mean - estimate.low, rel_tol=1e-6):
        return f" ± {100 * (estimate.high - estimate.mean):.1f} points"
    return f" ({text.between(estimate.low, estimate.high)})"


def _proportions(shown: Shown) -> str:
    config, draw = shown.question.config, shown.draws[0]
    if not config.private:
        return "true proportions are"
    times = max(some.most_sets for some in shown.draws)
    promise = f"ε = {text.epsilon(config.epsilon)}, δ = {text.power_of_ten(config.delta)}"
    if RELEASES[config.release].data_dependent:
        promise = f"no formal guarantee: chosen from the private counts for {promise}"
    elif not draw.holds:
        promise = f"its promise of {promise} is void"
    elif times > 1:
        promise = f"private, {promise}; {times} times that for records that are in {times} sets"
    else:
        promise = f"private, {promise}"
    return f"proportions, with noise ({promise}), are"


def _verdict(shown: Shown) -> str:
    """Spread on set names against MMD, on the same draws and all mixes."""
    kernel = next((name for name in (MMD, RFF) if name in shown.methods), None)
    if SPREAD not in shown.methods or kernel is None:
        return ""
    if len(shown.draws) < live.ENOUGH:
        return f" {in_words(shown.draws).capitalize()} cannot tell which method is better."
    gap = class_ratio.difference(shown.draws, SPREAD, kernel)
    if not gap.excludes_zero:
        return f" No difference shows between spread and MMD in {in_words(shown.draws)}, over all mixes."
    ahead, behind = ("spread", "MMD") if gap.mean < 0 else ("MMD", "spread")
    return f" Over all mixes, {ahead}’s error is {abs(gap.mean):.3f} below {behind}’s."


def _alike(shown: Shown) -> str:
    """A warning where the sets hardly differ."""
    row = shown.draws[0].proportions[0]
    if row.max() - row.min() > ALIKE:
        return ""
    return (
        f" <b>The sets are nearly alike</b> (the common class of a set has {text.share(row.max())}, the others "
        f"{text.share(row.min())}), so hardly anything tells classes apart: lower ρ."
    )


def _cost(shown: Shown) -> str:
    config = shown.question.config
    if not config.private:
        return ""
    moved = sum(draw.distortion for draw in shown.draws) / len(shown.draws)
    lost = [draw for draw in shown.draws if draw.problem]
    flat = f" In {in_words(lost)} released proportions cannot tell the classes apart." if lost else ""
    return f" With {shown.draws[0].noise}, the proportions of a training set have moved by {moved:.3f}.{flat}"


def shares_words(shown: Shown) -> str:
    """Every method's shares in a sentence, and what the figure's marks are."""
    config, draws = shown.question.config, shown.draws
    classes = config.labels
    some = range(min(3, len(classes)))
    marks = "; ".join(
        f"{CLASS_RATIO[name].title} finds "
        + ", ".join(f"{classes[c]}: {text.share(class_ratio.share_of(draws, name, c).mean)}" for c in some)
        + f", L1 error {interval(class_ratio.error(draws, name))}"
        for name in shown.methods
    )
    over = f"95 % intervals over {len(draws)} draws" if len(draws) > 1 else "One draw, so no interval is known"
    true = ", ".join(f"{classes[c]}: {text.share(draws[0].truth[c])}" for c in some)
    more = " and so on" if len(classes) > 3 else ""
    return f"True shares, {true}{more}. {marks[:1].upper()}{marks[1:]}. {over}; grey bars without pattern: the truth."


def code(question: Question) -> str:
    """The lines that compute the figure."""
    return "\n".join(
        [
            *own.imports(question.config),
            "from privdemo.experiments import class_ratio",
            "from privdemo.experiments.class_ratio import RatioConfig",
            "from privdemo.experiments.draws import at_draw",
            "",
            *own.code(question.config),
            f"draws = [class_ratio.run(at_draw(config, i)) for i in range({question.n_draws})]",
            "for method in draws[0].fits:",
            "    print(method, class_ratio.error(draws, method))",
        ]
    )
