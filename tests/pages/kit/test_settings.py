"""Valid and invalid values of settings in a link."""

from dataclasses import replace

import pytest

from pages.kit.settings import Choice, Number, Words, as_code_span, problems
from privdemo.limits import Limit


def check_word(words: str) -> None:
    if words != "fine":
        raise ValueError("words must be [fine](//elsewhere.test)")


SHARE = Number("share", Limit("share", 0.0, 1.0), 0.5)
COUNT = Number("count", Limit("count", 1, 100, integer=True), 10)
COLOUR = Choice("colour", ("red", "green", "blue"), "red", hints_by_value={"mine": "Bring it again."})
SOME = Choice("some", ("a", "b", "c"), ("a", "b"), many=True, least=2)
WORD = Words("word", check_word, "")
GOOD = [(SHARE, value) for value in ("0", "1", "0.25", "1e-3", "+.5")] + [(COUNT, value) for value in ("1", "100")]
BAD_SHARES = ["-0.1", "1.1", "nan", "inf", "many", "", "1_0", " 1", "1,5"]


@pytest.mark.parametrize(("setting", "value"), [*GOOD, (COLOUR, "green"), (WORD, "fine")])
def test_a_good_value_is_no_problem(setting, value):
    assert setting.problem([value]) is None
    assert SOME.problem(["a", "c"]) is None
    assert SHARE.problem(["7", "0.5"]) is None, "the last counts"


@pytest.mark.parametrize(
    ("setting", "raw", "words"),
    [
        *((SHARE, [v], f"`share={v}` was ignored: it must be in [0, 1]. The default, 0.5, is sh") for v in BAD_SHARES),
        (SHARE, ["0.5", "7"], "in [0, 1]"),
        *((COUNT, [v], "a whole number in [1, 100]. The default, 10,") for v in ("0", "101", "1.5", "1e1")),
        (COLOUR, ["pink"], "one of “red”, “green”, “blue”. The default, red, is shown."),
        (COLOUR, ["red", "green"], "one of"),
        (COLOUR, ["mine"], "is shown. Bring it again."),
        (SOME, ["a"], "at least 2 of “a”, “b”, “c”. The default is shown."),
        (SOME, ["a", "a"], "at least 2 of"),
        (SOME, ["a", "d"], "at least 2 of"),
        (WORD, ["x"], ". Everything else was used."),
        (Words("word", check_word, "fine"), ["x"], "The default, fine, is shown."),
    ],
)
def test_the_note_on_a_bad_value_says_what_it_must_be(setting, raw, words):
    found = setting.problem(raw)
    assert words in found
    assert "[fine]" not in found, "an error repeated in a note is no link"


def test_an_option_may_be_named_as_on_screen():
    some = replace(SOME, options=("a", "b", "c"), shown={"a": "the first", "b": "the second, again"})
    assert some.options_in(["the second, again"]) == ["b"]
    assert some.options_in(["the first,c"]) == ["a", "c"]
    assert "at least 2 of “the first”, “the second, again”, “c”." in some.problem(["d"])


def test_only_bad_parameters_of_an_address_are_named():
    hidden = Choice("hidden", ("x", "y"), "x", in_link=False)
    found = problems([SHARE, COUNT, hidden], {"share": ["0.1"], "count": ["x"], "hidden": ["y"], "what": ["1"]})
    assert list(found) == ["count", "hidden", "what"]
    assert found["hidden"] == "`hidden` was ignored: this page has no such setting."


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        (["a,c"], ["a", "c"]),
        (["a, c", "b"], ["a", "c", "b"]),
        (["a,d"], ["a,d"]),  # said as it was written
        (["b,a, or"], ["b,a, or"]),
    ],
)
def test_several_options_may_be_listed_with_commas(raw, read):
    some = replace(SOME, options=("a", "b", "c", "b,a, or"))
    assert some.options_in(raw) == read
    assert COLOUR.options_in(["red,green"]) == ["red,green"], "of which there is one"


def test_the_note_on_a_key_of_another_page_says_what_to_write_instead():
    found = problems([SHARE, replace(SOME, hints_by_key={"all": " Write `some=a`."})], {"all": ["a"]})
    assert found == {"all": "`all` was ignored: this page has no such setting. Write `some=a`."}


def test_a_links_words_stay_in_their_code_span():
    assert as_code_span("key", ["a`b\nc", "d"]) == "`key=a b c, d`"
    assert as_code_span("k" * 61) == f"`{'k' * 60}…`"
    assert as_code_span("k" * 60) == f"`{'k' * 60}`"
