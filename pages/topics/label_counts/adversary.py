"""The chapter on the adversary: how often the last label is guessed by someone who knows all the others."""

from __future__ import annotations

import math

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel
from pages.topics.label_counts.answer import Answer, small, snippet
from pages.topics.label_counts.question import Question
from privdemo import accounting
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig
from privdemo.figures import label_counts as charts
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import LABEL_COUNTS
from privdemo.verdict import clearly_above

leaked = cache.shared(label_counts.leak, max_entries=256)


def panels(answer: Answer) -> list[Panel]:
    """Return the best possible guess of one label after some releases, and whether the choice of noise leaks."""
    question, config = answer.question, answer.question.config
    rates = label_counts.guess_rates(dict(answer.outcomes))
    shown = answer.shown_first if rates.keys() & set(answer.shown_first) else tuple(rates)
    promised = accounting.most_guessed_right(config.epsilon, config.delta)
    return [
        Panel(
            "count-attack",
            f"How well can others guess one person’s {_class(question)}?",
            f"{_guess_words(question, rates)} Suppose that somebody knows everybody else’s {_class(question)}, and "
            "that this person has one of two; without the counts, 50 % of such guesses are right.",
            Chart(charts.attack({name: rate for name, rate in rates.items() if name in shown}, promised)),
            "How often the best possible guess is right after a release, at most: "
            + "; ".join(f"{RELEASES[name].title} {numbers.share(rate)}" for name, rate in rates.items())
            + f". Vertical line: what ε = {numbers.epsilon(config.epsilon)} and "
            f"δ = {numbers.power_of_ten(config.delta)} allow, {numbers.share(promised)}. It is computed for the noisy "
            "counts, of the two sets that are hardest to hide from each other; what is made of noisy counts, "
            "such as shares, tells no more. Releases that choose their noise from the secret counts have no such "
            "number.",
            lambda: [{**LABEL_COUNTS[name].columns, "named at most": rate} for name, rate in rates.items()],
            snippet(question).then("print(label_counts.guess_rates(outcomes))"),
        ),
        Panel(question="Can the amount of noise give something away?", answer=leak_words(config)),
    ]


def _guess_words(question: Question, rates: dict[str, float]) -> str:
    """Say how often the guess is right after the visitor’s chosen release."""
    release = RELEASES[question.release]
    if release.data_dependent:
        why = "because the noise is chosen from the secret counts"
        return f"With {release.title} nothing limits how often a guess is right, {why}."
    if question.release not in rates:
        return f"{numbers.capital(release.title)} has no noise that keeps the promise."
    right = numbers.share(rates[question.release])
    return f"They are right <b>{right}</b> of the time at most, with the published counts ({release.title})."


def _class(question: Question) -> str:
    """Return what a class is called."""
    return "illness" if question.names else "class"


def leak_words(config: CountConfig) -> str:
    """Say what noise chosen from the private counts reveals."""
    try:
        leak = leaked(config)
    except ValueError:
        return "For these counts scaled Dirichlet has no noise that keeps the promise, so there is none to choose."
    here, there = f"{leak.sigma:.3g}", f"{leak.neighbour_sigma:.3g}"
    start = f"Yes. Scaled Dirichlet fits its noise to the secret counts: its scale is σ = {here} here"
    if math.isnan(leak.neighbour_sigma):
        return f"{start}. With one person moved there is no σ at all, so that a release gives that person away."
    own, allowed = leak.own_delta, numbers.power_of_ten(config.delta)
    beyond = (
        f"The amount of noise itself tells something, so that protection fails with a chance of δ = {small(own.mean)} "
        f"(simulated), more than the {allowed} that was asked for."
        if clearly_above(own, config.delta)
        else f"Protection still fails with a chance of δ = {numbers.distance(own.mean)} (simulated), no more than the "
        f"{allowed} that was asked for."
    )
    moved = "next to the same" if here == there else there
    return f"{start}, and with one person moved it would be {moved}. {beyond}{_published_leak(config)}"


def _published_leak(config: CountConfig) -> str:
    """Say what δ two neighbours have, each with its own σ by the paper’s criterion, if it is too large."""
    try:
        leak = leaked(config, "dirichlet published")
    except ValueError:
        return ""
    if math.isnan(leak.neighbour_sigma):
        return " By the paper’s criterion there is no σ at all with one person moved, which gives that person away."
    if not clearly_above(leak.own_delta, config.delta):
        return ""
    return (
        f" By the paper’s criterion σ is {leak.sigma:.4g} and {leak.neighbour_sigma:.4g}, and δ = "
        f"{leak.own_delta.mean:.3f} (simulated): more than was asked for, too."
    )
