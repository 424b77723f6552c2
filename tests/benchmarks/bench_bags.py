"""Learning from label proportions: time beside scikit-learn's LogisticRegression with every label, and its growth.

The same Adult rows, sparse as the app has them and dense, in one thread; then SMS, and bags in growing numbers.
"""

from functools import partial

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from privdemo.estimators import label_proportions as estimators
from privdemo.experiments.label_proportions import BagConfig, sample_release
from privdemo.mechanisms import aggregation
from tests.benchmarks.timing import alternate, beside, table

METHODS = {
    "slides' model": estimators.LabelProportionClassifier,
    "spread on bag names": estimators.BagNameClassifier,
    "mean map": estimators.MeanMapClassifier,
    "alternating mean map": estimators.AlternatingMeanMapClassifier,
}


def beside_full_labels(repeats=7):
    rows = []
    for name, config in (
        ("Adult 10,000 × 338, sparse", BagConfig(selection="skewed")),
        ("Adult 10,000 × 338, dense", BagConfig(selection="skewed")),
        ("SMS 3,600 × 6,272, sparse", BagConfig("sms", 60, 60, "skewed")),
    ):
        released = sample_release(config)
        X = released.rows.toarray() if "dense" in name else csr_array(released.rows)
        acts = {"full": partial(LogisticRegression(max_iter=1000).fit, X, released.positives.astype(int))}
        for method, make in METHODS.items():
            for C in (1.0, 100.0) if method == "slides' model" else (1.0,):  # the second is what is chosen
                acts[f"{method}, C = {C:g}"] = partial(make(C=C).fit, X, released.row_bags, released.projected)
        rows += [[name, *row] for row in beside(alternate(acts, repeats), "full", 3)]
    table("One fit at a given penalty", ["rows", "method", "time", "of scikit-learn's with every label"], rows)


def growth(numbers=(75, 150, 300), repeats=5):
    released = {n: sample_release(BagConfig(n_bags=n, selection="skewed")) for n in numbers}
    acts = {
        method: lambda r, make=make: make(C=1.0).fit(r.rows, r.row_bags, r.projected)
        for method, make in METHODS.items()
    }
    acts["random-k, k = 10"] = lambda r: aggregation.random_k(r.record_bags, 10, np.random.default_rng(0))
    acts["nearest-k, k = 10"] = lambda r: aggregation.nearest_k(
        r.records.X, r.record_bags, 10, np.random.default_rng(0)
    )
    acts["k-tree, k = 10"] = lambda r: aggregation.k_tree(r.records.X, r.records.y, 10, np.random.default_rng(0))
    rows = []
    for name, act in acts.items():
        took = list(alternate({n: partial(act, r) for n, r in released.items()}, repeats).values())
        rows.append([name, *(f"{t:.4f} s" for t in took), f"{took[1] / took[0]:.1f} ×, {took[2] / took[1]:.1f} ×"])
    table("Adult in growing numbers", ["", "7,500 records", "15,000", "30,000", "doubled"], rows)


if __name__ == "__main__":
    with threadpool_limits(1, user_api="blas"):
        beside_full_labels()
        growth()
