"""Fast fits of three or more classes to noisy images: preconditioned steps, and a penalty chosen in few of them.

The curvature of a penalised log-likelihood is near h Cov(x) + 1/C, so along the principal axes of the inputs, each
divided by the root of its curvature, all directions have about the same curvature: L-BFGS then needs a few steps where
it would need dozens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

from privdemo.estimators.inputs import GaussianInputs, KnownInputs
from privdemo.estimators.likelihoods import Model, Objective, Total, released_log_likelihood, total_of

Array = NDArray[np.floating]
Inputs = KnownInputs | GaussianInputs

# The values of C, the inverse strength of the penalty, that are tried: from the strongest penalty to the weakest.
C_DECADES = tuple(10.0**step for step in range(-4, 2))
# A fit ends where a Newton step would gain less than this, in nats a person: while a penalty is chosen, far less than
# the noise of held-out scores; in the end, a multiple of the tolerance, less than three digits of a log loss show.
ROUGH, FINE = 5e-4, 0.3
# While a penalty is chosen, scores are taken at fewer nodes: probabilities are off by about twice as much.
FEW_NODES = 32
# A difference of this many standard errors is clear. Where none is, so many people held out are enough: penalties
# between which they do not decide differ by little.
CLEAR, ENOUGH_PEOPLE = 3.0, 1000
# The most values of an input whose principal axes are found, and the people from whom they are.
MOST_VALUES, MOST_PEOPLE = 1200, 2500


@dataclass(frozen=True, eq=False)
class Axes:
    """The principal axes of inputs, the columns of `vectors` (D, D), and the variance along each, (D,)."""

    variances: Array
    vectors: Array

    def scale(self, C: float, n: float, n_classes: int) -> Array:
        """Return the root of the curvature of the mean log-likelihood of n people along each axis, (D, 1), at even
        odds.
        """
        return np.sqrt(self.variances / n_classes + 1 / (C * n))[:, None]


def can_be_quick(inputs: Any) -> bool:
    """Return whether these are inputs whose principal axes can be found in a moment."""
    known = isinstance(inputs, KnownInputs) and isinstance(inputs.X, np.ndarray)
    return (known or isinstance(inputs, GaussianInputs)) and len(_values(inputs).T) <= MOST_VALUES


def _values(inputs: Inputs) -> Array:
    return inputs.X if isinstance(inputs, KnownInputs) else inputs.mean


def principal_axes(inputs: Inputs) -> Axes:
    """Return the principal axes of the posterior means of inputs."""
    values = _values(inputs)
    some = values[:: -(-len(values) // MOST_PEOPLE)]
    away = some - some.mean(axis=0)
    variances, vectors = np.linalg.eigh(away.T @ away / len(away))
    return Axes(np.maximum(variances, 0).astype(float), vectors)


def at_few_nodes(inputs: Any) -> Any:
    """Return inputs whose scores of three or more classes are taken at `FEW_NODES`."""
    return replace(inputs, many_nodes=FEW_NODES) if isinstance(inputs, GaussianInputs) else inputs


def roughly(inputs: Any) -> Any:
    """Return the same at few nodes, each value as uncertain of everybody as it is on average: a fraction of the
    work.
    """
    if not isinstance(inputs, GaussianInputs):
        return inputs
    variance = inputs.variance.mean(axis=0, dtype=float, keepdims=True).astype(inputs.variance.dtype)
    return replace(at_few_nodes(inputs), variance=variance)


def climb_along(
    axes: Axes, total: Total, n: float, centre: Array, C: float, start: Model, enough: float, max_iter: int
) -> Model:
    """Climb `total` − ‖coef‖²/(2C) from `start` until a Newton step would gain less than `enough` a person.

    Steps are along `axes`; the intercept is measured at `centre`, the mean input (D,), meanwhile.
    """
    shape, level_scale = start.coef.shape, np.sqrt(1 / start.coef.shape[1])
    scale, dtype = axes.scale(C, n, shape[1]), axes.vectors.dtype

    def unpacked(packed: Array) -> tuple[Array, Array]:
        turned = (packed[: -shape[1]].reshape(shape) / scale).astype(dtype)
        coef = (axes.vectors @ turned).astype(float)
        return coef, packed[-shape[1] :] / level_scale - centre @ coef

    def loss(packed: Array) -> tuple[float, Array]:
        coef, intercept = unpacked(packed)
        value, d_coef, d_intercept = total(coef, intercept)
        slope = coef / C - d_coef + np.outer(centre, d_intercept)
        turned = (axes.vectors.T @ slope.astype(dtype)).astype(float) / scale
        gradient = np.concatenate((turned.ravel(), -d_intercept / level_scale)) / n
        return (np.square(coef).sum() / (2 * C) - value) / n, gradient

    turned = (axes.vectors.T @ start.coef.astype(dtype)).astype(float) * scale
    packed = np.concatenate((turned.ravel(), (start.intercept + centre @ start.coef) * level_scale))
    return _descend(loss, packed, unpacked, enough, max_iter)


def _descend(loss: Any, packed: Array, unpacked: Any, enough: float, max_iter: int) -> Model:
    """Minimise `loss` of coordinates in which its curvature is about 1, from `packed`."""
    value, gradient = loss(packed)
    # The first step of SciPy's L-BFGS is of length 1, so the unit is the length of the gradient: a Newton step.
    unit = float(np.linalg.norm(gradient))
    if unit**2 / 2 < enough:
        coef, intercept = unpacked(packed)
        return Model(coef, intercept)
    known = {packed.tobytes(): (value, gradient)}
    slopes = {"last": gradient}

    def scaled(at: Array) -> tuple[float, Array]:
        here = at * unit
        value, gradient = known.pop(here.tobytes(), None) or loss(here)
        slopes["last"] = gradient
        return value, gradient * unit

    def ends(intermediate_result: OptimizeResult) -> None:
        if np.square(slopes["last"]).sum() / 2 < enough:
            raise StopIteration

    options = {"maxiter": max_iter, "gtol": 0, "ftol": 1e-12}
    found = minimize(scaled, packed / unit, jac=True, method="L-BFGS-B", callback=ends, options=options)
    coef, intercept = unpacked(found.x * unit)
    # 1: the most steps
    return Model(coef, intercept, int(found.nit), bool(found.status != 1))


def fit_quickly(
    objective: Objective,
    inputs: Inputs,
    log_rows: Array,
    weights: Array,
    C: float | None,
    folds: Sequence[tuple[NDArray, NDArray]],
    tol: float,
    max_iter: int,
) -> tuple[Model, float, Array, Array]:
    """Return the model that maximises Σ_n w_n objective_n − ‖coef‖²/(2C), C, and the held-out scores of `C_DECADES`.

    Last come the log-likelihoods (n,) with that C of the releases of those held out, NaN for all others.

    Without C it is chosen by the held-out log-likelihood of released labels. `folds` (people to learn from, people held
    out) are tried one after the other, until the best C is clearly ahead of both its neighbours or
    `ENOUGH_PEOPLE` were held out. Of each, weaker penalties start where stronger ones ended, and one that is clearly
    worse than the best before it ends the search.
    """
    axes = principal_axes(inputs)
    n_classes = log_rows.shape[1]
    start = Model(np.zeros((inputs.centre(weights).shape[0], n_classes)), np.zeros(n_classes))
    scores: Array = np.empty(0)
    held_out: Array = np.full(len(log_rows), np.nan)
    if C is None:
        C, start, scores, held_out = _choose(objective, axes, inputs, log_rows, weights, folds, start, max_iter)
    centre = inputs.centre(weights)
    for at in dict.fromkeys((roughly(inputs), inputs)):  # most of the way costs little
        total = total_of(objective, at, log_rows, weights)
        start = climb_along(axes, total, weights.sum(), centre, C, start, tol * FINE, max_iter)
    return start, C, scores, held_out


def _choose(
    objective: Objective,
    axes: Axes,
    inputs: Inputs,
    log_rows: Array,
    weights: Array,
    folds: Sequence[tuple[NDArray, NDArray]],
    start: Model,
    max_iter: int,
) -> tuple[float, Model, Array, Array]:
    """Return the best of `C_DECADES`, the last fold's model with it, the held-out score of each, and each person's with
    it.
    """
    few = roughly(inputs)
    gained: list[Array] = []
    people, best = np.full((len(C_DECADES), len(log_rows)), np.nan), 0
    for seen, unseen in folds:
        known, held_out = few.take(seen), few.take(unseen)
        total = total_of(objective, known, log_rows[seen], weights[seen])
        centre, n = known.centre(weights[seen]), weights[seen].sum()
        climb = partial(climb_along, axes, total, n, centre, enough=ROUGH, max_iter=max_iter)
        models, marks = [start], np.full((len(C_DECADES), len(unseen)), np.nan)
        like = marks.copy()
        for step, C in enumerate(C_DECADES):
            models.append(climb(C, models[-1]))
            like[step] = released_log_likelihood(held_out, log_rows[unseen], models[-1])
            marks[step] = weights[unseen] * like[step]
            top = int(marks[: step + 1].sum(axis=1).argmax())
            if _clearly_less(marks[step] - marks[top]):
                break
        # What was left out is at least as far behind as the last that was tried.
        gained.append(np.where(np.isnan(marks), marks[step], marks))
        people[:, unseen] = like
        scores = np.concatenate(gained, axis=1)
        best = int(scores.sum(axis=1).argmax())
        near = [step for step in (best - 1, best + 1) if 0 <= step < len(C_DECADES)]
        clear = all(_clearly_less(scores[step] - scores[best]) for step in near)
        if (clear or scores.shape[1] >= ENOUGH_PEOPLE) and best + 1 < len(models):
            break
    return C_DECADES[best], models[min(best + 1, len(models) - 1)], scores.mean(axis=1), people[best]


def _clearly_less(differences: Array) -> bool:
    """Return whether the mean of some people's differences is clearly below 0."""
    return bool(-differences.mean() > CLEAR * differences.std() / np.sqrt(len(differences)))
