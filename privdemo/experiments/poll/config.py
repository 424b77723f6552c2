"""What a class is asked, as far as the numbers hang on it: the answers, and how often another one is sent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privdemo import limits
from privdemo.mechanisms import BinaryChannel, RandomisedResponse

# The cards of a pack: a lie is drawn from a part of it where there are no telephones.
_PACK = 52


@dataclass(frozen=True)
class PollConfig:
    """A question with `answers`, of which each person sends another than the true one with probability `lie`."""

    answers: tuple[str, ...] = ("Yes", "No")
    lie: float = 0.25

    def __post_init__(self) -> None:
        limits.POLL_ANSWERS.check(len(self.answers))
        limits.poll_lie_limit(len(self.answers)).check(self.lie)

    @property
    def mechanism(self) -> RandomisedResponse:
        """The randomised response of one person."""
        return RandomisedResponse(self.lie, len(self.answers))

    @property
    def channel(self) -> BinaryChannel:
        """What becomes of "this answer or another one": the same for each answer."""
        return self.mechanism.one_against_rest


def cards(lie: float) -> tuple[int, int]:
    """How many cards of how many say “lie”, so that a card drawn does so with about the probability `lie`."""
    part = Fraction(lie).limit_denominator(_PACK)
    return part.numerator, part.denominator
