"""Class ratios and released counts: MMD beside the inner products it cannot avoid, random features beside the exact
kernel, spread beside scikit-learn with every label, calibrations of large counts, and exact noise beside OpenDP's.

    python -m tests.benchmarks.bench_ratios            about twelve minutes
    python -m tests.benchmarks.bench_ratios counts     calibrations and noise of counts alone, seconds
"""

import itertools
import sys
import tracemalloc
import warnings
from functools import partial

import numpy as np
import opendp.prelude as dp
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from privdemo.estimators.mmd import BLOCK, MMDClassRatio
from privdemo.estimators.set_names import SpreadClassRatio
from privdemo.experiments import class_ratio
from privdemo.mechanisms.label_counts import RELEASES, DiscreteGaussianCounts, DiscreteLaplaceCounts, calibrate
from tests.benchmarks.timing import alternate, beside, table

FACTOR = 0.5  # of the median heuristic, what cross-validation chooses here


def ten_digits():
    """Twenty sets of 3,000 and sets to ask about, as in the paper's protocol."""
    config = class_ratio.study.ten_digits()
    sample = class_ratio.sample_records(config)
    groups = sample.training, sample.tuning
    sets = [[class_ratio.as_input(sample.dataset, rows) for rows in group.rows] for group in groups]
    rng = np.random.default_rng(0)
    asked = [class_ratio.sample_target_set(config, sample, share, rng) for share in class_ratio.SHARES]
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


def kernels(repeats=2):
    sets, p, asked, labels = ten_digits()
    U = asked[4][0]
    fit = {
        "MMD, exact" if n is None else f"MMD, {n} random features": partial(
            MMDClassRatio(FACTOR, n).fit, sets[0], p, sets[1], p
        )
        for n in (None, 1000, 1500, 2000)
    }
    acts = {"inner products alone": lambda: products(sets[0] + sets[1], U)}
    timed = alternate(acts | {name: lambda act=act: act().predict(U) for name, act in fit.items()}, repeats)
    errors = {
        name: np.mean([class_ratio.l1_distance(estimator.predict(of), share) for of, share in asked])
        for name, estimator in ((name, act()) for name, act in fit.items())
    }
    base, exact = timed["inner products alone"], timed["MMD, exact"]
    rows = [
        [name, f"{t:.2f} s", f"{t / base:.2f} ×", f"{exact / t:.1f} ×", f"{errors.get(name, float('nan')):.4f}"]
        for name, t in timed.items()
    ]
    header = ["", "time", "of the products", "faster than exact", "mean L1 error"]
    table("One estimate, 20 sets of 3,000 digits and U of 3,000, bandwidth given", header, rows)
    tracemalloc.start()
    fit["MMD, exact"]().predict(U)
    print(f"  peak of extra memory, exact: {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB")
    tracemalloc.stop()
    full = "scikit-learn, every label, C = 0.1"
    acts = {
        full: partial(LogisticRegression(C=0.1, max_iter=1000).fit, np.concatenate(sets[0]), labels),
        "spread on set names, C = 0.1, 60,000 records": partial(SpreadClassRatio(0.1).fit, sets[0], p, sets[1], p),
        "the same, C and temperature chosen": partial(SpreadClassRatio().fit, sets[0], p, sets[1], p),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = beside(alternate(acts, 1), full, 1)
    table("Training on ten digits", ["", "time", "of scikit-learn's"], rows)


def calibrations():
    counts = 10**9 - np.arange(1000)
    rows = []
    for name, release in RELEASES.items():
        asked = itertools.product((0.001, 0.05, 1.0), (1e-6, 0.05))
        calls = {case: partial(calibrate, name, *case, counts, 10**6) for case in asked}
        slowest = max(alternate(calls, 5).values())
        rows.append([release.title, f"{1000 * slowest:.2f} ms", f"{slowest / 0.05:.3f} ×"])
    title = "Calibration, 1,000 classes of up to 10⁹, the slowest of ε = 0.001, 0.05, 1 and δ = 10⁻⁶, 0.05"
    table(title, ["", "time", "of 50 ms"], rows)


def whole_noise(n=50_000):
    """Exact noise on many counts beside OpenDP's and beside NumPy's continuous noise."""
    dp.enable_features("contrib")
    counts, rows = np.ones((n // 100, 100), dtype=int), []
    rng = np.random.default_rng(0)
    whole = dp.vector_domain(dp.atom_domain(T=int))
    for scale in (0.5, 5.0, 500.0):
        theirs = {
            "Laplace": dp.m.make_laplace(whole, dp.l1_distance(T=int), scale=scale),
            "Gaussian": dp.m.make_gaussian(whole, dp.l2_distance(T=float), scale=scale),
        }
        ours = {"Laplace": DiscreteLaplaceCounts(scale), "Gaussian": DiscreteGaussianCounts(scale)}
        continuous = {"Laplace": lambda: rng.laplace(size=n), "Gaussian": lambda: rng.standard_normal(n)}
        for name, mechanism in ours.items():
            calls = {
                "ours": lambda mechanism=mechanism: mechanism.noisy(counts, rng),
                "OpenDP": lambda made=theirs[name]: made([1] * n),
                "continuous": continuous[name],
            }
            took = alternate(calls, 5)
            rows.append(
                [
                    f"discrete {name}, scale {scale:g}",
                    f"{1e6 * took['ours'] / n:.1f} µs",
                    f"{took['ours'] / took['OpenDP']:.2f} ×",
                    f"{took['ours'] / took['continuous']:.0f} ×",
                ]
            )
    table(f"Noise on {n:,} counts", ["", "a count", "of OpenDP's", "of NumPy's continuous noise"], rows)


if __name__ == "__main__":
    with threadpool_limits(1, user_api="blas"):
        calibrations()
        whole_noise()
        if sys.argv[1:] != ["counts"]:
            kernels()
