"""A visitor's own files: what is read of them, and every way in which one can be refused."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib import format as npy
from sklearn.datasets import load_breast_cancer, load_digits

from privdemo import datasets, limits
from privdemo.datasets import Dataset, OwnDataError
from privdemo.experiments import class_ratio, comparison, label_proportions, training
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import FULL, NAMES


def table(rows: list[str] | None = None, header: str = "size,colour,kind", n: int = 120) -> bytes:
    """A file of `rows`, or of n records of two kinds, sizes 0 … n − 1 and two colours."""
    plain = [f"{i},{'red' if i % 3 else 'blue'},{'dog' if i % 2 else 'cat'}" for i in range(n)]
    return "\n".join([header, *(rows or []), *plain]).encode()


def archive(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


IMAGES = np.tile(np.arange(120, dtype=np.uint8)[:, None, None], (1, 4, 5))
KINDS = np.arange(120) % 2


# --- what is read --------------------------------------------------------------------------------


def test_a_table_is_read_with_numbers_in_steps_and_categories_in_columns():
    data = datasets.from_csv(table(), name="pets.csv")
    assert data.name == "pets.csv"
    assert data.class_names == ("cat", "dog")
    assert data.image_shape is None
    assert data.feature_names == ("size", "colour = blue", "colour = red")
    sizes = np.arange(120)
    np.testing.assert_array_equal(data.X[:, 0], np.rint(sizes / 119 * 255))
    np.testing.assert_array_equal(data.X[:, 1:], np.stack((sizes % 3 == 0, sizes % 3 > 0), axis=1) * 255)
    np.testing.assert_array_equal(data.y, sizes % 2)
    np.testing.assert_allclose(data.unit()[:, 0], sizes / 119, atol=0.5 / 255)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_separators_line_ends_quotes_and_marks_of_other_programs_are_read(delimiter, newline, mark):
    text = table([f'7,"light{delimiter} blue",cat']).decode()
    first, second, rest = text.split("\n", 2)
    body = "\n".join((first.replace(",", delimiter), second, rest.replace(",", delimiter)))
    body = body.replace("7,", f"7{delimiter}").replace('",cat', f'"{delimiter}cat').replace("\n", newline)
    data = datasets.from_csv(mark + body.encode() + newline.encode() * 2)
    assert f"colour = light{delimiter.replace(chr(9), '')} blue" in data.feature_names
    assert len(data.y) == 121


def test_any_column_can_be_the_label_and_numbers_are_classes_in_their_order():
    rows = [f"{grade},{i},x{i % 2}" for i in range(61) for grade in (10, 9, 2)]
    data = datasets.from_csv("\n".join(["grade,age,other", *rows]).encode(), "grade")
    assert data.class_names == ("2", "9", "10")
    assert data.feature_names == ("age", "other = x0", "other = x1")
    assert np.bincount(data.y).tolist() == [61, 61, 61]


def test_a_column_that_never_changes_is_left_out_and_a_range_beyond_floats_is_none():
    rows = [f"5,{(-1) ** i * 1.7e308},{'ab'[i % 2]}" for i in range(120)]
    data = datasets.from_csv("\n".join(["same,huge,kind", *rows]).encode())
    assert data.feature_names == ("huge",)
    assert set(data.X[:, 0].tolist()) == {0, 255}


def test_names_are_plain():
    rows = [f"{i},<=5$ `*a*` [x](y),{'<b>yes</b>' if i % 2 else 'no|' + 'o' * 99}" for i in range(120)]
    data = datasets.from_csv("\n".join(["a,b,c", *rows, *rows[:1]]).replace("5$ ", "6$ ", 30).encode(), name="<i>.csv")
    names = " ".join((*data.feature_names, *data.class_names, data.title))
    assert not set(names) & set("<>&$`*[]|")
    assert all(len(name) <= 40 for name in (*data.class_names, data.title))


@pytest.mark.parametrize(
    ("images", "levels", "first"),
    [
        (IMAGES, 120, 119),
        (IMAGES.astype(np.int64) * 2, 239, 238),
        (IMAGES > 30, 2, 1),
        (IMAGES / 119, 256, 255),
        (IMAGES.astype(float), 120, 119),
        (IMAGES[..., None], 120, 119),
    ],
)
def test_images_are_read_in_their_own_grey_levels(images, levels, first):
    data = datasets.from_npz(archive(images=images, labels=np.where(KINDS, "dog", "cat")))
    assert data.image_shape == (4, 5)
    assert data.class_names == ("cat", "dog")
    assert (data.n_states == levels).all()
    assert data.X.max() == first
    assert data.X.dtype == np.uint8
    np.testing.assert_array_equal(data.y, KINDS)


def test_one_class_against_the_rest():
    digits = load_digits()
    data = datasets.from_npz(archive(X=digits.images, y=digits.target))
    two = data.one_against_rest("3")
    assert two.class_names == ("not 3", "3")
    np.testing.assert_array_equal(two.y, digits.target == 3)
    assert datasets.from_csv(table()).one_against_rest("cat").class_names == ("dog", "cat")
    with pytest.raises(ValueError, match="unknown class 'x'"):
        data.one_against_rest("x")


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty; its first line must name the columns"),
        (b"\n\n", "the file is empty"),
        (table() + b"\n1,\xff,dog", "line 122 is not UTF-8 text; save the file as CSV in UTF-8"),
        (table() + b"\n1,\0,dog", "the file holds zero bytes"),
        (table(["3,red"]), "line 2 has 2 fields, the header has 3"),
        (table(['3,"red,dog']), "cannot be read"),
        (table(header="size"), "the header names one column only, “size”"),
        (table(header="size,,kind"), "column 2 has no name in the header; give it one"),
        (table(header="size,size,kind"), "2 columns are called “size”; give each its own name"),
        (table(header="1,2,3"), "the first line holds numbers only; it must name the columns"),
        (table(n=119), "a file must have 120 to 50,000 rows under its header, got 119; bring more records"),
        (table(["1,red,"]), "line 2 of the label column “kind” says nothing; fill it in, or leave the row out"),
        (table(["1,red,fox"]), "class “fox” of the label column “kind” has 1 record; every class needs 60"),
        (table(["none,red,dog"]), "line 2, column “size” says “none”, which is no finite number"),
        (table(["nan,red,dog"]), "line 2, column “size” says “nan”, which is no finite number"),
        (table(["1e999,red,dog"]), "line 2, column “size” says “1e999”, which is no finite number"),
        (table([",red,dog"]), "line 2, column “size” says nothing, while most of the column are numbers"),
        (
            "\n".join(["id,kind", *(f"person {i},{'ab'[i % 2]}" for i in range(120))]).encode(),
            "column “id” has 120 different texts, more than 50; leave it out",
        ),
        (
            "\n".join(["size,kind", *(f"1,{'ab'[i % 2]}" for i in range(120))]).encode(),
            "besides the label “kind” no column changes from row to row",
        ),
        (
            "\n".join(["size,kind", *(f"{i},{i}" for i in range(120))]).encode(),
            "the label column “kind” must have 2 to 20 different values, got 120",
        ),
        (
            "\n".join(["size,kind", *(f"{i},{'a*' if i % 2 else 'a∗'}" for i in range(120))]).encode(),
            "has classes that look alike, “a∗”",
        ),
        (b"a" * 20_000_001, "the file has 20,000,001 bytes, more than 20,000,000; bring fewer records or columns"),
    ],
)
def test_a_table_is_refused_with_what_is_wrong_where(content, sentence):
    with pytest.raises(OwnDataError) as refusal:
        datasets.from_csv(content)
    assert sentence in str(refusal.value)


def test_a_label_that_is_no_column_is_refused():
    with pytest.raises(OwnDataError, match="there is no column “race”; there are size, colour, kind"):
        datasets.from_csv(table(), "race")


def test_too_many_rows_columns_and_values_are_refused(monkeypatch):
    with pytest.raises(OwnDataError, match="got more than 50,000"):
        datasets.from_csv(table(n=50_001))
    wide = ",".join(f"c{i}" for i in range(301))
    with pytest.raises(OwnDataError, match=r"columns in the file must be a whole number in \[2, 300\], got 301"):
        datasets.from_csv(f"{wide}\n".encode())
    monkeypatch.setattr(datasets.own.limits, "OWN_VALUES", limits.Limit("values", 1, 100, integer=True))
    with pytest.raises(OwnDataError, match="120 records of 2 values are more than 100 values"):
        datasets.from_csv(table())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty; make one with numpy.savez"),
        (b"no archive", "the file is no .npz archive; make one with numpy.savez"),
        (archive(a=KINDS), "there is no array called X or images or x or data; the archive holds a"),
        (archive(X=IMAGES), "there is no array called y or labels or target"),
        (archive(X=IMAGES, y=KINDS[:-1]), "array y must have 120 to 50,000 records, got 119; bring more"),
        (archive(X=np.tile(IMAGES, (2, 1, 1)), y=KINDS), "there are 240 images but 120 labels"),
        (archive(X=IMAGES[:, 0], y=KINDS), "array X must have shape (n, rows, columns), got (120, 5); reshape it"),
        (archive(X=IMAGES, y=KINDS[:, None]), "array y must have shape (n,), got (120, 1)"),
        (archive(X=IMAGES[:, :1], y=KINDS), "images must have 2 to 64 rows and columns, got 1 × 5"),
        (
            archive(X=np.stack([IMAGES] * 3, axis=3), y=KINDS),
            "images must be grey, one value a pixel, got 3 (this looks like colour)",
        ),
        (
            archive(X=IMAGES.astype(int) * 5, y=KINDS),
            "images of whole numbers must lie between 0 and 255, got 0 to 595",
        ),
        (archive(X=IMAGES.astype(int) - 1, y=KINDS), "must lie between 0 and 255, got -1 to 118"),
        (archive(X=IMAGES / 40, y=KINDS), "images of decimal numbers must lie between 0 and 1, got 0 to 2.975"),
        (archive(X=np.where(IMAGES, np.nan, 0.5), y=KINDS), "image 2 holds a value that is no finite number"),
        (archive(X=IMAGES * 0, y=KINDS), "all pixels of all images are the same"),
        (
            archive(X=IMAGES, y=KINDS / 3),
            "array y must be of whole numbers or texts, no Python objects, got float64; save it as such",
        ),
        (archive(X=IMAGES, y=np.arange(120)), "the labels must have 2 to 20 different values, got 120"),
        (
            archive(X=IMAGES, y=np.array([{}] * 120)),
            "array y must be of whole numbers or texts, no Python objects, got object",
        ),
        (
            archive(X=IMAGES.astype(complex), y=KINDS),
            "array X must be of numbers or booleans, no Python objects, got complex128",
        ),
        (
            archive(X=np.zeros((120, 400, 400), np.uint8), y=KINDS),
            "120 records of 160,000 values are more than 10,000,000",
        ),
        (archive(**{f"a{i}": KINDS for i in range(11)}), "the archive holds 11 arrays, more than 10"),
        (
            archive(X=np.zeros((101, 1000, 1000), np.uint8)),
            "unpacked the archive would be 101,000,128 bytes, more than 100,000,000; keep fewer",
        ),
    ],
)
def test_an_archive_is_refused_with_what_is_wrong(content, sentence):
    with pytest.raises(OwnDataError) as refusal:
        datasets.from_npz(content)
    assert sentence in str(refusal.value)


class _Runs:
    """What runs where it is unpickled."""

    def __reduce__(self):
        return print, ("this must never run",)


def test_nothing_in_an_archive_is_ever_run(capsys):
    evil = np.array([_Runs()] * 120, dtype=object)
    for arrays in ({"X": evil, "y": KINDS}, {"X": IMAGES, "y": evil}):
        with pytest.raises(OwnDataError, match="no Python objects"):
            datasets.from_npz(archive(**arrays))
    assert not capsys.readouterr().out


def _with_header(shape: tuple[int, ...], data: bytes) -> bytes:
    """An archive whose X says that it is of `shape`, whatever it holds."""
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": shape})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("X.npy", header.getvalue() + data)
        labels = io.BytesIO()
        npy.write_array(labels, KINDS)
        file.writestr("y.npy", labels.getvalue())
    return buffer.getvalue()


def test_a_header_that_lies_about_sizes_is_refused_before_anything_is_made_of_it():
    assert len(datasets.from_npz(_with_header((120, 4, 5), IMAGES.tobytes())).y) == 120
    for shape, sentence in (
        ((120, 4, 6), "but holds another number of values"),
        ((10**12, 4, 5), "are more than 10,000,000 values"),
        ((120, -4, -5), "array X"),
    ):
        with pytest.raises(OwnDataError, match=sentence):
            datasets.from_npz(_with_header(shape, IMAGES.tobytes()))
    damaged = bytearray(_with_header((120, 4, 5), IMAGES.tobytes()))
    damaged[400] ^= 255
    with pytest.raises(OwnDataError, match="array X cannot be read"):
        datasets.from_npz(bytes(damaged))


def _packed(X: bytes, y: bytes) -> bytes:
    """An archive of two members, whatever they hold, with sums that are right."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("X.npy", X)
        file.writestr("y.npy", y)
    return buffer.getvalue()


def _saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    npy.write_array(buffer, array)
    return buffer.getvalue()


DAMAGE = st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 255)), min_size=1, max_size=8)


@given(DAMAGE, st.integers(0, 200), st.sampled_from(["table", "archive", "images", "kinds"]))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(damage, lost, which):
    whole = {"table": table(), "archive": archive(X=IMAGES, y=KINDS), "images": _saved(IMAGES), "kinds": _saved(KINDS)}
    content = bytearray(whole[which])
    for place, change in damage:  # most of it in headers
        content[place % min(len(content), 300)] ^= change
    damaged = bytes(content[: len(content) - lost])
    if which == "images":
        damaged = _packed(damaged, whole["kinds"])
    elif which == "kinds":
        damaged = _packed(whole["images"], damaged)
    read = datasets.from_csv if which == "table" else datasets.from_npz
    with suppress(OwnDataError):  # anything else fails
        data = read(damaged)
        assert data.X.shape[0] == len(data.y) >= 120
        assert data.n_classes >= 2


@pytest.mark.parametrize(
    "header", [b"{'descr': ('<f4',", b"{'descr': '|u1', 'fortran_order': False, 'shape': (120, 4, 5), }}", b"\x00\xff"]
)
def test_a_header_that_is_none_is_refused(header):
    array = npy.magic(1, 0) + len(header).to_bytes(2, "little") + header
    for version in (b"\x01\x00", b"\x02\x09", b"\x03\x00"):
        with pytest.raises(OwnDataError, match="array X cannot be read"):
            datasets.from_npz(_packed(array[:6] + version + array[8:], _saved(KINDS)))


def test_texts_that_are_none_are_refused():
    labels = np.where(KINDS, b"\xff", b"\xfe")
    with pytest.raises(OwnDataError, match="cannot be read"):
        datasets.from_npz(archive(X=IMAGES, y=labels))
    with pytest.raises(OwnDataError, match="array y holds texts of more than 100 letters; shorten them"):
        datasets.from_npz(archive(X=IMAGES, y=np.where(KINDS, "a", "b" * 101)))


def test_an_archive_packed_in_another_way_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("X.npy", _saved(IMAGES))
    with pytest.raises(OwnDataError, match=r"packed in an unusual way; save it with numpy.savez_compressed"):
        datasets.from_npz(buffer.getvalue())


def test_what_a_column_loses_is_said():
    rows = [f"{i if i else 10**6},{'ab'[i % 2]}" for i in range(200)]
    (note,) = datasets.from_csv("\n".join(["size,kind", *rows]).encode()).notes
    assert "numbers of “size” fall on 2 of 256 steps from 1 to 1e+06" in note
    assert not datasets.from_csv(table()).notes
    (note,) = datasets.from_csv(table(["200,,cat"])).notes
    assert note == "“colour” says nothing in 1 of 121 rows: a category of its own."
    commas = "\n".join(["size;kind", *(f"{i},5;{'ab'[i % 2]}" for i in range(120))])
    with pytest.raises(OwnDataError, match=r"column “size” has numbers with decimal commas; write 1.5 for 1,5"):
        datasets.from_csv(commas.encode())


def test_long_texts_take_no_more_memory_than_they_have():
    rows = [f"{i},{'long' * 200 if i == 7 else 'red'},{'ab'[i % 2]}" for i in range(20_000)]
    tracemalloc.start()
    data = datasets.from_csv("\n".join(["size,colour,kind", *rows]).encode())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(data.feature_names) == 3
    assert peak < 40e6
    with pytest.raises(OwnDataError, match="line 2 has a field of more than 1,000 letters; shorten it"):
        datasets.from_csv(table([f"1,{'x' * 1001},dog"]))


def test_lines_are_those_of_the_file():
    content = table(["", "none,red,dog", ""]).replace(b"size,colour", b'"si\nze",colour', 1)
    with pytest.raises(OwnDataError, match="line 4, column “si ze” says “none”"):
        datasets.from_csv(content)


# --- what is done with it ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tumours() -> Dataset:
    """Breast cancer as somebody's own file: ten measures and one category."""
    bunch = load_breast_cancer()
    rows = [
        ",".join([*(f"{value:.6g}" for value in record[:10]), "big" if record[3] > 600 else "small", "MB"[kind]])
        for record, kind in zip(bunch.data, bunch.target, strict=True)
    ]
    header = ",".join([*(name.replace(" ", "_") for name in bunch.feature_names[:10]), "bulk", "kind"])
    return datasets.from_csv("\n".join([header, *rows]).encode(), name="tumours.csv")


def test_every_experiment_learns_from_a_visitors_own_records(tumours):
    pixels = RandomisedResponse(0.2, 256)
    trained = training.run(TrainingConfig(tumours, tumours.class_names, 100, pixels, methods=("spread",)))
    assert trained.fits["clean"].accuracy > 0.85
    bags = label_proportions.run(BagConfig(tumours, 15, 20, methods=(NAMES,)))
    assert bags.fits[NAMES].f1["half"].average > 0.8
    assert bags.fits[FULL].f1["half"].average > 0.85
    ratio = class_ratio.run(RatioConfig(tumours, 2, 80))
    assert ratio.config.labels == ("B", "M")
    assert ratio.fits["spread"].errors[4] < 0.25
    compared = comparison.run(ComparisonConfig(dataset=tumours, n_train=100, epsilon=4, methods=("clean", "spread")))
    assert compared.fits["spread"].marks["accuracy"] > 0.75


def test_what_cannot_be_asked_of_own_records_is_said(tumours):
    digits = load_digits()
    ten = datasets.from_npz(archive(X=digits.images, y=digits.target))
    for make in (BagConfig, lambda dataset: ComparisonConfig(dataset=dataset)):
        with pytest.raises(ValueError, match=r"own.npz has 10 classes and two are needed; name the one that is asked"):
            make(ten)
    with pytest.raises(ValueError, match=r"records of tumours.csv cannot be private here: only pixels are flipped"):
        ComparisonConfig(dataset=tumours, private="records")
    assert ComparisonConfig(dataset=ten.one_against_rest("3"), private="records").pixels.n_states == 17
    with pytest.raises(ValueError, match=r"n_classes must be a whole number in \[2, 2\], got 3"):
        RatioConfig(tumours, 3)
    with pytest.raises(ValueError, match=r"tumours.csv has no more of B and M"):
        training.run(TrainingConfig(tumours, ("B", "M"), 500, RandomisedResponse(0.2, 256)))


def test_nothing_is_kept_of_own_records_but_of_names(tumours):
    label_proportions.n_training(tumours)
    assert label_proportions.records(tumours)[0].X is not label_proportions.records(tumours)[0].X
    assert label_proportions.records("digits")[0].X is label_proportions.records("digits")[0].X
