"""A poll in which some people do not follow the rules: with one lie for all, and in two halves with different lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom

from privdemo import limits
from privdemo.disobedience import (
    ALWAYS_NO,
    ALWAYS_YES,
    WAYS,
    Noticed,
    PossibleShares,
    TwoHalves,
    Way,
    expected_estimate,
    identification_interval,
    mixed_channel,
    notice_many,
)
from privdemo.estimators import votes
from privdemo.experiments.trials import seeded
from privdemo.experiments.voting.config import ElectionConfig
from privdemo.intervals import Estimate
from privdemo.mechanisms import BinaryChannel

# The lies of the two halves.
FIRST_HALF, SECOND_HALF = BinaryChannel(0.1, 0.1), BinaryChannel(0.4, 0.4)
# The random streams of a seed for the luck of the two halves and for polls in a sweep, after those of polls.py.
_LUCK, _SWEPT = 5, 6
# What a sweep says of: the estimate if everybody is taken to follow the rules, and both estimates of the two halves.
CORRECTED, HALVES_SHARE, HALVES_PART = "corrected", "two halves, share", "two halves, part"


@dataclass(frozen=True)
class DisobeyedConfig(ElectionConfig):
    """Polls in which a `part` of the people answers in a `way` of its own, one of `disobedience.WAYS`."""

    part: float = 0.1
    way: str = "always no"

    def __post_init__(self) -> None:
        super().__post_init__()
        limits.Limit("n_voters", 2, limits.N_VOTERS.high, "there are two halves", integer=True).check(self.n_voters)
        limits.PART.check(self.part)
        if self.way not in WAYS:
            raise ValueError(f"way must be one of {', '.join(WAYS)}, got {self.way!r}")


class Reliability(NamedTuple):
    """How far estimates are off on average over polls, and in what part of them 95 % intervals contain the truth."""

    bias: float
    coverage: float


def reliability(config: DisobeyedConfig) -> dict[str, Reliability]:
    """Simulate the polls, each with one lie for all and in two halves, and return how reliable the estimates are.

    Raises ``ValueError`` where answers carry no information.
    """
    rng, way, n = seeded(config.seed, _SWEPT), WAYS[config.way], config.n_voters
    said = rng.binomial(n, _says_a(config.channel, way, config.part, config.share), config.n_elections) / n
    corrected = votes.corrected(said, config.channel), *votes.interval("spread", said, n, config.channel)
    people = np.array([(n + 1) // 2, n // 2])
    chances = [_says_a(lies, way, config.part, config.share) for lies in (FIRST_HALF, SECOND_HALF)]
    in_halves = rng.binomial(people, chances, (config.n_elections, 2))
    noticed = notice_many(two_halves(way), np.stack([people - in_halves, in_halves], axis=-1))
    found = {CORRECTED: (np.stack(corrected), config.share)}
    found[HALVES_SHARE] = np.array([one.share for one in noticed]).T, config.share
    found[HALVES_PART] = np.array([one.part for one in noticed]).T, config.part
    return {
        name: Reliability(float((mean - true).mean()), float(((low <= true) & (true <= high)).mean()))
        for name, ((mean, low, high), true) in found.items()
    }


class Disobeyed(NamedTuple):
    """What a poll says if a `part` of the people answers in a way of its own; they have the same true share.

    `corrected` is the estimate on average if everybody is taken to follow the rules, with the 95 % interval about it;
    `possible` are the shares that the same answers allow if up to that part sends whatever it likes. `noticed` is what
    one simulated poll of the same people in two halves says; None for a single person.
    """

    part: float
    corrected: Estimate
    possible: PossibleShares
    noticed: Noticed | None


def disobeyed(config: ElectionConfig, way: Way, parts: Sequence[float]) -> list[Disobeyed]:
    """Return what the poll of a config says for each part of the people that answers in that way.

    Raises ``ValueError`` where answers carry no information.
    """
    noticed = _noticed(config, way, parts) if config.n_voters > 1 else [None] * len(parts)
    return [_with_one_lie(config, way, part, found) for part, found in zip(parts, noticed, strict=True)]


def _with_one_lie(config: ElectionConfig, way: Way, part: float, noticed: Noticed | None) -> Disobeyed:
    """Return what a poll with one lie for all says on average, beside what the two halves say."""
    seen = _says_a(config.channel, way, part, config.share)
    mean = float(expected_estimate(config.channel, way, part, config.share))
    low, high = votes.interval("spread", seen, config.n_voters, config.channel)
    possible = identification_interval(config.channel, seen * config.n_voters, config.n_voters, part)
    return Disobeyed(part, Estimate(mean, float(low), float(high)), possible, noticed)


def _noticed(config: ElectionConfig, way: Way, parts: Sequence[float]) -> list[Noticed]:
    """Return what one simulated poll in two halves says for each part; its luck is the same for all."""
    people = np.array([(config.n_voters + 1) // 2, config.n_voters // 2])
    chances = [[_says_a(lies, way, part, config.share) for lies in (FIRST_HALF, SECOND_HALF)] for part in parts]
    luck = seeded(config.seed, _LUCK).random((config.n_elections, 2))[-1]
    said_a = binom.ppf(luck, people, np.array(chances)).astype(int)
    return notice_many(two_halves(way), np.stack([people - said_a, said_a], axis=-1))


def _says_a(channel: BinaryChannel, way: Way, part: float, share: float) -> float:
    """Return the probability that a person says A."""
    mixed = mixed_channel(channel, way, part)
    return min(1.0, max(0.0, mixed.p10 + mixed.contrast * share))


def two_halves(way: Way) -> TwoHalves:
    """Return the two halves, read as if whoever does not follow the rules always says B, or always A if they do."""
    return TwoHalves(FIRST_HALF, SECOND_HALF, way if is_noticed(way) else ALWAYS_NO)


def is_noticed(way: Way) -> bool:
    """Return whether two halves can tell people of this way from others: if they give one answer, whatever is true."""
    return way in (ALWAYS_NO, ALWAYS_YES)


def people_for_two_halves(config: ElectionConfig, way: Way, part: float, half_width: float) -> int | None:
    """Return how many people the two halves take for an interval of ± `half_width`; None if that is no half-width."""
    if not limits.HALF_WIDTH.contains(half_width):
        return None
    return two_halves(way).people_needed(half_width, config.share, part)


def disobedience_table(found: Sequence[Disobeyed]) -> list[dict[str, Any]]:
    """Return one row for each part: estimates with their intervals, and the shares that are possible."""
    rows = []
    for one in found:
        row = {"part": one.part, **_columns("corrected", one.corrected)}
        row |= {"possible_low": float(one.possible.least), "possible_high": float(one.possible.most)}
        if one.noticed:
            row |= _columns("halves_share", one.noticed.share) | _columns("halves_part", one.noticed.part)
            row |= {"p_value": one.noticed.p_value}
        rows.append(row)
    return rows


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), map(float, estimate), strict=True))
