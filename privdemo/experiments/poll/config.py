"""Settings of a poll of a class: the answers, and the probability that another one is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privdemo import limits
from privdemo.mechanisms import BinaryChannel, RandomisedResponse

# The sizes of decks of cards: some cards of one suit, or a whole pack; small decks are tried first.
_DECK_SIZES = (*range(2, 14), 52)
# How far a deck may be from the wanted probability; the summand is for rounding errors, as 0.26 − 0.25 is over 0.01.
_TOLERANCE = 0.01 + 1e-9


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
