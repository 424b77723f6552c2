"""Fake clients in a survey: the closed form is that of the package, and what simulated surveys say."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo.disobedience import CraftedReport, all_defences, gain, mixed_reports, mixed_support_counts
from privdemo.disobedience.many_answers import CRAFTED, PRETEND
from privdemo.estimators.frequency_oracles import unbiased_shares
from privdemo.experiments import many_answers, sweep
from privdemo.experiments.many_answers import FREQUENT, ILLNESSES, RAREST, AnswersConfig, AttackedConfig, Attackers
from privdemo.experiments.trials import with_trial
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


# --- in a sweep ----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [RAREST, FREQUENT])
@pytest.mark.parametrize("oracle", ["randomised response", "subset selection", "optimised unary"])
def test_a_sweep_of_attackers_has_the_rise_of_the_closed_form(target, oracle):
    config = AttackedConfig(ILLNESSES, 16, oracle=oracle, target=target, part=0.1)
    trials = [sweep.run_trial("attackers", with_trial(config, i)) for i in range(40)]
    rises = [float(trial["none: rise"]) for trial in trials]
    place = many_answers.target_of(TRUTH, target)
    assert place == (15 if target == RAREST else 0)
    expected = many_answers.pushed(16, float(TRUTH.shares[place]), 1.0, Attackers(place, 0.1))[1.0][oracle]
    assert np.mean(rises) == pytest.approx(expected, abs=4 * np.std(rises) / np.sqrt(40) + 1e-3)
    assert np.mean([float(trial["projection: RMSE"]) for trial in trials]) > 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"target": "any"}, "target must be 'rarest' or 'most frequent', got 'any'"),
        ({"part": 0.4}, "part must be in"),
        ({"attack": "none"}, "attack must be"),
    ],
)
def test_what_a_sweep_of_attackers_refuses(given, why):
    with pytest.raises(ValueError, match=why):
        AttackedConfig(**given)


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("targets", [(2,), (1, 4), (0, 1, 3, 5)])
def test_counts_of_everybody_together_have_the_law_of_their_reports(oracle, targets):
    """Means and covariances of 60 people and 40 fake clients together, in 3,000 surveys."""
    made, way, surveys = ORACLES[oracle](6, 1.0), CraftedReport(targets), 3000
    obey, fakes = np.array([20, 15, 10, 8, 5, 2]), np.array([40, 0, 0, 0, 0, 0])
    values = np.repeat(np.arange(6), obey)
    at_once = np.array([mixed_support_counts(made, way, obey, fakes, np.random.default_rng(i)) for i in range(surveys)])
    everybody = np.concatenate([values, np.zeros(40, int)])
    one_by_one = np.array(
        [made.tally(mixed_reports(made, way, everybody, 40, np.random.default_rng(10**6 + i))) for i in range(surveys)]
    )
    np.testing.assert_allclose(at_once.mean(axis=0), one_by_one.mean(axis=0), atol=6 * np.sqrt(25 * 2 / surveys))
    np.testing.assert_allclose(np.cov(at_once.T), np.cov(one_by_one.T), atol=6 * 25 * np.sqrt(2 * 2 / surveys))
