"""Simulated polls: who voted for whom, who lied, and what each estimator says of one poll."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.estimators import votes
from privdemo.experiments.draws import seeded
from privdemo.experiments.voting.config import TRUTHFUL, ElectionConfig
from privdemo.methods import HONEST

Counts = NDArray[np.integer]
# The random streams of a seed.
_VOTES, _LIES_OF_A, _LIES_OF_B = range(3)


@dataclass(frozen=True, eq=False)
class Elections:
    """Counts of every poll, each (n_elections,): votes for A, and wrong answers of the voters for A and for B."""

    voted_a: Counts
    lied_a: Counts
    lied_b: Counts

    @property
    def said_a(self) -> Counts:
        """The number of answers A in each poll: all that the pollster sees."""
        return self.voted_a - self.lied_a + self.lied_b


def run(config: ElectionConfig) -> Elections:
    """Simulate the polls, drawing counts instead of people.

    Voters are independent, so the number of votes for A is binomial(N, θ), and the numbers of lies
    are binomial given it: the same distribution as asking one person after another.
    """
    votes_rng, a_rng, b_rng = (seeded(config.seed, number) for number in (_VOTES, _LIES_OF_A, _LIES_OF_B))
    voted_a = votes_rng.binomial(config.n_voters, config.share, config.n_elections)
    lied_a = a_rng.binomial(voted_a, config.channel.p01)
    lied_b = b_rng.binomial(config.n_voters - voted_a, config.channel.p10)
    return Elections(voted_a, lied_a, lied_b)


class Poll(NamedTuple):
    """One poll: its counts, and every estimate of the share for A, that from honest answers first."""

    voted_a: int
    lied_a: int
    lied_b: int
    said_a: int
    n_voters: int
    estimates: dict[str, votes.VoteEstimate]


def poll(config: ElectionConfig, elections: Elections, index: int = -1) -> Poll:
    """Poll number `index` with its estimates. Raises ``ValueError`` for an index that is out of range."""
    limits.Limit("index", -config.n_elections, config.n_elections - 1, integer=True).check(index)
    voted_a, lied_a, lied_b = (int(counts[index]) for counts in (elections.voted_a, elections.lied_a, elections.lied_b))
    said_a = voted_a - lied_a + lied_b
    estimates = {HONEST: votes.estimate("naive", voted_a, config.n_voters, TRUTHFUL)}
    for name in config.estimators:
        estimates[name] = votes.estimate(name, said_a, config.n_voters, config.channel)
    return Poll(voted_a, lied_a, lied_b, said_a, config.n_voters, estimates)


# Kinds of people in a dot field: their vote, and whether they lied.
A_TRUE, A_LIED, B_TRUE, B_LIED = range(4)
N_DOTS = 1000


def dots(config: ElectionConfig, shown: Poll) -> NDArray[np.uint8]:
    """The kinds (n,) of n ≤ `N_DOTS` people of a poll in random order: A_TRUE, A_LIED, B_TRUE or B_LIED.

    From a larger poll people are drawn without replacement. Every dot keeps its random ranks when the settings change,
    so that only as many dots change as the counts do.
    """
    cells = np.array([shown.voted_a - shown.lied_a, shown.lied_a, 0, shown.lied_b])
    cells[B_TRUE] = shown.n_voters - cells.sum()
    rng = np.random.default_rng([config.seed, config.n_elections])
    n_dots = min(N_DOTS, shown.n_voters)
    vote_rank, lie_rank = rng.permutation(n_dots), rng.permutation(n_dots)
    if n_dots < shown.n_voters:
        cells = rng.multivariate_hypergeometric(cells, n_dots)
    kinds = np.empty(n_dots, np.uint8)
    by_vote = np.argsort(vote_rank)
    n_a = cells[A_TRUE] + cells[A_LIED]
    for people, liar, truthful, n_liars in (
        (by_vote[:n_a], A_LIED, A_TRUE, cells[A_LIED]),
        (by_vote[n_a:], B_LIED, B_TRUE, cells[B_LIED]),
    ):
        ranked = people[np.argsort(lie_rank[people])]
        kinds[ranked[:n_liars]] = liar
        kinds[ranked[n_liars:]] = truthful
    return kinds


def first_voted_a(n_a: int, n_people: int) -> NDArray[np.uint8]:
    """Kinds of `n_people` honest people, the first `n_a` of whom voted A, for an icon array."""
    limits.Limit("n_a", 0, n_people, integer=True).check(n_a)
    return np.where(np.arange(n_people) < n_a, A_TRUE, B_TRUE).astype(np.uint8)
