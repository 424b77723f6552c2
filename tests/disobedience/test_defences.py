"""Defences against fake clients: LDPRecover written anew, where it is right, and where nothing helps."""

import numpy as np
import pytest

from privdemo.disobedience import attack, defences, many_answers
from privdemo.disobedience.defences import CONSISTENT, NONE, RECOVERED, TARGETS_KNOWN, defended, recover
from privdemo.estimators.frequency_oracles import unbiased_shares
from privdemo.mechanisms.frequency_oracles import ORACLES, KaryResponse, OptimisedUnaryEncoding, SubsetSelection

K, TARGETS = 32, (20, 25, 31)
SHARES = np.arange(1, K + 1) ** -1.2 / (np.arange(1, K + 1) ** -1.2).sum()


def rng(seed=0):
    return np.random.default_rng(seed)


def nearest_shares(values):
    """The nearest shares in least squares, by bisection of what is taken off each."""
    low, high = values.min() - 1, values.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(values - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(values - low, 0)


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("targets", [None, TARGETS])
def test_recovery_step_by_step(name, targets):
    oracle, people = ORACLES[name](K, 1.0), 5000
    supported = oracle.support_counts(rng(1).multinomial(people, SHARES), rng(2))
    poisoned = unbiased_shares(oracle, supported, people)
    fake = np.zeros(K)
    for v in range(K):
        if targets is None:
            total = (1 - K * oracle.q) / (oracle.p - oracle.q)
            fake[v] = total / (poisoned > 0).sum() if poisoned[v] > 0 else 0.0
        else:
            fake[v] = ((1 / 3 if v in targets else 0) - oracle.q) / (oracle.p - oracle.q)
    found = recover(oracle, supported, people, 0.1, targets)
    np.testing.assert_allclose(found, nearest_shares(1.1 * poisoned - 0.1 * fake), atol=1e-9)
    assert np.abs(found - recover(oracle, supported, people, 0.3, targets)).max() > 1e-4


def test_with_known_targets_it_undoes_the_attack_on_kary_response_and_no_other():
    """Counts at their means: 10,000 true and 1,000 fake clients."""
    for oracle, right in ((KaryResponse(K, 1.0), True), (OptimisedUnaryEncoding(K, 1.0), False)):
        way = attack("crafted report", TARGETS)
        honest = oracle.q + (oracle.p - oracle.q) * SHARES
        supported = 10_000 * honest + 1000 * way.expected_support(oracle, SHARES)
        off = np.abs(recover(oracle, supported, 11_000, 0.1, TARGETS) - SHARES).max()
        assert (off < 1e-9) == right
        assert np.abs(recover(oracle, supported, 11_000, 0.2, TARGETS) - SHARES).max() > 0.005, "another ratio is wrong"


def test_what_each_defence_leaves():
    counts, surveys = np.round(10_000 * SHARES).astype(int), 30
    for oracle in (KaryResponse(K, 1.0), SubsetSelection(K, 1.0)):
        left = {
            name: defended(oracle, name and attack(name, TARGETS), TARGETS, counts, 1000, surveys, rng(4))
            for name in (None, *many_answers.ATTACKS)
        }
        for found in left.values():
            assert tuple(found) == (NONE, CONSISTENT, RECOVERED, TARGETS_KNOWN)
            assert found[CONSISTENT].error.mean < found[NONE].error.mean
        crafted, pretended = left["crafted report"], left["false truth"]
        formula = many_answers.gain(oracle, attack("crafted report", TARGETS), TARGETS, 1 / 11, counts / counts.sum())
        assert crafted[NONE].gain.mean == pytest.approx(formula, abs=0.05)
        assert crafted[CONSISTENT].gain.mean < 0.9 * crafted[NONE].gain.mean
        # who pretends and then follows the rules looks like people of whom it is true: 9.1 points, less what is cut
        assert pretended[RECOVERED].gain.mean == pytest.approx(pretended[CONSISTENT].gain.mean, abs=0.01)
        assert pretended[CONSISTENT].gain.mean > 0.06
        assert abs(left[None][NONE].gain.mean) < 0.03
    assert crafted[TARGETS_KNOWN].gain.mean > 0.3, "subset selection: the method takes a report for one answer"


def test_the_published_ratio_is_taken_where_none_is_known():
    oracle, counts = KaryResponse(K, 1.0), np.round(10_000 * SHARES).astype(int)
    way = attack("crafted report", TARGETS)
    told = defended(oracle, way, TARGETS, counts, 1000, 5, rng(4))
    guessed = defended(oracle, way, TARGETS, counts, 1000, 5, rng(4), defences.PUBLISHED_RATIO)
    assert told[NONE] == guessed[NONE]
    true = counts[list(TARGETS)].sum() / counts.sum()
    assert guessed[TARGETS_KNOWN].gain.mean == pytest.approx(-true), "twice as many fakes as there are: none is left"
    assert told[TARGETS_KNOWN].gain.mean > -true / 2


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda: recover(KaryResponse(K, 1.0), np.ones(K), 100, 11.0),
            r"fake_ratio must be in \[0, 10\], got 11; .*true one",
        ),
        (lambda: recover(KaryResponse(K, 1.0), np.ones(3), 100), "supported must be 32 counts"),
        (
            lambda: defended(KaryResponse(K, 1.0), None, TARGETS, np.ones(K, int), 5, 0, rng()),
            r"surveys must be a whole number in \[1, 10000\], got 0",
        ),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()
