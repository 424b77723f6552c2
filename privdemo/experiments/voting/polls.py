"""Simulated polls: votes, lies, and every estimate of one poll."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.estimators import votes
from privdemo.experiments.trials import seeded
from privdemo.experiments.voting.config import TRUTHFUL, ElectionConfig
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import HONEST

Counts = NDArray[np.integer]
# The random streams of a seed: of people one by one, and of the counts of all others.
_VOTES, _LIES_OF_A, _LIES_OF_B, _PERSONS_VOTES, _PERSONS_LIES = range(5)
# The people of a poll who are simulated one by one and plotted as dots; polls are sampled in blocks of so many people.
N_DOTS = 1000
_BLOCK = 100
# Kinds of people: their vote, and whether they lied.
A_TRUE, A_LIED, B_TRUE, B_LIED = range(4)


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


class People(NamedTuple):
    """The first people of polls, an axis of people last: who voted for A, and a uniform number in [0, 1) each.

    A person lies whose uniform number is below the probability of a lie. Neither votes nor uniform numbers depend on
    the lie, so that liars stay liars as it grows.
    """

    voted_a: NDArray[np.bool_]
    uniform: NDArray[np.float64]

    def lied(self, channel: BinaryChannel) -> NDArray[np.bool_]:
        """Return who lies."""
        return self.uniform < np.where(self.voted_a, channel.p01, channel.p10)


def run(config: ElectionConfig) -> Elections:
    """Simulate the polls: up to `N_DOTS` people one by one, of all others counts.

    Voters are independent, so the number of votes for A is binomial(N, θ), and the numbers of lies
    are binomial given it: the same distribution as asking one person after another.
    """
    rest = config.n_voters - _n_shown(config)
    votes_rng, a_rng, b_rng = (seeded(config.seed, number) for number in (_VOTES, _LIES_OF_A, _LIES_OF_B))
    voted_a = votes_rng.binomial(rest, config.share, config.n_elections)
    lied_a = a_rng.binomial(voted_a, config.channel.p01)
    lied_b = b_rng.binomial(rest - voted_a, config.channel.p10)
    for first in range(0, config.n_elections, _BLOCK):
        block = slice(first, min(first + _BLOCK, config.n_elections))
        voters = _people(config, block)
        lied = voters.lied(config.channel)
        voted_a[block] += np.count_nonzero(voters.voted_a, axis=1)
        lied_a[block] += np.count_nonzero(lied & voters.voted_a, axis=1)
        lied_b[block] += np.count_nonzero(lied & ~voters.voted_a, axis=1)
    return Elections(voted_a, lied_a, lied_b)


def people(config: ElectionConfig, index: int = -1) -> People:
    """Return the people who are shown of poll number `index`. Raises ``ValueError`` for an index that is out of
    range.
    """
    _check_index(config, index)
    first = index % config.n_elections
    found = _people(config, slice(first, first + 1))
    return People(found.voted_a[0], found.uniform[0])


def kinds(voters: People, channel: BinaryChannel) -> NDArray[np.uint8]:
    """Return the kind of each person: A_TRUE, A_LIED, B_TRUE or B_LIED."""
    lied = voters.lied(channel)
    return np.where(voters.voted_a, A_TRUE + lied, B_TRUE + lied).astype(np.uint8)


def _n_shown(config: ElectionConfig) -> int:
    return min(N_DOTS, config.n_voters)


def _people(config: ElectionConfig, polls: slice) -> People:
    """Return the people who are shown of the polls of a slice, (n_polls, n_shown)."""

    def uniform(number: int) -> NDArray[np.float64]:
        bits = np.random.PCG64(np.random.SeedSequence(config.seed, spawn_key=(number,)))
        rng = np.random.Generator(bits.advance(polls.start * N_DOTS))  # a larger poll has the same people, and more
        return rng.random((polls.stop - polls.start, N_DOTS))[:, : _n_shown(config)]

    return People(uniform(_PERSONS_VOTES) < config.share, uniform(_PERSONS_LIES))


class Poll(NamedTuple):
    """One poll: its counts, and every estimate of the share for A, that from true answers first."""

    voted_a: int
    lied_a: int
    lied_b: int
    said_a: int
    n_voters: int
    estimates: dict[str, votes.VoteEstimate]


def poll(config: ElectionConfig, elections: Elections, index: int = -1) -> Poll:
    """Return poll number `index` with its estimates. Raises ``ValueError`` for an index that is out of range."""
    _check_index(config, index)
    voted_a, lied_a, lied_b = (int(counts[index]) for counts in (elections.voted_a, elections.lied_a, elections.lied_b))
    said_a = voted_a - lied_a + lied_b
    estimates = {HONEST: votes.estimate("naive", voted_a, config.n_voters, TRUTHFUL)}
    for name in config.estimators:
        estimates[name] = votes.estimate(name, said_a, config.n_voters, config.channel)
    return Poll(voted_a, lied_a, lied_b, said_a, config.n_voters, estimates)


def _check_index(config: ElectionConfig, index: int) -> None:
    limits.Limit("index", -config.n_elections, config.n_elections - 1, integer=True).check(index)


def first_voted_a(n_a: int, n_people: int) -> NDArray[np.uint8]:
    """Return kinds of `n_people` people who do not lie, the first `n_a` of whom voted A, for an icon array."""
    limits.Limit("n_a", 0, n_people, integer=True).check(n_a)
    return np.where(np.arange(n_people) < n_a, A_TRUE, B_TRUE).astype(np.uint8)
