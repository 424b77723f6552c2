"""Fake clients in a survey: the closed form is that of the package, and what simulated surveys say."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo.disobedience import all_defences, gain, mixed_support_counts
from privdemo.disobedience.many_answers import CRAFTED, PRETEND
from privdemo.estimators.frequency_oracles import unbiased_shares
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import ILLNESSES, AnswersConfig, Attackers
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.methods import DEFENCES

CONFIG = AnswersConfig(ILLNESSES, 16)
TRUTH = many_answers.truth(CONFIG)


@pytest.mark.parametrize("name", [CRAFTED, PRETEND])
@pytest.mark.parametrize("target", [0, 15])
def test_rises_are_the_gains_of_the_package(name, target):
    attackers = Attackers(target, 0.07, name)
    found = many_answers.pushed(16, float(TRUTH.shares[target]), 0.6, attackers)
    assert 0.6 in found
    assert list(found) == sorted(found)
    for epsilon in (0.1, 0.6, 1.0, 4.0, 10.0):
        expected = {
            oracle: gain(make(16, epsilon), attackers.way, (target,), 0.07, TRUTH.shares)
            for oracle, make in ORACLES.items()
        }
        assert found[epsilon] == pytest.approx(expected, rel=1e-9)


def test_rises_of_a_one_percent_answer_among_64_by_five_percent_fake_clients():
    rises = many_answers.pushed(64, 0.01, 1.0, Attackers(63))
    response, unary = (
        [round(100 * rises[epsilon][oracle], 1) for epsilon in (0.5, 1.0, 2.0, 4.0)]
        for oracle in ("randomised response", "optimised unary")
    )
    assert response == pytest.approx([490, 188, 54, 11], abs=0.7)
    assert unary == pytest.approx([25, 16, 11, 10], abs=0.7)


@pytest.mark.parametrize("oracle", list(ORACLES))
@pytest.mark.parametrize("name", [CRAFTED, PRETEND])
def test_simulated_surveys_rise_as_much(oracle, name):
    attackers = Attackers(15, 0.1, name)
    made, rng = ORACLES[oracle](16, 1.0), np.random.default_rng(5)
    true = many_answers.truth(replace(CONFIG, people=9_000)).counts
    fake = np.zeros(16, np.int64)
    fake[0] = 1_000
    share = float(true[15] / true.sum())
    estimates = [
        unbiased_shares(made, mixed_support_counts(made, attackers.way, true, fake, rng), 10_000)[15] - share
        for _ in range(200)
    ]
    spread = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
    assert np.mean(estimates) == pytest.approx(
        many_answers.pushed(16, share, 1.0, attackers)[1.0][oracle], abs=4 * spread
    )


def test_a_survey_under_attack_has_every_defence_and_repeats():
    found = many_answers.attacked(CONFIG, Attackers(15))
    assert list(found.left) == list(all_defences((15,))) == list(DEFENCES)
    assert found == many_answers.attacked(CONFIG, Attackers(15))
    assert found != many_answers.attacked(replace(CONFIG, seed=1), Attackers(15))
    assert found.true == pytest.approx(TRUTH.shares[15], abs=1 / 9_500)
    assert 0 <= found.left["projection"].share <= 1
    expected = found.true + many_answers.pushed(16, found.true, 1.0, Attackers(15))[1.0]["subset selection"]
    assert found.left["none"].share == pytest.approx(
        expected, abs=4 * many_answers.errors(16, 1.0, 10_000)["subset selection"]
    )


def test_other_attacks_and_parts_are_refused():
    with pytest.raises(ValueError, match="attack must be 'crafted report' or 'false truth', got 'random report'"):
        Attackers(0, 0.05, "random report")
    with pytest.raises(ValueError, match=r"part must be in \[0, 0.3\], got 0.4"):
        Attackers(0, 0.4)
