"""Designs of a survey with a sensitive question side by side, each with the same ε of one answer."""

from __future__ import annotations

import math
from typing import NamedTuple

from privdemo import accounting
from privdemo.estimators import survey
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion
from privdemo.methods import CROSSWISE, FORCED, OPPOSITE, UNRELATED


class DesignCost(NamedTuple):
    """What a design costs: half the 95 % interval that the people asked give, and the people for the wanted one."""

    name: str
    channel: BinaryChannel
    half_width: float
    people: float


def designs_at(epsilon: float, innocent: float) -> dict[str, BinaryChannel]:
    """Return every design of `methods.SURVEY_DESIGNS` with this ε of one answer.

    `innocent` is the known share of yes to the unrelated question; the coin of forced answers is fair, and the trait of
    the crosswise model as common as ε allows.
    """
    lie = accounting.randomised_response_flip_prob(epsilon)
    return {
        OPPOSITE: BinaryChannel(lie, lie),
        FORCED: UnrelatedQuestion.from_epsilon(epsilon, 0.5),
        UNRELATED: UnrelatedQuestion.from_epsilon(epsilon, innocent),
        CROSSWISE: Crosswise.from_epsilon(epsilon),
    }


def design_costs(
    epsilon: float, innocent: float, n_voters: int, share: float, half_width: float
) -> tuple[DesignCost, ...]:
    """Return the cost of every design at the same ε where `share` of the people have the sensitive trait.

    `n_voters` are asked; the wanted interval is ± `half_width`.
    """
    return tuple(
        DesignCost(
            name,
            channel,
            survey.half_width(n_voters, channel, share),
            survey.voters_needed(channel, half_width, share),
        )
        for name, channel in designs_at(epsilon, innocent).items()
    )


def design_curves(
    epsilons: tuple[float, ...], innocent: float, share: float, half_width: float
) -> dict[str, list[tuple[float, float]]]:
    """Return points (ε, people needed) of the designs whose people differ: the opposite, as the crosswise model and a
    fair coin, and the unrelated question."""
    return {
        name: [
            (epsilon, survey.voters_needed(designs_at(epsilon, innocent)[name], half_width, share))
            for epsilon in epsilons
        ]
        for name in (OPPOSITE, UNRELATED)
    }


def design_table(costs: tuple[DesignCost, ...]) -> list[dict[str, str | float]]:
    """Return one row for each design."""
    return [
        {
            "design": cost.name,
            "says_yes_if_yes": 1 - cost.channel.p01,
            "says_yes_if_no": cost.channel.p10,
            "epsilon": cost.channel.epsilon,
            "half_width": cost.half_width,
            "people_needed": cost.people if math.isfinite(cost.people) else "",
        }
        for cost in costs
    ]
