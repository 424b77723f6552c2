"""A visitor's own tables: what is read of them, and every way in which one is refused."""

import tracemalloc

import numpy as np
import pytest

from privdemo import datasets, limits
from privdemo.datasets import OwnDataError, own
from tests.datasets.own_files import table


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


def test_any_column_can_be_the_label_and_numbers_are_classes_in_their_order():
    data = datasets.from_csv(lines("grade,age,other", lambda i: f"{(10, 9, 2)[i % 3]},{i},x{i % 2}", 183), "grade")
    assert data.class_names == ("2", "9", "10")
    assert data.feature_names == ("age", "other = x0", "other = x1")
    assert data.class_counts == (61, 61, 61)
    with pytest.raises(OwnDataError, match="there is no column “race”; there are size, colour, kind"):
        datasets.from_csv(table(), "race")


def test_a_column_that_never_changes_is_left_out_and_a_range_beyond_floats_is_none():
    data = datasets.from_csv(lines("same,huge,kind", lambda i: f"5,{(-1) ** i * 1.7e308},{'ab'[i % 2]}"))
    assert data.feature_names == ("huge",)
    assert set(data.X[:, 0].tolist()) == {0, 255}


def test_names_are_plain():
    rows = [f"{i},<=5$ `*a*` [x](y),{'<b>yes</b>' if i % 2 else 'no|' + 'o' * 99}" for i in range(120)]
    data = datasets.from_csv("\n".join(["a,b,c", *rows, *rows[:1]]).replace("5$ ", "6$ ", 30).encode(), name="<i>.csv")
    names = " ".join((*data.feature_names, *data.class_names, data.title))
    assert not set(names) & set("<>&$`*[]|")
    assert all(len(name) <= 40 for name in (*data.class_names, data.title))


NO_NUMBER = "line 2, column “size” says “{}”, which is no finite number"


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
        (",".join(f"c{i}" for i in range(301)).encode(), "in the file must be a whole number in [2, 300], got 301"),
        (table(n=119), "a file must have 120 to 50,000 rows under its header, got 119; bring more records"),
        (table(n=50_001), "got more than 50,000"),
        (table(["1,red,"]), "line 2 of the label column “kind” says nothing; fill it in, or leave the row out"),
        (table(["1,red,fox"]), "class “fox” of the label column “kind” has 1 record; every class needs 60"),
        (table(["none,red,dog"]), NO_NUMBER.format("none")),
        (table(["nan,red,dog"]), NO_NUMBER.format("nan")),
        (table(["1e999,red,dog"]), NO_NUMBER.format("1e999")),
        (table(["", "none,red,dog", ""]).replace(b"size", b'"si\nze"', 1), "line 4, column “si ze” says “none”"),
        (table([",red,dog"]), "line 2, column “size” says nothing, while most of the column are numbers"),
        (table([f"1,{'x' * 1001},dog"]), "line 2 has a field of more than 1,000 letters; shorten it"),
        (lines("id,kind", lambda i: f"person {i},{'ab'[i % 2]}"), "column “id” has 120 different texts, more than 50"),
        (lines("size,kind", lambda i: f"1,{'ab'[i % 2]}"), "besides the label “kind” no column changes from row to"),
        (
            lines("size,kind", lambda i: f"{i},{i}"),
            "the label column “kind” must have 2 to 20 different values, got 12",
        ),
        (lines("size,kind", lambda i: f"{i},a{'*∗'[i % 2]}"), "has classes that look alike, “a∗”"),
        (lines("size;kind", lambda i: f"{i},5;{'ab'[i % 2]}"), "“size” has numbers with decimal commas; write 1.5 for"),
        (b"a" * 20_000_001, "the file has 20,000,001 bytes, more than 20,000,000; bring fewer records or columns"),
    ],
)
def test_a_table_is_refused_with_what_is_wrong_where(content, sentence):
    with pytest.raises(OwnDataError) as refusal:
        datasets.from_csv(content)
    assert sentence in str(refusal.value)


def test_too_many_values_are_refused(monkeypatch):
    monkeypatch.setattr(own.limits, "OWN_VALUES", limits.Limit("values", 1, 239, integer=True))
    with pytest.raises(OwnDataError, match="120 records of 2 values are more than 239 values"):
        datasets.from_csv(table())


def test_what_a_column_loses_is_said():
    (note,) = datasets.from_csv(lines("size,kind", lambda i: f"{i if i else 10**6},{'ab'[i % 2]}", 200)).notes
    assert "numbers of “size” fall on 2 of 256 steps from 1 to 1e+06" in note
    # 200 numbers on 60 steps are not yet too coarse
    assert not datasets.from_csv(lines("size,kind", lambda i: f"{i if i < 199 else 875},{'ab'[i % 2]}", 200)).notes
    (note,) = datasets.from_csv(table(["200,,cat"])).notes
    assert note == "“colour” says nothing in 1 of 121 rows: a category of its own."


def test_long_texts_take_no_more_memory_than_they_have():
    content = lines("size,colour,kind", lambda i: f"{i},{'long' * 200 if i == 7 else 'red'},{'ab'[i % 2]}", 5_000)
    tracemalloc.start()
    data = datasets.from_csv(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(data.feature_names) == 3
    assert peak < 10e6, "an array of texts of equal length would take 16 MB"
