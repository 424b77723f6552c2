"""The page "How many voted for A?" through AppTest: its numbers, its words, its links."""

from __future__ import annotations

import base64
import functools
import json
import math
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from privdemo import accounting, attacks, limits
from privdemo.estimators import survey
from privdemo.experiments import naive_training, voting
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.mechanisms import BinaryChannel
from tests.visiting import answers, html, opened, takeaway, warnings

PAGE = "pages/voting.py"
AGAIN, RECONSTRUCTION, PRICE, ADVERSARY, TWICE, MANY, TRAINING = range(7)


def figure(at: AppTest, name: str) -> dict:
    """A Plotly figure of the page as a dictionary."""
    return next(json.loads(c.proto.spec) for c in at.get("plotly_chart") if c.proto.id.endswith(f"{name}-figure"))


def numbers(values: list | dict) -> np.ndarray:
    """The numbers of a trace, which Plotly may send as bytes."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), np.dtype(values["dtype"]))
    return np.asarray(values, dtype=float)


@functools.cache
def fresh() -> tuple[str, tuple[str, ...]]:
    """The takeaway and the answers of the page as it opens."""
    at = opened(PAGE)
    return takeaway(at), tuple(answers(at))


def shown(config: ElectionConfig) -> tuple[voting.Poll, tuple[voting.Record, ...]]:
    elections = voting.run(config)
    return voting.poll(config, elections), voting.records(config, elections)


def test_it_opens_with_the_numbers_of_its_settings() -> None:
    at = opened(PAGE)
    poll, records = shown(ElectionConfig())
    best = poll.estimates["spread MLE"]
    text = takeaway(at)
    assert f"<b>{100 * poll.said_a / 1000:.1f} %</b> say A" in text
    assert f"<b>{100 * best.value:.1f} %</b> of the country" in text
    assert f"{100 * best.low:.1f} to {100 * best.high:.1f} %" in text
    assert "ε = 1.39" in text
    naive = records[1]
    assert f"{100 * naive.bias.mean:+.1f} points" in answers(at)[AGAIN]
    assert f"{round(100 * naive.covered.mean)} of 100" in answers(at)[AGAIN]
    assert f"{poll.voted_a:,} of 1,000 voted A, {poll.lied_a + poll.lied_b:,} lied" in html(at)
    assert not at.warning


def test_its_figures_hold_what_the_package_computes() -> None:
    at = opened(PAGE)
    config = ElectionConfig()
    poll, records = shown(config)
    found = figure(at, "estimates")["data"]
    assert [trace["x"][0] for trace in found] == pytest.approx([e.value for e in poll.estimates.values()])
    by_name = {trace["name"]: trace for trace in figure(at, "figure1")["data"][:4]}
    assert set(by_name) == {
        "spread likelihood",
        "naive",
        "reconstruction, climbing from the answers",
        "reconstruction, largest J∞ on a grid",
    }
    price = figure(at, "price")["data"][0]
    assert numbers(price["y"]) == pytest.approx([n for _, n in survey.curve(0.02)])
    asking = numbers(figure(at, "asking")["data"][1]["y"])
    again = attacks.repeated_answers(config.channel, 0.5, 50)
    assert asking[49] == pytest.approx(again.majority_right)
    assert len(records) == 5


@pytest.mark.parametrize(
    "link",
    [
        {"voters": "1", "polls": "1"},
        {"voters": "10000000", "polls": "10000", "share": "0"},
        {"share": "1", "lie": "0"},
        {"lie": "0.5"},
        {"lying": "asymmetric", "b_says_a": "0.3", "a_says_b": "0.7"},
        {"lying": "asymmetric", "b_says_a": "0.9", "a_says_b": "0.8"},
        {"lying": "asymmetric", "b_says_a": "0", "a_says_b": "1"},
        {"lying": "asymmetric", "b_says_a": "1", "a_says_b": "0", "answer": "B"},
        {"solve": "privacy", "plan_voters": "1", "plan_width": "0.5", "plan_share": "0"},
        {"solve": "precision", "plan_voters": "1", "plan_lie": "0.5"},
        {"solve": "people", "plan_lie": "0", "plan_share": "1"},
        {"prior": "0", "answer": "B", "asked": "50"},
        {"prior": "1", "asked": "1", "lie": "0"},
        {"shares": "1,0", "poll_seed": "4294967295"},
        {"one_to_one": "0.5", "zero_to_one": "0.5", "ratio": "1"},
        {"one_to_one": "0", "zero_to_one": "1", "s": "10", "ratio": "10", "angle": "-90"},
    ],
    ids=str,
)
def test_it_shows_what_a_link_asks_for(link: dict) -> None:
    at = opened(PAGE, **link)
    assert not at.warning
    for key, value in link.items():
        held = at.session_state[key]
        assert held == (float(value) if isinstance(held, int | float) else value)
    words = takeaway(at) + " ".join(answers(at)) + html(at)
    assert not re.search(r"\bnan\b|\binf\b|\b1 people\b|-0\.0", re.sub(r"data:[^\"]*", "", words))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("voters", "0", "a whole number in [1, 10000000]"),
        ("voters", "10.5", "a whole number"),
        ("share", "1.2", "in [0, 1]"),
        ("share", "-0.1", "in [0, 1]"),
        ("lie", "0.6", "in [0, 0.5]"),
        ("b_says_a", "nan", "in [0, 1]"),
        ("a_says_b", "2", "in [0, 1]"),
        ("lying", "often", "one of symmetric, asymmetric"),
        ("polls", "0", "a whole number in [1, 10000]"),
        ("poll_seed", "-1", "a whole number"),
        ("solve", "all", "one of people, privacy, precision"),
        ("plan_voters", "0", "a whole number"),
        ("plan_width", "0", "in [0.0001, 0.5]"),
        ("plan_lie", "0.7", "in [0, 0.5]"),
        ("prior", "1.5", "in [0, 1]"),
        ("answer", "C", "one of A, B"),
        ("asked", "51", "a whole number in [1, 50]"),
        ("shares", "1", "number of candidates must be a whole number in [2, 20], got 1"),
        ("shares", "0.5, 0.6", "must sum to 1, got 1.1"),
        ("shares", "1.5, -0.5", "must be in [0, 1], got 1.5"),
        ("shares", "many", "must be numbers such as 0.4"),
        ("s", "0", "in [0.1, 10]"),
        ("one_to_one", "1.1", "in [0, 1]"),
        ("zero_to_one", "x", "in [0, 1]"),
        ("ratio", "11", "in [0.1, 10]"),
        ("angle", "91", "in [-90, 90]"),
        ("p", "0.3", "this page has no such setting"),
    ],
)
def test_bad_link_is_ignored_with_a_note(key: str, value: str, words: str) -> None:
    at = opened(PAGE, **{key: value})
    assert f"`{key}" in warnings(at)
    assert words in warnings(at)
    assert (takeaway(at), tuple(answers(at))) == fresh()


def test_a_changed_lie_changes_every_number() -> None:
    at = opened(PAGE)
    at.number_input(key="lie").set_value(0.4).run()
    epsilon = accounting.randomised_response_epsilon(0.4)
    assert math.isclose(at.number_input(key="answer_epsilon").value, epsilon)
    config = ElectionConfig(channel=BinaryChannel(0.4, 0.4))
    poll, _ = shown(config)
    assert f"<b>{100 * poll.estimates['spread MLE'].value:.1f} %</b>" in takeaway(at)
    assert f"ε = {epsilon:.2g}" in takeaway(at)
    assert "<b>60</b> voted A" in answers(at)[ADVERSARY]
    at.number_input(key="answer_epsilon").set_value(3.0).run()
    assert at.number_input(key="lie").value == accounting.flip_prob_for(3.0)
    at.slider(key="lie_slide").set_value(0.25).run()
    assert at.number_input(key="lie").value == 0.25


def test_draw_again_adds_one_poll_and_keeps_the_others() -> None:
    at = opened(PAGE, polls="7")
    before = figure(at, "estimates")["data"][1]["x"]
    at.button(key="hold Draw again").click().run()
    assert at.session_state["polls"] == 8
    assert figure(at, "estimates")["data"][1]["x"] != before
    assert "In <b>8</b> polls" in answers(at)[AGAIN]
    eight = voting.run(ElectionConfig(n_elections=8))
    assert (eight.said_a[:7] == voting.run(ElectionConfig(n_elections=7)).said_a).all()
    at.button(key="hold + 100 polls").click().run()
    assert at.session_state["polls"] == 108
    at.button(key="hold 10,000 polls").click().run()
    assert at.session_state["polls"] == limits.N_ELECTIONS.high
    assert at.button(key="hold Draw again").disabled
    at.button(key="hold over").click().run()
    assert at.session_state["polls"] == 1
    assert "In <b>1</b> poll " in answers(at)[AGAIN]


def test_the_price_is_solved_for_any_one_of_three() -> None:
    p = accounting.flip_prob_for(1.0)
    people = survey.voters_needed(p, 0.02)
    at = opened(PAGE)
    assert f"<b>N = {people:,}</b>, <b>4.7 times as many</b>" in answers(at)[PRICE]
    at = opened(PAGE, solve="privacy", plan_voters=str(people))
    assert f"<b>{survey.flip_prob_allowed(people, 0.02):.4g}</b> (<b>ε = 1</b>)" in answers(at)[PRICE]
    at = opened(PAGE, solve="precision", plan_voters=str(people))
    assert "<b>± 2 points</b>" in answers(at)[PRICE]
    at = opened(PAGE, solve="privacy", plan_voters="100")
    assert "<b>2,401 people</b> even if everyone tells the truth" in answers(at)[PRICE]


def test_the_adversary_counts_people() -> None:
    at = opened(PAGE, prior="0.1", asked="5")
    channel = BinaryChannel(0.2, 0.2)
    belief = accounting.posterior(channel.channel_matrix, [0.9, 0.1], 1)[1]
    assert f"<b>{100 * belief:.3g}</b> voted A" in answers(at)[ADVERSARY]
    assert "from 1 to 9 to <b>1 to 2.25</b>" in answers(at)[ADVERSARY]
    again = attacks.repeated_answers(channel, 0.1, 5)
    assert f"<b>{100 * again.best_guess_right:.1f} %</b>" in answers(at)[TWICE]
    assert f"<b>{100 * again.posterior[5]:.3g}</b> voted A" in answers(at)[TWICE]
    assert f"ε = {5 * channel.epsilon:.3g}" in answers(at)[TWICE]
    at.get("button_group")[-1].set_value("B").run()
    assert "Of 100 people who say B" in answers(at)[ADVERSARY]


def test_candidates_are_typed_and_a_bad_election_gets_a_sentence() -> None:
    at = opened(PAGE, shares="0.5, 0.3, 0.2")
    config = ManyConfig((0.5, 0.3, 0.2), BinaryChannel(0.2, 0.2).epsilon)
    result = voting.run_many(config)
    found = {trace["name"]: trace["y"] for trace in figure(at, "candidates")["data"]}
    assert numbers(found["maximum likelihood"]) == pytest.approx(result.mle)
    assert numbers(found["channel inverted"]) == pytest.approx(result.inversion)
    for typed, words in (
        ("1", "Number of candidates must be a whole number in [2, 20], got 1"),
        ("0.5, 0.6", "Shares must sum to 1, got 1.1"),
        ("2, -1", "Share must be in [0, 1], got 2"),
        ("half, half", "Shares must be numbers such as 0.4, 0.3, 0.2, 0.1, got “half, half”"),
    ):
        at.text_input(key="shares").set_value(typed).run()
        assert not at.exception
        assert words in answers(at)[MANY]
        assert at.text_input(key="shares").value == typed  # nothing is lost
    at = opened(PAGE, lie="0.5")
    assert "Epsilon must be above 0" in answers(at)[MANY]


def test_naive_training_says_where_the_best_direction_is() -> None:
    at = opened(PAGE)
    result = naive_training.run(naive_training.NaiveConfig(ratio=3.0))
    assert f"<b>{result.best:.1f}°</b>" in answers(at)[TRAINING]
    assert f"<b>{result.free_length:.2f}</b>" in answers(at)[TRAINING]
    at = opened(PAGE, ratio="1")
    assert "<b>0.0°</b>" in answers(at)[TRAINING]
    at = opened(PAGE, one_to_one="0.2", zero_to_one="0.8")
    assert "exactly the wrong way" in answers(at)[TRAINING]


def test_answers_without_information_are_said_to_have_none() -> None:
    at = opened(PAGE, lying="asymmetric", b_says_a="0.3", a_says_b="0.7")
    assert "nothing can be learnt" in takeaway(at)
    assert "carry no information" in answers(at)[AGAIN]
    assert {trace["name"] for trace in figure(at, "objective")["data"]} == {"J∞(θ)", "naive", "reconstruction"}


def test_the_misprint_is_shown_with_the_visitors_numbers() -> None:
    at = opened(PAGE)
    how = next(text.value for text in at.markdown if "misprint" in text.value)
    printed = (0.41 + 0.2) / 0.6
    assert f"tends to {100 * printed:.1f} %" in how


def test_the_shown_code_gives_the_shown_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    at = opened(PAGE, lie="0.3", polls="20", prior="0.2", asked="4", plan_width="0.05", ratio="2")
    block = next(text.value for text in at.markdown if "```python" in text.value)
    names: dict = {}
    exec(block.split("```python")[1].split("```")[0].replace(".show()", ""), names)
    assert f"<b>{100 * names['poll'].estimates['spread MLE'].value:.1f} %</b>" in takeaway(at)
    assert (tmp_path / "people.html").read_text(encoding="utf-8").count("data:image/svg") == 2
    codes = [code.value for code in at.code]
    assert len(codes) == 5
    for code in codes:
        exec(code.replace(".show()", ""), names)
    assert f"<b>N = {names['people']:,}</b>" in answers(at)[PRICE]
    assert f"<b>{100 * names['belief']:.3g}</b> voted A" in answers(at)[ADVERSARY]
    assert f"<b>{100 * names['found'][3].best_guess_right:.1f} %</b>" in answers(at)[TWICE]
    assert names["config"].ratio == 2


def test_reset_brings_every_default_back() -> None:
    at = opened(PAGE, lie="0.4", voters="50", shares="0.6,0.4", asked="9", solve="privacy", angle="10", polls="3")
    assert tuple(answers(at)) != fresh()[1]
    at.button(key="reset").click().run()
    assert (takeaway(at), tuple(answers(at))) == fresh()
