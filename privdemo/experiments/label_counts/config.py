"""Settings of released label counts, and the design of the paper."""

from __future__ import annotations

from dataclasses import dataclass

from privdemo import limits
from privdemo.mechanisms.label_counts import RELEASES, check_counts

# The paper's design: records, classes, the share of every class but the last, and (ε, δ).
TOTAL, CLASSES, RHO, EPSILON, DELTA = 1000, 5, 0.05, 0.05, 0.05
C_AXIS, RHO_AXIS, EPSILON_AXIS, DELTA_AXIS = "classes", "share", "epsilon", "delta"
AXES = {
    C_AXIS: tuple(float(c) for c in range(2, 11)),
    RHO_AXIS: (0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2),
    EPSILON_AXIS: (0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2),
    DELTA_AXIS: (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1),
}
# Levels of ε beyond the paper's, for counts that need less privacy.
LARGER_EPSILONS = (0.5, 1.0, 2.0, 5.0)
# The most shares that one mechanism releases in all repeats, so that a curve of all mechanisms takes a second.
MOST_SHARES = 200_000


@dataclass(frozen=True)
class CountConfig:
    """True `counts` of a set's labels, (ε, δ), their public minimum `n_min`, and `repeats` of each release."""

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


def design(n_classes: int, total: int, rho: float) -> tuple[int, ...]:
    """Return the paper's counts: every class but the last has a share `rho` of `total`, the last class the rest.

    Raises ``ValueError`` where the last class would be empty.
    """
    count = round(rho * total)
    last = total - (n_classes - 1) * count
    if last < 1:
        raise ValueError(
            f"a share of {rho:g} for {n_classes - 1} classes leaves nothing for the last; it must be below "
            f"{1 / (n_classes - 1):.4g}, or take fewer classes"
        )
    return (*[count] * (n_classes - 1), last)
