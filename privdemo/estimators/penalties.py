"""Choose C, the inverse strength of a penalty, by cross-validation: by the likelihood of held-out people's releases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from privdemo import limits
from privdemo.estimators.inputs import Inputs
from privdemo.estimators.likelihoods import Model, Objective, maximise, released_log_likelihood

Array = NDArray[np.floating]

# The values of C, the inverse strength of the penalty, that C="cv" tries: from the strongest penalty to the weakest.
C_GRID = tuple(10.0 ** (step / 2) for step in range(-8, 3))
# The tolerance of the fits that compare penalties, as a multiple of `tol` of the final fit.
CV_TOLERANCE = 10.0


def folds_of(y: NDArray, weights: Array, n_folds: int, random_state: int) -> list[tuple[NDArray, NDArray]]:
    """Return (training rows, held-out rows) of each of `n_folds` folds, stratified by label if every label has enough.

    Raises ``ValueError`` for fewer than 2 folds or more than people, and where a fold has nobody to train on.
    """
    limits.Limit("cv", 2, len(y), "the people are split into as many parts", integer=True).check(n_folds)
    rarest = np.unique(y, return_counts=True)[1].min()
    splitter = (StratifiedKFold if rarest >= n_folds else KFold)(n_folds, shuffle=True, random_state=random_state)
    folds = list(splitter.split(y, y))
    if not all(weights[training].any() for training, _ in folds):
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
    """Return the C with the best held-out likelihood, a start for the fit with it, and the scores of all values of C
    tried.

    The last item is the log-likelihoods (n,) of all people's held-out releases at that C. `log_rows` (n, K) are
    the log-likelihoods of each person's released label given every class.

    Each fit starts from the solution for the next stronger penalty, as reconstruction and noisy inputs have no concave
    objective. The search ends at a C that is worse than the best by three standard errors of the difference.
    """
    loose_tol = CV_TOLERANCE * tol
    models, held_out = [start] * len(folds), np.empty((len(C_GRID), len(log_rows)))
    for step, C in enumerate(C_GRID):
        for i, (training, held_out_people) in enumerate(folds):
            training_inputs = inputs.take(training)  # one copy at a time: five would not fit for 60,000 images
            models[i] = maximise(
                objective, training_inputs, log_rows[training], weights[training], C, models[i], loose_tol, max_iter
            )
            held_out[step, held_out_people] = released_log_likelihood(
                inputs.take(held_out_people), log_rows[held_out_people], models[i]
            )
        scores = (weights * held_out[: step + 1]).sum(axis=1) / weights.sum()
        loss = weights * (held_out[int(scores.argmax())] - held_out[step])
        if loss.mean() > 3 * loss.std() / np.sqrt(len(loss)):
            break
    best = int(scores.argmax())
    for C in C_GRID[:best]:
        start = maximise(objective, inputs, log_rows, weights, C, start, loose_tol, max_iter)
    return C_GRID[best], start, scores, held_out[best]
