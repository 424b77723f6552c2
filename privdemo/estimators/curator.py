"""A classifier that a trusted curator fits to all true data, and publishes with noise on its weights.

Output perturbation of L2-regularised logistic regression (Chaudhuri, Monteleoni & Sarwate, JMLR 2011, algorithm 1): the
weights w minimise (1/n) Σ ln(1 + e^{−w·u}) + (λ/2) ‖w‖², where u = y z is a record z of length 1 times its class
y = ±1, and w + b is published. Replacing one person, label and record, moves w by at most a sensitivity Δ, so noise b
of density ∝ exp(−ε ‖b‖/Δ) keeps ε, and Gaussian noise calibrated to Δ keeps (ε, δ), of the *whole record*.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, minimize
from scipy.sparse import csr_array, hstack, issparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from privdemo import limits
from privdemo.accounting import gaussian_sigma

Array = NDArray[np.floating]

# The last entry of every record, for the intercept; the others share the rest of the length 1.
INTERCEPT = 0.3
# An optimiser stops where the gradient is this share of one person's part in it.
EXACT = 1e-3
# Angles at which the two most distant gradients are searched.
ANGLES = 1000
# The standard deviation of the noise in a score that `public_penalty` aims at, and between which penalties: with the
# strongest, weights are as good as those of the classes' mean records.
SCORE_NOISE, PENALTIES = 0.05, (1e-4, 1.0)


class CuratorLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression of two classes whose published weights are (ε, δ)-private for the whole record.

    Records are brought to length 1 one by one, (√(1 − s²) x/‖x‖, s) with s = `INTERCEPT`, so that their bound does not
    depend on the data. The number of people and the classes are public; neighbours replace one person.

    Parameters
    ----------
    epsilon : the ε of a whole record. delta : its δ; 0 takes noise of density ∝ exp(−ε ‖b‖/Δ), else Gaussian.
    penalty : λ, chosen independently of the data; None: `public_penalty`.
    random_state : the randomness of the noise, as scikit-learn takes it.

    Attributes
    ----------
    coef_ (1, D), intercept_ (1,) : of the scores of records at length 1. classes_ : (2,). penalty_ : λ.
    sensitivity_ : Δ of the weights in L2.
    """

    def __init__(
        self, epsilon: float = 1.0, delta: float = 0.0, *, penalty: float | None = None, random_state: Any = None
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.penalty = penalty
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from true records X (n, D), dense or sparse, and labels y (n,) of two classes; then add the noise.

        Raises ``ValueError`` for one class or three, and for values outside a range.
        """
        limits.RELEASE_EPSILON.check(self.epsilon)
        limits.RELEASE_DELTA.check(self.delta)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(_classes_error(len(self.classes_)))
        records = unit_records(X)
        n, size = records.shape
        self.penalty_ = public_penalty(n, size, self.epsilon, self.delta) if self.penalty is None else self.penalty
        self.sensitivity_ = weight_sensitivity(n, self.penalty_)
        weights = optimal_weights(records, np.where(y == self.classes_[1], 1.0, -1.0), self.penalty_)
        weights = weights + weight_noise(
            size, self.sensitivity_, self.epsilon, self.delta, _generator(self.random_state)
        )
        self.coef_, self.intercept_ = weights[None, :-1], weights[-1:] * INTERCEPT
        return self

    def decision_function(self, X: Any) -> Array:
        """Return scores (n,) of clean X; above 0 the second class is likelier."""
        check_is_fitted(self)
        records = unit_records(validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64))
        return records @ np.append(self.coef_[0], self.intercept_ / INTERCEPT)

    def predict_proba(self, X: Any) -> Array:
        """Return p(class | x) of clean X (n, D): shape (n, 2)."""
        second = expit(self.decision_function(X))
        return np.stack((1 - second, second), axis=1)

    def predict(self, X: Any) -> NDArray:
        """Return the likelier class of clean X (n, D)."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        tags.non_deterministic = True
        return tags


def unit_records(X: Any) -> Any:
    """Return records (n, D) at length 1 with an entry for the intercept, (n, D + 1); one of zeros has the intercept
    alone.
    """
    sparse = issparse(X)
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse else np.square(X).sum(axis=1))
    empty = lengths == 0
    scale = np.where(empty, 0.0, math.sqrt(1 - INTERCEPT**2) / np.where(empty, 1.0, lengths))
    last = np.where(empty, 1.0, INTERCEPT)[:, None]
    if not sparse:
        return np.hstack((X * scale[:, None], last))
    return csr_array(hstack((csr_array(X).multiply(scale[:, None]), last)))


def optimal_weights(records: Any, signs: Array, penalty: float) -> Array:
    """Return the w (D,) that minimises (1/n) Σ ln(1 + e^{−y w·z}) + (λ/2)‖w‖², to a gradient that `weight_sensitivity`
    allows.

    Raises ``ArithmeticError`` where the optimiser does not converge, as (ε, δ) would not hold.
    """
    n, size = records.shape

    def loss(weights: Array) -> tuple[float, Array]:
        margins = signs * (records @ weights)
        pull = expit(-margins) * signs
        value = np.logaddexp(0.0, -margins).mean() + penalty / 2 * weights @ weights
        return value, penalty * weights - records.T @ pull / n

    enough = EXACT / (2 * n)
    options = {"gtol": enough / math.sqrt(size), "ftol": 0.0, "maxiter": 10_000, "maxcor": 20}
    weights = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options=options).x
    if np.linalg.norm(loss(weights)[1]) > enough:
        raise ArithmeticError(f"the weights were not found to a gradient of {enough:.1e}, so that no ε holds")
    return weights


@lru_cache(maxsize=256)
def weight_sensitivity(n: int, penalty: float) -> float:
    """Δ: how far the weights move at most if one of n people is replaced; Chaudhuri et al. bound it by 2/(nλ).

    The objective is λ-strongly convex, so w moves by at most 1/(nλ) times the distance of two people's gradients at w,
    g(u) = σ(−w·u) u with u on the unit sphere. (1) ‖w‖ is at most R with λR² = max over m ≤ R of m σ(−m), as λ‖w‖² is
    the mean of m σ(−m), m = w·u. (2) The farthest two lie on either side of w, at angles θ and θ′, where they are
    √(g² + g′² − 2gg′ cos(θ + θ′)) apart, and farther the longer w is. (3) A gradient moves by at most 1 + R/4 an angle,
    which covers the angles between those that are tried. (4) Both weights are no longer than R, so they are no farther
    apart than 2R, which is less where people are few and the penalty is strong. (5) An optimum found to a gradient of
    `EXACT`/(2n) is off by that over λ, with each neighbour.
    """
    limits.PENALTY.check(penalty)
    longest = _longest(penalty)
    angles, step = np.linspace(0.0, math.pi, ANGLES, retstep=True)
    length = expit(-longest * np.cos(angles))
    squares = length[:, None] ** 2 + length**2 - 2 * np.outer(length, length) * np.cos(angles[:, None] + angles)
    farthest = math.sqrt(squares.max()) + (1 + longest / 4) * float(step)
    return min(min(2.0, farthest) / (n * penalty), 2 * longest) + EXACT / (n * penalty)


def _longest(penalty: float) -> float:
    """R: the largest length of the weights."""
    top = brentq(lambda m: 1 - m * expit(m), 1.0, 2.0)  # where m σ(−m) is largest
    if penalty * top >= expit(-top):
        return float(brentq(lambda r: penalty * r - expit(-r), 0.0, top)) * (1 + 1e-9)
    return math.sqrt(top * expit(-top) / penalty) * (1 + 1e-9)


def weight_noise(size: int, sensitivity: float, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """Return b (size,): of density ∝ exp(−ε ‖b‖/Δ) for δ = 0, else Gaussian with the least σ that keeps (ε, δ).

    The first has a length Γ(size) Δ/ε in a direction that is uniform on the sphere.
    """
    direction = rng.standard_normal(size)
    if delta > 0:
        return gaussian_sigma(epsilon, delta, sensitivity) * direction
    return rng.standard_gamma(size) * sensitivity / epsilon * direction / np.linalg.norm(direction)


def public_penalty(n: int, size: int, epsilon: float, delta: float) -> float:
    """Return λ from what is public: the number of people, the size of a record, ε and δ.

    Noise has a standard deviation of about c/(nλ) an entry, and so in the score of a record of length 1, where c is
    that for Δ = 1. λ makes it `SCORE_NOISE`: a stronger penalty shrinks noise and weights alike, a weaker one lets
    noise grow faster than weights.
    """
    noise = gaussian_sigma(epsilon, delta) if delta > 0 else math.sqrt(size + 1) / epsilon
    return float(np.clip(noise / (n * SCORE_NOISE), *PENALTIES))


def _generator(random_state: Any) -> np.random.Generator:
    """Return a generator as it is, anything else as scikit-learn reads it."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))


def _classes_error(n_classes: int) -> str:
    # The first words are scikit-learn's, by which its checks know the error.
    if n_classes == 1:
        return "y must hold two classes, got one class only"
    return f"Only binary classification is supported: y must hold two classes, got {n_classes}; ask about one of them"
