"""Released label counts: L1 distortion of every mechanism, also along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from privdemo.experiments.label_counts.config import (
    AXES,
    C_AXIS,
    DELTA_AXIS,
    EPSILON_AXIS,
    LARGER_EPSILONS,
    RHO_AXIS,
    CountConfig,
    design,
)
from privdemo.intervals import Estimate, gap_interval, mean_interval
from privdemo.mechanisms.label_counts import RELEASES, CountRelease, calibrate
from privdemo.verdict import clearly_above


@dataclass(frozen=True)
class Outcome:
    """One mechanism on one set: mean L1 distortion with a 95 % interval, and standard deviation of one release.

    `release` is the name of the mechanism. `example` (c,) are the proportions of the first release, `ranges` (c, 2)
    contain 95 % of all releases. `delta` is the exact δ at the config's ε; `holds` says whether (ε, δ) holds with noise
    that does not depend on private counts. Where there is no such noise, `mechanism` is None and `problem` says why.
    """

    release: str
    mechanism: CountRelease | None
    distortion: Estimate
    deviation: float
    example: tuple[float, ...]
    ranges: tuple[tuple[float, float], ...]
    delta: float
    holds: bool
    problem: str = ""


def run(config: CountConfig) -> dict[str, Outcome]:
    """Release the counts `repeats` times with every mechanism, each with the same seed."""
    return {name: _outcome(config, name) for name in config.releases}


def _outcome(config: CountConfig, name: str) -> Outcome:
    counts = np.array(config.counts)
    try:
        mechanism = calibrate(name, config.epsilon, config.delta, counts, config.n_min)
        released = mechanism.randomise(np.tile(counts, (config.repeats, 1)), np.random.default_rng(config.seed))
    except ValueError as error:  # too few of a class, or δ = 0 where it cannot hold: only this mechanism is left out
        nothing = Estimate(math.nan, math.nan, math.nan)
        return Outcome(name, None, nothing, math.nan, (), (), math.nan, False, str(error))
    distortions = np.abs(released - counts / counts.sum()).sum(axis=1)
    delta = mechanism.delta_at(config.epsilon)
    return Outcome(
        release=name,
        mechanism=mechanism,
        distortion=mean_interval(distortions),
        deviation=float(distortions.std(ddof=1)),
        example=tuple(released[0].tolist()),
        ranges=tuple(map(tuple, np.quantile(released, (0.025, 0.975), axis=0).T.tolist())),
        delta=delta,
        holds=delta <= config.delta * (1 + 1e-9) and not RELEASES[name].data_dependent,
    )


def along(
    config: CountConfig,
    axis: str,
    n_classes: int,
    total: int,
    rho: float,
    run: Callable[[CountConfig], dict[str, Outcome]] = run,
) -> dict[float, dict[str, Outcome]]:
    """`run` at every level of an axis and at the config's own level, all other settings unchanged; along ε also at
    `LARGER_EPSILONS`.

    Along classes and shares the counts are those of `design(n_classes, total, rho)`, and levels that leave
    the last class empty are left out. Along ε and δ these three are not used. Pass a caching `run` to reuse results.
    Raises ``ValueError`` where no level is left.
    """
    own = {C_AXIS: float(n_classes), RHO_AXIS: rho, EPSILON_AXIS: config.epsilon, DELTA_AXIS: config.delta}[axis]
    outcomes = {}
    more = LARGER_EPSILONS if axis == EPSILON_AXIS else ()
    for level in sorted({*AXES[axis], *more, *([own] if own > 0 else [])}):
        if axis in (C_AXIS, RHO_AXIS):
            try:
                counts = design(int(level) if axis == C_AXIS else n_classes, total, level if axis == RHO_AXIS else rho)
            except ValueError:
                continue
            outcomes[level] = run(replace(config, counts=counts))
        else:
            outcomes[level] = run(
                replace(config, epsilon=level) if axis == EPSILON_AXIS else replace(config, delta=level)
            )
    if not outcomes:
        raise ValueError(f"with {n_classes} classes no share along the axis leaves anything for the last; take fewer")
    return outcomes


class Winner(NamedTuple):
    """The least distorting mechanism (`release`) at one δ, and the names of those `tied` with it: no clearly larger
    distortion.
    """

    delta: float
    release: str
    distortion: float
    tied: tuple[str, ...]


def winners(outcomes: dict[float, dict[str, Outcome]]) -> list[Winner]:
    """Return the least distorting mechanism at every δ, among those whose guarantee holds."""
    return [
        Winner(delta, best, here[best].distortion.mean, tuple(tied))
        for delta, here in outcomes.items()
        if any(outcome.holds for outcome in here.values())
        for best, *tied in (best_and_tied(here),)
    ]


def best_and_tied(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Return the name of the least distorting mechanism whose guarantee holds, then those of the mechanisms that do not
    clearly distort more.
    """
    valid = {name: outcome.distortion for name, outcome in outcomes.items() if outcome.holds}
    best = min(valid, key=lambda name: valid[name].mean)
    others = (name for name in valid if name != best)
    return best, *(name for name in others if not clearly_above(gap_interval(valid[name], valid[best])))


def profile(mechanism: CountRelease, epsilons: Sequence[float]) -> list[float]:
    """Return δ at each of `epsilons`."""
    return [mechanism.delta_at(epsilon) for epsilon in epsilons]
