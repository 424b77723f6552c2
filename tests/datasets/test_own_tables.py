"""A visitor's own tables: what is read of them, and every way in which one is refused."""

import tracemalloc

import numpy as np
import pytest

from privdemo import datasets, limits
from privdemo.datasets import OwnDataError, own
from tests.datasets.own_files import table


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
    monkeypatch.setattr(own.limits, "OWN_VALUES", limits.Limit("values", 1, 100, integer=True))
    with pytest.raises(OwnDataError, match="120 records of 2 values are more than 100 values"):
        datasets.from_csv(table())


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
