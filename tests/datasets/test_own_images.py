"""A visitor's own images: what is read of an archive, and hostile archives, which are refused unread."""

import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib import format as npy

from privdemo import datasets
from privdemo.datasets import OwnDataError
from tests.datasets.own_files import IMAGES, KINDS, archive, packed, saved, table


@pytest.mark.parametrize(
    ("images", "levels", "greatest"),
    [
        (IMAGES, 120, 119),
        (IMAGES.astype(np.int64) * 2, 239, 238),
        (IMAGES > 30, 2, 1),
        (IMAGES / 119, 256, 255),
        (IMAGES.astype(float), 120, 119),
        (IMAGES[..., None], 120, 119),
    ],
)
def test_images_are_read_in_their_own_grey_levels(images, levels, greatest):
    data = datasets.from_npz(archive(images=images, labels=np.where(KINDS, "dog", "cat")))
    assert (data.image_shape, data.class_names) == ((4, 5), ("cat", "dog"))
    assert (data.n_states == levels).all()
    assert (data.X.max(), data.X.dtype) == (greatest, np.uint8)
    np.testing.assert_array_equal(data.y, KINDS)


def test_one_class_against_the_rest():
    kinds = np.arange(180) % 3
    two = datasets.from_npz(archive(X=np.arange(720).reshape(180, 2, 2) % 256, y=kinds)).one_against_rest("1")
    assert two.class_names == ("not 1", "1")
    np.testing.assert_array_equal(two.y, kinds == 1)
    assert datasets.from_csv(table()).one_against_rest("cat").class_names == ("dog", "cat")


class Runs:
    """What runs where it is unpickled."""

    def __reduce__(self):
        return print, ("this must never run",)


WHOLE = packed(saved(IMAGES), saved(KINDS))
FLIPPED = WHOLE[:400] + bytes([WHOLE[400] ^ 255]) + WHOLE[401:]
EVIL = np.array([Runs()] * 120, dtype=object)
NO_IMAGES = "array X must be of numbers or booleans, no Python objects, got "
NO_LABELS = "array y must be of whole numbers or texts, no Python objects, got "


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
        (archive(X=np.stack([IMAGES] * 3, 3), y=KINDS), "must be grey, one value a pixel, got 3 (this looks like col"),
        (archive(X=IMAGES.astype(int) * 5, y=KINDS), "of whole numbers must lie between 0 and 255, got 0 to 595"),
        (archive(X=IMAGES.astype(int) - 1, y=KINDS), "must lie between 0 and 255, got -1 to 118"),
        (archive(X=IMAGES / 40, y=KINDS), "images of decimal numbers must lie between 0 and 1, got 0 to 2.975"),
        (archive(X=np.where(IMAGES, np.nan, 0.5), y=KINDS), "image 2 holds a value that is no finite number"),
        (archive(X=IMAGES * 0, y=KINDS), "all pixels of all images are the same"),
        (archive(X=IMAGES, y=np.arange(120)), "the labels must have 2 to 20 different values, got 120"),
        (archive(X=np.zeros((120, 400, 400), np.uint8), y=KINDS), "120 records of 160,000 values are more than 10,000"),
        (archive(**{f"a{i}": KINDS for i in range(11)}), "the archive holds 11 arrays, more than 10"),
        (archive(X=np.zeros((101, 1000, 1000), np.uint8)), "would be 101,000,128 bytes, more than 100,000,000; keep"),
        # other types, objects above all, which are never unpickled
        (archive(X=IMAGES, y=KINDS / 3), f"{NO_LABELS}float64; save it as such"),
        (archive(X=IMAGES.astype(complex), y=KINDS), f"{NO_IMAGES}complex128"),
        (archive(X=EVIL, y=KINDS), f"{NO_IMAGES}object"),
        (archive(X=IMAGES, y=EVIL), f"{NO_LABELS}object"),
        # headers that lie about sizes, and damaged data
        (packed(saved(IMAGES, (120, 4, 6)), saved(KINDS)), "but holds another number of values"),
        (packed(saved(IMAGES, (10**12, 4, 5)), saved(KINDS)), "are more than 10,000,000 values"),
        (packed(saved(IMAGES, (120, -4, -5)), saved(KINDS)), "array X says it is (120, -4, -5)"),
        (FLIPPED, "array X cannot be read"),
        (packed(saved(IMAGES), saved(KINDS), zipfile.ZIP_LZMA), "in an unusual way; save it with numpy.savez_compres"),
        # texts
        (archive(X=IMAGES, y=np.where(KINDS, b"\xff", b"\xfe")), "cannot be read"),
        (archive(X=IMAGES, y=np.where(KINDS, "a", "b" * 101)), "array y holds texts of more than 100 letters; shorten"),
    ],
    # An archive holds the time it was made: as a name it would differ from worker to worker.
    ids=lambda value: "archive" if isinstance(value, bytes) else value,
)
def test_an_archive_is_refused_with_what_is_wrong_and_never_run(content, sentence, capsys):
    with pytest.raises(OwnDataError) as refusal:
        datasets.from_npz(content)
    assert sentence in str(refusal.value)
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    "header", [b"{'descr': ('<f4',", b"{'descr': '|u1', 'fortran_order': False, 'shape': (120, 4, 5), }}", b"\x00\xff"]
)
@pytest.mark.parametrize("version", [b"\x01\x00", b"\x02\x09", b"\x03\x00"])
def test_a_header_that_is_none_is_refused(header, version):
    array = npy.magic(1, 0)[:6] + version + len(header).to_bytes(2, "little") + header
    with pytest.raises(OwnDataError, match="array X cannot be read"):
        datasets.from_npz(packed(array, saved(KINDS)))


DAMAGE = st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 255)), min_size=1, max_size=8)
SOUND = {"table": table(), "archive": archive(X=IMAGES, y=KINDS), "images": saved(IMAGES), "kinds": saved(KINDS)}


@given(DAMAGE, st.integers(0, 200), st.sampled_from(list(SOUND)))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(damage, lost, which):
    content = bytearray(SOUND[which])
    for place, change in damage:  # most of it in headers
        content[place % min(len(content), 300)] ^= change
    damaged = SOUND | {which: bytes(content[: len(content) - lost])}
    with suppress(OwnDataError):  # anything else fails
        if which in ("images", "kinds"):
            data = datasets.from_npz(packed(damaged["images"], damaged["kinds"]))
        else:
            data = (datasets.from_csv if which == "table" else datasets.from_npz)(damaged[which])
        assert data.X.shape[0] == len(data.y) >= 120
        assert data.n_classes >= 2
