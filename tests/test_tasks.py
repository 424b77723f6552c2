"""Which classes of which data: the words belong to the classes, and the classes to the data set."""

import re

import numpy as np
import pytest

from privdemo import datasets
from privdemo.datasets import Dataset
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.label_proportions.release import sample_release
from privdemo.experiments.trials import with_trial
from privdemo.tasks import BINARY, COUNTING, Task, binary_records, binary_task, counting_task


def own_records(class_names=("no", "yes"), image_shape=None):
    n = len(class_names)
    X, names = np.zeros((n, 4)), ("a", "b", "c", "d")
    return Dataset("mine", "My own", X, np.arange(n), names, class_names, None, image_shape, None, "", "")


def test_every_data_set_has_a_task_of_its_own_classes_and_words(data_folder, mnist):
    assert set(BINARY) == set(COUNTING) == set(datasets.DATASETS)
    for name in datasets.DATASETS:
        source = datasets.load(name)
        for task, n in ((BINARY[name], 2), (COUNTING[name], source.n_classes)):
            assert set(task.classes) <= set(source.class_names)
            assert len(task.classes) == len(task.labels) == len(task.words) == n
    assert COUNTING["mnist"].words[7:9] == ("are a 7", "are an 8")
    assert BINARY["digits"].positive == BINARY["digits"].words[1] == "are a 9"
    chosen, all_digits = binary_records("digits"), datasets.load("digits").y
    assert chosen.class_names == ("7", "9")
    np.testing.assert_array_equal(chosen.y, all_digits[np.isin(all_digits, (7, 9))] == 9)


def test_a_visitors_own_classes_are_in_quotation_marks_and_only_two_can_be_told_apart():
    expected = Task("My own", ("no", "yes"), ("no", "yes"), ("are “no”", "are “yes”"), "records")
    for task_of in (binary_task, counting_task):
        assert task_of(own_records()) == expected
        assert task_of(own_records(image_shape=(2, 2))).records == "images"
    three = own_records(("a", "b", "c"))
    with pytest.raises(ValueError, match=r"^mine has 3 classes and two are needed; .* with one_against_rest"):
        binary_task(three)


# What the words of the examples of Adult mean in the data: the occupation and the marital status.
MEANING = {
    "manager": "occupation = Exec-managerial",
    "driver": "occupation = Transport-moving",
    "machine operator": "occupation = Machine-op-inspct",
    "works in farming or fishing": "occupation = Farming-fishing",
    "police officer or guard": "occupation = Protective-serv",
    "married": "marital-status = Married-civ-spouse",
    "never married": "marital-status = Never-married",
    "divorced": "marital-status = Divorced",
}


def records_of_example(example, names, X):
    """Return the rows of `X` that are as the example says."""
    age, occupation, married = example.split(", ")
    years = int(age.removesuffix(" years old"))
    (of_age,) = [
        name
        for name in names
        if (ends := re.findall(r"^age in \[(\d+), (\d+)\)$", name)) and int(ends[0][0]) <= years < int(ends[0][1])
    ]
    columns = [names.index(name) for name in (of_age, MEANING[occupation], MEANING[married])]
    return np.flatnonzero(X[:, columns].sum(axis=1) == len(columns))


def test_examples_of_people_are_records_of_adult(data_folder):
    adult = datasets.load("adult")
    names, examples = list(adult.feature_names), BINARY["adult"].examples
    release = sample_release(with_trial(BagConfig("adult"), 0))
    first_bag = release.records.X[release.record_bags == 0]
    for example in examples[:2]:
        assert len(records_of_example(example, names, first_bag)), example
    for i, example in enumerate(examples[2:]):
        assert i in records_of_example(example, names, adult.test.X), example
    assert BINARY["adult"].question == f"{BINARY['adult'].labels[1]}: yes or no?"
