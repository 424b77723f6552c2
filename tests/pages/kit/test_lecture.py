"""Lectures are the same after a file or a link, and everything else is refused with a sentence."""

import base64
import json
import re
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.kit import lecture
from pages.kit.lecture import SHOW, Lecture, Step, from_link, problems, read, to_link, to_toml
from pages.kit.settings import Choice, Number
from privdemo import limits

LIE = Number("lie", limits.SHARE, 0.2)
DIGITS = Choice("classes", ("7", "8", "9"), ("7", "9"), many=True, least=2)
TEXT = """
title = "Randomised response in 12 minutes"
audience = "students"
minutes = 12

[[step]]
page = "voting"
say = "Everyone lies now and then; the total still tells the truth."
show = ["takeaway", "control"]
control = "lie"
[step.settings]
lie = 0.2
classes = [7, "9"]

[[step]]
page = "images"
"""
WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=60)
SHOWN = st.lists(st.sampled_from(SHOW), min_size=1, unique=True).map(tuple)
SETTINGS = st.dictionaries(
    WORDS.filter(bool), WORDS | st.floats().map(repr) | st.lists(WORDS, min_size=1, max_size=4).map(tuple), max_size=5
)
STEPS = st.builds(
    lambda show, control, page, settings, say, texts: Step(
        page, settings, say, show, control if "control" in show else "", *texts
    ),
    SHOWN,
    WORDS.filter(bool),
    WORDS,
    SETTINGS,
    WORDS,
    st.tuples(WORDS, WORDS, WORDS),
)
LECTURES = st.builds(
    Lecture, WORDS.filter(bool), WORDS, st.integers(1, 600), st.lists(STEPS, min_size=1, max_size=6).map(tuple), WORDS
)
# Twelve steps as one says them, each about another setting.
SAID = (
    "Ask a thousand people whom they voted for, and nobody has to tell you the truth about it.",
    "Each of them throws a die: with a one the answer is a lie, and no one will ever know which answers are.",
    "Read the answers as they are, and the smaller party looks larger than it is.",
    "Take the lies into account, and the estimate is right again, on average over many polls.",
    "The price is the width of the interval: here it takes nearly three times as many people.",
    "Now everybody lies almost half of the time. What do you expect?",
    "At one half the answers say nothing at all, however many people you ask.",
    "Somebody who knows your answer learns a little: the odds change by a factor of four at most.",
    "Asked ten times with a new lie every time, you have given yourself away.",
    "The same with images: every pixel of this seven may be another grey level.",
    "A classifier can be trained on such images and labels, if it knows how they were made.",
    "What it costs: compare the methods at the same promise, and mind whom you have to trust.",
)


def twelve_steps():
    pages = ("voting", "image_noise", "training", "comparison")
    return Lecture(
        "Randomised response in 12 minutes",
        "first-year students of statistics",
        12,
        tuple(
            Step(
                pages[min(3, max(0, i - 8))],
                {"voters": str(500 * (i + 1)), "share": "0.35", "lie": str(i / 25), "look_at": f"the tab number {i}"},
                words,
                SHOW if i % 3 == 0 else SHOW[:2],
                "lie" if i % 3 == 0 else "",
            )
            for i, words in enumerate(SAID)
        ),
    )


def test_a_file_is_read_with_numbers_as_an_address_spells_them():
    found = read(TEXT)
    first, second = found.steps
    assert (found.title, found.audience, found.minutes) == ("Randomised response in 12 minutes", "students", 12)
    assert first.settings == {"lie": "0.2", "classes": ("7", "9")}
    assert (first.show, first.control) == (("takeaway", "control"), "lie")
    assert second == Step("images", {}, "", ("takeaway", "figure"), "")
    assert read(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()) == found, "as Windows writes it"


@given(LECTURES)
def test_a_lecture_is_the_same_after_a_file_and_after_a_link(shown):
    assert read(to_toml(shown)) == shown
    link = to_link(shown)
    assert from_link(link) == shown
    assert set(link) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def test_a_link_keeps_its_last_letter_whichever_it_is():
    step = Step("voting")
    links = {to_link(made): made for made in (Lecture(f"{i**3:x}", "", 5, (step,)) for i in range(3000))}
    assert all(from_link(link) == made for link, made in links.items())
    assert len({link[-1] for link in links}) == 64


def test_twelve_steps_fit_into_a_link_that_can_be_mailed():
    shown = twelve_steps()
    link = to_link(shown)
    assert len(link) < 1300
    assert from_link("\n ".join(link[i : i + 76] for i in range(0, len(link), 76))) == shown, "as mail breaks lines"


@given(st.data())
def test_a_damaged_link_is_refused_with_a_sentence_or_means_the_same(data):
    """Some bits near the end of what is compressed mean nothing."""
    link = to_link(twelve_steps())
    at = data.draw(st.integers(0, len(link) - 1))
    letter = data.draw(st.sampled_from("Aa0-_~é\\"))
    for changed in (link[:at], link[:at] + letter + link[at + 1 :], link + letter):
        assert re.match("the same|the link of this lecture is damaged|this is not the link of a lect", outcome(changed))


def outcome(link):
    """What comes of reading a link: “the same” lecture, “another”, or the sentence that refuses it."""
    try:
        return "the same" if from_link(link) == twelve_steps() else "another"
    except ValueError as error:
        return str(error)


def packed(whole):
    raw = whole if isinstance(whole, bytes) else json.dumps(whole).encode()
    return "1" + base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")


STEP = ["voting", {}, "", "tf", ""]


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("", "this is not the link of a lecture"),
        ("2" + "a" * 40, "one of a newer version"),
        ("1" + "a" * 30_000, "may have 7,192 characters, this has 30,001"),
        (packed(b"[" * 4_000_000), "is damaged"),
        (packed(b"[" * 50_000), "is damaged"),
        (packed({"title": 1}), "is damaged"),
        (packed(["t", "", 1, [STEP[:4]]]), "is damaged"),
        (packed(["t", "", 1, [[*STEP[:3], "tx", ""]]]), "is damaged"),
        (packed(["t", "", 1, [[*STEP, "note", "question", "solution", "more"]]]), "is damaged"),
        (packed(["t", "", 1, 5]), "is damaged"),
        (packed(["t", "", 1, [STEP] * 51]), "a lecture must have 1 to 50 steps, got 51"),
        (packed(["t", "", 1, [["voting", {"a": {}}, "", "tf", ""]]]), "step 1: settings: a must be a text, a number"),
        (packed(["t", "", 0, [STEP]]), "minutes must be a whole number in [1, 600], got 0"),
    ],
)
def test_a_link_of_something_else_is_refused_with_a_sentence(link, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        from_link(link)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_link_without_the_texts_of_the_hand_out_is_read(n):
    texts = ("Wait.", "How many?", "{truth}.")[:n]
    found = from_link(packed(["t", "", 1, [[*STEP, *texts]]]))
    assert found == Lecture("t", "", 1, (Step("voting", {}, "", ("takeaway", "figure"), "", *texts),))
    assert len(to_link(found)) <= len(to_link(replace(found, steps=(replace(found.steps[0], solution="A longer."),))))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("minutes = 12", 'minutes = "12"', "minutes must be a whole number in [1, 600], got '12'"),
        ("minutes = 12", "", "a lecture must have minutes"),
        ("minutes = 12", "minutes = ", "a lecture is TOML, which this file is not: Invalid value (at line 4"),
        ("minutes = 12", "minutes = 12\nlength = 3", "a lecture may hold title, audience, summary, minutes, step, got"),
        ("minutes = 12", "minutes = 12\nsummary = 3", "summary must be a text, got “3”"),
        ('audience = "students"', 'audience = ["students"]', "audience must be a text, got “['students']”"),
        ('title = "Randomised', 'title = "\\nRandomised', "title must be one line of text without control characters"),
        ('page = "images"', "say = 'x'", "step 2: a step must have page"),
        (
            'page = "images"',
            'page = "images"\nslide = 3',
            "step 2: a step may hold page, say, show, control, note, question, solution, settings",
        ),
        (
            'page = "images"',
            f'page = "images"\nsay = "{"x" * 301}"',
            "step 2: say must have 0 to 300 characters, got 301",
        ),
        (
            'page = "images"',
            f'page = "images"\nsolution = "{"x" * 1001}"',
            "step 2: solution must have 0 to 1000 characters, got 1001",
        ),
        ('page = "images"', 'page = "images"\nquestion = 3', "step 2: question must be a text, got “3”"),
        ('"takeaway", "control"', '"takeaway", "chart"', "step 1: show must be a list of some of takeaway, figure, g"),
        ('"takeaway", "control"', '"control", "control"', "each once, got “['control', 'control']”"),
        ('["takeaway", "control"]', '"control"', "each once, got “control”"),
        ('control = "lie"', "", "step 1: control must name the setting that can be changed if show holds"),
        ("lie = 0.2", "lie = true", "step 1: settings: lie must be a text, a number or a list of them, got “True”"),
        ("lie = 0.2", "lie = [[0.2]]", "step 1: settings: lie must be a text, a number or a list of them"),
        ("lie = 0.2", "lie = []", "step 1: settings: lie must have 1 to 60 values, got 0"),
        ("lie = 0.2", "lie = 2026-11-22", "“lie” must not be a date or time, got 2026-11-22"),
        ("[step.settings]", "settings = 3\n[step.more]", "step 1: a step may hold"),
        ('[[step]]\npage = "images"', "[[steps]]", "got “steps”"),
    ],
)
def test_a_wrong_file_gets_one_sentence(before, after, words):
    assert before in TEXT
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        read(TEXT.replace(before, after))
    assert "\n" not in str(refusal.value)


def test_other_bytes_are_refused_with_a_sentence():
    for content, words in (
        (b"\xff\xfe\x00", "a lecture is text in UTF-8, which this file is not"),
        (b"x = " + b"[" * 30_000, "a lecture may have 20 tables within one another"),
        (b"", "a lecture must have title"),
        ("#" * 65_000, "a lecture may have 64,000 characters, this has 65,000"),
        (TEXT + '[[step]]\npage = "x"\n' * 60, "a lecture must have 1 to 50 steps, got 62"),
        (TEXT.replace("[[step]]", "[step]", 1).split("[[step]]")[0], "step must be a list of tables, each [[step]]"),
    ):
        with pytest.raises(ValueError, match=words.replace("[", r"\[")):
            read(content)
    with pytest.raises(ValueError, match="1 to 50 steps, got 0"):
        replace(read(TEXT), steps=())


def test_a_step_is_checked_against_the_settings_of_its_page():
    first = read(TEXT).steps[0]
    assert problems(first, [LIE, DIGITS]) == {}
    found = problems(replace(first, settings={"lie": "2", "classes": ("7",), "more": "x"}), [LIE, DIGITS])
    assert list(found) == ["lie", "classes", "more"]
    assert "it must be in [0, 1]" in found["lie"]
    assert problems(replace(first, settings={}), [DIGITS]) == {
        "lie": "`lie` cannot be changed in this step: the page has no such setting."
    }


def test_the_lectures_that_come_with_the_app_are_read_by_the_names_of_their_files(tmp_path, monkeypatch):
    monkeypatch.setattr(lecture, "_SHIPPED", tmp_path)
    (tmp_path / "lies.toml").write_text(TEXT, encoding="utf-8")
    lecture.shipped.cache_clear()
    (tmp_path / "randomised-response.toml").write_text(TEXT, encoding="utf-8")
    assert list(lecture.shipped()) == ["randomised-response", "lies"], "the one for most people is first"
    assert lecture.shipped()["lies"] == read(TEXT)
    lecture.shipped.cache_clear()
