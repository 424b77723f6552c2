"""An adversary's guess from one report."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo.experiments.many_answers.config import STREAMS, AnswersConfig, mechanism
from privdemo.experiments.many_answers.release import GUESSED, ONE, Truth, truth
from privdemo.experiments.trials import generator
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.frequency_oracles import FrequencyOracle
from privdemo.mechanisms.frequency_oracles.oracle import in_parts

Array = NDArray[np.floating]

# People on whose reports the rate of right guesses is measured.
N_GUESSED = 2000


class OneReport(NamedTuple):
    """What is believed of each answer (k,) before and after a report of one whose true answer is number `sent`.

    `supported` (k,) are the answers that the report supports. `factor` is the most by which the odds of an answer have
    changed, up or down, at most e^ε. Over all people the likeliest answer is the true one for a share `guess_before` of
    them without a report, and `guess_after` with one, which is simulated.
    """

    sent: int
    names: tuple[str, ...]
    supported: NDArray[np.bool_]
    prior: Array
    posterior: Array
    factor: float
    guess_before: float
    guess_after: Estimate


def example(config: AnswersConfig, sent: int) -> tuple[str, ...]:
    """Return the answers that the report of `one_report` supports."""
    people = truth(config)
    made, report = _sampled(config, people, sent)
    return tuple(name for name, is_in in zip(people.names, made.support(report)[0], strict=True) if is_in)


def _sampled(config: AnswersConfig, people: Truth, sent: int) -> tuple[FrequencyOracle, NDArray]:
    """Return the config's mechanism, and one report by it of somebody with answer number `sent`."""
    made = mechanism(config.oracle, people.k, config.epsilon)
    return made, made.reports(np.array([sent]), generator(config, ONE, STREAMS[config.oracle], sent))


def one_report(config: AnswersConfig, sent: int) -> OneReport:
    """Sample one report of somebody with answer number `sent`, and return the posterior of an adversary who knows all
    shares.
    """
    people = truth(config)
    sent, prior = min(sent, people.k - 1), people.shares
    made, report = _sampled(config, people, sent)
    posterior = made.posterior(report, prior)[0]
    there = (prior > 0) & (prior < 1)
    odds = np.log(posterior[there]) - np.log1p(-posterior[there]) - np.log(prior[there]) + np.log1p(-prior[there])
    rng = generator(config, GUESSED, STREAMS[config.oracle])
    several = made.reports(rng.choice(people.k, N_GUESSED, p=prior), rng)
    right = [made.posterior(several[part], prior).max(axis=1) for part in in_parts(N_GUESSED, people.k)]
    return OneReport(
        sent=sent,
        names=people.names,
        supported=made.support(report)[0],
        prior=prior,
        posterior=posterior,
        factor=float(np.exp(np.abs(odds).max(initial=0.0))),
        guess_before=float(prior.max()),
        guess_after=mean_interval(np.concatenate(right), 0.0, 1.0),
    )
