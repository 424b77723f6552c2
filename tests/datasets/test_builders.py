"""What the data sets hold, against numbers that their publishers give."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from privdemo import datasets
from privdemo.datasets.builders import build_adult


@pytest.mark.mnist
def test_mnist_is_one_array_with_the_publishers_split(data_folder):
    mnist = datasets.load("mnist")
    assert (mnist.X.shape, mnist.X.dtype) == ((70_000, 784), np.uint8)
    assert (mnist.n_train, mnist.class_names, mnist.image_shape) == (60_000, tuple("0123456789"), (28, 28))
    np.testing.assert_array_equal(mnist.n_states, np.full(784, 256))
    # The first labels of either part, and the counts of each digit, as the publisher gives them.
    assert mnist.y[:5].tolist() == [5, 0, 4, 1, 9]
    assert mnist.test.y[:5].tolist() == [7, 2, 1, 0, 4]
    assert mnist.train.class_counts == (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949)
    assert mnist.test.class_counts == (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009)


def check_names_and_origin(name):
    dataset = datasets.load(name)
    assert dataset.name == name
    assert len(set(dataset.feature_names)) == dataset.X.shape[1]
    assert (set(dataset.y), dataset.y.dtype) == (set(range(dataset.n_classes)), np.int64)
    assert "https://" in dataset.source
    assert dataset.licence.startswith("CC BY")
    return dataset


def test_digits_have_17_grey_levels_and_breast_cancer_is_continuous():
    digits = check_names_and_origin("digits")
    assert (digits.X.shape, digits.X.dtype, digits.image_shape) == ((1797, 64), np.uint8, (8, 8))
    assert (digits.X.min(), digits.X.max(), digits.n_train) == (0, 16, None)
    np.testing.assert_array_equal(digits.n_states, np.full(64, 17))
    assert digits.class_counts == (178, 182, 177, 183, 181, 182, 181, 179, 174, 180)
    cancer = check_names_and_origin("breast_cancer")
    assert (cancer.X.shape, cancer.X.dtype, cancer.n_states) == ((569, 30), np.float64, None)
    assert (cancer.class_names, cancer.class_counts) == (("malignant", "benign"), (212, 357))
    assert cancer.feature_names[0] == "mean radius"


def test_adult_is_one_hot_in_states_that_say_what_they_hold(data_folder):
    adult = check_names_and_origin("adult")
    assert (adult.X.shape, adult.X.dtype, adult.n_train) == ((32_561 + 16_281, 338), np.uint8, 32_561)
    assert (adult.train.y.mean(), adult.test.y.sum()) == (pytest.approx(0.2408, abs=5e-5), 3846)
    np.testing.assert_array_equal(adult.n_states, np.full(338, 2))
    # Every person, of either part, is in exactly one state of each of the 14 attributes.
    attribute = np.array([name.split(" ")[0] for name in adult.feature_names])
    starts = np.flatnonzero(attribute != np.roll(attribute, 1))
    assert len(starts) == len(set(attribute)) == 14
    assert (np.add.reduceat(adult.X, starts, axis=1) == 1).all()
    # The first row: 39 years old, State-gov, Bachelors (13), 40 hours; capital gain 2174.
    first = {name for name, held in zip(adult.feature_names, adult.X[0], strict=True) if held}
    assert {"workclass = State-gov", "education = Bachelors", "age in [38, 40)"} <= first
    # 1,836 training rows lack a workclass: "?" is a category of its own.
    assert adult.train.X[:, adult.feature_names.index("workclass = ?")].sum() == 1836


def test_adult_states_come_from_the_training_rows_alone():
    row = "{0}, {1}, {0}0, B, {0}, M, O, R, W, S, {0}, {0}, {0}, US, {2}\n"
    train = "".join(row.format(*values) for values in ((1, "Own", "<=50K"), (2, "?", ">50K"), (3, "Own", ">50K")))
    test = "|a comment\n" + row.format(0, "Unseen", ">50K.") + row.format(9, "?", "<=50K.") + "\n"
    adult = build_adult(train.encode(), test.encode())
    states = ("age < 2", "age in [2, 3)", "age >= 3", "workclass = ?", "workclass = Own", "fnlwgt < 20")
    assert adult.feature_names[:6] == states
    assert adult.train.X[:, :5].tolist() == [[1, 0, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1]]
    # Beyond the training range is the end state; a category never trained on is no state.
    assert adult.test.X[:, :5].tolist() == [[1, 0, 0, 0, 0], [0, 0, 1, 1, 0]]
    assert adult.y.tolist() == [0, 1, 1, 1, 0]


def test_sms_is_a_sparse_binary_bag_of_words(data_folder):
    sms = check_names_and_origin("sms")
    assert isinstance(sms.X, csr_array)
    assert (sms.X.shape, sms.X.dtype, set(sms.X.data)) == ((5574, 6272), np.uint8, {1})
    assert (sms.class_names, sms.class_counts) == (("ham", "spam"), (5574 - 747, 747))
    assert sms.X.sum(axis=0).min() == 2
