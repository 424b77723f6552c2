"""The tab on the paper's claim: its 0.06 for scaled Dirichlet, what its criterion gives, and what the exact δ does."""

from __future__ import annotations

from pages.kit import cache
from pages.kit.panel import Cards, Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.label_counts.answer import Answer
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig, Settled
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES

# The published distortion is read off a figure, to about so much.
_READ_OFF = 0.01

settled = cache.shared(label_counts.settle)
shipped = cache.shared(label_counts.load)


def panels(shown: Answer) -> list[Panel]:
    """The claim settled at its own design, and figure 1 anew."""
    config = CountConfig()
    found = settled(config)
    values = vars(found)
    return [
        Panel(question="Does the paper’s claim come out?", answer=claim_words(found, config)),
        Panel(
            "claim",
            figure=Cards(_cards(found, config)),
            summary="Each number is computed here: Beta tails for the criterion and the exact δ, "
            f"{label_counts.SETTLING:,} releases for distortions. Why the paper’s figure shows what its equation 9 "
            "does not give cannot be told from what is printed.",
            rows=lambda: [values],
            snippet=Snippet(
                ("from privdemo.experiments import label_counts",),
                ("print(label_counts.settle(label_counts.CountConfig()))",),
            ),
        ),
        _figure_1(shown.question.axis),
    ]


def claim_words(found: Settled, config: CountConfig) -> str:
    """Whether the published distortion comes out by the published criterion."""
    rare, (common,) = config.counts[:-1], config.counts[-1:]
    verdict = (
        "By its own criterion, too."
        if found.by_criterion <= found.published + _READ_OFF
        else "Not by its own criterion."
    )
    return (
        f"{verdict} On {len(config.counts)} classes, {len(rare)} of {rare[0]:,} labels and one of {common:,}, with "
        f"ε = {config.epsilon:g} and δ = {config.delta:g}, the paper plots a distortion of about {found.published:g} "
        f"for scaled Dirichlet and {label_counts.PUBLISHED['laplace published']:g} for the best of the others. Its "
        f"criterion (equation 9) allows σ only so small that the distortion is <b>{found.by_criterion:.2f}</b>; the "
        f"exact δ allows <b>{found.by_exact:.3f}</b>. Tight Gaussian noise, whose promise needs no look at the "
        f"counts, gives {found.gaussian:.3f}."
    )


def _cards(found: Settled, config: CountConfig) -> list[tuple[str, str, str]]:
    """The published number, and what each way to choose σ gives."""
    beyond = "above" if found.criterion > config.delta else "within"
    return [
        ("Published", f"{found.published:g}", "What the paper’s text and figure 1 say of scaled Dirichlet."),
        (
            "By the published criterion",
            f"{found.by_criterion:.3f}",
            "The largest σ with P(loss > ε) ≤ δ. That is far more than is needed, as the loss exceeds ε often and by "
            "little; and it looks one way only, from the data to a neighbour.",
        ),
        (
            "By the exact profile",
            f"{found.by_exact:.3f}",
            f"The largest σ whose exact δ is {config.delta:g}. Like the criterion it looks at the private counts: no "
            "formal guarantee.",
        ),
        (
            "At the published distortion",
            f"σ = {found.sigma:.3f}",
            f"This σ gives {found.published:g}. The criterion says {found.criterion:.2f} there, {beyond} the "
            f"{config.delta:g} that is allowed. At these counts the δ of that σ is {found.exact:.3f}; chosen from "
            "them, it has no formal guarantee.",
        ),
    ]


def _figure_1(axis: str) -> Panel:
    """The shipped distortions at the paper's design, along the lever that is chosen."""
    rows = [row for row in shipped() if row.axis == axis]
    design = {
        label_counts.C_AXIS: f"{label_counts.CLASSES} classes",
        label_counts.RHO_AXIS: f"a share of {label_counts.RHO:g} for every class but the last",
        label_counts.EPSILON_AXIS: f"ε = {label_counts.EPSILON:g}",
        label_counts.DELTA_AXIS: f"δ = {label_counts.DELTA:g}",
    }
    fixed = ", ".join(words for lever, words in design.items() if lever != axis)
    return Panel(
        "figure-1",
        figure=Chart(charts.along(axis, label_counts.figure_1(rows, axis), None)),
        summary=f"Figure 1 of the paper anew, whatever your counts are: {label_counts.TOTAL:,} labels, {fixed}; means "
        f"over {rows[0].n_draws} batches of {label_counts.BATCH} releases, 95 % intervals. “Along” above chooses the "
        "lever. Stars: what the paper’s text gives. n_min is half the smallest count.",
        rows=lambda: [
            vars(row) | {"mechanism": RELEASES[row.release].title, "published": label_counts.published(row)}
            for row in rows
        ],
        snippet=Snippet(
            ("from privdemo.experiments import label_counts",),
            ("print(label_counts.load())", "# anew, in seconds: python -m privdemo reproduce distortion"),
        ),
    )
