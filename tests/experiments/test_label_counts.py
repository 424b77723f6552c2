"""Released counts: distortion of releases made by hand, promises, what an adversary makes of them, and the study."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln

from privdemo import accounting
from privdemo.experiments import label_counts, results
from privdemo.experiments.label_counts import CountConfig
from privdemo.mechanisms.label_counts import RELEASES, ScaledDirichlet, calibrate

CONFIG = CountConfig()
SHARE = np.array(CONFIG.counts) / sum(CONFIG.counts)


def test_an_outcome_is_the_mean_distance_of_so_many_releases():
    outcomes = label_counts.run(replace(CONFIG, repeats=50, seed=4))
    assert list(outcomes) == list(RELEASES)
    for name, outcome in outcomes.items():
        mechanism = calibrate(name, 0.05, 0.05, CONFIG.counts, 25)
        released = mechanism.randomise(np.tile(CONFIG.counts, (50, 1)), np.random.default_rng(4))
        distances = np.abs(released - SHARE).sum(axis=1)
        assert outcome.distortion.mean == pytest.approx(distances.mean())
        assert outcome.deviation == pytest.approx(distances.std(ddof=1))
        assert outcome.example == pytest.approx(released[0])
        inside = [(released[:, c] >= low) & (released[:, c] <= high) for c, (low, high) in enumerate(outcome.ranges)]
        assert all(0.9 <= some.mean() <= 0.96 for some in inside), "all but one or two of 50 at either end"
        assert outcome.delta == mechanism.delta_at(0.05)


def test_a_guarantee_holds_only_where_its_exact_delta_does_and_no_private_count_chose_the_noise():
    outcomes = label_counts.run(CONFIG)
    assert {name for name, o in outcomes.items() if not o.holds} == {"dirichlet published", "dirichlet local"}
    at_large_epsilon = label_counts.run(replace(CONFIG, epsilon=10.0, delta=1e-6))
    assert not at_large_epsilon["gaussian published"].holds, "its formula is proved for ε < 1"
    assert at_large_epsilon["gaussian published"].delta > 1e-6
    assert at_large_epsilon["gaussian tight"].holds


def test_the_best_guess_of_the_last_label_is_what_a_simulated_adversary_reaches():
    rates = label_counts.guess_rates(label_counts.run(CONFIG))
    rng, n = np.random.default_rng(0), 40_000
    # Gaussian noise on two counts: the best guess goes by the sign of their noisy difference's shift.
    sigma = calibrate("gaussian tight", 0.05, 0.05, CONFIG.counts).sigma
    moved = rng.integers(0, 2, n)
    noisy = sigma * rng.standard_normal((n, 2)) + np.stack((-moved, moved), axis=1)
    right = ((noisy[:, 1] - noisy[:, 0] > 1) == (moved == 1)).mean()
    # five standard errors
    assert abs(right - rates["gaussian tight"]) < 5 * math.sqrt(0.25 / n) < abs(right - rates["gaussian published"])
    promised = accounting.most_guessed_right(0.05, 0.05)
    assert max(rates.values()) <= promised + 1e-12
    # randomised response with (ε, δ): with δ the label is told, else a binary answer of ε
    assert promised == pytest.approx(0.05 + 0.95 * math.exp(0.05) / (1 + math.exp(0.05)))


def neighbours(counts):
    """Every way to move one label."""
    for a, b in itertools.permutations(range(len(counts)), 2):
        moved = list(counts)
        moved[a], moved[b] = moved[a] - 1, moved[b] + 1
        yield tuple(moved)


@pytest.mark.parametrize("release", ["dirichlet local", "dirichlet published"])
def test_noise_from_the_private_counts_leaks_at_the_worst_neighbour(release):
    """Either σ alone keeps what was asked for, or nearly; the two releases tell each other apart by more. Over all
    twenty neighbours and both directions, none is worse than the one found, up to five standard errors."""
    leak, n, found = label_counts.leak(CONFIG, release), 10_000, []
    sigma = {
        counts: calibrate(release, 0.05, 0.05, counts).sigma for counts in (CONFIG.counts, *neighbours(CONFIG.counts))
    }
    assert (leak.sigma, leak.neighbour_sigma) == (sigma[CONFIG.counts], sigma[leak.neighbour])
    moves = [move for a, b in itertools.permutations(leak.neighbour, 2) for move in ((a, b), (b + 1, a - 1))]
    worst = max(accounting.dirichlet_delta(leak.sigma, move, 0.05) for move in moves)
    assert leak.neighbour_delta == pytest.approx(worst)
    assert round(worst, 4) == {"dirichlet local": 0.0504, "dirichlet published": 0.0011}[release]
    for other in neighbours(CONFIG.counts):
        pair = leak.sigma * np.array(CONFIG.counts), sigma[other] * np.array(other)
        for one, two in (pair, pair[::-1]):
            found.append(accounting.dirichlet_delta_samples(one, two, 0.05, n, np.random.default_rng(len(found))))
    worst = max(found, key=np.mean)
    assert abs(worst.mean() - leak.own_delta.mean) < 5 * worst.std() * math.sqrt(1 / n + 1 / 200_000)
    assert leak.own_delta.low > 0.05, "the choice of noise gives away more than was asked for"


def test_the_papers_criterion_exceeds_delta_where_the_exact_delta_does_not():
    settled = label_counts.settle(CONFIG)
    s, rng = settled.sigma, np.random.default_rng(1)
    released = ScaledDirichlet(s, ((50, 50),)).randomise(np.tile(CONFIG.counts, (20_000, 1)), rng)
    distances = np.abs(released - SHARE).sum(axis=1)
    # five standard errors of either mean
    assert abs(distances.mean() - settled.published) < 5 * distances.std() * math.sqrt(1 / 20_000 + 1 / 2000)
    theta = rng.dirichlet(s * np.array(CONFIG.counts), 200_000)
    log_lambda = 2 * gammaln(50 * s) - gammaln(49 * s) - gammaln(51 * s)
    exceeds = (s * np.log(theta[:, 0] / theta[:, 1]) - log_lambda > 0.05).mean()
    assert abs(exceeds - settled.criterion) < 5 * math.sqrt(0.25 / 200_000)
    assert settled.criterion > 0.05 > settled.exact, "the criterion forbids what is in fact private"
    assert settled.by_exact < settled.published < settled.by_criterion


def test_recomputed_means_over_batches_match_the_results_file():
    marks = [mark for trial in range(2) for mark in label_counts.run_trial(label_counts.EPSILON_AXIS, trial)]
    rows = label_counts.rows(marks)
    shipped = {(row.axis, row.level, row.release): row for row in label_counts.load()}
    for row in rows:
        here = [m.distortion for m in marks if (m.release, m.level) == (row.release, row.level)]
        assert (row.distortion, row.n_trials) == (pytest.approx(np.mean(here)), 2)
        other = shipped[row.axis, row.level, row.release]
        assert other.n_trials == results.N_TRIALS
        # batches of 100 releases: five standard errors of both means
        assert abs(row.distortion - other.distortion) < 5 * row.deviation * math.sqrt(1 / 200 + 1 / 1000) + 1e-9
