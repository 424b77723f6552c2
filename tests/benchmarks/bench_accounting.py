"""Time ε at δ of a 784-pixel image in milliseconds (target: below 20), and compare with dp-accounting.

dp-accounting uses its closed form for Gaussian noise and, for the two convolutions, the coarsest grid whose ε is within
0.1 % of ours; both ε are printed.
"""

import math

import dp_accounting
from dp_accounting.pld import privacy_loss_distribution as pld

from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.benchmarks.timing import alternate, table

N_VALUES, DELTA, REPEATS = 784, 1e-5, 21
FLIP_PROB, N_STATES, SIGMA, SCALE = 0.2, 256, 5.0, 5.0
RESAMPLE_PROB = (
    FLIP_PROB * N_STATES / (N_STATES - 1)
)  # dp-accounting's parameter: the probability to resample among all k states


def epsilon_of_composition(distribution):
    return distribution.self_compose(N_VALUES).get_epsilon_for_delta(DELTA)


CASES = {
    f"randomised response, k = {N_STATES}, p = {FLIP_PROB}": (
        lambda: RandomisedResponse(FLIP_PROB, N_STATES).epsilon_at(DELTA, N_VALUES),
        lambda: epsilon_of_composition(
            pld.from_randomized_response(RESAMPLE_PROB, N_STATES, value_discretization_interval=5e-3)
        ),
    ),
    f"Gaussian noise, sigma = {SIGMA:g}": (
        lambda: GaussianNoise(SIGMA).epsilon_at(DELTA, N_VALUES),
        lambda: dp_accounting.get_epsilon_gaussian(SIGMA / math.sqrt(N_VALUES), DELTA),
    ),
    f"Laplace noise, b = {SCALE:g}": (
        lambda: LaplaceNoise(SCALE).epsilon_at(DELTA, N_VALUES),
        lambda: epsilon_of_composition(
            pld.from_laplace_mechanism(SCALE, value_discretization_interval=1 / (32 * SCALE))
        ),
    ),
}

if __name__ == "__main__":
    rows = []
    for name, (ours, theirs) in CASES.items():
        our_seconds, their_seconds = alternate({"ours": ours, "theirs": theirs}, REPEATS).values()
        times = (f"{their_seconds / our_seconds:.1f}", f"{our_seconds * 1e3:.2f}", f"{their_seconds * 1e3:.2f}")
        rows.append((name, *times, f"{ours():.3f}", f"{theirs():.3f}"))
    header = ["", "times faster", "ms", "dp-accounting ms", "epsilon", "dp-accounting epsilon"]
    table(f"epsilon at delta = {DELTA:g} of {N_VALUES} values; median of {REPEATS}", header, rows)
