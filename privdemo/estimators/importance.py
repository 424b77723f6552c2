"""The spread likelihood as published: EM over importance samples (Barber, section 5.1–5.2, eq. 51–65).

Slow; it is the reference for `logistic.SpreadLogisticRegression`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from privdemo import limits
from privdemo.estimators.likelihoods import Model, log_class_probabilities
from privdemo.estimators.logistic import SpreadLogisticRegression, check_C, is_cv
from privdemo.estimators.pixel_priors import Prior, sample_posterior
from privdemo.mechanisms import PixelMechanism

Array = NDArray[np.floating]

# People whose samples are held in memory together.
CHUNK = 500


class Samples(NamedTuple):
    """S posterior samples of the truth for each of some people.

    `people` a slice of 0 … n−1; `X` (people, S, D) in the mechanism's domain; `y` (people, S) classes.
    """

    people: slice
    X: NDArray
    y: NDArray[np.integer]


class ImportanceSampledLogisticRegression(SpreadLogisticRegression):
    """Spread logistic regression by the published EM with importance sampling.

    Every step takes `n_samples` samples from ρ(c | c̃) ρ(x | x̃) for each person (eq. 58), weighs them by p(c | x) (eq.
    59), takes one step along the gradient of the weighted log-likelihood (eq. 60) and, with a learned prior, updates
    the prior to the weighted samples (eq. 65), starting from the flat one.

    Parameters
    ----------
    channel, pixels, prior, C : as in `SpreadLogisticRegression`, but `pixels` is randomised response, or Gaussian
        noise with a Gaussian prior, and C is a number. None was published: ∞.
    n_samples, n_steps : S and the number of EM steps.
    learning_rate : of the mean gradient a person; None: the largest that always raises the bound, 1/L with
        L = ½ E(‖x‖² + 1) + 1/(C n) (¼ instead of ½ for two classes).
    resample : sample afresh at every step, as published. False keeps the first samples: then, with a prior that is not
        learned, `bounds_` never falls.

    Attributes
    ----------
    Those of `SpreadLogisticRegression`, and bounds_ (n_steps,): the sampled log-likelihood less the penalty, nats a
    person, before each step, up to a constant. effective_sample_size_ : (n,) of each person's weights, 1/Σ w², in the
    last step, at most n_samples.
    """

    def __init__(
        self,
        channel: Any = None,
        pixels: PixelMechanism | None = None,
        prior: str | Prior = "learned",
        *,
        C: float = np.inf,
        n_samples: int = 10,
        n_steps: int = 100,
        learning_rate: float | None = None,
        resample: bool = True,
        random_state: int = 0,
    ) -> None:
        super().__init__(channel, pixels, prior, C=C, random_state=random_state)
        self.n_samples = n_samples
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.resample = resample

    # The published algorithm has no weights, so its fit takes none.
    def fit(self, X: Any, y: ArrayLike) -> Self:  # type: ignore[override]
        """Fit to released X (n, D) and released labels y (n,); errors as in `SpreadLogisticRegression`.

        Also ``ValueError`` without a pixel mechanism: then there is nothing to sample.
        """
        if self.pixels is None:
            raise ValueError("pixels must be a mechanism: with clean X the likelihood needs no samples")
        limits.N_SAMPLES.check(self.n_samples)
        limits.N_STEPS.check(self.n_steps)
        if is_cv(self.C):
            raise ValueError('C must be a number above 0, got "cv": the published EM chooses no penalty')
        self.C_ = check_C(self.C)
        if self.learning_rate is not None:
            limits.LEARNING_RATE.check(self.learning_rate)
        X, y, n_scores = self._prepared(X, y)
        learned = isinstance(self.prior, str) and self.prior == "learned"
        self.prior_ = self._read_prior("flat" if learned else self.prior, X)
        rows = self._rows(y)
        proposal = (rows / rows.sum(axis=1, keepdims=True)).cumsum(axis=1)
        rng = np.random.default_rng(self.random_state)
        model = Model(np.zeros((X.shape[1], n_scores)), np.zeros(n_scores))
        self.bounds_, self.effective_sample_size_ = np.empty(self.n_steps), np.empty(len(X))
        samples = None if self.resample else list(self._sample(X, proposal, rng))
        for step in range(self.n_steps):
            update = _Update(X.shape[1], n_scores, self.prior_ if learned else None)
            for part in samples or self._sample(X, proposal, rng):
                self.effective_sample_size_[part.people] = update.add(self._unit(part.X), part, model)
            ridge = 1 / (self.C_ * len(X))
            self.bounds_[step] = update.log_likelihood / len(X) - ridge * np.square(model.coef).sum() / 2
            curvature = (0.25 if n_scores == 1 else 0.5) * (update.square_norm / len(X) + 1) + ridge
            rate = 1 / curvature if self.learning_rate is None else self.learning_rate
            model = Model(
                model.coef + rate * (update.d_coef / len(X) - ridge * model.coef),
                model.intercept + rate * update.d_intercept / len(X),
            )
            if learned:
                self.prior_ = self.prior_.refitted(update.prior_sums, len(X))
        self.coef_, self.intercept_, self.n_iter_ = model.coef.T, model.intercept, self.n_steps
        return self

    def _sample(self, X: NDArray, proposal: Array, rng: np.random.Generator) -> Iterator[Samples]:
        """Samples from ρ(c | c̃) ρ(x | x̃) (eq. 58), some people at a time."""
        pixels: Any = self.pixels
        for start in range(0, len(X), CHUNK):
            people = slice(start, min(start + CHUNK, len(X)))
            released = np.repeat(X[people], self.n_samples, axis=0)
            sampled = sample_posterior(pixels, released, self.prior_, rng)
            uniform = rng.random((people.stop - start, self.n_samples, 1))
            classes = (uniform >= proposal[people, None, :-1]).sum(axis=2)
            yield Samples(people, sampled.reshape(-1, self.n_samples, X.shape[1]), classes)


class _Update:
    """Sums over all people's samples in one EM step: the gradient of eq. 60 and the prior of eq. 65."""

    def __init__(self, n_values: int, n_scores: int, prior: Prior | None) -> None:
        self.d_coef, self.d_intercept = np.zeros((n_values, n_scores)), np.zeros(n_scores)
        self.log_likelihood = self.square_norm = 0.0
        self._learned = prior
        self.prior_sums: Any = 0.0

    def add(self, unit: Array, part: Samples, model: Model) -> Array:
        """Add the samples of some people, `unit` on the scale 0 to 1; returns their effective sample sizes."""
        n, n_samples = part.y.shape
        flat = unit.reshape(n * n_samples, -1)
        log_p = log_class_probabilities(flat @ model.coef.astype(flat.dtype) + model.intercept)
        log_weights = np.take_along_axis(log_p, part.y.reshape(-1, 1), axis=1).reshape(n, n_samples)
        total = logsumexp(log_weights, axis=1, keepdims=True)
        weights = np.exp(log_weights - total)
        error = (np.eye(log_p.shape[1])[part.y.ravel()] - np.exp(log_p)) * weights.reshape(-1, 1)
        error = error if log_p.shape[1] > 2 else error[:, 1:]
        self.d_coef += flat.T @ error.astype(flat.dtype)
        self.d_intercept += error.sum(axis=0)
        self.log_likelihood += float((total - np.log(n_samples)).sum())
        self.square_norm += float(np.einsum("sd,sd,s->", flat, flat, weights.ravel().astype(flat.dtype)))
        if self._learned is not None:
            self.prior_sums = self.prior_sums + self._learned.weighted_sums(part.X, flat, weights.ravel())
        return 1 / np.square(weights).sum(axis=1)
