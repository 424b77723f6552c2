"""The chapter on the price of privacy: people, privacy or precision of a poll, each from the other two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.values import Values
from pages.topics.voting.answer import Answer
from pages.topics.voting.asking import import_line, is_design
from pages.topics.voting.question import PEOPLE, PLAN_SHARE, PLAN_VOTERS, PLAN_WIDTH, PRECISION, PRIVACY, SOLVE, Plan
from privdemo.estimators import survey, trusted_survey
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import CURATOR, NOBODY, SHUFFLER

_NAME, _QUESTION = "price", "What does privacy cost?"
# The curves of a shuffler and of a curator are computed at every sixth ε of the curve, with the default δ of the people
# who are needed; below the least ε a curator's noise would be beyond the limits.
_STEP, _LEAST = 6, 1e-5
_DELTA_WORDS = "10⁻⁶ or 1/n² for n people, whichever is smaller"
# A visitor guesses on a scale whose end is so many times the people that an honest poll needs, in so many steps.
_GUESSED, _STEPS = 8, 200


def plan_of(values: Values, answer: Answer) -> Plan:
    """Return the planned poll, with the lies of the page; the number that is to be found has its default."""
    solve = values[SOLVE]
    voters = float(PLAN_VOTERS.default if solve == PEOPLE else values[PLAN_VOTERS])
    width = float(PLAN_WIDTH.default if solve == PRECISION else values[PLAN_WIDTH])
    return Plan(solve, voters, answer.config.channel, width, values[PLAN_SHARE])


def panels(_: Answer, plan: Plan) -> list[Panel]:
    """Return the panel with the number to solve for and the curve of people against ε."""
    honest = survey.voters_needed(0.0, plan.width, plan.share)
    if plan.solve == PRIVACY and plan.voters < honest:
        return [Panel(_NAME, _QUESTION, too_few_words(plan, honest))]
    solved = solve(plan)
    words = price_words(solved)
    if not math.isfinite(solved.voters):
        return [Panel(_NAME, _QUESTION, words)]
    if not PLAN_WIDTH.limit.contains(solved.width):
        note = f"The curve is for half-widths {PLAN_WIDTH.limit.range_text} alone."
        return [Panel(_NAME, _QUESTION, words, note=note)]
    return [_curve(solved, words)]


def _trusted_curves(epsilons: tuple[float, ...], width: float, share: float) -> dict[str, list[tuple[float, float]]]:
    """Return points (ε, people) for a trusted shuffler and a trusted curator."""
    return {
        SHUFFLER: trusted_survey.shuffled_curve(epsilons, None, width, share),
        CURATOR: trusted_survey.curated_curve(epsilons, None, width, share),
    }


trusted_curves = cache.shared(_trusted_curves, max_entries=64)


def solve(plan: Plan) -> Plan:
    """Return the plan with the wanted number computed."""
    if plan.solve == PEOPLE:
        return replace(plan, voters=survey.voters_needed(plan.lie, plan.width, plan.share))
    if plan.solve == PRECISION:
        return replace(plan, width=survey.half_width(int(plan.voters), plan.lie, plan.share))
    allowed = survey.flip_prob_allowed(int(plan.voters), plan.width, plan.share)
    return replace(plan, lie=BinaryChannel(allowed, allowed))


def _curve(plan: Plan, words: str) -> Panel:
    """Return the panel of people to ask against the ε of one answer, with the plan marked."""
    epsilon = plan.lie.epsilon
    curve = survey.curve(plan.width, plan.share, through=epsilon)
    trusted = trusted_curves(tuple(e for e, _ in curve[::_STEP] if e >= _LEAST), plan.width, plan.share)
    honest = survey.voters_needed(0.0, plan.width, plan.share)
    (least, most_people), (most, least_people) = curve[0], curve[-1]
    figure = charts.price(curve, honest, (epsilon, plan.voters), plan.width, trusted)
    return Panel(
        _NAME,
        _QUESTION,
        words,
        Chart(figure),
        f"People to ask for a 95 % interval of {_points(plan)} when {numbers.share(plan.share)} voted A and all "
        f"answers are changed alike, against the ε of one answer: {numbers.people(most_people)} at ε = {least:.2g}, "
        f"{numbers.people(least_people)} at ε = {most:.2g}, {numbers.people(honest)} if no answer is changed."
        f"{_trusted_summary(trusted)}",
        lambda: [
            {"trusted": whom, "epsilon": e, "people": n}
            for whom, points in ({NOBODY: curve} | trusted).items()
            for e, n in points
        ],
        _snippet(plan),
        f"{trusted_words(plan)}{_assumed_share_words(plan)}",
        prediction=_prediction(plan, honest, Chart(charts.honest_price(figure))),
        facts={
            "people": f"{plan.voters:,.0f}",
            "honest": f"{honest:,.0f}",
            "times": numbers.times(plan.voters / honest),
            "points": _points(plan),
        },
    )


def _snippet(plan: Plan) -> Snippet:
    """Return the code that computes the wanted number and plots the curve."""
    wanted, found_by = {
        PEOPLE: ("people", "survey.voters_needed(lie, width, share)"),
        PRECISION: ("width", "survey.half_width(people, lie, share)"),
        PRIVACY: ("p", "survey.flip_prob_allowed(people, width, share)"),
    }[plan.solve]
    numbers_of = {
        "people": int(plan.voters),
        "p" if plan.solve == PRIVACY else "lie": plan.lie,
        "width": plan.width,
        "share": plan.share,
    }
    given = {name: repr(value) for name, value in numbers_of.items() if name != wanted}
    return Snippet(
        (
            "from privdemo.estimators import survey, trusted_survey",
            "from privdemo.figures import voting as charts",
            import_line(plan.lie),
        ),
        (
            f"{', '.join(given)} = {', '.join(given.values())}",
            f"{wanted} = {found_by}",
            *(("lie = BinaryChannel(p, p)",) if plan.solve == PRIVACY else ()),
            "print(people, lie, width)",
            "curve = survey.curve(width, share, through=lie.epsilon)",
            "honest = survey.voters_needed(0.0, width, share)",
            f"epsilons = [epsilon for epsilon, _ in curve[::{_STEP}] if epsilon >= {_LEAST}]",
            f"trusted = {{{SHUFFLER!r}: trusted_survey.shuffled_curve(epsilons, None, width, share)}}",
            f"trusted[{CURATOR!r}] = trusted_survey.curated_curve(epsilons, None, width, share)",
            "charts.price(curve, honest, (lie.epsilon, people), width, trusted).show()",
        ),
    )


def _prediction(plan: Plan, honest: float, covered: Chart) -> Prediction | None:
    """Ask for the number of people; None where another number is wanted, or nobody lies, or it is beyond guessing."""
    least = 10 ** math.floor(math.log10(_GUESSED * honest))
    most = math.ceil(_GUESSED * honest / least) * least
    if plan.solve != PEOPLE or plan.lie.is_truthful or plan.voters > most:
        return None
    return Prediction(
        "voting-people",
        f"If no answer is changed, {numbers.people(honest)} are enough to know the share within {_points(plan)}. "
        f"How many are needed{_if_they_lie(plan.lie)}?",
        plan.voters,
        Scale(0, most, max(1, round(most / _STEPS)), " people"),
        covered,
        f"Each answer says less, so it takes {numbers.times(plan.voters / honest)} times as many people.",
    )


def _if_they_lie(lie: BinaryChannel) -> str:
    """Write how people lie, to end a question."""
    if is_design(lie):
        return " if people are asked this way"
    return (
        f" if each answer is changed with a chance of {numbers.percent(lie.p10)}"
        if lie.p10 == lie.p01
        else " with the chances set above"
    )


# --- words ---------------------------------------------------------------------------------------


def _points(plan: Plan) -> str:
    return f"± {100 * plan.width:.3g} points"


def too_few_words(plan: Plan, honest: float) -> str:
    """Say that no lie is private enough, as there are too few people even if everyone tells the truth."""
    return (
        f"{numbers.people(plan.voters)} cannot tell the share within {_points(plan)}: that takes "
        f"<b>{numbers.people(honest)}</b> even if no answer is changed. Ask more, or accept a wider interval."
    )


def price_words(plan: Plan) -> str:
    """Say the people, the lie and the interval of a solved plan."""
    if math.isinf(plan.voters) or math.isinf(plan.width):
        return "At ε = 0 the answers say nothing, so no number of people is enough."
    points, who, lies = _points(plan), numbers.people(plan.voters), _who_lie(plan.lie)
    if plan.width > PLAN_WIDTH.limit.high:
        return f"{who}{lies} are too few: the interval contains every share."
    if plan.width < PLAN_WIDTH.limit.low:
        return f"{who}{lies} tell the share within <b>{points}</b>."
    if plan.lie.is_truthful:
        return f"{who} whose answers are not changed tell the share within <b>{points}</b>."
    honest = survey.voters_needed(0.0, plan.width, plan.share)
    times = numbers.times(plan.voters / honest)
    if plan.solve == PEOPLE:
        more = "Hardly more people" if times == "1" else f"{times} times as many people"
        return (
            f"<b>{more}.</b> To know the share within <b>{points}</b>, ask <b>{who}</b>{lies}; if no answer were "
            f"changed, {honest:,.0f} would be enough."
        )
    if plan.solve == PRECISION:
        return (
            f"{who}{lies} tell the share within <b>{points}</b>; if no answer were changed, "
            f"{numbers.people(honest)} would be enough.{_factor_words(plan)}"
        )
    return (
        f"To know the share within {points} from {who}, each answer may be changed with a chance of <b>"
        f"{numbers.at_most(plan.lie.p10)}</b> at most (<b>ε = {numbers.epsilon(plan.lie.epsilon)}</b>). If no "
        f"answer were changed, {numbers.people(honest)} would be enough.{_factor_words(plan)}"
    )


def trusted_words(plan: Plan) -> str:
    """Say how many people a trusted shuffler or curator needs for the same ε, if people are solved for."""
    if plan.solve != PEOPLE or not _LEAST <= plan.lie.epsilon < math.inf:
        return ""
    ((_, shuffled),), ((_, curated),) = trusted_curves((plan.lie.epsilon,), plan.width, plan.share).values()
    return (
        f"With the same ε, {shuffled:,.0f} people are enough if they trust a shuffler, who mixes the answers, and "
        f"{curated:,.0f} if they trust a curator, who sees the true ones. "
    )


def _trusted_summary(trusted: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Say the first and the last number of people of each curve of a trusted party, as text for the figure."""
    sentences = (
        f" With {whom} trusted {numbers.people(points[0][1])} and {numbers.people(points[-1][1])} would do."
        for whom, points in trusted.items()
    )
    return f"{''.join(sentences)} There δ is {_DELTA_WORDS}."


def _who_lie(lie: BinaryChannel) -> str:
    """Write how people lie, to follow the number of people."""
    if is_design(lie):
        return " who are asked this way"
    if lie.p10 == lie.p01:
        return f" whose answers are changed with a chance of {numbers.percent(lie.p10)}"
    return " whose answers are changed as set above"


def _assumed_share_words(plan: Plan) -> str:
    """Say which share the plan assumes, where a half is the safe choice, and what trust in others promises."""
    safe = plan.share == 0.5 and plan.lie.p10 == plan.lie.p01
    why = ", which is the safe choice: no other share needs more people" if safe else ""
    return (
        f"All this assumes that {numbers.share(plan.share, 0)} voted A{why}. With a shuffler or a curator, protection "
        f"can fail with a chance of δ: {_DELTA_WORDS}."
    )


def _factor_words(plan: Plan) -> str:
    """Say how many times as many people the changes take for the same standard error."""
    factor = survey.price(plan.lie, plan.share)
    if not math.isfinite(factor):
        return ""
    return f" For the same standard error such changes take {numbers.times(factor)} times as many people."
