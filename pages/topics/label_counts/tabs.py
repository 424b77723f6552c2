"""What can be looked at below the distortion of released counts: one pure function a tab."""

from __future__ import annotations

from collections.abc import Sequence

from pages.kit import numbers
from pages.kit.panel import Chart, Panel, Table
from pages.topics.label_counts.answer import (
    Answer,
    along_snippet,
    best,
    level_words,
    misplaced,
    print_outcomes,
    snippet,
    table,
)
from pages.topics.label_counts.controls import Question
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import Outcome, Winner
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES

# The profile is drawn up to so many times the ε that was asked for, in so many steps.
_PROFILE_TO, _PROFILE_STEPS = 3, 60


def _title(name: str) -> str:
    return RELEASES[name].title


# --- one release ---------------------------------------------------------------------------------


def released_counts(shown: Answer) -> list[Panel]:
    """One release beside the true counts."""
    asked, outcome, counts = "What is released?", shown.chosen, shown.question.config.counts
    if outcome.problem:
        return [Panel(question=asked, answer=numbers.sentence(outcome.problem))]
    order = sorted(range(len(counts)), key=lambda c: counts[c])
    seen = sorted(order[: charts.MOST_BARS])
    some = f"The {len(seen)} smallest of {len(counts)} classes" if len(seen) < len(counts) else "All classes"
    total = sum(counts)
    return [
        Panel(
            "released",
            asked,
            _largest_change(outcome, counts, seen),
            Chart(charts.beside(counts, outcome, seen)),
            f"{some}: true counts, one release (the first with this seed), and where 95 % of "
            f"{shown.question.config.repeats:,} releases lie. Released proportions are of {total:,} labels, a number "
            "that is public.",
            lambda: [
                {"class": c + 1, "true": counts[c], "released": outcome.example[c] * total}
                | {"low": outcome.ranges[c][0] * total, "high": outcome.ranges[c][1] * total}
                for c in range(len(counts))
            ],
            snippet(shown.question).then(
                f'print(outcomes["{outcome.release}"].example, outcomes["{outcome.release}"].ranges)'
            ),
        )
    ]


def _largest_change(outcome: Outcome, counts: Sequence[int], seen: Sequence[int]) -> str:
    """The class whose count one release changes most in proportion, and how the noise is made."""
    total = sum(counts)
    worst = max(seen, key=lambda c: abs(outcome.example[c] * total - counts[c]) / max(1, counts[c]))
    among = "all classes" if len(seen) == len(counts) else "the classes shown"
    low, high = (end * total for end in outcome.ranges[worst])
    return (
        f"Class {worst + 1} has {counts[worst]:,} labels. In the release shown {_title(outcome.release)} gives it "
        f"<b>{outcome.example[worst] * total:,.1f}</b>, in proportion the largest change of {among}, and in 95 % of "
        f"releases between {low:,.1f} and {high:,.1f}. {_noise_words(outcome)}"
    )


def _noise_words(outcome: Outcome) -> str:
    assert outcome.mechanism is not None
    words = f"What is done: {outcome.mechanism.noise}."
    if RELEASES[outcome.release].data_dependent:
        words += " That σ is chosen from the private counts: no formal guarantee."
    return words


# --- the promise ---------------------------------------------------------------------------------


def the_promise(shown: Answer) -> list[Panel]:
    """The δ(ε) of the chosen mechanism."""
    asked, question, outcome = "What does the mechanism promise?", shown.question, shown.chosen
    if outcome.problem:
        return [Panel(question=asked, answer=numbers.sentence(outcome.problem))]
    config = question.config
    named = dict.fromkeys((question.release, "laplace tight", "gaussian tight", "gaussian published"))
    curves = {name: m for name in named if (m := shown.outcomes[name].mechanism) is not None}
    epsilons = [config.epsilon * i * _PROFILE_TO / _PROFILE_STEPS for i in range(_PROFILE_STEPS + 1)]
    return [
        Panel(
            "profile",
            asked,
            promise_words(question, outcome),
            Chart(charts.profiles(curves, question.release, config.epsilon, config.delta)),
            "For every ε the smallest δ that holds for the noisy counts: a mechanism keeps any promise on or above its "
            "line. The cross is the promise that was asked for. Laplace noise has δ = 0 from some ε on, where its "
            "line ends. At ε = 0, δ is how far apart the releases of two neighbours can be.",
            lambda: [
                {"epsilon": e, "mechanism": _title(name), "guarantee": RELEASES[name].guarantee, "delta": m.delta_at(e)}
                for name, m in curves.items()
                for e in epsilons
            ],
            snippet(question).then(
                f"epsilons = [config.epsilon * i * {_PROFILE_TO} / {_PROFILE_STEPS} "
                f"for i in range({_PROFILE_STEPS + 1})]",
                f'print(label_counts.profile(outcomes["{question.release}"].mechanism, epsilons))',
            ),
        )
    ]


def promise_words(question: Question, outcome: Outcome) -> str:
    """The δ of a mechanism, what it is of, and whether noise is wasted."""
    config, release = question.config, RELEASES[outcome.release]
    wanted = numbers.power_of_ten(config.delta)
    start = f"At ε = {numbers.epsilon(config.epsilon)} the δ of {release.title} is {_small(outcome.delta)}"
    if release.data_dependent:
        return (
            f"{start} if its σ had been chosen beforehand. But it is chosen from the private counts, and differs at a "
            "neighbour: <b>no formal guarantee</b>, and the true δ can be larger."
        )
    where = (
        f", for the worst set whose classes have at least n_min = {config.n_min:,}"
        if release.public_bound
        else ", for the noisy counts"
    )
    if outcome.delta > config.delta * (1 + 1e-9):
        return f"{start}{where}: the promise of {wanted} is <b>broken</b>."
    if release.tight:
        return f"{start}{where}; less noise would break the promise of {wanted}."
    if outcome.delta >= config.delta:
        return f"{start}{where}, as was asked for."
    return f"{start}{where}: less than the {wanted} that was asked for, and noise is wasted."


def _small(value: float) -> str:
    return f"{value:.3g}" if value >= 1e-3 or value == 0 else numbers.power_of_ten(float(f"{value:.2g}"))


# --- who wins ------------------------------------------------------------------------------------


def who_wins(shown: Answer) -> list[Panel]:
    """Which mechanism distorts least, at every δ."""
    question, config = shown.question, shown.question.config
    along = shown.along(label_counts.DELTA_AXIS)
    winners = label_counts.winners(along)
    heads = ["δ", "least distortion", "", "as good within their intervals"]
    body = [
        [
            numbers.power_of_ten(w.delta),
            _title(w.release),
            numbers.distance(w.distortion),
            ", ".join(_title(name) for name in w.level) or "none",
        ]
        for w in reversed(winners)
    ]
    return [
        Panel(
            "winners",
            "Which mechanism distorts least?",
            f"With ε = {numbers.epsilon(config.epsilon)} and your counts, the least distortion is that of "
            f"{winner_words(winners)}.",
            Table(heads, body),
            f"Your counts and ε = {numbers.epsilon(config.epsilon)}, for several δ; mean L1 distortion over "
            f"{config.repeats:,} releases. Only mechanisms that keep (ε, δ) without a look at the private counts take "
            "part: not scaled Dirichlet with σ from the counts, nor any whose exact δ is above the wish.",
            lambda: table(along, label_counts.DELTA_AXIS),
            along_snippet(question, label_counts.DELTA_AXIS).then(
                "for winner in label_counts.winners(outcomes):", "    print(winner)"
            ),
        )
    ]


def winner_words(winners: Sequence[Winner]) -> str:
    """Runs of δ with one winner, from large to small."""
    runs: list[list[Winner]] = []
    for winner in reversed(winners):
        if runs and runs[-1][0].release == winner.release:
            runs[-1].append(winner)
        else:
            runs.append([winner])
    parts = []
    for run in runs:
        high, low = numbers.power_of_ten(run[0].delta), numbers.power_of_ten(run[-1].delta)
        where = f"at δ = {high}" if len(run) == 1 else f"from δ = {high} down to {low}"
        level = tuple(dict.fromkeys(name for winner in run for name in winner.level))
        parts.append(f"<b>{_title(run[0].release)}</b> {where}{level_words(level)}")
    return "; then of ".join(parts)


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Answer) -> list[Panel]:
    """Every mechanism on the visitor's counts."""
    config, outcomes = shown.question.config, shown.outcomes
    least, total = best(outcomes), sum(shown.question.config.counts)
    return [
        Panel(
            "all-releases",
            "How do all mechanisms compare?",
            f"The least distortion with a promise that holds is that of {_title(least.release)}: "
            f"<b>{numbers.distance(least.distortion.mean)}</b>, as if {misplaced(least.distortion.mean, total)} of "
            f"{total:,} labels had changed class.",
            Table(
                ["mechanism", "distortion", "labels misplaced", "δ at your ε", "(ε, δ) holds"],
                [_row(name, outcome, total) for name, outcome in outcomes.items()],
            ),
            f"{config.repeats:,} releases each. Distortion: L1 distance of released and true proportions, ± half the "
            "95 % interval of its mean. δ is that of the noisy counts; where σ comes from the private counts, as if it "
            "did not.",
            lambda: table({config.epsilon: outcomes}, "epsilon"),
            print_outcomes(shown.question),
        )
    ]


def _row(name: str, outcome: Outcome, total: int) -> list[str]:
    """One mechanism's line of the table."""
    if outcome.problem:
        return [_title(name), "–", "–", "–", numbers.sentence(outcome.problem)]
    return [
        _title(name),
        numbers.with_half(outcome.distortion, numbers.plain_scale(outcome.distortion)),
        misplaced(outcome.distortion.mean, total),
        _small(outcome.delta) if outcome.delta > 0 else "0",
        _holds(outcome),
    ]


def _holds(outcome: Outcome) -> str:
    """Whether the promise is kept, and why not."""
    if outcome.holds:
        return "yes"
    return "no: σ from the private counts" if RELEASES[outcome.release].data_dependent else "no: δ too large"
