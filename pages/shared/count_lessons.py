"""What can be looked at below the distortion of released counts, one thing at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pages.shared import cached, count_controls, layout, settings, text
from pages.shared.count_controls import Question
from pages.shared.count_panels import best, code, level_words, misplaced, table
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import Outcome, Winner
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES

Outcomes = Mapping[str, Outcome]


def show(question: Question, outcomes: Outcomes) -> None:
    """Draw the lesson that is chosen."""
    lessons = {
        count_controls.COUNTS_SEEN: released_counts,
        count_controls.PROMISE: the_promise,
        count_controls.WINNERS: who_wins,
        count_controls.CLAIM: the_claim,
        count_controls.ADVERSARY: the_adversary,
        count_controls.NUMBERS: all_numbers,
    }
    lessons[settings.choose(count_controls.LESSON, "Look at")](question, outcomes)


def _title(name: str) -> str:
    return RELEASES[name].title


def _more_code(question: Question, *lines: str) -> str:
    return "\n".join((code(question), *lines))


def _no_noise(outcome: Outcome, asked: str) -> bool:
    """Answer what is `asked` with why there is no such noise, if there is none."""
    if outcome.problem:
        layout.section(asked, text.sentence(outcome.problem))
    return bool(outcome.problem)


def released_counts(question: Question, outcomes: Outcomes) -> None:
    """One release beside the true counts."""
    outcome, counts = outcomes[question.release], question.config.counts
    if _no_noise(outcome, "What is released?"):
        return
    order = sorted(range(len(counts)), key=lambda c: counts[c])
    shown = sorted(order[: charts.MOST_BARS])
    some = f"The {len(shown)} smallest of {len(counts)} classes" if len(shown) < len(counts) else "All classes"
    total = sum(counts)
    worst = max(shown, key=lambda c: abs(outcome.example[c] * total - counts[c]) / max(1, counts[c]))
    layout.section(
        "What is released?",
        f"Class {worst + 1} has {counts[worst]:,} labels. In the release shown {_title(outcome.release)} gives it "
        f"<b>{outcome.example[worst] * total:,.1f}</b>, the largest change of {_all_or(shown, counts)}, and in 95 % of "
        f"releases between {outcome.ranges[worst][0] * total:,.1f} and {outcome.ranges[worst][1] * total:,.1f}. "
        f"{_noise_words(outcome)}",
    )
    layout.figure(
        "released",
        charts.beside(counts, outcome, shown),
        f"{some}: true counts, one release (the first with this seed), and where 95 % of {question.config.repeats:,} "
        f"releases lie. Released proportions are of {total:,} labels, a number that is public.",
        lambda: [
            {"class": c + 1, "true": counts[c], "released": outcome.example[c] * total}
            | {"low": outcome.ranges[c][0] * total, "high": outcome.ranges[c][1] * total}
            for c in range(len(counts))
        ],
        _more_code(question, f'print(outcomes["{outcome.release}"].example, outcomes["{outcome.release}"].ranges)'),
    )


def _all_or(shown: Sequence[int], counts: Sequence[int]) -> str:
    return "all classes" if len(shown) == len(counts) else "the classes shown"


def _noise_words(outcome: Outcome) -> str:
    assert outcome.mechanism is not None
    words = f"What is done: {outcome.mechanism.noise}."
    if RELEASES[outcome.release].data_dependent:
        words += " That σ is chosen from the private counts: no formal guarantee."
    return words


def the_promise(question: Question, outcomes: Outcomes) -> None:
    """The δ(ε) of the chosen mechanism."""
    config, outcome = question.config, outcomes[question.release]
    if _no_noise(outcome, "What does the mechanism promise?"):
        return
    named = dict.fromkeys((question.release, "laplace tight", "gaussian tight", "gaussian published"))
    curves = {name: m for name in named if (m := outcomes[name].mechanism) is not None}
    layout.section("What does the mechanism promise?", _promise_words(question, outcome))
    layout.figure(
        "profile",
        charts.profiles(curves, question.release, config.epsilon, config.delta),
        "For every ε the smallest δ that holds for the noisy counts: a mechanism keeps any promise on or above its "
        "line. The cross is the promise that was asked for. Laplace noise has δ = 0 from some ε on, where its "
        "line ends. At ε = 0, δ is how far apart the releases of two "
        "neighbours can be.",
        lambda: [
            {"epsilon": e, "mechanism": _title(name), "guarantee": RELEASES[name].guarantee, "delta": m.delta_at(e)}
            for name, m in curves.items()
            for e in (config.epsilon * i / 20 for i in range(61))
        ],
        _more_code(
            question,
            "epsilons = [config.epsilon * i / 20 for i in range(61)]",
            f'print(label_counts.profile(outcomes["{question.release}"].mechanism, epsilons))',
        ),
    )


def _promise_words(question: Question, outcome: Outcome) -> str:
    """The δ of a mechanism, what it is of, and whether noise is wasted."""
    config, release = question.config, RELEASES[outcome.release]
    wanted = text.power_of_ten(config.delta)
    start = f"At ε = {text.epsilon(config.epsilon)} the δ of {release.title} is {_small(outcome.delta)}"
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
    return f"{value:.3g}" if value >= 1e-3 or value == 0 else text.power_of_ten(float(f"{value:.2g}"))


def who_wins(question: Question, outcomes: Outcomes) -> None:
    """Which mechanism distorts least, at every δ."""
    config = question.config
    along = cached.released_along(config, label_counts.DELTA_AXIS, question.n_classes, question.total, question.rho)
    winners = label_counts.winners(along)
    layout.section("Which mechanism distorts least?", _winner_words(winners, question))
    heads = ["δ", "least distortion", "", "as good within their intervals"]
    body = [
        [
            text.power_of_ten(w.delta),
            _title(w.release),
            text.distance(w.distortion),
            ", ".join(_title(name) for name in w.level) or "none",
        ]
        for w in reversed(winners)
    ]
    layout.grid(heads, body)
    layout.under_figure(
        "winners",
        f"Your counts and ε = {text.epsilon(config.epsilon)}, for several δ; mean L1 distortion over "
        f"{config.repeats:,} releases. Only mechanisms that keep (ε, δ) without a look at the private counts take "
        "part: not scaled Dirichlet with σ from the counts, nor any whose exact δ is above the wish.",
        lambda: table(along, "delta"),
        lambda: layout.grid_page(heads, body),
        _more_code(
            question,
            f'along = label_counts.along(config, "delta", {question.n_classes}, {question.total}, {question.rho})',
            "for winner in label_counts.winners(along):",
            "    print(winner)",
        ),
    )


def _winner_words(winners: list[Winner], question: Question) -> str:
    """Runs of δ with one winner, from large to small."""
    runs: list[list[Winner]] = []
    for winner in reversed(winners):
        if runs and runs[-1][0].release == winner.release:
            runs[-1].append(winner)
        else:
            runs.append([winner])
    parts = []
    for run in runs:
        high, low = text.power_of_ten(run[0].delta), text.power_of_ten(run[-1].delta)
        where = f"at δ = {high}" if len(run) == 1 else f"from δ = {high} down to {low}"
        level = tuple(dict.fromkeys(name for winner in run for name in winner.level))
        parts.append(f"<b>{_title(run[0].release)}</b> {where}{level_words(level)}")
    return (
        f"With ε = {text.epsilon(question.config.epsilon)} and your counts, the least distortion is that of "
        f"{'; then of '.join(parts)}."
    )


def the_claim(question: Question, outcomes: Outcomes) -> None:
    """The paper's 0.06 for scaled Dirichlet: what its criterion gives, and what the exact profile does."""
    s, others = cached.settled(), label_counts.PUBLISHED["laplace published"]
    layout.section(
        "Does the paper’s claim come out?",
        f"Not by its own criterion. On five classes, four of 50 labels and one of 800, with ε = δ = 0.05, the "
        f"paper "
        f"plots a distortion of about {s.published:g} for scaled Dirichlet and {others:g} for the best of the "
        f"others. Its "
        f"criterion (equation 9) allows σ only so small that the distortion is <b>{s.by_criterion:.2f}</b>; the "
        f"exact δ allows <b>{s.by_exact:.3f}</b>. Tight Gaussian noise, whose promise needs no look at the "
        f"counts, gives {s.gaussian:.3f}.",
    )
    layout.cards(
        [
            ("Published", f"{s.published:g}", "What the paper’s text and figure 1 say of scaled Dirichlet."),
            (
                "By the published criterion",
                f"{s.by_criterion:.3f}",
                "The largest σ with P(loss > ε) ≤ δ. That is far more than is needed, as the loss exceeds ε often and "
                "by little; and it looks one way only, from the data to a neighbour.",
            ),
            (
                "By the exact profile",
                f"{s.by_exact:.3f}",
                "The largest σ whose exact δ is 0.05. Like the criterion it looks at the private counts: no formal "
                "guarantee.",
            ),
            (
                "At the published distortion",
                f"σ = {s.sigma:.3f}",
                f"This σ gives {s.published:g}. The criterion says {s.criterion:.2f} there, far above 0.05, so the "
                f"paper’s procedure as printed cannot have chosen it. At these counts the δ of that σ is "
                f"{s.exact:.3f}; "
                "chosen from them, it has no formal guarantee.",
            ),
        ]
    )
    layout.under_figure(
        "claim",
        "Each number is computed here: Beta tails for the criterion and the exact δ, 2,000 releases for distortions. "
        "Why the paper’s figure shows what its equation 9 does not give cannot be told from what is printed.",
        lambda: [vars(s)],
        lambda: layout.grid_page(["", ""], [[name, f"{value:.6g}"] for name, value in vars(s).items()]),
        "from privdemo.experiments import label_counts\n\nprint(label_counts.settle(label_counts.CountConfig()))",
    )
    _figure_1()


def _figure_1() -> None:
    """The shipped distortions at the paper's design, along the lever that is chosen."""
    axis = count_controls.AXES[settings.current(count_controls.AXIS)]
    rows = [row for row in cached.distortion_rows() if row.axis == axis]
    design = {
        label_counts.C_AXIS: f"{label_counts.CLASSES} classes",
        label_counts.RHO_AXIS: f"a share of {label_counts.RHO:g} for every class but the last",
        label_counts.EPSILON_AXIS: f"ε = {label_counts.EPSILON:g}",
        label_counts.DELTA_AXIS: f"δ = {label_counts.DELTA:g}",
    }
    fixed = ", ".join(words for lever, words in design.items() if lever != axis)
    n_draws = rows[0].n_draws
    layout.figure(
        "figure-1",
        charts.along(axis, label_counts.figure_1(rows, axis), None),
        f"Figure 1 of the paper anew, whatever your counts are: {label_counts.TOTAL:,} labels, {fixed}; means over "
        f"{n_draws} batches of {label_counts.BATCH} releases, 95 % intervals. “Along” above chooses the lever. Stars: "
        "what the paper’s text gives. n_min is half the smallest count.",
        lambda: [vars(row) | {"published": label_counts.published(row)} for row in rows],
        "from privdemo.experiments import label_counts\n\n"
        "print(label_counts.load())\n"
        "# anew, in seconds: python -m privdemo reproduce distortion",
    )


def the_adversary(question: Question, outcomes: Outcomes) -> None:
    """How often somebody who knows all other labels names the last one."""
    config = question.config
    rates = label_counts.guess_rates(dict(outcomes))
    promised = label_counts.promised_rate(config.epsilon, config.delta)
    release = RELEASES[question.release]
    if release.data_dependent:
        mine = f"For {release.title} no such number holds, as its noise is chosen from the counts. "
    elif question.release in rates:
        which = " for the worst set that n_min allows" if release.public_bound else ""
        mine = (
            f"With {release.title} the guess is right <b>{text.share(rates[question.release])}</b> of the time at "
            f"most{which}; "
        )
    else:
        mine = ""
    layout.section(
        "What does the adversary see?",
        "Somebody who knows every label but one, and that it is of one of two classes, guesses right half the time. "
        f"{mine}ε = {text.epsilon(config.epsilon)} and δ = {text.power_of_ten(config.delta)} allow "
        f"{text.share(promised)} at most. {_leak_words(question)}",
    )
    layout.figure(
        "count-attack",
        charts.attack(rates, promised),
        "The best possible guess from the noisy counts, (1 + δ(0))/2 for the worst two neighbours; what is computed "
        "from noisy counts, as proportions or a Dirichlet sample, tells less. Rule: what (ε, δ) allows. "
        + "; ".join(f"{_title(name)} {text.share(rate)}" for name, rate in rates.items())
        + ". Without a line: noise chosen from the private counts.",
        lambda: [{"mechanism": _title(name), "named at most": rate} for name, rate in rates.items()],
        _more_code(question, "print(label_counts.guess_rates(outcomes))"),
    )


def _leak_words(question: Question) -> str:
    """What noise chosen from the private counts gives away."""
    config = question.config
    try:
        leak = label_counts.leak(config)
    except ValueError:
        return "For these counts scaled Dirichlet has no σ to choose."
    start = f"Noise chosen from the counts can leak by itself: here σ = {leak.sigma:.6g}"
    if math.isnan(leak.neighbour_sigma):
        return f"{start}, and with one label moved there is none, so a release alone tells the two apart."
    own = leak.own_delta
    beyond = (
        f"; between the two, each with its own σ, δ is {own.mean:.4f} (simulated), more than was asked for."
        if own.low > config.delta
        else "; between the two, each with its own σ, δ is no more than was asked for "
        f"({text.distance(own.mean)}, simulated)."
    )
    here, there = f"{leak.sigma:.6g}", f"{leak.neighbour_sigma:.6g}"
    moved = "next to the same" if here == there else there
    return f"{start}, with one label moved it would be {moved}{beyond}{_published_leak(config)}"


def _published_leak(config: label_counts.CountConfig) -> str:
    """The same of the paper's own criterion, if it breaks: δ between two neighbours, each with its own σ."""
    try:
        leak = label_counts.leak(config, "dirichlet published")
    except ValueError:
        return ""
    if math.isnan(leak.neighbour_sigma):
        return " By the paper’s criterion the neighbour has no σ at all, so a release alone tells the two apart."
    if leak.own_delta.low <= config.delta:
        return ""
    return (
        f" By the paper’s criterion it is {leak.sigma:.4g} and {leak.neighbour_sigma:.4g}: between the two, each with "
        f"its own σ, δ is {leak.own_delta.mean:.3f} (simulated), more than was asked for."
    )


def _holds(outcome: Outcome) -> str:
    """Whether the promise is kept, and why not."""
    if outcome.holds:
        return "yes"
    return "no: σ from the private counts" if RELEASES[outcome.release].data_dependent else "no: δ too large"


def all_numbers(question: Question, outcomes: Outcomes) -> None:
    """Every mechanism on the visitor's counts."""
    config = question.config
    least = best(outcomes)
    total = sum(config.counts)
    layout.section(
        "How do all mechanisms compare?",
        f"The least distortion with a promise that holds is that of {_title(least.release)}: "
        f"<b>{text.distance(least.distortion.mean)}</b>, as if {misplaced(least.distortion.mean, total)} of {total:,} "
        "labels had changed class.",
    )
    heads = ["mechanism", "distortion", "labels misplaced", "δ at your ε", "(ε, δ) holds"]
    body = [
        [
            _title(name),
            f"{o.distortion.mean:.4g} ± {o.distortion.high - o.distortion.mean:.2g}",
            misplaced(o.distortion.mean, total),
            _small(o.delta) if o.delta > 0 else "0",
            _holds(o),
        ]
        if not o.problem
        else [_title(name), "–", "–", "–", text.sentence(o.problem)]
        for name, o in outcomes.items()
    ]
    layout.grid(heads, body)
    layout.under_figure(
        "all-releases",
        f"{config.repeats:,} releases each. Distortion: L1 distance of released and true proportions, ± half the 95 % "
        "interval of its mean. δ is that of the noisy counts; where σ comes from the private counts, as if it did not.",
        lambda: table({config.epsilon: outcomes}, "epsilon"),
        lambda: layout.grid_page(heads, body),
        code(question),
    )
