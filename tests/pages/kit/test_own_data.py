"""The upload of a visitor's own file, what the session stores of it, and code that reads it."""

import io
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import streamlit as st

from pages.kit import own_data, own_data_input, values
from pages.kit.own_data import TITLE, File
from pages.kit.settings import Number
from privdemo import datasets
from privdemo.limits import Limit
from tests.pages.kit import elements
from tests.pages.kit.elements import opened, rendered

ROWS = [f"{i % 41},{'xyz'[i // 60]},1,{'abc'[i % 3]}" for i in range(180)]
TABLE = "\n".join(["size,day,same,kind", *ROWS]).encode()
PANEL = """
import streamlit as st
from pages.kit import own_data, own_data_input, values
chosen = own_data.choice("on", ["A"])
own_data_input.panel(chosen, st.session_state.get("binary", True))
st.session_state["options"], st.session_state["on"] = chosen.options, values.get(chosen)
"""

ANSWERS = """
import streamlit as st
from pages.kit import own_data, own_data_input, values
chosen = own_data.choice("on", ["A"], own_data.OwnAnswers)
own_data_input.answers_panel(chosen)
st.session_state["options"], st.session_state["on"] = chosen.options, values.get(chosen)
if st.session_state.get("leave"):
    own_data_input.panel(own_data.choice("there", ["A"]))
"""


def images(n: int = 180) -> bytes:
    file = io.BytesIO()
    np.savez(file, X=np.random.default_rng(0).integers(0, 4, (n, 8, 6)), y=np.arange(n) % 2)
    return file.getvalue()


def bring(at, name, content):
    at.file_uploader[0].set_value((name, content, "text/csv")).run()
    return at


def test_one_column_is_counted_in_the_singular():
    at = bring(opened(PANEL), "t.csv", elements.TABLE)
    assert at.markdown[0].value == "120 rows, 1 column to learn from. Classes: “a” 60, “b” 60."


def test_a_table_is_brought_read_again_refused_and_forgotten():
    at = opened(PANEL)
    empty = rendered(at.main)
    assert empty.startswith("popover allow_empty=True label=Your own data… open=False\n  file_uploader own_file_0 ")
    assert "label=A table (.csv) or grey images (.npz) max_upload_size_mb=20 help=Up to 20 MB." in empty
    assert "caption body=It stays in … others see." in empty
    assert "markdown" not in empty
    assert list(at.file_uploader[0].proto.type) == [".csv", ".npz"]
    bring(at, "t.csv", TABLE)
    assert "label=Your own data: t.csv open=False" in rendered(at.main)
    assert 'dataframe columns={"_index": {"hidden": true}}\n  button own-forget label=Forget' in rendered(at.main)
    assert [(box.label, box.key, box.value, box.options) for box in at.selectbox] == [
        ("Column with the label", "own_label", "kind", ["size", "day", "same", "kind"]),
        ("Class asked about, against all others", "own_positive", "c", ["a", "b", "c"]),
    ]
    assert (at.session_state["on"], at.session_state["options"]) == (TITLE, ("A", TITLE))
    assert at.markdown[0].value == "180 rows, 4 columns to learn from. Classes: “a” 60, “b” 60, “c” 60."
    assert at.caption[1].value == "Numbers: size. Categories: day. Left out, as they never change: same."
    assert at.caption[2].value.endswith("Those two are taken as known to everybody: privacy does not cover them.")
    assert list(at.dataframe[0].value) == ["kind", "size", "day", "same"]
    assert at.dataframe[0].value.to_numpy().tolist() == [[r[-1], *r.split(",")[:3]] for r in ROWS[:5]]
    held = at.session_state["own_data"][own_data.Own]
    assert (held.content, held.file, held.label, held.positive, held.is_table) == (TABLE, "t.csv", None, "c", True)
    assert held.binary.class_names == ("not c", "c")
    at.selectbox(key="own_positive").select("b").run()
    assert at.session_state["own_data"][own_data.Own].binary.class_names == ("not b", "b")
    at.selectbox(key="own_label").select("day").run()
    held = at.session_state["own_data"][own_data.Own]
    assert (held.label, held.positive, held.content, held.file) == ("day", "z", TABLE, "t.csv")
    at.selectbox(key="own_label").select("same").run()
    assert at.error[0].value.startswith("t.csv cannot be read so: ")
    assert at.error[0].value.endswith(". t.csv is still in use as before.")
    assert at.selectbox(key="own_label").value == "day"
    at.session_state["own_results"]["key"] = 1
    bring(at, "bad.CSV", b"a,b")
    assert at.error[0].value.startswith("bad.CSV cannot be used: ")
    assert at.error[0].value.endswith(". t.csv is still in use.")
    assert at.session_state["own_results"] == {"key": 1}
    at.button(key="own-forget").click().run()
    assert not any(key in at.session_state for key in ("own_data", "own_problem", "own_results"))
    assert rendered(at.main) == empty.replace("own_file_0", "own_file_3")
    assert (at.session_state["on"], at.session_state["options"]) == ("A", ("A",))


def test_nothing_is_in_use_after_a_first_file_that_cannot_be_read():
    at = bring(opened(PANEL), "bad.npz", b"a,b")
    assert at.error[0].value.startswith("bad.npz cannot be used: ")
    assert "still in use" not in at.error[0].value
    assert at.session_state["on"] == "A"
    bring(at, "t.csv", TABLE)
    assert not at.error


def test_images_are_shown_without_a_column_to_choose():
    at = bring(opened(PANEL, binary=False), "mine.npz", images())
    assert at.markdown[0].value == "180 images of 8 × 6 pixels, 4 grey levels. Classes: “0” 90, “1” 90."
    held = at.session_state["own_data"][own_data.Own]
    assert (held.is_table, held.label, held.positive, held.top) == (False, None, "1", [])
    assert held.records.name == "mine.npz"
    assert not at.selectbox
    assert "alt=" in at.get("html")[0].proto.body


def test_a_column_of_answers_is_brought_counted_refused_and_forgotten():
    at = opened(ANSWERS)
    assert list(at.file_uploader[0].proto.type) == [".csv"]
    rows = [f"{i},{'ab'[i % 5 == 0]} & {i % 8},{'no' if i else 'yes'}" for i in range(1_025)]
    bring(at, "jobs.csv", "\n".join(["id,job,sure", *rows]).encode())
    assert at.markdown[0].value == "1,025 people, 2 different answers. They are: “no” 1,024, “yes” 1."
    assert (at.session_state["on"], at.session_state["options"]) == (TITLE, ("A", TITLE))
    assert [(box.label, box.value, box.options) for box in at.selectbox] == [
        ("Column with the answers", "sure", ["id", "job", "sure"])
    ]
    at.selectbox(key="own_column").select("job").run()
    assert at.markdown[0].value.startswith(
        "1,025 people, 16 different answers. The most frequent: “a ＆ 0” 103, “a ＆ "
    )
    assert at.markdown[0].value.count("“") == 6
    at.selectbox(key="own_column").select("id").run()
    wrong = "the column “id” has more than 1,024 different answers; choose another one, or group its values"
    assert at.error[0].value == f"jobs.csv cannot be read so: {wrong}. jobs.csv is still in use as before."
    assert at.selectbox(key="own_column").value == "job"
    bring(at, "ids.csv", "\n".join(["id", *(row.split(",")[0] for row in rows)]).encode())
    assert at.error[0].value == f"ids.csv cannot be used: {wrong}. jobs.csv is still in use."
    bring(at, "vote.csv", b"vote\nyes\nno\nno")
    assert (at.error, at.markdown[0].value) == ([], "3 people, 2 different answers. They are: “no” 2, “yes” 1.")
    at.button(key="own-forget").click().run()
    assert not any(f"own_{what}" in at.session_state for what in ("data", "problem", "results", "column"))
    assert (at.session_state["on"], at.session_state["options"]) == ("A", ("A",))


def test_one_file_is_read_by_every_page_in_its_way_and_forgotten_on_any():
    at = bring(opened(ANSWERS), "t.csv", TABLE)
    at.session_state["own_results"]["key"] = 1
    counted = at.session_state["own_data"][own_data.OwnAnswers]
    at.session_state["leave"] = True
    at.run()
    own = at.session_state["own_data"][own_data.Own]
    assert (own.content is counted.content, own.records.class_names) == (True, ("a", "b", "c"))
    assert at.session_state["own_results"] == {"key": 1}
    assert (counted.answers.names, counted.answers.counts.tolist()) == (("a", "b", "c"), [60, 60, 60])


def test_a_file_that_only_other_pages_can_read_is_named_with_the_reason_and_can_be_removed():
    at = bring(opened(PANEL), "mine.npz", images())
    held = at.session_state["own_data"]
    there = opened(ANSWERS, own_data=held)
    why = "mine.npz cannot be used here: only a CSV file, one row a person, can be counted here."
    assert (there.info[0].value, there.session_state["options"]) == (why, ("A",))
    assert held[own_data.OwnAnswers] == ("mine.npz", why.partition(": ")[2][:-1]), "read once, and no error is held"
    there.button(key="own-forget").click().run()
    assert not there.info
    assert "own_data" not in there.session_state


def test_of_a_wide_table_a_few_columns_are_named():
    header = ",".join(f"c{i}" for i in range(15))
    rows = [",".join([*14 * [str(i % 41)], "abc"[i % 3]]) for i in range(180)]
    at = bring(opened(PANEL, binary=False), "wide.csv", "\n".join([header, *rows]).encode())
    assert at.caption[1].value == f"Numbers: {', '.join(f'c{i}' for i in range(12))} and 2 more."
    assert list(at.dataframe[0].value) == ["c14", *(f"c{i}" for i in range(11))]
    assert [box.key for box in at.selectbox] == ["own_label"]


@dataclass(frozen=True)
class Config:
    dataset: Any
    most: float = 1.0


@pytest.fixture
def own(monkeypatch):
    """Return a visitor's table, stored in a session that is a dictionary."""
    records = datasets.from_csv(TABLE, None, "t.csv")
    top = datasets.first_rows(TABLE, 5)
    made = own_data.Own(TABLE, "t.csv", None, records, "c", records.one_against_rest("c"), top)
    monkeypatch.setattr(st, "session_state", {"own_data": {own_data.Own: made}})
    return made


def test_the_visitors_own_records_are_the_last_choice_and_its_source(own):
    assert own_data.choice("on", ["A", "B"]).options == ("A", "B", TITLE)
    assert own_data.choice("on", ["A", "B"]).default == "A"
    assert "in no link" in own_data.choice("on", ["A"]).hints_by_value[TITLE]
    named = {"A": "a", TITLE: "none"}.get
    found = [own_data.source(*args) for args in (("A", named), (TITLE, named), (TITLE, named, True))]
    assert found == ["a", own.records, own.binary]
    assert [own_data.short_name(source) for source in found[:2]] == ["a", "t.csv, 180 records"]
    assert [own_data.is_own(value) for value in ("a", own.records, Config(own.records), Config("a"))] == [0, 1, 1, 0]
    assert own_data.is_quick("a", 10**9)
    assert [own_data.is_quick(own.records, n) for n in (250_000, 250_001)] == [True, False]
    own_data_input.forget()
    assert own_data.source(TITLE, named) == "none"


def test_sizes_are_set_to_their_defaults_when_the_records_change(own):
    n, other = Number("n", Limit("n", 1, 9), 3), Number("other", Limit("other", 1, 9), 3)
    values.put(other, 8)
    for source, expected in (("a", 7), ("a", 7), ("b", 3), (own.records, 3), (own.records, 7)):
        values.put(n, 7)
        own_data.reset_with_data("before", source, [n])
        assert (values.get(n), st.session_state["before"]) == (expected, own_data.short_name(source))
    assert values.get(other) == 8


@pytest.mark.parametrize(("is_own", "expected"), [(False, 7), (True, 3)])
def test_sizes_of_a_link_stay_at_first_unless_the_records_are_in_no_link(own, is_own, expected):
    n = Number("n", Limit("n", 1, 9), 3)
    values.put(n, 7)
    own_data.reset_with_data("before", own.records if is_own else "a", [n])
    assert values.get(n) == expected


def test_the_results_used_longest_ago_make_room(own):
    made = []

    def double(n):
        made.append(n)
        return 2 * n

    assert [own_data.compute_in_session("double", double, (n,)) for n in range(24)] == [2 * n for n in range(24)]
    assert own_data.find_result(("double", 0)) == 0
    own_data.store_result("new", 1)
    assert [own_data.find_result(("double", n)) for n in range(3)] == [0, None, 4]
    assert own_data.compute_in_session("double", double, (5,)) == 10
    assert made == list(range(24))
    own_data.store_result("new", 2)
    assert own_data.find_result("new") == 2
    assert len(st.session_state["own_results"]) == 24


@pytest.mark.parametrize(("binary", "label", "positive"), [(False, None, None), (True, "kind", "c")])
def test_the_file_of_the_visitors_records_is_known(own, binary, label, positive):
    own_data.store_reading(replace(own, label=label))
    found = own_data.file_of(own.binary if binary else own.records)
    assert found == File("t.csv", "from_csv", label, positive)
    assert own_data.file_of("mnist") is None
    counted = own_data.OwnAnswers.read(TABLE, "t.csv", "day")
    own_data.store_reading(counted)
    assert own_data.file_of(counted.answers) == File("t.csv", "count_answers", "day")
    assert own_data.short_name(counted.answers) == "t.csv, 180 answers"
    assert own_data.is_own(Config(counted.answers))
    code = str(own_data.snippet(Config(counted.answers), own_data.file_of(counted.answers)))
    assert code.endswith(
        "own = datasets.count_answers(Path('t.csv').read_bytes(), 'day')\nconfig = Config(dataset=own, most=1.0)"
    )
    pictures = datasets.from_npz(images(), "t.npz")
    own_data.store_reading(replace(own, file="t.npz", records=pictures))
    assert own_data.file_of(pictures) == File("t.npz", "from_npz")
    del st.session_state["own_data"]
    assert own_data.file_of(pictures) is None
