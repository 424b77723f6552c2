"""Which classes of which data: the words belong to the classes, and the classes to the data set."""

import numpy as np
import pytest

from privdemo import datasets
from privdemo.datasets import Dataset
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
