"""Many answers: who has which, errors in closed form against simulation, one report by Bayes' rule, and trust."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privdemo import accounting, datasets, limits
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import RANDOMISED_RESPONSE, AnswersConfig, Fit
from privdemo.experiments.many_answers.config import STREAMS
from privdemo.experiments.trials import with_trial
from privdemo.intervals import mean_interval
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.methods import FREQUENCY_ORACLES, INVERTED, LIKELIEST, PROJECTED

SMALL = AnswersConfig(k=6, people=400)


def test_people_have_the_shares_of_their_source() -> None:
    people = many_answers.truth(AnswersConfig(k=3, exponent=1.0, people=11))
    assert people.counts.tolist() == [6, 3, 2]
    assert people.names == ("1", "2", "3")
    assert many_answers.truth(AnswersConfig("uniform", 4, people=10)).counts.tolist() == [3, 3, 2, 2]
    digits = datasets.load("digits")
    own = many_answers.truth(AnswersConfig(digits, 1024, people=len(digits.y)))
    assert dict(zip(own.names, own.counts.tolist(), strict=True)) == dict(
        zip(digits.class_names, digits.class_counts, strict=True)
    )
    assert (np.diff(own.counts) <= 0).all()


@pytest.mark.parametrize("times", [1, 3])
def test_as_many_people_as_a_file_has_rows_have_exactly_its_answers(times: int) -> None:
    rng = np.random.default_rng(0)
    counts = np.sort(rng.geometric(1e-4, 200))[::-1]
    own = datasets.Answers("jobs.csv", "job", tuple(map(str, range(200))), counts)
    people = many_answers.truth(AnswersConfig(own, 1024, people=times * own.people))
    assert people.names == own.names
    assert people.counts.tolist() == (times * counts).tolist()
    few = many_answers.truth(AnswersConfig(own, 4, people=10))
    assert (few.names, few.counts.sum()) == (own.names[:4], 10)


def test_occupations_are_those_of_adult(data_folder: Path) -> None:
    jobs = many_answers.truth(AnswersConfig("adult", 1024, people=48_842))
    assert (jobs.k, jobs.names[0], jobs.counts.sum()) == (15, "Prof-specialty", 48_842)
    assert jobs.counts[0] == 6172, "as counted by the data set's authors"


def test_words_are_the_most_frequent_of_sms(data_folder: Path) -> None:
    words = many_answers.truth(AnswersConfig("sms", 1024, people=10**6))
    with_to, with_you = ((datasets.load("sms").X[:, [_column(word)]]).sum() for word in ("to", "you"))
    assert words.names[:2] == ("to", "you")
    assert words.counts[0] / words.counts[1] == pytest.approx(with_to / with_you, rel=1e-3)


def _column(word: str) -> int:
    return datasets.load("sms").feature_names.index(word)


@pytest.mark.parametrize("oracle", ORACLES)
def test_the_typical_error_is_that_of_simulated_releases(oracle: str) -> None:
    people = many_answers.truth(SMALL)
    found = [many_answers.inverted(with_trial(SMALL, i), people, oracle).shares for i in range(200)]
    squares = np.square(np.array(found) - people.shares).mean(axis=1)
    expected = many_answers.errors(people.k, SMALL.epsilon, SMALL.people)[oracle] ** 2
    standard_error = squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - expected) < 4 * standard_error < 0.4 * expected


def test_an_axis_changes_one_thing_and_holds_ones_own_place() -> None:
    for axis, own, asked in (
        ("epsilon", 0.7, (9, 0.7, 50)),
        ("answers", 9, (9, 1.0, 50)),
        ("people", 77, (9, 1.0, 77)),
    ):
        found = many_answers.along(axis, *asked)
        assert set(found) == {own, *many_answers.AXES[axis]}
        assert found[own] == many_answers.errors(*asked)
    assert found[10_000_000] == many_answers.errors(9, 1.0, 10_000_000)


def test_the_map_has_the_least_error_and_the_papers_line() -> None:
    found = many_answers.winners()
    assert (found.epsilons[0], found.epsilons[-1], found.ks[0], found.ks[-1]) == (0.01, 10.0, 2, 1024)
    for i, j in ((0, 0), (20, 20), (36, 45), (36, 0)):
        errors = many_answers.errors(found.ks[i], found.epsilons[j], 1000)
        assert errors[found.names[i][j]] == pytest.approx(min(errors.values()), rel=1e-9)
        assert found.times[i][j] == pytest.approx(errors[RANDOMISED_RESPONSE] / min(errors.values()))
    two = many_answers.winners((RANDOMISED_RESPONSE, "optimised unary"))
    for k, row in zip(two.ks, two.names, strict=True):
        for epsilon, name in zip(two.epsilons, row, strict=True):
            beyond = k / many_answers.crossover(epsilon)
            if abs(math.log(beyond)) > 0.5:
                assert (name == RANDOMISED_RESPONSE) == (beyond < 1), (k, epsilon)


@pytest.mark.parametrize(("epsilon", "most"), [(0.01, 5), (1.0, 9), (1.05, 9), (2.0, 20), (4.0, 134), (5.0, 360)])
def test_one_answer_beats_bits_up_to_fewer_answers_than_the_rule_for_rare_ones(epsilon: float, most: int) -> None:
    e = math.exp(epsilon)
    ks = np.arange(2, 1025)
    response = (e + ks - 2) / (e - 1) ** 2 + (ks - 2) / (ks * (e - 1))  # Wang et al. 2017, equation 6, at f = 1/k
    bits = 4 * e / (e - 1) ** 2 + 1 / ks
    assert ks[response < bits].tolist() == list(range(2, most + 1))
    assert many_answers.most_answers(epsilon) == most
    assert many_answers.most_answers(10.0) == limits.ORACLE_ANSWERS.high


@pytest.mark.parametrize(("oracle", "k"), [(RANDOMISED_RESPONSE, 64), ("subset selection", 64), ("local hashing", 9)])
def test_half_the_error_takes_the_epsilon_that_is_said(oracle: str, k: int) -> None:
    halved = many_answers.halving_epsilon(oracle, k, 1.0)
    assert halved is not None
    one, half = (many_answers.errors(k, epsilon, 100)[oracle] for epsilon in (1.0, halved))
    assert half == pytest.approx(one / 2, rel=1e-6)
    assert f"{many_answers.halving_epsilon(RANDOMISED_RESPONSE, 64, 1.0):.2f}" == "1.51"
    assert many_answers.halving_epsilon(RANDOMISED_RESPONSE, 64, 10.0) is None


def test_asking_nobody_is_off_by_the_spread_of_the_shares() -> None:
    assert many_answers.unasked_error(many_answers.truth(AnswersConfig("uniform", 4, people=100))) == 0
    people = many_answers.truth(AnswersConfig(k=2, exponent=1.0, people=3))  # ⅔ and ⅓
    assert many_answers.unasked_error(people) == pytest.approx(1 / 6)


def test_three_estimators_read_the_same_reports() -> None:
    fits = [many_answers.fit(with_trial(SMALL, i)) for i in range(8)]
    truth = many_answers.truth(SMALL).shares
    for fit in fits:
        assert fit.shares[PROJECTED].min() >= 0 <= fit.shares[LIKELIEST].min()
        for name, shares in fit.shares.items():
            assert shares.sum() == pytest.approx(1, abs=1e-9) or name == INVERTED
            assert fit.errors[name] == pytest.approx(math.sqrt(np.square(shares - truth).mean()))
    assert len({tuple(fit.shares[INVERTED]) for fit in fits}) == len(fits), "each trial has reports of its own"
    found = many_answers.mean_errors(fits)
    assert found[PROJECTED].mean < found[INVERTED].mean
    two = [Fit(SMALL, {}, dict.fromkeys(found, error), 0.0) for error in (3.0, 4.0)]
    assert many_answers.mean_errors(two)[LIKELIEST].mean == pytest.approx(math.sqrt(12.5))
    assert many_answers.mean_errors(two[:1])[LIKELIEST].known is False


@pytest.mark.parametrize("oracle", ORACLES)
def test_what_a_report_says_is_bayes_rule(oracle: str) -> None:
    found = many_answers.one_report(replace(SMALL, oracle=oracle, epsilon=1.5), 2)
    likelihood = np.where(found.supported, math.exp(1.5), 1.0)
    expected = found.prior * likelihood / (found.prior @ likelihood)
    np.testing.assert_allclose(found.posterior, expected)
    assert 1 < found.factor <= math.exp(1.5) * (1 + 1e-9)
    assert found.guess_before == found.prior.max()


def test_how_often_the_best_guess_is_right_after_a_report() -> None:
    config = replace(SMALL, oracle=RANDOMISED_RESPONSE, epsilon=2.0)
    found = [many_answers.one_report(replace(config, seed=seed), 0) for seed in range(20)]
    response = many_answers.mechanism(RANDOMISED_RESPONSE, SMALL.k, 2.0)
    channel = np.where(np.eye(SMALL.k, dtype=bool), response.p, response.q)
    expected = float((channel * found[0].prior).max(axis=1).sum())
    guessed = mean_interval([one.guess_after.mean for one in found])
    assert guessed.covers(expected)
    assert guessed.half < 0.01 * expected


@pytest.mark.parametrize("k", [2, 50])
def test_a_shuffler_lets_all_lie_as_little_as_the_guarantee_allows(k: int) -> None:
    found = many_answers.trusted(k, 2000, 0.5, 1e-6)
    any_epsilon = accounting.shuffled_local_epsilon(0.5, 1e-6, 2000)
    own_epsilon = accounting.shuffled_response_local_epsilon(0.5, 1e-6, 2000, k)
    assert own_epsilon > 1.1 * any_epsilon, "randomised response is accounted for by itself"
    errors = {epsilon: many_answers.errors(k, epsilon, 2000) for epsilon in (0.5, any_epsilon, own_epsilon)}
    assert found.local == pytest.approx(min(errors[0.5].values()))
    behind = {name: errors[any_epsilon][name] for name in ORACLES if k > 2}
    behind[RANDOMISED_RESPONSE] = errors[own_epsilon][RANDOMISED_RESPONSE]
    assert found.shuffled == pytest.approx(min(behind.values()))
    assert found.local_epsilon == (own_epsilon if found.shuffled_oracle == RANDOMISED_RESPONSE else any_epsilon)
    assert found.curated < found.shuffled < found.local


def test_behind_a_shuffler_the_best_oracle_has_the_epsilon_of_its_own_bound() -> None:
    by = {}
    for k, people in itertools.product((3, 16, 1024), (2, 100, 20_000)):
        found = many_answers.trusted(k, people, 1.0, 1e-6)
        own = found.shuffled_oracle == RANDOMISED_RESPONSE
        delta = (
            accounting.shuffled_response_delta(found.local_epsilon, people, 1.0, k)
            if own
            else accounting.shuffled_delta(found.local_epsilon, people, 1.0)
        )
        assert delta <= 1e-6
        by[k, people] = found.shuffled_oracle
    assert {by[k, people] for k in (3, 16, 1024) for people in (100, 20_000) if k < people} == {RANDOMISED_RESPONSE}
    assert by[1024, 2] == "subset selection", "two people hide each other little"


def test_behind_a_shuffler_of_a_million_people_lie_as_little_as_the_bound_allows() -> None:
    found = many_answers.trusted(1024, 10**6, 4.0, 1e-6)
    most = accounting.shuffled_response_local_epsilon(4.0, 1e-6, 10**6, 1024)
    assert found.local_epsilon == most > limits.ORACLE_EPSILON.high
    odds = math.exp(found.local_epsilon)
    variance = (odds + 1022) / (odds - 1) ** 2 + 1022 / (1024 * (odds - 1))
    assert (found.shuffled_oracle, found.shuffled) == (RANDOMISED_RESPONSE, pytest.approx(math.sqrt(variance / 10**6)))
    highest = limits.ORACLE_EPSILON.high
    for k in (2, 3, 512, 1024):
        least = min(oracle(k, highest).mean_variance(1) for oracle in ORACLES.values())
        assert many_answers.mechanism(RANDOMISED_RESPONSE, k, highest).mean_variance(1) <= least * (1 + 1e-9)


def test_a_curator_takes_the_lesser_noise() -> None:
    few = many_answers.trusted(4, 100, 1.0, 0.01)
    scale, sigma = accounting.laplace_counts_scale(1.0, 0.01), accounting.gaussian_counts_sigma(1.0, 0.01)
    assert few.curated == pytest.approx(min(math.sqrt(2) * scale, sigma) / 100)
    assert few.local_epsilon >= 1.0, "a shuffler never makes it worse"
    noises = {many_answers.trusted(4, *rest).curated_by for rest in ((100, 1.0, 1e-9), (10_000, 0.01, 0.01))}
    assert noises == {"laplace", "gaussian"}


def test_of_two_answers_a_curator_needs_noise_on_one_count() -> None:
    found = many_answers.trusted(2, 10_000, 1.0, 1e-6)
    assert found.curated == pytest.approx(math.sqrt(2) * accounting.laplace_scale(1.0, 1e-6) / 10_000)
    assert found.curated == pytest.approx(math.sqrt(2) / 10_000, rel=1e-3), "of scale 1/ε, but for δ"


def test_a_curator_does_at_least_as_well_as_whoever_is_trusted_less() -> None:
    by = set()
    for k, people, epsilon in itertools.product((2, 3, 64), (2, 30, 1000), (0.1, 1.0, 5.0, 10.0)):
        found = many_answers.trusted(k, people, epsilon, 1e-4)
        assert found.curated <= found.shuffled <= found.local
        by.add(found.curated_by)
    assert by > {"laplace", RANDOMISED_RESPONSE}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"dataset": "mnist"}, "dataset must be one of zipf, uniform, adult, sms, illnesses, records or Answers"),
        ({"oracle": "a coin"}, "oracle must be one of randomised response"),
        ({"k": 1}, "k must be a whole number in"),
        ({"exponent": limits.ZIPF_EXPONENT.high + 1}, "exponent must be in"),
    ],
)
def test_what_asks_nothing_is_refused_in_a_sentence(wrong: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        AnswersConfig(**wrong)


def test_every_oracle_has_a_title_and_a_look_of_its_own() -> None:
    assert list(FREQUENCY_ORACLES) == list(ORACLES)
    assert len({method.style for method in FREQUENCY_ORACLES.values()}) == len(ORACLES)


def test_every_mechanism_has_a_stream_of_its_own():
    names = ["randomised response", "basic rappor", "optimised unary", "local hashing", "subset selection"]
    assert {name: number for number, name in enumerate([*names, "hadamard response"])} == STREAMS


@pytest.mark.parametrize("oracle", ["local hashing", "hadamard response"])
def test_many_answers_are_for_the_oracles_with_short_reports(oracle):
    config = AnswersConfig("zipf", 2000, 1.2, 50_000, 4.0, oracle)
    other = {"local hashing", "hadamard response"} - {oracle}
    assert list(many_answers.run(config).found) == [oracle, *other]
    assert set(many_answers.errors(2000, 4.0, 50_000)) == {oracle, *other}
    found = many_answers.one_report(config, 1999)
    assert found.factor <= math.exp(4.0) * (1 + 1e-9)
    assert found.posterior.sum() == pytest.approx(1)
    assert 0 < found.guess_before < found.guess_after.mean < 1
    along = many_answers.along(many_answers.K_AXIS, 2000, 4.0, 50_000)
    assert {len(here) for k, here in along.items() if k <= 1024} == {6}
    assert {len(here) for k, here in along.items() if k > 1024} == {2}
    assert max(along) == 65_536
    for each in many_answers.trusted_along(2000, 50_000, 4.0, 1e-6):
        assert each.local_epsilon <= limits.ORACLE_EPSILON.high
        assert {each.oracle, each.shuffled_oracle} <= {oracle, *other}
        assert each.curated <= each.shuffled <= each.local
    assert not many_answers.read_along(config, many_answers.EPSILON_AXIS)
    with pytest.raises(ValueError, match="more than 1,024 need local hashing or Hadamard response"):
        AnswersConfig("zipf", 2000)
