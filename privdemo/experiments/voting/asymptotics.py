"""Limits of the estimators for infinitely many voters (Barber, figure 1), and the objective J∞ of the
reconstruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from privdemo import limits
from privdemo.estimators import votes
from privdemo.experiments.voting.config import TRUTHFUL, ElectionConfig
from privdemo.experiments.voting.repeated import Array
from privdemo.mechanisms import BinaryChannel

FLIP_PROBS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


class LongRun(NamedTuple):
    """What each estimator estimates in the limit of infinitely many voters, N → ∞, at one symmetric flip probability.

    Each array (n,) holds an estimate for each of the true shares `share`. `grid_maximum` is the θ at which J∞, the
    objective that the reconstruction maximises, is largest on a grid of 1 to 999 thousandths. `grid_maximum` and
    `reconstruction` are nan where both ends are equally good; `spread` is nan where answers carry no information.
    """

    flip_prob: float
    share: Array
    naive: Array
    spread: Array
    reconstruction: Array
    grid_maximum: Array


def figure1(flip_probs: Sequence[float] = FLIP_PROBS, n_shares: int = 201) -> tuple[LongRun, ...]:
    """Return Barber's figure 1: the limit of the reconstruction against the true θ₀, and those of the other two
    estimators.
    """
    share = np.linspace(0, 1, n_shares)
    return tuple(long_run(p, share) for p in flip_probs)


def long_run(flip_prob: float, share: Array) -> LongRun:
    """Return the limits of the three estimators when N → ∞; `share` (n,) in [0, 1]."""
    limits.flip_prob_limit(2).check(flip_prob)
    channel = BinaryChannel(flip_prob, flip_prob)
    truthful_answers = votes.naive(share, TRUTHFUL)  # `share` itself, checked to be in [0, 1]
    answers = flip_prob + (1 - 2 * flip_prob) * truthful_answers
    spread = votes.corrected(answers, channel) if channel.contrast else np.full(answers.shape, np.nan)
    climbed = votes.reconstruction(answers, channel)
    climbed[votes.reconstruction_tied(answers, channel)] = np.nan
    return LongRun(flip_prob, share, answers, spread, climbed, _grid_maximum(answers, channel))


def _grid_maximum(answers: Array, channel: BinaryChannel) -> Array:
    """Return where J∞ is largest on a grid in (0, 1); nan where both ends of the grid are equally good."""
    theta = np.arange(1, 1000) / 1000
    objective = votes.reconstruction_objective(theta, answers[:, None], channel)
    found = theta[objective.argmax(axis=1)]
    tied = np.abs(objective - objective.max(axis=1, keepdims=True))[:, [0, -1]].max(axis=1) < 1e-12
    return np.where(tied, np.nan, found)


def limits_by_estimator(config: ElectionConfig) -> dict[str, float]:
    """Return the limit N → ∞ of each estimator of `config`; nan for a reconstruction that 0 and 1 fit equally well."""
    found = {name: float(votes.ESTIMATORS[name](config.answer_prob, config.channel)) for name in config.estimators}
    if votes.reconstruction_tied(config.answer_prob, config.channel):
        found["reconstruction"] = np.nan
    return found


def self_confirming(channel: BinaryChannel) -> tuple[str, ...]:
    """Return the assumptions, "nobody" or "everybody" voted A, under which J has its maximum 0 for all answers.

    J(0) = 0 where voters of B may give every possible answer; J(1) = 0 where voters of A may.
    """
    may_answer = channel.channel_matrix > 0
    anybody = may_answer.any(axis=1)
    may_all = [(may_answer[:, vote] == anybody).all() for vote in (0, 1)]
    return tuple(who for who, may in zip(("nobody", "everybody"), may_all, strict=True) if may)


def limit_as_printed(config: ElectionConfig) -> float:
    """Return the limit of Barber's eq. (2) and (24) as printed, with f̃ + p10.

    Raises ``ValueError`` where the contrast 1 − p10 − p01 is 0.
    """
    if not config.channel.contrast:
        raise ValueError(f"p10 + p01 must differ from 1, got {config.channel}; such answers carry no information")
    return (config.answer_prob + config.channel.p10) / config.channel.contrast


def certain_inferences(channel: BinaryChannel) -> tuple[str, ...]:
    """Return what an answer reveals for certain, such as "whoever says A voted A"; empty where both lies may occur."""
    certain = [
        ("whoever says A voted A", channel.p10 == 0),
        ("whoever says B voted B", channel.p01 == 0),
        ("whoever says A voted B", channel.p01 == 1),
        ("whoever says B voted A", channel.p10 == 1),
    ]
    return tuple(words for words, holds in certain if holds and channel.contrast)


def landscape(config: ElectionConfig, n_points: int = 401) -> tuple[Array, Array]:
    """Return the curve of J∞, the objective of the reconstruction, over candidate shares θ for an election.

    That are `theta` (n_points,) and J∞ at each (n_points,), in nats a voter.
    """
    theta = np.linspace(0, 1, n_points)
    return theta, votes.reconstruction_objective(theta, config.answer_prob, config.channel)
