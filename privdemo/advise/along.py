"""What each kind of trust gives along the number of people, or for a classifier along ε."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from privdemo import limits
from privdemo.advise.plan import Plan
from privdemo.advise.question import CLASSIFIER, Question
from privdemo.advise.recommend import best_plan
from privdemo.experiments.comparison import study

# How many numbers of people there are along a curve, from a tenth of the advised number to ten times as many, or
# to those that the goal takes.
N_POINTS = 9


def along(question: Question) -> dict[str, tuple[Plan, ...]]:
    """Return plans for each kind of trust that the question allows, by the words of `TRUSTED`.

    They are along the number of people, all with the ε that is advised for `question`, but at least the ε that every
    method takes; for a classifier along the ε of the shipped trials. A leader is left out where groups are not known,
    and where there are too few people for them.
    """
    if question.ask == CLASSIFIER:
        return {
            trust: tuple(
                best_plan(replace(question, trust=trust, epsilon=epsilon, within=None)) for epsilon in study.EPSILONS
            )
            for trust in question.trusts
        }
    plan = best_plan(question)
    most = max(10 * plan.people, plan.people_needed or 0)
    low, high = max(1.0, plan.people / 10), min(limits.ORACLE_PEOPLE.high, most)
    several = np.unique([*np.geomspace(low, high, N_POINTS).round().astype(int), plan.people]).tolist()
    epsilon = max(plan.epsilon, limits.ORACLE_EPSILON.low)
    found = {}
    for trust in question.trusts:
        if trust == "leader" and question.groups is None:
            continue
        fewest = 2 * (question.groups or 1) if trust == "leader" else 1
        groups = question.groups if trust == "leader" else None
        found[trust] = tuple(
            best_plan(replace(question, trust=trust, epsilon=epsilon, within=None, people=people, groups=groups))
            for people in several
            if people >= fewest
        )
    return {trust: plans for trust, plans in found.items() if plans}
