"""A data set is frozen, and its parts hold the rows that were asked for."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from privdemo import datasets
from privdemo.datasets import Dataset


def tiny(y, *, n_train=None, X=None, n_states=None):
    """A data set whose one feature is its row's number, so that rows can be told apart."""
    y, X = np.asarray(y, dtype=np.int64), np.arange(len(y))[:, None] if X is None else X
    names = tuple("abcd"[: y.max() + 1])
    return Dataset("tiny", "Tiny", X, y, ("row",), names, n_states, None, n_train, "", "")


@st.composite
def parted(draw):
    """Two to four classes, each of two to eight rows in either part, in any order, with or without a split."""
    n_classes = draw(st.integers(2, 4))

    def part():
        counts = draw(st.lists(st.integers(2, 8), min_size=n_classes, max_size=n_classes))
        return draw(st.permutations(np.repeat(np.arange(n_classes), counts).tolist()))

    first, second = part(), part()
    return tiny(first + second, n_train=draw(st.sampled_from([None, len(first)])))


def test_datasets_cannot_be_written_to_and_sparse_ones_are_not_densified():
    digits = datasets.load("digits")
    sparse = tiny([0, 1], X=csr_array(np.eye(2, 3, dtype=np.uint8)))
    dense = (digits.X, digits.y, digits.n_states, digits.select_classes((1, 2)).X)
    for array in (*dense, sparse.X.data, sparse.X.indices, sparse.X.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(FrozenInstanceError):
        digits.name = "other"
    assert isinstance(sparse.sample(1, np.random.default_rng(0)).X, csr_array)


def test_the_unit_scale_is_that_of_all_rows():
    assert tiny([0, 1, 0]).unit([1, 2]).tolist() == [[0.5], [1.0]]
    states = tiny([0, 1, 0], n_states=np.array([5]))
    assert (states.unit().tolist(), states.n_levels) == ([[0.0], [0.25], [0.5]], 5)
    binary = tiny([0, 1], n_states=np.array([2]))
    assert isinstance(binary.unit(dtype=np.float32), csr_array)
    assert binary.unit(dtype=np.float32).dtype == np.float32
    assert tiny([1, 1, 1, 0]).class_counts == (1, 3)


@given(parted(), st.data())
def test_select_classes_keeps_rows_relabels_and_keeps_the_split(dataset, data):
    order = data.draw(st.permutations(range(dataset.n_classes)))
    chosen = order[: data.draw(st.integers(1, dataset.n_classes))]
    selected = dataset.select_classes(chosen)
    rows, names = selected.X[:, 0], np.array(dataset.class_names)
    np.testing.assert_array_equal(rows, np.flatnonzero(np.isin(dataset.y, chosen)))
    np.testing.assert_array_equal(np.array(selected.class_names)[selected.y], names[dataset.y[rows]])
    assert selected.class_names == tuple(names[chosen])
    assert selected.n_train == (dataset.n_train and (rows < dataset.n_train).sum())


@given(parted(), st.integers(1, 2), st.integers(1, 2), st.integers(0, 2**32 - 1))
def test_sampled_rows_are_exact_in_class_order_never_shared_and_repeatable(dataset, n_train, n_test, seed):
    def parts():
        sampled = dataset.sample(n_train, np.random.default_rng(seed))
        return (sampled, *dataset.split(n_train, n_test, np.random.default_rng(seed)))

    sampled, train, test = parts()
    for part, n in ((sampled, n_train), (train, n_train), (test, n_test)):
        np.testing.assert_array_equal(part.y, np.repeat(np.arange(dataset.n_classes), n))
        np.testing.assert_array_equal(dataset.y[part.X[:, 0]], part.y)
        assert part.n_train is None
        assert len(set(part.X[:, 0])) == len(part.y)
    assert not {*train.X[:, 0]} & {*test.X[:, 0]}
    if dataset.n_train is not None:
        assert (train.X[:, 0] < dataset.n_train).all()
        assert (test.X[:, 0] >= dataset.n_train).all()
    for part, again in zip((sampled, train, test), parts(), strict=True):
        np.testing.assert_array_equal(part.X, again.X)


RNG = np.random.default_rng(0)
WHOLE = tiny([0, 0, 0, 1, 1])
DIGITS = datasets.load("digits")
COUNT = "per_class must be a whole number"
