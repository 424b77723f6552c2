"""One poll among several candidates: four estimates of every share, against the likelihood written out."""

import math

import numpy as np
import pytest

from privdemo.experiments import voting
from privdemo.experiments.voting import ManyConfig
from privdemo.mechanisms import RandomisedResponse
from tests.experiments.oracles import wilson
from tests.experiments.voting.oracles import fits, log_likelihood


@pytest.mark.parametrize(
    ("shares", "epsilon"), [((0.4, 0.3, 0.2, 0.1), 1.0), ((0.5, 0.5), 4.0), ((1.0, 0.0, 0.0), 0.3), ((0.1,) * 10, 0.3)]
)
def test_many_candidates_are_estimated_in_four_ways(shares, epsilon):
    config, n, k = ManyConfig(shares, epsilon, 2000, seed=11), 2000, len(shares)
    found = voting.run_many(config)
    kept = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    other = (1 - kept) / (k - 1)
    assert found.answers.sum() == n
    np.testing.assert_allclose(found.naive, found.answers / n, atol=1e-15)
    np.testing.assert_allclose(found.inversion, (found.answers / n - other) / (kept - other), atol=1e-9)
    ends = found.low * (kept - other) + other, found.high * (kept - other) + other
    for a, low, high in zip(found.answers, *ends, strict=True):
        assert (a / n, low, high) == wilson(a, n)
    best = log_likelihood(found.answers, epsilon, found.mle)
    for estimate in (found.projected, found.mle, found.mle_by_em):
        assert (estimate >= 0).all()
        assert estimate.sum() == pytest.approx(1, abs=1e-9)
        assert log_likelihood(found.answers, epsilon, estimate) <= best + 1e-8
    assert best - log_likelihood(found.answers, epsilon, found.mle_by_em) <= 1e-3 + 1e-8  # EM's certificate
    assert found.em_converged
    assert found.em_apart == np.abs(found.mle - found.mle_by_em).max()
    distance = np.linalg.norm(found.projected - found.inversion)
    assert distance <= min(np.linalg.norm(x - found.inversion) for x in (found.mle, np.array(shares))) + 1e-9
    rows = voting.many_table(config, found)
    assert [(row["candidate"], row["share"]) for row in rows] == list(zip("ABCDEFGHIJ", shares, strict=False))
    for name in ("answers", "naive", "inversion", "low", "high", "projected", "mle", "mle_by_em"):
        assert [row[name] for row in rows] == getattr(found, name).tolist()


def test_answers_follow_the_channel():
    shares = np.array([0.5, 0.3, 0.2])
    total = sum(voting.run_many(ManyConfig(tuple(shares), 1.0, 20_000, seed)).answers for seed in range(50))
    assert fits(total, RandomisedResponse.from_epsilon(1.0, 3).channel_matrix @ shares)
    assert not fits(total, RandomisedResponse.from_epsilon(1.05, 3).channel_matrix @ shares)
