"""Folds and panels: the kit's values."""

import csv
import io

import pytest

from pages.kit import folds, numbers
from pages.kit.page import Tab, Tabs
from pages.kit.panel import Cards, Sheet, Table, to_csv
from pages.kit.settings import Choice


def test_folds_fill_names_and_leave_formulas_alone(tmp_path):
    assert folds.fill(r"$\frac{a}{b}$ of {n}", n=3) == r"$\frac{a}{b}$ of 3"
    with pytest.raises(KeyError, match="no place for m"):
        folds.fill("{n}", n=1, m=2)
    file = tmp_path / "how.md"
    file.write_text("ε = {epsilon}", encoding="utf-8")
    assert folds.read(file, epsilon=2) == "ε = 2"
    assert list(folds.folds("h", "a", "c")) == ["How it works", "What the adversary sees", "Caveats"]
    assert folds.folds("h", "a", "c", "code")["Code that reproduces this"] == "code"


def test_a_table_names_its_rows_and_labels_its_cells():
    table = Table(["", "error"], [["naive", "5 %"]], labelled=True)
    assert '<th scope="row">naive</th><td data-label="error">5\u00a0%</td>' in table.html
    assert 'class="grid labelled"' in table.html
    page = table.page()
    assert page.startswith("<!doctype html>")
    assert page.endswith(Table(["", "error"], [["naive", "5 %"]]).html)
    assert "labelled" not in page


def test_a_sheet_as_a_page_is_a_table_with_gaps_for_what_is_no_number():
    assert Sheet([{"": "naive", "error": None}, {"": "best", "error": 0.5}], {"error": "%.1f"}).page() == (
        Table(["", "error"], [["naive", ""], ["best", "0.5"]]).page()
    )


def test_cards_hold_title_number_and_meaning():
    assert Cards([("One pixel", "ε = 1", "Little.")]).html.count("<section") == 1
    assert (
        '<h4>One pixel</h4><div class="number">ε = 1</div><p>Little.</p>'
        in Cards([("One pixel", "ε = 1", "Little.")]).html
    )


def test_rows_become_csv():
    rows = [{"a": 1, "b": "x,y"}, {"a": 2, "b": ""}]
    assert list(csv.DictReader(io.StringIO(to_csv(rows)))) == [{"a": "1", "b": "x,y"}, {"a": "2", "b": ""}]


def test_tabs_that_do_not_fit_are_no_options():
    tabs = Tabs("look", (Tab("a", list), Tab("b", list, fits=lambda answer: answer == "images")))
    assert tabs.choice().options == ("a", "b")
    assert tabs.choice("table").options == ("a",)
    assert tabs.choice("images").default == "a"
    assert [setting.key for setting in tabs.settings] == ["look"]


def test_a_setting_that_two_tabs_share_is_listed_once():
    setting = Choice("prior", ("a", "b"), "a")
    tabs = Tabs("look", (Tab("a", list, settings=[setting]), Tab("b", list, settings=[setting])))
    assert tabs.settings == [tabs.choice(), setting]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("[a](//b.test)", r"\[a\]\(\/\/b\.test\)"),
        ("www.b.test", "www\u2060\\.b\\.test"),
        ("x" * 400, "x" * 400),
        ("x" * 401, "x" * 400 + "…"),
    ],
)
def test_somebody_elses_words_stay_words(words, shown):
    assert numbers.unmarked(words) == shown
