"""What estimators of class ratios are held against: whole kernels, plain searches, sampled mixtures."""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from scipy.special import log_softmax, logsumexp
from sklearn.metrics.pairwise import rbf_kernel

from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.penalties import C_GRID
from privdemo.simplex import project_simplex
from tests.estimators.oracles import rng

TWO = np.array([[0.9, 0.1], [0.1, 0.9]])
THREE = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
KINDS = {
    "float64": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "sparse float64": csr_array,
    "sparse float32": lambda x: csr_array(x.astype(np.float32)),
    "sparse matrix": csr_matrix,
}


def gaussian_sets(proportions, n, seed, d=2, gap=2.0):
    """Sets of `n` records with exactly these proportions, class c normal around `gap` along an axis of its own.

    With more classes than `d` axes, around −`gap` along the first again.
    """
    generator, sets = rng(seed), []
    centres = gap * np.concatenate((np.eye(d), -np.eye(d)))
    for shares in np.asarray(proportions):
        y = generator.permutation(np.repeat(np.arange(len(shares)), np.rint(shares * n).astype(int)))
        sets.append(generator.normal(size=(len(y), d)) + centres[y])
    return sets


def gaussian_set(shares, n, seed, **shape):
    """One such set."""
    return gaussian_sets([shares], n, seed, **shape)[0]


def gram(sets, bandwidth):
    """Means over blocks of the whole kernel matrix."""
    X = np.concatenate(sets)
    averages = np.zeros((len(X), len(sets)))
    averages[np.arange(len(X)), np.repeat(np.arange(len(sets)), [len(x) for x in sets])] = 1
    averages /= averages.sum(axis=0)
    return averages.T @ rbf_kernel(X, gamma=0.5 / bandwidth**2) @ averages


def median(sets):
    """√(median ‖x − x′‖² / 2) over all pairs."""
    X = np.concatenate(sets)
    return math.sqrt(np.median([((x - y) ** 2).sum() for i, x in enumerate(X) for y in X[:i]]) / 2)


def truncated(gram, c):
    """The inverse of `gram` within the span of its c largest singular values."""
    left, values, right = np.linalg.svd(gram)
    return (right[:c].T / values[:c]) @ left[:, :c].T


def cv_errors(sets, p, tuning, q, bandwidths):
    """The mean L1 error of either group found from the other, at every bandwidth."""
    errors = []
    for bandwidth in bandwidths:
        every, m, one = gram(sets + tuning, bandwidth), len(sets), []
        for known, asked, mine, truth in ((slice(m), slice(m, None), p, q), (slice(m, None), slice(m), q, p)):
            alpha = truncated(every[known, known], p.shape[1]) @ every[known, asked]
            one += [np.abs(project_simplex(a @ mine) - t).sum() for a, t in zip(alpha.T, truth, strict=True)]
        errors.append(np.mean(one))
    return np.array(errors)


def channel(sets, p):
    """T[set | class] from the records that each set has of each class."""
    joint = np.array([[len(x) * share for share in row] for x, row in zip(sets, p, strict=True)])
    return joint / joint.sum(axis=0)


def search(sets, p, tuning, q, temperatures):
    """The strength and the temperature likeliest for the names of `tuning`, and the log-likelihoods tried."""
    names = np.repeat(np.arange(len(sets)), [len(x) for x in sets])
    X, other_names = np.concatenate(tuning), np.repeat(np.arange(len(tuning)), [len(x) for x in tuning])
    with np.errstate(divide="ignore"):
        log_rows = np.log(channel(tuning, q))[other_names]
    shares = [len(x) * np.asarray(row) for x, row in zip(sets, p, strict=True)]
    others = [len(x) * np.asarray(row) for x, row in zip(tuning, q, strict=True)]
    shift = np.log(np.sum(others, axis=0) / np.sum(others)) - np.log(np.sum(shares, axis=0) / np.sum(shares))
    tried = []
    for C in C_GRID:
        model = SpreadLogisticRegression(channel(sets, p), C=C, tol=1e-6)
        scores = model.fit(np.concatenate(sets), names).decision_function(X)
        scores = np.stack((0 * scores, scores), axis=1) if scores.ndim == 1 else scores
        values = [logsumexp(log_rows + log_softmax(scores / t + shift, axis=1), axis=1) for t in temperatures]
        best = int(np.argmax([value.mean() for value in values]))
        tried.append((C, temperatures[best], values[best]))
        top = max(tried, key=lambda one: one[2].mean())
        lost = top[2] - tried[-1][2]
        if lost.mean() > 3 * lost.std() / math.sqrt(len(lost)):
            break
    return top[0], top[1], [(C, value.mean()) for C, _, value in tried]
