"""Values of the kit: folds, panels and chapters."""

import csv
import io

import pytest

from pages.kit import folds
from pages.kit.page import Chapter, Chapters
from pages.kit.panel import Table, table_of_rows, to_csv
from pages.kit.settings import Choice


def test_folds_fill_names_and_leave_formulas_alone(tmp_path):
    assert folds.fill(r"$\frac{a}{b}$ of {n}", n=3) == r"$\frac{a}{b}$ of 3"
    with pytest.raises(KeyError, match="no place for m"):
        folds.fill("{n}", n=1, m=2)
    (tmp_path / "how.md").write_text("ε = {epsilon}", encoding="utf-8")
    assert folds.read(tmp_path / "how.md", epsilon=2) == "ε = 2"
    assert list(folds.folds("h", "a", "c")) == ["How it works", "What the adversary sees", "Caveats"]
    assert folds.folds("h", "a", "c", "code")["Code that reproduces this"] == "code"


def test_tags_in_what_is_folded_away_are_words_and_code_and_formulas_stay():
    words = "a <b> of 1 < 2 <!-- in `<code>` and $x<y$\n```\n<i>\n```\n<script>"
    shown = folds.in_details({"T & U": words})
    assert shown == (
        '<details class="fold"><summary>T &amp; U</summary>\n\n'
        "a \\<b> of 1 < 2 \\<!-- in `<code>` and $x<y$\n```\n<i>\n```\n\\<script>\n\n</details>"
    )


def test_a_table_names_its_rows_and_labels_its_cells_and_is_plain_as_a_page():
    table, plain = (Table(["", "error"], [["naive", "5 %"]], labelled=labelled) for labelled in (True, False))
    assert '<th scope="row">naive</th><td data-label="error">5\u00a0%</td>' in table.html
    assert 'class="grid labelled"' in table.html
    assert table.body() == plain.html
    assert "labelled" not in table.body()


def test_rows_as_a_table_have_gaps_for_what_is_no_number_and_no_markup_of_their_own():
    rows = [{"": "<naive>", "<i>error": None}, {"": "best", "<i>error": 0.5}]
    assert table_of_rows(rows).html == Table(["", "&lt;i&gt;error"], [["&lt;naive&gt;", ""], ["best", "0.5"]]).html


def test_rows_become_csv():
    rows = [{"a": 1, "b": "x,y"}, {"a": 2, "b": ""}]
    assert list(csv.DictReader(io.StringIO(to_csv(rows)))) == [{"a": "1", "b": "x,y"}, {"a": "2", "b": ""}]


def test_chapters_that_do_not_fit_are_no_options_and_a_shared_setting_is_listed_once():
    prior = Choice("prior", ("a", "b"), "a")
    fits = Chapter("b", list, settings=[prior], fits=lambda question: question["of"] == "images")
    tabs = Chapters("look", (Chapter("a", list, settings=[prior]), fits))
    assert [tabs.choice(answer).options for answer in (None, {"of": "table"}, {"of": "images"})] == [
        ("a", "b"),
        ("a",),
        ("a", "b"),
    ]
    assert tabs.choice("images").default == "a"
    assert tabs.choice().key == "look"
    assert tabs.settings == [tabs.choice(), prior]
