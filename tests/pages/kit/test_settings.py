"""What a link may say of a setting, and what is said of one that says something else."""

import pytest

from pages.kit.settings import Choice, Number, Words, problems, quoted
from privdemo.limits import Limit

SHARE = Number("share", Limit("share", 0.0, 1.0), 0.5)
COUNT = Number("count", Limit("count", 1, 100, integer=True), 10)
COLOUR = Choice("colour", ("red", "green", "blue"), "red", notes={"mine": "Bring it again."})
SOME = Choice("some", ("a", "b", "c"), ("a", "b"), many=True, least=2)


def check_word(words: str) -> None:
    if words != "fine":
        raise ValueError("words must be [fine](//elsewhere.test)")


@pytest.mark.parametrize(
    ("setting", "raw"),
    [
        *((SHARE, [value]) for value in ("0", "1", "0.25", "1e-3", "+.5")),
        *((COUNT, [value]) for value in ("1", "100")),
        (COLOUR, ["green"]),
        (SOME, ["a", "c"]),
        (Words("word", check_word, ""), ["fine"]),
    ],
)
def test_a_good_value_is_no_problem(setting, raw):
    assert setting.problem(raw) is None


@pytest.mark.parametrize("value", ["-0.1", "1.1", "nan", "inf", "many", "", "1_0", "0x1", " 1", "1,5"])
def test_a_number_outside_its_range_or_spelt_otherwise_is_named(value):
    found = SHARE.problem([value])
    assert found is not None
    assert found.startswith(f"`share={value}` was ignored: it must be in [0, 1]. The default, 0.5, is shown.")


@pytest.mark.parametrize("value", ["0", "101", "1.5", "1e1"])
def test_a_whole_number_is_asked_for(value):
    assert "it must be a whole number in [1, 100]. The default, 10," in COUNT.problem([value])


def test_the_last_of_several_numbers_counts():
    assert SHARE.problem(["7", "0.5"]) is None
    assert SHARE.problem(["0.5", "7"]) is not None


@pytest.mark.parametrize(
    ("setting", "raw", "words"),
    [
        (COLOUR, ["pink"], "one of “red”, “green”, “blue”. The default, red, is shown."),
        (COLOUR, ["red", "green"], "one of"),
        (COLOUR, ["mine"], "is shown. Bring it again."),
        (SOME, ["a"], "at least 2 of “a”, “b”, “c”. The default is shown."),
        (SOME, ["a", "a"], "at least 2 of"),
        (SOME, ["a", "d"], "at least 2 of"),
    ],
)
def test_a_choice_names_its_options(setting, raw, words):
    assert words in setting.problem(raw)


def test_an_error_repeated_in_a_note_is_no_link():
    found = Words("word", check_word, "").problem(["x"])
    assert "[fine]" not in found
    assert found.endswith("All else is shown.")
    assert Words("word", check_word, "fine").problem(["x"]).endswith("The default, fine, is shown.")


def test_only_bad_parameters_of_an_address_are_named():
    hidden = Choice("hidden", ("x", "y"), "x", in_link=False)
    found = problems([SHARE, COUNT, hidden], {"share": ["0.1"], "count": ["x"], "hidden": ["y"], "what": ["1"]})
    assert list(found) == ["count", "hidden", "what"]
    assert found["hidden"] == "`hidden` was ignored: this page has no such setting."


def test_a_links_words_stay_in_their_code_span():
    assert quoted("key", ["a`b\nc", "d"]) == "`key=a b c, d`"
    assert quoted("k" * 61) == f"`{'k' * 60}…`"
    assert quoted("k" * 60) == f"`{'k' * 60}`"
