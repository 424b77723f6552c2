"""The home page: the numbers of its story and figures are the package's, and doors lead into the site."""

import base64
import json
import re

import numpy as np
import pytest

from pages.kit import cache, numbers
from pages.kit.trials import Trials
from pages.topics import PAGES
from pages.topics.home.answer import answer
from pages.topics.home.cost import EPSILON, best_by_trust, cost
from pages.topics.home.question import ANSWERS, FAMILY, LIE, OTHERS, SECRET_SEED, SHARE, Question
from pages.topics.home.secret import cases, others, panel, true_share
from privdemo.estimators import votes
from privdemo.experiments import images, voting
from privdemo.experiments.comparison import study
from privdemo.figures import people
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.methods import CURVES_FIRST, LEADER, NOBODY, TRUTH
from tests.pages.visiting import html, visit

QUESTION = Question("digits", 4, 0.6)


def shown():
    return answer(QUESTION, Trials())


@pytest.mark.parametrize("dataset", ["mnist", "digits"])
def test_each_mark_is_the_best_of_the_methods_that_the_comparison_begins_with(dataset):
    rows = [
        row
        for row in study.load()
        if (row.task, row.dataset, row.private, row.metric) == ("classify", dataset, "labels", "accuracy")
        and row.epsilon == EPSILON
        and row.method in CURVES_FIRST
    ]
    best, panel = best_by_trust(dataset), cost(dataset)
    for trust, trace, row in zip((TRUTH, NOBODY, LEADER), panel.figure.figure.data, panel.rows(), strict=True):
        means = [one.mean for one in rows if one.trust == trust]
        assert best[trust].mean == max(means) == trace.x[0] == row["accuracy"]
        assert trace.x[0] + trace.error_x.array[0] == pytest.approx(best[trust].high)
        assert f"{100 * max(means):.1f} % (" in panel.summary
    assert f"{100 * RandomisedResponse.from_epsilon(EPSILON, 2).flip_prob:.0f} % of the time" in panel.summary
    assert f"The same {2 * best[TRUTH].n_train} people, ε = 1:" in panel.summary
    exec(str(panel.snippet), names := {})
    assert names["best"][NOBODY].mean == pytest.approx(study.best_by_trust(names["best"].values())[NOBODY].mean)


def test_the_dial_says_how_often_the_sender_is_found():
    _, _, (dial, costs) = shown().main()
    data = dial.figure.data
    point = images.measure(QUESTION.curve, QUESTION.level)
    assert data["linkingHere"] == (
        "A program that has the originals of 100 people picks the right sender for "
        f"{numbers.out_of_100(point.linked.mean)} such images."
    )
    fixed = json.loads(data["pictures"])
    assert fixed["halves"][0] == "What two people send to the collector"
    assert fixed["halves"][1] == f"The originals, guessed from {shown().result.n_people:,} such images"
    assert len(data["linking"]) == len(data["levels"]) == len(images.curve(QUESTION.curve))
    assert fixed["low"] <= QUESTION.level <= fixed["high"] == FAMILY.limit(17).high
    assert costs == cost("digits") or costs.summary == cost("digits").summary
    last = images.curve(QUESTION.curve)[-1]
    assert f"at p = {last.level:.3g} {numbers.out_of_100(last.linked.mean)} (" in dial.summary


def test_the_shown_code_makes_the_shown_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = shown()
    exec(str(made.main()[2][0].snippet), names := {})
    np.testing.assert_array_equal(names["result"].released, made.result.released)
    np.testing.assert_array_equal(names["result"].guesses["low_rank"], made.guesses.pictures["low_rank"])
    assert (names["here"], names["points"]) == (made.own_point, made.points)
    assert (tmp_path / "picture.png").exists()


def test_three_doors_lead_into_the_site_and_other_people_are_sampled(mnist):
    at = visit("")
    ways = at.get("page_link")
    assert [way.proto.page for way in ways] == ["voting", "poll", "advice"]
    assert {way.proto.page for way in ways} <= {page.address for page in PAGES}
    names = ["See how it works (5 minutes)", "Ask your class", "Choose a method for your question"]
    for way, name in zip(ways, names, strict=True):
        assert way.proto.label.startswith(f"**{name}** ")
    before = html(at)
    next(button for button in at.button if button.label == "Show two other people").click().run()
    assert not at.exception
    assert html(at) != before
    assert at.session_state["people_seed"] == 1


def test_the_dial_starts_where_strokes_are_guessed_that_no_eye_sees(mnist):
    at = visit("")
    level = at.number_input(key="home_p").value
    assert "100 people picks the right sender for 100 of 100 such images." in html(at)
    result = images.run(Question("mnist", 0, level).config)
    clean = result.clean / 255.0
    sent, strokes, alone = (
        np.mean((pictures / 255.0 - clean) ** 2)
        for pictures in (result.released, result.guesses["low_rank"], result.guesses["learned"])
    )
    assert strokes < 0.9 * alone < 0.5 * sent


def test_without_mnist_the_small_digits_are_shown(monkeypatch):
    monkeypatch.setattr(cache, "image_titles", lambda: ("Small digits",))
    assert "picks the right sender" in html(visit(""))


def test_a_link_sets_the_dial(mnist):
    at = visit("", home_p="0.9")
    assert at.number_input(key="home_p").value == 0.9


# --- the visitor's own secret -----------------------------------------------------------------------

CHANNEL = BinaryChannel(LIE, LIE)


def test_what_a_visitor_sees_of_either_answer_is_computed_from_the_others_and_the_wheel():
    said = int(CHANNEL.apply(others().voted_a.astype(np.uint8), others().uniform).sum())
    assert len(others().voted_a) == OTHERS
    for case, is_yes, truths in zip(cases(), (True, False), (SHARE, 1 - SHARE), strict=True):
        assert case.sent == ANSWERS[not is_yes]
        assert case.said == (said + is_yes, OTHERS - said + (not is_yes))
        assert case.n_same == case.said[not is_yes]
        assert case.meant == pytest.approx(truths * (1 - LIE) / (truths * (1 - LIE) + (1 - truths) * LIE))
        expected = votes.exact(case.said[0], OTHERS + 1, CHANNEL)
        assert case.estimate == pytest.approx(tuple(expected[:3]))
        assert case.estimate.covers(true_share())
    assert round(100 * true_share(), 1) == 100 * SHARE, "what is shown as the truth is what the sender's odds are from"


def test_the_simulated_others_are_neither_lucky_nor_unlucky():
    """Their estimate is off by nearly the median over seeds, of which every fifth is tried here."""

    def off(seed):
        people_of_seed = voting.people(voting.ElectionConfig(OTHERS, SHARE, CHANNEL, 1, seed))
        said = CHANNEL.apply(people_of_seed.voted_a.astype(np.uint8), people_of_seed.uniform).mean()
        return abs((said - LIE) / (1 - 2 * LIE) - people_of_seed.voted_a.mean())

    assert off(SECRET_SEED) == pytest.approx(np.median([off(seed) for seed in range(0, 1000, 5)]), abs=0.005)


def test_the_browser_gets_every_number_and_the_kinds_of_the_dots():
    data = panel().figure.data
    kinds = np.frombuffer(base64.b64decode(data["kinds"]), np.uint8)
    np.testing.assert_array_equal(kinds, voting.kinds(others(), CHANNEL))
    assert data["lie"] == LIE
    assert data["sent"]["look_of"] == people.plan("", people.ANSWERS, OTHERS + 1)["look_of"]
    looks = [data["happened"]["looks"][look] for look in data["happened"]["look_of"]]
    assert [look["hollow"] for look in looks] == [False, True, False, True], "hollow: changed by the wheel"
    said = [looks[kind]["colour"] for kind in (voting.A_TRUE, voting.B_LIED, voting.B_TRUE, voting.A_LIED)]
    assert said == [people.A_COLOUR, people.A_COLOUR, people.B_COLOUR, people.B_COLOUR], "a colour is what was said"
    for case, seen in zip(cases(), data["cases"], strict=True):
        assert seen["found"][1] == (
            f"On average, {case.sent} is the true answer of {numbers.out_of_100(case.meant)} people who send it. "
            "The others send it because of the wheel."
        )
        assert numbers.with_half(case.estimate) in seen["sentence"]
        assert (seen["estimate"]["low"], seen["estimate"]["high"]) == (
            100 * case.estimate.low,
            100 * case.estimate.high,
        )
    json.dumps(data)


def test_the_script_of_the_story_neither_stores_nor_sends_and_has_no_numbers_of_its_own():
    script = re.sub(r"(?m)^ *//.*$|//.*$", "", panel().figure.js)
    for word in (
        "setStateValue",
        "setTriggerValue",
        "fetch",
        "Storage",
        "cookie",
        "sendBeacon",
        "XMLHttp",
        "WebSocket",
    ):
        assert word not in script, word
    html = panel().figure.html
    assert f"{OTHERS} others" in html
    assert numbers.out_of_100(LIE) in html
    assert not re.search(rf"\b({OTHERS}|{LIE}|{SHARE})\b", script)


def test_what_stands_until_the_story_has_started_cannot_be_pressed():
    first = panel().figure.first()
    assert first.count("<button disabled") == first.count("<button") > 5
    assert "This is only a demonstration: your answer stays in this browser." in first
    assert "<svg" in panel().figure.body() or "data:image/svg+xml" in panel().figure.body()
