"""True answers, reports, and the shares that inversion estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import datasets
from privdemo.datasets import Answers, Source, kept_by_name
from privdemo.estimators.frequency_oracles import InvertedShares, invert
from privdemo.experiments.many_answers.config import (
    ILLNESS_NAMES,
    ILLNESSES,
    OCCUPATIONS,
    RANDOMISED_RESPONSE,
    STREAMS,
    UNIFORM,
    WORDS,
    ZIPF,
    AnswersConfig,
    mechanism,
)
from privdemo.experiments.trials import generator
from privdemo.mechanisms.frequency_oracles import FrequencyOracle, best, for_answers
from privdemo.simplex import round_to_sum

Array = NDArray[np.floating]

# Fixed numbers of the random streams of a trial; the number of the mechanism follows.
COUNTS, REPORTS, ONE, GUESSED, FAKED = range(5)
# Adult's columns of occupations begin so.
_OCCUPATION = "occupation = "


class Truth(NamedTuple):
    """The answers' `names`, the most frequent first, and how many people have each, `counts` (k,)."""

    names: tuple[str, ...]
    counts: NDArray[np.int64]

    @property
    def k(self) -> int:
        """The number of answers."""
        return len(self.names)

    @property
    def shares(self) -> Array:
        """What share of all people has each answer, (k,)."""
        return self.counts / self.counts.sum()


@dataclass(frozen=True, eq=False)
class Release:
    """The truth, and the shares read from one release of each oracle: the config's, then its `rival`."""

    config: AnswersConfig
    truth: Truth
    found: dict[str, InvertedShares]


def truth(config: AnswersConfig) -> Truth:
    """Return who has which answer: the shares of the source times the number of people, in whole people.

    Raises ``ValueError`` for records of a single class, and where a data set cannot be read.
    """
    names, weights = _weights(config)
    order = np.argsort(-weights, kind="stable")[: config.k]
    kept = weights[order]
    return Truth(tuple(names[i] for i in order), round_to_sum(kept / kept.sum() * config.people))


def _weights(config: AnswersConfig) -> tuple[tuple[str, ...], Array]:
    if config.dataset in (ILLNESSES, ZIPF, UNIFORM):
        ranks = np.arange(1, config.k + 1)
        exponent = 0.0 if config.dataset == UNIFORM else config.exponent
        return _names(config), ranks**-exponent
    if isinstance(config.dataset, Answers):
        return config.dataset.names, config.dataset.counts.astype(float)
    return _of_records(config.dataset)


def _names(config: AnswersConfig) -> tuple[str, ...]:
    """Return the names of answers that come from no data set: illnesses as far as there are names, else numbers."""
    if config.dataset != ILLNESSES:
        return tuple(str(rank) for rank in range(1, config.k + 1))
    further = (f"illness {rank}" for rank in range(len(ILLNESS_NAMES) + 1, config.k + 1))
    return *ILLNESS_NAMES[: config.k], *further


@kept_by_name(4)
def _of_records(source: Source) -> tuple[tuple[str, ...], Array]:
    """Return the answers of records and how many give each: occupations, words, or classes."""
    data = datasets.load(source)
    if source == OCCUPATIONS:
        columns = [i for i, name in enumerate(data.feature_names) if name.startswith(_OCCUPATION)]
        names = [data.feature_names[i].removeprefix(_OCCUPATION) for i in columns]
        return tuple("unknown" if name == "?" else name for name in names), data.X[:, columns].sum(axis=0, dtype=float)
    if source == WORDS:
        return tuple(map(datasets.without_markup, data.feature_names)), np.asarray(
            data.X.sum(axis=0, dtype=float)
        ).ravel()
    return data.class_names, np.array(data.class_counts, dtype=float)


def rival(oracle: str, k: int, epsilon: float) -> str:
    """Return the oracle to compare with: k-ary randomised response; the best of the others for that itself, and where
    it does not take `k` answers.
    """
    able = for_answers(k)
    if oracle != RANDOMISED_RESPONSE and RANDOMISED_RESPONSE in able:
        return RANDOMISED_RESPONSE
    return best(k, epsilon, [name for name in able if name != oracle])


def inverted(config: AnswersConfig, people: Truth, oracle: str) -> InvertedShares:
    """Return the shares that inversion reads from one release by `oracle`, sampled as counts."""
    made = mechanism(oracle, people.k, config.epsilon)
    rng = generator(config, COUNTS, STREAMS[oracle])
    return invert(made, made.support_counts(people.counts, rng), config.people)


def reported(config: AnswersConfig, people: Truth) -> tuple[FrequencyOracle, NDArray]:
    """Return the config's mechanism, and what each of the people sends by it."""
    made = mechanism(config.oracle, people.k, config.epsilon)
    rng = generator(config, REPORTS, STREAMS[config.oracle])
    return made, made.reports(np.repeat(np.arange(people.k), people.counts), rng)


def run(config: AnswersConfig) -> Release:
    """Release the answers by the config's oracle and by its `rival`, and read the shares. Raises as `truth`."""
    people = truth(config)
    names = (config.oracle, rival(config.oracle, people.k, config.epsilon))
    return Release(config, people, {name: inverted(config, people, name) for name in names})
