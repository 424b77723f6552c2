"""Simulate how many factors each rule finds, and print the tables of `docs/rank.md`.

`.venv/bin/python -m docs.rank_tables [audit | rules | images]`. Simulation i of a setting has the random numbers of
`default_rng((i, n, rank))`, and all rules and all kinds of noise have the same people.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from privdemo import datasets
from privdemo.estimators import low_rank
from privdemo.estimators.low_rank import learned_low_rank_prior, low_rank_mean, marchenko_pastur_edge
from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse

Array = NDArray[np.floating]
Noise = RandomisedResponse | GaussianNoise | LaplaceNoise

N_PIXELS, N_GREYS = 40, 256
NOISES: dict[str, Noise] = {
    "randomised response 0.2": RandomisedResponse(0.2, N_GREYS),
    "Gaussian σ = 0.3": GaussianNoise(0.3),
    "Laplace b = 0.2": LaplaceNoise(0.2),
    "Gaussian σ = 0.1": GaussianNoise(0.1),
}
N_PEOPLE = (300, 3_000, 30_000)
# Simulations of every setting with the rule that is used, and those with the others.
N_SIMULATIONS, N_OTHERS = 1_000, {300: 200, 3_000: 40, 30_000: 10}
# Permutations of parallel analysis: independent pixels pass the largest of 39 with probability 1/40.
N_PERMUTATIONS = 39


def planted(n: int, rank: int, simulation: int) -> Array:
    """Return n people's pixels 0.5 + F u + e on the scale 0 to 1, F of standard deviation 0.08 and e of one between
    0.02 and 0.12, other for every pixel; without factors e is of one between 0.02 and 0.3, around other means.
    """
    random = np.random.default_rng((simulation, n, rank))
    centre = np.full(N_PIXELS, 0.5) if rank else random.random(N_PIXELS)
    own = random.uniform(0.02, 0.12 if rank else 0.3, N_PIXELS)
    factors = 0.08 * random.standard_normal((rank, N_PIXELS))
    together = random.standard_normal((n, rank), dtype=np.float32) @ factors.astype(np.float32)
    apart = random.standard_normal((n, N_PIXELS), dtype=np.float32) * own.astype(np.float32)
    return (centre.astype(np.float32) + together + apart).clip(0, 1)


def release(values: Array, noise: Noise, simulation: int) -> NDArray:
    """Return pixels with noise."""
    random = np.random.default_rng((simulation, 1))
    if isinstance(noise, RandomisedResponse):
        return noise.randomise(np.rint(values * (N_GREYS - 1)).astype(np.uint8), random)
    return noise.randomise(values, random)


# --- rules ------------------------------------------------------------------------------------------


def by_noise(noise: Noise, released: NDArray) -> int:
    """Return how many principal components noise alone cannot explain: the former rule."""
    found = low_rank._beside_noise(noise, released)
    return low_rank._principal_factors(found).shape[1] if found else 0


def by_shared(noise: Noise, released: NDArray) -> int:
    """Return the rank that is used: heteroscedastic factor analysis."""
    found = low_rank._beside_noise(noise, released)
    return low_rank._shared_factors(found).shape[1] if found else 0


def by_permutation(noise: Noise, released: NDArray) -> int:
    """Return how many eigenvalues of the correlation matrix are larger than those of the same number in all of
    `N_PERMUTATIONS` releases whose pixels are permuted over people: parallel analysis (Horn 1965; Buja & Eyuboglu
    1992).
    """
    z, random = _standard(noise, released), np.random.default_rng(0)
    seen = _eigenvalues(z)
    permuted = [_eigenvalues(random.permuted(z, axis=0)) for _ in range(N_PERMUTATIONS)]
    return _first_false(seen > np.max(permuted, axis=0))


def by_biwhitening(noise: Noise, released: NDArray) -> int:
    """Return how many eigenvalues are above the edge when people and pixels are scaled so that the mean square of each
    is 1 (Landa, Zhang & Kluger 2022, by Sinkhorn's iteration on squares).
    """
    z = _standard(noise, released)
    squares, pixels = np.square(z), np.ones(z.shape[1])
    for _ in range(20):
        people = z.shape[1] / (squares @ pixels)
        pixels = len(z) / (people @ squares)
    scaled = z * np.sqrt(people)[:, None] * np.sqrt(pixels)
    return int((_eigenvalues(scaled) > marchenko_pastur_edge(*z.shape)).sum())


def _standard(noise: Noise, released: NDArray) -> Array:
    z = low_rank.unbiased(noise, released)
    return (z - z.mean(axis=0)) / z.std(axis=0)


def _eigenvalues(z: Array) -> Array:
    return np.linalg.eigvalsh(z.T @ z / len(z))[::-1]


def _first_false(passed: Sequence[bool] | NDArray[np.bool_]) -> int:
    return int(np.argmin([*passed, False]))


RULES: dict[str, Callable[[Noise, NDArray], int]] = {
    "noise alone (former)": by_noise,
    "own variance (used)": by_shared,
    "permuted pixels": by_permutation,
    "biwhitening": by_biwhitening,
}
USED = "own variance (used)"

# --- tables -----------------------------------------------------------------------------------------


def simulate(n: int, rank: int, simulation: int) -> dict[tuple[str, str], int]:
    """Return the number of factors that every rule finds under every noise in one simulation."""
    with threadpool_limits(1):
        values = planted(n, rank, simulation)
        made = {name: release(values, noise, simulation) for name, noise in NOISES.items()}
        return {
            (name, rule): find(NOISES[name], made[name])
            for name in NOISES
            for rule, find in RULES.items()
            if rule == USED or simulation < N_OTHERS[n]
        }


def rules(ranks: Iterable[int] = (0, 2, 4), n_jobs: int = 2) -> None:
    """Print how often every rule finds the planted rank within 1, or none of independent pixels, and its mean."""
    for rank in ranks:
        print(f"\n{f'{rank} planted factors' if rank else 'Independent pixels'}\n")
        print(f"| people, noise | {' | '.join(RULES)} |\n|---|{len(RULES) * '---|'}")
        for n in N_PEOPLE:
            found = joblib.Parallel(n_jobs)(joblib.delayed(simulate)(n, rank, i) for i in range(N_SIMULATIONS))
            for name in NOISES:
                cells = []
                for rule in RULES:
                    ranks_found = np.array([one[name, rule] for one in found if (name, rule) in one])
                    right = np.mean(np.abs(ranks_found - rank) <= (1 if rank else 0))
                    cells.append(f"{100 * right:.1f} % ({ranks_found.mean():.2f})")
                print(f"| {n:,}, {name} | {' | '.join(cells)} |", flush=True)


def audit() -> None:
    """Print the number of factors, two planted, at which the audit arrived, before and after."""
    print("| people, noise | noise alone (former) | own variance (used) |\n|---|---|---|")
    for n in N_PEOPLE:
        for name, noise in NOISES.items():
            released = release(planted(n, 2, 0), noise, 0)
            print(f"| {n:,}, {name} | {by_noise(noise, released)} | {by_shared(noise, released)} |")


def images(n: int = 6_000) -> None:
    """Print the rank of releases of MNIST by every rule, and the squared error of a guess with as many components."""
    clean = datasets.load("mnist").X[:n]
    print("| p | " + " | ".join(RULES) + " | prior that is used |\n|---|" + (len(RULES) + 1) * "---|")
    for p in (0.4, 0.6, 0.8):
        noise = RandomisedResponse(p, N_GREYS)
        released = noise.randomise(clean, np.random.default_rng(0))
        used = learned_low_rank_prior(noise, released)
        found = low_rank._beside_noise(noise, released)
        assert found is not None
        components = low_rank._principal_factors(found)

        def error(prior: low_rank.LowRankPrior, noise: Noise = noise, released: NDArray = released) -> float:
            return float(np.square(low_rank_mean(noise, released, prior) - clean / 255).mean())

        cells = []
        for rule in RULES.values():
            rank = rule(noise, released)
            prior = low_rank._with_factors(noise, used.pixels, components[:, :rank])
            cells.append(f"{rank}: {error(prior):.4f}")
        print(f"| {p} | {' | '.join(cells)} | {used.rank}: {error(used):.4f} |", flush=True)


TABLES = {"audit": audit, "rules": rules, "images": images}

if __name__ == "__main__":
    for table in sys.argv[1:] or TABLES:
        print(f"\n{table}\n")
        TABLES[table]()
