"""The chapters on one release, the promise, the best release and all numbers; one pure function each."""

from __future__ import annotations

from collections.abc import Sequence

from pages.kit import numbers
from pages.kit.panel import Chart, Panel, Prediction, Scale, Table
from pages.topics.label_counts.answer import (
    Answer,
    along_snippet,
    best,
    off_by,
    print_outcomes,
    small,
    snippet,
    table,
    tied_words,
)
from pages.topics.label_counts.question import Question
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import Outcome, Winner
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import LABEL_COUNTS

# The name of the guess that the page begins with.
GUESS = "counts-off-by"
# The table of the profile, and the code that prints it, go up to this multiple of the question’s ε in this many steps.
_TABLE_TO, _TABLE_STEPS = 3, 60


def _title(name: str) -> str:
    """Return a release’s title."""
    return RELEASES[name].title


# --- one release ---------------------------------------------------------------------------------


def released_counts(answer: Answer) -> list[Panel]:
    """Return the panel of one release beside the true counts."""
    question, outcome, counts = answer.question, answer.chosen, answer.question.config.counts
    if outcome.problem:
        return [Panel()]
    order = sorted(range(len(counts)), key=lambda c: counts[c])
    shown = sorted(order[: charts.MOST_BARS])
    some = f"The {len(shown)} smallest of {len(counts)} classes" if len(shown) < len(counts) else "All classes"
    total, names = sum(counts), question.class_names
    return [
        Panel(
            "released",
            figure=Chart(charts.beside(counts, outcome, shown, names, "patients" if question.names else "people")),
            summary=f"{some}: the true count, one publication (the first with this seed), and where 95 % "
            f"of {question.config.repeats:,} simulated publications lie. "
            f"{_largest_change(outcome, counts, shown, names)} Shares are released; here they are written as counts of "
            f"the {total:,} people, whose number is public. {noise_words(outcome)}",
            rows=lambda: [
                {"class": names[c], "true": counts[c], "released": outcome.example[c] * total}
                | {"low": outcome.ranges[c][0] * total, "high": outcome.ranges[c][1] * total}
                for c in range(len(counts))
            ],
            snippet=snippet(question).then(
                f'outcome = outcomes["{outcome.release}"]',
                "people = sum(config.counts)",
                'print("each off by", outcome.distortion.mean * people / len(config.counts), "on average")',
                "print([share * people for share in outcome.example], outcome.ranges)",
            ),
            note=_delta_words(question, total),
            prediction=_prediction(question, outcome, shown),
        )
    ]


def _delta_words(question: Question, total: int) -> str:
    """Say that δ is large beside the number of people, and why it is; empty if it is not."""
    delta = question.config.delta
    large = numbers.large_delta_words(total, delta, "illness" if question.names else "class")
    if not large or delta != label_counts.DELTA:
        return large
    return f"{large} {numbers.power_of_ten(delta)} is the δ of a paper; change it in Settings."


def _prediction(question: Question, outcome: Outcome, shown: Sequence[int]) -> Prediction | None:
    """Return the guess by how many people the counts are off; None where the classes have no names."""
    if not question.names:
        return None
    counts, total = question.config.counts, sum(question.config.counts)
    off_by = outcome.distortion.mean * total / len(counts)
    scale = Scale(0.0, 20.0, 0.5, " patients") if off_by <= 10 else Scale(0.0, float(total), 1.0, " patients")
    return Prediction(
        GUESS,
        f"A clinic has counted its {total:,} patients by illness. {_protection(question, outcome)}, it changes every "
        f"count by a random number (noise) before it publishes the {len(counts)} counts. <b>By how many patients is "
        "a published count off, on average?</b>",
        off_by,
        scale,
        Chart(charts.beside(counts, outcome, shown, question.class_names, "patients", is_covered=True)),
        "The noise has to hide one patient’s illness, however many patients are counted.",
        "Your guess: how many patients a count is off, on average",
    )


def _protection(question: Question, outcome: Outcome) -> str:
    """Say what the noise is for, if it keeps its promise."""
    if not outcome.holds:
        return "To protect each patient, without a guarantee"
    if numbers.protection(question.config.epsilon) == "weak":
        return "To give each patient weak protection"
    return "So that nobody can be sure of any one patient’s illness"


def _largest_change(outcome: Outcome, counts: Sequence[int], shown: Sequence[int], names: Sequence[str]) -> str:
    """Say which count one release changes most in proportion, and how far it lies in other releases."""
    total = sum(counts)
    worst = max(shown, key=lambda c: abs(outcome.example[c] * total - counts[c]) / max(1, counts[c]))
    low, high = (end * total for end in outcome.ranges[worst])
    return (
        f"Changed most in proportion: “{names[worst]}” has {counts[worst]:,} people, this publication says "
        f"{outcome.example[worst] * total:,.0f}, and 95 of 100 publications say between {low:,.0f} and {high:,.0f}."
    )


def noise_words(outcome: Outcome) -> str:
    """Say how the noise of a release is made."""
    assert outcome.mechanism is not None
    words = f"What is done: {outcome.mechanism.noise}."
    if RELEASES[outcome.release].data_dependent:
        words += " That σ is chosen from the secret counts: no guarantee."
    return words


# --- the promise ---------------------------------------------------------------------------------


def the_promise(answer: Answer) -> list[Panel]:
    """Return the panel of δ as a function of ε for the chosen release."""
    heading, question, outcome = "Is the promise kept?", answer.question, answer.chosen
    if outcome.problem:
        return [Panel(question=heading, answer=numbers.error_sentence_html(outcome.problem))]
    config = question.config
    names = dict.fromkeys((question.release, "laplace tight", "gaussian tight", "gaussian published"))
    curves = {name: m for name in names if (m := answer.outcomes[name].mechanism) is not None}
    epsilons = [config.epsilon * i * _TABLE_TO / _TABLE_STEPS for i in range(_TABLE_STEPS + 1)]
    return [
        Panel(
            "profile",
            heading,
            promise_words(question, outcome),
            Chart(charts.profiles(curves, question.release, config.epsilon, config.delta)),
            f"{exact_words(question, outcome)} For every ε the line gives the smallest δ that holds for the noisy "
            "counts: every promise on or above a line is kept. The cross is the promise that was asked for. Laplace "
            "noise has δ = 0 from some ε on, where its line ends. At ε = 0, δ is how far apart the releases of two "
            "sets can be that differ in one label.",
            lambda: [
                {"epsilon": e, **LABEL_COUNTS[name].columns, "guarantee": RELEASES[name].guarantee}
                | {"delta": m.delta_at(e)}
                for name, m in curves.items()
                for e in epsilons
            ],
            snippet(question).then(
                f"epsilons = [config.epsilon * i * {_TABLE_TO} / {_TABLE_STEPS} for i in range({_TABLE_STEPS + 1})]",
                f'print(label_counts.profile(outcomes["{question.release}"].mechanism, epsilons))',
            ),
        )
    ]


def promise_words(question: Question, outcome: Outcome) -> str:
    """Say whether a release keeps its promise, and whether it wastes noise."""
    config, title = question.config, numbers.capital(_title(outcome.release))
    promise = f"ε = {numbers.epsilon(config.epsilon)}, δ = {numbers.power_of_ten(config.delta)}"
    if RELEASES[outcome.release].data_dependent:
        return (
            f"{title}: <b>no guarantee</b> of {promise}. Its noise is chosen from the secret counts, and would be "
            "another with one label changed."
        )
    if outcome.delta > config.delta * (1 + 1e-9):
        return f"{title} <b>breaks</b> the promise of {promise}: its δ is {small(outcome.delta)}."
    if RELEASES[outcome.release].tight:
        return f"{title} keeps the promise of {promise}, with as little noise as possible."
    if outcome.delta >= config.delta:
        return f"{title} keeps the promise of {promise}."
    return f"{title} keeps the promise of {promise} with <b>too much noise</b>: its δ is only {small(outcome.delta)}."


def exact_words(question: Question, outcome: Outcome) -> str:
    """Say the exact δ of a release, and what it applies to."""
    config, release = question.config, RELEASES[outcome.release]
    where = ", for the noisy counts"
    if release.data_dependent:
        where = " if its σ had been chosen beforehand; chosen from the secret counts, the true δ can be larger"
    elif release.public_bound:
        where = f", for the worst set whose classes have at least {config.n_min:,} labels, the public minimum"
    return f"At ε = {numbers.epsilon(config.epsilon)} the δ of {release.title} is {small(outcome.delta)}{where}."


# --- who wins ------------------------------------------------------------------------------------


def who_wins(answer: Answer) -> list[Panel]:
    """Return the table of the release with the least distortion at every δ."""
    question, config = answer.question, answer.question.config
    along = answer.along(label_counts.DELTA_AXIS)
    winners = label_counts.winners(along)
    heads = ["δ", "noise with the least distortion", "its distortion", "statistically tied"]
    body = [
        [
            numbers.power_of_ten(w.delta),
            _title(w.release),
            numbers.distance(w.distortion),
            "; ".join(_title(name) for name in w.tied) or "none",
        ]
        for w in reversed(winners)
    ]
    return [
        Panel(
            "winners",
            "Which noise is the smallest?",
            f"At ε = {numbers.epsilon(config.epsilon)} the least distortion comes from {winner_words(winners)}.",
            Table(heads, body, labelled=True),
            f"Your counts and ε = {numbers.epsilon(config.epsilon)}, for several δ; mean L1 distortion over "
            f"{config.repeats:,} releases. Only releases that keep (ε, δ) without a look at the secret counts take "
            "part: not scaled Dirichlet with σ from the counts, nor any whose exact δ is larger than was asked for.",
            lambda: table(along, label_counts.DELTA_AXIS),
            along_snippet(question, label_counts.DELTA_AXIS).then(
                "for winner in label_counts.winners(outcomes):", "    print(winner)"
            ),
        )
    ]


def winner_words(winners: Sequence[Winner]) -> str:
    """List runs of δ with one winner, from large to small."""
    runs: list[list[Winner]] = []
    for winner in reversed(winners):
        if runs and runs[-1][0].release == winner.release:
            runs[-1].append(winner)
        else:
            runs.append([winner])
    parts = []
    for run in runs:
        high, low = numbers.power_of_ten(run[0].delta), numbers.power_of_ten(run[-1].delta)
        where = f"at δ = {high}" if len(run) == 1 else f"for δ from {high} down to {low}"
        tied = tuple(dict.fromkeys(name for winner in run for name in winner.tied))
        parts.append(f"<b>{_title(run[0].release)}</b> {where}{tied_words(tied)}")
    return "; then ".join(parts)


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(answer: Answer) -> list[Panel]:
    """Return the table of every release of the visitor’s counts."""
    config, outcomes = answer.question.config, answer.outcomes
    least, total = best(outcomes), sum(answer.question.config.counts)
    return [
        Panel(
            "all-releases",
            "How do all kinds of noise compare?",
            f"{numbers.capital(_title(least.release))} keeps the promise with the least distortion: "
            f"<b>{numbers.distance(least.distortion.mean)}</b>, or off by {off_by(least.distortion.mean, total)} of "
            f"{total:,} people, all counts together.",
            Table(
                ["noise", "distortion", "off by, in people", "δ at your ε", "promise kept"],
                [_table_row(name, outcome, total) for name, outcome in outcomes.items()],
                labelled=True,
            ),
            f"{config.repeats:,} releases each. Distortion: L1 distance of released and true shares, ± half the "
            "95 % interval of its mean. δ is that of the noisy counts; where σ comes from the secret counts, as if it "
            "did not. The chapter on the paper’s claim has other numbers for the same releases, as it makes more of "
            "them.",
            lambda: table({config.epsilon: outcomes}, "epsilon"),
            print_outcomes(answer.question),
        )
    ]


def _table_row(name: str, outcome: Outcome, total: int) -> list[str]:
    """Return one release’s row of the table."""
    if outcome.problem:
        return [_title(name), "–", "–", "–", numbers.error_sentence_html(outcome.problem)]
    return [
        _title(name),
        numbers.with_half(outcome.distortion, numbers.plain_scale(outcome.distortion)),
        off_by(outcome.distortion.mean, total),
        small(outcome.delta) if outcome.delta > 0 else "0",
        _holds(outcome),
    ]


def _holds(outcome: Outcome) -> str:
    """Say whether the promise is kept and, if not, why."""
    if outcome.holds:
        return "yes"
    return "no: σ from the secret counts" if RELEASES[outcome.release].data_dependent else "no: δ too large"
