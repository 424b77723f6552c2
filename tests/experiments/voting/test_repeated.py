"""Estimators over many polls: against their definitions, binomials and scipy's intervals."""

import math

import numpy as np
import pytest

from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel
from tests.experiments.oracles import student, wilson
from tests.experiments.voting.oracles import ASYMMETRIC, answer_prob

Z = 1.959963984540054


def test_records_against_their_definitions():
    n, theta, polls = 300, 0.6, 500
    config = ElectionConfig(n, theta, ASYMMETRIC, polls, seed=9)
    elections = voting.run(config)
    found = {record.name: record for record in voting.records(config, elections)}
    assert list(found) == ["honest", "naive", "reconstruction", "spread", "spread MLE"]
    for name, counts, chance, channel in (
        ("honest", elections.voted_a, theta, BinaryChannel(0, 0)),
        ("spread", elections.said_a, answer_prob(theta, ASYMMETRIC), ASYMMETRIC),
    ):
        record = found[name]
        values = (counts / n - channel.p10) / (1 - channel.p10 - channel.p01)
        np.testing.assert_allclose(record.values, values, atol=1e-14)
        assert record.bias == student(values - theta)
        assert record.deviation == pytest.approx(np.std(values, ddof=1), rel=1e-12)
        held = np.abs(counts / n - chance) <= Z * math.sqrt(chance * (1 - chance) / n)  # Wilson's: a score test
        assert record.n_held == held.sum()
        assert record.covered == wilson(held.sum(), polls)
        assert record.law.mean == pytest.approx(theta, abs=1e-12)
        assert record.law.deviation == pytest.approx(math.sqrt(chance * (1 - chance) / n) / channel.contrast, rel=1e-9)
    assert found["naive"].law.mean == pytest.approx(answer_prob(theta, ASYMMETRIC), abs=1e-12)
    assert found["naive"].covered.mean < 0.5 < 0.9 < found["spread"].covered.mean


@pytest.mark.parametrize(("n", "channel"), [(10, ASYMMETRIC), (137, BinaryChannel(0.9, 0.8)), (100_000, ASYMMETRIC)])
def test_a_histogram_counts_every_poll_and_all_of_the_distribution(n, channel):
    config = ElectionConfig(n, 0.4, channel, 300, seed=3)
    for record in voting.records(config, voting.run(config)):
        found = voting.histogram(record, -3.0, 4.0)
        assert found.edges[0] <= -3
        assert found.edges[-1] >= 4
        assert found.exact.sum() == pytest.approx(1, abs=1e-12)
        inside = [
            (a <= record.values) & (record.values < b) for a, b in zip(found.edges, found.edges[1:], strict=False)
        ]
        np.testing.assert_allclose(found.measured, np.mean(inside, axis=1), atol=1e-12)
        assert (found.exact[found.measured > 0] > 0).all()
        if record.name in ("honest", "naive", "spread"):  # estimates on a lattice
            points = np.histogram(record.law.values, found.edges)[0]
            inner = points[np.flatnonzero(points)[0] + 1 : np.flatnonzero(points)[-1]]
            assert len(set(inner)) <= 1, "no bin looks fuller for having more points"
