"""docs/advice.md: every quoted answer is that of the code below it, and every number is right."""

import re

from privdemo.advise import Question, advise, label, sentence, simulated_half_width
from tests.advise import labels
from tests.documents import ROOT, blocks, run

TEXT = (ROOT / "docs/advice.md").read_text(encoding="utf-8")


def test_each_decision_has_the_label_that_the_package_gives_it():
    assert labels.with_labels(TEXT) == TEXT
    assert TEXT.count(labels.SUMMARY) == 10


def test_five_questions_are_answered_by_the_label_of_the_first_decision():
    told = TEXT.partition("## Five questions, answered from the label\n")[2]
    answers = dict(re.findall(r"^\| (.*\?) \| (.*) \|$", told, re.M))
    lines = {line.title: line.text for line in label(advise(Question("yes-no", "nobody", 5000, 0.03)))}
    asked = ("Protection", "Asked again", "Who sees what", "Who must be trusted", "How exact")
    assert list(answers.values()) == [lines[title] for title in asked]


def test_ten_decisions_have_their_answers_and_numbers():
    first, *decisions = blocks("docs/advice.md")
    names = {}
    assert run(first, names) == 3
    quotes = [
        " ".join(line.removeprefix("> ") for line in quote.splitlines())
        for quote in re.findall(r"(?:^> .*\n)+", TEXT, re.M)
    ]
    assert len(decisions) == len(quotes) == 10
    for code, quote in zip(decisions, quotes, strict=True):
        assert run(code, names) == 2
        advice = names["advice"]
        assert sentence(advice) == quote
        assert abs(simulated_half_width(advice) / advice.plan.half_width - 1) < 0.05
