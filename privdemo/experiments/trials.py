"""Trials, the random repetitions of an experiment: the config of another trial, and the random streams of a trial.

Each stream has a fixed number of its own, which the experiment names, so that no stream depends on the order in which
others are used, and a change of one choice leaves the other random numbers as they were.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np


class Repeatable(Protocol):
    """A frozen dataclass whose `trial` numbers the repetitions of the same experiment."""

    @property
    def seed(self) -> int: ...

    @property
    def trial(self) -> int: ...


# A config of any experiment: functions return the type that they get.
Config = TypeVar("Config", bound=Any)


def with_trial(config: Config, trial: int) -> Config:
    """Return trial number `trial` of `config`: the same experiment on other people with other noise and test
    records.
    """
    return replace(config, trial=trial)


def stream(config: Repeatable, *numbers: int) -> np.random.SeedSequence:
    """Return the random stream of `config.trial` with these fixed numbers: a child of ``SeedSequence(config.seed)``.

    Stream i is the i-th child that ``SeedSequence(config.seed, spawn_key=(config.trial,)).spawn`` gives.
    """
    return np.random.SeedSequence(config.seed, spawn_key=(config.trial, *numbers))


def seeded(seed: int, *numbers: int) -> np.random.Generator:
    """Return a new generator at the start of the child of ``SeedSequence(seed)`` with these fixed numbers."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=numbers))


def generator(config: Repeatable, *numbers: int) -> np.random.Generator:
    """Return a new generator at the start of `stream`."""
    return seeded(config.seed, config.trial, *numbers)
