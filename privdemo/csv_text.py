"""CSV for spreadsheets, in which no cell is read as a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

# What begins a formula, in some languages in its wide form, also after what some programs skip; and what no text begins
# with by itself.
_SIGN = "[-=+@＝＋－＠]"
_FORMULA = re.compile(f"[\\s\\0\ufeff\u200b]*+{_SIGN}|[\\t\\r\\n]")
# The same within a cell, after what some programs part cells at.
_FORMULA_WITHIN = re.compile(f"([;|\\t\\r\\n](?:[^\\S\\t\\r\\n]|[\"'\\0\ufeff\u200b])*+)(?={_SIGN})")


def harmless(cell: Any) -> Any:
    """Return a cell that no spreadsheet reads as a formula: with an apostrophe before what would begin one; numbers
    stay.

    Some spreadsheets split cells at semicolons, tabs or bars, so a formula may also begin after one of these.
    """
    if not isinstance(cell, str):
        return cell
    cell = _FORMULA_WITHIN.sub(r"\1'", cell)
    if not _FORMULA.match(cell):
        return cell
    if cell.startswith("-"):
        try:
            float(cell)
            return cell
        except ValueError:
            pass
    return f"'{cell}"


def lines(rows: Iterable[Iterable[Any]], end: str = "\n") -> str:
    """Return rows of cells as lines of CSV, each with its `end`."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows(map(harmless, row) for row in rows)
    return text.getvalue()
