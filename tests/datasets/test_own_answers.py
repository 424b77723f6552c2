"""A visitor’s own column of answers: compared with a Counter, and refused with a sentence that says what to do."""

import csv
import io
import pickle
import random
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from privdemo import datasets, limits
from privdemo.datasets import Answers, OwnDataError, count_answers


def column(values, header="job"):
    return "\n".join([header, *values]).encode()


def table(rows, header=("id", "job", "sure")):
    """Return a CSV file with quotes where they are needed."""
    file = io.StringIO()
    csv.writer(file).writerows([header, *rows])
    return file.getvalue().encode()


def test_every_row_is_counted_and_answers_are_sorted_by_frequency() -> None:
    rng = random.Random(0)
    jobs = [f"job {i}, “{'x' * (i % 7)}”" for i in range(300)]
    answers = jobs + rng.choices(jobs, [1 / (i + 1) for i in range(300)], k=9_000)
    content = table([(i, job, "yes" if i % 3 else "no") for i, job in enumerate(answers)])
    found = count_answers(content, "job", "jobs.csv")
    assert (found.name, found.title, found.people) == ("jobs.csv", "job", 9_300)
    assert dict(zip(found.names, found.counts.tolist(), strict=True)) == Counter(answers)
    assert (np.diff(found.counts) <= 0).all()
    assert count_answers(content).title == "sure", "the last column that can be used"
    assert count_answers(table([(1, "a", ""), (2, "b", "x")])).title == "job", "line 2 of the last one says nothing"
    gaps = table([(i, "ab"[i % 2], "") for i in range(2_000)]).replace(b"\n3", b"\n\r\n,,\n3")
    assert count_answers(gaps, "job").counts.tolist() == [1_000, 1_000], "blank lines are no people"
    assert repr(found) == "<Answers 'jobs.csv': 300 of 9300 people>", "which names no answer"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_file_may_have_one_column_and_one_person_per_answer(newline: str) -> None:
    found = count_answers(b"\xef\xbb\xbf" + newline.join(["vote ", "10", ' "9,5"', "9 ", "9", "", ""]).encode())
    assert (found.title, found.names, found.counts.tolist()) == ("vote", ("9", "10", "9,5"), [2, 1, 1])
    two = count_answers(column(["yes", "no"]))
    assert (two.names, two.counts.tolist()) == (("no", "yes"), [1, 1])


def test_markup_in_names_is_replaced_by_look_alike_characters_and_answers_survive_pickling() -> None:
    found = pickle.loads(pickle.dumps(count_answers(column(["<b>yes</b>", "=1+1", "`no` [x](y)", "=1+1"]))))
    assert found.names == ("=1+1", "‹b›yes‹/b›", "'no' (x)(y)")
    assert found.counts.tolist() == [2, 1, 1]


NUMBERS = [str(i) for i in range(1025)]


@pytest.mark.parametrize(
    ("content", "chosen_column", "sentence"),
    [
        (column(NUMBERS), None, "the column “job” has more than 1,024 different answers; choose another one, or group"),
        (column(["a", "a"]), None, "the column “job” has one answer only; choose one with 2 or more"),
        (column(["a"]), None, "rows under the header must be a whole number in [2, 10000000], got 1; each row is a"),
        (column([]), None, "rows under the header must be a whole number in [2, 10000000], got 0"),
        (b"", None, "the file is empty; its first line must name the columns"),
        (column(["a", "", "b"]), None, "line 3 of the column “job” says nothing; fill it in, or leave the row out"),
        (column(["a"] * 999 + [""] * 2 + ["b"]), None, "line 1001 of the column “job” says nothing"),
        (column(["a", "b", '""']), None, "line 4 of the column “job” says nothing"),
        (table([(1, "a", "x"), (2, " ", "y")]), "job", "line 3 of the column “job” says nothing"),
        (column(["a", "b", "c,d"]), None, "line 4 has 2 fields, the header has 1; a field that holds a separator"),
        (column(["a", "b", '"c']), None, "line 4 cannot be read (unexpected end of data); check its quotes"),
        (column(["a", "x" * 1001]), None, "line 3 has a field of more than 1,000 letters; shorten it"),
        (column(["a*", "a∗"]), None, "the column “job” has answers that look alike, “a∗”; give them shorter, plainer"),
        (column(["a", "\u200b"]), None, "the column “job” has answers that look alike, “”"),
        (column(["a", "b"]) + b"\n\xff", None, "line 4 is not UTF-8 text; save the file as CSV in UTF-8"),
        (column(["a", "b\0"]), None, "the file holds zero bytes"),
        (column(["4", "5"], "3"), None, "the first line holds numbers only; it must name the columns"),
        (table([(1, "a", "x")] * 2), "name", "there is no column “name”; there are id, job, sure"),
        (
            table([(i, "a", "" if i == 7 else "x") for i in NUMBERS] + [(9, "a", "")]),
            None,
            "none of its 3 columns can be used: line 1027 of the column “sure” says nothing; the column “job” has one "
            "answer only; the column “id” has more than 1,024 different answers",
        ),
        (b"a" * 20_000_001, None, "the file has 20,000,001 bytes, more than 20,000,000"),
    ],
    ids=lambda value: "file" if isinstance(value, bytes) else value and value[:30],
)
def test_a_refusal_names_the_error_and_its_line(content: bytes, chosen_column: str | None, sentence: str) -> None:
    with pytest.raises(OwnDataError) as refusal:
        count_answers(content, chosen_column)
    assert sentence in str(refusal.value)


def test_the_largest_number_of_answers_is_read_without_keeping_rows() -> None:
    most = NUMBERS[: int(limits.ORACLE_ANSWERS.high)]
    content = table([(i, value) for i, value in enumerate(most * 40)], ("id", "job"))
    tracemalloc.start()
    found = count_answers(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(found.names), found.people) == (1024, 40_960)
    assert set(found.counts.tolist()) == {40}
    assert found.names == tuple(most), "equally frequent: in their order"
    assert peak < 2e6, "40,960 rows of two fields take 8 MB"


@pytest.mark.parametrize(
    ("names", "counts", "sentence"),
    [
        (("a",), (3,), "k must be a whole number in"),
        (("a", "b"), (3,), "a count for each of 2 answers"),
        (("a", "b"), (3, -1), "must not be negative"),
        (("a", "b"), (0, 0), "somebody must have answered"),
    ],
)
def test_invalid_answers_are_refused(names: tuple[str, ...], counts: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Answers("own", "job", names, np.array(counts))


def test_own_data_differ_in_type_from_names_of_data_sets() -> None:
    assert isinstance(count_answers(column(["a", "b"])), datasets.OwnData)
    assert not isinstance("adult", datasets.OwnData)
