"""The chapter on fake clients: its sentences hold the package's numbers, whatever the setting."""

from dataclasses import replace
from typing import Any

import pytest

from pages.kit.numbers import share, standard_error
from pages.kit.panel import Panel
from pages.kit.trials import Trials
from pages.kit.values import Values
from pages.topics.many_answers import PAGE
from pages.topics.many_answers.answer import Answer, answer
from pages.topics.many_answers.attackers import who_can_push
from pages.topics.many_answers.question import Pushing, Question, question_of
from privdemo.disobedience import CraftedReport, gain
from privdemo.disobedience.many_answers import PRETEND
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import RANDOMISED_RESPONSE, ZIPF, AnswersConfig, Attackers
from privdemo.figures.attackers import PRETENDING
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.methods import FREQUENCY_ORACLES
from tests.pages.visiting import takeaway, visit, warnings

CHAPTER = "Who can push the result?"
SUBSETS = "subset selection"
DEFAULT = replace(question_of(Values()).config, oracle=SUBSETS)  # type: ignore[union-attr]


def shown(config: AnswersConfig = DEFAULT) -> Answer:
    return answer(Question(config), Trials())


def rise(oracle: str, epsilon: float, of: Answer, target: int = 15, part: float = 0.05) -> str:
    shares = of.release.truth.shares
    return standard_error(gain(ORACLES[oracle](of.k, epsilon), CraftedReport((target,)), (target,), part, shares))


def names(panel: Panel) -> list[str]:
    return [trace.name for trace in panel.figure.figure.data if trace.name]  # type: ignore[union-attr]


def test_the_chapter_stands_among_those_for_specialists_before_real_systems() -> None:
    others = [one.name for one in PAGE.chapters.all if one.for_specialists]  # type: ignore[union-attr]
    assert others[1:4] == ["Error by who is trusted", CHAPTER, "Where real systems stand"]


def test_the_sentence_says_that_more_privacy_is_more_power() -> None:
    of = shown()
    panel = who_can_push(of)[0]
    assert panel.answer == (
        "<b>Stronger.</b> With subset selection, <b>5 fake participants in 100</b> raise the share of “cholera” by "
        f"<b>{rise(SUBSETS, 1.0, of)}</b> points at ε = 1, and by <b>{rise(SUBSETS, 0.5, of)}</b> at ε = 0.5. "
        f"With k-ary randomised response: by {rise(RANDOMISED_RESPONSE, 1.0, of)} and more than 100 points."
    )
    assert "The true share of “cholera” is 1.3 %. No share can rise by more than 100 points" in panel.note
    rows = panel.rows()  # type: ignore[misc]
    assert {row["key"] for row in rows} == set(ORACLES)
    assert f"Hadamard response {rise('hadamard response', 0.1, of)} at ε = 0.1" in panel.summary


@pytest.mark.parametrize("epsilon", [0.01, 0.02, 0.5, 3.0, 10.0])
@pytest.mark.parametrize("oracle", list(ORACLES))
def test_the_law_is_only_said_where_it_holds(epsilon: float, oracle: str) -> None:
    of = shown(replace(DEFAULT, epsilon=epsilon, oracle=oracle))
    words = who_can_push(of)[0].answer
    other = epsilon / 2 if epsilon >= 0.02 else 2 * epsilon
    rises = [
        many_answers.pushed(of.k, float(of.release.truth.shares[15]), level, Attackers(15))[level]
        for level in sorted((epsilon, other))
    ]
    assert ("<b>Stronger.</b>" in words) <= (rises[0][oracle] > rises[1][oracle])
    assert f"With {FREQUENCY_ORACLES[oracle].title}" in words


def test_three_methods_are_shown_or_all_and_one_line_if_they_pretend() -> None:
    of = shown()
    three, every = (who_can_push(of, Pushing(all=all_six))[0] for all_six in (False, True))
    assert names(three) == ["k-ary randomised response", "subset selection", "Hadamard response", PRETENDING]
    assert names(every) == [*(one.title for one in FREQUENCY_ORACLES.values()), PRETENDING]
    pretending = who_can_push(of, Pushing(attack=PRETEND))[0]
    assert names(pretending) == [PRETENDING]
    expected = 0.05 * (1 - of.release.truth.shares[15])
    assert f"raise its share by <b>{standard_error(expected)} points</b>, with every method" in pretending.answer
    assert "more than 100 points" not in pretending.note


def test_the_guess_is_of_the_figure_and_hides_what_it_decides() -> None:
    of = shown()
    panel = who_can_push(of)[0]
    asked = panel.prediction
    assert asked is not None
    assert f"{asked.truth:.0f}" == rise(SUBSETS, 1.0, of)
    assert [trace.name for trace in asked.covered.figure.data] == [PRETENDING]  # type: ignore[union-attr]
    counts_as = (1 - ORACLES[SUBSETS](16, 1.0).q) / (ORACLES[SUBSETS](16, 1.0).p - ORACLES[SUBSETS](16, 1.0).q)
    assert asked.explain.endswith(f"so that it counts as {counts_as:.1f} people.")
    far = shown(replace(DEFAULT, epsilon=0.1, oracle=RANDOMISED_RESPONSE))
    assert who_can_push(far)[0].prediction is None, "718 points are beyond guessing"
    assert "counts as one person" in who_can_push(shown(replace(DEFAULT, epsilon=9.0)))[0].prediction.explain  # type: ignore[union-attr]


def test_defences_say_where_nothing_helps() -> None:
    of = shown()
    panel = who_can_push(of)[1]
    found = many_answers.attacked(DEFAULT, Attackers(15))
    assert f"“cholera” is <b>{share(found.left['none'].share)}</b> instead of {share(found.true)}" in panel.answer
    assert f"<b>Hardly:</b> the nearest possible shares give {share(found.left['projection'].share)}" in panel.answer
    assert "LDPRecover gives 0.0 %, less than the truth." in panel.answer
    assert len(panel.rows()) == 4  # type: ignore[misc]
    assert "<b>No:</b> nobody can tell these clients" in who_can_push(of, Pushing(attack=PRETEND))[1].answer
    above = shown(replace(DEFAULT, epsilon=0.3, oracle=RANDOMISED_RESPONSE))
    assert (
        "<b>Hardly:</b> the nearest possible shares give 100.0 %"
        in who_can_push(above, Pushing(is_rarest=False))[1].answer
    )
    few = who_can_push(shown(replace(DEFAULT, people=50, seed=3)))[1]
    assert few.answer.endswith("Chance hides the attack here.")


def test_without_anything_to_push_the_chapter_says_so() -> None:
    assert "no fake participants" in who_can_push(shown(), Pushing(part=0.0))[0].answer
    assert "All people give" in who_can_push(shown(replace(DEFAULT, people=1)))[0].answer
    assert len(who_can_push(shown(replace(DEFAULT, people=5)))) == 1, "no whole person is fake"


@pytest.mark.parametrize("oracle", ["hadamard response", "local hashing"])
def test_of_65536_answers_two_methods_are_compared(oracle: str) -> None:
    of = shown(AnswersConfig(ZIPF, 65_536, 1.2, 1_000_000, 4.0, oracle))
    rises, defences = who_can_push(of, Pushing(all=True))
    assert len(names(rises)) == 3
    assert "simulated survey" in defences.answer


def test_the_code_gives_the_numbers() -> None:
    of = shown()
    for panel in who_can_push(of):
        made: dict[str, Any] = {}
        exec(str(panel.snippet), made)
    assert made["found"] == many_answers.attacked(DEFAULT, Attackers(15))


def test_names_of_answers_are_escaped() -> None:
    of = shown()
    people = of.release.truth._replace(names=(*of.release.truth.names[:-1], "<b>so</b>"))
    panels = who_can_push(replace(of, release=replace(of.release, truth=people)))
    for panel in panels:
        assert "<b>so</b>" not in panel.answer + panel.note + panel.summary


def test_the_chapter_opens_by_its_link_with_its_settings() -> None:
    at = visit("many_answers", answers_look=CHAPTER)
    assert "5 fake participants in 100" in takeaway(at)
    assert not warnings(at)
    at = visit(
        "many_answers",
        answers_look=CHAPTER,
        fake="0.1",
        pushed="the most frequent answer",
        attack="the same as people who have it",
    )
    assert "10 fake participants in 100" in takeaway(at)
    assert "pretend that “cold” is true of them" in takeaway(at)


def test_nonsense_in_the_link_is_named_with_what_is_allowed() -> None:
    at = visit("many_answers", answers_look=CHAPTER, fake="0.5", pushed="none", attack="all")
    noted = warnings(at)
    assert "`fake=0.5` was ignored: it must be in [0, 0.3]. The default, 0.05" in noted
    assert "`pushed=none` was ignored: it must be one of “the rarest answer”, “the most frequent answer”" in noted
    assert "`attack=all` was ignored: it must be one of “what helps it most”" in noted
    assert "5 fake participants in 100" in takeaway(at)
