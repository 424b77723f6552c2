"""Corrupting 60,000 × 784 uint8 pixels by 256-ary randomised response: time and memory.

Time is compared with sampling the two random numbers a pixel that the naive form needs, and nothing else (target: at
most 2 times that). Memory is measured in a fresh process (target: below 300 MB).
"""

import multiprocessing
import resource

import numpy as np

from privdemo.mechanisms import RandomisedResponse
from tests.benchmarks.timing import alternate, table

SHAPE, N_STATES, FLIP_PROB, REPEATS = (60_000, 784), 256, 0.2, 9


def images():
    return np.random.default_rng(0).integers(0, N_STATES, SHAPE, dtype=np.uint8)


def corrupt(x):
    return RandomisedResponse(FLIP_PROB, N_STATES).randomise(x, np.random.default_rng(1))


def sample_only(x):
    rng = np.random.default_rng(1)
    return rng.random(x.shape, dtype=np.float32), rng.integers(0, N_STATES, x.shape, dtype=np.uint8)


def peak_megabytes():
    """The largest resident memory of this process so far (Linux counts it in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def extra_megabytes(side):
    """What `side` adds to the peak of a process that already holds the images."""
    x = images()
    before = peak_megabytes()
    kept = side(x)
    assert kept is not None
    return peak_megabytes() - before


if __name__ == "__main__":
    sides = {"RandomisedResponse.randomise": corrupt, "NumPy samples alone": sample_only}
    # First of all, while this process is small: a child may inherit its parent's peak.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
        memory = fresh.map(extra_megabytes, sides.values(), chunksize=1)
    x = images()
    seconds = alternate({name: lambda side=side: side(x) for name, side in sides.items()}, REPEATS)
    rows = [
        (name, f"{took * 1e3:.0f}", f"{extra:.0f}") for (name, took), extra in zip(seconds.items(), memory, strict=True)
    ]
    header = ["", "ms", "extra peak MB (the 47 MB result included)"]
    table(f"60,000 x 784 uint8, k = {N_STATES}, p = {FLIP_PROB}; median of {REPEATS}", header, rows)
    ours, trials = seconds.values()
    print(f"  ratio {ours / trials:.2f} (target <= 2); target < 300 MB")
