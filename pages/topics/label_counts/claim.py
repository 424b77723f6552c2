"""The chapter on the paper’s claim: its 0.06 for scaled Dirichlet, beside its own rule and the exact δ."""

from __future__ import annotations

from pages.kit import cache, numbers
from pages.kit.panel import Cards, Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.label_counts.answer import LAPLACE, Answer
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig, Settled
from privdemo.figures import label_counts as charts
from privdemo.methods import LABEL_COUNTS

# The published distortion is read off a figure, to about this precision.
_READ_OFF = 0.01

settled = cache.shared(label_counts.settle)
shipped = cache.shared(label_counts.load)


def panels(answer: Answer, axis: str) -> list[Panel]:
    """Return the check of the claim for the paper’s design, and figure 1 recomputed along an `axis`."""
    config = CountConfig()
    result = settled(config)
    values = vars(result)
    rare, (common,) = config.counts[:-1], config.counts[-1:]
    return [
        Panel(
            "claim",
            "Does the number that Iyer, Nath & Sarawagi (2016) published follow from their own rule?",
            claim_words(result),
            Cards(_cards(answer, result, config)),
            f"The paper’s design: {len(config.counts)} classes, {len(rare)} of {rare[0]:,} labels and one of "
            f"{common:,}, ε = {config.epsilon:g}, δ = {config.delta:g}. For the best of the others the paper plots a "
            f"distortion of {label_counts.PUBLISHED[LAPLACE]:g}; the least Gaussian noise gives {result.gaussian:.3f} "
            "without a look at the counts. Every number but the published ones is computed here: "
            f"the criterion and δ exactly, distortions as means over {label_counts.SETTLING:,} releases. Why the "
            "paper’s figure shows what its equation 9 does not give cannot be told from what is printed.",
            lambda: [values],
            snippet=Snippet(
                ("from privdemo.experiments import label_counts",),
                ("print(label_counts.settle(label_counts.CountConfig()))",),
            ),
        ),
        _figure_1(axis),
    ]


def claim_words(result: Settled) -> str:
    """Say whether the published distortion follows from the published criterion."""
    start = f"the paper plots a distortion of {result.published:g} for scaled Dirichlet"
    if result.by_criterion <= result.published + _READ_OFF:
        return f"Yes: {start}, and its own rule gives <b>{result.by_criterion:.2f}</b>."
    return f"No: {start}, but its own rule gives <b>{result.by_criterion:.2f}</b>."


def other_estimates_words(answer: Answer, config: CountConfig) -> str:
    """List other estimates on the page of the distortion by the published criterion, and say why they differ."""
    name = "dirichlet published"
    row = next(
        row
        for row in shipped()
        if (row.axis, row.level, row.release) == (label_counts.C_AXIS, label_counts.CLASSES, name)
    )
    others = [f"{row.distortion:.3f} over the {row.n_trials * label_counts.BATCH:,} of the chart"]
    own = answer.question.config
    if (own.counts, own.epsilon, own.delta) == (config.counts, config.epsilon, config.delta):
        own_mean = answer.outcomes[name].distortion
        scale = numbers.plain_scale(own_mean)
        others.append(f"{numbers.with_half(own_mean, scale)} over your own {own.repeats:,}")
    return f" The mean over {label_counts.SETTLING:,} releases; by chance it is {numbers.join_words(tuple(others))}."


def _cards(answer: Answer, result: Settled, config: CountConfig) -> list[tuple[str, str, str]]:
    """Return the published number, and what each way to choose σ gives."""
    beyond = "above" if result.criterion > config.delta else "within"
    return [
        ("Published", f"{result.published:g}", "What the paper’s text and figure 1 say of scaled Dirichlet."),
        (
            "By the published criterion",
            f"{result.by_criterion:.3f}",
            "The largest σ with P(loss > ε) ≤ δ: far more noise than is needed, and it looks one way only, from the "
            f"data to a neighbour.{other_estimates_words(answer, config)}",
        ),
        (
            "By the exact profile",
            f"{result.by_exact:.3f}",
            f"The largest σ whose exact δ is {config.delta:g}. Like the criterion it looks at the secret counts: no "
            "guarantee.",
        ),
        (
            "At the published distortion",
            f"σ = {result.sigma:.3f}",
            f"This σ gives {result.published:g}. The criterion is {result.criterion:.2f} there, {beyond} the "
            f"{config.delta:g} that is allowed; the exact δ is {result.exact:.3f}, but chosen from the counts it has "
            "no guarantee.",
        ),
    ]


def _figure_1(axis: str) -> Panel:
    """Return the panel of the shipped distortions for the paper’s design, along the chosen axis."""
    rows = [row for row in shipped() if row.axis == axis]
    design = {
        label_counts.C_AXIS: f"{label_counts.CLASSES} classes",
        label_counts.RHO_AXIS: f"a share of {label_counts.RHO:g} for every class but the last",
        label_counts.EPSILON_AXIS: f"ε = {label_counts.EPSILON:g}",
        label_counts.DELTA_AXIS: f"δ = {label_counts.DELTA:g}",
    }
    fixed = ", ".join(words for other_axis, words in design.items() if other_axis != axis)
    return Panel(
        "figure-1",
        figure=Chart(charts.along(axis, label_counts.figure_1(rows, axis), None)),
        summary=f"Figure 1 of the paper anew, whatever your counts are: {label_counts.TOTAL:,} labels, {fixed}; means "
        f"over {rows[0].n_trials} batches of {label_counts.BATCH} releases, 95 % intervals. “Horizontal axis” above "
        "chooses the axis. Stars: what the paper’s text gives. The public minimum is half the smallest count.",
        rows=lambda: [
            vars(row) | LABEL_COUNTS[row.release].columns | {"published": label_counts.published(row)} for row in rows
        ],
        snippet=Snippet(
            ("from privdemo.experiments import label_counts",),
            ("print(label_counts.load())", "# anew, in seconds: python -m privdemo reproduce distortion"),
        ),
    )
