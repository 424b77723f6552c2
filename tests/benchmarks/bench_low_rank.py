"""Pixels that go together, learned from noisy releases alone: what that costs.

Every ratio comes from one run: learning the prior beside scikit-learn's PCA with as many components of the same
released images, and beside all principal components that noise cannot explain, whose number was the rank once; a fit
of the spread likelihood with it beside the fit that takes pixels one by one.
"""

import resource
import time

import numpy as np
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from privdemo import datasets
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.low_rank import MOST_FACTORS, learned_low_rank_prior, learned_principal_prior, unbiased
from privdemo.mechanisms import RandomisedResponse
from tests.benchmarks.timing import alternate, beside, table

MANY = 60_000


def fits(n=MANY, p=0.6):
    """Learning the prior: time beside scikit-learn's PCA, growth, memory."""
    pixels = RandomisedResponse(p, 256)
    noisy = pixels.randomise(datasets.load("mnist").X[:n], np.random.default_rng(0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    learned_low_rank_prior(pixels, noisy)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    sides = {
        f"prior of {n:,}": lambda: learned_low_rank_prior(pixels, noisy),
        f"prior of {n // 2:,}": lambda: learned_low_rank_prior(pixels, noisy[: n // 2]),
        "PCA": lambda: PCA(MOST_FACTORS, svd_solver="covariance_eigh").fit(unbiased(pixels, noisy)),
    }
    table(
        f"learning the prior, {memory:.0f} MB more at most", ["", "time", "PCA"], beside(alternate(sides, 3), "PCA", 2)
    )


def rank(many=MANY):
    """Learning the prior with the factors that pixels share, beside that with all components beyond the noise."""
    images, two = datasets.load("mnist").X, datasets.load("mnist").select_classes(("7", "9")).X
    for n, p, clean in ((500, 0.2, two), (500, 0.4, two), (9_000, 0.2, two), (many, 0.6, images), (many, 0.8, images)):
        pixels = RandomisedResponse(p, 256)
        noisy = pixels.randomise(clean[:n], np.random.default_rng(0))
        sides = {
            "factors": lambda pixels=pixels, noisy=noisy: learned_low_rank_prior(pixels, noisy),
            "components": lambda pixels=pixels, noisy=noisy: learned_principal_prior(pixels, noisy),
        }
        table(
            f"the rank of {n:,} releases, p = {p}",
            ["", "time", "components"],
            beside(alternate(sides, 9 if n < many else 3, time.process_time), "components", 2),
        )


def training(n=9_000, p=0.2):
    """A fit of the spread likelihood with each prior, penalty given."""
    pixels, labels = RandomisedResponse(p, 256), RandomisedResponse(p, 2)
    people, noise = (np.random.default_rng(child) for child in np.random.SeedSequence(0).spawn(2))
    train, _ = datasets.load("mnist").select_classes(("7", "9")).split(n // 2, 100, people)
    X, y = pixels.randomise(train.X, noise), labels.randomise(train.y, noise)
    sides = {
        name: lambda prior=prior: SpreadLogisticRegression(labels, pixels, prior=prior, C=0.1).fit(X, y)
        for name, prior in (("one by one", "learned"), ("strokes", "low rank"))
    }
    table(f"a spread fit of {n:,} people", ["", "time", "one by one"], beside(alternate(sides, 3), "one by one", 2))


if __name__ == "__main__":
    with threadpool_limits(1):
        fits()
        rank()
        training()
