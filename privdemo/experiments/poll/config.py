"""Settings of a poll of a class: the answers, and the probability that another one is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privdemo import limits
from privdemo.mechanisms import BinaryChannel, RandomisedResponse

# Packs of cards: some of one suit, or the whole pack. The smallest pack with about the same probability is used.
_PACKS = (*range(2, 14), 52)
_ABOUT = 0.01


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


def cards(config: PollConfig) -> tuple[int, int]:
    """Return how many cards of how many say “lie”, so that a random card does so about as often as `config` says."""
    limit = limits.poll_lie_limit(len(config.answers))
    parts = [(lies, pack) for pack in _PACKS for lies in range(1, pack) if limit.contains(lies / pack)]

    def off(part: tuple[int, int]) -> float:
        return abs(part[0] / part[1] - config.lie)

    return next((part for part in parts if off(part) <= _ABOUT), min(parts, key=off))


def by_cards(config: PollConfig) -> PollConfig:
    """Return the same poll with the lie probability of the cards, such as 3 of 11; of a coin, 1 in 4."""
    lies, pack = cards(config)
    return replace(config, lie=lies / pack)
