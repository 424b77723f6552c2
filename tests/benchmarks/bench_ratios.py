"""Class ratios and released counts: MMD beside the inner products it cannot avoid, random features beside the exact
kernel, spread beside scikit-learn with every label, and calibrations of large counts.

    python -m tests.benchmarks.bench_ratios            about twelve minutes
    python -m tests.benchmarks.bench_ratios counts     the calibrations alone, seconds
"""

import sys
import tracemalloc
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from privdemo.estimators.mmd import BLOCK, MMDClassRatio
from privdemo.estimators.set_names import SpreadClassRatio
from privdemo.experiments import class_ratio
from privdemo.mechanisms.label_counts import RELEASES, calibrate
from tests.benchmarks.timing import alternate, table

FACTOR = 0.5  # of the median heuristic, what cross-validation chooses here


def ten_digits():
    """Twenty sets of 3,000 and sets to ask about, as in the paper's protocol."""
    config = class_ratio.study.ten_digits()
    sample = class_ratio.draw_sample(config)
    sets = [
        [class_ratio.as_input(sample.dataset, rows) for rows in group.rows]
        for group in (sample.training, sample.tuning)
    ]
    rng = np.random.default_rng(0)
    asked = [class_ratio.draw_asked_set(config, sample, share, rng) for share in class_ratio.SHARES]
    labels = sample.dataset.y[np.concatenate(sample.training.rows)]
    return sets, sample.training.proportions, asked, labels


def products(sets, U):
    """The inner products alone: every pair of training sets once, and each with U, in the same blocks."""
    for i, x in enumerate(sets):
        for y in [*sets[: i + 1], U]:
            for start in range(0, len(x), BLOCK):
                rows = x[start : start + BLOCK]
                for first in range(0, start + 1 if y is x else len(y), BLOCK):
                    rows @ y[first : first + BLOCK].T


def mean_error(estimator, asked):
    return float(np.mean([class_ratio.l1_distance(estimator.predict(U), p) for U, p in asked]))


def kernels():
    sets, p, asked, labels = ten_digits()
    U = asked[4][0]
    acts = {
        "inner products alone": lambda: products(sets[0] + sets[1], U),
        "MMD, exact": lambda: MMDClassRatio(FACTOR).fit(sets[0], p, sets[1], p).predict(U),
        **{
            f"MMD, {n} random features": lambda n=n: MMDClassRatio(FACTOR, n).fit(sets[0], p, sets[1], p).predict(U)
            for n in (1000, 1500, 2000)
        },
    }
    timed = alternate(acts, repeats=2)
    errors = {
        name: mean_error(MMDClassRatio(FACTOR, n).fit(sets[0], p, sets[1], p), asked)
        for name, n in zip(list(acts)[1:], (None, 1000, 1500, 2000), strict=True)
    }
    base, exact = timed["inner products alone"], timed["MMD, exact"]
    rows = [
        [name, f"{t:.2f} s", f"{t / base:.2f} ×", f"{exact / t:.1f} ×", f"{errors.get(name, float('nan')):.4f}"]
        for name, t in timed.items()
    ]
    table(
        "One estimate, 20 sets of 3,000 digits and U of 3,000, bandwidth given",
        ["", "time", "of the products", "faster than exact", "mean L1 error"],
        rows,
    )
    tracemalloc.start()
    MMDClassRatio(FACTOR).fit(sets[0], p, sets[1], p).predict(U)
    print(f"  peak of extra memory, exact: {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB")
    tracemalloc.stop()
    X = np.concatenate(sets[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = alternate(
            {
                "scikit-learn, every label, C = 0.1": lambda: LogisticRegression(C=0.1, max_iter=1000).fit(X, labels),
                "spread on set names, C = 0.1, 60,000 records": lambda: SpreadClassRatio(0.1).fit(
                    sets[0], p, sets[1], p
                ),
                "the same, C and temperature chosen": lambda: SpreadClassRatio().fit(sets[0], p, sets[1], p),
            },
            repeats=1,
        )
    base = fits["scikit-learn, every label, C = 0.1"]
    table(
        "Training on ten digits",
        ["", "time", "of scikit-learn's"],
        [[name, f"{t:.1f} s", f"{t / base:.1f} ×"] for name, t in fits.items()],
    )


def calibrations():
    counts = 10**9 - np.arange(1000)
    rows = []
    for name in RELEASES:
        slowest = 0.0
        for epsilon in (0.001, 0.05, 1.0):
            for delta in (1e-6, 0.05):
                call = {"": lambda e=epsilon, d=delta, name=name: calibrate(name, e, d, counts, 10**6)}
                slowest = max(slowest, alternate(call, repeats=5)[""])
        rows.append([RELEASES[name].title, f"{1000 * slowest:.2f} ms", f"{slowest / 0.05:.3f} ×"])
    table(
        "Calibration, 1,000 classes of up to 10⁹, the slowest of ε = 0.001, 0.05, 1 and δ = 10⁻⁶, 0.05",
        ["", "time", "of 50 ms"],
        rows,
    )


if __name__ == "__main__":
    with threadpool_limits(1, user_api="blas"):
        calibrations()
        if sys.argv[1:] != ["counts"]:
            kernels()
