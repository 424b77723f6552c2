"""The page "How many voted for A?" through AppTest: its numbers, its words, its links."""

from __future__ import annotations

import base64
import functools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from privdemo import accounting, attacks, limits
from privdemo.estimators import survey
from privdemo.experiments import naive_training, voting
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.mechanisms import BinaryChannel
from tests import visiting
from tests.visiting import answers, html, opened, takeaway

PAGE = "pages/voting.py"
LESSONS = AGAIN, GUESSING, PRICE, ADVERSARY, TWICE, MORE, TRAINING = (
    *("again and again", "guessing back", "the price", "the adversary"),
    *("asking twice", "more candidates", "training on lies"),
)


def lesson(name: str, **link: str) -> AppTest:
    """The page with one of its lessons, behind a link."""
    return opened(PAGE, lesson=name, **link)


def answer(at: AppTest) -> str:
    """The lesson's answer in one sentence."""
    (found,) = answers(at)
    return found


def figure(at: AppTest, name: str) -> dict:
    """A Plotly figure of the page as a dictionary."""
    return next(json.loads(c.proto.spec) for c in at.get("plotly_chart") if c.proto.id.endswith(f"{name}-figure"))


def numbers(values: list | dict) -> np.ndarray:
    """The numbers of a trace, which Plotly may send as bytes."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), np.dtype(values["dtype"]))
    return np.asarray(values, dtype=float)


@functools.cache
def fresh(name: str = AGAIN) -> tuple[str, str]:
    """The takeaway and the answer of a lesson as it opens."""
    at = lesson(name)
    return takeaway(at), answer(at)


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
    assert f"{100 * naive.bias.mean:+.1f} points" in answer(at)
    assert f"{round(100 * naive.covered.mean)} of 100" in answer(at)
    assert f"{poll.voted_a:,} voted A, {poll.lied_a + poll.lied_b:,} lied" in html(at)
    assert not at.warning


def test_its_figures_hold_what_the_package_computes() -> None:
    at = opened(PAGE)
    config = ElectionConfig()
    poll, records = shown(config)
    found = figure(at, "estimates")["data"]
    assert [trace["x"][0] for trace in found] == pytest.approx([e.value for e in poll.estimates.values()])
    polls = figure(at, "polls")["data"]
    assert len(polls) == 8  # honest, naive, reconstruction and raw spread, each as held and exact
    assert len(records) == 5
    names = {trace["name"] for trace in figure(lesson(GUESSING), "figure1")["data"]}
    assert names == {
        "spread likelihood",
        "naive",
        "reconstruction, climbing from the answers",
        "reconstruction, largest J∞ on a grid",
    }
    price = figure(lesson(PRICE), "price")["data"][0]
    assert numbers(price["y"]) == pytest.approx([n for _, n in survey.curve(0.02)])
    asking = numbers(figure(lesson(TWICE), "asking")["data"][2]["y"])
    again = attacks.repeated_answers(config.channel, 0.5, 50)
    assert asking[49] == pytest.approx(again.majority_right)


@pytest.mark.parametrize(
    "link",
    [
        {"voters": "1", "polls": "1"},
        {"voters": "10000000", "polls": "10000", "share": "0"},
        {"share": "1", "lie": "0"},
        {"lie": "0.5", "lesson": GUESSING},
        {"lie": "0.5", "lesson": TWICE},
        {"lying": "asymmetric", "b_says_a": "0.3", "a_says_b": "0.7"},
        {"lying": "asymmetric", "b_says_a": "0.9", "a_says_b": "0.8", "lesson": GUESSING},
        {"lying": "asymmetric", "b_says_a": "1", "a_says_b": "0", "answer": "B", "lesson": ADVERSARY},
        {"lesson": PRICE, "solve": "privacy", "plan_voters": "1", "plan_width": "0.5", "plan_share": "0"},
        {"lesson": PRICE, "solve": "precision", "plan_voters": "1", "plan_lie": "0.5"},
        {"lesson": PRICE, "solve": "precision", "plan_voters": "10000000", "plan_lie": "0", "plan_share": "0"},
        {"lesson": TWICE, "prior": "0", "asked": "50"},
        {"lesson": MORE, "shares": "1,0", "poll_seed": "4294967295"},
        {"lesson": TRAINING, "one_to_one": "0.5", "zero_to_one": "0.5", "ratio": "1"},
        {"lesson": TRAINING, "one_to_one": "0", "zero_to_one": "1", "s": "10", "ratio": "10", "angle": "-90"},
    ],
    ids=str,
)
def test_it_shows_what_a_link_asks_for(link: dict) -> None:
    at = opened(PAGE, **link)
    assert not at.warning
    for key, value in link.items():
        held = at.session_state[key]
        assert held == (float(value) if isinstance(held, int | float) else value)
    words = takeaway(at) + answer(at) + html(at)
    assert not re.search(r"\bnan\b|\binf\b|\b1 people\b|-0\.0", re.sub(r"data:[^\"]*", "", words))


BAD = [
    ("voters", "0", "a whole number in [1, 10000000]"),
    ("voters", "10.5", "a whole number"),
    ("share", "1.2", "in [0, 1]"),
    ("share", "-0.1", "in [0, 1]"),
    ("lie", "0.6", "in [0, 0.5]"),
    ("b_says_a", "nan", "in [0, 1]"),
    ("a_says_b", "2", "in [0, 1]"),
    ("lying", "often", "one of “symmetric”, “asymmetric”"),
    ("polls", "0", "a whole number in [1, 10000]"),
    ("poll_seed", "-1", "a whole number"),
    ("solve", "all", "one of “people”, “privacy”, “precision”"),
    ("plan_voters", "0", "a whole number"),
    ("plan_width", "0", "in [0.0001, 0.5]"),
    ("plan_lie", "0.7", "in [0, 0.5]"),
    ("prior", "1.5", "in [0, 1]"),
    ("answer", "C", "one of “A”, “B”"),
    ("lesson", "history", "one of “again and again”"),
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
]


@pytest.mark.parametrize("cases", visiting.as_links(BAD))
def test_bad_links_are_ignored_with_a_note_on_every_value(cases: list[tuple[str, str, str]]) -> None:
    at = opened(PAGE, **{key: value for key, value, _ in cases})
    for key, _, words in cases:
        assert words in visiting.notes_on(at, key)
    assert (takeaway(at), answer(at)) == fresh()


def test_a_changed_lie_changes_every_number() -> None:
    at = opened(PAGE)
    at.number_input(key="lie").set_value(0.4).run()
    epsilon = accounting.randomised_response_epsilon(0.4)
    assert math.isclose(at.number_input(key="answer_epsilon").value, epsilon)
    config = ElectionConfig(channel=BinaryChannel(0.4, 0.4))
    poll, _ = shown(config)
    assert f"<b>{100 * poll.estimates['spread MLE'].value:.1f} %</b>" in takeaway(at)
    assert f"ε = {epsilon:.2g}" in takeaway(at)
    assert "<b>60</b> voted A" in answer(lesson(ADVERSARY, lie="0.4"))
    at.number_input(key="answer_epsilon").set_value(3.0).run()
    assert at.number_input(key="lie").value == accounting.randomised_response_flip_prob(3.0)
    at.slider(key="lie_slide").set_value(0.25).run()
    assert at.number_input(key="lie").value == 0.25


def test_draw_again_adds_one_poll_and_keeps_the_others() -> None:
    at = opened(PAGE, polls="7")
    before = figure(at, "estimates")["data"][1]["x"]
    at.button(key="hold Draw again").click().run()
    assert at.session_state["polls"] == 8
    assert figure(at, "estimates")["data"][1]["x"] != before
    assert "In <b>8</b> polls" in answer(at)
    eight = voting.run(ElectionConfig(n_elections=8))
    assert (eight.said_a[:7] == voting.run(ElectionConfig(n_elections=7)).said_a).all()
    at.button(key="hold + 100 polls").click().run()
    assert at.session_state["polls"] == 108
    at.button(key="hold 10,000 polls").click().run()
    assert at.session_state["polls"] == limits.N_ELECTIONS.high
    assert at.button(key="hold Draw again").disabled
    at.button(key="hold over").click().run()
    assert at.session_state["polls"] == 1
    assert "In <b>1</b> poll " in answer(at)
    seen = set()
    for seed in (0, next(s for s in range(200) if shown(ElectionConfig(n_elections=1, seed=s))[1][1].n_held)):
        config = ElectionConfig(n_elections=1, seed=seed)
        poll, (_, naive, *_) = shown(config)
        words = "held" if naive.n_held else "missed"
        assert f"its 95 % interval <b>{words}</b> the truth; " in answer(opened(PAGE, polls="1", poll_seed=str(seed)))
        assert (poll.estimates["naive"].low <= 0.35 <= poll.estimates["naive"].high) == (words == "held")
        seen.add(words)
    assert seen == {"held", "missed"}


def test_the_price_is_solved_for_any_one_of_three() -> None:
    p = accounting.randomised_response_flip_prob(1.0)
    people = survey.voters_needed(p, 0.02)
    assert f"<b>N = {people:,}</b>, <b>4.7 times as many</b>" in answer(lesson(PRICE))
    text = answer(lesson(PRICE, solve="privacy", plan_voters=str(people)))
    assert f"<b>{math.floor(1e4 * survey.flip_prob_allowed(people, 0.02)) / 1e4}</b> (<b>ε = 1</b>)" in text
    assert "<b>± 2 points</b>" in answer(lesson(PRICE, solve="precision", plan_voters=str(people)))
    honest = survey.voters_needed(0.0, 0.02)
    assert f"<b>{honest:,} people</b> even if everyone tells" in answer(lesson(PRICE, solve="privacy", plan_voters="9"))
    assert "next to nothing" in answer(lesson(PRICE, solve="precision", plan_voters="1"))
    assert "no number of people is enough" in answer(lesson(PRICE, plan_lie="0.5"))


def test_the_adversary_counts_people() -> None:
    channel = BinaryChannel(0.2, 0.2)
    at = lesson(ADVERSARY, prior="0.1")
    belief = accounting.posterior(channel.channel_matrix, [0.9, 0.1], 1)[1]
    assert f"<b>{100 * belief:.3g}</b> voted A" in answer(at)
    assert "from 1 to 9 to <b>1 to 2.25</b>" in answer(at)
    at.get("button_group")[-1].set_value("B").run()
    assert "Of 100 people who say B" in answer(at)
    assert "nobody can say A" in answer(lesson(ADVERSARY, lie="0", prior="0"))


def test_asking_again_spends_epsilon_and_finds_out() -> None:
    channel = BinaryChannel(0.2, 0.2)
    at = lesson(TWICE, prior="0.1", asked="5")
    again = attacks.repeated_answers(channel, 0.1, 5)
    assert f"<b>{100 * again.best_guess_right:.1f} %</b>" in answer(at)
    assert f"<b>{math.exp(again.log_odds[5]):,.0f} to 1</b>" in answer(at)
    assert f"ε = {5 * channel.epsilon:.3g}" in answer(at)
    # 4⁵⁰ to 1 is no certainty, and not said to be one
    at = lesson(TWICE, asked="50")
    assert "over 10³⁰ to 1" in answer(at)
    assert "over 99.9 %" in answer(at)
    assert "100" not in answer(at)
    at = lesson(TWICE, asked="50", prior="1")
    assert "<b>100.0 %</b>" in answer(at)
    assert "certainly voted A" in answer(at)
    assert "before any answer 99.9 %" in answer(lesson(TWICE, asked="1", prior="0.001"))


def test_candidates_are_typed_and_a_bad_election_gets_a_sentence() -> None:
    at = lesson(MORE, shares="0.5, 0.3, 0.2")
    config = ManyConfig((0.5, 0.3, 0.2), BinaryChannel(0.2, 0.2).epsilon)
    result = voting.run_many(config)
    found = {trace["name"]: trace["y"] for trace in figure(at, "candidates")["data"]}
    assert numbers(found["maximum likelihood"]) == pytest.approx(result.mle)
    assert numbers(found["channel inverted"]) == pytest.approx(result.inversion)
    for typed, words in (
        ("1", "Number of candidates must be a whole number in [2, 20], got 1"),
        ("0.5, 0.6", "Shares must sum to 1, got 1.1"),
        ("2, -1", "Share must be in [0, 1], got 2"),
        ("<b>x</b>", "got “&lt;b&gt;x&lt;/b&gt;”"),
        ("half, half", "Shares must be numbers such as 0.4, 0.3, 0.2, 0.1, got “half, half”"),
    ):
        at.text_input(key="shares").set_value(typed).run()
        assert not at.exception
        assert words in answer(at)
        assert at.text_input(key="shares").value == typed  # nothing is lost
    assert "Let people lie less" in answer(lesson(MORE, lie="0.5"))


def test_naive_training_says_where_the_best_direction_is() -> None:
    result = naive_training.run(naive_training.NaiveConfig(ratio=3.0))
    text = answer(lesson(TRAINING))
    assert f"<b>{result.best[0]:.1f}°</b>" in text
    assert f"<b>{result.free_length:.2g}</b>" in text
    assert "<b>0.0°</b>" in answer(lesson(TRAINING, ratio="1"))
    assert "exactly the wrong way" in answer(lesson(TRAINING, one_to_one="0.2", zero_to_one="0.8"))
    assert re.search(r"directions are <b>(\d+\.\d)° and −\1°</b>", answer(lesson(TRAINING, ratio="0.2", angle="0")))


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({}, "at both ends"),
        ({"lying": "asymmetric", "b_says_a": "0", "a_says_b": "0.3"}, "where everybody voted A, whatever"),
        ({"lying": "asymmetric", "b_says_a": "0.3", "a_says_b": "0"}, "where nobody voted A, whatever"),
        ({"lying": "asymmetric", "b_says_a": "1", "a_says_b": "1"}, "leaves nothing to guess"),
        ({"lie": "0"}, "leaves nothing to guess"),
        ({"lie": "0", "share": "0"}, "leaves nothing to guess"),
    ],
)
def test_the_objective_is_said_to_be_largest_where_it_is(link: dict, words: str) -> None:
    assert words in html(lesson(GUESSING, **link))


def test_where_reconstruction_cannot_settle_that_is_said() -> None:
    assert "by luck" in answer(lesson(GUESSING, lie="0.5"))
    assert "by luck" in answer(lesson(GUESSING, share="0.5"))
    assert "by luck" not in answer(lesson(GUESSING))
    assert "by luck" not in answer(lesson(GUESSING, lie="0.1", share="0.5"))  # ½ is a maximum there


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({}, "cannot tell a liar"),
        ({"voters": "1"}, "cannot tell a liar"),
        ({"lie": "0"}, "whoever says A voted A and whoever says B voted B"),
        ({"lying": "asymmetric", "b_says_a": "0", "a_says_b": "0.3"}, "knows: whoever says A voted A."),
        (
            {"lying": "asymmetric", "b_says_a": "1", "a_says_b": "1"},
            "whoever says A voted B and whoever says B voted A",
        ),
    ],
)
def test_what_the_pollster_knows_depends_on_the_lies_alone(link: dict, words: str) -> None:
    assert words in html(opened(PAGE, **link))


def test_answers_without_information_are_said_to_have_none() -> None:
    at = opened(PAGE, lying="asymmetric", b_says_a="0.3", a_says_b="0.7")
    assert "nothing can be learnt" in takeaway(at)
    assert "carry no information" in answer(at)
    at = lesson(GUESSING, lying="asymmetric", b_says_a="0.3", a_says_b="0.7")
    assert {trace["name"] for trace in figure(at, "objective")["data"]} == {"J∞(θ)", "naive", "reconstruction"}


def test_estimates_too_far_off_to_be_drawn_are_counted() -> None:
    _, records = shown(ElectionConfig(channel=BinaryChannel(0.4999, 0.4999)))
    raw = next(record.values for record in records if record.name == "spread")
    far = int(((raw < -0.5) | (raw > 1.5)).sum())
    assert far > 50
    assert f"beyond −50 or 150 %, {far} in all" in html(opened(PAGE, lie="0.4999"))
    assert "in all, are left out" not in html(opened(PAGE))


def folded(at: AppTest, words: str) -> str:
    """The text of the fold that contains `words`."""
    return next(text.value for text in at.markdown if words in text.value)


def test_folds_hold_at_every_lie() -> None:
    assert "until nothing can be denied" in folded(opened(PAGE), "holds both votes equally likely")
    assert "more answers tell no more" in folded(opened(PAGE, lie="0.5"), "holds both votes equally likely")
    assert "until" not in folded(opened(PAGE, lie="0"), "holds both votes equally likely")
    assert "printed formula" not in folded(opened(PAGE, lie="0"), "a\n  misprint")
    both = {"lying": "asymmetric", "b_says_a": "1", "a_says_b": "1"}
    assert "leave answers that prove a vote" in answer(lesson(MORE, **both))
    assert "the likelihood is nearly flat" in html(lesson(MORE, lie="0.4999"))
    assert "from even to <b>1.0004 to 1</b>" in answer(lesson(ADVERSARY, lie="0.4999"))


def test_the_misprint_is_shown_with_the_visitors_numbers() -> None:
    at = opened(PAGE)
    how = next(text.value for text in at.markdown if "misprint" in text.value)
    printed = (0.41 + 0.2) / 0.6
    assert f"tends to {100 * printed:.1f} %" in how


def test_the_shown_code_gives_the_shown_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    link = {"lie": "0.3", "polls": "20", "prior": "0.2", "asked": "4", "plan_width": "0.05", "ratio": "2"}
    at = lesson(AGAIN, **link)
    block = next(text.value for text in at.markdown if "```python" in text.value)
    names: dict = {}
    exec(block.split("```python")[1].split("```")[0].replace(".show()", ""), names)
    assert f"<b>{100 * names['poll'].estimates['spread MLE'].value:.1f} %</b>" in takeaway(at)
    assert f"{100 * names['records'][1].bias.mean:+.1f} points" in answer(at)
    assert (tmp_path / "people.html").read_text(encoding="utf-8").count("data:image/svg") == 2

    def run(name: str) -> str:
        at = lesson(name, **link)
        (code,) = at.code
        exec(code.value.replace(".show()", ""), names)
        return answer(at)

    text = run(PRICE)
    assert f"<b>N = {names['people']:,}</b>" in text
    text = run(ADVERSARY)
    assert f"<b>{100 * names['belief']:.3g}</b> voted A" in text
    text = run(TWICE)
    assert f"<b>{100 * names['found'][3].best_guess_right:.1f} %</b>" in text
    text = run(MORE)
    assert f"<b>{names['config'].mechanism.flip_prob:.4g}</b>" in text
    run(TRAINING)
    assert names["config"].ratio == 2


@pytest.mark.parametrize("name", [LESSONS[0], LESSONS[-1]])
def test_reset_brings_every_default_back(name: str) -> None:
    changed = {"lie": "0.4", "voters": "50", "shares": "0.6,0.4", "asked": "9", "solve": "privacy", "angle": "10"}
    at = lesson(name, polls="3", prior="0.3", plan_voters="5000", **changed)
    assert answer(at) != fresh(name)[1]
    at.button(key="reset").click().run()
    assert (takeaway(at), answer(at)) == fresh()
