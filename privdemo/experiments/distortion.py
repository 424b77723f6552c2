"""How far released label counts are from the true ones: mechanisms compared along every lever, published and tight."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import count_accounting, limits
from privdemo.experiments import results
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.label_counts import RELEASES, CountRelease, ScaledDirichlet, calibrate, check_counts

Array = NDArray[np.floating]

NAME = "distortion"
TITLE = "Distortion of released label counts (Iyer, Nath & Sarawagi 2016): figure 1, published and tight"
# The paper's design: so many records, a share of all classes but the last, and (ε, δ).
TOTAL, CLASSES, RHO, EPSILON, DELTA = 1000, 5, 0.05, 0.05, 0.05
C_AXIS, RHO_AXIS, EPSILON_AXIS, DELTA_AXIS = "classes", "share", "epsilon", "delta"
AXES = {
    C_AXIS: tuple(float(c) for c in range(2, 11)),
    RHO_AXIS: (0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2),
    EPSILON_AXIS: (0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2),
    DELTA_AXIS: (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1),
}
# The distortions at the paper's design that its text gives: of scaled Dirichlet, and of the best of the others.
PUBLISHED = {"dirichlet published": 0.06, "laplace published": 0.15}
# Shares that one mechanism releases at most in all its repeats, so that a curve of all takes a second.
MOST_SHARES = 200_000
# Releases in one batch; a results file has the mean of as many batches as there are draws.
BATCH = 100


@dataclass(frozen=True)
class DistortionConfig:
    """True `counts` of a set's labels, (ε, δ), a public lower bound `n_min`, and how often each release is tried."""

    counts: tuple[int, ...] = (50, 50, 50, 50, 800)
    epsilon: float = EPSILON
    delta: float = DELTA
    n_min: int = 25
    releases: tuple[str, ...] = tuple(RELEASES)
    repeats: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        check_counts(self.counts)
        for limit, value in (
            (limits.RELEASE_EPSILON, self.epsilon),
            (limits.RELEASE_DELTA, self.delta),
            (limits.N_MIN, self.n_min),
            (limits.REPEATS, self.repeats),
            (limits.SEED, self.seed),
        ):
            limit.check(value)
        if self.repeats * len(self.counts) > MOST_SHARES:
            raise ValueError(
                f"repeats must be at most {max(20, MOST_SHARES // len(self.counts)):,} for {len(self.counts)} classes, "
                f"got {self.repeats:,}; lower it"
            )
        unknown = [name for name in self.releases if name not in RELEASES]
        if unknown or not self.releases:
            raise ValueError(
                f"releases must be one or more of {', '.join(RELEASES)}, got {', '.join(unknown) or 'none'}"
            )


@dataclass(frozen=True)
class Outcome:
    """One mechanism on one set: its mean L1 distortion with a 95 % interval, and the standard deviation of one release.

    `example` (c,) are the proportions of the first release, `ranges` (c, 2) hold 95 % of all releases, `delta` the
    exact δ at the wanted ε; `holds` whether (ε, δ) is met without a look at the private counts. Where there is no such
    noise, `problem` says why.
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


def run(config: DistortionConfig) -> dict[str, Outcome]:
    """Release the counts `repeats` times by every mechanism; all see the same seed."""
    return {name: _outcome(config, name) for name in config.releases}


def _outcome(config: DistortionConfig, name: str) -> Outcome:
    counts = np.array(config.counts)
    try:
        mechanism = calibrate(name, config.epsilon, config.delta, counts, config.n_min)
        released = mechanism.randomise(np.tile(counts, (config.repeats, 1)), np.random.default_rng(config.seed))
    except ValueError as error:  # too few of a class, or δ = 0 where it cannot hold: the others go on
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


def design(n_classes: int, total: int, rho: float) -> tuple[int, ...]:
    """The paper's counts: all classes but the last have a share `rho` of `total`, the last what is left.

    Raises ``ValueError`` where nothing would be left for it.
    """
    few = round(rho * total)
    last = total - (n_classes - 1) * few
    if last < 1:
        raise ValueError(
            f"a share of {rho:g} for {n_classes - 1} classes leaves nothing for the last; it must be below "
            f"{1 / (n_classes - 1):.4g}, or take fewer classes"
        )
    return (*[few] * (n_classes - 1), last)


def along(
    config: DistortionConfig, axis: str, n_classes: int, total: int, rho: float
) -> dict[float, dict[str, Outcome]]:
    """`run` at every level of an axis and at the config's own, all else as it is.

    Along classes and shares the counts are those of the design, where some are left to the last class; `n_classes`,
    `total` and `rho` are not used else.
    """
    own = {C_AXIS: float(n_classes), RHO_AXIS: rho, EPSILON_AXIS: config.epsilon, DELTA_AXIS: config.delta}[axis]
    outcomes = {}
    for level in sorted({*AXES[axis], *([own] if own > 0 else [])}):
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
    """The promise that costs least at `delta`: its name and distortion; those within its interval are `level`."""

    delta: float
    release: str
    distortion: float
    level: tuple[str, ...]


def winners(outcomes: dict[float, dict[str, Outcome]]) -> list[Winner]:
    """Of the mechanisms that keep (ε, δ) without a look at private counts, the least distorting at every level."""
    return [
        Winner(level, best, here[best].distortion.mean, tuple(near))
        for level, here in outcomes.items()
        if any(outcome.holds for outcome in here.values())
        for best, *near in (least(here),)
    ]


def least(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Of the mechanisms whose promise holds, the least distorting, and then those that are level with it: whose
    intervals meet its own."""
    valid = {name: outcome for name, outcome in outcomes.items() if outcome.holds}
    best = min(valid, key=lambda name: valid[name].distortion.mean)
    high = valid[best].distortion.high
    return best, *(name for name, outcome in valid.items() if name != best and outcome.distortion.low <= high)


def profile(mechanism: CountRelease, epsilons: Sequence[float]) -> list[float]:
    """δ(ε) of a mechanism."""
    return [mechanism.delta_at(epsilon) for epsilon in epsilons]


def guess_rates(outcomes: dict[str, Outcome]) -> dict[str, float]:
    """The most often that an adversary who knows all labels but one can name that one, of two classes equally likely.

    The best guess from noisy counts is right with probability (1 + δ(0))/2, δ(0) being the total variation distance of
    the two releases, for the worst two neighbours of all that the promise covers. What is computed from noisy counts
    can only tell less. Not of noise chosen from the private counts: that choice tells, too.
    """
    return {
        name: (1 + outcome.mechanism.delta_at(0.0)) / 2
        for name, outcome in outcomes.items()
        if outcome.mechanism and not RELEASES[name].data_dependent
    }


def promised_rate(epsilon: float, delta: float) -> float:
    """The most that (ε, δ) allows such a guess: (1 + (e^ε − 1 + 2δ)/(e^ε + 1))/2 (Kairouz, Oh & Viswanath 2015)."""
    return min(1.0, (1 + math.tanh(epsilon / 2) + 2 * delta / (math.exp(epsilon) + 1)) / 2)


class Leak(NamedTuple):
    """What noise chosen from the private counts gives away: σ here, and at a `neighbour`, where one label has moved.

    `neighbour_sigma` is nan where the neighbour has no σ at all, so that the release itself tells the two apart.
    `neighbour_delta` is the neighbour's own δ with σ from here, `own_delta` δ between the two, each with its own σ, by
    simulation: what is really released.
    """

    sigma: float
    neighbour: tuple[int, ...]
    neighbour_sigma: float
    neighbour_delta: float
    own_delta: Estimate


# Releases behind a simulated δ, and behind the choice of the neighbour.
_SIMULATED, _SCREENED = 200_000, 40_000


def leak(config: DistortionConfig, release: str = "dirichlet local") -> Leak:
    """The counts and the neighbour with the largest `own_delta`, of those that move a label among three classes.

    The classes are the two smallest and the largest: the first two have the least to hide behind, the largest changes
    the mix most. `release` is "dirichlet local" (the largest σ that the exact profile allows for the counts at hand) or
    "dirichlet published" (that by the paper's eq. 9). Raises as `label_counts.calibrate` does for the counts.
    """
    counts = np.array(config.counts)
    order = np.argsort(counts, kind="stable")
    sigma = _sigma(config, release, counts)
    rng = np.random.default_rng(config.seed)
    found = []
    for giver, taker in itertools.permutations(dict.fromkeys((*order[:2].tolist(), int(order[-1]))), 2):
        other = counts.copy()
        other[giver] -= 1
        other[taker] += 1
        try:
            there = _sigma(config, release, other)
        except ValueError:
            same = ScaledDirichlet(sigma, count_accounting.neighbouring_moves(other)).delta_at(config.epsilon)
            return Leak(sigma, tuple(other.tolist()), math.nan, same, Estimate(1.0, 1.0, 1.0))
        pair = sigma * counts, there * other
        for one, two in (pair, pair[::-1]):
            mean = count_accounting.dirichlet_losses(one, two, config.epsilon, _SCREENED, rng).mean()
            found.append((float(mean), other, there, one, two))
    _, other, there, one, two = max(found, key=lambda way: way[0])
    own = mean_interval(count_accounting.dirichlet_losses(one, two, config.epsilon, _SIMULATED, rng), 0.0, 1.0)
    same = ScaledDirichlet(sigma, count_accounting.neighbouring_moves(other)).delta_at(config.epsilon)
    return Leak(sigma, tuple(other.tolist()), there, same, own)


def _sigma(config: DistortionConfig, release: str, counts: Array) -> float:
    mechanism = calibrate(release, config.epsilon, config.delta, counts)
    assert isinstance(mechanism, ScaledDirichlet)
    return mechanism.sigma


# Releases behind the numbers of `settle`.
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


def settle(config: DistortionConfig) -> Settled:
    """How the published distortion of scaled Dirichlet comes out: see `Settled`."""
    counts = np.array(config.counts)
    share = counts / counts.sum()
    moves = count_accounting.neighbouring_moves(counts)
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
    away = count_accounting.moves_away(counts)
    return Settled(
        PUBLISHED["dirichlet published"],
        sigma,
        max(count_accounting.published_dirichlet_delta(sigma, move, config.epsilon) for move in away),
        ScaledDirichlet(sigma, moves).delta_at(config.epsilon),
        *(
            distortion(calibrate(name, config.epsilon, config.delta, counts))
            for name in ("dirichlet published", "dirichlet local", "gaussian tight")
        ),
    )


# --- the results file ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Mark:
    """The mean distortion of one mechanism in one batch of `BATCH` releases, at a place of figure 1."""

    axis: str
    level: float
    release: str
    distortion: float
    deviation: float


@dataclass(frozen=True)
class Row:
    """A place of figure 1: mean distortion of `n_draws` batches and `deviation` of one release, with 95 % ends."""

    axis: str
    level: float
    release: str
    guarantee: str
    n_draws: int
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
    """The paper's design along an axis. The public bound is half the smallest count that the design has there."""
    found = {}
    for level in AXES[axis]:
        counts = design(int(level) if axis == C_AXIS else CLASSES, TOTAL, level if axis == RHO_AXIS else RHO)
        config = DistortionConfig(
            counts,
            level if axis == EPSILON_AXIS else EPSILON,
            level if axis == DELTA_AXIS else DELTA,
            max(1, min(counts) // 2),
            repeats=repeats,
            seed=seed,
        )
        found[level] = run(config)
    return found


def trial(axis: str, draw: int) -> list[Mark]:
    """Every mechanism along an axis, `BATCH` releases each."""
    return [
        Mark(axis, level, name, outcome.distortion.mean, outcome.deviation)
        for level, outcomes in paper_outcomes(axis, BATCH, draw).items()
        for name, outcome in outcomes.items()
        if not outcome.problem
    ]


def trials(n_draws: int = results.N_DRAWS) -> list[tuple[str, int]]:
    """The arguments of every batch."""
    return [(axis, draw) for axis in AXES for draw in range(n_draws)]


def rows(marks: Sequence[Mark]) -> list[Row]:
    """The means over batches, in the order of the axes."""
    groups: dict[tuple[str, float, str], list[Mark]] = {}
    for mark in marks:
        groups.setdefault((mark.axis, mark.level, mark.release), []).append(mark)
    axes, names = list(AXES), list(RELEASES)
    places = sorted(groups, key=lambda place: (axes.index(place[0]), place[1], names.index(place[2])))
    found = []
    for axis, level, release in places:
        here = groups[axis, level, release]
        estimate = mean_interval([mark.distortion for mark in here])
        deviation = mean_interval([mark.deviation for mark in here], 0.0)
        found.append(Row(axis, level, release, RELEASES[release].guarantee, len(here), *estimate, *deviation))
    return found


def to_csv(marks: Sequence[Mark]) -> str:
    """The means over batches as the text of a results file."""
    return results.to_csv(Row, rows(marks))


def load() -> tuple[Row, ...]:
    """The shipped means."""
    return results.from_csv(Row, results.shipped(NAME).read_text(encoding="utf-8"))


def figure_1(marks: Sequence[Row], axis: str) -> dict[float, dict[str, Estimate]]:
    """The mean distortions of a results file along an axis: level → mechanism → estimate."""
    found: dict[float, dict[str, Estimate]] = {}
    for row in marks:
        if row.axis == axis:
            found.setdefault(row.level, {})[row.release] = row.estimate
    return found


def published(row: Row) -> float | None:
    """The published distortion of a row, if the paper's text gives one."""
    at = {C_AXIS: CLASSES, RHO_AXIS: RHO, EPSILON_AXIS: EPSILON}.get(row.axis)
    return PUBLISHED.get(row.release) if row.level == at else None
