"""(ε, δ) of a 784-pixel image: milliseconds (target: below 20), beside dp-accounting doing the same.

The other side uses its closed form for Gaussian noise and, for the two convolutions, a grid as coarse as leaves its ε
within a per mille of ours; its ε is printed so that this can be seen.
"""

import math

import dp_accounting
from dp_accounting.pld import privacy_loss_distribution as pld

from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.benchmarks.timing import alternate, table

N_VALUES, DELTA, REPEATS = 784, 1e-5, 21
FLIP_PROB, N_STATES, SIGMA, SCALE = 0.2, 256, 5.0, 5.0
REDRAWN = FLIP_PROB * N_STATES / (N_STATES - 1)  # their parameter redraws over all k states


def composed(one):
    return one.self_compose(N_VALUES).get_epsilon_for_delta(DELTA)


SIDES = {
    f"randomised response, k = {N_STATES}, p = {FLIP_PROB}": (
        lambda: RandomisedResponse(FLIP_PROB, N_STATES).epsilon_at(DELTA, N_VALUES),
        lambda: composed(pld.from_randomized_response(REDRAWN, N_STATES, value_discretization_interval=5e-3)),
    ),
    f"Gaussian noise, sigma = {SIGMA:g}": (
        lambda: GaussianNoise(SIGMA).epsilon_at(DELTA, N_VALUES),
        lambda: dp_accounting.get_epsilon_gaussian(SIGMA / math.sqrt(N_VALUES), DELTA),
    ),
    f"Laplace noise, b = {SCALE:g}": (
        lambda: LaplaceNoise(SCALE).epsilon_at(DELTA, N_VALUES),
        lambda: composed(pld.from_laplace_mechanism(SCALE, value_discretization_interval=1 / (32 * SCALE))),
    ),
}

if __name__ == "__main__":
    rows = []
    for name, (ours, theirs) in SIDES.items():
        here, there = alternate({"ours": ours, "theirs": theirs}, REPEATS).values()
        times = (f"{there / here:.1f}", f"{here * 1e3:.2f}", f"{there * 1e3:.2f}")
        rows.append((name, *times, f"{ours():.3f}", f"{theirs():.3f}"))
    header = ["", "times faster", "ms", "dp-accounting ms", "epsilon", "dp-accounting epsilon"]
    table(f"epsilon at delta = {DELTA:g} of {N_VALUES} values; median of {REPEATS}", header, rows)
