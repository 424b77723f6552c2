"""Settings: the training sets, what is released of them, and the target set."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets import Source
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, EM, IDENTITY, MMD, PSVM, SPREAD, check_methods
from privdemo.tasks import DIGITS, counting_task

# The part of every class's records that is held out for target sets.
TEST_SHARE = 0.3
# Shares of the first class in the target sets, as in the paper's figures 2 and 3.
SHARES = tuple(tenth / 10 for tenth in range(1, 10))
NO_RELEASE = "none"
# Fixed numbers of the random streams of a trial.
RECORD_STREAM, NOISE_STREAM, TEST_STREAM, ATTACK_STREAM, ESTIMATOR_STREAM = range(5)
# Records in a set that suit a data set's size.
_SET_SIZES = {"mnist": 600, "digits": 120, "adult": 600, "sms": 300, "breast_cancer": 80}


def default_set_size(dataset: Source) -> int:
    """Return how many records in a set suit the size of a data set: of a visitor's own, 600 or all of the smallest
    class.
    """
    if isinstance(dataset, str):
        return _SET_SIZES[dataset]
    return max(int(limits.SET_SIZE.low), min(600, n_to_train(dataset.y)))


def chosen_classes(dataset: Source, n_classes: int) -> tuple[str, ...]:
    """Return the names of so many classes. Two digits are 7 and 9, as they are the hardest to distinguish."""
    classes = counting_task(dataset).classes
    return ("7", "9") if classes is DIGITS and n_classes == 2 else classes[:n_classes]


def n_to_train(y: NDArray[np.integer]) -> int:
    """Return how many records of the smallest class are left for training, of labels `y` (n,)."""
    return math.floor((1 - TEST_SHARE) * np.bincount(y).min())


@dataclass(frozen=True)
class RatioConfig:
    """Sets of records with known class proportions, and the target set, whose proportions are estimated.

    The tuning sets have the number and the proportions of the training sets; settings are chosen on them. `methods`
    are of `methods.CLASS_RATIO`. Raises ``ValueError`` for a value outside its limits, and where no class is the
    common one of a set, so that the classes are not identified (assumption A0 of the paper).

    Args:
        dataset: The data set's name, or a visitor's own records.
        n_classes: The number of classes, c.
        set_size: Records in a training set.
        copies: Training sets with the same common class.
        rho: The share ρ of every class in a set but its common one, which has 1 − (c − 1)ρ. Every class is the common
            one of the same number of sets.
        n_test: Records in the target set.
        share: The share of the first class in the target set; the other classes share the rest equally. None:
        proportions
            sampled uniformly from the simplex.
        bandwidth: The bandwidth of MMD as a multiple of the median heuristic; None: chosen on the tuning sets.
        release: How the sets' counts are released, one of `RELEASES` or "none".
        epsilon: The ε of the release.
        delta: The δ of the release.
        n_min: The least count of a class in a set, which is public.
        methods: The methods to compare.
        seed: The seed of all randomness.
        trial: The number of the repetition, with other records and other noise.
    """

    dataset: Source = "mnist"
    n_classes: int = 3
    set_size: int = 600
    copies: int = 1
    rho: float = 0.1
    n_test: int = 600
    share: float | None = 0.5
    bandwidth: float | None = None
    release: str = NO_RELEASE
    epsilon: float = 0.05
    delta: float = 0.05
    n_min: int = 25
    methods: tuple[str, ...] = (SPREAD, MMD, IDENTITY, EM)
    seed: int = 0
    trial: int = 0

    def __post_init__(self) -> None:
        if self.release not in (NO_RELEASE, *RELEASES):
            raise ValueError(f"release must be one of {', '.join((NO_RELEASE, *RELEASES))}, got {self.release!r}")
        task = counting_task(self.dataset)
        limits.Limit("n_classes", 2, len(task.classes), f"{task.title} has no more", integer=True).check(self.n_classes)
        for limit, value in (
            (limits.SET_SIZE, self.set_size),
            (limits.COPIES, self.copies),
            (limits.RHO, self.rho),
            (limits.N_TEST, self.n_test),
            (limits.RELEASE_EPSILON, self.epsilon),
            (limits.RELEASE_DELTA, self.delta),
            (limits.N_MIN, self.n_min),
            (limits.SEED, self.seed),
            (limits.TRIAL, self.trial),
        ):
            limit.check(value)
        if self.share is not None:
            limits.SHARE.check(self.share)
        if self.bandwidth is not None:
            limits.BANDWIDTH.check(self.bandwidth)
        check_methods(self.methods, CLASS_RATIO)
        if PSVM in self.methods and self.n_classes > 2:
            raise ValueError(f"∝SVM tells two classes apart, not {self.n_classes}; leave it out, or take two classes")
        self._check_common_class()

    def _check_common_class(self) -> None:
        """Raise ``ValueError`` unless one class of every set is more common than the others."""
        if self.rho * self.n_classes >= 1 - 1e-9:
            raise ValueError(
                f"the share ρ (rho) must be below 1/{self.n_classes} = {1 / self.n_classes:.4g}, at which all groups "
                f"are alike and nothing tells {self.n_classes} classes apart (assumption A0 fails), got {self.rho:g}; "
                "lower it"
            )
        if self.set_size <= self.n_classes * self._n_rarer:
            raise ValueError(
                f"rho = {self.rho:g} of {self.set_size} records is {self._n_rarer} of each class, so that no class is "
                "the common one of a group and nothing tells classes apart (assumption A0 fails); lower rho, or take "
                "larger groups"
            )

    @property
    def _n_rarer(self) -> int:
        """Records in a set of every class but its common one."""
        return round(self.rho * self.set_size)

    @property
    def private(self) -> bool:
        """Whether counts are released with noise."""
        return self.release != NO_RELEASE

    @property
    def pure(self) -> bool:
        """Whether every set has one class only, because ρ is less than half a record: its counts are its labels."""
        return bool((np.count_nonzero(self.counts(), axis=1) == 1).all())

    @property
    def chosen_classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return chosen_classes(self.dataset, self.n_classes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes in charts."""
        task = counting_task(self.dataset)
        return tuple(task.labels[task.classes.index(name)] for name in self.chosen_classes)

    def counts(self) -> NDArray[np.int64]:
        """Return records of each class in each training set, (copies · c, c)."""
        c, rarer = self.n_classes, self._n_rarer
        one_of_each = np.full((c, c), rarer) + np.eye(c, dtype=int) * (self.set_size - c * rarer)
        return np.tile(one_of_each, (self.copies, 1))
