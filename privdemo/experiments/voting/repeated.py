"""Estimators over many polls: bias, standard deviation and coverage, and histograms with the exact distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo.estimators import votes
from privdemo.experiments.voting.config import TRUTHFUL, ElectionConfig
from privdemo.experiments.voting.polls import Counts, Elections
from privdemo.intervals import Estimate, mean_interval, wilson_interval
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import HONEST

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Record:
    """The estimates (n_elections,) of one estimator over all polls, and how good they are.

    `bias` is the mean error with its 95 % interval over polls, `deviation` the standard deviation of the estimates.
    `n_covered` is the number of polls in which the estimator's own 95 % interval contained the true share, `covered`
    the same as a share of all polls. `law` is the exact distribution of the estimates.
    """

    name: str
    values: Array
    bias: Estimate
    deviation: float
    covered: Estimate
    n_covered: int
    law: votes.Law


def records(config: ElectionConfig, elections: Elections) -> tuple[Record, ...]:
    """Return every estimator over all polls; the first is the share of true answers."""
    honest = _record(config, HONEST, elections.voted_a, config.share, TRUTHFUL)
    rest = (_record(config, name, elections.said_a, config.answer_prob, config.channel) for name in config.estimators)
    return honest, *rest


def _record(config: ElectionConfig, name: str, counts: Counts, answer_prob: float, channel: BinaryChannel) -> Record:
    estimator = "naive" if name == HONEST else name
    distinct, where = np.unique(counts, return_inverse=True)
    shares = distinct / config.n_voters
    values = votes.ESTIMATORS[estimator](shares, channel)[where]
    low, high = votes.interval(estimator, shares, config.n_voters, channel)
    holds = (low <= config.share) & (config.share <= high)
    return Record(
        name,
        values,
        bias=mean_interval(values - config.share),
        deviation=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        covered=wilson_interval(int(holds[where].sum()), config.n_elections),
        n_covered=int(holds[where].sum()),
        law=votes.law(estimator, answer_prob, config.n_voters, channel),
    )


# The range in which estimates are plotted; estimates outside are uninformative.
FAR = (-0.5, 1.5)


def span(records: Sequence[Record], share: float) -> tuple[float, float]:
    """Return the ends of an axis for all estimates, their values of probability above 10⁻⁶ and the true share.

    The axis stays within `FAR`, as a raw spread estimate is unbounded where answers are nearly uninformative.
    """
    ends = [share]
    for record in records:
        likely = record.law.values[record.law.weights > 1e-6]
        ends += [record.values.min(), record.values.max(), likely.min(), likely.max()]
    margin = max(0.02 * (max(ends) - min(ends)), 1e-4)
    return max(FAR[0], float(min(ends) - margin)), min(FAR[1], float(max(ends) + margin))


def beyond(records: Sequence[Record]) -> int:
    """Return the number of estimates outside `FAR`, which are not plotted."""
    return sum(int(((record.values < FAR[0]) | (record.values > FAR[1])).sum()) for record in records)


class Histogram(NamedTuple):
    """`edges` (m+1,); the measured and the exact share of polls in each bin, both (m,)."""

    edges: Array
    measured: Array
    exact: Array


def histogram(record: Record, low: float, high: float, n_bins: int = 60) -> Histogram:
    """Return estimates in about `n_bins` bins between `low` and `high`, and the exact probability of each bin.

    Estimates from few voters lie on a lattice. Every bin then has the same whole number of lattice points, none of them
    at an edge, so that no bin looks fuller than its neighbours for that reason alone.
    """
    width = (high - low) / n_bins
    steps = np.diff(record.law.values)
    step = float(np.abs(steps).max()) if len(steps) and np.allclose(steps, steps[0]) else 0.0
    start = low
    if step:
        width = step * max(1, round(width / step))
        start = record.law.values[0] - 0.5 * step
        start -= width * np.ceil((start - low) / width)
    edges = start + width * np.arange(np.ceil((high - start) / width) + 1)
    measured, _ = np.histogram(record.values, edges)
    exact, _ = np.histogram(record.law.values, edges, weights=record.law.weights)
    return Histogram(edges, measured / len(record.values), exact)
