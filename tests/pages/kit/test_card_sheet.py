"""Cards change answers as often as the poll says, in whole packs, as many as fit on a page."""

import re
from fractions import Fraction

import pytest

from pages.kit import card_sheet
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel


def grids(html):
    """The words of the cards of each page."""
    return [re.findall(r"<b>(.*?)</b>", grid) for grid in html.split('<div class="pack"')[1:]]


@pytest.mark.parametrize("lie", [0.25, 0.2, 0.1, 0.3, 0.01, 0.02, 0.45, 0.27])
def test_the_cards_are_whole_packs_with_the_probability_of_the_poll(lie):
    config = PollConfig(("Yes", "No"), lie)
    html = card_sheet.sheet(config)
    (cards,) = grids(html)
    lies, pack = poll.deck_for(config)
    assert len(cards) % pack == 0
    assert len(cards) + pack > (55 if pack > 32 else 32), "as many packs as fit"
    assert len(cards) <= (55 if pack > 32 else 32)
    assert Fraction(cards.count("The other answer"), len(cards)) == Fraction(lies, pack)
    assert ("With a coin" in html) == (lie == 0.25)
    assert ("That is close to" in html) == (abs(lies / pack - lie) > 5e-4)
    assert "nearest" not in html, "14 of 52 are nearer to 27 % than 3 of 11 are"


def test_two_tosses_of_a_coin_change_one_answer_in_four():
    html = card_sheet.sheet(PollConfig(("Tea", "Coffee"), 0.25))
    assert "Heads: raise a hand for “Tea”. Tails: raise a hand for “Coffee”." in html
    assert "<b>25 %</b>" in html


def test_of_several_answers_a_second_card_says_which_other_one():
    html = card_sheet.sheet(PollConfig(("Never", "Sometimes", "Often"), 0.25))
    cards, numbered = grids(html)
    assert cards.count("Another answer") * 4 == len(cards)
    assert "With a coin" not in html
    assert set(numbered) == {"1", "2"}
    assert numbered.count("1") == numbered.count("2") == 16


def test_answers_have_no_effect_as_html():
    html = card_sheet.sheet(PollConfig(("<script>alert(1)</script>", "</p><b>"), 0.25))
    assert "<script>" not in html
    assert "“&lt;/p&gt;&lt;b&gt;”" in html


def test_which_questions_a_class_can_be_asked_by_a_show_of_hands():
    alike = ElectionConfig(100, 0.35, BinaryChannel(0.2, 0.2), 1, 0)
    assert card_sheet.poll_of(alike) == PollConfig(("A", "B"), 0.2)
    for p10, p01 in ((0.1, 0.3), (0, 0), (0.5, 0.5)):
        assert card_sheet.poll_of(ElectionConfig(100, 0.35, BinaryChannel(p10, p01), 1, 0)) is None
    assert card_sheet.poll_of(None) is None
    assert card_sheet.poll_of("a sentence") is None
