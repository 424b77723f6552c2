"""The recommendation: a plan for the trust that people have, and for one step of trust more and less."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privdemo.advise.plan import STEPS, Plan, steps
from privdemo.advise.question import CLASSIFIER, COUNTS, Question
from privdemo.advise.shipped import classifier_plan, clean_accuracy, people_of
from privdemo.advise.ways import MOST_PEOPLE, Way, ways
from privdemo.estimators import survey
from privdemo.intervals import Estimate


@dataclass(frozen=True)
class Advice:
    """The answer to a question: a plan, and what it costs.

    Args:
        question: The question.
        plan: What to do; where `plan.reached` is false, the goal cannot be reached, and the plan comes nearest to it.
        alternatives: The plans for the next less and the next more trust.
        open_people: How many true answers reach the goal; None if no goal was given. A table has them all, so 0.
        open_half_width: The half-width of as many true answers as the plan has people; for a classifier 0.
        open_accuracy: Of a classifier, the share of right answers with every label true.
    """

    question: Question
    plan: Plan
    alternatives: tuple[Plan, ...]
    open_people: int | None
    open_half_width: float
    open_accuracy: Estimate | None = None

    @property
    def reached(self) -> bool:
        """Whether the goal is reached."""
        return self.plan.reached


def advise(question: Question) -> Advice:
    """Return the advice for a question, from closed forms and shipped results, in some 50 ms.

    With people and a goal, the plan has the least ε that reaches it; without a goal, the largest allowed ε; without
    people, the fewest people who reach it with that ε.
    """
    plan = best_plan(question)
    around = [best_plan(replace(question, trust=trust)) for trust in _next_trusts(question)]
    if question.ask == CLASSIFIER:
        tried = people_of(question.dataset)
        return Advice(question, plan, tuple(around), tried, 0.0, clean_accuracy(question.dataset))
    if question.ask == COUNTS:
        return Advice(question, plan, tuple(around), None if question.within is None else 0, 0.0)
    needed = None if question.within is None else int(survey.voters_needed(0.0, question.within, question.widest_share))
    return Advice(question, plan, tuple(around), needed, survey.half_width(plan.people, 0.0, question.widest_share))


def _next_trusts(question: Question) -> list[str]:
    """Return the next less and the next more trust; a group's leader only where groups are known."""
    known = [
        trust
        for trust in question.trusts
        if trust != "leader" or question.groups is not None or question.ask == CLASSIFIER
    ]
    at = known.index(question.trust)
    return [known[place] for place in (at - 1, at + 1) if 0 <= place < len(known)]


def best_plan(question: Question) -> Plan:
    """Return the best plan of all ways that the trust allows: one that reaches the goal, with the fewest people and
    then the least ε.
    """
    if question.ask == CLASSIFIER:
        return classifier_plan(question)
    plans = [_plan_of(way) for way in ways(question)]
    best = min(plans, key=lambda plan: (not plan.reached, plan.people, plan.epsilon, plan.half_width))
    with_them = [plan.epsilon_needed for plan in plans if plan.epsilon_needed and plan.people == best.people]
    return replace(
        best,
        people_needed=min((plan.people_needed for plan in plans if plan.people_needed), default=None),
        epsilon_needed=min(with_them, default=None),
    )


def _plan_of(way: Way) -> Plan:
    """Return the plan of one way."""
    question = way.question
    allowed, within = steps(question.epsilon), question.within
    needed = None if within is None else way.people_needed(allowed / STEPS, within)
    people = question.people or needed or MOST_PEOPLE
    least = None if within is None else way.least(people, within)
    step, setting = least if least and least[0] <= allowed else (allowed, way.setting(people, allowed / STEPS))
    return Plan(
        trust=question.trust,
        mechanism=setting.mechanism,
        parameters=setting.parameters,
        epsilon=step / STEPS,
        delta=way.delta(people),
        people=people,
        half_width=setting.half_width,
        share=setting.share,
        reached=within is None or (least is not None and least[0] <= allowed),
        people_needed=needed,
        epsilon_needed=least[0] / STEPS if least else None,
    )
