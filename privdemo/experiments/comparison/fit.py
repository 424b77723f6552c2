"""Solvers: each method for each task, from the releases of the people.

A solver turns `People` into a `Solution`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo.estimators import votes
from privdemo.estimators.bags import bag_channel, name_channel
from privdemo.estimators.choose import ChosenLogisticRegression, choice_of
from privdemo.estimators.curator import CuratorLogisticRegression
from privdemo.estimators.label_proportions import LabelProportionClassifier
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.set_names import SpreadClassRatio, contrast
from privdemo.experiments.comparison.config import CLASSIFY, SHARE
from privdemo.experiments.comparison.release import CURATOR_STREAM, People
from privdemo.experiments.trials import generator
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import (
    BAG_NAMES,
    CLEAN,
    CORRECTED_COUNT,
    COUNT_NAIVE,
    CURATED,
    CURATED_PURE,
    FLAT,
    LLP,
    NAIVE,
    RECONSTRUCTION,
    SHUFFLED_COUNT,
    SPREAD,
    TIGHT,
    TRIED_NOISE,
    TRUE,
    by_trying,
    mmd,
    set_names,
)

Array = NDArray[np.floating]


class Solution(NamedTuple):
    """The result `found` of a method: P(second class | x) of clean test records, (m,), or a share.

    `choice` is what a choosing method has chosen: see `estimators.choose.choice_of`.
    """

    found: Any
    choice: Mapping[str, str] = {}


Solver = Callable[[People], Solution]

# Folds in which penalties are chosen, if there are as many bags.
N_FOLDS = 5


# --- single records --------------------------------------------------------------------------------


def _classify(fitted: Callable[[People], Any]) -> Solver:
    """Return P(second class | x) of the test records by a fitted model."""

    def solve(people: People) -> Solution:
        model = fitted(people)
        return Solution(model.predict_proba(people.X_test)[:, 1], choice_of(model))

    return solve


# A channel T[name | class] (names, 2), and the names (n,) that went through it.
Named = tuple[Array, NDArray]


def _lies(people: People) -> Named:
    return people.config.flips.channel_matrix, people.lies


def _bag_names(people: People) -> Named:
    return bag_channel(people.bag_shares, np.bincount(people.bags)), people.bags


def _set_names(release: str) -> Callable[[People], Named]:
    return lambda people: (name_channel(people.set_proportions(release), np.bincount(people.sets)), people.sets)


def _spread(
    names_of: Callable[[People], Named], prior: Callable[[People], Any] = lambda people: "learned"
) -> Callable[[People], SpreadLogisticRegression]:
    """Return the spread likelihood of released names."""

    def fitted(people: People) -> SpreadLogisticRegression:
        channel, names = names_of(people)
        model = SpreadLogisticRegression(channel, people.config.pixels, prior(people), C="cv", tol=_tolerance(channel))
        return model.fit(people.released, names)

    return fitted


def _chosen(names_of: Callable[[People], Named]) -> Callable[[People], ChosenLogisticRegression]:
    """Return the same with a low-rank prior or a class model, chosen by the released names of held-out people."""

    def fitted(people: People) -> ChosenLogisticRegression:
        channel, names = names_of(people)
        return ChosenLogisticRegression(channel, people.config.pixels, tol=_tolerance(channel)).fit(
            people.released, names
        )

    return fitted


def _tolerance(channel: Array) -> float:
    """Return the gradient at which a fit ends: smaller for a noisy channel, whose gradient is small everywhere."""
    return 1e-4 * contrast(channel)


def _clean(people: People) -> NaiveLogisticRegression:
    return NaiveLogisticRegression(people.config.pixels, C="cv").fit(people.clean, people.y)


class _ModelOnUnitScale(NamedTuple):
    """A model that takes records on the scale 0 to 1, of records as they are."""

    model: Any
    unit: Callable[[Any], Any]

    def predict_proba(self, X: Any) -> Array:
        return self.model.predict_proba(self.unit(X))


def _curated(pure: bool) -> Callable[[People], _ModelOnUnitScale]:
    """Return the model that a curator publishes from clean records and claimed labels; `pure` with δ = 0."""

    def fitted(people: People) -> _ModelOnUnitScale:
        config = people.config
        rng = generator(config, CURATOR_STREAM, 0)
        delta = 0.0 if pure else config.release_delta
        model = CuratorLogisticRegression(config.epsilon, delta, rule="best", random_state=rng)
        return _ModelOnUnitScale(model.fit(people.unit(people.clean), people.claimed), people.unit)

    return fitted


def _naive(people: People) -> NaiveLogisticRegression:
    return NaiveLogisticRegression(people.config.pixels, C="cv").fit(people.released, people.lies)


def _reconstruction(people: People) -> ReconstructionLogisticRegression:
    config = people.config
    return ReconstructionLogisticRegression(config.flips, config.pixels, C="cv").fit(people.released, people.lies)


def _label_proportions(people: People) -> LabelProportionClassifier:
    model = LabelProportionClassifier(C="cv", cv=min(N_FOLDS, len(people.bag_shares)))
    return model.fit(people.unit(people.released), people.bags, people.bag_shares)


def _classify_by_proportions(people: People) -> Solution:
    return Solution(_label_proportions(people).predict_proba(people.unit(people.X_test))[:, 1])


# --- the share of a class --------------------------------------------------------------------------


def _count_by_proportions(people: People) -> Solution:
    """Classify and count."""
    return Solution(float(_label_proportions(people).predict(people.unit(people.target)).mean()))


def _share_from_names(make: Callable[[], Any], names_of: Callable[[People], tuple[NDArray, Array]]) -> Solver:
    """Return the share by an estimator of class ratios, which takes people with the same name for a set.

    `names_of(people)` gives the names (n,) and the class proportions of the people with each name, (names, 2).
    """

    def solve(people: People) -> Solution:
        X = people.unit(people.released)
        names, proportions = names_of(people)
        model = make().fit([X[np.flatnonzero(names == name)] for name in range(len(proportions))], proportions)
        return Solution(float(model.predict(people.unit(people.target))[1]))

    return solve


def _lie_posteriors(people: People) -> tuple[NDArray, Array]:
    """Return P(class | lie) by Bayes' rule; both classes have the same number of people."""
    channel = people.config.flips.channel_matrix
    return people.lies, channel / channel.sum(axis=1, keepdims=True)


def _bag_shares(people: People) -> tuple[NDArray, Array]:
    return people.bags, np.stack((1 - people.bag_shares, people.bag_shares), axis=1)


def _set_shares(release: str) -> Callable[[People], tuple[NDArray, Array]]:
    return lambda people: (people.sets, people.set_proportions(release))


def _share_from_truth(people: People) -> Solution:
    """Return the share by the spread likelihood from true labels of clean records."""
    X = people.unit(people.clean)
    model = SpreadClassRatio().fit([X[np.flatnonzero(people.y == label)] for label in range(2)], np.eye(2))
    return Solution(float(model.predict(people.unit(people.target_clean))[1]))


def _count_lies(estimator: Callable[..., Array]) -> Solver:
    """Return the share of the target set from its lies, by an estimator of votes."""

    def solve(people: People) -> Solution:
        p = people.config.flips.flip_prob
        return Solution(float(estimator(np.array([people.target_lies.mean()]), BinaryChannel(p, p))[0]))

    return solve


def _count_shuffled_lies(people: People) -> Solution:
    """Return the same with a shuffler, so that people lie less."""
    flips, lies = people.shuffled_lies()
    p = flips.flip_prob
    return Solution(float(votes.corrected_mle(np.array([lies.mean()]), BinaryChannel(p, p))[0]))


def _share_by_curator(pure: bool) -> Solver:
    """Return the share of the target set that a curator publishes; `pure` with δ = 0."""
    return lambda people: Solution(people.curated_share(0.0 if pure else people.config.release_delta))


# --- the table -------------------------------------------------------------------------------------

SOLVERS: dict[str, dict[str, Solver]] = {
    CLEAN: {CLASSIFY: _classify(_clean), SHARE: _share_from_truth},
    COUNT_NAIVE: {SHARE: _count_lies(votes.naive)},
    CORRECTED_COUNT: {SHARE: _count_lies(votes.corrected_mle)},
    NAIVE: {CLASSIFY: _classify(_naive)},
    RECONSTRUCTION: {CLASSIFY: _classify(_reconstruction)},
    SPREAD: {CLASSIFY: _classify(_spread(_lies)), SHARE: _share_from_names(SpreadClassRatio, _lie_posteriors)},
    FLAT: {CLASSIFY: _classify(_spread(_lies, lambda people: "flat"))},
    by_trying(SPREAD): {CLASSIFY: _classify(_chosen(_lies))},
    TRUE: {CLASSIFY: _classify(_spread(_lies, lambda people: people.true_prior))},
    SHUFFLED_COUNT: {SHARE: _count_shuffled_lies},
    LLP: {CLASSIFY: _classify_by_proportions, SHARE: _count_by_proportions},
    BAG_NAMES: {CLASSIFY: _classify(_spread(_bag_names)), SHARE: _share_from_names(SpreadClassRatio, _bag_shares)},
    by_trying(BAG_NAMES): {CLASSIFY: _classify(_chosen(_bag_names))},
    by_trying(set_names(TRIED_NOISE)): {CLASSIFY: _classify(_chosen(_set_names(TIGHT[TRIED_NOISE])))},
}
for _name, _pure in ((CURATED, False), (CURATED_PURE, True)):
    SOLVERS[_name] = {CLASSIFY: _classify(_curated(_pure)), SHARE: _share_by_curator(_pure)}
for _noise, _release in TIGHT.items():
    SOLVERS[set_names(_noise)] = {
        CLASSIFY: _classify(_spread(_set_names(_release))),
        SHARE: _share_from_names(SpreadClassRatio, _set_shares(_release)),
    }
    SOLVERS[mmd(_noise)] = {SHARE: _share_from_names(MMDClassRatio, _set_shares(_release))}
