"""The bars of how often a guess between two answers is right."""

import re

import pytest

from privdemo.figures.guess_bar import Bar, Guess, guess_cards


def shown(*cards: Guess, title: str = "", rows: tuple[Guess, ...] = ()) -> str:
    return guess_cards(title, cards, "what else <?", "how &", rows)


@pytest.mark.parametrize(("probability", "filled"), [(0.5, 0), (0.75, 25), (0.731, 23.1), (1.0, 50)])
def test_after_the_half_of_a_coin_toss_the_bar_is_filled_up_to_how_often_a_guess_is_right(probability, filled):
    case = Guess("one", "1", "so", probability)
    widths = re.findall(r"width:([\d.]+)%", shown(case, rows=(case,)))
    assert [float(width) for width in widths] == [filled, filled]


@pytest.mark.parametrize("probability", [0.49, 1.01, float("nan")])
def test_no_guess_is_right_less_often_than_by_chance_or_more_than_always(probability):
    with pytest.raises(ValueError, match=r"probability must be in \[0\.5, 1\], got"):
        shown(Guess("one", "1", "so", probability))


def test_cards_stand_before_the_fold_and_rows_in_it():
    first, second, third = (Guess(title, "1", "so", 0.75) for title in ("first", "second", "third"))
    kept, fold = shown(first, second, rows=(third,)).split("<details><summary>what else &lt;?</summary>")
    assert [title in kept for title in ("first", "second", "third")] == [True, True, False]
    assert ("third" in fold, "how &amp;" in fold) == (True, True)
    assert kept.count("50: a coin toss") == 2, "under the bar of each card"
    assert fold.count("50: a coin toss") == 1, "over the bars of all rows"


def test_a_result_that_is_no_guess_has_no_bar_and_all_words_are_escaped():
    case = Guess("one <", "± 3 >", "so & ± 4")
    made = shown(case, title="who <", rows=(case,))
    assert 'class="track"' not in made
    for words in ("who &lt;", "one &lt;", "±\u00a03 &gt;", "so &amp; ±\u00a04"):
        assert words in made


def test_named_bars_take_the_place_of_a_number():
    card = Guess("phones send", "both", "so", bars=[Bar("yes <", 0.75, "75 >", "red"), Bar("no", 0.25, "25", "blue")])
    made = shown(card)
    assert re.findall(r"width:([\d.]+)%;background:(\w+)", made) == [("75", "red"), ("25", "blue")]
    for words in ("yes &lt;", "75 &gt;", "no"):
        assert words in made
    assert "both" not in made
