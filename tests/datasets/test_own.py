"""A visitor’s own tables and images: what is read of them, and every way in which one is refused, unread if hostile."""

import io
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib import format as npy

from privdemo import datasets
from privdemo.datasets import OwnDataError

IMAGES = np.tile(np.arange(120, dtype=np.uint8)[:, None, None], (1, 4, 5))
KINDS = np.arange(120) % 2


def table(rows=(), header="size,colour,kind", n=120):
    """A file of `rows`, then n records of two kinds, sizes 0 … n − 1 and two colours."""
    plain = [f"{i},{'red' if i % 3 else 'blue'},{'dog' if i % 2 else 'cat'}" for i in range(n)]
    return "\n".join([header, *rows, *plain]).encode()


def archive(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def packed(X, y, how=zipfile.ZIP_STORED):
    """An archive of two members, whatever they hold, with sums that are right."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as file:
        file.writestr("X.npy", X)
        file.writestr("y.npy", y)
    return buffer.getvalue()


def saved(array, shape=None):
    """The array as a member of an archive, with a header that may say another shape."""
    header = npy.header_data_from_array_1_0(array) | ({"shape": shape} if shape else {})
    buffer = io.BytesIO()
    npy.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + array.tobytes()


def lines(header, row, n=120):
    """A file of n records, each what `row` makes of its number."""
    return "\n".join([header, *map(row, range(n))]).encode()


def test_a_table_is_read_with_numbers_in_steps_and_categories_in_columns():
    data = datasets.from_csv(table(), name="pets.csv")
    assert (data.name, data.class_names, data.image_shape, data.notes) == ("pets.csv", ("cat", "dog"), None, ())
    assert data.feature_names == ("size", "colour = blue", "colour = red")
    sizes = np.arange(120)
    np.testing.assert_array_equal(data.X[:, 0], np.rint(sizes / 119 * 255))
    np.testing.assert_array_equal(data.X[:, 1:], np.stack((sizes % 3 == 0, sizes % 3 > 0), axis=1) * 255)
    np.testing.assert_array_equal(data.y, sizes % 2)
    np.testing.assert_allclose(data.unit()[:, 0], sizes / 119, atol=0.5 / 255)


@pytest.mark.parametrize(
    ("delimiter", "newline", "mark"),
    [(",", "\n", b"\xef\xbb\xbf"), (";", "\r\n", b""), ("\t", "\r\n", b"\xef\xbb\xbf")],
)
def test_separators_line_ends_quotes_and_marks_of_other_programs_are_read(delimiter, newline, mark):
    plain = table(["7,QUOTED,cat"]).decode().replace(",", delimiter).replace("\n", newline)
    quoted = plain.replace("QUOTED", f'"light{delimiter} blue"') + 2 * newline
    data = datasets.from_csv(mark + quoted.encode())
    assert data.feature_names[:2] == ("size", "colour = blue")
    assert f"colour = light{delimiter.strip()} blue" in data.feature_names
    assert len(data.y) == 121


def test_a_column_of_one_number_written_in_two_ways_never_changes():
    data = datasets.from_csv(lines("size,same,kind", lambda i: f"{i},{('5', '5.0')[i % 2]},{'ab'[i % 2]}"))
    assert data.feature_names == ("size",)


def test_any_column_can_be_the_label_and_numbers_are_classes_in_their_order():
    data = datasets.from_csv(lines("grade,age,other", lambda i: f"{(10, 9, 2)[i % 3]},{i},x{i % 2}", 183), "grade")
    assert data.class_names == ("2", "9", "10")
    assert data.feature_names == ("age", "other = x0", "other = x1")
    assert data.class_counts == (61, 61, 61)
    with pytest.raises(OwnDataError, match="there is no column “race”; there are size, colour, kind"):
        datasets.from_csv(table(), "race")


def test_names_are_plain():
    rows = [f"{i},<=5$ `*a*` [x](y),{'<b>yes</b>' if i % 2 else 'no|' + 'o' * 99}" for i in range(120)]
    data = datasets.from_csv("\n".join(["a,b,c", *rows, *rows[:1]]).replace("5$ ", "6$ ", 30).encode(), name="<i>.csv")
    names = " ".join((*data.feature_names, *data.class_names, data.title))
    assert not set(names) & set("<>&$`*[]|")
    assert all(len(name) <= 40 for name in (*data.class_names, data.title))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty; its first line must name the columns"),
        (table() + b"\n1,\xff,dog", "line 122 is not UTF-8 text; save the file as CSV in UTF-8"),
        (table() + b"\n1,\0,dog", "the file holds zero bytes"),
        (table(["3,red"]), "line 2 has 2 fields, the header has 3"),
        (",".join(f"c{i}" for i in range(301)).encode(), "in the file must be a whole number in [1, 300], got 301"),
        (table(n=50_001), "got more than 50,000"),
        (table(["1,red,fox"]), "class “fox” of the label column “kind” has 1 record; every class needs 60"),
        (table(["1e999,red,dog"]), "line 2, column “size” says “1e999”, which is no finite number"),
        (table([f"1,{'x' * 1001},dog"]), "line 2 has a field of more than 1,000 letters; shorten it"),
        (lines("id,kind", lambda i: f"person {i},{'ab'[i % 2]}"), "column “id” has 120 different texts, more than 50"),
        (
            lines("size,kind", lambda i: f"{i},{i}"),
            "the label column “kind” must have 2 to 20 different values, got 12",
        ),
        (lines("size,kind", lambda i: f"{i},a{'*∗'[i % 2]}"), "has classes that look alike, “a∗”"),
        (b"a" * 20_000_001, "the file has 20,000,001 bytes, more than 20,000,000; bring fewer records or columns"),
    ],
)
def test_a_table_is_refused_with_what_is_wrong_where(content, sentence):
    with pytest.raises(OwnDataError) as refusal:
        datasets.from_csv(content)
    assert sentence in str(refusal.value)


def test_long_texts_take_no_more_memory_than_they_have():
    content = lines("size,colour,kind", lambda i: f"{i},{'long' * 200 if i == 7 else 'red'},{'ab'[i % 2]}", 5_000)
    tracemalloc.start()
    data = datasets.from_csv(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(data.feature_names) == 3
    assert peak < 10e6, "an array of texts of equal length would take 16 MB"


@pytest.mark.parametrize(
    ("images", "levels", "greatest"),
    [
        (IMAGES, 120, 119),
        (IMAGES > 30, 2, 1),
        (IMAGES / 119, 256, 255),
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
        (b"no archive", "the file is no .npz archive; make one with numpy.savez"),
        (archive(a=KINDS), "there is no array called X or images or x or data; the archive holds a"),
        (archive(X=np.tile(IMAGES, (2, 1, 1)), y=KINDS), "there are 240 images but 120 labels"),
        (archive(X=IMAGES.astype(int) * 5, y=KINDS), "of whole numbers must lie between 0 and 255, got 0 to 595"),
        (archive(X=np.where(IMAGES, np.nan, 0.5), y=KINDS), "image 2 holds a value that is no finite number"),
        (archive(X=np.zeros((120, 400, 400), np.uint8), y=KINDS), "120 records of 160,000 values are more than 10,000"),
        (archive(**{f"a{i}": KINDS for i in range(11)}), "the archive holds 11 arrays, more than 10"),
        (archive(X=np.zeros((101, 1000, 1000), np.uint8)), "would be 101,000,128 bytes, more than 100,000,000; keep"),
        # other types, objects above all, which are never unpickled
        (archive(X=EVIL, y=KINDS), f"{NO_IMAGES}object"),
        (archive(X=IMAGES, y=EVIL), f"{NO_LABELS}object"),
        # headers that lie about sizes, and damaged data
        (packed(saved(IMAGES, (120, 4, 6)), saved(KINDS)), "but holds another number of values"),
        (packed(saved(IMAGES, (10**12, 4, 5)), saved(KINDS)), "are more than 10,000,000 values"),
        (FLIPPED, "array X cannot be read"),
        (packed(saved(IMAGES), saved(KINDS), zipfile.ZIP_LZMA), "in an unusual way; save it with numpy.savez_compres"),
        # texts
        (archive(X=IMAGES, y=np.where(KINDS, "a", "b" * 101)), "array y holds texts of more than 100 letters; shorten"),
    ],
    # An archive holds the time it was made: as a name it would differ from worker to worker.
    ids=lambda value: "archive" if isinstance(value, bytes) else value[:24],
)
def test_an_archive_is_refused_with_what_is_wrong_and_never_run(content, sentence, capsys):
    with pytest.raises(OwnDataError) as refusal:
        datasets.from_npz(content)
    assert sentence in str(refusal.value)
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("header", "version"),
    [(b"{'descr': ('<f4',", b"\x01\x00"), (b"\x00\xff", b"\x03\x00"), (b"{'descr': f()}", b"\x01\x00")],
)
def test_a_header_that_is_none_is_refused(header, version):
    array = npy.magic(1, 0)[:6] + version + len(header).to_bytes(2, "little") + header
    with pytest.raises(OwnDataError, match="array X cannot be read") as refusal:
        datasets.from_npz(packed(array, saved(KINDS)))
    assert "0x" not in str(refusal.value), "the address of an object"


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
