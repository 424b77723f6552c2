"""Corrupting 60,000 × 784 uint8 pixels by 256-ary randomised response: time and memory.

Time is compared with drawing the two random numbers a pixel that the naive form needs, and nothing
else (target: at most 2 times that). Memory is measured in a fresh process (target: below 300 MB).

    python -m tests.benchmarks.bench_mechanisms
"""

import resource
import subprocess
import sys

import numpy as np

from privdemo.mechanisms import RandomisedResponse
from tests.benchmarks.timing import alternate, table

SHAPE, N_STATES, FLIP_PROB, REPEATS = (60_000, 784), 256, 0.2, 9


def images():
    return np.random.default_rng(0).integers(0, N_STATES, SHAPE, dtype=np.uint8)


def corrupt(x):
    return RandomisedResponse(FLIP_PROB, N_STATES).randomise(x, np.random.default_rng(1))


def draw_only(shape):
    rng = np.random.default_rng(1)
    return rng.random(shape, dtype=np.float32), rng.integers(0, N_STATES, shape, dtype=np.uint8)


def peak_megabytes():
    """The largest resident memory of this process so far (Linux counts it in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def extra_megabytes(side):
    """What `side` adds to the peak of a process that already holds the images."""
    x = images()
    before = peak_megabytes()
    kept = corrupt(x) if side == "corrupt" else draw_only(x.shape)
    assert kept is not None
    return peak_megabytes() - before


def main():
    # First of all, while this process is small: a child may inherit its parent's peak.
    command = [sys.executable, "-m", "tests.benchmarks.bench_mechanisms"]
    memory = {
        side: float(subprocess.run([*command, side], capture_output=True, text=True, check=True).stdout)
        for side in ("corrupt", "draw")
    }
    x = images()
    seconds = alternate({"corrupt": lambda: corrupt(x), "draw": lambda: draw_only(x.shape)}, REPEATS)
    rows = [
        ("RandomisedResponse.randomise", f"{seconds['corrupt'] * 1e3:.0f}", f"{memory['corrupt']:.0f}"),
        ("NumPy draws alone", f"{seconds['draw'] * 1e3:.0f}", f"{memory['draw']:.0f}"),
    ]
    table(
        f"60,000 x 784 uint8, k = {N_STATES}, p = {FLIP_PROB}; median of {REPEATS}",
        ["", "ms", "extra peak MB (the 47 MB result included)"],
        rows,
    )
    print(f"  ratio {seconds['corrupt'] / seconds['draw']:.2f} (target <= 2); target < 300 MB")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(extra_megabytes(sys.argv[1]))
    else:
        main()
