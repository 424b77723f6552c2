"""Class ratios: the share of each class in an unlabelled set U, learned from sets whose proportions are known.

Iyer, Nath & Sarawagi, "Privacy preserving class ratio estimation" (KDD 2016). Training sets S_i come with proportions
ρ_i of c classes; the shares of classes in U may be any. The distribution of a class is the same in all sets, p(x | y,
S) = p(x | y) (their assumption A1), so U is a mixture of classes, and of training sets too. Every estimator has
`fit(sets, proportions, tuning_sets, tuning_proportions)`, the second group of sets for choosing its settings, and
`predict(U)` → proportions (c,). Instance labels are the case of pure sets: one set for each class, proportions the
identity.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from privdemo import limits
from privdemo.estimators.sets import Sets, read_set, read_sets, span_problem, split_sets
from privdemo.mechanisms.aggregation import Matrix
from privdemo.simplex import project_simplex

Array = NDArray[np.floating]


class ClassRatioEstimator(BaseEstimator):
    """Base of the estimators of class ratios: reads the sets, and projects predictions to the simplex.

    `present_` (c,) are the classes that have a share in some set. Noise on counts may remove a class; its predicted
    share is then 0.
    """

    random_state: int
    # Whether either group of sets must hold every class; where one is missing, all sets are split again.
    _needs_both = True

    def fit(
        self,
        sets: Sequence[Any],
        proportions: ArrayLike,
        tuning_sets: Sequence[Any] | None = None,
        tuning_proportions: ArrayLike | None = None,
    ) -> Self:
        """Fit to M `sets` of records (n_i, D) with `proportions` (M, c), as known or as released.

        Settings are chosen on a second group of sets, by default a random half of every set; the final fit uses all
        sets. Warns where the proportions cannot span the simplex (assumption A0). Raises
        ``ValueError`` for an empty set, sets of unlike columns, and rows that are not proportions.
        """
        replace(limits.SEED, name="random_state").check(self.random_state)
        given = read_sets(sets, proportions)
        if tuning_sets is None:
            if tuning_proportions is not None:
                raise ValueError("tuning_proportions must come with tuning_sets")
            problem = self._problem(given, given)
            given, tuning = split_sets(given, np.random.default_rng(self.random_state))
        else:
            tuning = read_sets(
                tuning_sets, proportions if tuning_proportions is None else tuning_proportions, "tuning "
            )
            shape, wanted = (tuning.X[0].shape[1], tuning.n_classes), (given.X[0].shape[1], given.n_classes)
            if shape != wanted:
                raise ValueError(
                    f"tuning_sets must have {wanted[0]} columns and {wanted[1]} classes like sets, got {shape[0]} and "
                    f"{shape[1]}"
                )
            problem = self._problem(given, tuning)
        if problem:
            warnings.warn(problem, stacklevel=2)
        self._halved = tuning_sets is None
        present = self._learn(given, tuning)
        self.present_, self.n_features_in_ = present, given.X[0].shape[1]
        return self

    def _problem(self, sets: Sets, tuning: Sets) -> str | None:
        """Return why the proportions do not identify the classes, or None; without tuning sets `tuning` is `sets`."""
        return span_problem(sets.proportions if tuning is sets else (sets + tuning).proportions)

    def _learn(self, sets: Sets, tuning: Sets) -> NDArray[np.bool_]:
        """Fit to the classes that are present, and return which they are, (c,)."""
        present = present_classes(sets.proportions, tuning.proportions)
        if present.sum() > 1:
            groups = [Sets(group.X, group.proportions[:, present]) for group in (sets, tuning)]
            if self._needs_both and not all((group.proportions > 0).any(axis=0).all() for group in groups):
                groups = list(split_sets(groups[0] + groups[1], np.random.default_rng(self.random_state)))
            self._fit(*groups)
        return present

    def predict(self, U: Any) -> Array:
        """Return the class proportions of the set `U` (n, D), (c,): `predict_raw` projected to the simplex."""
        return self.project(self.predict_raw(U))

    def project(self, raw: Array) -> Array:
        """Return the nearest proportions (c,) of the classes that are present to `raw` (c,)."""
        check_is_fitted(self)
        return self._filled(project_simplex(raw[self.present_]))

    def predict_raw(self, U: Any) -> Array:
        """Return the class proportions of `U` before projection, (c,): they may be negative, or not sum to 1."""
        check_is_fitted(self)
        checked = read_set(U, "U", self.n_features_in_)
        return self._filled(self._predict(checked) if self.present_.sum() > 1 else np.ones(1))

    def _filled(self, shares: Array) -> Array:
        """Return shares of the classes that are present, with 0 for the others, (c,)."""
        found = np.zeros(len(self.present_))
        found[self.present_] = shares
        return found

    @abstractmethod
    def _fit(self, sets: Sets, tuning: Sets) -> None:
        """Fit to both groups of sets, whose proportions hold the classes that are present."""

    @abstractmethod
    def _predict(self, U: Matrix) -> Array:
        """Return the proportions of U before projection, of the classes that are present."""


def present_classes(proportions: Array, tuning_proportions: Array) -> NDArray[np.bool_]:
    """Return which classes have a share in some set of either group, (c,)."""
    return np.asarray((proportions > 0).any(axis=0) | (tuning_proportions > 0).any(axis=0))
