"""Settings of a survey in which each person reports one of many answers."""

from __future__ import annotations

from dataclasses import dataclass

from privdemo import limits
from privdemo.datasets import Answers, OwnData, Source
from privdemo.mechanisms.frequency_oracles import ORACLES, FrequencyOracle

# Whose answers, where no data set is given: shares ∝ rank^−s, of illnesses or of answers without names, or all alike.
ILLNESSES, ZIPF, UNIFORM = "illnesses", "zipf", "uniform"
# Occupations of Adult, and words of SMS.
OCCUPATIONS, WORDS = "adult", "sms"
SOURCES = (ZIPF, UNIFORM, OCCUPATIONS, WORDS, ILLNESSES)
# The illnesses of the example, the most frequent first; further ones have numbers. Their shares are made up.
ILLNESS_NAMES = (
    *("cold", "flu", "hay fever", "migraine", "asthma", "eczema", "diabetes", "gout"),
    *("anaemia", "ulcer", "epilepsy", "measles", "mumps", "hepatitis", "malaria", "cholera"),
)
# The oracle by which papers on noisy labels have labels randomised.
RANDOMISED_RESPONSE = "randomised response"
# The random stream of each oracle: its place among `ORACLES`. Append new oracles there, at the end: elsewhere they
# would change the random numbers of those after them, and with them published results.
STREAMS = {name: place for place, name in enumerate(ORACLES)}


@dataclass(frozen=True)
class AnswersConfig:
    """`people` who each report one of at most `k` answers, the most frequent ones, with ε = `epsilon` by an `oracle`.

    `dataset` gives the shares of the answers: "zipf" and "illnesses" have shares ∝ rank^−`exponent`, "uniform" has
    equal ones, "adult" those of its occupations, "sms" those of its words, by how many messages have each. `Answers`
    are those of one's own column (`datasets.count_answers`), and of other records the answers are the classes. `k` is
    at most 1,024; by local hashing and Hadamard response 65,536.
    """

    dataset: Source | Answers = ZIPF
    k: int = 64
    exponent: float = 1.2
    people: int = 10_000
    epsilon: float = 1.0
    oracle: str = "subset selection"
    seed: int = 0
    trial: int = 0

    def __post_init__(self) -> None:
        for limit, value in (
            (limits.ZIPF_EXPONENT, self.exponent),
            (limits.ORACLE_PEOPLE, self.people),
            (limits.ORACLE_EPSILON, self.epsilon),
            (limits.SEED, self.seed),
            (limits.TRIAL, self.trial),
        ):
            limit.check(value)
        if not isinstance(self.dataset, OwnData) and self.dataset not in SOURCES:
            raise ValueError(f"dataset must be one of {', '.join(SOURCES)}, records or Answers, got {self.dataset!r}")
        if self.oracle not in ORACLES:
            raise ValueError(f"oracle must be one of {', '.join(ORACLES)}, got {self.oracle!r}")
        ORACLES[self.oracle].answers_limit.check(self.k)


def mechanism(oracle: str, k: int, epsilon: float) -> FrequencyOracle:
    """Return the frequency oracle of this name, with `k` answers and ε = `epsilon`."""
    return ORACLES[oracle](k, epsilon)
