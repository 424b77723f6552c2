"""Questions about training that make no sense are refused."""

from dataclasses import replace

import pytest

from privdemo.experiments import training
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import NAIVE, SPREAD
from tests.experiments.training.cases import DIGITS


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"classes": ("7", "7")}, r"classes must be two or more different ones, got \('7', '7'\)"),
        ({"classes": ("7", "8", "9"), "labels": RandomisedResponse(0.2, 3)}, "classes must be two, got 3: 7, 8, 9"),
        ({"labels": RandomisedResponse(0.2, 3)}, "labels must be a mechanism on the 2 classes chosen, got one on 3"),
        ({"methods": (SPREAD, "guess")}, "methods must be one or more of clean, naive, .*, published, got guess"),
        ({"n_train": 19}, r"n_train must be a whole number in \[20, 6000\], got 19; people of each class"),
    ],
)
def test_bad_configs_say_what_is_wrong(change, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        replace(DIGITS, **change)


def test_the_same_question_is_put_to_other_methods():
    assert training.with_methods(DIGITS, (NAIVE,)) == replace(DIGITS, methods=(NAIVE,))
