"""Settings of a poll of a class: the answers, and the probability that another one is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.disobedience import ControlQuestion, Design, TwoHalves
from privdemo.mechanisms import BinaryChannel, RandomisedResponse

NO_CHECK, HALVES, CONTROL = CHECKS = ("", "halves", "control")
"""How a poll finds out whether people follow the rules: not at all, by two halves, or by a control question."""
KNOWN_SHARE = 0.25
"""The share of people whose birthday is in January, February or March, which is what the control question asks."""
# The other half is so far from the chance that is set to one half, at which an answer says nothing: 0.4 for 0.1.
_TOWARDS_HALF = 0.75

# The sizes of decks of cards: some cards of one suit, or a whole pack; small decks are tried first.
_DECK_SIZES = (*range(2, 14), 52)
# How far a deck may be from the wanted probability; the summand is for rounding errors, as 0.26 − 0.25 is over 0.01.
_TOLERANCE = 0.01 + 1e-9


@dataclass(frozen=True)
class PollConfig:
    """A question with `answers`, of which each person sends another than the true one with probability `lie`.

    With the `check` `HALVES` a random half of the people has a larger probability, so that no answer is less private;
    with `CONTROL` everybody also answers whether their birthday is in January to March, by the same probability. Both
    need two answers, and take whoever does not follow the rules to always send the second one.
    """

    answers: tuple[str, ...] = ("Yes", "No")
    lie: float = 0.25
    check: str = NO_CHECK

    def __post_init__(self) -> None:
        limits.POLL_ANSWERS.check(len(self.answers))
        limits.poll_lie_limit(len(self.answers)).check(self.lie)
        if self.check not in CHECKS:
            raise ValueError(f"check must be one of {', '.join(map(repr, CHECKS))}, got {self.check!r}")
        if self.check and len(self.answers) != 2:
            raise ValueError(
                f"a poll that checks whether the rules are followed has two answers, this one has {len(self.answers)}; "
                "leave the others out, or do not check"
            )

    @property
    def mechanism(self) -> RandomisedResponse:
        """The randomised response of one person."""
        return RandomisedResponse(self.lie, len(self.answers))

    @property
    def channel(self) -> BinaryChannel:
        """What becomes of "this answer or another one": the same for each answer."""
        return self.mechanism.one_against_rest

    @property
    def miss(self) -> float:
        """How often the interval of one answer may miss its share, so that all intervals hold in 95 of 100 polls.

        Two shares are one number, which both intervals hold or miss. Of k ≥ 3 each may miss in 0.05/k (Bonferroni).
        """
        k = len(self.answers)
        return 0.05 / k if k > 2 else 0.05

    @property
    def lies(self) -> tuple[float, ...]:
        """The probability of each group of people: that of all, or those of both halves."""
        return (self.lie, _of_other_half(self.lie)) if self.check == HALVES else (self.lie,)

    @property
    def design(self) -> Design | None:
        """The survey that notices whether people follow the rules, None without a check."""
        if self.check == HALVES:
            first, second = (BinaryChannel(lie, lie) for lie in self.lies)
            return TwoHalves(first, second)
        return ControlQuestion(self.channel, KNOWN_SHARE) if self.check == CONTROL else None

    @property
    def n_cells(self) -> int:
        """How many different things can be sent: the answers, with a check in each half or with each control answer."""
        return 4 if self.check else len(self.answers)

    def by_answer(self, counts: ArrayLike) -> NDArray[np.int64]:
        """Return the `counts` (n_cells,) of what was sent as (answers, groups).

        With two halves the cell of a half and an answer is 2 half + answer, and with a control question that of both
        answers 2 answer + control answer; groups are the halves, or the answers to the control question.
        """
        table = np.asarray(counts, dtype=np.int64).reshape(-1, len(self.answers) if self.check != CONTROL else 2)
        return table if self.check == CONTROL else table.T


def _of_other_half(lie: float) -> float:
    """Return the probability of the half whose answers are more often changed: 0.4 for 0.1, 0.44 for 0.25."""
    return round(lie + _TOWARDS_HALF * (0.5 - lie), 2)


def deck_for(config: PollConfig) -> tuple[int, int]:
    """Return how many cards of how many say “lie”, so that a random card does so about as often as `config` says.

    It is the smallest deck whose probability is within 0.01 of it, or the nearest of all decks if none is.
    """
    limit = limits.poll_lie_limit(len(config.answers))
    decks = [(lies, size) for size in _DECK_SIZES for lies in range(1, size) if limit.contains(lies / size)]

    def error(deck: tuple[int, int]) -> float:
        return abs(deck[0] / deck[1] - config.lie)

    return next((deck for deck in decks if error(deck) <= _TOLERANCE), min(decks, key=error))


def with_card_probability(config: PollConfig) -> PollConfig:
    """Return the same poll with the lie probability that its deck gives: 3/11 for 0.27, and 1/4 for 0.25."""
    lies, size = deck_for(config)
    return replace(config, lie=lies / size)
