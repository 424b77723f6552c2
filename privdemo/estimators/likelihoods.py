"""Likelihoods of a linear model given releases, their gradients, and their maximisation.

A label channel T[released, class] is the probability of a released label (or a bag's or a set's name) given a class,
and `Inputs` the posterior of each person's input x. The model is p(c | x) = softmax(coefᵀx + intercept)_c, for two
classes with the scores (0, a). Every objective's gradient is that of EM: the posterior of the class given the release,
less the model's probability.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_expit, log_softmax

from privdemo.estimators import many_classes
from privdemo.estimators.inputs import Inputs, Nodes
from privdemo.estimators.many_classes import ManyScores

Array = NDArray[np.floating]

# People whose nodes are held in memory together.
CHUNK = 4096


class Value(NamedTuple):
    """An objective of every person, (n,), and its gradient as `resp` (n, q, K): see `gradient_at_nodes`."""

    objective: Array
    resp: Array


Objective = Callable[[Array, Array, Array], Value]


def spread_log_likelihood(log_p: Array, log_weights: Array, log_rows: Array) -> Value:
    """Return log p̃(c̃_n | x̃_n) = log Σ_c T[c̃_n | c] E p(c | x) of every person (Barber eq. 47, conditional on x̃).

    `log_p` (n, q, K) at the nodes, `log_weights` (n, q) of the nodes, `log_rows` (n, K) = log T[c̃_n | c]; in the
    first two 1 may stand for n. `resp` is p(c, node | c̃, x̃), the E-step.
    """
    log_joint = log_weights[:, :, None] + log_rows[:, None, :] + log_p
    flat = log_joint.reshape(len(log_joint), -1)  # one long axis is summed faster than two short ones
    top = flat.max(axis=1, keepdims=True)
    joint = np.exp(flat - top)
    total = joint.sum(axis=1, keepdims=True)
    return Value((top + np.log(total))[:, 0], (joint / total).reshape(log_joint.shape))


def reconstruction(log_p: Array, log_weights: Array, log_rows: Array) -> Value:
    """Return Σ_c E[log p(c | x)] of every person under the posterior p(c, x | c̃, x̃) of the same model (Barber eq.
    36–37).

    The posterior moves with the model, so a model that is sure of all it guesses is always confirmed: without a
    penalty the objective is largest, 0, for infinite weights in any direction, and with a free intercept for a model
    that always names the same class. Arguments as `spread_log_likelihood`.
    """
    resp = spread_log_likelihood(log_p, log_weights, log_rows).resp
    objective = (resp * log_p).sum(axis=(1, 2))
    return Value(objective, resp * (1 + log_p - objective[:, None, None]))


# The same objectives of Gaussian scores of three or more classes.
OF_MANY: dict[Objective, many_classes.AtNodes] = {
    spread_log_likelihood: many_classes.spread_at_nodes,
    reconstruction: many_classes.reconstruction_at_nodes,
}


def log_class_probabilities(scores: Array) -> Array:
    """Return log p(c | scores), (..., K), of scores (..., J): one score is that of class 1 against class 0."""
    if scores.shape[-1] > 1:
        return log_softmax(scores, axis=-1)
    positive = log_expit(scores)
    return np.concatenate((positive - scores, positive), axis=-1)  # log φ(−a) = log φ(a) − a


def gradient_at_nodes(value: Value, log_p: Array) -> Array:
    """Return ∂objective/∂scores (n, q, J): r_j − p_j Σ_c r_c, the posterior of a class less the model's
    probability.
    """
    if log_p.shape[2] == 2:
        zero, one = value.resp[:, :, 0], value.resp[:, :, 1]
        return (one - np.exp(log_p[:, :, 1]) * (zero + one))[:, :, None]
    return value.resp - np.exp(log_p) * value.resp.sum(axis=2, keepdims=True)


class Model(NamedTuple):
    """Weights `coef` (D, J) and `intercept` (J,) of J scores; the iterations taken, and whether they converged."""

    coef: Array
    intercept: Array
    n_iter: int = 0
    converged: bool = True


# Of a model `coef` (D, J), `intercept` (J,): a total, and its gradient with respect to both.
Total = Callable[[Array, Array], tuple[float, Array, Array]]


def climb(total: Total, n: float, centre: Array, C: float, start: Model, tol: float, max_iter: int) -> Model:
    """Climb `total` − ‖coef‖²/(2C) from `start` by L-BFGS, until no gradient entry exceeds `tol` times `n`
    or a step gains less than 10⁻⁵ `tol` of the total.

    The intercept is measured at `centre`, the mean input (D,), meanwhile, else the mean's weights would move with it.
    """
    shape = start.coef.shape

    def loss(packed: Array) -> tuple[float, Array]:
        coef, level = packed[: -shape[1]].reshape(shape), packed[-shape[1] :]
        value, d_coef, d_intercept = total(coef, level - centre @ coef)
        d_coef = d_coef - np.outer(centre, d_intercept)
        gradient = np.concatenate(((coef / C - d_coef).ravel(), -d_intercept))
        return (np.square(coef).sum() / (2 * C) - value) / n, gradient / n

    packed = np.concatenate((start.coef.ravel(), start.intercept + centre @ start.coef))
    options = {"maxiter": max_iter, "gtol": tol, "ftol": 1e-5 * tol}
    found = minimize(loss, packed, jac=True, method="L-BFGS-B", options=options)
    coef, level = found.x[: -shape[1]].reshape(shape), found.x[-shape[1] :]
    # Rounding may end the line search (status 2) a little early; a gradient of nearly 0 is good enough.
    converged = found.status == 0 or (found.status == 2 and bool(np.abs(found.jac).max() <= 100 * tol))
    return Model(coef, level - centre @ coef, int(found.nit), converged)


def maximise(
    objective: Objective,
    inputs: Inputs,
    log_rows: Array,
    weights: Array,
    C: float,
    start: Model,
    tol: float,
    max_iter: int,
) -> Model:
    """Climb Σ_n w_n objective_n − ‖coef‖²/(2C): see `climb`. `weights` (n,): how many people a row stands for."""

    total = total_of(objective, inputs, log_rows, weights)
    return climb(total, weights.sum(), inputs.centre(weights), C, start, tol, max_iter)


def total_of(objective: Objective, inputs: Inputs, log_rows: Array, weights: Array) -> Total:
    """Return Σ_n w_n objective_n as a function of coef and intercept, with its gradient, some people at a time."""

    def total(coef: Array, intercept: Array) -> tuple[float, Array, Array]:
        value, d_coef, d_intercept = 0.0, np.zeros(coef.shape), np.zeros(intercept.shape)
        for people in chunks(len(log_rows)):
            nodes = inputs.take(people).nodes(coef, intercept)
            more, more_coef, more_intercept = weighed(objective, nodes, log_rows[people], weights[people])
            value += more
            d_coef += more_coef
            d_intercept += more_intercept
        return value, d_coef, d_intercept

    return total


def weighed(
    objective: Objective, nodes: Nodes | ManyScores, log_rows: Array, weights: Array
) -> tuple[float, Array, Array]:
    """Return Σ_n w_n objective_n and its gradient with respect to coef and intercept."""
    if isinstance(nodes, ManyScores):
        many = many_classes.evaluate(OF_MANY[objective], nodes, log_rows, weights)
        return float((weights * many.objective).sum()), *nodes.pull_back(many.d_mean, many.d_root)
    log_p = log_class_probabilities(nodes.scores)
    at = objective(log_p, nodes.log_weights, log_rows)
    gradient = nodes.pull_back(gradient_at_nodes(at, log_p) * weights[:, None, None])
    return float((weights * at.objective).sum()), *gradient


def chunks(n: int) -> list[slice]:
    """Return the numbers 0 … n−1 in slices of `CHUNK`, so that memory for nodes does not grow with n."""
    return [slice(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK)]


def expected_proba(inputs: Inputs, model: Model) -> Array:
    """Return E p(c | x) of every person over the posterior of x, (n, K)."""
    proba = []
    for people in chunks(len(inputs)):
        nodes = inputs.take(people).nodes(model.coef, model.intercept)
        if isinstance(nodes, ManyScores):
            proba.append(many_classes.expected_proba(nodes))
            continue
        p = np.exp(log_class_probabilities(nodes.scores))
        proba.append((np.exp(nodes.log_weights)[:, :, None] * p).sum(axis=1))
    return np.concatenate(proba)


def released_log_likelihood(inputs: Inputs, log_rows: Array, model: Model) -> Array:
    """Return the spread log-likelihood of every person's release under `model`, (n,), in nats."""
    parts = [
        log_likelihood_at(inputs.take(people).nodes(model.coef, model.intercept), log_rows[people])
        for people in chunks(len(inputs))
    ]
    return np.concatenate(parts)


def log_likelihood_at(nodes: Nodes | ManyScores, log_rows: Array) -> Array:
    """Return the spread log-likelihood, (n,), of people whose scores are known by `nodes`."""
    if isinstance(nodes, ManyScores):
        proba = many_classes.expected_proba(nodes)
        return np.log(np.maximum((proba * np.exp(log_rows)).sum(axis=1), many_classes.LEAST))
    return spread_log_likelihood(log_class_probabilities(nodes.scores), nodes.log_weights, log_rows).objective
