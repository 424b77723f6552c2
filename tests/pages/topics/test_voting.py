"""The page of polls: its words follow the numbers of the package, and its code gives them."""

import base64
import re

import pytest

from pages.kit.draws import Draws
from pages.topics.voting import PAGE, misprint_words
from pages.topics.voting.answer import Answer, answer, estimate_words
from pages.topics.voting.controls import PEOPLE, POLLS, PRIVACY, Plan
from privdemo import accounting, attacks
from privdemo.estimators import survey
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel
from tests.pages.visiting import answers, takeaway, visit

FIFTH, HONEST, OPPOSITE = BinaryChannel(0.2, 0.2), BinaryChannel(0.0, 0.0), BinaryChannel(1.0, 1.0)
EMPTY, B_HONEST, A_HONEST = BinaryChannel(0.3, 0.7), BinaryChannel(0.0, 0.3), BinaryChannel(0.3, 0.0)
TABS = {tab.name: tab for tab in PAGE.tabs.all}
AGAIN, BACK, PRICE, ONE, MANY, MORE, TRAIN = TABS
PLAN = Plan(PEOPLE, 9, accounting.randomised_response_flip_prob(1.0), 0.02, 0.5)
ASKED = {PRICE: PLAN, ONE: (0.1, "A"), MANY: (0.1, 5), MORE: "0.5 0.3 0.2", TRAIN: NaiveConfig(ratio=3.0)}


def polls(channel: BinaryChannel = FIFTH, **changes) -> Answer:
    return answer(ElectionConfig(channel=channel, **changes), Draws())


def look(name: str, shown: Answer, asked: object = None):
    return TABS[name].panels(shown, asked or ASKED[name]) if name in ASKED else TABS[name].panels(shown)


def test_it_opens_with_the_numbers_of_its_settings():
    at, shown = visit("voting"), polls()
    naive, best = shown.records[1], shown.poll.estimates["spread MLE"]
    interval = f"{100 * best.low:.1f} to {100 * best.high:.1f} %"
    assert f"of 1,000 people asked <b>{shown.poll.said_a / 10:.1f} %</b> say A" in takeaway(at)
    assert f"<b>{100 * best.value:.1f} %</b> of the country voted A (95 % interval {interval})" in takeaway(at)
    assert f"<b>{100 * naive.bias.mean:+.1f} points</b> on average" in answers(at)[0]


def test_more_polls_are_held_on_a_click_up_to_the_most_there_are():
    at = visit("voting", polls="7")
    for key, n in (("Draw again", 8), ("+ 100 polls", 108), ("10,000 polls", POLLS.limit.high), ("over", 1)):
        at.button(key=f"hold {key}").click().run()
        assert at.session_state["polls"] == n
        assert at.button(key="hold Draw again").disabled == (n == POLLS.limit.high)
        assert at.button(key="hold over").disabled == (n == 1)


def test_the_pollster_is_shown_answers_alone():
    shown = polls()
    pictures = re.findall(r'base64,([^"]+)', shown.main()[0][0].figure.html)
    ours, theirs = (base64.b64decode(picture).decode() for picture in pictures)
    assert [field.count("0 1 0 7") for field in (ours, theirs)] == [shown.poll.voted_a, shown.poll.said_a]  # discs
    assert ['fill="none"' in field for field in (ours, theirs)] == [True, False]  # hollow for a lie


@pytest.mark.parametrize(
    ("channel", "start", "known", "one_answer"),
    [
        (FIFTH, "Each person lies with probability <b>0.2</b> (ε = 1.39), and", "cannot tell a liar", "until nothing"),
        (HONEST, "Nobody lies (ε = ∞), and", "whoever says A voted A and whoever says B voted B", "several answers"),
        (EMPTY, "Voters of B say A with probability <b>0.3</b>, voters of A say B", "cannot tell a liar", "no more"),
        (OPPOSITE, "Each person lies with probability <b>1</b>", "says A voted B and whoever says B voted A", "ε = ∞"),
    ],
)
def test_the_lies_decide_what_can_be_known(channel, start, known, one_answer):
    shown = polls(channel)
    assert shown.takeaway().startswith(start)
    assert known in shown.main()[0][0].summary
    assert one_answer in PAGE.folds(shown.config, shown)["What the adversary sees"]
    assert ("nothing can be learnt" in shown.takeaway()) == (channel == EMPTY)
    assert ("carry no information" in look(AGAIN, shown)[0].answer) == (channel == EMPTY)
    assert ("the printed formula tends to" in misprint_words(shown.config)) == (channel in (FIFTH, OPPOSITE))


def test_an_estimate_holds_the_truth_where_its_interval_does():
    shown, beyond = polls(), polls(share=0.0, n_voters=100, n_elections=1, seed=19)
    words = estimate_words(shown.poll, 0.35)
    for name, verdict in (("honest", "holds"), ("naive", "misses")):
        e = shown.poll.estimates[name]
        assert (e.low <= 0.35 <= e.high) == (verdict == "holds")
        error = f"s.e. {100 * e.standard_error:.2g}; {100 * e.low:.1f} to {100 * e.high:.1f} %"
        assert f" {100 * e.value:.1f} % ({error}, {verdict} the truth)" in words
    assert "spread, raw" not in words  # it is the one in [0, 1]
    assert "no certainty, but a poll that such lies hardly explain" in estimate_words(beyond.poll, 0.0)
    assert "<b>1</b> poll the naive reading" in look(AGAIN, beyond)[0].answer


@pytest.mark.parametrize(
    ("name", "channel", "asked", "words"),
    [
        (BACK, B_HONEST, None, "where everybody voted A, whatever"),
        (PRICE, FIFTH, None, "<b>N = 11,239</b>, <b>4.7 times as many</b> as if everyone told the truth (2,398)"),
        (PRICE, FIFTH, Plan(PRIVACY, 11_239, 0, 0.02, 0.5), "probability up to <b>0.2689</b> (<b>ε = 1</b>)"),
        (ONE, FIFTH, (0.1, "A"), "<b>30.8</b> voted A. Before the answer it was 10: the odds"),
        (MANY, FIFTH, (0.5, 50), "If all 50 answers are A, the odds that this person voted A are <b>over 10³⁰ to"),
        (MANY, A_HONEST, (0.0, 3), "this person certainly voted B"),
        (MORE, FIFTH, "<b>x</b>", "Shares must be numbers such as 0.4, 0.3, 0.2, 0.1, got “&lt;b&gt;x&lt;/b&gt;”"),
        (TRAIN, FIFTH, None, "the right way</b> however the inputs are spread, at <b>0.25</b> of their true length"),
        (TRAIN, FIFTH, NaiveConfig(one_to_one=0.2, zero_to_one=0.8), "exactly the wrong way"),
    ],
)  # fmt: skip
def test_the_words_of_tabs_follow_the_numbers(name, channel, asked, words):
    panels = look(name, polls(channel), asked)
    assert words in " ".join(panel.answer + panel.summary for panel in panels)


def test_the_shown_code_gives_the_shown_numbers(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown, names = polls(n_elections=20, n_voters=300), {}
    snippets = [panel.snippet for panels in (*shown.main(), *(look(name, shown) for name in TABS)) for panel in panels]
    exec("\n".join(map(str, filter(None, snippets))).replace(".show()", ""), names)
    assert names["poll"].estimates == shown.poll.estimates
    assert (tmp_path / "people.html").exists()
    assert [record.bias for record in names["records"]] == [record.bias for record in shown.records]
    assert names["people"] == survey.voters_needed(PLAN.lie, 0.02)
    assert names["belief"] == pytest.approx(accounting.posterior(FIFTH.channel_matrix, [0.9, 0.1], 1)[1])
    assert names["found"][4].majority_right == attacks.repeated_answers(FIFTH, 0.1, 5).majority_right
    assert names["result"].answers.sum() == 300
