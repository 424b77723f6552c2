"""A model of the classes: factors u of the inputs are N(m_c, S) in class c, with one S for all classes.

Releases and labels together, p̃(x̃, c̃) = Σ_c T[c̃ | c] π_c p(x̃ | c), so that the clusters of the inputs are used as well.
That helps where labels are noisy. The factors are the principal components of `estimators.low_rank`, x = centre + F u,
learned from the releases alone. It is Fisher's discriminant (1936) with labels that are known by a channel
alone, as a mixture of Gaussians (Hastie & Tibshirani 1996) is fitted by EM.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.sparse import issparse
from scipy.special import softmax
from sklearn.decomposition import PCA
from sklearn.utils.validation import _check_sample_weight

from privdemo import limits
from privdemo.estimators.frequencies import em
from privdemo.estimators.inputs import Inputs, KnownInputs, Nodes
from privdemo.estimators.likelihoods import (
    Model,
    log_likelihood_at,
    spread_log_likelihood,
    weighed,
)
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.low_rank import LEAST, MOST_FACTORS, learned_principal_prior
from privdemo.estimators.many_classes import ManyScores
from privdemo.estimators.penalties import folds_of
from privdemo.estimators.quick_fit import at_few_nodes
from privdemo.mechanisms import PixelMechanism

Array = NDArray[np.floating]

# Folds in which scores are calibrated.
N_FOLDS = 10
# EM steps. Run to convergence, EM finds the strongest clusters, which need not be the classes.
N_STEPS = 5
# The largest share of the factors' variance in any direction that may lie between classes: S stays positive definite
# where few labels leave the class means wide apart by chance.
MOST_BETWEEN = 0.9
# The prior of the calibration: how far scores are from even odds, in nats, and by what part of their own
# standard deviation they may be moved.
SCORE_SD, SHIFT_SD = 3.0, 0.15
# Class means differ most along the directions along which inputs do: the power of a direction's variance in the
# variance of the means there, before any label is seen.
POWER = 2
# Pseudo-counts of each class, a Dirichlet prior of the shares: a share of two classes is
# within 0.11 of a half (one standard deviation). 500 labels flipped with 0.4 give the same standard error.
PSEUDO_COUNT = 10.0


class Factors(NamedTuple):
    """The posterior of n people's factors: means `values` (n, r) and covariance `left` (r, r).

    `loadings` F (D, r) and `centre` (D,) map them to inputs: x = centre + F u.
    """

    values: Array
    left: Array
    loadings: Array
    centre: Array


class Classes(NamedTuple):
    """`means` (K, r) of the factors in every class, their `covariance` (r, r) within each, and `shares` (K,)."""

    means: Array
    covariance: Array
    shares: Array


def principal_factors(X: Any) -> Factors:
    """Return the first principal components of clean X (n, D), dense or sparse, each with variance 1: at most
    `MOST_FACTORS`.

    Directions whose variance is a rounding error are left out.
    """
    most = min(MOST_FACTORS, min(X.shape) - issparse(X))
    pca = PCA(most, svd_solver="arpack" if most < min(X.shape) else "full", random_state=0)
    values = pca.fit_transform(X)
    kept = pca.explained_variance_ > 1e-9 * max(pca.explained_variance_.max(initial=0), LEAST)
    size = np.sqrt(pca.explained_variance_[kept])
    centre = np.asarray(pca.mean_).ravel()
    return Factors(values[:, kept] / size, np.zeros((len(size),) * 2), pca.components_[kept].T * size, centre)


def fit_classes(factors: Factors, rows: Array, shares: Array, weights: Array, n_steps: int = N_STEPS) -> Classes:
    """Return the classes after `n_steps` of EM from means that are corrected for the channel.

    `rows` (n, K) = T[released label, class] of every person, `shares` (K,) of the classes to start with, `weights`
    (n,) how many people a row stands for. With C the covariance of the factors over all people (`left` included), each
    step takes p(c | u, c̃) ∝ T[c̃ | c] π_c N(u; m_c, S), then π_c and m_c as the means of that and of u under it (π_c
    with `PSEUDO_COUNT` more people of each class: a Dirichlet prior), and S = C − Σ_c π_c (m_c − m̄)(m_c − m̄)ᵀ, whose
    last term is scaled down where it would be more than `MOST_BETWEEN` of C in some direction.
    """
    n = weights.sum()
    middle = weights @ factors.values / n
    away = factors.values - middle
    spread = (weights[:, None] * away).T @ away / n
    sizes, directions = np.linalg.eigh(spread + factors.left)
    root = np.sqrt(np.maximum(sizes, LEAST))
    standard = away @ (directions / root)  # the covariance of the factors is now 1
    likely = np.square(factors.loadings).sum(axis=0) ** POWER
    means = _first_means(away, spread.diagonal(), likely, rows, shares, weights) @ (directions / root)
    classes = Classes(means, _covariance_within(means, shares), shares)
    for _ in range(n_steps):
        resp = weights[:, None] * responsibilities(classes, standard, rows)
        counts = resp.sum(axis=0)
        shares, means = _shares_of(counts), resp.T @ standard / np.maximum(counts, LEAST)[:, None]
        classes = Classes(means, _covariance_within(means, shares), shares)
    back = directions * root
    return Classes(middle + classes.means @ back.T, back @ classes.covariance @ back.T, shares)


def _shares_of(counts: Array) -> Array:
    """Return shares of classes of which there are `counts` people, and `PSEUDO_COUNT` more of each."""
    return (counts + PSEUDO_COUNT) / (counts + PSEUDO_COUNT).sum()


def first_shares(counts: NDArray, channel: Array) -> Array:
    """Return the likeliest shares of the classes given `counts` (R,) of labels released through `channel` (R, K).

    With a prior of `PSEUDO_COUNT` people of each class.
    """
    known = np.full(channel.shape[1], PSEUDO_COUNT)
    return em(np.concatenate((counts, known)), np.concatenate((channel, np.eye(len(known)))) / 2).frequencies


def _first_means(away: Array, spread: Array, likely: Array, rows: Array, shares: Array, weights: Array) -> Array:
    """Return class means (K, r) about 0 that explain the means of released labels best, shrunk towards 0.

    Least squares of u_n on p(c | c̃_n), then each direction is shrunk as a random effect would be: the prior variance
    of a mean is g `likely` (r,), with g of the largest likelihood, plus its sampling error.
    """
    given = rows * shares
    given /= given.sum(axis=1, keepdims=True)
    weighed_given = weights[:, None] * given
    precision = np.linalg.pinv(weighed_given.T @ given, hermitian=True)
    means = precision @ (weighed_given.T @ away)
    means -= shares @ means
    error = (shares @ precision.diagonal()) * spread
    squares = shares @ np.square(means)
    grid = np.logspace(-6, 4, 101)[:, None] * likely / max(likely.mean() if likely.size else 1.0, LEAST)
    total = np.maximum(grid + error, LEAST)
    best = int((np.log(total) + squares / total).sum(axis=1).argmin())
    return means * grid[best] / total[best]


def _covariance_within(means: Array, shares: Array) -> Array:
    """Return the covariance (r, r) within classes of factors whose covariance is 1."""
    away = means - shares @ means
    between = (shares[:, None] * away).T @ away
    most = np.linalg.eigvalsh(between).max(initial=0)
    return np.eye(len(between)) - between * min(1.0, MOST_BETWEEN / max(most, LEAST))


def responsibilities(classes: Classes, values: Array, rows: Array) -> Array:
    """Return p(c | u, c̃), (n, K), of people with factors `values` (n, r) and `rows` (n, K) = T[released label,
    class].
    """
    with np.errstate(divide="ignore"):
        return softmax(_scores(classes, values) + np.log(rows), axis=1)


def _linear_scores(classes: Classes) -> tuple[Array, Array]:
    """Return weights S⁻¹m_c (r, K) of the factors and levels log π_c − ½ m_cᵀS⁻¹m_c (K,): linear scores of every
    class.
    """
    toward = np.linalg.solve(classes.covariance, classes.means.T)
    return toward, np.log(classes.shares) - 0.5 * (classes.means * toward.T).sum(axis=1)


def _scores(classes: Classes, values: Array) -> Array:
    toward, level = _linear_scores(classes)
    return values @ toward + level


def linear_model(classes: Classes, factors: Factors) -> Model:
    """Return the classes' scores as weights of the inputs: of a clean x the factors are F⁺(x − centre), by least
    squares.
    """
    toward, level = _linear_scores(classes)
    coef = np.linalg.pinv(factors.loadings).T @ toward
    intercept = level - factors.centre @ coef
    return Model(coef, intercept) if len(level) > 2 else Model(coef[:, 1:] - coef[:, :1], intercept[1:] - intercept[:1])


class HeldOut(NamedTuple):
    """Scores of `people` who were not learned from, with their `log_rows` (m, K) and `weights` (m,)."""

    people: NDArray[np.integer]
    nodes: Nodes | ManyScores
    log_rows: Array
    weights: Array

    @property
    def means(self) -> Array:
        """The mean scores (m, J) of every one of them."""
        if isinstance(self.nodes, ManyScores):
            return self.nodes.mean.T
        return (np.exp(self.nodes.log_weights)[:, :, None] * self.nodes.scores).sum(axis=1)

    def at(self, scale: float, shift: Array) -> Nodes | ManyScores:
        """Return scores scale (a + shift); `pull_back` takes derivatives to scale and shift."""
        if isinstance(self.nodes, ManyScores):
            mean, root, _, n_nodes = self.nodes
            moved = mean + shift[:, None]

            def back(d_mean: Array, d_root: Array) -> tuple[Array, Array]:
                return (d_mean * moved).sum() + (d_root * root).sum(), scale * d_mean.sum(axis=1)

            dtype = root.dtype
            return ManyScores((scale * moved).astype(dtype), (scale * root).astype(dtype), back, n_nodes)
        at = self.nodes.scores + shift

        def pull_back(d_scores: Array) -> tuple[Array, Array]:
            return (d_scores * at).sum(), scale * d_scores.sum(axis=(0, 1))

        return Nodes(scale * at, self.nodes.log_weights, pull_back)


def calibrate(held_out: list[HeldOut], n_scores: int) -> tuple[float, Array]:
    """Return the scale s ≥ 0 and shift (n_scores,) of scores s (a + shift) under which held-out labels are likeliest.

    With d the standard deviation of a over people (of K ≥ 3 scores, of the difference of two), the prior is s d ~
    N(0, `SCORE_SD`²), cut at 0, and shift / d ~ N(0, `SHIFT_SD`²): the fewer labels confirm the clusters, the
    less confident the scores are, however separate the clusters.
    """
    means = np.concatenate([part.means for part in held_out])
    size = _score_deviation(means)
    scale_sd, shift_sd = SCORE_SD / size, SHIFT_SD * size

    def loss(packed: Array) -> tuple[float, Array]:
        scale, shift = packed[0], packed[1:]
        value = ((scale / scale_sd) ** 2 + np.square(shift / shift_sd).sum()) / 2
        gradient = np.concatenate(([scale / scale_sd**2], shift / shift_sd**2))
        for part in held_out:
            gain, d_scale, d_shift = weighed(spread_log_likelihood, part.at(scale, shift), part.log_rows, part.weights)
            value -= gain
            gradient -= np.concatenate(([float(d_scale)], d_shift))
        return value, gradient

    unit = np.concatenate(([scale_sd], np.full(n_scores, shift_sd)))  # curvatures are about 1 then

    def in_units(packed: Array) -> tuple[float, Array]:
        value, gradient = loss(packed * unit)
        return value, gradient * unit

    start, bounds = np.concatenate(([1.0], np.zeros(n_scores))), [(0, None)] + [(None, None)] * n_scores
    found = minimize(in_units, start, jac=True, method="L-BFGS-B", bounds=bounds).x * unit
    return float(found[0]), found[1:]


def _score_deviation(means: Array) -> float:
    """Return the standard deviation over people of a score (n, 1), or of the difference of two of K scores (n, K)."""
    n_scores = means.shape[1]
    away = means - means.mean(axis=1, keepdims=True) if n_scores > 1 else means
    both = 2 * n_scores / (n_scores - 1) if n_scores > 1 else 1.0
    return max(float(np.sqrt(both * away.var(axis=0).mean())), LEAST)


class SpreadClassModel(SpreadLogisticRegression):
    """A model of the classes from released inputs and labels: see `fit_classes`. It has no penalty.

    Parameters
    ----------
    channel, pixels, n_nodes, random_state : as in `SpreadLogisticRegression`; three classes or more, and any channel.
    n_steps : EM steps. Few: with many the classes drift to other clusters of the inputs.
    cv : folds. The scores' scale and shift are those under which the released labels of people who were held out are
        likeliest, as scores of the training people are overconfident.

    Attributes
    ----------
    Those of `SpreadLogisticRegression`, with C_ = ∞. factors_ : the number of factors. classes_model_ : `Classes`.
    scale_, shift_ : of the scores. held_out_ : (n,), the log-likelihood of every person's released label when held out,
    in nats; scale and shift, two numbers for two classes, are fitted to it.

    Best where people are few and labels noisy: the inputs of a class must have one mean, with one covariance for all.
    With thousands of people `SpreadLogisticRegression` with prior "low rank" has the better probabilities, as it models
    p(c | x) alone; `choose.ChosenLogisticRegression` chooses by held-out labels. Without any factor, as under very
    strong noise, only the classes' shares are learned. Weights of the principal components of clean X are left out:
    only the classes are learned with `sample_weight`.
    """

    _learn_low_rank = staticmethod(learned_principal_prior)

    def __init__(
        self,
        channel: Any = None,
        pixels: PixelMechanism | None = None,
        *,
        n_steps: int = N_STEPS,
        cv: int = N_FOLDS,
        n_nodes: int = 16,
        random_state: int = 0,
    ) -> None:
        super().__init__(channel, pixels, "low rank", cv=cv, n_nodes=n_nodes, random_state=random_state)
        self.n_steps = n_steps

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to released X (n, D) and released labels y (n,): see `SpreadLogisticRegression`."""
        limits.N_NODES.check(self.n_nodes)
        limits.N_STEPS.check(self.n_steps)
        X, y, n_scores = self._prepared(X, y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not weights.any():
            raise ValueError("sample_weight must hold a number above 0: nobody counts")
        self.prior_ = self._read_prior(self.prior, X)
        inputs, factors = self._posteriors(X)
        rows, labels = self._rows(y), self.label_numbers(y)
        held_out = []
        for seen, unseen in folds_of(y, weights, self.cv, self.random_state):
            model = linear_model(self._classes(factors, rows, labels, weights, seen), factors)
            nodes = at_few_nodes(inputs.take(unseen)).nodes(model.coef, model.intercept)
            with np.errstate(divide="ignore"):
                held_out.append(HeldOut(unseen, nodes, np.log(rows[unseen]), weights[unseen]))
        self.scale_, self.shift_ = calibrate(held_out, n_scores)
        self.held_out_ = np.empty(len(y))
        for part in held_out:
            self.held_out_[part.people] = log_likelihood_at(part.at(self.scale_, self.shift_), part.log_rows)
        self.classes_model_ = self._classes(factors, rows, labels, weights, np.arange(len(y)))
        model = linear_model(self.classes_model_, factors)
        self.coef_, self.intercept_ = self.scale_ * model.coef.T, self.scale_ * (model.intercept + self.shift_)
        self.factors_, self.C_, self.n_iter_ = factors.values.shape[1], np.inf, self.n_steps
        return self

    def _posteriors(self, X: Any) -> tuple[Inputs, Factors]:
        """Return the posteriors of people's inputs and of their factors."""
        if self.pixels is None:
            return KnownInputs(X), principal_factors(X)
        found = self._low_rank_moments(X)
        inputs = self._of_moments(found)
        if not self.prior_.rank and found.variance.max() <= LEAST:  # X is released as it is
            return inputs, principal_factors(found.mean)
        u, left = (part.astype(float) for part in (found.u, found.left))
        return inputs, Factors(u, left, self.prior_.factors, self.prior_.mean)

    def _classes(self, factors: Factors, rows: Array, labels: NDArray, weights: Array, some: NDArray) -> Classes:
        """Return the classes fitted to some of the people."""
        counts = np.bincount(labels[some], weights[some], len(self._channel))
        known = factors._replace(values=factors.values[some])
        return fit_classes(known, rows[some], first_shares(counts, self._channel), weights[some], self.n_steps)
