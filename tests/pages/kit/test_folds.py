"""What is folded away at the end of a page."""

import pytest

from pages.kit import folds


def test_folds_fill_names_and_leave_formulas_alone(tmp_path):
    assert folds.fill(r"$\frac{a}{b}$ of {n}", n=3) == r"$\frac{a}{b}$ of 3"
    with pytest.raises(KeyError, match="no place for m"):
        folds.fill("{n}", n=1, m=2)
    (tmp_path / "how.md").write_text("ε = {epsilon}", encoding="utf-8")
    assert folds.read(tmp_path / "how.md", epsilon=2) == "ε = 2"
    assert list(folds.folds("h", "a", "c")) == ["How it works", "What others see", "Limits"]
    assert folds.folds("h", "a", "c", "code")["For programmers"] == "code"


def test_tags_in_what_is_folded_away_are_words_and_code_and_formulas_stay():
    words = "a <b> of 1 < 2 <!-- in `<code>` and $x<y$\n```\n<i>\n```\n<script>"
    shown = folds.in_details({"T & U": words})
    assert shown == (
        '<details class="fold"><summary>T &amp; U</summary>\n\n'
        "a \\<b> of 1 < 2 \\<!-- in `<code>` and $x<y$\n```\n<i>\n```\n\\<script>\n\n</details>"
    )
