"""The shipped study: batches that can be had again, published values, and how the paper's claim comes out."""

import math

import numpy as np
import pytest
from scipy.special import gammaln

from privdemo.experiments import label_counts, results
from privdemo.experiments.label_counts import CountConfig
from privdemo.mechanisms.label_counts import ScaledDirichlet

CONFIG = CountConfig()
SHARE = np.array(CONFIG.counts) / sum(CONFIG.counts)


def test_the_papers_claim_is_settled_by_numbers_of_its_own():
    settled = label_counts.settle(CONFIG)
    released = ScaledDirichlet(settled.sigma, ((50, 50),)).randomise(
        np.tile(CONFIG.counts, (20_000, 1)), np.random.default_rng(1)
    )
    distances = np.abs(released - SHARE).sum(axis=1)
    # five standard errors of either mean
    assert abs(distances.mean() - settled.published) < 5 * distances.std() * math.sqrt(1 / 20_000 + 1 / 2000)
    theta = np.random.default_rng(2).dirichlet(settled.sigma * np.array(CONFIG.counts), 200_000)
    log_ratio = np.log(theta[:, 0] / theta[:, 1])
    s = settled.sigma
    log_lambda = 2 * gammaln(50 * s) - gammaln(49 * s) - gammaln(51 * s)
    exceeds = (s * log_ratio - log_lambda > 0.05).mean()
    assert abs(exceeds - settled.criterion) < 5 * math.sqrt(0.25 / 200_000)
    assert settled.criterion > 0.05 > settled.exact, "the criterion forbids what is in fact private"
    assert settled.by_exact < settled.published < settled.by_criterion


def test_the_results_file_holds_means_over_batches_that_can_be_had_again():
    marks = [mark for draw in range(2) for mark in label_counts.trial(label_counts.EPSILON_AXIS, draw)]
    rows = label_counts.rows(marks)
    again = results.from_csv(label_counts.Row, label_counts.to_csv(marks))
    shipped = {(row.axis, row.level, row.release): row for row in label_counts.load()}
    for row, read in zip(rows, again, strict=True):
        assert (read.axis, read.level, read.release) == (row.axis, row.level, row.release)
        assert read.distortion == pytest.approx(row.distortion, rel=1e-5)
        here = [m.distortion for m in marks if (m.release, m.level) == (row.release, row.level)]
        assert (row.distortion, row.n_draws) == (pytest.approx(np.mean(here)), 2)
        other = shipped[row.axis, row.level, row.release]
        assert other.n_draws == results.N_DRAWS
        # batches of 100 releases: five standard errors of both means
        error = row.deviation * math.sqrt(1 / 200 + 1 / 1000)
        assert abs(row.distortion - other.distortion) < 5 * error + 1e-9
