"""The strength of a penalty, chosen by the likelihood of the releases of held-out people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from privdemo import limits
from privdemo.estimators.inputs import Inputs
from privdemo.estimators.likelihoods import Model, Objective, maximise, released_log_likelihood

Array = NDArray[np.floating]

# The penalties that C="cv" tries, from strong to weak.
CS = tuple(10.0 ** (step / 2) for step in range(-8, 3))
# While a penalty is chosen, solutions need not be as exact as in the end: so many times `tol`.
CV_TOLERANCE = 10.0


def folds_of(y: NDArray, weights: Array, n_folds: int, random_state: int) -> list[tuple[NDArray, NDArray]]:
    """Return the people to learn from and those held out, `n_folds` times; stratified by label where there are
    enough.

    Raises ``ValueError`` for fewer than 2 folds or more than people, and where a fold has nobody to train on.
    """
    limits.Limit("cv", 2, len(y), "the people are split into as many parts", integer=True).check(n_folds)
    rarest = np.unique(y, return_counts=True)[1].min()
    splitter = (StratifiedKFold if rarest >= n_folds else KFold)(n_folds, shuffle=True, random_state=random_state)
    folds = list(splitter.split(y, y))
    if not all(weights[seen].any() for seen, _ in folds):
        raise ValueError("sample_weight leaves a fold with nobody to learn from; choose C, or spread the weights")
    return folds


def choose_C(
    objective: Objective,
    inputs: Inputs,
    log_rows: Array,
    weights: Array,
    folds: Sequence[tuple[NDArray, NDArray]],
    start: Model,
    tol: float,
    max_iter: int,
) -> tuple[float, Model, Array, Array]:
    """Return the strength with the best held-out likelihood, a start for the fit with it, and the scores of all
    strengths tried.

    Last come the log-likelihoods (n,) of all people's releases when held out, with that strength.

    Weaker penalties start where stronger ones ended, with all people as in every fold: reconstruction and noisy inputs
    have no concave objective. Strengths that do worse than the best by three standard errors of the difference end the
    search.
    """
    rough = CV_TOLERANCE * tol
    models, held_out = [start] * len(folds), np.empty((len(CS), len(log_rows)))
    for step, C in enumerate(CS):
        for i, (seen, unseen) in enumerate(folds):
            known = inputs.take(seen)  # one copy at a time: five would not fit for 60,000 images
            models[i] = maximise(objective, known, log_rows[seen], weights[seen], C, models[i], rough, max_iter)
            held_out[step, unseen] = released_log_likelihood(inputs.take(unseen), log_rows[unseen], models[i])
        scores = (weights * held_out[: step + 1]).sum(axis=1) / weights.sum()
        lost = weights * (held_out[int(scores.argmax())] - held_out[step])
        if lost.mean() > 3 * lost.std() / np.sqrt(len(lost)):
            break
    best = int(scores.argmax())
    for C in CS[:best]:
        start = maximise(objective, inputs, log_rows, weights, C, start, rough, max_iter)
    return CS[best], start, scores, held_out[best]
