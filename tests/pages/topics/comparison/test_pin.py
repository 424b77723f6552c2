"""A pin holds a whole setting, is refused where it holds none, and counts no draw twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.topics.comparison import against_pin
from pages.topics.comparison.answer import jobs
from pages.topics.comparison.pin import decode, encode
from privdemo.experiments.comparison import SHARE, ComparisonConfig
from privdemo.methods import FLAT, SPREAD
from tests.pages.topics.comparison.made import DIGITS, SMALL, question
from tests.pages.visiting import answers, html, visit, warnings


def test_a_pin_by_its_button_is_compared_and_let_go():
    at = visit("comparison", compare_on="Small digits", compare_look="against a pin", show=["naive", "true labels"])
    at.button(key="pin-it").click().run()
    assert at.text_input(key="pin").value == "classify,digits,labels,120,1,0"
    at.number_input(key="label_epsilon").set_value(0.25).run()
    assert "What differs: ε 0.25 (pinned 1). Of 2 methods <b>1</b> differs clearly: naive −" in answers(at)[0]
    assert "the same" in html(at)
    at.button(key="unpin").click().run()
    assert "Nothing is pinned" in answers(at)[0]


@pytest.mark.parametrize(
    ("n_train", "pinned", "counts"),
    [
        (120, None, {}),
        (40, None, {"Draw": 3}),
        (40, SMALL, {"Draw": 3}),
        (40, replace(DIGITS, n_train=50), {"Draw": 3, "Pinned draw": 3}),
        (40, replace(DIGITS, n_train=50, task=SHARE, methods=(SPREAD,)), {"Draw": 3}),
    ],
)
def test_no_draw_is_made_twice_and_nothing_shipped_anew(n_train, pinned, counts):
    asked = question(replace(DIGITS, n_train=n_train), 10 if n_train == 120 else 3, pinned=pinned)
    found = jobs(asked)
    assert {name: sum(len(j.tasks) for j in found if j.name == name) for name in {j.name for j in found}} == counts
    drawn = [task for job in found for task in job.tasks]
    assert len(set(drawn)) == len(drawn)


def test_a_pin_holds_the_whole_setting():
    config = ComparisonConfig(
        dataset="digits", n_train=120, epsilon=1 / 3, rho=0.2, bag_size=10, delta=0.01, share=0.7, n_asked=90, seed=4
    )
    assert decode(encode(config)) == config
    assert encode(replace(DIGITS, epsilon=2.0)) == "classify,digits,labels,120,2,0"
    assert decode("") is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("nonsense", "it does not read as a pinned setting; pin one anew"),
        ("classify,digits,labels,many,1,0", "it is no pinned setting; pin one anew"),
        ("classify,digits,labels,120,1,0,magic=3", "it is no pinned setting; pin"),
        ("classify,digits,labels,5,1,0", r"it is no pinned setting \(n_train must be"),
        ("classify,digits,labels,100000,1,0", "people of each class"),
        ("classify,digits,labels,120,0.001,0", r"epsilon must be in \[0.05, 8\]"),
        ("classify,digits,labels,120,20,0", r"epsilon must be in \[0.05, 8\]"),
        ("classify,digits,labels,120,1,0,bag_size=100000", "bag_size must be"),
        ("classify,digits,labels,120,1,0,delta=0.9", "delta must be"),
        ("classify,your own,labels,120,1,0", "its records were a visitor’s own"),
    ],
)
def test_what_is_no_pin_is_refused(words, why):
    with pytest.raises(ValueError, match=why):
        decode(words)
    assert "it is no pinned setting" in warnings(visit("comparison", pin=words)) or words == "nonsense"


@pytest.mark.parametrize(
    ("pinned", "running", "words"),
    [
        (None, False, "Nothing is pinned"),
        (replace(DIGITS, task=SHARE, methods=()), False, "of the other task"),
        (replace(DIGITS, methods=()), True, "are being made"),
        (replace(DIGITS, methods=()), False, "No method has marks of both settings."),
    ],
)
def test_why_nothing_is_compared_with_a_pin(pinned, running, words):
    assert words in against_pin.why_not(question(pinned=pinned), running)


def test_a_pin_without_the_methods_shown_says_so():
    asked = question(replace(DIGITS, private="records", methods=(FLAT,)), pinned=replace(DIGITS, methods=()))
    assert "None of the methods that are shown" in against_pin.why_not(asked, True)
