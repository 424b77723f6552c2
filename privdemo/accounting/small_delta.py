"""Which δ is small beside a number of people.

Whoever publishes every record as it is with the chance δ keeps (0, δ): of n people nδ records on average. So δ must be
far below 1/n, whatever ε.
"""

from __future__ import annotations

from privdemo import limits

# The largest default δ, and how many records of n people (nδ) a δ may allow to be published before it is called large.
LARGEST_DEFAULT, MOST_PUBLISHED = 1e-6, 0.05


def default_delta(people: int) -> float:
    """Return the δ that is taken for a release about so many people unless another is set: 10⁻⁶ or 1/n², whichever is
    smaller.

    Raises ``ValueError`` for a number of people outside its range.
    """
    limits.RELEASED_PEOPLE.check(people)
    return min(LARGEST_DEFAULT, 1 / people**2)


def is_large_delta(people: int, delta: float) -> bool:
    """Return whether nδ > 0.05; raises ``ValueError`` for numbers outside their ranges."""
    limits.RELEASED_PEOPLE.check(people)
    limits.DELTA.check(delta)
    return people * delta > MOST_PUBLISHED * (1 + 1e-9)
