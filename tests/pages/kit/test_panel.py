"""Tables of panels, as markup and as CSV."""

import csv
import io

from pages.kit.panel import Table, table_of_rows, to_csv


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
