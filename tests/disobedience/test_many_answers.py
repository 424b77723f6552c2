"""Disobedience and attacks of k answers: against every report there is, simulation, and the published gains."""

import math

import numpy as np
import pytest

from privdemo.disobedience import (
    ATTACKS,
    AlwaysAnswer,
    CraftedReport,
    FalseTruth,
    OpenTruth,
    RandomReport,
    attack,
    expected_shares,
    forgery,
    gain,
    identification_interval,
    many_answers,
    share_biases,
    split,
)
from privdemo.estimators.frequency_oracles import unbiased_shares
from privdemo.mechanisms import frequency_oracles as fo
from privdemo.mechanisms.frequency_oracles.hashing import PRIME, hash_answer
from tests.mechanisms.test_frequency_oracles import all_reports, report_probs

NAMES = tuple(fo.ORACLES)
WAYS = [OpenTruth(), AlwaysAnswer(2), RandomReport(), FalseTruth((1, 3)), CraftedReport((1,)), CraftedReport((0, 1, 3))]


def rng(seed=0):
    return np.random.default_rng(seed)


def zipf(k):
    weights = np.arange(1, k + 1) ** -1.2
    return weights / weights.sum()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [4, 13])
def test_reports_and_counts_follow_the_expected_support(name, way, k):
    oracle, n = fo.ORACLES[name](k, 1.3), 40_000
    counts = rng(1).multinomial(n, zipf(k))
    expected = way.expected_support(oracle, counts / n)
    reports = way.reports(oracle, rng(2).permutation(np.repeat(np.arange(k), counts)), rng(3))
    assert len(reports) == n
    tolerance = 5 * np.sqrt(expected * (1 - expected) / n) + 1e-9
    for supported in (oracle.tally(reports), way.support_counts(oracle, counts, rng(4))):
        assert (np.abs(supported / n - expected) <= tolerance).all()
    other = way.expected_support(fo.ORACLES[name](k, 1.0), counts / n)
    if np.abs(other - expected).max() > 2 * tolerance.max():  # where ε matters, 30 % off is seen
        assert (np.abs(oracle.tally(reports) / n - other) > tolerance).any()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "local hashing"])
@pytest.mark.parametrize("way", WAYS)
def test_reports_are_ones_that_the_mechanism_sends(name, way):
    oracle = fo.ORACLES[name](4, 1.0)
    known = {np.asarray(report).tobytes() for report in all_reports(oracle).astype(np.int64)}
    sent = way.reports(oracle, np.arange(4).repeat(50), rng()).astype(np.int64)
    assert {np.asarray(report).tobytes() for report in sent} <= known


def weights_of(way, oracle, member):
    """How often somebody of a `way` sends each of all reports, of which `member` (n, k) says what they support."""
    unary = isinstance(oracle, fo.BasicRappor | fo.OptimisedUnaryEncoding)
    if isinstance(way, RandomReport):
        chosen = np.ones(len(member))
    elif isinstance(way, AlwaysAnswer) and unary:
        chosen = member[:, way.answer] & (member.sum(axis=1) == 1)
    elif isinstance(way, AlwaysAnswer):
        chosen = member[:, way.answer]
    elif unary:
        targets = list(way.targets)
        others = np.delete(member, targets, axis=1)
        chosen = member[:, targets].all(axis=1) * np.where(others, oracle.q, 1 - oracle.q).prod(axis=1)
    else:
        supported = member[:, list(way.targets)].sum(axis=1)
        chosen = supported == supported.max()
    return chosen / chosen.sum()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", [AlwaysAnswer(1), RandomReport(), CraftedReport((0, 3)), CraftedReport((2,))])
def test_the_bias_by_every_report_of_two_people(name, way):
    """One follows the rules and one does not: the mean of the estimate over every pair of their reports."""
    k, true, theirs = 4, np.eye(4)[2], np.eye(4)[0]
    oracle = fo.ORACLES[name](k, 1.0)
    found = expected_shares(oracle, way, 0.5, true, theirs)
    np.testing.assert_allclose(share_biases(oracle, way, 0.5, true, theirs), found - (true + theirs) / 2)
    alike = expected_shares(oracle, way, 0.5, true)  # those who disobey have the same shares, if no others are given
    np.testing.assert_allclose(alike, expected_shares(oracle, way, 0.5, true, true))
    if name == "local hashing":  # of all functions: the honest law is p and q, the other's is simulated
        n = 40_000
        sent = oracle.support(way.reports(oracle, np.zeros(n, int), rng())).mean(axis=0)
        mean = (np.where(true, oracle.p, oracle.q) + sent - 2 * oracle.q) / (oracle.p - oracle.q) / 2
        np.testing.assert_allclose(found, mean, atol=5 * 0.25 / math.sqrt(n) / (oracle.p - oracle.q))
        return
    member = oracle.support(all_reports(oracle))
    chances = np.outer(report_probs(oracle)[:, 2], weights_of(way, oracle, member))
    mean = np.zeros(k)
    for i, j in np.ndindex(chances.shape):
        mean += chances[i, j] * unbiased_shares(oracle, member[i].astype(int) + member[j], 2)
    np.testing.assert_allclose(found, mean, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "local hashing"])
@pytest.mark.parametrize("targets", [(0,), (1, 3), (0, 2, 3, 4)])
def test_no_report_supports_more_targets_than_the_crafted_one(name, targets):
    for epsilon in (0.5, 2.0, 4.0):
        oracle = fo.ORACLES[name](5, epsilon)
        most = oracle.support(all_reports(oracle))[:, list(targets)].sum(axis=1).max()
        assert CraftedReport(targets).supported(oracle) == pytest.approx(most)


def test_the_best_hash_function_of_those_tried():
    oracle, targets = fo.OptimisedLocalHashing(30, 2.0), (3, 8, 9, 17, 20, 29)
    functions = rng(forgery.SEARCH_SEED).integers(0, PRIME, (3, forgery.TRIED), dtype=np.uint32)
    hashes = np.stack([hash_answer(functions, target, oracle.n_hashes) for target in targets])
    most = max(np.bincount(hashes[:, i].astype(int)).max() for i in range(forgery.TRIED))
    way = CraftedReport(targets)
    assert 2 <= most < len(targets)
    assert way.supported(oracle) == most
    reports = way.reports(oracle, np.zeros(300, int), rng(1))
    assert (oracle.support(reports)[:, list(targets)].sum(axis=1) == most).all()


@pytest.mark.parametrize("name", NAMES)
def test_counts_have_the_joint_law_of_reports(name):
    """Means and covariances of how many of 60 fake clients support each answer, in 3,000 surveys."""
    oracle, way, people, surveys = fo.ORACLES[name](6, 1.0), CraftedReport((1, 4)), np.array([60, 0, 0, 0, 0, 0]), 3000
    at_once = np.array([way.support_counts(oracle, people, rng(i)) for i in range(surveys)])
    theirs = np.zeros(60, int)
    one_by_one = np.array([oracle.tally(way.reports(oracle, theirs, rng(10**6 + i))) for i in range(surveys)])
    np.testing.assert_allclose(at_once.mean(axis=0), one_by_one.mean(axis=0), atol=6 * math.sqrt(15 * 2 / surveys))
    np.testing.assert_allclose(np.cov(at_once.T), np.cov(one_by_one.T), atol=6 * 15 * math.sqrt(2 * 2 / surveys))


# Of a 1 % answer among 64 and 5 % of fake clients, in points: ε = 0.5, 1, 2 and 4.
PROTOTYPES = {
    "randomised response": (490, 188, 54, 11),
    "optimised unary": (25, 16, 11, 10),
    "local hashing": (28, 17, 11, 9),
    "subset selection": (25, 16, 11, 11),
}


@pytest.mark.parametrize("name", PROTOTYPES)
def test_the_gain_of_five_percent_of_fake_clients(name):
    shares = np.append(np.full(63, 0.99 / 63), 0.01)
    found = [gain(fo.ORACLES[name](64, e), CraftedReport((63,)), (63,), 0.05, shares) for e in (0.5, 1.0, 2.0, 4.0)]
    np.testing.assert_allclose(100 * np.array(found), PROTOTYPES[name], atol=0.55)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("attacked", ATTACKS)
def test_the_gain_is_the_formula_and_that_of_simulated_surveys(name, attacked):
    k, part, targets, people = 20, 0.1, (12, 15, 19), 20_000
    oracle, shares = fo.ORACLES[name](k, 1.0), zipf(k)
    way = attack(attacked, targets)
    found = gain(oracle, way, targets, part, shares)
    supported = way.expected_support(oracle, shares)[list(targets)].sum()
    formula = part * ((supported - len(targets) * oracle.q) / (oracle.p - oracle.q) - shares[list(targets)].sum())
    assert found == pytest.approx(formula)
    if attacked == "false truth":
        assert found == pytest.approx(part * (1 - shares[list(targets)].sum()))
    honest = rng(5).multinomial(round(people * (1 - part)), shares)
    fakes = np.zeros(k, int)
    fakes[0] = round(people * part)
    true = (1 - part) * honest / honest.sum() + part * shares
    surveys = 200
    supported = [many_answers.mixed_support_counts(oracle, way, honest, fakes, rng(i)) for i in range(surveys)]
    gains = [(unbiased_shares(oracle, each, people) - true)[list(targets)].sum() for each in supported]
    assert np.mean(gains) == pytest.approx(found, abs=5 * np.std(gains) / math.sqrt(surveys) + 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_one_answer_of_many_is_identified_as_one_against_the_rest(name):
    oracle, people, part = fo.ORACLES[name](8, 1.0), 50_000, 0.05
    shares = zipf(8)
    supported = many_answers.mixed_support_counts(
        oracle, CraftedReport((7,)), *split(rng(1).multinomial(people, shares), part, rng(2)), rng(3)
    )
    found = identification_interval(oracle.one_against_rest, supported, people, part)
    assert (found.least <= shares).all()
    assert (shares <= found.most).all()
    inverted = unbiased_shares(oracle, supported, people)
    assert shares[7] < inverted[7] - 0.01, "the attack carries the estimate away"


def test_a_random_part_disobeys():
    obey, disobey = split([500, 300, 200], 0.1, rng(1))
    assert disobey.sum() == 100
    np.testing.assert_array_equal(obey + disobey, [500, 300, 200])
    many = np.array([split([500, 300, 200], 0.1, rng(i))[1] for i in range(500)])
    np.testing.assert_allclose(many.mean(axis=0), [50, 30, 20], atol=1.5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", WAYS)
def test_nobody_or_everybody_may_disobey(name, way):
    oracle, counts, values = fo.ORACLES[name](5, 1.0), np.array([30, 20, 10, 5, 5]), np.arange(5).repeat(14)
    for part in (0.0, 1.0):
        obey, disobey = split(counts, part, rng(1))
        found = many_answers.mixed_support_counts(oracle, way, obey, disobey, rng(2))
        alone = way.support_counts(oracle, counts, rng(2)) if part else oracle.support_counts(counts, rng(2))
        np.testing.assert_array_equal(found, alone)
        sent = many_answers.mixed_reports(oracle, way, values, round(part * 70), rng(3))
        alone = way.reports(oracle, values, rng(3)) if part else oracle.reports(values, rng(3))
        np.testing.assert_array_equal(sent, alone)


def test_the_last_people_disobey():
    oracle = fo.KaryResponse(5, 8.0)
    sent = many_answers.mixed_reports(oracle, AlwaysAnswer(4), np.zeros(1000, int), 300, rng())
    assert (sent[700:] == 4).all()
    assert (sent[:700] == 0).mean() > 0.98


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: attack("bribe", (1,)), "name must be one of false truth, random report, crafted report, got 'bribe'"),
        (
            lambda: gain(fo.KaryResponse(4, 1.0), CraftedReport((4,)), (4,), 0.1, zipf(4)),
            r"answer must be a whole number in \[0, 3\], got 4; answers are counted from 0",
        ),
        (
            lambda: share_biases(fo.KaryResponse(4, 1.0), OpenTruth(), 0.1, [1, 1, 0, 0]),
            "shares must be 4 shares .* sum to 1",
        ),
        (lambda: split([5, 5], 1.5, rng()), r"part must be in \[0, 1\], got 1.5"),
        (
            lambda: many_answers.mixed_reports(fo.KaryResponse(4, 1.0), OpenTruth(), np.zeros(3, int), 4, rng()),
            r"n_disobey must be a whole number in \[0, 3\], got 4",
        ),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()


def test_an_oracle_without_a_forger_says_so():
    class Own(fo.KaryResponse):
        pass

    assert forgery.forger(Own(4, 1.0)).random_support == 0.25  # one of its kind
    with pytest.raises(ValueError, match="oracle must be one that FORGERS knows"):
        forgery.forger("no oracle")
