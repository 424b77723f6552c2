"""Tasks: which classes of which data set are classified or counted, and their names in sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from privdemo import datasets
from privdemo.datasets import Dataset, Source


@dataclass(frozen=True)
class Task:
    """A data set and the classes of a task, in the order of their numbers.

    `classes` are their names in the data set, `labels` those in charts, `words` those in sentences (“so many are
    a 7”), and `records` is what is classified or counted. `unlabelled` is what is known of records without the class.
    `title` names the data set. `trait` names fields of the data set of which at most one is 1 and the others are
    0, and what is said of records with such a 1: what anybody may know, and tells something of the class.
    `examples` say what is known of some records of the data set, and `question` what is asked of one.
    """

    title: str
    classes: tuple[str, ...]
    labels: tuple[str, ...]
    words: tuple[str, ...]
    records: str
    unlabelled: str = "records without labels"
    trait: tuple[tuple[str, ...], str] | None = None
    examples: tuple[str, ...] = ()
    question: str = ""

    @property
    def kept_back(self) -> str:
        """What is not known of records without the class: “income”, “labels”."""
        return re.split(" without (?:a )?| but not the ", self.unlabelled)[1]

    @property
    def details(self) -> str:
        """What is known of a record without the class: “age, job and other details”; empty where that is no list."""
        known, but, _ = self.unlabelled.partition(", but not the ")
        return known.removeprefix("each person’s ") if but else ""

    @property
    def positive(self) -> str:
        """The second class in words: the positive class of a binary task."""
        return self.words[1]


DIGITS = tuple("0123456789")
_ARE = tuple(f"are {'an' if digit == '8' else 'a'} {digit}" for digit in DIGITS)
_PAIR, _ARE_PAIR, _IMAGES_OF_PAIR = ("7", "9"), ("are a 7", "are a 9"), "images of a 7 or a 9"
_UNLABELLED_IMAGES = "images without labels"
_ADULT = Task(
    "Adult",
    ("<=50K", ">50K"),
    ("$50,000 or less", "over $50,000"),
    ("earn $50,000 a year or less", "earn over $50,000 a year"),
    "people",
    "each person’s age, job and other details, but not the income",
    (
        tuple(f"marital-status = Married-{kind}" for kind in ("AF-spouse", "civ-spouse", "spouse-absent")),
        "are married",
    ),
    # Two of the training part, in the first bag of the default configuration, and the first three of the test part.
    (
        "50 years old, manager, married",
        "40 years old, driver, divorced",
        "25 years old, machine operator, never married",
        "38 years old, works in farming or fishing, married",
        "28 years old, police officer or guard, married",
    ),
    "over $50,000: yes or no?",
)
_SMS = Task(
    "SMS",
    ("ham", "spam"),
    ("ham", "spam"),
    ("are ham (no spam)", "are spam"),
    "messages",
    "messages without labels",
    (("to",), "contain the word “to”"),
)
_BREAST_CANCER = Task(
    "Breast cancer",
    ("benign", "malignant"),
    ("benign", "malignant"),
    ("are benign", "are malignant"),
    "tumours",
    "measurements without a diagnosis",
)
# Binary classification of records.
BINARY = {
    "adult": _ADULT,
    "sms": _SMS,
    "breast_cancer": _BREAST_CANCER,
    "mnist": Task("MNIST", _PAIR, _PAIR, _ARE_PAIR, _IMAGES_OF_PAIR, _UNLABELLED_IMAGES),
    "digits": Task("Small digits", _PAIR, _PAIR, _ARE_PAIR, _IMAGES_OF_PAIR, _UNLABELLED_IMAGES),
}


def _positive_first(task: Task) -> Task:
    """Return a binary task whose positive class comes first: the one of which people want to know the share."""
    return replace(task, classes=task.classes[::-1], labels=task.labels[::-1], words=task.words[::-1])


# Estimation of the shares of all classes in a group.
COUNTING = {
    "mnist": Task("MNIST", DIGITS, DIGITS, _ARE, "images", _UNLABELLED_IMAGES),
    "digits": Task("Small digits", DIGITS, DIGITS, _ARE, "images", _UNLABELLED_IMAGES),
    "adult": _positive_first(_ADULT),
    "sms": _positive_first(_SMS),
    "breast_cancer": _positive_first(_BREAST_CANCER),
}


def binary_task(dataset: Source) -> Task:
    """Return the task of a name, one of `BINARY`, or of a visitor's own records of two classes.

    Raises ``ValueError`` for another name and for records of more classes.
    """
    if not isinstance(dataset, str) and dataset.n_classes != 2:
        raise ValueError(
            f"{dataset.name} has {dataset.n_classes} classes and two are needed; name the one that is asked about with "
            "one_against_rest(…)"
        )
    return _task(dataset, BINARY)


def counting_task(dataset: Source) -> Task:
    """Return the task of a name, one of `COUNTING`, or of a visitor's own records. Raises ``ValueError`` for another
    name.
    """
    return _task(dataset, COUNTING)


def binary_records(dataset: Source) -> Dataset:
    """Return the records of the two classes of `binary_task`."""
    return datasets.load(dataset).select_classes(binary_task(dataset).classes)


def _task(dataset: Source, known: Mapping[str, Task]) -> Task:
    if isinstance(dataset, str):
        if dataset not in known:
            raise ValueError(f"dataset must be one of {', '.join(known)}, got {dataset!r}")
        return known[dataset]
    names = dataset.class_names
    records = "images" if dataset.image_shape else "records"
    return Task(dataset.title, names, names, tuple(f"are “{name}”" for name in names), records)
