"""CSV for spreadsheets: nothing in it is taken for a formula."""

import pytest

from pages.kit.panel import to_csv
from privdemo import csv_text


@pytest.mark.parametrize("cell", ["=1+1", "+1", "@SUM(A1)", "-1+1", "-", "＝1", "\ufeff=1", " =1", "\n1", "\t1"])
def test_a_cell_that_begins_a_formula_gets_an_apostrophe(cell):
    assert csv_text.harmless(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["-1", "-1e-05", "-inf", "a=1", "", "'=1", "\ufeffa=1", " 1", -1, 0.5, None])
def test_any_other_cell_stays(cell):
    assert csv_text.harmless(cell) == cell


@pytest.mark.parametrize("between", [";", "|", "\t", "\r", "\n", "; ", ";\ufeff", ';"'])
def test_a_formula_after_a_separator_of_other_programs_gets_an_apostrophe(between):
    assert csv_text.harmless(f"A{between}=1+1{between}2") == f"A{between}'=1+1{between}2"


def test_names_of_columns_and_cells_of_a_figures_file_are_harmless():
    assert to_csv([{"=a": "+b", "c": -1}, {"=a": None, "c": "x,y"}]) == "'=a,c\r\n'+b,-1\r\n,\"x,y\"\r\n"
