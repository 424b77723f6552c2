"""A visitor's own images: what is read of an archive, and hostile archives, which are refused unread."""

import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib import format as npy
from sklearn.datasets import load_digits

from privdemo import datasets
from privdemo.datasets import OwnDataError
from tests.datasets.own_files import IMAGES, KINDS, archive, packed, saved, table, with_header


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


def test_a_header_that_lies_about_sizes_is_refused_before_anything_is_made_of_it():
    assert len(datasets.from_npz(with_header((120, 4, 5), IMAGES.tobytes())).y) == 120
    for shape, sentence in (
        ((120, 4, 6), "but holds another number of values"),
        ((10**12, 4, 5), "are more than 10,000,000 values"),
        ((120, -4, -5), "array X"),
    ):
        with pytest.raises(OwnDataError, match=sentence):
            datasets.from_npz(with_header(shape, IMAGES.tobytes()))
    damaged = bytearray(with_header((120, 4, 5), IMAGES.tobytes()))
    damaged[400] ^= 255
    with pytest.raises(OwnDataError, match="array X cannot be read"):
        datasets.from_npz(bytes(damaged))


DAMAGE = st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 255)), min_size=1, max_size=8)


@given(DAMAGE, st.integers(0, 200), st.sampled_from(["table", "archive", "images", "kinds"]))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(damage, lost, which):
    whole = {"table": table(), "archive": archive(X=IMAGES, y=KINDS), "images": saved(IMAGES), "kinds": saved(KINDS)}
    content = bytearray(whole[which])
    for place, change in damage:  # most of it in headers
        content[place % min(len(content), 300)] ^= change
    damaged = bytes(content[: len(content) - lost])
    if which == "images":
        damaged = packed(damaged, whole["kinds"])
    elif which == "kinds":
        damaged = packed(whole["images"], damaged)
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
            datasets.from_npz(packed(array[:6] + version + array[8:], saved(KINDS)))


def test_texts_that_are_none_are_refused():
    labels = np.where(KINDS, b"\xff", b"\xfe")
    with pytest.raises(OwnDataError, match="cannot be read"):
        datasets.from_npz(archive(X=IMAGES, y=labels))
    with pytest.raises(OwnDataError, match="array y holds texts of more than 100 letters; shorten them"):
        datasets.from_npz(archive(X=IMAGES, y=np.where(KINDS, "a", "b" * 101)))


def test_an_archive_packed_in_another_way_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("X.npy", saved(IMAGES))
    with pytest.raises(OwnDataError, match=r"packed in an unusual way; save it with numpy.savez_compressed"):
        datasets.from_npz(buffer.getvalue())
