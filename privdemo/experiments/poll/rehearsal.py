"""A simulated class, whose people answer in order and whose true share is shown at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.experiments.poll.config import CONTROL, KNOWN_SHARE, PollConfig
from privdemo.experiments.trials import seeded
from privdemo.mechanisms import RandomisedResponse

# The random streams of a seed: the shares, who has which answer, the lies of each repetition, who disobeys, who is in
# which half, and for whom the control question's Yes is true.
_SHARES, _PEOPLE, _LIES, _DISOBEY, _HALVES, _BIRTHDAYS = range(6)
# Of a Dirichlet distribution, under which shares of 0 and 1 are unlikely.
_EVEN = 2.0


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """The number of people with each true answer, `truth` (k,), and what they sent (repetitions, people) in order.

    `sent` are the cells of `PollConfig.by_answer`. So many `disobey`: they always send the last answer.
    """

    config: PollConfig
    truth: tuple[int, ...]
    sent: NDArray[np.integer]
    disobey: int

    def counts(self, time: int, n_people: int) -> tuple[int, ...]:
        """Return how many of the first `n_people` sent each cell at repetition `time`, from 1."""
        return tuple(np.bincount(self.sent[time - 1, :n_people], minlength=self.config.n_cells).tolist())

    @property
    def shares(self) -> tuple[float, ...]:
        """The true share of each answer."""
        return tuple(count / sum(self.truth) for count in self.truth)


def rehearse(config: PollConfig, n_people: int, seed: int, part: float = 0.0) -> Rehearsal:
    """Sample a class of `n_people` who answer the most times that a poll allows; the true answers do not depend on the
    lie.

    A `part` of them, chosen whatever is true of them, always sends the last answer, to a control question as well.
    """
    limits.POLL_PEOPLE.check(n_people)
    limits.SEED.check(seed)
    limits.PART_OF_POLL.check(part)
    k = len(config.answers)
    shares = seeded(seed, _SHARES).dirichlet(np.full(k, _EVEN))
    true = seeded(seed, _PEOPLE).choice(k, n_people, p=shares).astype(np.uint8)
    disobey = seeded(seed, _DISOBEY).permutation(n_people)[: round(part * n_people)]
    half = seeded(seed, _HALVES).integers(len(config.lies), size=n_people)
    birthday = (seeded(seed, _BIRTHDAYS).random(n_people) >= KNOWN_SHARE).astype(np.uint8)  # Yes is the first answer

    def sent(rng: np.random.Generator) -> NDArray[np.integer]:
        in_halves = [RandomisedResponse(lie, k).randomise(true, rng) for lie in config.lies]
        answers = np.where(half == 0, in_halves[0], in_halves[-1])
        answers[disobey] = k - 1
        if config.check != CONTROL:
            return k * half + answers
        control = config.mechanism.randomise(birthday, rng)
        control[disobey] = 1
        return 2 * answers + control

    rounds = [sent(seeded(seed, _LIES, time)) for time in range(int(limits.POLL_ROUNDS.high))]
    return Rehearsal(config, tuple(np.bincount(true, minlength=k).tolist()), np.stack(rounds), len(disobey))
