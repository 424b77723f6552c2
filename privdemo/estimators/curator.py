"""A classifier that a trusted curator fits to all true data, and publishes with noise.

It is L2-regularised logistic regression of u = y z, a record z of length 1 times its class y = ±1. Neighbours replace
one person, label and record, so (ε, δ) is that of the *whole record*. Where noise is added is one of `RULES`:

- *output*: the weights w minimise (1/n) Σ ln(1 + e^{−w·u}) + (λ/2) ‖w‖², and w + b is published (Chaudhuri, Monteleoni
  & Sarwate, JMLR 2011, algorithm 1). A person moves w by at most a sensitivity Δ, so noise b of density
  ∝ exp(−ε ‖b‖/Δ) keeps ε, and Gaussian noise calibrated to Δ keeps (ε, δ).
- *objective*: w minimises the same sum plus b·w/n (algorithm 2 there; Kifer, Smith & Thakurta 2012), with a loss that
  is linear where w·u < 0, so that no gradient is longer than ½ and two differ by at most 1. (ε, δ) holds of the exact
  minimiser; one that is nearly exact gets a little noise of its own, for a hundredth of ε and δ.
- *gradient*: some steps down the gradient of that loss, summed over all people, with noise on each sum.
- *best*: one of the last two, and for δ = 0 of records projected to fewer dimensions, by numbers that are public alone:
  `best_rule`.
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
from privdemo.accounting import gaussian_sigma, noisy_gradients_sigma, perturbed_objective_sigma
from privdemo.accounting.gradients import CURVATURE, GRADIENT, excess_error, perturbed_objective_excess

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
RULES = ("output", "objective", "gradient", "best")
# `SCORE_NOISE` for the perturbed objective, whose optimum adapts to the noise; the part of ε that its curvature may
# take, and the part of ε and δ for the distance of a minimiser to the exact one.
OBJECTIVE_SCORE_NOISE, EXCESS_SHARE, INEXACT_SHARE = 0.25, 0.1, 0.01
# Steps of gradient descent (one for δ = 0, where ε is divided among them), how far each goes, and the penalty.
STEPS, RATE, STEP_PENALTY = 10, 2.0, 0.01
# The best rule: gradients where Gaussian noise in a score is more than this, else the objective. For δ = 0 the
# objective, of records projected to one dimension for so many people times ε, but to no fewer than these.
MOST_OBJECTIVE_NOISE, PEOPLE_A_DIMENSION, FEWEST_DIMENSIONS = 0.005, 16, 10


class CuratorLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression of two classes whose published weights are (ε, δ)-private for the whole record.

    Records are brought to length 1 one by one, (√(1 − s²) x/‖x‖, s) with s = `INTERCEPT`, so that their bound does not
    depend on the data. The number of people and the classes are public; neighbours replace one person.

    Parameters
    ----------
    epsilon : the ε of a whole record. delta : its δ; 0 takes noise of density ∝ exp(−ε ‖b‖/Δ), else Gaussian.
    penalty : λ, chosen independently of the data; None: from what is public.
    rule : where the noise is added, one of `RULES`.
    dimensions : records are first projected at random to so many, their intercept included; None: they are not, but by
        the rule “best”.
    random_state : the randomness of the noise and of the projection, as scikit-learn takes it.

    Attributes
    ----------
    coef_ (1, D), intercept_ (1,) : of the scores of records at length 1, projected if they are. classes_ : (2,).
    rule_ : the rule that was followed. penalty_ : λ.
    projection_ : (D, dimensions − 1), or None.
    sensitivity_ : the distance of two neighbours in L2, of their weights (output) or of their sums of gradients.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        penalty: float | None = None,
        rule: str = "output",
        dimensions: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.penalty = penalty
        self.rule = rule
        self.dimensions = dimensions
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from true records X (n, D), dense or sparse, and labels y (n,) of two classes; then add the noise.

        Raises ``ValueError`` for one class or three, and for values outside a range.
        """
        limits.RELEASE_EPSILON.check(self.epsilon)
        limits.RELEASE_DELTA.check(self.delta)
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.rule!r}")
        for limit, value in ((limits.PENALTY, self.penalty), (limits.DIMENSIONS, self.dimensions)):
            if value is not None:
                limit.check(value)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(_classes_error(len(self.classes_)))
        rng = _generator(self.random_state)
        self.rule_, dimensions = self.rule, self.dimensions
        if self.rule == "best":
            self.rule_, chosen = best_rule(X.shape[0], X.shape[1] + 1, self.epsilon, self.delta)
            dimensions = dimensions or chosen
        if dimensions is None or dimensions > X.shape[1]:
            self.projection_ = None
        else:
            self.projection_ = rng.standard_normal((X.shape[1], dimensions - 1))
        records = self._records(X)
        n, size = records.shape
        signs = np.where(y == self.classes_[1], 1.0, -1.0)
        self.penalty_ = self.penalty or _penalty(self.rule_, n, size, self.epsilon, self.delta)
        self.sensitivity_ = weight_sensitivity(n, self.penalty_) if self.rule_ == "output" else 2 * GRADIENT
        if self.rule_ == "objective":
            weights = perturbed_weights(records, signs, self.penalty_, self.epsilon, self.delta, rng)
        elif self.rule_ == "gradient":
            weights = descended_weights(records, signs, self.penalty_, self.epsilon, self.delta, rng)
        else:
            weights = optimal_weights(records, signs, self.penalty_)
            weights = weights + weight_noise(size, self.sensitivity_, self.epsilon, self.delta, rng)
        self.coef_, self.intercept_ = weights[None, :-1], weights[-1:] * INTERCEPT
        return self

    def _records(self, X: Any) -> Any:
        return unit_records(X if self.projection_ is None else X @ self.projection_)

    def decision_function(self, X: Any) -> Array:
        """Return scores (n,) of clean X; above 0 the second class is likelier."""
        check_is_fitted(self)
        records = self._records(validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64))
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


def optimal_weights(
    records: Any, signs: Array, penalty: float, centre: Array | float = 0.0, longest: float = 1.0
) -> Array:
    """Return the w (D,) that minimises (1/n) Σ ℓ(y w·z) + (λ/2) ‖w − centre‖², to a gradient of `EXACT`/(2n).

    ℓ(m) is ln(1 + e^{−m}), or with `longest` = ½ the same for m > 0 and ln 2 − m/2 below: no gradient is longer.
    Raises ``ArithmeticError`` where the optimiser does not converge, as (ε, δ) would not hold.
    """
    n, size = records.shape

    def loss(moved: Array) -> tuple[float, Array]:
        margins = signs * (records @ (centre + moved))
        pull = np.minimum(expit(-margins), longest) * signs
        losses = np.logaddexp(0.0, -margins)
        if longest < 1:
            losses = np.where(margins < 0, math.log(2) - longest * margins, losses)
        return losses.mean() + penalty / 2 * moved @ moved, penalty * moved - records.T @ pull / n

    enough = EXACT / (2 * n)
    options = {"gtol": enough / math.sqrt(size), "ftol": 0.0, "maxiter": 10_000, "maxcor": 20}
    moved = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options=options).x
    if np.linalg.norm(loss(moved)[1]) > enough:
        raise ArithmeticError(f"the weights were not found to a gradient of {enough:.1e}, so that no ε holds")
    return centre + moved


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


def perturbed_weights(
    records: Any, signs: Array, penalty: float, epsilon: float, delta: float, rng: np.random.Generator
) -> Array:
    """Return the w (D,) that minimises Σ ℓ(y w·z) + (nλ/2) ‖w‖² + b·w with noise b and longest gradient ½.

    Its penalty is one on the distance to −b/(nλ). All but `INEXACT_SHARE` of ε and δ is for b; the rest for how far w
    is from the exact minimiser, at most `EXACT`/(2nλ) with each neighbour, given that.
    """
    n, size = records.shape
    main, rest = (1 - INEXACT_SHARE) * epsilon, INEXACT_SHARE * epsilon
    if delta > 0:
        sigma = perturbed_objective_sigma(main, (1 - INEXACT_SHARE) * delta, n, penalty)
        noise = sigma * rng.standard_normal(size)
    else:
        left = main - perturbed_objective_excess(n, penalty)
        if left <= 0:
            raise ValueError(excess_error(main, n, penalty))
        noise = weight_noise(size, 2 * GRADIENT, left, 0.0, rng)
    weights = optimal_weights(records, signs, penalty, -noise / (n * penalty), GRADIENT)
    return weights + weight_noise(size, EXACT / (n * penalty), rest, INEXACT_SHARE * delta, rng)


def descended_weights(
    records: Any, signs: Array, penalty: float, epsilon: float, delta: float, rng: np.random.Generator
) -> Array:
    """Return the weights (D,) after `STEPS` steps from 0 down noisy gradients of the loss with longest gradient ½.

    For δ = 0 one step is taken.
    """
    n, size = records.shape
    weights = np.zeros(size)
    sigma = noisy_gradients_sigma(epsilon, delta, STEPS) if delta > 0 else 0.0
    for _ in range(STEPS if delta > 0 else 1):
        pull = np.minimum(expit(-signs * (records @ weights)), GRADIENT) * signs
        noise = sigma * rng.standard_normal(size) if sigma else weight_noise(size, 2 * GRADIENT, epsilon, 0.0, rng)
        weights = weights + RATE * ((records.T @ pull + noise) / n - penalty * weights)
    return weights


def best_rule(n: int, size: int, epsilon: float, delta: float) -> tuple[str, int | None]:
    """Return the rule, and to how many dimensions records of `size` are projected first (None: not at all).

    It depends on what is public alone: the number of people, the size of a record, ε and δ. For δ = 0 noise in a score
    grows with √size, so that fewer dimensions are worth what a projection loses; Gaussian noise in a score does not.
    """
    if delta == 0:
        dimensions = max(FEWEST_DIMENSIONS, round(n * epsilon / PEOPLE_A_DIMENSION))
        return "objective", dimensions if dimensions < size else None
    noise = gaussian_sigma(epsilon, delta, 2 * GRADIENT) / n
    return "gradient" if noise > MOST_OBJECTIVE_NOISE else "objective", None


def _penalty(rule: str, n: int, size: int, epsilon: float, delta: float) -> float:
    """Return λ from what is public."""
    if rule == "gradient":
        return STEP_PENALTY
    if rule == "output":
        return public_penalty(n, size, epsilon, delta)
    least = CURVATURE / (n * math.expm1(EXCESS_SHARE * epsilon))
    return max(least, public_penalty(n, size, epsilon, delta, OBJECTIVE_SCORE_NOISE))


def public_penalty(n: int, size: int, epsilon: float, delta: float, score_noise: float = SCORE_NOISE) -> float:
    """Return λ from what is public: the number of people, the size of a record, ε and δ.

    Noise has a standard deviation of about c/(nλ) an entry, and so in the score of a record of length 1, where c is
    that for Δ = 1. λ makes it `score_noise`: a stronger penalty shrinks noise and weights alike, a weaker one lets
    noise grow faster than weights.
    """
    noise = gaussian_sigma(epsilon, delta) if delta > 0 else math.sqrt(size + 1) / epsilon
    return float(np.clip(noise / (n * score_noise), *PENALTIES))


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
