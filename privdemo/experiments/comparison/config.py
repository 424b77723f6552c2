"""Settings: the people, which of their data are private, and the methods."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from privdemo import limits
from privdemo.accounting import default_delta
from privdemo.datasets import Dataset, Source, kept_by_name, name_of
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import (
    COMPARISON,
    CORRECTED_COUNT,
    COUNT_NAIVE,
    CURATED_PURE,
    CURATOR,
    FLAT,
    LEADER,
    NAIVE,
    NOBODY,
    PUBLISHER,
    RECONSTRUCTION,
    SHUFFLED_COUNT,
    SHUFFLER,
    TIGHT,
    TRIED,
    TRUE,
    TRUTH,
    mmd,
)
from privdemo.tasks import BINARY, binary_records, binary_task

CLASSIFY, SHARE = "classify", "share"
LABELS, RECORDS = "labels", "records"
# What people send who push labels: the opposite of their true label, or the second class, whatever is true.
OPPOSITE, SECOND = "opposite", "second"
# The metrics of a task, and whether more is better. The first is the main one.
METRICS = {CLASSIFY: {"accuracy": True, "log_loss": False, "brier": False}, SHARE: {"error": False}}
# The least and the largest value of each metric; "error" is the distance of two shares.
RANGES = {"accuracy": (0.0, 1.0), "log_loss": (0.0, math.inf), "brier": (0.0, 1.0), "error": (0.0, 1.0)}
# Data sets whose records are images, so that every pixel can be flipped.
IMAGES = ("mnist", "digits")
# The methods that solve one task only.
_ONLY_CLASSIFY = (NAIVE, RECONSTRUCTION, FLAT, TRUE, *TRIED)
_ONLY_SHARE = (COUNT_NAIVE, CORRECTED_COUNT, SHUFFLED_COUNT, *map(mmd, TIGHT))
# Pixel priors that differ from the learned one only if records are private.
_OF_RECORDS = (FLAT, TRUE)

# Who must be trusted with the true label, and why.
TRUST = {
    TRUTH: "Something true is used without noise: a reference, no release.",
    NOBODY: "Each label is changed before it leaves its person.",
    SHUFFLER: "Each label is changed, less often, and somebody mixes the answers before they are counted; ε is that of "
    "the count. Records cannot be mixed apart from their labels, so a shuffler is for polls alone.",
    LEADER: "Whoever holds a bag sees its labels, and releases their share with noise.",
    PUBLISHER: "Whoever makes the sets sees all labels, and releases their counts with noise; who is in which set is "
    "not hidden.",
    CURATOR: "Somebody sees every record and label, and publishes a model or a count with noise; ε covers the whole "
    "record.",
}


@dataclass(frozen=True)
class ComparisonConfig:
    """The same people for every method, and what is released of them.

    Bags are filled at random. Two sets of `n_train` people have the classes the other way round. Raises ``ValueError``
    for a value outside its limits, for private records without pixels, and for methods that cannot do the task.

    Args:
        task: What is wanted: "classify" single records, or the "share" of a class in a set.
        dataset: The data set's name, or a visitor's own records of two classes.
        private: What is private: "labels", or "records" too.
        n_train: People of each class to learn from.
        epsilon: The ε of every label.
        delta: The δ of released counts, of a shuffler and of a curator; None: `default_delta` of the `people`.
        bag_size: People in a bag.
        rho: The share of the rarer class in a set, about which the true share is sampled.
        n_asked: Test records in the target set, whose share is estimated.
        share: The share of the second class in that set.
        fake_part: The part of the people of each class who send a label of an attacker's choice; no method knows it.
        fake_label: What they send: the "opposite" of their true label, or always the "second" class.
        methods: The methods to compare; empty: all.
        seed: The seed of all randomness.
        trial: The number of the repetition, with other people and other noise.
    """

    task: str = CLASSIFY
    dataset: Source = "mnist"
    private: str = LABELS
    n_train: int = 250
    epsilon: float = 1.0
    delta: float | None = None
    bag_size: int = 25
    rho: float = 0.1
    n_asked: int = 500
    share: float = 0.3
    fake_part: float = 0.0
    fake_label: str = OPPOSITE
    methods: tuple[str, ...] = ()
    seed: int = 0
    trial: int = 0

    def __post_init__(self) -> None:
        for name, choice, known in (
            ("task", self.task, (CLASSIFY, SHARE)),
            ("private", self.private, (LABELS, RECORDS)),
            ("fake_label", self.fake_label, (OPPOSITE, SECOND)),
        ):
            if choice not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {choice!r}")
        binary_task(self.dataset)
        if self.private == RECORDS and not has_pixels(self.dataset):
            raise ValueError(
                f"records of {name_of(self.dataset)} cannot be private here: only pixels are flipped; take "
                f"{' or '.join(IMAGES)}, or private labels only"
            )
        for limit, value in (
            (limits.N_TRAIN, self.n_train),
            (limits.RELEASE_EPSILON, self.epsilon),
            *([(limits.RELEASE_DELTA, self.delta)] if self.delta is not None else []),
            (limits.BAG_SIZE, self.bag_size),
            (limits.RHO, self.rho),
            (limits.N_TEST, self.n_asked),
            (limits.SHARE, self.share),
            (replace(limits.FAKE_PART, name="fake_part"), self.fake_part),
            (limits.SEED, self.seed),
            (limits.TRIAL, self.trial),
        ):
            limit.check(value)
        limits.Limit("bag_size", 2, self.n_train, "there must be two bags", integer=True).check(self.bag_size)
        unknown = [name for name in self.methods if name not in COMPARISON]
        if unknown:
            raise ValueError(f"methods must be of {', '.join(COMPARISON)}, got {', '.join(unknown)}")
        if self.methods and not self.chosen:
            raise ValueError(
                f"none of {', '.join(self.methods)} can do this task; leave methods out to take all that can"
            )

    @property
    def people(self) -> int:
        """How many people are in the larger release: those learned from and, for a share, those asked."""
        return max(2 * self.n_train, self.n_asked) if self.task == SHARE else 2 * self.n_train

    @property
    def release_delta(self) -> float:
        """The δ of released counts, of a shuffler and of a curator."""
        return default_delta(self.people) if self.delta is None else self.delta

    @property
    def flips(self) -> RandomisedResponse:
        """The lie about a label: the smallest flip probability that is ε-private."""
        return RandomisedResponse.from_epsilon(self.epsilon, 2)

    @property
    def pixels(self) -> RandomisedResponse | None:
        """The noise on every pixel; None if only labels are private."""
        if self.private == LABELS:
            return None
        return RandomisedResponse(self.flips.flip_prob, records(self.dataset).n_levels)

    @property
    def rarer_count_range(self) -> tuple[int, int]:
        """The fewest and the most people of the rarer class in a set; the true count is a secret between the two.

        The range is ρn ± ρn/2, or narrower so that its upper end is at most n/2. Its lower end, n_min, is public. A
        count of at most one is no secret.
        """
        middle = round(self.rho * self.n_train)
        if middle <= 1:
            return middle, middle
        half_width = min(middle - max(1, middle // 2), self.n_train // 2 - middle)
        return middle - half_width, middle + half_width

    @property
    def set_name_epsilon(self) -> float:
        """The ε of the name of a set about a label: ln((1 − r)/r).

        r is the least share that the rarer class of a set can have. No noise on counts hides it.
        """
        least, _ = self.rarer_count_range
        return math.log((self.n_train - least) / least) if least else math.inf

    @property
    def chosen(self) -> tuple[str, ...]:
        """The methods that can do the task. Without private records there is one pixel prior only, the learned one."""
        return tuple(
            name
            for name in COMPARISON
            if solves(name, self.task)
            and (self.private == RECORDS or name not in _OF_RECORDS)
            and (not self.methods or name in self.methods)
        )


def solves(method: str, task: str) -> bool:
    """Return whether a method can do a task."""
    return method not in (_ONLY_SHARE if task == CLASSIFY else _ONLY_CLASSIFY)


def needs_delta(method: str) -> bool:
    """Return whether the release of a method has a δ beside its ε; lies and a group leader's noise need none."""
    return method != CURATED_PURE and COMPARISON[method].trust in (SHUFFLER, PUBLISHER, CURATOR)


def has_pixels(dataset: Source) -> bool:
    """Return whether records are images, so that every pixel can be flipped."""
    return dataset in IMAGES if isinstance(dataset, str) else dataset.image_shape is not None


@kept_by_name(maxsize=len(BINARY))
def records(dataset: Source) -> Dataset:
    """Return the records of the two classes of the task."""
    return binary_records(dataset)
