"""Many answers: k from 2 to 1,024, told with ε-local privacy by one of six mechanisms."""

from privdemo.experiments.many_answers.adversary import N_GUESSED, OneReport, one_report
from privdemo.experiments.many_answers.config import (
    OCCUPATIONS,
    PAPERS,
    SOURCES,
    UNIFORM,
    WORDS,
    ZIPF,
    AnswersConfig,
    mechanism,
)
from privdemo.experiments.many_answers.fit import MOST_CELLS, Fit, fit, is_soon, mean_errors
from privdemo.experiments.many_answers.release import Release, Truth, inverted, rival, run, truth
from privdemo.experiments.many_answers.score import (
    AXES,
    EPSILON_AXIS,
    K_AXIS,
    PEOPLE_AXIS,
    Winners,
    along,
    crossover,
    errors,
    unasked_error,
    winners,
)
from privdemo.experiments.many_answers.trust import EPSILONS, Trusted, trusted, trusted_along

__all__ = [
    "AXES",
    "EPSILONS",
    "EPSILON_AXIS",
    "K_AXIS",
    "MOST_CELLS",
    "N_GUESSED",
    "OCCUPATIONS",
    "PAPERS",
    "PEOPLE_AXIS",
    "SOURCES",
    "UNIFORM",
    "WORDS",
    "ZIPF",
    "AnswersConfig",
    "Fit",
    "OneReport",
    "Release",
    "Trusted",
    "Truth",
    "Winners",
    "along",
    "crossover",
    "errors",
    "fit",
    "inverted",
    "is_soon",
    "mean_errors",
    "mechanism",
    "one_report",
    "rival",
    "run",
    "trusted",
    "trusted_along",
    "truth",
    "unasked_error",
    "winners",
]
