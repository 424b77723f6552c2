"""The chapter on real deployments: which ε their makers have published, and for what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

from pages.kit import numbers
from pages.kit.panel import Chart, Panel, Table
from pages.kit.snippet import Snippet
from pages.topics.many_answers.answer import Answer
from pages.topics.many_answers.question import EPSILON, ORACLE, K
from privdemo import deployments
from privdemo.deployments import DAY, PERSON, Deployment
from privdemo.figures import deployments as charts
from privdemo.methods import FREQUENCY_ORACLES

_SNIPPET = Snippet(
    ("from privdemo.deployments import DEPLOYMENTS",),
    (
        "for one in DEPLOYMENTS:",
        '    print(f"{one.name}: ε = {one.epsilon:.3g} for {one.protects}; {one.address}")',
    ),
)
_NOISE_BY = {deployments.LOCAL: "the person", deployments.CENTRAL: "whoever publishes"}


def real_systems(answer: Answer) -> list[Panel]:
    """Return the chart of published ε by their unit, and the table of all deployments with their sources."""
    found = deployments.by_unit()
    everyone = deployments.DEPLOYMENTS
    least, most = (numbers.epsilon(end(one.epsilon for one in everyone)) for end in (min, max))
    return [
        Panel(
            "systems",
            "Which ε do real systems promise?",
            f"ε from {least} to {most}, in {len(everyone)} systems: {_strong_words()}. {_adding_up(found)}",
            Chart(charts.by_unit(found, answer.question.config.epsilon)),
            _summary(found),
            lambda: [_row(one) for one in everyone],
            _SNIPPET,
            note="Each box: what the ε is counted for. Counted for a report or a day, it adds up with every next one. "
            "Filled circle: the person adds the noise. Open square: whoever publishes adds it.",
        ),
        Panel(
            "systems-sources",
            question="Where is that published?",
            figure=_table(found),
        ),
    ]


def _strong_words() -> str:
    """Say how many of the promises are called strong here."""
    strong = sum(one.epsilon < numbers.MODERATE_FROM for one in deployments.DEPLOYMENTS)
    return f"{strong or 'none'} of them under {numbers.MODERATE_FROM:g}, which we call strong"


def _adding_up(found: Mapping[str, Sequence[Deployment]]) -> str:
    """Say after how many days the least promise for a day that adds up is above the largest for a person in all."""
    daily = next(one for one in found[DAY] if one.name == "Symptom searches")
    in_all = found[PERSON][-1]
    days = math.floor(in_all.epsilon / daily.epsilon) + 1
    return (
        f"<b>Compare within a grey box only</b>, because an ε for each day adds up: that of {daily.organisation}’s "
        f"symptom searches, {numbers.epsilon(daily.epsilon)} a day, is after {days} days above that of the "
        f"{in_all.name} in all, {numbers.epsilon(in_all.epsilon)}."
    )


def _summary(found: Mapping[str, Sequence[Deployment]]) -> str:
    """Describe the chart in words."""
    rows = "; ".join(
        f"for {unit}: " + ", ".join(f"{one.name} {numbers.epsilon(one.epsilon)}" for one in here)
        for unit, here in found.items()
    )
    return (
        f"Published ε, {rows}. Each was read in its maker’s own source on {_date()}; other well-known systems are left "
        "out because their numbers could not be read there. Where a source states ρ, it is converted."
    )


def _date() -> str:
    """Return the day on which the sources were read."""
    (day,) = {one.read for one in deployments.DEPLOYMENTS}
    return day.isoformat()


def _table(found: Mapping[str, Sequence[Deployment]]) -> Table:
    """Return all deployments with what each ε protects, its source, and a link to the same setting of this page."""
    heads = ("system", "promise", "protects", "noise added by", "how", "source", "on this page")
    cells = [
        [
            f"{escape(one.name)} ({escape(one.organisation)}, {escape(one.when)})",
            _promise(one),
            escape(one.protects),
            _NOISE_BY[one.model],
            escape(one.mechanism),
            f'<a href="{escape(one.address)}" rel="noreferrer">{escape(one.source)}</a>, read {one.read.isoformat()}',
            _here(one),
        ]
        for here in found.values()
        for one in here
    ]
    return Table(heads, cells, labelled=True)


def _promise(one: Deployment) -> str:
    """Write what is promised, and how ε follows if the source does not state it."""
    least = f"{numbers.epsilon(one.least_epsilon)} to " if one.least_epsilon else ""
    delta = f", δ = {numbers.power_of_ten(one.delta)}" if one.delta else ""
    stated = f", stated as ρ = {one.rho:.3g}" if one.rho and not one.derived else ""
    how = f", {one.derived}" if one.derived else ""
    return f"ε = {least}{numbers.epsilon(one.epsilon)}{delta}{escape(stated + how)}"


def _here(one: Deployment) -> str:
    """Return a link to the same setting of this page, or why there is none."""
    if one.preset:
        method = FREQUENCY_ORACLES[one.preset.oracle]
        epsilon = round(one.epsilon, 3)
        values = {
            ORACLE.key: method.title,
            K.key: one.preset.k,
            EPSILON.key: f"{epsilon:g}",
            "answers_of": "Zipf’s law",
        }
        words = f"{method.title}, {one.preset.k} answers, ε = {numbers.epsilon(epsilon)}"
        return f'<a href="?{escape(urlencode(values))}">{words}</a>{"" if one.preset.is_same else ", the nearest here"}'
    if one.model == deployments.LOCAL:
        return f"ε is above this page’s {EPSILON.limit.high:g}"
    return "none: people send true values"


def _row(one: Deployment) -> dict[str, Any]:
    """Return a deployment as a row of a file."""
    return {
        "system": one.name,
        "organisation": one.organisation,
        "released": one.released,
        "when": one.when,
        "mechanism": one.mechanism,
        "model": one.model,
        "unit": one.unit,
        "protects": one.protects,
        "epsilon": one.epsilon,
        "least_epsilon": one.least_epsilon,
        "delta": one.delta,
        "rho": one.rho,
        "source": one.source,
        "address": one.address,
        "read": one.read.isoformat(),
    }
