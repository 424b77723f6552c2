"""Builders, which make a `Dataset` of a publisher's files or of scikit-learn's copies."""

from __future__ import annotations

import csv
import io
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.feature_extraction.text import CountVectorizer

from privdemo.datasets.dataset import Dataset

ADULT_NUMERIC = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
)
# With up to this many states for a number the discretised Adult has the 338 columns of the label-proportions slides.
ADULT_STATES = 44

Block = tuple[NDArray[np.uint8], list[str]]


def build_mnist(train_images: bytes, train_labels: bytes, test_images: bytes, test_labels: bytes) -> Dataset:
    """MNIST: 70,000 pictures of handwritten digits, 28 × 28 grey levels 0 (paper) … 255 (ink).

    The arguments are the four IDX files: a header of 16 bytes (images) or 8 bytes (labels), then one byte a
    value. The files are verified before, so that their headers need not be read.
    """
    images = [np.frombuffer(part, np.uint8, offset=16).reshape(-1, 784) for part in (train_images, test_images)]
    labels = [np.frombuffer(part, np.uint8, offset=8) for part in (train_labels, test_labels)]
    return Dataset(
        name="mnist",
        title="MNIST handwritten digits",
        X=np.concatenate(images),
        y=np.concatenate(labels, dtype=np.int64),
        feature_names=_pixel_names(28, 28),
        class_names=tuple("0123456789"),
        n_states=np.full(784, 256),
        image_shape=(28, 28),
        n_train=len(labels[0]),
        source="LeCun, Cortes and Burges, The MNIST database of handwritten digits (1998), "
        "http://yann.lecun.com/exdb/mnist/",
        licence="CC BY-SA 3.0",
    )


def build_digits() -> Dataset:
    """scikit-learn's digits: 1,797 pictures, 8 × 8 pixels that count 0 … 16 inked points each."""
    bunch = load_digits()
    return Dataset(
        name="digits",
        title="Small handwritten digits",
        X=bunch.data.astype(np.uint8),
        y=bunch.target.astype(np.int64),
        feature_names=_pixel_names(8, 8),
        class_names=tuple("0123456789"),
        n_states=np.full(64, 17),
        image_shape=(8, 8),
        n_train=None,
        source="Alpaydin and Kaynak, Optical Recognition of Handwritten Digits (1998), UCI Machine Learning "
        "Repository, https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits",
        licence="CC BY 4.0",
    )


def build_breast_cancer() -> Dataset:
    """scikit-learn's breast cancer: 569 tumours, 30 continuous measures of cell nuclei."""
    bunch = load_breast_cancer()
    return Dataset(
        name="breast_cancer",
        title="Breast cancer (Wisconsin, diagnostic)",
        X=bunch.data.astype(np.float64),
        y=bunch.target.astype(np.int64),
        feature_names=tuple(map(str, bunch.feature_names)),
        class_names=tuple(map(str, bunch.target_names)),
        n_states=None,
        image_shape=None,
        n_train=None,
        source="Wolberg, Mangasarian, Street and Street, Breast Cancer Wisconsin (Diagnostic) (1993), UCI "
        "Machine Learning Repository, https://archive.ics.uci.edu/dataset/17/breast+cancer+wisconsin+diagnostic",
        licence="CC BY 4.0",
    )


def build_adult(train_csv: bytes, test_csv: bytes) -> Dataset:
    """Adult census income: 48,842 people, 14 attributes as one-hot states; class 1 earns over $50,000.

    A category is a state, "?" (unknown) among them. A number's states are intervals that hold equally many of
    its distinct values, so that capital gains, nine in ten of which are 0, keep their tail apart. Categories and values
    are those of the training rows alone; a category they lack would have no state.
    """
    train, test = _adult_rows(train_csv), _adult_rows(test_csv)
    *columns, labels = (np.array(column) for column in zip(*train, *test, strict=True))
    blocks, names = zip(
        *(_adult_block(*column, len(train)) for column in zip(ADULT_COLUMNS, columns, strict=True)),
        strict=True,
    )
    X = np.hstack(blocks)
    return Dataset(
        name="adult",
        title="Adult census income",
        X=X,
        # The test file ends each label in a full stop.
        y=(np.char.rstrip(labels, ".") == ">50K").astype(np.int64),
        feature_names=tuple(name for block_names in names for name in block_names),
        class_names=("<=50K", ">50K"),
        n_states=np.full(X.shape[1], 2),
        image_shape=None,
        n_train=len(train),
        source="Becker and Kohavi, Adult (1996), UCI Machine Learning Repository, "
        "https://archive.ics.uci.edu/dataset/2/adult",
        licence="CC BY 4.0",
    )


def build_sms(collection: bytes) -> Dataset:
    """SMS Spam Collection: 5,574 messages as a sparse binary bag of words; class 1 is spam.

    A word is what stands between white space, as written (capitals and punctuation help to find spam). Kept
    are the words of at least two messages; no label is used, but the vocabulary is that of all messages.
    """
    lines = collection.decode("utf-8").removesuffix("\n").split("\n")
    labels, messages = zip(*(line.split("\t", maxsplit=1) for line in lines), strict=True)
    words = CountVectorizer(binary=True, lowercase=False, token_pattern=r"\S+", min_df=2, dtype=np.uint8)
    X = csr_array(words.fit_transform(messages))
    return Dataset(
        name="sms",
        title="SMS spam",
        X=X,
        y=(np.array(labels) == "spam").astype(np.int64),
        feature_names=tuple(map(str, words.get_feature_names_out())),
        class_names=("ham", "spam"),
        n_states=np.full(X.shape[1], 2),
        image_shape=None,
        n_train=None,
        source="Almeida and Hidalgo, SMS Spam Collection (2011), UCI Machine Learning Repository, "
        "https://archive.ics.uci.edu/dataset/228/sms+spam+collection",
        licence="CC BY 4.0",
    )


def _pixel_names(height: int, width: int) -> tuple[str, ...]:
    return tuple(f"pixel {row},{column}" for row in range(height) for column in range(width))


def _adult_rows(text: bytes) -> list[list[str]]:
    """Return the rows of one Adult file: 14 attributes and the label; without comments ("|…") and blank lines."""
    rows = csv.reader(io.StringIO(text.decode("ascii")), skipinitialspace=True)
    return [row for row in rows if row and not row[0].startswith("|")]


def _adult_block(name: str, values: NDArray[np.str_], n_train: int) -> Block:
    """Return the one-hot columns of one attribute and their names."""
    if name in ADULT_NUMERIC:
        return _interval_block(name, values.astype(np.int64), n_train)
    categories = np.unique(values[:n_train])
    return _one_hot(values, categories), [f"{name} = {category}" for category in categories]


def _interval_block(name: str, values: NDArray[np.int64], n_train: int) -> Block:
    distinct = np.unique(values[:n_train])
    starts = np.unique(np.arange(1, ADULT_STATES) * len(distinct) // ADULT_STATES)
    interior = distinct[starts[starts > 0]]
    names = [f"{name} < {interior[0]}"]
    names += [f"{name} in [{low}, {high})" for low, high in pairwise(interior)]
    names += [f"{name} >= {interior[-1]}"]
    states = np.searchsorted(interior, values, side="right")
    return _one_hot(states, np.arange(len(names))), names


def _one_hot(values: NDArray[np.generic], states: NDArray[np.generic]) -> NDArray[np.uint8]:
    return (values[:, None] == states).astype(np.uint8)
