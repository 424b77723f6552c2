"""Simulate what an audit objected to, before and after, and print the tables of `docs/audit.md`.

`.venv/bin/python -m docs.audit_tables [delta | population | poll | sets]`. The seed of random numbers is 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privdemo.accounting import (
    default_delta,
    gaussian_counts_delta,
    gaussian_counts_sigma,
    laplace_counts_delta,
    laplace_counts_scale,
    laplace_scale,
    shuffled_poll_local_epsilon,
)
from privdemo.estimators import frequency_oracles, votes
from privdemo.experiments.poll import PollConfig, reveal
from privdemo.intervals import Z95
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.frequency_oracles import ORACLES, FrequencyOracle

Array = NDArray[np.floating]

N_SIMULATIONS, N_POLLS = 100_000, 2_000
# Of how many people's answers the share is wanted, and how many of them are a Yes.
PEOPLE, YES = 500, 150
EPSILONS = (0.25, 1.0, 4.0)


def delta() -> None:
    """Print how many points a share is off on average: lies, shuffled at two values of δ, a curator's."""
    random = np.random.default_rng(0)
    print("| ε | lies | shuffled, δ = 10⁻³ | shuffled, δ = 10⁻⁶ | a curator | of the way, before | now |")
    print(f"|---|{6 * '---|'}")
    for epsilon in EPSILONS:
        lies = _share_error(epsilon, random)
        before, now = (
            _share_error(shuffled_poll_local_epsilon(epsilon, delta, PEOPLE), random)
            for delta in (1e-3, default_delta(PEOPLE))
        )
        noisy = YES + laplace_scale(epsilon, 0.0) * random.laplace(size=N_SIMULATIONS)
        curator = 100 * np.abs(noisy.clip(0, PEOPLE) - YES).mean() / PEOPLE
        ways = [f"{100 * (lies - shuffled) / (lies - curator):.0f} %" for shuffled in (before, now)]
        errors = [f"{one:.2f}" for one in (lies, before, now, curator)]
        print(f"| {epsilon:g} | {' | '.join([*errors, *ways])} |")


def _share_error(local_epsilon: float, random: np.random.Generator) -> float:
    """Return the mean error in points of the corrected count of answers with so large an ε each."""
    channel = RandomisedResponse.from_epsilon(local_epsilon, 2).one_against_rest
    said = random.binomial(YES, 1 - channel.p01, N_SIMULATIONS)
    said += random.binomial(PEOPLE - YES, channel.p10, N_SIMULATIONS)
    return float(100 * np.abs(votes.corrected_mle(said / PEOPLE, channel) - YES / PEOPLE).mean())


def population() -> None:
    """Print how often intervals of a share of a population hold it: score intervals, as before, and exact ones."""
    random = np.random.default_rng(0)
    print("| method, answers, ε, people, share | score interval (before) | exact interval (now) |\n|---|---|---|")
    for name, k, epsilon, people, share in (
        ("optimised unary", 4, 8.0, 30, 0.01),
        ("optimised unary", 4, 8.0, 30, 0.05),
        ("basic rappor", 16, 4.0, 100, 0.01),
        ("randomised response", 4, 4.0, 30, 0.02),
        ("subset selection", 64, 1.0, 1_000, 0.005),
        ("hadamard response", 16, 2.0, 300, 0.3),
    ):
        oracle = ORACLES[name](k, epsilon)
        supported = random.binomial(people, oracle.q + share * (oracle.p - oracle.q), N_SIMULATIONS)
        held = []
        for ends in (_score_ends, _exact_ends):
            low, high = ends(oracle, supported, people)
            held.append(f"{100 * ((low <= share) & (share <= high)).mean():.1f} %")
        print(f"| {name}, {k}, {epsilon:g}, {people:,}, {share:g} | {' | '.join(held)} |")


def _exact_ends(oracle: FrequencyOracle, supported: NDArray, people: int) -> tuple[Array, Array]:
    """Return the intervals of `frequency_oracles.invert`, which takes as many counts at once as there are answers."""
    low, high = np.empty(len(supported)), np.empty(len(supported))
    for count in np.unique(supported):
        found = frequency_oracles.invert(oracle, np.full(oracle.k, count), people, of_population=True)
        low[supported == count], high[supported == count] = found.low[0], found.high[0]
    return low, high


def _score_ends(oracle: FrequencyOracle, supported: NDArray, people: int) -> tuple[Array, Array]:
    """Return the former intervals: the shares that are 1.96 standard errors of their own away from the estimate."""
    gain, q = oracle.p - oracle.q, oracle.q
    excess, z2 = supported / people - q, Z95**2 / people
    centre = excess + z2 * (1 - 2 * q) / 2
    half = np.sqrt(np.maximum(0.0, centre**2 - (1 + z2) * (excess**2 - z2 * q * (1 - q))))
    low, high = ((centre + side * half) / (1 + z2) / gain for side in (-1, 1))
    return np.minimum(low, excess / gain), np.maximum(high, excess / gain)


def sets() -> None:
    """Print the exact δ of counts of two sets, both of which carry one secret, with noise chosen for one set.

    The secret is told twice. With Gaussian noise that is as one set's with √2 times less noise; with Laplace noise of
    scale b, δ = 0 is kept at 2ε alone. So Laplace noise is printed by the ε that δ = 0 needs.
    """
    print("| noise for one set | both sets released (before) | one set released (now) |\n|---|---|---|")
    for epsilon in EPSILONS:
        sigma = gaussian_counts_sigma(epsilon, default_delta(PEOPLE))
        deltas = [gaussian_counts_delta(sigma / np.sqrt(n), epsilon) for n in (2, 1)]
        print(f"| Gaussian, ε = {epsilon:g}, δ = 10⁻⁶ | {' | '.join(f'δ = {one:.1e}' for one in deltas)} |")
    for epsilon in EPSILONS:
        scale = laplace_counts_scale(epsilon, 0.0)
        assert laplace_counts_delta(scale, 0.99 * epsilon) > laplace_counts_delta(scale, epsilon) == 0
        print(f"| Laplace, ε = {epsilon:g}, δ = 0 | ε = {2 * epsilon:g} | ε = {epsilon:g} |")


def poll() -> None:
    """Print how often all intervals of a poll hold their shares: each of 95 %, as before, and those of the reveal."""
    random = np.random.default_rng(0)
    print("| answers, people, probability of another answer | each of 95 % (before) | together (now) |\n|---|---|---|")
    for k, people, lie in ((6, 100, 0.4), (6, 30, 0.4), (4, 200, 0.25), (3, 60, 0.5), (2, 100, 0.25)):
        config = PollConfig(tuple("ABCDEF"[:k]), lie)
        true = np.arange(k, 0, -1) / (k * (k + 1) / 2)
        channel = config.channel
        apart = together = 0
        for sent in random.multinomial(people, true @ config.mechanism.channel_matrix.T, N_POLLS):
            single = [votes.exact(int(count), people, channel) for count in sent]
            apart += all(one.low <= share <= one.high for one, share in zip(single, true, strict=True))
            shown = [reading.estimated for reading in reveal(config, tuple(map(int, sent))).readings]
            together += all(one.low <= share <= one.high for one, share in zip(shown, true, strict=True))
        held = (f"{100 * each / N_POLLS:.1f} %" for each in (apart, together))
        print(f"| {k}, {people}, {lie:g} | {' | '.join(held)} |")


TABLES: dict[str, Callable[[], None]] = {"delta": delta, "population": population, "poll": poll, "sets": sets}

if __name__ == "__main__":
    for table in sys.argv[1:] or TABLES:
        print(f"\n{table}\n")
        TABLES[table]()
