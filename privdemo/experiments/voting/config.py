"""Settings of polls by randomised response between two candidates."""

from __future__ import annotations

from dataclasses import dataclass

from privdemo import limits
from privdemo.estimators import votes
from privdemo.mechanisms import BinaryChannel

TRUTHFUL = BinaryChannel(0.0, 0.0)
ONE_IN_FIVE = BinaryChannel(0.2, 0.2)


@dataclass(frozen=True)
class ElectionConfig:
    """`n_elections` polls of `n_voters` people each, in a country where the share `share` voted for A.

    A voter of B answers A with probability `channel.p10`, a voter of A answers B with `channel.p01`. A poll does not
    depend on how many more are sampled: the 7th of a seed is the same in a run of 10 and of 1,000.
    """

    n_voters: int = 1000
    share: float = 0.35
    channel: BinaryChannel = ONE_IN_FIVE
    n_elections: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        limits.N_VOTERS.check(self.n_voters)
        limits.SHARE.check(self.share)
        if not isinstance(self.channel, BinaryChannel):
            raise ValueError(f"channel must be a BinaryChannel, such as BinaryChannel(0.2, 0.2), got {self.channel!r}")
        limits.N_ELECTIONS.check(self.n_elections)
        limits.SEED.check(self.seed)

    @property
    def answer_prob(self) -> float:
        """The probability that a person answers A: p10 + (1 − p10 − p01) θ."""
        p10, p01 = self.channel.p10, self.channel.p01
        return min(1.0, max(0.0, p10 + (1 - p10 - p01) * self.share))

    @property
    def estimators(self) -> tuple[str, ...]:
        """Names of the estimators that exist: the spread likelihood has none where answers carry no information."""
        return tuple(n for n in votes.ESTIMATORS if self.channel.contrast or not n.startswith("spread"))
