"""Loading: what each data set holds, where its files come from, and taking parts of it."""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from privdemo import datasets
from privdemo.datasets import Dataset, DatasetError, files
from privdemo.datasets.builders import build_adult

TINY_SMS = b"ham\tsee you at noon\nspam\tWIN cash now\nham\tsee cash at noon\n"
TINY_WORDS = ("at", "cash", "noon", "see")  # those of at least two messages


# --- what the real data sets hold


@pytest.mark.mnist
def test_mnist_is_one_read_only_array_with_the_publishers_split(data_folder):
    mnist = datasets.load("mnist")
    assert (mnist.X.shape, mnist.X.dtype) == ((70_000, 784), np.uint8)
    assert (mnist.n_train, mnist.n_classes, mnist.image_shape) == (60_000, 10, (28, 28))
    assert mnist.class_names == tuple("0123456789")
    np.testing.assert_array_equal(mnist.n_states, np.full(784, 256))
    # The first labels of either part, and the counts of each digit, as the publisher gives them.
    assert mnist.y[:5].tolist() == [5, 0, 4, 1, 9]
    assert mnist.test.y[:5].tolist() == [7, 2, 1, 0, 4]
    assert np.bincount(mnist.train.y).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.bincount(mnist.test.y).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    # Mean grey levels of either part, in units of 1/255 (widely published: 0.1307 and 0.1325).
    assert mnist.train.X.mean() / 255 == pytest.approx(0.1307, abs=5e-5)
    assert mnist.test.X.mean() / 255 == pytest.approx(0.1325, abs=5e-5)


@pytest.mark.mnist
def test_mnist_parts_are_views(data_folder):
    mnist = datasets.load("mnist")
    assert mnist.train.X.shape == (60_000, 784)
    assert mnist.test.X.shape == (10_000, 784)
    assert np.shares_memory(mnist.train.X, mnist.X)
    assert np.shares_memory(mnist.test.X, mnist.X)
    assert not np.shares_memory(mnist.train.X, mnist.test.X)


@pytest.mark.mnist
def test_mnist_loads_and_is_checked_without_a_wait_when_warm(data_folder, monkeypatch):
    seconds = []
    for _ in range(3):
        monkeypatch.setattr(datasets, "_loaded", {})
        start = time.perf_counter()
        datasets.load("mnist")
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 10


@pytest.mark.mnist
def test_mnist_split_keeps_to_the_publishers_parts(data_folder):
    mnist = datasets.load("mnist").select_classes((7, "9"))
    assert mnist.class_names == ("7", "9")
    assert (mnist.n_train, len(mnist.y)) == (6265 + 5949, 6265 + 5949 + 1028 + 1009)
    train, test = mnist.split(50, 20, np.random.default_rng(0))
    assert np.bincount(train.y).tolist() == [50, 50]
    assert np.bincount(test.y).tolist() == [20, 20]
    rows_of = {part: {row.tobytes() for row in getattr(mnist, part).X} for part in ("train", "test")}
    assert {row.tobytes() for row in train.X} <= rows_of["train"]
    assert {row.tobytes() for row in test.X} <= rows_of["test"]


def test_digits_have_17_grey_levels():
    digits = datasets.load("digits")
    assert (digits.X.shape, digits.X.dtype, digits.image_shape) == ((1797, 64), np.uint8, (8, 8))
    assert (digits.X.min(), digits.X.max()) == (0, 16)
    np.testing.assert_array_equal(digits.n_states, np.full(64, 17))
    assert np.bincount(digits.y).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert digits.n_train is None


def test_breast_cancer_is_continuous():
    cancer = datasets.load("breast_cancer")
    assert (cancer.X.shape, cancer.X.dtype) == ((569, 30), np.float64)
    assert cancer.class_names == ("malignant", "benign")
    assert np.bincount(cancer.y).tolist() == [212, 357]
    assert cancer.n_states is None
    assert cancer.feature_names[0] == "mean radius"


def test_adult_is_one_hot(data_folder):
    adult = datasets.load("adult")
    assert (adult.X.shape, adult.X.dtype) == ((32_561 + 16_281, 338), np.uint8)
    assert adult.n_train == 32_561
    assert adult.train.y.mean() == pytest.approx(0.2408, abs=5e-5)
    assert adult.test.y.sum() == 3846
    np.testing.assert_array_equal(adult.n_states, np.full(338, 2))
    # Every person, of either part, is in exactly one state of each of the 14 attributes.
    attribute = np.array([name.split(" ")[0] for name in adult.feature_names])
    assert len(set(attribute)) == 14
    for name in set(attribute):
        np.testing.assert_array_equal(adult.X[:, attribute == name].sum(axis=1), 1)
    assert adult.train.X.any(axis=0).all(), "a state that no training row is in"
    # A number's states hold equally many of its distinct values, however common each is: 44 where it has as many.
    counts = {name: int((attribute == name).sum()) for name in ("age", "capital-gain", "education-num")}
    assert counts == {"age": 44, "capital-gain": 44, "education-num": 16}


def test_adult_states_say_what_they_hold(data_folder):
    adult = datasets.load("adult")
    # The first row: 39 years old, State-gov, Bachelors (13), 40 hours; capital gain 2174.
    first = {name for name, held in zip(adult.feature_names, adult.X[0], strict=True) if held}
    assert {"workclass = State-gov", "education = Bachelors", "age in [38, 40)"} <= first
    low, high = next(name for name in first if "capital-gain" in name).split("[")[1].rstrip(")").split(", ")
    assert int(low) <= 2174 < int(high)
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
    sms = datasets.load("sms")
    assert isinstance(sms.X, csr_array)
    assert (sms.X.shape, sms.X.dtype) == ((5574, 6272), np.uint8)
    assert set(sms.X.data) == {1}
    assert sms.class_names == ("ham", "spam")
    assert np.bincount(sms.y).tolist() == [5574 - 747, 747]
    assert sms.X.sum(axis=0).min() == 2
    # "FREE" as it is written tells spam: most of the messages that shout it are.
    shouts = sms.X[:, [sms.feature_names.index("FREE")]].toarray().ravel() == 1
    assert sms.y[shouts].mean() > 0.9


@pytest.mark.parametrize("name", ["digits", "breast_cancer", "adult", "sms"])
def test_names_match_columns_and_origin_is_stated(name, request):
    if name in files.FILES:
        request.getfixturevalue("data_folder")
    dataset = datasets.load(name)
    assert len(set(dataset.feature_names)) == dataset.X.shape[1]
    assert set(np.unique(dataset.y)) == set(range(dataset.n_classes))
    assert dataset.y.dtype == np.int64
    assert "https://" in dataset.source
    assert dataset.licence.startswith("CC BY")
    assert dataset.name == name


# --- frozen, read-only, one copy


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


def test_the_callers_array_stays_writable_and_is_not_copied():
    X = np.zeros((2, 1))
    dataset = _tiny(np.array([0, 1]), X=X)
    X[0] = 5
    assert dataset.X[0, 0] == 5


def test_rows_of_X_and_y_must_match():
    with pytest.raises(ValueError, match="X and y must have as many rows, got 3 and 2"):
        _tiny(np.array([0, 1]), X=np.zeros((3, 1)))


def test_a_second_load_gives_the_same_object():
    assert datasets.load("digits") is datasets.load("digits")


@pytest.mark.parametrize("function", [datasets.load, datasets.available, datasets.location])
def test_unknown_names_are_refused(function):
    with pytest.raises(ValueError, match="unknown data set 'foo': choose one of mnist, digits, adult"):
        function("foo")


# --- taking parts: classes, draws, splits


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


def test_select_classes_takes_names_and_indices():
    digits = datasets.load("digits")
    by_index, by_name = digits.select_classes((np.int64(7), 9)), digits.select_classes(["7", "9"])
    np.testing.assert_array_equal(by_index.X, by_name.X)
    assert by_index.class_names == by_name.class_names == ("7", "9")
    assert np.bincount(by_name.y).tolist() == [179, 180]


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


def test_draw_depends_on_the_seed():
    digits = datasets.load("digits")
    first, second = (digits.draw(20, np.random.default_rng(seed)).X for seed in (0, 1))
    assert not np.array_equal(first, second)


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


# --- files in the folder that PRIVDEMO_DATA names


@pytest.fixture
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(datasets, "_loaded", {})


@pytest.fixture
def named_folder(nothing_loaded, monkeypatch, tmp_path):
    """An empty folder that PRIVDEMO_DATA names; the SMS collection is `TINY_SMS`."""
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    _publish_tiny_sms(monkeypatch, urls=())
    (tmp_path / "sms").mkdir()
    return tmp_path


def _publish_tiny_sms(monkeypatch, urls):
    file = files.DataFile("sms/SMSSpamCollection.gz", hashlib.sha256(TINY_SMS).hexdigest(), tuple(urls))
    monkeypatch.setitem(files.FILES, "sms", (file,))


def test_a_file_in_the_named_folder_is_used(named_folder):
    assert not datasets.available("sms")
    (named_folder / "sms/SMSSpamCollection.gz").write_bytes(gzip.compress(TINY_SMS))
    assert datasets.available("sms")
    sms = datasets.load("sms")
    assert sms.feature_names == TINY_WORDS
    assert sms.X.toarray().tolist() == [[1, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 1]]
    assert sms.y.tolist() == [0, 1, 0]
    assert datasets.location("sms") == named_folder / "sms"


def test_a_missing_file_is_named_and_not_downloaded(named_folder, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    with pytest.raises(DatasetError, match=r"sms/SMSSpamCollection\.gz is missing from .*PRIVDEMO_DATA") as error:
        datasets.load("sms")
    assert str(named_folder) in str(error.value)
    assert not server.requests


def test_a_missing_folder_is_named(named_folder, monkeypatch):
    monkeypatch.setenv("PRIVDEMO_DATA", str(named_folder / "nowhere"))
    assert not datasets.available("sms")
    with pytest.raises(DatasetError, match=r"PRIVDEMO_DATA names the folder .*nowhere, which does not exist"):
        datasets.load("sms")
    assert datasets.load("digits").name == "digits"


def test_a_wrong_file_is_refused_with_both_hashes(named_folder):
    (named_folder / "sms/SMSSpamCollection.gz").write_bytes(gzip.compress(TINY_SMS + b"ham\tone more\n"))
    with pytest.raises(DatasetError) as error:
        datasets.load("sms")
    expected = hashlib.sha256(TINY_SMS).hexdigest()
    found = hashlib.sha256(TINY_SMS + b"ham\tone more\n").hexdigest()
    assert f"expected content with SHA-256 {expected}, got SHA-256 {found}; replace it" in str(error.value)
    assert str(named_folder / "sms/SMSSpamCollection.gz") in str(error.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:-20],
        lambda raw: raw[:5],
        lambda raw: raw[:15] + b"\0\0\0\0" + raw[19:],
        lambda raw: b"",
        lambda raw: b"<html>Sign in to this network</html>",
        lambda raw: b"PK\x03\x04 not a zip",
    ],
    ids=["truncated", "header only", "overwritten", "empty", "web page", "broken zip"],
)
def test_a_damaged_file_is_refused(named_folder, damage):
    path = named_folder / "sms/SMSSpamCollection.gz"
    path.write_bytes(damage(gzip.compress(TINY_SMS)))
    with pytest.raises(DatasetError, match="is not the published SMSSpamCollection: expected content with SHA"):
        datasets.load("sms")
    # Mended, it loads: the refusal left nothing behind.
    path.write_bytes(gzip.compress(TINY_SMS))
    assert len(datasets.load("sms").y) == 3


def test_a_file_that_cannot_be_read_is_named(named_folder):
    (named_folder / "sms/SMSSpamCollection.gz").mkdir()
    with pytest.raises(DatasetError, match=r"SMSSpamCollection\.gz cannot be read \(Is a directory\)"):
        datasets.load("sms")


# --- downloads into the cache


class _Server(ThreadingHTTPServer):
    """Serves `files` on 127.0.0.1, and counts `requests` by path.

    It takes `slow_s` seconds for each, turns the first `busy` away, and promises `extra` bytes too many.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.requests = {}, Counter()
        self.slow_s, self.busy, self.extra = 0.0, 0, 0

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests[self.path] += 1
        time.sleep(self.server.slow_s)
        body = self.server.files.get(self.path)
        if self.server.busy > 0:
            self.server.busy -= 1
            self.send_error(503)
            return
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + self.server.extra))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(nothing_loaded, monkeypatch, tmp_path):
    """An empty user cache, and PRIVDEMO_DATA unset."""
    monkeypatch.delenv("PRIVDEMO_DATA", raising=False)
    monkeypatch.setattr(files.pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    monkeypatch.setattr(files, "PAUSE_S", 0.0)
    return tmp_path / "cache" / "privdemo"


def _kept(cache):
    """The data files (not the locks) the cache holds."""
    return [path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


def _zip(member, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme", "Read me first.")
        archive.writestr(member, content)
    return buffer.getvalue()


def test_nothing_is_available_without_files_or_network(cache):
    assert [name for name in datasets.DATASETS if datasets.available(name)] == ["digits", "breast_cancer"]
    assert datasets.location("mnist") == cache / "mnist"
    assert datasets.location("digits") is None
    assert not cache.exists()


@pytest.mark.parametrize(
    "wrap",
    [gzip.compress, lambda content: content, lambda content: _zip("SMSSpamCollection", content)],
    ids=["gzip", "plain", "zip"],
)
def test_a_download_is_checked_kept_and_not_repeated(cache, server, monkeypatch, wrap):
    server.files["/sms"] = wrap(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms")])
    assert datasets.load("sms").feature_names == TINY_WORDS
    assert _kept(cache) == ["SMSSpamCollection.gz"]
    assert gzip.decompress((cache / "sms/SMSSpamCollection.gz").read_bytes()) == TINY_SMS
    assert datasets.available("sms")
    datasets._loaded.clear()
    assert len(datasets.load("sms").y) == 3
    assert server.requests == {"/sms": 1}


def test_a_bad_mirror_is_passed_over(cache, server, monkeypatch):
    server.files["/wrong.gz"] = gzip.compress(b"ham\tsomething else\n")
    server.files["/good.gz"] = gzip.compress(TINY_SMS)
    urls = ["http://127.0.0.1:1/refused.gz", *map(server.url, ("/absent.gz", "/wrong.gz", "/good.gz"))]
    _publish_tiny_sms(monkeypatch, urls)
    assert len(datasets.load("sms").y) == 3
    assert server.requests == {"/absent.gz": 1, "/wrong.gz": 1, "/good.gz": 1}


def test_all_mirrors_bad_says_what_was_tried_and_what_to_do(cache, server, monkeypatch):
    server.files["/wrong.gz"] = gzip.compress(b"ham\tsomething else\n")
    urls = [server.url("/absent.gz"), server.url("/wrong.gz"), "http://127.0.0.1:1/refused.gz"]
    _publish_tiny_sms(monkeypatch, urls)
    with pytest.raises(DatasetError) as error:
        datasets.load("sms")
    message = str(error.value)
    assert message.startswith("sms/SMSSpamCollection.gz could not be downloaded. Tried http://")
    for part in (
        *urls,
        "(404 ",
        "(ConnectionError)",
        hashlib.sha256(TINY_SMS).hexdigest(),
        "`python -m privdemo data sms`",
    ):
        assert part in message
    assert "set PRIVDEMO_DATA to a folder that holds sms/SMSSpamCollection.gz" in message
    assert server.requests == {"/absent.gz": files.ATTEMPTS, "/wrong.gz": files.ATTEMPTS}
    assert _kept(cache) == []


def test_a_second_attempt_can_succeed(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    server.busy = 1
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    assert len(datasets.load("sms").y) == 3
    assert server.requests == {"/sms.gz": 2}


def test_a_connection_that_breaks_off_leaves_nothing(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)[:30]
    server.extra = 40
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    with pytest.raises(DatasetError, match="could not be downloaded"):
        datasets.load("sms")
    assert _kept(cache) == []
    assert not datasets.available("sms")


def test_a_damaged_cached_file_is_named_and_fetched_again(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    (cache / "sms").mkdir(parents=True)
    path = cache / "sms/SMSSpamCollection.gz"
    path.write_bytes(gzip.compress(TINY_SMS)[:-9])
    with pytest.warns(UserWarning, match=r"SMSSpamCollection\.gz is not the published .* downloaded again"):
        assert len(datasets.load("sms").y) == 3
    assert gzip.decompress(path.read_bytes()) == TINY_SMS
    assert server.requests == {"/sms.gz": 1}


def test_an_unwritable_cache_has_its_own_sentence(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    cache.parent.mkdir(parents=True)
    cache.write_text("a file where the folder should be")
    with pytest.raises(DatasetError, match=r"the cache folder .* cannot be written to .*PRIVDEMO_DATA"):
        datasets.load("sms")
    assert not server.requests


def test_a_full_disk_leaves_nothing(cache, server, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(DatasetError, match=r"cannot be written to \(No space left on device\)"):
        datasets.load("sms")
    assert _kept(cache) == []


def test_a_lock_held_too_long_is_reported(cache, monkeypatch):
    _publish_tiny_sms(monkeypatch, [])
    monkeypatch.setattr(files, "LOCK_TIMEOUT_S", 0.05)
    (cache / "sms").mkdir(parents=True)
    with (
        files.FileLock(cache / "sms/SMSSpamCollection.gz.lock"),
        pytest.raises(DatasetError, match=r"another process has held .*SMSSpamCollection\.gz\.lock for 0\.05 s"),
    ):
        datasets.load("sms")


def test_a_progress_bar_shows_only_on_request(cache, server, monkeypatch, capsys):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    datasets.load("sms")
    assert capsys.readouterr().err == ""
    (cache / "sms/SMSSpamCollection.gz").unlink()
    datasets._loaded.clear()
    datasets.load("sms", progress=True)
    assert "100%" in capsys.readouterr().err


def test_threads_that_load_at_once_share_one_download_and_one_copy(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    server.slow_s = 0.2
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(datasets.load, ["sms"] * 4))
    assert all(dataset is loaded[0] for dataset in loaded)
    assert server.requests == {"/sms.gz": 1}


_LOAD_IN_A_PROCESS = """
import hashlib, sys
from pathlib import Path
from privdemo import datasets
from privdemo.datasets import files

cache, url, sha256 = sys.argv[1:]
files.pooch.os_cache = lambda project: Path(cache) / project
files.FILES["sms"] = (files.DataFile("sms/SMSSpamCollection.gz", sha256, (url,)),)
print("ready", flush=True)
input()
print(len(datasets.load("sms").y))
"""


def test_processes_that_load_at_once_share_one_download(cache, server):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    server.slow_s = 0.5
    arguments = [cache.parent, server.url("/sms.gz"), hashlib.sha256(TINY_SMS).hexdigest()]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _LOAD_IN_A_PROCESS, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    # Both have imported everything before either may start.
    assert [process.stdout.readline() for process in processes] == ["ready\n", "ready\n"]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate(timeout=30)[0] for process in processes] == ["3\n", "3\n"]
    assert server.requests == {"/sms.gz": 1}
    assert _kept(cache) == ["SMSSpamCollection.gz"]


def test_every_published_file_has_a_hash_and_several_mirrors():
    every = [file for group in files.FILES.values() for file in group]
    assert len(every) == 7
    assert len({file.sha256 for file in every}) == 7
    for file in every:
        assert len(file.sha256) == 64
        assert len(file.urls) >= 2
        assert all(url.startswith("https://") for url in file.urls)


def test_another_folder_is_another_copy(named_folder, monkeypatch, tmp_path):
    (named_folder / "sms/SMSSpamCollection.gz").write_bytes(gzip.compress(TINY_SMS))
    first = datasets.load("sms")
    other = TINY_SMS + b"spam\tWIN more\n"
    published = replace(files.FILES["sms"][0], sha256=hashlib.sha256(other).hexdigest())
    monkeypatch.setitem(files.FILES, "sms", (published,))
    (tmp_path / "elsewhere/sms").mkdir(parents=True)
    (tmp_path / "elsewhere/sms/SMSSpamCollection.gz").write_bytes(gzip.compress(other))
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path / "elsewhere"))
    assert (len(first.y), len(datasets.load("sms").y)) == (3, 4)
