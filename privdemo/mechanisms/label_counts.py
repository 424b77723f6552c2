"""Label counts released as proportions: Laplace and Gaussian noise, also of whole numbers, Laplace prior, scaled
Dirichlet.

The counts η (c,) of a set's labels are private, their sum m is public. Neighbours differ by one label in another class;
a `Move` (a, b) states the two counts before that: a label leaves a class of a for one of b.

Every mechanism has `randomise(counts, rng)` → proportions θ (..., c) on the simplex and `delta_at(epsilon)`.
`RELEASES` lists the ways to choose the noise: as published (Iyer, Nath & Sarawagi 2016), or tight, i.e. the least noise
that meets (ε, δ). `calibrate` chooses it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import accounting, limits
from privdemo.accounting import Move, NoSuchNoise
from privdemo.mechanisms import discrete_noise
from privdemo.simplex import project_simplex

Array = NDArray[np.floating]
Counts = NDArray[np.int64]


class CountError(NamedTuple):
    """The error of one published count: its `variance`, and its `fourth_cumulant`, which normal noise has not."""

    variance: float
    fourth_cumulant: float

    def times(self, n: int) -> CountError:
        """Return the error of the sum of `n` such counts, each with noise of its own."""
        return CountError(n * self.variance, n * self.fourth_cumulant)


def laplace_error(scale: float) -> CountError:
    """Return the error of a count with Laplace noise of scale b: 2b² and 12b⁴."""
    return CountError(2 * scale**2, 12 * scale**4)


class CountRelease(Protocol):
    """A mechanism on label counts."""

    @property
    def noise(self) -> str:
        """A text that describes the noise, e.g. “Laplace noise of scale 2 on every count”."""

    def randomise(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        """Sample released proportions (..., c) from `counts` (..., c), for each row independently."""

    def delta_at(self, epsilon: float) -> float:
        """Return the exact δ at `epsilon` of the noisy counts; the release is computed from them.

        If the noise was chosen from the counts, it is the δ of the same noise chosen without them: no guarantee.
        """


def proportions(counts: ArrayLike) -> Array:
    """Return counts (..., c) as shares of their sum; errors as in `check_counts`."""
    checked = check_counts(counts)
    return checked / checked.sum(axis=-1, keepdims=True)


def check_counts(counts: ArrayLike) -> Counts:
    """Return `counts` (..., c) as whole numbers.

    Raises ``ValueError`` for one class, an empty set, fractions, negative and very large numbers.
    """
    try:
        given = np.asarray(counts)
        values = given.astype(float) if given.dtype.kind in "iufO" and given.ndim else None
    except (TypeError, ValueError, OverflowError):
        values = None
    if values is None:
        shown = repr(counts)
        shown = shown if len(shown) <= 80 else f"{shown[:80]}…"
        raise ValueError(f"counts must be a list of whole numbers, one for each class, got {shown}")
    limits.N_LABELS.check(values.shape[-1])
    wrong = ~((values >= limits.COUNT.low) & (values <= limits.COUNT.high) & (values == np.rint(values)))
    if wrong.any():
        value, index = values[wrong][0], tuple(int(i) + 1 for i in np.argwhere(wrong)[0])
        share = ", not a share" if 0 < value < 1 else ""
        raise ValueError(
            f"counts must be whole numbers in [0, {limits.COUNT.high:,}], got {value:.12g} for {_describe_class(index)}"
            f"; give how many records of the class there are{share}"
        )
    if (values.sum(axis=-1) == 0).any():
        raise ValueError("counts are all 0: an empty set has no proportions; leave it out, or merge it with another")
    return values.astype(np.int64)


@dataclass(frozen=True)
class LaplaceCounts:
    """η + Laplace noise of scale b on every count, divided by m and projected to the simplex (Lee et al. 2015)."""

    scale: float

    def __post_init__(self) -> None:
        limits.SCALE.check(self.scale)

    @property
    def noise(self) -> str:
        return f"Laplace noise of scale {self.scale:.3g} on every count"

    @property
    def error(self) -> CountError:
        """The error of one noisy count."""
        return laplace_error(self.scale)

    def noisy(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        """Return the counts (..., c) with noise: unbiased, but they may be below 0 and sum to something else."""
        return check_counts(counts) + self.scale * rng.laplace(size=np.shape(counts))

    def randomise(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        return _projected(counts, self.noisy(counts, rng))

    def delta_at(self, epsilon: float) -> float:
        return accounting.laplace_counts_delta(self.scale, epsilon)


@dataclass(frozen=True)
class GaussianCounts:
    """η + N(0, σ²) on every count, divided by m and projected to the simplex."""

    sigma: float

    def __post_init__(self) -> None:
        limits.SIGMA.check(self.sigma)

    @property
    def noise(self) -> str:
        return f"Gaussian noise of standard deviation {self.sigma:.3g} on every count"

    @property
    def error(self) -> CountError:
        """The error of one noisy count."""
        return CountError(self.sigma**2, 0.0)

    def noisy(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        """Return the counts (..., c) with noise: unbiased, but they may be below 0 and sum to something else."""
        return check_counts(counts) + self.sigma * rng.standard_normal(np.shape(counts))

    def randomise(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        return _projected(counts, self.noisy(counts, rng))

    def delta_at(self, epsilon: float) -> float:
        return accounting.gaussian_counts_delta(self.sigma, epsilon)


@dataclass(frozen=True)
class DiscreteLaplaceCounts:
    """η + noise of whole numbers y on every count, P(y) ∝ exp(−|y|/b), divided by m and projected to the simplex.

    The noise is exact (`mechanisms.discrete_noise`): what is released is computed from whole numbers alone.
    """

    scale: float

    def __post_init__(self) -> None:
        limits.SCALE.check(self.scale)

    @property
    def noise(self) -> str:
        return f"discrete Laplace noise of scale {self.scale:.3g} on every count"

    def noisy(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """Return the counts (..., c) with noise: unbiased, but they may be below 0 and sum to something else."""
        checked = check_counts(counts)
        return checked + discrete_noise.discrete_laplace(Fraction(self.scale), checked.shape, rng)

    def randomise(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        return _projected(counts, self.noisy(counts, rng))

    def delta_at(self, epsilon: float) -> float:
        return accounting.discrete_laplace_counts_delta(self.scale, epsilon)


@dataclass(frozen=True)
class DiscreteGaussianCounts:
    """η + noise of whole numbers y on every count, P(y) ∝ exp(−y²/(2σ²)), divided by m and projected to the simplex.

    The noise is exact (`mechanisms.discrete_noise`): what is released is computed from whole numbers alone.
    """

    sigma: float

    def __post_init__(self) -> None:
        limits.SIGMA.check(self.sigma)

    @property
    def noise(self) -> str:
        return f"discrete Gaussian noise with σ = {self.sigma:.3g} on every count"

    def noisy(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """Return the counts (..., c) with noise: unbiased, but they may be below 0 and sum to something else."""
        checked = check_counts(counts)
        return checked + discrete_noise.discrete_gaussian(Fraction(self.sigma) ** 2, checked.shape, rng)

    def randomise(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        return _projected(counts, self.noisy(counts, rng))

    def delta_at(self, epsilon: float) -> float:
        return accounting.discrete_gaussian_counts_delta(self.sigma, epsilon)


@dataclass(frozen=True)
class LaplacePrior:
    """θ ~ Dir(max(0, η̃)), η̃ the counts with Laplace noise of scale b (Machanavajjhala et al. 2008).

    Sampling from η̃ is post-processing: the guarantee is that of the noise. A class whose noisy count is not above 0 has
    no share; where no class has one, all have the same.
    """

    scale: float

    def __post_init__(self) -> None:
        limits.SCALE.check(self.scale)

    @property
    def noise(self) -> str:
        return f"Laplace noise of scale {self.scale:.3g} on every count, then a sample of Dir(counts)"

    def randomise(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        noisy = np.maximum(check_counts(counts) + self.scale * rng.laplace(size=np.shape(counts)), 0)
        none_positive = ~noisy.any(axis=-1, keepdims=True)
        shares = _dirichlet(np.where(none_positive, 1.0, noisy), rng)
        return np.where(none_positive, 1 / shares.shape[-1], shares)

    def delta_at(self, epsilon: float) -> float:
        return accounting.laplace_counts_delta(self.scale, epsilon)


@dataclass(frozen=True)
class ScaledDirichlet:
    """θ ~ Dir(ση), whose guarantee depends on the counts: it is that of the worst of `moves`.

    With `n_min` it raises an error for counts below that public minimum, which the guarantee does not cover.
    """

    sigma: float
    moves: tuple[Move, ...]
    n_min: int | None = None

    def __post_init__(self) -> None:
        limits.DIRICHLET_SIGMA.check(self.sigma)

    @property
    def noise(self) -> str:
        return f"a sample of Dir(σ · counts), σ = {self.sigma:.3g}"

    def randomise(self, counts: ArrayLike, rng: np.random.Generator) -> Array:
        checked = check_counts(counts)
        _check_minimum(checked, self.n_min or 1)
        return _dirichlet(self.sigma * checked, rng)

    def delta_at(self, epsilon: float) -> float:
        return max(accounting.dirichlet_delta(self.sigma, move, epsilon) for move in self.moves)


@dataclass(frozen=True)
class Release:
    """A mechanism with a way to choose its noise: its `title` on screen, and what the `paper` calls it.

    `make(epsilon, delta, counts, n_min)` returns the mechanism. `tight`: less noise would not meet (ε, δ).
    `data_dependent`: the noise is chosen from the private counts, so that the choice can leak: no guarantee.
    `public_bound`: the guarantee holds for counts of at least the public minimum `n_min`.
    `whole`: the noise is of whole numbers and sampled exactly; such releases are not part of the shipped studies.
    """

    title: str
    tight: bool
    make: Callable[[float, float, Counts, int], CountRelease]
    data_dependent: bool = False
    public_bound: bool = False
    paper: str = ""
    whole: bool = False

    @property
    def guarantee(self) -> str:
        """The kind of guarantee, in words."""
        return "none: noise chosen from the private counts" if self.data_dependent else "(ε, δ)"


def _laplace_published(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return LaplaceCounts(accounting.published_laplace_counts_scale(epsilon))


def _laplace_tight(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return LaplaceCounts(accounting.laplace_counts_scale(epsilon, delta))


def _gaussian_published(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return GaussianCounts(accounting.published_gaussian_counts_sigma(epsilon, delta))


def _gaussian_tight(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return GaussianCounts(accounting.gaussian_counts_sigma(epsilon, delta))


def _discrete_laplace(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return DiscreteLaplaceCounts(accounting.discrete_laplace_counts_scale(epsilon, delta))


def _discrete_gaussian(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return DiscreteGaussianCounts(accounting.discrete_gaussian_counts_sigma(epsilon, delta))


def _laplace_prior(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return LaplacePrior(accounting.published_laplace_counts_scale(epsilon))


def _dirichlet_published(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return _dirichlet_from_data(
        epsilon, delta, counts, accounting.moves_to_neighbours, accounting.published_dirichlet_delta
    )


def _dirichlet_tight_for_counts(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    return _dirichlet_from_data(epsilon, delta, counts, accounting.neighbouring_moves, accounting.dirichlet_delta)


def _dirichlet_from_data(
    epsilon: float,
    delta: float,
    counts: Counts,
    moves_of: Callable[[ArrayLike], tuple[Move, ...]],
    profile: Callable[[float, Move, float], float],
) -> CountRelease:
    """Choose σ from the private counts; if there are several sets, use the smallest of their σ."""
    _check_minimum(counts, 1)
    if not counts.size:
        raise ValueError("counts hold no set: give at least one")
    ordered = np.sort(counts.reshape(-1, counts.shape[-1]), axis=-1)
    rows = np.unique(np.concatenate((ordered[:, :2], ordered[:, 2:][:, -1:]), axis=1), axis=0)
    moves = tuple(dict.fromkeys(move for row in rows for move in moves_of(row)))
    guaranteed_moves = tuple(dict.fromkeys(move for row in rows for move in accounting.neighbouring_moves(row)))
    try:
        return ScaledDirichlet(accounting.dirichlet_sigma(epsilon, delta, moves, profile), guaranteed_moves)
    except NoSuchNoise:
        needed = accounting.dirichlet_smallest_count(epsilon, delta, lambda n: moves_of((n, n)), profile)
        raise NoSuchNoise(
            f"scaled Dirichlet has no σ at ε = {epsilon:g}, δ = {delta:g}: {_describe_smallest(counts)}; with "
            f"{needed:,} or more in every class it has; merge classes, or allow a larger ε or δ"
        ) from None


def _dirichlet_public(epsilon: float, delta: float, counts: Counts, n_min: int) -> CountRelease:
    _check_minimum(counts, n_min)
    moves = accounting.public_moves(n_min)
    try:
        return ScaledDirichlet(accounting.dirichlet_sigma(epsilon, delta, moves), moves, n_min)
    except NoSuchNoise:
        needed = accounting.dirichlet_smallest_count(epsilon, delta)
        raise NoSuchNoise(
            f"scaled Dirichlet has no σ for a public minimum of {n_min:,} at ε = {epsilon:g}, δ = {delta:g}: it needs "
            f"one of {needed:,} or more; merge classes until each has as many, or allow a larger ε or δ"
        ) from None


RELEASES = {
    "laplace published": Release("Laplace, as in the paper", False, _laplace_published, paper="Laplace noise"),
    "laplace tight": Release("Laplace, least noise", True, _laplace_tight, paper="Laplace noise"),
    "gaussian published": Release("Gaussian, as in the paper", False, _gaussian_published, paper="Gaussian noise"),
    "gaussian tight": Release("Gaussian, least noise", True, _gaussian_tight, paper="analytic Gaussian mechanism"),
    "laplace prior": Release("Laplace prior, as in the paper", False, _laplace_prior),
    "dirichlet published": Release(
        "scaled Dirichlet, as in the paper (no guarantee)",
        False,
        _dirichlet_published,
        data_dependent=True,
        paper="σ by the paper’s criterion",
    ),
    "dirichlet local": Release(
        "scaled Dirichlet, least for these counts (no guarantee)",
        True,
        _dirichlet_tight_for_counts,
        data_dependent=True,
        paper="σ by the exact privacy profile of these counts",
    ),
    "dirichlet public": Release(
        "scaled Dirichlet, least noise from a public minimum on",
        True,
        _dirichlet_public,
        public_bound=True,
        paper="σ by the exact privacy profile of all counts from n_min on",
    ),
    "discrete laplace": Release("discrete Laplace, least noise", True, _discrete_laplace, whole=True),
    "discrete gaussian": Release("discrete Gaussian, least noise", True, _discrete_gaussian, whole=True),
}
# The releases of the shipped studies.
STUDIED = tuple(name for name, release in RELEASES.items() if not release.whole)


def calibrate(release: str, epsilon: float, delta: float, counts: ArrayLike, n_min: int = 1) -> CountRelease:
    """Return the mechanism `RELEASES[release]` whose noise meets (ε, δ) by its rule, for sets of `counts` (..., c).

    Only data-dependent releases choose the noise from the counts; the public scaled Dirichlet refuses counts below the
    public minimum `n_min`. Raises ``ValueError`` for an unknown name and values out of range, `NoSuchNoise` if no
    noise meets (ε, δ).
    """
    if release not in RELEASES:
        raise ValueError(f"release must be one of {', '.join(RELEASES)}, got {release!r}")
    limits.RELEASE_EPSILON.check(epsilon)
    limits.RELEASE_DELTA.check(delta)
    limits.N_MIN.check(n_min)
    return RELEASES[release].make(epsilon, delta, check_counts(counts), n_min)


def _projected(counts: ArrayLike, noisy: Array | Counts) -> Array:
    return project_simplex(noisy / np.sum(counts, axis=-1, keepdims=True))


def _dirichlet(alpha: Array, rng: np.random.Generator) -> Array:
    """Return one sample of Dir(α) for every row of `alpha` (..., c); where α is 0 the share is 0.

    In logs, with log G(α) = log G(α + 1) + log(U)/α, as gamma variates of small shape would round to 0.
    """
    positive = alpha > 0
    shape = np.where(positive, alpha, 1.0)
    log_gamma = np.log(rng.standard_gamma(shape + 1)) + np.log1p(-rng.random(shape.shape)) / shape
    log_gamma = np.where(positive, log_gamma, -np.inf)
    gamma = np.exp(log_gamma - log_gamma.max(axis=-1, keepdims=True))
    return gamma / gamma.sum(axis=-1, keepdims=True)


def _describe_class(index: tuple[int, ...]) -> str:
    """Return “class 2”, or “class 2 of set 5” where there are several; `index` (set, class) starts at 1."""
    return f"class {index[-1]}" + (f" of set {index[-2]}" if len(index) > 1 else "")


def _describe_smallest(counts: Counts) -> str:
    """Describe the smallest count: “class 2 has 1 label”."""
    smallest = np.unravel_index(int(counts.argmin()), counts.shape)
    n = int(counts[smallest])
    return f"{_describe_class(tuple(int(i) + 1 for i in smallest))} has {n:,} label{'s' * (n != 1)}"


def _check_minimum(counts: Counts, least: int) -> None:
    """Raise ``ValueError`` if a count is below `least`."""
    if (counts >= least).all():
        return
    if counts.min() == 0:
        raise ValueError(
            f"{_describe_smallest(counts)}, and scaled Dirichlet has no share for an empty class; merge it with another"
        )
    raise ValueError(
        f"{_describe_smallest(counts)}, fewer than the public minimum of {least:,}, so the promise does not cover "
        "this set; lower the public minimum, or merge classes"
    )
