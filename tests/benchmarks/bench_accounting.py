"""(ε, δ) of a 784-pixel image: milliseconds (target: below 20), beside dp-accounting doing the same.

The other side uses its closed form for Gaussian noise and, for the two convolutions, a grid as
coarse as leaves its ε within a per mille of ours; its ε is printed so that this can be seen.

    python -m tests.benchmarks.bench_accounting
"""

import math

import dp_accounting
from dp_accounting.pld import privacy_loss_distribution as pld

from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.benchmarks.timing import alternate, table

N_VALUES, DELTA, REPEATS = 784, 1e-5, 21
FLIP_PROB, N_STATES, SIGMA, SCALE = 0.2, 256, 5.0, 5.0


def their_response():
    redraw = FLIP_PROB * N_STATES / (N_STATES - 1)  # their parameter redraws over all k states
    one = pld.from_randomized_response(redraw, N_STATES, value_discretization_interval=5e-3)
    return one.self_compose(N_VALUES).get_epsilon_for_delta(DELTA)


def their_gaussian():
    return dp_accounting.get_epsilon_gaussian(SIGMA / math.sqrt(N_VALUES), DELTA)


def their_laplace():
    one = pld.from_laplace_mechanism(SCALE, value_discretization_interval=1 / (32 * SCALE))
    return one.self_compose(N_VALUES).get_epsilon_for_delta(DELTA)


SIDES = {
    f"randomised response, k = {N_STATES}, p = {FLIP_PROB}": (
        lambda: RandomisedResponse(FLIP_PROB, N_STATES).epsilon_at(DELTA, N_VALUES),
        their_response,
    ),
    f"Gaussian noise, sigma = {SIGMA:g}": (lambda: GaussianNoise(SIGMA).epsilon_at(DELTA, N_VALUES), their_gaussian),
    f"Laplace noise, b = {SCALE:g}": (lambda: LaplaceNoise(SCALE).epsilon_at(DELTA, N_VALUES), their_laplace),
}


def main():
    rows = []
    for name, (ours, theirs) in SIDES.items():
        seconds = alternate({"ours": ours, "theirs": theirs}, REPEATS)
        rows.append(
            (
                name,
                f"{seconds['theirs'] / seconds['ours']:.1f}",
                f"{seconds['ours'] * 1e3:.2f}",
                f"{seconds['theirs'] * 1e3:.2f}",
                f"{ours():.3f}",
                f"{theirs():.3f}",
            )
        )
    header = ["", "times faster", "ms", "dp-accounting ms", "epsilon", "dp-accounting epsilon"]
    table(f"epsilon at delta = {DELTA:g} of {N_VALUES} values; median of {REPEATS}", header, rows)


if __name__ == "__main__":
    main()
