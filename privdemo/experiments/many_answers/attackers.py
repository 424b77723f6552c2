"""Fake clients in a survey: by how much they raise the share of one answer, and what is left of it after defences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from privdemo import limits
from privdemo.disobedience import Way, attack, defended
from privdemo.disobedience.many_answers import CRAFTED, PRETEND
from privdemo.experiments.many_answers.config import STREAMS, AnswersConfig, mechanism
from privdemo.experiments.many_answers.release import FAKED, Truth, truth
from privdemo.experiments.many_answers.score import AXES, EPSILON_AXIS
from privdemo.experiments.trials import generator
from privdemo.mechanisms.frequency_oracles import for_answers
from privdemo.simplex import round_to_sum


@dataclass(frozen=True)
class Attackers:
    """Fake clients, a `part` of all people; the answer that they push, its `target`, and the name of their attack."""

    target: int
    part: float = 0.05
    attack: str = CRAFTED

    def __post_init__(self) -> None:
        limits.FAKE_PART.check(self.part)
        if self.attack not in (CRAFTED, PRETEND):
            raise ValueError(f"attack must be {CRAFTED!r} or {PRETEND!r}, got {self.attack!r}")

    @property
    def way(self) -> Way:
        """What they send."""
        return attack(self.attack, (self.target,))


# Which answer fake clients push.
RAREST, FREQUENT = "rarest", "most frequent"


def target_of(people: Truth, which: str) -> int:
    """Return the answer that is pushed: the most frequent one, or the rarest of those that somebody has."""
    return int((people.counts > 0).nonzero()[0][-1]) if which == RAREST else 0


@dataclass(frozen=True)
class AttackedConfig(AnswersConfig):
    """A survey of an `AnswersConfig` with fake clients, a `part` of all people, who push the "rarest" or the "most
    frequent" answer by an `attack`.
    """

    target: str = RAREST
    part: float = 0.05
    attack: str = CRAFTED

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target not in (RAREST, FREQUENT):
            raise ValueError(f"target must be {RAREST!r} or {FREQUENT!r}, got {self.target!r}")
        _ = Attackers(0, self.part, self.attack)  # which checks both

    @property
    def attackers(self) -> Attackers:
        """The fake clients."""
        return Attackers(target_of(truth(self), self.target), self.part, self.attack)


def pushed(k: int, share: float, epsilon: float, attackers: Attackers) -> dict[float, dict[str, float]]:
    """Return by how much the estimate of the target's `share` rises on average, along ε, by every oracle for `k`.

    It is `disobedience.gain` for one target, which a crafted report supports by every oracle: β ((1 − q)/(p − q) − f).
    Who only pretends counts once: β (1 − f). By inversion, so that a rise may be above 1.
    """
    levels = sorted({*AXES[EPSILON_AXIS], epsilon})
    return {
        level: {
            name: float(attackers.part * (_counts_as(name, k, level, attackers.attack) - share))
            for name in for_answers(k)
        }
        for level in levels
    }


def _counts_as(oracle: str, k: int, epsilon: float, name: str) -> float:
    """Return as how many people one fake client counts."""
    made = mechanism(oracle, k, epsilon)
    return 1.0 if name == PRETEND else (1 - made.q) / (made.p - made.q)


class Left(NamedTuple):
    """What a defence makes of a survey: the target's estimated `share`, and the `error` of a share (root mean
    square over answers).
    """

    share: float
    error: float


class AttackedSurvey(NamedTuple):
    """A survey with fake clients: the target's share among the others, `true`, and what each defence makes of it."""

    true: float
    left: dict[str, Left]


def attacked(config: AnswersConfig, attackers: Attackers) -> AttackedSurvey:
    """Simulate one survey by the config's oracle, in which a part of the people are fake clients.

    The others have the true shares, and LDPRecover is told how many are fake.
    """
    people = truth(config)
    n_fake = round(attackers.part * config.people)
    counts = round_to_sum(people.shares * (config.people - n_fake))
    share = float(counts[attackers.target] / counts.sum())
    found = defended(
        mechanism(config.oracle, people.k, config.epsilon),
        attackers.way,
        (attackers.target,),
        counts,
        n_fake,
        1,
        generator(config, FAKED, STREAMS[config.oracle]),
    )
    return AttackedSurvey(share, {name: Left(share + one.gain.mean, one.error.mean) for name, one in found.items()})
