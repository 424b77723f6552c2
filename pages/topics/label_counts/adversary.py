"""The tab on the adversary: how often somebody who knows all other labels names the last one."""

from __future__ import annotations

import math

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel
from pages.topics.label_counts.answer import Answer, snippet
from pages.topics.label_counts.controls import Question
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.verdict import clearly_above

leaked = cache.shared(label_counts.leak, max_entries=256)


def panels(shown: Answer) -> list[Panel]:
    """The best possible guess of one label, for every mechanism."""
    question, config = shown.question, shown.question.config
    rates = label_counts.guess_rates(dict(shown.outcomes))
    promised = label_counts.promised_rate(config.epsilon, config.delta)
    return [
        Panel(
            "count-attack",
            "What does the adversary see?",
            "Somebody who knows every label but one, and that it is of one of two classes, guesses right half the "
            f"time. {_guess_words(question, rates)}ε = {numbers.epsilon(config.epsilon)} and "
            f"δ = {numbers.power_of_ten(config.delta)} allow {numbers.share(promised)} at most. {leak_words(config)}",
            Chart(charts.attack(rates, promised)),
            "The best possible guess from the noisy counts, (1 + δ(0))/2 for the worst two neighbours; what is "
            "computed from noisy counts, as proportions or a Dirichlet sample, tells less. Rule: what (ε, δ) allows. "
            + "; ".join(f"{RELEASES[name].title} {numbers.share(rate)}" for name, rate in rates.items())
            + ". Without a line: noise chosen from the private counts.",
            lambda: [{"mechanism": RELEASES[name].title, "named at most": rate} for name, rate in rates.items()],
            snippet(question).then("print(label_counts.guess_rates(outcomes))"),
        )
    ]


def _guess_words(question: Question, rates: dict[str, float]) -> str:
    """How often the guess is right with the mechanism that the visitor looks at."""
    release = RELEASES[question.release]
    if release.data_dependent:
        return f"For {release.title} no such number holds, as its noise is chosen from the counts. "
    if question.release not in rates:
        return ""
    which = " for the worst set that n_min allows" if release.public_bound else ""
    right = numbers.share(rates[question.release])
    return f"With {release.title} the guess is right <b>{right}</b> of the time at most{which}; "


def leak_words(config: CountConfig) -> str:
    """What noise chosen from the private counts gives away."""
    try:
        leak = leaked(config)
    except ValueError:
        return "For these counts scaled Dirichlet has no σ to choose."
    start = f"Noise chosen from the counts can leak by itself: here σ = {leak.sigma:.6g}"
    if math.isnan(leak.neighbour_sigma):
        return f"{start}, and with one label moved there is none, so a release alone tells the two apart."
    own = leak.own_delta
    beyond = (
        f"; between the two, each with its own σ, δ is {own.mean:.4f} (simulated), more than was asked for."
        if clearly_above(own, config.delta)
        else "; between the two, each with its own σ, δ is no more than was asked for "
        f"({numbers.distance(own.mean)}, simulated)."
    )
    here, there = f"{leak.sigma:.6g}", f"{leak.neighbour_sigma:.6g}"
    moved = "next to the same" if here == there else there
    return f"{start}, with one label moved it would be {moved}{beyond}{_published_leak(config)}"


def _published_leak(config: CountConfig) -> str:
    """What noise by the paper's criterion gives away, if too much: δ between two neighbours, each with its own σ."""
    try:
        leak = leaked(config, "dirichlet published")
    except ValueError:
        return ""
    if math.isnan(leak.neighbour_sigma):
        return " By the paper’s criterion the neighbour has no σ at all, so a release alone tells the two apart."
    if not clearly_above(leak.own_delta, config.delta):
        return ""
    return (
        f" By the paper’s criterion it is {leak.sigma:.4g} and {leak.neighbour_sigma:.4g}: between the two, each with "
        f"its own σ, δ is {leak.own_delta.mean:.3f} (simulated), more than was asked for."
    )
