"""The tab on the price of privacy: people, privacy or precision of a poll, each from the other two."""

from __future__ import annotations

import math
from dataclasses import replace

from pages.kit import numbers
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.voting.answer import Answer
from pages.topics.voting.controls import PEOPLE, PLAN_WIDTH, PRECISION, PRIVACY, Plan
from privdemo import accounting
from privdemo.estimators import survey
from privdemo.figures import voting as charts

_NAME, _QUESTION = "price", "What does privacy cost?"


def panels(_: Answer, plan: Plan) -> list[Panel]:
    """The number that is looked for, and the curve of people against ε."""
    honest = survey.voters_needed(0.0, plan.width, plan.share)
    if plan.solve == PRIVACY and plan.voters < honest:
        return [Panel(_NAME, _QUESTION, too_few_words(plan, honest))]
    found = solve(plan)
    words = price_words(found)
    if not math.isfinite(found.voters):
        return [Panel(_NAME, _QUESTION, words)]
    if not PLAN_WIDTH.limit.contains(found.width):
        note = f"The curve is drawn for half-widths {PLAN_WIDTH.limit.range_text} alone."
        return [Panel(_NAME, _QUESTION, words, note=note)]
    return [_curve(found, words)]


def solve(plan: Plan) -> Plan:
    """The plan with the number that is looked for filled in."""
    if plan.solve == PEOPLE:
        return replace(plan, voters=survey.voters_needed(plan.lie, plan.width, plan.share))
    if plan.solve == PRECISION:
        return replace(plan, width=survey.half_width(int(plan.voters), plan.lie, plan.share))
    return replace(plan, lie=survey.flip_prob_allowed(int(plan.voters), plan.width, plan.share))


def _curve(plan: Plan, words: str) -> Panel:
    """The curve of people to ask against the ε of one answer, with the plan on it."""
    epsilon = accounting.randomised_response_epsilon(plan.lie)
    curve = survey.curve(plan.width, plan.share, through=epsilon)
    honest = survey.voters_needed(0.0, plan.width, plan.share)
    (least, most_people), (most, least_people) = curve[0], curve[-1]
    return Panel(
        _NAME,
        _QUESTION,
        words,
        Chart(charts.price(curve, honest, (epsilon, plan.voters), plan.width)),
        f"People to ask for a 95 % interval of {_points(plan)} when {numbers.share(plan.share)} voted A, against the ε "
        f"of one answer: {numbers.people(most_people)} at ε = {least:.2g}, {numbers.people(least_people)} at "
        f"ε = {most:.2g}, {numbers.people(honest)} if everyone told the truth.",
        lambda: [{"epsilon": e, "people": n} for e, n in curve],
        _snippet(plan),
    )


def _snippet(plan: Plan) -> Snippet:
    """The lines that find the number and draw the curve."""
    wanted, found_by = {
        PEOPLE: ("people", "survey.voters_needed(lie, width, share)"),
        PRECISION: ("width", "survey.half_width(people, lie, share)"),
        PRIVACY: ("lie", "survey.flip_prob_allowed(people, width, share)"),
    }[plan.solve]
    numbers_of = {"people": int(plan.voters), "lie": plan.lie, "width": plan.width, "share": plan.share}
    given = {name: repr(value) for name, value in numbers_of.items() if name != wanted}
    return Snippet(
        (
            "from privdemo import accounting",
            "from privdemo.estimators import survey",
            "from privdemo.figures import voting as charts",
        ),
        (
            f"{', '.join(given)} = {', '.join(given.values())}",
            f"{wanted} = {found_by}",
            "print(people, lie, width)",
            "epsilon = accounting.randomised_response_epsilon(lie)",
            "curve = survey.curve(width, share, through=epsilon)",
            "honest = survey.voters_needed(0.0, width, share)",
            "charts.price(curve, honest, (epsilon, people), width).show()",
        ),
    )


# --- words ---------------------------------------------------------------------------------------


def _points(plan: Plan) -> str:
    return f"± {100 * plan.width:.3g} points"


def too_few_words(plan: Plan, honest: float) -> str:
    """Why no lie is private enough: too few people even if everyone tells the truth."""
    return (
        f"{numbers.people(plan.voters)} cannot tell this within {_points(plan)}: that takes "
        f"<b>{numbers.people(honest)}</b> even if everyone tells the truth. Ask more, or accept a wider interval."
    )


def price_words(plan: Plan) -> str:
    """A solved plan in a sentence: its people, its ε and its interval."""
    epsilon = f"ε = {numbers.epsilon(accounting.randomised_response_epsilon(plan.lie))}"
    if math.isinf(plan.voters) or math.isinf(plan.width):
        return "At ε = 0 the answers say nothing: no number of people is enough."
    points, who = _points(plan), numbers.people(plan.voters)
    if plan.width > PLAN_WIDTH.limit.high:
        return f"The answer of {who} at {epsilon} says next to nothing: its interval is wider than all shares."
    if plan.width < PLAN_WIDTH.limit.low:
        return f"{who} at {epsilon} let you know this within <b>{points}</b>."
    if plan.lie == 0:
        return f"{who} who all tell the truth ({epsilon}) let you know this within <b>{points}</b>."
    honest = survey.voters_needed(0.0, plan.width, plan.share)
    if plan.solve == PEOPLE:
        return (
            f"To know this within <b>{points}</b> at {epsilon} you need <b>N = {numbers.count(plan.voters)}</b>, "
            f"<b>{numbers.times(plan.voters / honest)} times as many</b> as if everyone told the truth ({honest:,.0f})."
        )
    if plan.solve == PRECISION:
        return (
            f"{who} at {epsilon} let you know this within <b>{points}</b>; if everyone told the truth, "
            f"{numbers.people(honest)} would do.{_factor(plan)}"
        )
    return (
        f"With {who} and {points} wanted, everyone may lie with probability up to <b>{numbers.at_most(plan.lie)}</b> "
        f"(<b>{epsilon}</b>). If everyone told the truth, {numbers.people(honest)} would do.{_factor(plan)}"
    )


def _factor(plan: Plan) -> str:
    """How many times as many people the lies take for the same standard error."""
    factor = survey.price(plan.lie, plan.share)
    if not math.isfinite(factor):
        return ""
    return f" For the same standard error such lies take {numbers.times(factor)} times as many people."
