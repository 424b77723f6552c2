"""CSV that people open in a spreadsheet: no cell of it is taken for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

# What begins a formula, in some languages in its wide form, also after what some programs skip; and what no text begins
# with by itself.
_FORMULA = re.compile("[\\s\\0\ufeff\u200b]*[-=+@＝＋－＠]|[\\t\\r\\n]")


def harmless(cell: Any) -> Any:
    """A cell that no spreadsheet computes: a text that would begin a formula gets an apostrophe, a number stays."""
    if not isinstance(cell, str) or not _FORMULA.match(cell):
        return cell
    if cell.startswith("-"):
        try:
            float(cell)
            return cell
        except ValueError:
            pass
    return f"'{cell}"


def lines(rows: Iterable[Iterable[Any]], end: str = "\n") -> str:
    """Rows of cells as lines of CSV, each with its `end`."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows(map(harmless, row) for row in rows)
    return text.getvalue()
