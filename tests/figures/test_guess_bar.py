"""The bars of how often a guess between two answers is right."""

import re

import pytest

from privdemo.figures.guess_bar import Guess, guess_rows


@pytest.mark.parametrize(("probability", "filled"), [(0.5, 0), (0.75, 25), (0.731, 23.1), (1.0, 50)])
def test_after_the_half_of_a_coin_toss_the_bar_is_filled_up_to_how_often_a_guess_is_right(probability, filled):
    (width,) = re.findall(r"width:([\d.]+)%", guess_rows("who?", "how", [Guess("one", "1", "so", probability)]))
    assert float(width) == filled


@pytest.mark.parametrize("probability", [0.49, 1.01, float("nan")])
def test_no_guess_is_right_less_often_than_by_chance_or_more_than_always(probability):
    with pytest.raises(ValueError, match=r"probability must be in \[0\.5, 1\], got"):
        guess_rows("who?", "how", [Guess("one", "1", "so", probability)])


def test_the_half_of_a_coin_toss_has_its_own_part_and_other_cases_are_folded():
    cases = [Guess(title, "1", "so", 0.75) for title in ("first", "second", "third")]
    shown = guess_rows("who?", "how", cases, "What else?")
    assert shown.count('<i class="toss"></i><i style="width:25%"></i>') == 3
    kept, fold = shown.split("<details><summary>What else?</summary>")
    assert ("first" in kept, "second" in kept) == (True, False)
    assert all(title in fold for title in ("second", "third"))
    assert "<details>" not in guess_rows("who?", "how", cases[:1], "What else?")


def test_a_result_that_is_no_guess_has_no_bar_and_all_words_are_escaped():
    shown = guess_rows("who <?", "how &", [Guess("one <", "± 3 >", "so &")])
    assert 'class="track"' not in shown
    for words in ("who &lt;?", "how &amp;", "one &lt;", "± 3 &gt;", "so &amp;"):
        assert words in shown
