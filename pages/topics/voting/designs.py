"""The chapter on other ways to ask: designs of a survey with a sensitive question at the same ε, side by side."""

from __future__ import annotations

import math
from typing import NamedTuple

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel, Table
from pages.kit.snippet import Snippet
from pages.kit.values import Values
from pages.topics.voting.answer import Answer
from pages.topics.voting.asking import import_line, months
from pages.topics.voting.question import PLAN_WIDTH, SAY_YES
from privdemo.estimators import survey
from privdemo.experiments import voting
from privdemo.experiments.voting import DesignCost
from privdemo.figures import voting as charts
from privdemo.mechanisms import UnrelatedQuestion
from privdemo.methods import CROSSWISE, FORCED, OPPOSITE, SURVEY_DESIGNS, UNRELATED

_NAME, _QUESTION = "designs", "Which way of asking needs the fewest people?"
# An ε below this is 0.
_NO_EPSILON = 1e-9

design_curves = cache.shared(voting.design_curves, max_entries=64)


class Choice(NamedTuple):
    """The wanted precision, and the share of all people who say yes to an unrelated question."""

    width: float
    say_yes: float


def choice_of(values: Values, _: object) -> Choice:
    """Return the wanted precision and who says yes to an unrelated question."""
    return Choice(values[PLAN_WIDTH], values[SAY_YES])


def panels(answer: Answer, chosen: Choice) -> list[Panel]:
    """Return the chart of people needed along ε, and the table of the designs at the ε of the page."""
    config, (width, say_yes) = answer.config, chosen
    epsilon = config.channel.epsilon
    if not _NO_EPSILON < epsilon < math.inf:
        return [Panel(_NAME, _QUESTION, _no_choice_words(epsilon))]
    costs = voting.design_costs(epsilon, say_yes, config.n_voters, config.share, width)
    epsilons = tuple(at for at, _ in survey.curve(width, config.share, through=epsilon))
    curves = design_curves(epsilons, say_yes, config.share, width)
    honest = survey.voters_needed(0.0, width, config.share)
    here = (epsilon, survey.voters_needed(config.channel, width, config.share))
    return [
        Panel(
            _NAME,
            _QUESTION,
            cost_words(costs, chosen, epsilon),
            Chart(charts.design_prices(curves, honest, here, width)),
            summary(costs, chosen, config.share),
            lambda: voting.design_table(costs),
            _snippet(answer, chosen),
            note="Assumed: the share of such birthdays is known, they have nothing to do with the vote, and nobody who "
            "reads the answers knows them.",
        ),
        Panel(
            "design-costs",
            figure=Table(
                (
                    f"at ε = {numbers.epsilon(epsilon)}",
                    "what people say",
                    f"95 % interval of {numbers.people(config.n_voters)}",
                    f"people for {_points(width)}",
                ),
                [*(_row(cost) for cost in costs), *_own_row(answer, width)],
                True,
            ),
        ),
    ]


def _no_choice_words(epsilon: float) -> str:
    """Say why there is nothing to compare where an answer says nothing, or all."""
    if epsilon < _NO_EPSILON:
        return "At ε = 0 the answers say nothing, however people are asked, so no number of people is enough."
    return "Here an answer can give its sender away (ε = ∞), so nothing needs to be hidden. Set a finite ε to compare."


def cost_words(costs: tuple[DesignCost, ...], chosen: Choice, epsilon: float) -> str:
    """Compare the people that the designs need."""
    needed = {cost.name: cost.people for cost in costs}
    start = (
        f"At the same ε = {numbers.epsilon(epsilon)}, “same or different” needs as many people as changed answers: "
        f"<b>{needed[CROSSWISE]:,.0f}</b> for {_points(chosen.width)}."
    )
    if not math.isfinite(needed[UNRELATED]):
        return f"{start} An unrelated question to which all say the same cannot hide a vote."
    times = needed[UNRELATED] / needed[OPPOSITE]
    if numbers.times(times) == numbers.times(1.0):
        return f"{start} So does an unrelated question."
    return f"{start} An unrelated question needs <b>{numbers.times(times)} times</b> as many."


def summary(costs: tuple[DesignCost, ...], chosen: Choice, share: float) -> str:
    """Describe the chart, for screen readers."""
    listed = "; ".join(f"{SURVEY_DESIGNS[cost.name].title}: {_people(cost.people)}" for cost in costs)
    return (
        f"People to ask for a 95 % interval of {_points(chosen.width)} when {numbers.share(share)} voted A and "
        f"{numbers.share(chosen.say_yes)} say yes to the unrelated question, against the ε of one answer. At your ε: "
        f"{listed}."
    )


def _row(cost: DesignCost) -> list[str]:
    """Return a design’s row of the table."""
    return [SURVEY_DESIGNS[cost.name].in_full, _says(cost), _half(cost.half_width), _people(cost.people)]


def _own_row(answer: Answer, width: float) -> list[list[str]]:
    """Return the row of the visitor’s own setting where no design has it: two chances that differ."""
    config, channel = answer.config, answer.config.channel
    if isinstance(channel, UnrelatedQuestion) or channel.p10 == channel.p01:
        return []
    half, people = (
        survey.half_width(config.n_voters, channel, config.share),
        survey.voters_needed(channel, width, config.share),
    )
    says = f"A or B: voters of B say A {numbers.percent(channel.p10)}, of A say B {numbers.percent(channel.p01)}"
    return [["your two chances", says, _half(half), _people(people)]]


def _says(cost: DesignCost) -> str:
    """Say what people say in a design."""
    channel = cost.channel
    if cost.name == OPPOSITE:
        return f"A or B, {numbers.percent(channel.p10)} of them changed to the other"
    if cost.name == CROSSWISE:
        return (
            f"“same” or “different”: did you vote A, and is your birthday {months(channel.p10)} "
            f"({numbers.percent(channel.p10)} of all)?"
        )
    assert isinstance(channel, UnrelatedQuestion)
    if cost.name == FORCED:
        return f"A or B, {numbers.percent(channel.asked)} of them true, the others by a fair coin"
    return (
        f"yes or no: {numbers.percent(channel.asked)} are asked about the vote, the others about a birthday "
        f"{months(channel.innocent)} ({numbers.percent(channel.innocent)} of all)"
    )


def _points(width: float) -> str:
    return f"± {100 * width:.3g} points"


def _half(width: float) -> str:
    """Write half an interval; one as wide as all shares says nothing."""
    return f"± {numbers.absolute_points(width)}" if width < 0.5 else "says nothing"


def _people(number: float) -> str:
    return f"{number:,.0f}" if math.isfinite(number) else "–"


def _snippet(answer: Answer, chosen: Choice) -> Snippet:
    """Return the code that computes the table and plots the curves."""
    config = answer.config
    return Snippet(
        (
            "from privdemo.estimators import survey",
            "from privdemo.experiments import voting",
            "from privdemo.figures import voting as charts",
            import_line(config.channel),
        ),
        (
            f"channel, n_voters, share = {config.channel!r}, {config.n_voters!r}, {config.share!r}",
            f"width, say_yes = {chosen.width!r}, {chosen.say_yes!r}",
            "costs = voting.design_costs(channel.epsilon, say_yes, n_voters, share, width)",
            "for cost in costs:",
            "    print(cost.name, cost.channel.epsilon, cost.half_width, cost.people)",
            "epsilons = tuple(epsilon for epsilon, _ in survey.curve(width, share, through=channel.epsilon))",
            "curves = voting.design_curves(epsilons, say_yes, share, width)",
            "here = (channel.epsilon, survey.voters_needed(channel, width, share))",
            "honest = survey.voters_needed(0.0, width, share)",
            "charts.design_prices(curves, honest, here, width).show()",
        ),
    )
