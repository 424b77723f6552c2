"""Widgets of settings and of privacy: their elements, and how a number and its ε follow each other."""

import math
import re

import pytest

from pages.kit import numbers, privacy_inputs
from pages.kit.privacy_inputs import DELTAS, EPSILONS
from privdemo import accounting, figures
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from tests.pages.kit.elements import component_data, opened, rendered

SETTINGS = """
import streamlit as st
from pages.kit import inputs, privacy_inputs, values
from pages.kit.number_control import Slider
from pages.kit.settings import Choice, Number, Words
from privdemo.limits import Limit
from privdemo.mechanisms.pixels import FAMILIES

N = Number("n", Limit("n", 1, 9, integer=True), 3, "N", help="Whole")
P = Number("p", Limit("p", 0.0, 0.5), 0.2, "P", 0.1, "Share")
Q = Number("q", Limit("q", 0.0, 0.5), 0.3, "Q")
ONE, TWO = Choice("one", ("a", "b"), "b", "One"), Choice("two", ("a", "b"), ("b",), "Two", many=True)
WORDS = Words("words", str, "so", "Words", "Any")
"""
PLAIN = f"""{SETTINGS}
with inputs.row("n"):
    found = [inputs.number(N), inputs.slider_and_box(P, "Other", ("low", "high"))]
with inputs.side_by_side("q"):
    inputs.slider_and_box(Q)
    inputs.number(Number("r", Q.limit, 0.1))
found += [inputs.choose(TWO), inputs.choose_in_line(ONE)]
inputs.choose(Choice("hidden", ("a", "b"), "b", "One"), "Uno", hide_label=True)
inputs.choose(Choice("some", ("a", "b"), (), "Two", many=True), "Due")
inputs.choose_from_list(Choice("list", ("a", "b"), "b", "List"))
inputs.choose_from_list(Choice("own", ("a", "b"), "a", "List", in_link=False), "Lista")
found += [inputs.text_input(WORDS), inputs.text_input(Words("more", str, "", "Words"), "Parole")]
with inputs.container_if("shown", True):
    found.append(inputs.choose_from_list(Choice("seen", ("a", "b"), "a", "Seen")))
with inputs.container_if("not", False):
    found += [inputs.number(Number("un", Limit("un", 0.0, 1.0), 0.5)), inputs.choose(Choice("on", ("a",), "a", "On"))]
    found += [inputs.choose_from_list(Choice("off", ("a",), "a", "Off")), inputs.text_input(Words("wo", str, "w"))]
st.session_state["found"] = tuple(found)
"""
PLAIN_RENDERED = """\
container row-n
  bidi_component n-number component_name=privdemo_number
  bidi_component p-number component_name=privdemo_number
container pair-q direction=HORIZONTAL
  bidi_component q-number component_name=privdemo_number
  bidi_component r-number component_name=privdemo_number
button_group two options=a/b default=1 click_mode=MULTI_SELECT style=PILLS label=Two
container in-line direction=HORIZONTAL > button_group one options=a/b default=1 label=One required=True
button_group hidden options=a/b default=1 label=Uno label_visibility=COLLAPSED required=True
button_group some options=a/b click_mode=MULTI_SELECT style=PILLS label=Due
selectbox list label=List default=1 options=a/b
selectbox own label=Lista default=0 options=a/b
text_input words label=Words default=so help=Any
text_input more label=Parole default=
container shown > selectbox seen label=Seen default=0 options=a/b"""
LIES = f"""{SETTINGS}
flip = privacy_inputs.lie(P, 3, slider=privacy_inputs.noise_slider("Lie", live=True), people=privacy_inputs.People())
privacy_inputs.lie_boxes(P, 3, label="p", epsilon_key="x", epsilon_label="ε")
R = Number("r", P.limit, 0.2, "R", 0.1)
both = privacy_inputs.two_lies((R, Slider("From 0")), (Q, Slider("From 1")), privacy_inputs.People())
privacy_inputs.two_lies_boxes(R, Q)
st.session_state["found"] = flip, both.p10, both.p01
"""
COUNTS = f"""{SETTINGS}
EPSILON, DELTA = Number("e", Limit("e", 0.001, 20.0), 0.3), Number("d", Limit("d", 0, 0.5), 0.05)
F = Number("f", EPSILON.limit, 1.5)
found = privacy_inputs.epsilon(EPSILON, "How much"), privacy_inputs.delta_of_counts(DELTA)
st.session_state["found"] = *found, privacy_inputs.epsilon(F, "Few", (1.0, 2.0, 30.0))
privacy_inputs.epsilon_box(EPSILON)
"""
PIXELS = f"""{SETTINGS}
found = []
for (name, family), low in zip(FAMILIES.items(), (0.0, 0.2, 0.2)):
    level = Number(name[0], Limit("level", low, 0.5), 0.3, step=0.1)
    what = {{"what": "value"}} if name == "laplace" else {{}}
    privacy_inputs.pixel_boxes(level, family, 4, 1e-5, name[0] + "_e", **what)
    found.append(values.get(level))
st.session_state["found"] = tuple(found)
"""
SCRIPTS = {"plain": PLAIN, "lies": LIES, "counts": COUNTS, "pixels": PIXELS}
FOUND = (3, 0.2, ("b",), "b", "so", "", "a", 0.5, "a", "a", "w")


def controls(script, has_boxes=None):
    """Return the data of each number's control by its key; of those with boxes, without, or of the last."""
    every = component_data(opened(SCRIPTS[script], no_browser=False), "number")
    return {data["key"]: data for data in every if has_boxes in (None, data["hasBoxes"])}


def test_every_widget_says_what_its_setting_does_and_hidden_ones_have_values_alone():
    at = opened(PLAIN, no_browser=False)
    assert [line.split(" json=")[0] for line in rendered(at.main).splitlines()] == PLAIN_RENDERED.splitlines()
    assert at.session_state["found"] == FOUND


_DELTA_ENDS = ("more accurate (0.3)", "more private (0)")


@pytest.mark.parametrize(
    ("script", "key", "label", "name", "ends", "stops", "live"),
    [
        ("plain", "n", "N", None, None, None, None),
        ("plain", "p", "Other", "Other", ("low", "high"), None, False),
        ("plain", "q", "Q", "Q", None, None, False),
        ("lies", "p", "P", "Lie", ("more accurate (0)", "more private (0.5)"), None, True),
        ("lies", "r", "R", "From 0", None, None, False),
        ("lies", "q", "Q", "From 1", None, None, False),
        (
            "counts",
            "e",
            "",
            "How much",
            ("more accurate", "more private"),
            sorted((*EPSILONS, 0.3)),
            False,
        ),
        (
            "counts",
            "d",
            "δ",
            "δ, chance that the promise fails",
            _DELTA_ENDS,
            [d for d in DELTAS if d <= 0.5],
            False,
        ),
        ("counts", "f", "", "Few", ("more accurate", "more private"), [1.0, 1.5, 2.0], False),
        ("pixels", "r", "p, chance of change", None, None, None, None),
        ("pixels", "g", "σ, noise strength", None, None, None, None),
    ],
)
def test_a_number_has_a_box_and_a_slider_with_words_for_its_ends(script, key, label, name, ends, stops, live):
    found = controls(script, has_boxes=name not in ("Lie", "How much", "Few", "From 0", "From 1"))[key]
    assert found["box"]["label"] == label
    slider = found["slider"] or dict.fromkeys(("name", "ends", "stops", "live"))
    assert (slider["name"], slider["ends"], slider["stops"], slider["live"]) == (name, ends and [*ends], stops, live)


@pytest.mark.parametrize(
    ("script", "key", "label", "text", "low", "high", "range_words"),
    [
        ("lies", "p", "ε", "2.079", math.log(2), 700.0, "0.6931 to 700"),
        ("pixels", "r", "ε of one pixel", "1.946", math.log(3), 700.0, "1.099 to 700"),
        ("pixels", "g", "ε of one pixel at δ = 10⁻⁵", "19.13", 9.99726, 33.1037, "9.997 to 33.1"),
        ("pixels", "l", "ε of one value", "3.333", 2.0, 5.0, "2 to 5"),
    ],
)
def test_a_lie_and_the_noise_of_a_pixel_have_a_box_for_epsilon(script, key, label, text, low, high, range_words):
    other = controls(script)[key]["other"]
    assert (other["label"], other["text"], other["range"]) == (label, text, range_words)
    assert (other["low"], other["high"], other["step"]) == (pytest.approx(low), pytest.approx(high), 0.1)
    assert "Set either number; the other follows." in other["help"]


def test_two_lies_and_counts_have_no_other_unit():
    assert [controls(script)[key]["other"] for script, key in (("lies", "r"), ("lies", "q"), ("counts", "e"))] == [
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("script", "key", "value", "found", "boxes"),
    [
        ("plain", "n", 5, (5, *FOUND[1:]), {}),
        ("plain", "p", 0.4, (3, 0.4, *FOUND[2:]), {}),
        ("lies", "x", math.log(2), (0.5, 0.2, 0.3), {"p": 0.5}),
        ("lies", "p", 0.4, (0.4, 0.2, 0.3), {"x": math.log(3)}),
        ("lies", "p", 0.0, (0.0, 0.2, 0.3), {"x": None}),
        ("lies", "q", 0.1, (0.2, 0.2, 0.1), {"p": 0.2}),
        ("counts", "e", 0.33, (0.33, 0.05, 1.5), {}),
        ("counts", "d", 2e-9, (0.3, 2e-9, 1.5), {}),
        ("pixels", "r_e", math.log(9), (0.25, 0.3, 0.3), {"r": 0.25}),
        ("pixels", "r", 0.0, (0.0, 0.3, 0.3), {"r_e": None}),
        ("pixels", "g_e", 12.0, (0.3, GaussianNoise.from_epsilon(12, 1e-5).sigma, 0.3), {}),
        ("pixels", "l_e", 4.0, (0.3, 0.3, 0.25), {"l": 0.25}),
    ],
)
def test_a_number_or_its_epsilon_is_set_and_the_other_follows(script, key, value, found, boxes):
    at = opened(SCRIPTS[script])
    at.number_input(key=key).set_value(value).run()
    assert not at.exception
    assert at.session_state["found"] == (found if script == "plain" else pytest.approx(found))
    assert {box: at.number_input(key=box).value for box in boxes} == pytest.approx(boxes)


def test_an_epsilon_without_bound_can_be_set_to_a_finite_one_and_back():
    at = opened(LIES)
    for key, value, flip, epsilon in (
        ("p", 0.0, 0.0, None),
        ("x", math.log(8), 0.2, math.log(8)),
        ("p", 0.0, 0.0, None),
    ):
        at.number_input(key=key).set_value(value).run()
        assert at.session_state["found"][0] == pytest.approx(flip)
        assert at.number_input(key="x").value == (None if epsilon is None else pytest.approx(epsilon))


@pytest.mark.parametrize(("p", "how", "epsilon"), [(0.2, "Weak", "2.08"), (0.5, "Moderate", "0.69"), (0.0, "No", "∞")])
def test_what_an_epsilon_means_stands_beside_its_number(p, how, epsilon):
    at = opened(LIES)
    at.number_input(key="p").set_value(p).run()
    shown = at.get("html")[0].proto.body.replace("\u00a0", " ")
    start = rf"<b>{how} protection\.</b> Whoever .*<summary>What this means</summary>"
    assert re.search(
        rf"{start}.*<p>.* = {epsilon} \({how.lower()} protection\)\..* {numbers.SCALE_OF_PROTECTION}\.</p>",
        shown,
        re.DOTALL,
    )
    assert shown.count('class="term"') >= 1


@pytest.mark.parametrize(("epsilon", "size", "right"), [(0.49, "strong", 63), (0.5, "moderate", 63), (2, "weak", 89)])
def test_what_a_privacy_loss_is_called_is_what_is_said_of_it(epsilon, size, right):
    assert numbers.protection(epsilon) == size
    assert (numbers.protection(0.0), numbers.protection(math.inf)) == ("full", "no")
    assert accounting.most_right_of_100(epsilon, 0.0) == right
    assert [float(number) for number in re.findall(r"\d+(?:\.\d+)?", numbers.SCALE_OF_PROTECTION)] == [0.5, 2]


@pytest.mark.parametrize(
    ("reached", "answer"), [(0.95, "Yes"), (0.875, "Yes"), (0.87, "Partly"), (0.61, "Hardly"), (0.5, "No"), (0.4, "No")]
)
def test_how_far_towards_the_most_answers_a_question(reached, answer):
    assert numbers.how_far(reached, 0.5, 1.0) == answer
    assert numbers.how_far(reached, 1.0, 1.0) == "No", "where nothing can be gained"


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (0.75, 0.25, "Of 100 people who did it, 75 say Yes. Of 100 who did not, 25 say Yes."),
        (1.0, 0.0, "Of 100 people who did it, 100 say Yes. Of 100 who did not, 0 say Yes."),
        (0.99, 0.012, "Of 100 people who did it, 99 say Yes. Of 100 who did not, 1 says Yes."),
        (0.998, 0.002, "Of 100 people who did it, over 99 say Yes. Of 100 who did not, under 1 says Yes."),
        (0.5, 0.5, "Of 100 people who did it, 50 say Yes. Of 100 who did not, 50 say Yes."),
        (0.505, 0.495, "Of 100 people who did it, 51 say Yes. Of 100 who did not, 50 say Yes."),
        (0.502, 0.498, "Of 100 people who did it, 50 say Yes; of 100 who did not as many, rounded to whole people."),
    ],
)
def test_what_an_answer_gives_away_is_said_in_whole_people(first, second, words):
    assert privacy_inputs.people_words(first, second, privacy_inputs.People()) == words


@pytest.mark.parametrize(
    ("epsilon", "often"), [(0.0, "50"), (1.0, "fewer than 74"), (4.59, "fewer than 99"), (4.69, "over 99")]
)
def test_what_a_white_pixel_gives_away_is_how_often_it_was_white(epsilon, often):
    guess = "pixel that is white in the sent image was white in the original"
    # White is replaced as every other grey; only black and white are possible before.
    for n_states in (2, 17, 256):
        pixels = RandomisedResponse.from_epsilon(epsilon, n_states)
        shown = privacy_inputs.guess_scale_html(epsilon, privacy_inputs.black_or_white(pixels), name="ε of one pixel")
        channel = pixels.channel_matrix[:, [0, -1]]
        other = "changes its colour" if n_states == 2 else f"takes any of {n_states - 1} other shades"
        chance = channel[-1, 0]
        many = f"{numbers.percent(float(f'{chance:.2g}'))} of black pixels turn"
        turn = f"{numbers.one_in(chance)} black pixels turns" if chance < 0.01 else many
        became = f"A pixel that is replaced {other}, so that {turn} white."
        together = privacy_inputs.guess_scale_html(
            epsilon, privacy_inputs.black_or_white(pixels), name="ε of one pixel", n_pixels=64
        )
        whole = "practically none" if 64 * epsilon > 60 else numbers.protection(64 * epsilon)
        one = numbers.protection(epsilon)
        worst = f"<p><b>Protection of a whole image, in the worst case: {whole}.</b></p>"
        assert f"<details><summary>How well is a whole image protected?</summary>{worst}" in together
        assert f"<p>ε of one pixel = {numbers.epsilon(epsilon)} ({one} protection). " in together
        assert f"All 64 pixels of an image together have ε = {numbers.epsilon(64 * epsilon)}. " in together
        assert f"<p>A {guess} {often} of 100 times, if black and white are equally common. {became}</p>" in shown
        posterior = 100 * channel[-1, 1] / channel[-1].sum()
        said = int(often.split()[-1])
        assert said - 1 - 1e-9 <= posterior <= said + 1e-9 if said < 99 or often.startswith("fewer") else posterior > 99


@pytest.mark.parametrize(("p", "says"), [(0.125, (88, 13)), (0.375, (63, 38)), (0.2, (80, 20))])
def test_as_many_dots_say_yes_as_the_words_say(monkeypatch, p, says):
    plotted = []
    field = figures.split_field
    monkeypatch.setattr(
        privacy_inputs.figures,
        "split_field",
        lambda head, n, *rest, **more: plotted.append(n) or field(head, n, *rest, **more),
    )
    shown = privacy_inputs.answer_scale_html(BinaryChannel(p, p), privacy_inputs.People())
    assert tuple(plotted) == says
    assert "did it, {} say Yes. Of 100 who did not, {} say Yes.".format(*says) in shown
    right = privacy_inputs.guess_scale_html(
        0.0, privacy_inputs.Guessing("others would guess it right", "both"), delta=1 - 2 * p
    )
    assert plotted[-1] == math.ceil(100 * (1 - p))
    assert f"{plotted[-1]} of 100 times (pure guessing: 50), if both are equally common." in right


def test_the_meaning_of_an_answer_comes_from_its_channel():
    people = privacy_inputs.People("voted A", "voted B", "A")
    channel = BinaryChannel(0.1, 0.3)  # of voters of B 10 of 100 say A, of voters of A 70
    shown = privacy_inputs.answer_scale_html(channel, people)
    words = "Of 100 people who voted A, 70 say A. Of 100 who voted B, 10 say A."
    assert f">{words} <b>Protection of one answer: moderate.</b><details" in shown
    assert "<figcaption>100 people who voted B</figcaption>" in shown
    assert (
        "<p>ε of one answer = 1.95 (moderate protection). Whatever was believed before, the odds change at most "
        f"sevenfold. {numbers.SCALE_OF_PROTECTION}.</p>" in shown
    )


@pytest.mark.parametrize(
    ("epsilon", "delta", "right", "counted"),
    [
        (0.0, 0.0, "at most 50", ""),
        (1.0, 0.0, "fewer than 74", ""),
        (1.0, 1e-6, "fewer than 74", ""),
        (1.0, 0.05, "fewer than 75", "δ = 0.05"),
        (math.log(3), 0.0, "at most 75", ""),
        (0.0, 0.2, "at most 60", "δ = 0.2"),
        (9.0, 0.0, "up to nearly 100", ""),
        (math.inf, 0.0, "up to nearly 100", ""),
    ],
)
def test_what_a_release_gives_away_is_how_many_can_be_guessed_right(epsilon, delta, right, counted):
    guessing = privacy_inputs.Guessing("others guess it right", "a and b", people="patients")
    shown = privacy_inputs.guess_scale_html(epsilon, guessing, delta=delta)
    beyond = f" This includes a chance of {counted} that the promise fails." if counted else ""
    words = f"Others guess it right {right} of 100 times (pure guessing: 50), if a and b are equally common.{beyond}"
    protects = "" if counted else f"<b>{numbers.protection(epsilon).capitalize()} protection.</b> "
    assert shown.startswith(f'<div class="epsilon">{protects}{words}<details>')
    assert "<figcaption>100 patients</figcaption>" in shown
    unnamed = privacy_inputs.guess_scale_html(epsilon, guessing, delta=delta, name="")
    assert unnamed.startswith(f'<div class="epsilon">{words}<details>')
