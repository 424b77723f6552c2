"""A data set is frozen, and its parts hold the rows that were asked for."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from privdemo import datasets
from privdemo.datasets import Dataset


def _tiny(y, *, n_train=None, X=None, n_classes=2):
    """A data set whose one feature is its row's number, so that rows can be told apart."""
    return Dataset(
        name="tiny",
        title="Tiny",
        X=np.arange(len(y))[:, None] if X is None else X,
        y=np.asarray(y, dtype=np.int64),
        feature_names=("row",),
        class_names=tuple("abcde"[:n_classes]),
        n_states=None,
        image_shape=None,
        n_train=n_train,
        source="",
        licence="",
    )


@st.composite
def _tiny_datasets(draw, min_rows_of_a_class=0):
    """Two to four classes in any order of rows, with or without a publisher's split."""
    n_classes = draw(st.integers(2, 4))
    size = st.integers(min_rows_of_a_class, 8)

    def part():
        counts = draw(st.lists(size, min_size=n_classes, max_size=n_classes))
        return draw(st.permutations(np.repeat(np.arange(n_classes), counts).tolist()))

    first, second = part(), part()
    n_train = draw(st.sampled_from([None, len(first)]))
    return _tiny(np.array(first + second), n_train=n_train, n_classes=n_classes)


seeds = st.integers(0, 2**32 - 1)


def test_datasets_cannot_be_written_to():
    digits = datasets.load("digits")
    for array in (digits.X, digits.y, digits.n_states, digits.select_classes((1, 2)).X):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(FrozenInstanceError):
        digits.name = "other"


def test_sparse_datasets_cannot_be_written_to_and_are_not_densified():
    dataset = _tiny(np.array([0, 1]), X=csr_array(np.eye(2, 3, dtype=np.uint8)))
    for array in (dataset.X.data, dataset.X.indices, dataset.X.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert isinstance(dataset.draw(1, np.random.default_rng(0)).X, csr_array)


def test_rows_of_X_and_y_must_match():
    with pytest.raises(ValueError, match="X and y must have as many rows, got 3 and 2"):
        _tiny(np.array([0, 1]), X=np.zeros((3, 1)))


@given(_tiny_datasets(), st.data())
def test_select_classes_keeps_rows_relabels_and_keeps_the_split(dataset, data):
    order = data.draw(st.permutations(range(dataset.n_classes)))
    chosen = order[: data.draw(st.integers(1, dataset.n_classes))]
    selected = dataset.select_classes(chosen)
    rows = selected.X[:, 0]
    # The names of the classes before and after agree row by row, and the rows keep their order.
    names = np.array(dataset.class_names)
    np.testing.assert_array_equal(np.array(selected.class_names, dtype=names.dtype)[selected.y], names[dataset.y[rows]])
    np.testing.assert_array_equal(rows, np.flatnonzero(np.isin(dataset.y, chosen)))
    assert selected.class_names == tuple(names[chosen])
    if dataset.n_train is None:
        assert selected.n_train is None
    else:
        np.testing.assert_array_equal(rows < dataset.n_train, np.arange(len(rows)) < selected.n_train)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (
            ("7", "x"),
            "unknown class 'x' of digits: name one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, or an index 0 to 9",
        ),
        ((10,), "unknown class 10 of digits"),
        ((-1,), "unknown class -1 of digits"),
        ((True,), "unknown class True of digits"),
        ((7, "7"), "class '7' is selected 2 times"),
        ((), "select at least one class of digits: 0, 1, 2"),
    ],
)
def test_select_classes_refuses_by_name(classes, message):
    with pytest.raises(ValueError, match=message):
        datasets.load("digits").select_classes(classes)


@given(_tiny_datasets(min_rows_of_a_class=1), st.integers(1, 2), seeds)
def test_draw_is_exact_in_class_order_without_repeats_and_repeatable(dataset, n, seed):
    before = dataset.X.copy(), dataset.y.copy()
    drawn = dataset.draw(n, np.random.default_rng(seed))
    np.testing.assert_array_equal(drawn.y, np.repeat(np.arange(dataset.n_classes), n))
    rows = drawn.X[:, 0]
    assert len(set(rows)) == len(rows)
    np.testing.assert_array_equal(dataset.y[rows], drawn.y)
    assert drawn.n_train is None
    np.testing.assert_array_equal(rows, dataset.draw(n, np.random.default_rng(seed)).X[:, 0])
    np.testing.assert_array_equal(dataset.X, before[0])
    np.testing.assert_array_equal(dataset.y, before[1])


@given(_tiny_datasets(min_rows_of_a_class=2), st.integers(1, 2), st.integers(1, 2), seeds)
def test_split_never_shares_a_row_and_keeps_to_the_publishers_parts(dataset, n_train, n_test, seed):
    train, test = dataset.split(n_train, n_test, np.random.default_rng(seed))
    classes = np.arange(dataset.n_classes)
    np.testing.assert_array_equal(train.y, np.repeat(classes, n_train))
    np.testing.assert_array_equal(test.y, np.repeat(classes, n_test))
    train_rows, test_rows = train.X[:, 0], test.X[:, 0]
    assert len({*train_rows, *test_rows}) == len(train_rows) + len(test_rows)
    np.testing.assert_array_equal(dataset.y[train_rows], train.y)
    np.testing.assert_array_equal(dataset.y[test_rows], test.y)
    if dataset.n_train is not None:
        assert (train_rows < dataset.n_train).all()
        assert (test_rows >= dataset.n_train).all()
    again, _ = dataset.split(n_train, n_test, np.random.default_rng(seed))
    np.testing.assert_array_equal(again.X, train.X)


def test_too_few_rows_and_bad_counts_are_refused_by_name():
    rng = np.random.default_rng(0)
    whole, parted = _tiny([0, 0, 0, 1, 1]), _tiny([0, 0, 1, 0, 1], n_train=3)
    with pytest.raises(ValueError, match="n_per_class = 3, but class 'b' of tiny has 2 rows"):
        whole.draw(3, rng)
    with pytest.raises(ValueError, match=r"n_train_per_class \+ n_test_per_class = 3, but class 'b'"):
        whole.split(1, 2, rng)
    with pytest.raises(ValueError, match="n_train_per_class = 2, but class 'b' of tiny has 1 rows"):
        parted.split(2, 1, rng)
    with pytest.raises(ValueError, match="n_test_per_class = 2, but class 'a' of tiny has 1 rows"):
        parted.split(1, 2, rng)
    for bad in (0, -1, 1.5):
        with pytest.raises(ValueError, match="n_per_class must be a whole number"):
            whole.draw(bad, rng)
        with pytest.raises(ValueError, match="n_test_per_class must be a whole number"):
            whole.split(1, bad, rng)
        with pytest.raises(ValueError, match="n_train_per_class must be a whole number"):
            parted.split(bad, 1, rng)


def test_parts_need_a_publishers_split():
    for part in ("train", "test"):
        with pytest.raises(ValueError, match="digits has no publisher's split"):
            getattr(datasets.load("digits"), part)
