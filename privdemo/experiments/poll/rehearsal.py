"""A simulated class, whose people answer in order and whose true share is shown at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.experiments.poll.config import PollConfig
from privdemo.experiments.trials import seeded

# The random streams of a seed: the shares, who has which answer, and the lies of each repetition.
_SHARES, _PEOPLE, _LIES = range(3)
# Of a Dirichlet distribution, under which shares of 0 and 1 are unlikely.
_EVEN = 2.0


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """The number of people with each true answer, `truth` (k,), and the `answers` (repetitions, people) in order."""

    truth: tuple[int, ...]
    answers: NDArray[np.integer]

    def counts(self, time: int, n_people: int) -> tuple[int, ...]:
        """Return how many of the first `n_people` sent each answer at repetition `time`, from 1."""
        return tuple(np.bincount(self.answers[time - 1, :n_people], minlength=len(self.truth)).tolist())

    @property
    def shares(self) -> tuple[float, ...]:
        """The true share of each answer."""
        return tuple(count / sum(self.truth) for count in self.truth)


def rehearse(config: PollConfig, n_people: int, seed: int) -> Rehearsal:
    """Sample a class of `n_people` who answer the most times that a poll allows; the true answers do not depend on the
    lie.
    """
    limits.POLL_PEOPLE.check(n_people)
    limits.SEED.check(seed)
    k = len(config.answers)
    shares = seeded(seed, _SHARES).dirichlet(np.full(k, _EVEN))
    true = seeded(seed, _PEOPLE).choice(k, n_people, p=shares).astype(np.uint8)
    lies = [seeded(seed, _LIES, time) for time in range(int(limits.POLL_ROUNDS.high))]
    answers = np.stack([config.mechanism.randomise(true, rng) for rng in lies])
    return Rehearsal(tuple(np.bincount(true, minlength=k).tolist()), answers)
