"""Two questions of survey research that hide an answer behind an innocent one; each is a binary channel.

The innocent answer must be unknown to whoever reads the answers and independent of the sensitive one, and the share of
people for whom it is yes must be known: birthdays in January to March, for about a quarter of all people, are the usual
example.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from privdemo import accounting, limits
from privdemo.mechanisms.binary_channel import BinaryChannel


@dataclass(frozen=True)
class UnrelatedQuestion(BinaryChannel):
    """Chance asks the sensitive question with probability `asked`, else an innocent one (Greenberg et al. 1969).

    The person says yes (1) or no (0), and nobody else knows to which question. `innocent` is the known share of people
    whose innocent answer is yes, π. P(“yes” | yes) = p + (1 − p) π and P(“yes” | no) = (1 − p) π. A die that forces an
    answer, yes with π of the rest, has the same law.
    """

    p10: float = field(init=False, repr=False)
    p01: float = field(init=False, repr=False)
    asked: float
    innocent: float

    def __post_init__(self) -> None:
        limits.ASKED.check(self.asked)
        limits.INNOCENT.check(self.innocent)
        object.__setattr__(self, "p10", (1 - self.asked) * self.innocent)
        object.__setattr__(self, "p01", (1 - self.asked) * (1 - self.innocent))

    @property
    def epsilon(self) -> float:
        """ε of one answer, ln(1 + p/((1 − p) min(π, 1 − π))), which loses no digits near 0."""
        rarer = (1 - self.asked) * min(self.innocent, 1 - self.innocent)
        if not self.asked:
            return 0.0
        return math.log1p(self.asked / rarer) if rarer else math.inf

    @classmethod
    def from_epsilon(cls, epsilon: float, innocent: float) -> UnrelatedQuestion:
        """Return the design that asks the sensitive question most often within `epsilon`.

        p/(1 − p) = (e^ε − 1) min(π, 1 − π). If the innocent answer is the same for all, no finite ε lets it be asked.
        """
        limits.EPSILON.check(epsilon)
        rarer = min(limits.INNOCENT.check(innocent), 1 - innocent)
        odds = math.expm1(min(epsilon, 700.0)) * rarer
        asked = 1.0 if math.isinf(epsilon) else odds / (1 + odds)
        while cls(asked, innocent).epsilon > epsilon:
            asked = math.nextafter(asked, 0.0)
        return cls(asked, innocent)


@dataclass(frozen=True)
class Crosswise(BinaryChannel):
    """The person says whether a sensitive and an innocent answer are the same (0) or different (1) (Yu, Tian & Tang
    2008).

    `innocent` is the known share of people whose innocent answer is yes, q. P(“same” | yes) = q and
    P(“same” | no) = 1 − q: randomised response whose lie has the probability q, with “different” for yes.
    """

    p10: float = field(init=False, repr=False)
    p01: float = field(init=False, repr=False)
    innocent: float

    def __post_init__(self) -> None:
        limits.INNOCENT.check(self.innocent)
        object.__setattr__(self, "p10", self.innocent)
        object.__setattr__(self, "p01", self.innocent)

    @property
    def epsilon(self) -> float:
        """ε of one answer, |ln((1 − q)/q)|."""
        return accounting.randomised_response_epsilon(min(self.innocent, 1 - self.innocent))

    @classmethod
    def from_epsilon(cls, epsilon: float) -> Crosswise:
        """Return the design with the least common innocent yes within `epsilon`."""
        return cls(accounting.randomised_response_flip_prob(epsilon))
