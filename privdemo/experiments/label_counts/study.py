"""The shipped study: figure 1 of Iyer, Nath & Sarawagi (2016), published and tight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privdemo import accounting
from privdemo.experiments import results
from privdemo.experiments.label_counts.config import (
    AXES,
    C_AXIS,
    CLASSES,
    DELTA,
    DELTA_AXIS,
    EPSILON,
    EPSILON_AXIS,
    RHO,
    RHO_AXIS,
    TOTAL,
    CountConfig,
    design,
)
from privdemo.experiments.label_counts.release import Outcome, run
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.label_counts import RELEASES, STUDIED, CountRelease, ScaledDirichlet, calibrate

# Distortions at the paper's design that its text gives: of scaled Dirichlet, and of the best other mechanism.
PUBLISHED = {"dirichlet published": 0.06, "laplace published": 0.15}
# Releases in one batch; the results file has means over batches.
BATCH = 100
# Releases for each distortion of `settle`.
SETTLING = 2000


@dataclass(frozen=True)
class Settled:
    """The paper's claim of 0.06 for scaled Dirichlet at its design, against what its own criterion gives.

    `sigma` is the σ whose mean distortion is the published one; there `criterion` is P(loss > ε), which the paper wants
    to be at most δ, and `exact` the exact δ. `by_criterion` and `by_exact` are the distortions at the largest σ that
    either allows; `gaussian` that of tight Gaussian noise.
    """

    published: float
    sigma: float
    criterion: float
    exact: float
    by_criterion: float
    by_exact: float
    gaussian: float


def settle(config: CountConfig) -> Settled:
    """Find the σ that gives the published distortion of scaled Dirichlet, and its guarantee: see `Settled`."""
    counts = np.array(config.counts)
    share = counts / counts.sum()
    moves = accounting.neighbouring_moves(counts)
    many = np.tile(counts, (SETTLING, 1))

    def distortion(mechanism: CountRelease) -> float:
        released = mechanism.randomise(many, np.random.default_rng(config.seed))
        return float(np.abs(released - share).sum(axis=1).mean())

    low, high = 1e-4, 10.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        wider = distortion(ScaledDirichlet(middle, moves)) > PUBLISHED["dirichlet published"]
        low, high = (middle, high) if wider else (low, middle)
    sigma = math.sqrt(low * high)
    away = accounting.moves_to_neighbours(counts)
    return Settled(
        PUBLISHED["dirichlet published"],
        sigma,
        max(accounting.published_dirichlet_delta(sigma, move, config.epsilon) for move in away),
        ScaledDirichlet(sigma, moves).delta_at(config.epsilon),
        *(
            distortion(calibrate(name, config.epsilon, config.delta, counts))
            for name in ("dirichlet published", "dirichlet local", "gaussian tight")
        ),
    )


@dataclass(frozen=True)
class Mark:
    """The mean distortion of one mechanism in one batch of `BATCH` releases, at a point of figure 1."""

    axis: str
    level: float
    release: str
    distortion: float
    deviation: float


@dataclass(frozen=True)
class Row:
    """A point of figure 1: mean distortion of `n_trials` batches, `deviation` of one release, and 95 % intervals."""

    axis: str
    level: float
    release: str
    guarantee: str
    n_trials: int
    distortion: float
    low: float
    high: float
    deviation: float
    deviation_low: float
    deviation_high: float

    @property
    def estimate(self) -> Estimate:
        """The distortion with its interval."""
        return Estimate(self.distortion, self.low, self.high)

    @property
    def deviation_estimate(self) -> Estimate:
        """The standard deviation of one release with its interval."""
        return Estimate(self.deviation, self.deviation_low, self.deviation_high)


def paper_outcomes(axis: str, repeats: int, seed: int) -> dict[float, dict[str, Outcome]]:
    """Return the paper's design along an axis, with half of each design's smallest count as public minimum."""
    found = {}
    for level in AXES[axis]:
        counts = design(int(level) if axis == C_AXIS else CLASSES, TOTAL, level if axis == RHO_AXIS else RHO)
        config = CountConfig(
            counts,
            level if axis == EPSILON_AXIS else EPSILON,
            level if axis == DELTA_AXIS else DELTA,
            max(1, min(counts) // 2),
            releases=STUDIED,
            repeats=repeats,
            seed=seed,
        )
        found[level] = run(config)
    return found


def run_trial(axis: str, trial: int) -> list[Mark]:
    """Return one batch: every mechanism along an axis, `BATCH` releases each."""
    return [
        Mark(axis, level, name, outcome.distortion.mean, outcome.deviation)
        for level, outcomes in paper_outcomes(axis, BATCH, trial).items()
        for name, outcome in outcomes.items()
        if not outcome.problem
    ]


def rows(marks: Sequence[Mark]) -> list[Row]:
    """Return the means over batches, in the order of the marks."""
    places = group(marks, lambda mark: (mark.axis, mark.level, mark.release))
    return [
        Row(
            axis,
            level,
            release,
            RELEASES[release].guarantee,
            len(here),
            *mean_interval([mark.distortion for mark in here]),
            *mean_interval([mark.deviation for mark in here], 0.0),
        )
        for (axis, level, release), here in places.items()
    ]


def figure_1(marks: Sequence[Row], axis: str) -> dict[float, dict[str, Estimate]]:
    """Return the mean distortions of a results file along an axis: level → mechanism → estimate."""
    found: dict[float, dict[str, Estimate]] = {}
    for row in marks:
        if row.axis == axis:
            found.setdefault(row.level, {})[row.release] = row.estimate
    return found


def published(row: Row) -> float | None:
    """Return the published distortion of a row, if the paper's text gives one."""
    at = {C_AXIS: CLASSES, RHO_AXIS: RHO, EPSILON_AXIS: EPSILON}.get(row.axis)
    return PUBLISHED.get(row.release) if row.level == at else None


def report(all_rows: Sequence[Row]) -> list[str]:
    """Return the distortion of every mechanism at every setting of figure 1, and the setting that gives the published
    one.
    """
    lines = [STUDY.title, "mean L1 distortion (mean and 95 % interval), published"]
    for row in all_rows:
        theirs = published(row)
        lines.append(
            f"{row.axis:8s}  {row.level:<8g}  {row.release:20s}  {row.estimate:.3f}"
            + ("  (no formal guarantee)" if row.guarantee.startswith("none") else "")
            + (f"  {theirs:.2f}" if theirs else "")
        )
    s = settle(CountConfig())
    return [
        *lines,
        f"scaled Dirichlet at the paper's design: published {s.published:g}, by the published criterion "
        f"{s.by_criterion:.3f}, by the exact profile {s.by_exact:.3f} (means over {SETTLING:,} releases, "
        f"those above over {BATCH * results.N_TRIALS}); at σ = {s.sigma:.3f}, which gives the published "
        f"distortion, the criterion is {s.criterion:.3f} and the exact δ {s.exact:.3f}",
    ]


STUDY = ShippedStudy(
    "distortion",
    "Distortion of released label counts (Iyer, Nath & Sarawagi 2016): figure 1, published and tight",
    lambda: [(axis,) for axis in AXES],
    run_trial,
    Row,
    rows,
    report,
)
load = STUDY.load
