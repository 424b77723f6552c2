"""The chapter “If some ignore the rules”: its words and its rows have the numbers of the package."""

import json
import re
from dataclasses import replace

import pytest

from pages.kit.trials import Trials
from pages.topics.voting import disobedience
from pages.topics.voting.answer import answer
from pages.topics.voting.disobedience import Choice
from pages.topics.voting.question import PART, SEED, WAY, WAYS
from privdemo import disobedience as package
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel
from tests.pages.visiting import first_visit, takeaway, visit, warnings

CHAPTER = "Some do not play along"
CONFIG = ElectionConfig(seed=int(SEED.default))
DEFAULT = Choice(0.25, "always say B")


def shown(chosen=DEFAULT, **changes):
    """The panel of the chapter."""
    (panel,) = disobedience.panels(answer(replace(CONFIG, **changes), Trials()), chosen)
    return panel


def at_part(panel, part):
    """The rows that the browser shows while the slider stands at `part`."""
    return next(stop for stop in panel.figure.data["stops"] if stop["part"] == part)


def test_it_opens_with_the_numbers_of_the_package():
    words = takeaway(visit("voting", lesson=CHAPTER))
    mean = package.expected_estimate(CONFIG.channel, package.ALWAYS_NO, 0.25, 0.35)
    (found,) = voting.disobeyed(CONFIG, package.ALWAYS_NO, (0.25,))
    assert f"The corrected estimate becomes <b>{100 * mean:.1f} %</b> on average" in words
    assert "if 25 of 100 people always say B." in words
    assert f"finds <b>{round(100 * found.noticed.part.mean)} of 100</b> who do not play along." in words
    assert "instead of <b>35.0 %</b>" in words


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("channel", [BinaryChannel(0.2, 0.2), BinaryChannel(0.4, 0.4), BinaryChannel(0.1, 0.3)])
def test_each_position_of_the_slider_has_the_numbers_of_the_package(name, channel):
    panel, way = shown(Choice(0.25, name), channel=channel), package.WAYS[WAYS[name]]
    low, high = (panel.figure.data["ticks"][i] for i in (0, -1))
    assert len(panel.figure.data["stops"]) == 51
    for part in (0.0, 0.01, 0.25, 0.5):
        stop = at_part(panel, part)
        mean = package.expected_estimate(channel, way, part, 0.35)
        (found,) = voting.disobeyed(replace(CONFIG, channel=channel), way, (part,))
        corrected, possible, share, noticed = stop["rows"]
        assert corrected["value"].startswith(f"{100 * mean:.1f} %".replace("-", "−"))
        assert possible["value"] == f"{100 * found.possible.least:.1f} % to {100 * found.possible.most:.1f} %"
        assert share["value"].startswith(f"{100 * found.noticed.share.mean:.1f} %")
        assert noticed["value"].endswith(f"really {round(100 * part)}")
        assert all(0 <= row[end] <= 1 for row in stop["rows"] for end in ("from", "to", "rule"))
        assert all(row["from"] <= row["to"] for row in stop["rows"])
        assert share["from"] <= share["at"] <= share["to"]
        if mean < -0.55:
            assert (corrected["at"], corrected["beyond"]) == (0.0, "left")
    assert low[1] < high[1]
    json.dumps(panel.figure.data)


def test_a_typed_part_is_one_more_position():
    panel = shown(Choice(0.123, "always say B"))
    assert len(panel.figure.data["stops"]) == 52
    assert at_part(panel, 0.123)["rows"][1]["name"] == "What the truth may be if up to 12.3 of 100 answer at will:"
    assert "12.3 of 100 people" in panel.answer


@pytest.mark.parametrize(
    ("chosen", "changes", "words"),
    [
        (Choice(0.0, "always say B"), {}, "Everybody plays along, so the corrected estimate is <b>35.0 %</b>"),
        (
            Choice(0.25, "always say B"),
            {"channel": BinaryChannel(0.4, 0.4)},
            "estimate becomes <b>−23.8 %</b> on average",
        ),
        (Choice(0.2, "toss a fair coin"), {}, "The corrected estimate becomes <b>38.0 %</b> on average"),
        (Choice(0.25, "toss a fair coin"), {}, "with different chances of a changed answer <b>does not help</b> here"),
        (Choice(0.25, "openly tell the truth"), {}, "The corrected estimate becomes <b>32.5 %</b> on average"),
        (Choice(0.02, "always say B"), {}, "who do not play along, which may be luck."),
        (Choice(0.25, "always say A"), {}, "The corrected estimate becomes <b>59.6 %</b> on average"),
        (DEFAULT, {"channel": BinaryChannel(0.5, 0.5)}, "These answers say nothing"),
    ],
)
def test_the_sentence_follows_the_settings(chosen, changes, words):
    assert words in shown(chosen, **changes).answer


def test_what_the_halves_can_tell_and_cost_is_said():
    wanted = voting.disobeyed(CONFIG, package.ALWAYS_NO, (0.0,))[0].corrected.half
    people = voting.people_for_two_halves(CONFIG, package.ALWAYS_NO, 0.25, wanted)
    assert 4 * CONFIG.n_voters < people < 5 * CONFIG.n_voters
    more = at_part(shown(), 0.25)["more"]
    assert "at 40\N{NO-BREAK SPACE}% the estimate would be −23.8\N{NO-BREAK SPACE}%." in more
    assert f"{people:,}\N{NO-BREAK SPACE}people in two halves instead of 1,000 who all play along." in more
    assert more in shown().summary
    coin = at_part(shown(Choice(0.25, "toss a fair coin")), 0.25)["more"]
    assert "The two halves do not tell such people from those who play along." in coin
    assert "price" not in coin
    assert "40\N{NO-BREAK SPACE}%" not in coin


def test_a_share_that_cannot_be_shows_that_something_is_wrong_but_not_how_many():
    below = shown(channel=BinaryChannel(0.4, 0.4))
    above = shown(Choice(0.5, "always say A"), channel=BinaryChannel(0.4, 0.4))
    for panel, part, side in ((below, 0.25, "below 0 %"), (above, 0.5, "above 100 %")):
        more = at_part(panel, part)["more"].replace("\N{NO-BREAK SPACE}", " ")
        assert more.startswith(f"A share {side} shows that something is wrong; with one chance for all nobody can tell")
        assert "nobody can see this mistake" not in more
    assert "nobody can see this mistake in the answers." in at_part(below, 0.05)["more"]


def test_a_poll_of_one_person_has_no_halves():
    panel = shown(n_voters=1)
    assert len(at_part(panel, 0.25)["rows"]) == 2
    assert "halves" not in panel.answer + panel.summary


def test_before_the_guess_nothing_decisive_is_shown():
    panel = shown()
    (stop,) = panel.prediction.covered.data["stops"]
    assert [row["value"] for row in stop["rows"]] == ["?"]
    assert stop["rows"][0]["from"] is None
    assert panel.prediction.truth == pytest.approx(100 * (0.75 * 0.41 - 0.2) / 0.6)
    assert "17.9" not in json.dumps(panel.prediction.covered.data) + panel.prediction.ask
    at = first_visit("voting")
    at.session_state["values"]["voting"]["lesson"] = CHAPTER
    at.run()
    assert "What does the corrected estimate say on average?" in takeaway(at)
    assert not at.exception


@pytest.mark.parametrize(
    ("chosen", "channel", "low"),
    [
        (DEFAULT, BinaryChannel(0.2, 0.2), 0.0),
        (DEFAULT, BinaryChannel(0.4, 0.4), -50.0),
        (Choice(0.0, "always say B"), BinaryChannel(0.2, 0.2), None),
        (Choice(0.5, "always say B"), BinaryChannel(0.45, 0.45), None),
        (DEFAULT, BinaryChannel(0.5, 0.5), None),
    ],
)
def test_what_can_be_guessed_is_asked(chosen, channel, low):
    found = disobedience.prediction(replace(CONFIG, channel=channel), chosen)
    assert (found and found.scale.low) == low


def test_the_shown_code_gives_the_shown_numbers():
    for chosen in (DEFAULT, Choice(0.1, "openly tell the truth")):
        names = {}
        exec(str(shown(chosen).snippet).replace(".show()", ""), names)
        (found,) = voting.disobeyed(CONFIG, chosen.way, (chosen.part,))
        assert names["disobeying"].corrected == found.corrected
        assert names["disobeying"].noticed == found.noticed


def test_the_file_has_a_row_for_each_position_of_the_slider():
    rows = shown().rows()
    assert [row["part"] for row in rows] == [round(i / 100, 10) for i in range(51)]
    assert list(rows[0])[:6] == [
        "part",
        "corrected",
        "corrected_low",
        "corrected_high",
        "possible_low",
        "possible_high",
    ]
    assert rows[25]["corrected"] == pytest.approx(0.179, abs=0.0005)


def test_a_link_sets_both_and_a_bad_one_is_named():
    at = visit("voting", lesson=CHAPTER, part="0.4", way="always say A")
    assert "if 40 of 100 people always say A" in takeaway(at)
    at = visit("voting", lesson=CHAPTER, part="0.7", way="say nothing")
    assert "`part=0.7` was ignored: it must be in [0, 0.5]. The default, 0.25, is shown." in warnings(at)
    assert "`way=say nothing` was ignored: it must be one of “always say B”" in warnings(at)
    assert "if 25 of 100 people always say B" in takeaway(at)


def test_what_they_do_is_chosen_on_the_page():
    at = visit("voting", lesson=CHAPTER)
    (choice,) = (one for one in at.segmented_control if one.label == WAY.label)
    choice.set_value("toss a fair coin").run()
    assert "if 25 of 100 people toss a fair coin instead" in takeaway(at)
    assert at.session_state["way"] == "toss a fair coin"


def test_a_report_has_the_chart():
    panel = shown()
    body = panel.figure.body()
    assert "two halves: share of A" in body
    assert re.search(r"truth 35(\.0)?", body)
    assert PART.key == panel.figure.data["key"]
