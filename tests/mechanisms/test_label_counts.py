"""Releases of label counts: their noise against its laws, the simplex against an optimiser, calibrated promises."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from privdemo import accounting as account
from privdemo.mechanisms.label_counts import (
    RELEASES,
    STUDIED,
    DiscreteGaussianCounts,
    DiscreteLaplaceCounts,
    GaussianCounts,
    LaplaceCounts,
    LaplacePrior,
    NoSuchNoise,
    ScaledDirichlet,
    calibrate,
    check_counts,
    proportions,
)
from privdemo.simplex import project_simplex
from tests.mechanisms.oracles import rng

BILLION = 10**9
PAPER = np.array([50, 50, 50, 50, 800])  # c = 5, m = 1000, ρ₁ = 0.05
N = 20_000


def any_mechanisms():
    """One of each, for any counts above 0."""
    noise = [make(3.0) for make in (LaplaceCounts, GaussianCounts, DiscreteLaplaceCounts, DiscreteGaussianCounts)]
    return [*noise, LaplacePrior(1.0), ScaledDirichlet(1.0, ((2, 1),))]


def on_the_simplex(theta):
    # c ≤ 1000 roundings
    return np.isfinite(theta).all() and (theta >= 0).all() and np.allclose(theta.sum(axis=-1), 1, rtol=0, atol=1e-12)


def test_noisy_counts_are_projected_in_shares():
    """Seen in the noise itself, sampled once more from the same seed."""
    counts = np.array([[3, 0, 9], [1, 1, 500]])
    for make, sample in ((LaplaceCounts, rng(5).laplace), (GaussianCounts, rng(5).normal)):
        shares = project_simplex((counts + sample(scale=7.0, size=(2, 3))) / [[12], [502]])
        # the same sample, scaled before or after
        np.testing.assert_allclose(make(7.0).randomise(counts, rng(5)), shares, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sigma", [0.01, 0.5, 3.0])
def test_scaled_dirichlet_has_the_means_and_marginals_of_dir(sigma):
    counts = np.array([5, 12, 3, 40])
    theta = ScaledDirichlet(sigma, ((4, 3),)).randomise(np.tile(counts, (N, 1)), rng(1))
    assert (np.abs(theta.mean(axis=0) - counts / 60) < 5 * theta.std(axis=0) / math.sqrt(N)).all()
    for i, j in ((0, 1), (2, 3)) if sigma > 0.01 else ():  # shares that do not round to 1
        pair = theta[:, i] / (theta[:, i] + theta[:, j])
        for assumed in (0.8 * sigma, sigma, 1.25 * sigma):
            # 20 % of σ, 10 % of a standard deviation, move the distribution by more than the 0.02 that N values resolve
            fits = stats.kstest(pair, stats.beta(assumed * counts[i], assumed * counts[j]).cdf).pvalue > 1e-6
            assert fits == (assumed == sigma)


@pytest.mark.parametrize("sigma", [1e-15, 1e-6])
def test_dirichlet_of_tiny_shapes_gives_all_to_one_class_by_its_share(sigma):
    theta = ScaledDirichlet(sigma, ((4, 3),)).randomise(np.tile([5, 12, 3, 40], (N, 1)), rng(1))
    assert on_the_simplex(theta)
    rho = np.array([5, 12, 3, 40]) / 60
    # all else has a chance of less than 60 σ log(2) of being seen
    assert (np.abs((theta > 0.5).mean(axis=0) - rho) < 5 * np.sqrt(rho * (1 - rho) / N)).all()


@pytest.mark.parametrize("scale", [0.0, 3.0])
def test_the_laplace_prior_samples_from_the_noisy_counts(scale):
    counts = np.array([5, 12, 3, 40])
    theta = LaplacePrior(scale).randomise(np.tile(counts, (N, 1)), rng(2))
    # the same noise comes first
    noisy = np.maximum(0, counts + scale * rng(2).laplace(size=(N, 4)))
    total = noisy.sum(axis=1, keepdims=True)
    assert ((theta == 0) >= (noisy == 0)).all()
    assert (theta[noisy > 0.5] > 0).all()
    # E θ = η̃/m̃ and Var θ = ρ̃ (1 − ρ̃)/(m̃ + 1), given η̃ and its sum m̃
    shares = noisy / total
    scores = (theta - shares) / np.sqrt(np.maximum(shares * (1 - shares), 1e-300) / (total + 1))
    for score in (scores[:, i][(shares[:, i] > 0) & (shares[:, i] < 1)] for i in range(4)):
        error = (score**2).std() / math.sqrt(len(score))
        assert abs(score.mean()) < 5 / math.sqrt(len(score))
        assert [abs((score**2).mean() - variance) < 5 * error for variance in (0.8, 1, 1.25)] == [False, True, False]


def test_the_laplace_prior_of_counts_that_are_all_lost_in_noise_is_even():
    theta = LaplacePrior(1e6).randomise(np.tile([1, 1], (N, 1)), rng(2))
    lost = (rng(2).laplace(size=(N, 2)) * 1e6 + 1 <= 0).all(axis=1)
    assert 0.2 < lost.mean() < 0.3
    np.testing.assert_array_equal((theta == 0.5).all(axis=1), lost)


@pytest.mark.parametrize(
    "counts", [[1, 0], [1, 0, 3], [BILLION, 1], [BILLION] * 1000], ids=lambda counts: str(counts)[:20]
)
@pytest.mark.parametrize("noise", [0.0, 1e-6, 1.0, 1e6])
def test_releases_are_proportions_of_any_counts(counts, noise):
    for make in (LaplaceCounts, GaussianCounts, LaplacePrior, DiscreteLaplaceCounts, DiscreteGaussianCounts):
        mechanism = make(noise)
        assert on_the_simplex(mechanism.randomise(counts, rng()))
    dirichlet = ScaledDirichlet(min(noise + 1e-9, 50), ((2, 1),))
    assert on_the_simplex(dirichlet.randomise([max(1, n) for n in counts], rng()))


@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 4, 3), (0, 3)])
@pytest.mark.parametrize("mechanism", any_mechanisms())
def test_batches_keep_their_shape_and_every_set_has_noise_of_its_own(mechanism, shape):
    counts = np.full(shape, 7)
    theta = mechanism.randomise(counts, rng(3))
    assert theta.shape == shape
    assert on_the_simplex(theta)
    np.testing.assert_array_equal(counts, 7)
    np.testing.assert_array_equal(theta, mechanism.randomise(counts.tolist() if counts.size else counts, rng(3)))
    assert len(np.unique(theta.reshape(-1, 3), axis=0)) == theta.size // 3


def test_without_noise_counts_become_their_shares():
    counts, shares = [[1, 0, 3], [5, 5, 0]], [[0.25, 0, 0.75], [0.5, 0.5, 0]]
    for make in (LaplaceCounts, GaussianCounts, DiscreteLaplaceCounts, DiscreteGaussianCounts):
        mechanism = make(0.0)
        np.testing.assert_allclose(mechanism.randomise(counts, rng()), shares, atol=1e-15)
        assert mechanism.delta_at(20.0) == 1
    np.testing.assert_array_equal(proportions(counts), shares)
    assert (LaplacePrior(0.0).randomise(counts, rng())[[0, 1], [1, 2]] == 0).all()


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([3, -1], r"^counts must be whole numbers in \[0, 1,000,000,000\], got -1 for class 2; give how many"),
        ([0.5, 0.5], "got 0.5 for class 1; give how many.*, not a share$"),
        ([math.inf, 3], "got inf for class 1"),
        ("abc", "^counts must be a list of whole numbers, one for each class, got 'abc'"),
        ([[3, 4], [0, 0]], "^counts are all 0: an empty set has no proportions; leave it out, or merge it"),
        ([7], r"^number of classes must be a whole number in \[2, 1000\], got 1; one class hides nothing"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_are_no_counts_is_refused_by_everything(counts, sentence):
    calls = [check_counts, proportions, *(lambda c, m=m: m.randomise(c, rng()) for m in any_mechanisms())]
    for call in (*calls, *(lambda c, name=name: calibrate(name, 1.0, 0.05, c) for name in RELEASES)):
        with pytest.raises(ValueError, match=sentence):
            call(counts)


NO_SHARE = r"^class 3 has 0 labels, .* no share for an empty class; merge it"


def test_dirichlet_refuses_counts_below_the_minimum_of_its_guarantee():
    mechanism = ScaledDirichlet(1.0, ((6, 5),), 5)
    with pytest.raises(ValueError, match=r"^class 2 has 4 labels, fewer than the public minimum of 5,.*lower"):
        mechanism.randomise([5, 4], rng())
    with pytest.raises(ValueError, match=NO_SHARE):
        mechanism.randomise([5, 6, 0], rng())
    noise = (LaplaceCounts, GaussianCounts, DiscreteLaplaceCounts, DiscreteGaussianCounts)
    for make in (*noise, LaplacePrior, lambda sigma: ScaledDirichlet(sigma, ((3, 2),))):
        with pytest.raises(ValueError, match=r"^(scale|sigma) must be in .*, got -1"):
            make(-1.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("dirichlet local", 1.0, 0.05, [5, 6, 0]), NO_SHARE),
        (("dirichlet public", 1.0, 0.05, [30, 20], 25), "^class 2 has 20 labels, fewer .* minimum of 25,"),
        (
            ("gaussian tight", 0.5, 0.0, [50, 60]),
            r"^delta must be above 0 for .*, which never meets δ = 0; use Laplace",
        ),
        (("laplace", 1.0, 0.05, [5, 6]), "^release must be one of laplace published, .*, got 'laplace'"),
        (("laplace tight", 20.1, 0.05, [5, 6]), r"^epsilon must be in \[0.001, 20\], got 20.1"),
        (("dirichlet local", 0.05, 1e-4, [99, 1]), "class 2 has 1 label; with 83 or more .*; merge classes"),
        (("dirichlet published", 0.05, 1e-4, [171, 170, 171]), "has 170 labels; with 171 or more .*; merge classes"),
        (
            ("dirichlet public", 0.05, 1e-4, PAPER, 50),
            "minimum of 50 at .*: it needs one of 83 or more; merge classes",
        ),
    ],
)
def test_what_cannot_be_calibrated_is_refused_in_words(arguments, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        calibrate(*arguments)
    assert isinstance(refused.value, NoSuchNoise) == ("; merge classes" in sentence)


def with_noise(mechanism, factor):
    """`mechanism` with `factor` times the standard deviation of its noise."""
    if isinstance(mechanism, ScaledDirichlet):
        return ScaledDirichlet(mechanism.sigma / factor**2, mechanism.moves, mechanism.n_min)
    return type(mechanism)(factor * next(iter(vars(mechanism).values())))


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("counts", [PAPER, [3, 4, 5], [BILLION] * 1000, [1000, 2000, 10**6]])
def test_every_release_meets_what_it_was_calibrated_for_and_tight_ones_just_so(name, counts):
    n_min, met = int(min(counts)), 0
    for epsilon, delta in itertools.product((0.01, 0.9, 20.0), (1e-6, 0.05, 0.3)):
        try:
            mechanism = calibrate(name, epsilon, delta, counts, n_min)
        except NoSuchNoise:
            continue
        met += 1
        if name == "dirichlet published":  # its criterion looks one way only
            moves = account.moves_to_neighbours(counts)
            assert max(account.published_dirichlet_delta(mechanism.sigma, move, epsilon) for move in moves) <= delta
        elif name != "gaussian published" or epsilon < 1:
            assert mechanism.delta_at(epsilon) <= delta
        if RELEASES[name].tight:
            assert with_noise(mechanism, 0.98).delta_at(epsilon) > delta
    assert met >= 4
    assert calibrate(name, 0.9, 0.05, [counts, counts], n_min) == calibrate(name, 0.9, 0.05, list(counts), n_min)


@pytest.mark.parametrize("name", ["dirichlet published", "dirichlet local"])
@pytest.mark.parametrize(("counts", "epsilon", "delta"), [(PAPER, 0.05, 0.05), ((4, 6, 9), 2.0, 0.05)])
def test_delta_from_private_counts_is_that_of_the_worst_neighbour_in_either_direction(name, counts, epsilon, delta):
    mechanism = calibrate(name, epsilon, delta, counts)
    moves = [move for a, b in itertools.permutations(counts, 2) for move in ((a, b), (b + 1, a - 1))]
    truth = max(account.dirichlet_delta(mechanism.sigma, move, epsilon) for move in moves)
    # eleven digits of tails that agree
    assert mechanism.delta_at(epsilon) == pytest.approx(truth, rel=1e-6)


@pytest.mark.parametrize("name", ["dirichlet published", "dirichlet local"])
def test_of_several_sets_the_worst_chooses_the_noise(name):
    sets = [[50, 60, 900], [40, 400, 570], [45, 46, 919]]
    alone = [calibrate(name, 0.3, 0.05, one).sigma for one in sets]
    assert max(alone) > 1.01 * min(alone)
    # bisection ends within 1e-13
    assert calibrate(name, 0.3, 0.05, sets).sigma == pytest.approx(min(alone), rel=1e-9)


def test_only_data_dependent_releases_look_at_the_counts():
    for name, release in RELEASES.items():
        one, other = (calibrate(name, 0.3, 0.05, counts, 40) for counts in ([50, 60, 900], [40, 400, 570]))
        assert (one == other) == (not release.data_dependent) == (release.guarantee == "(ε, δ)")
        assert release.public_bound == (getattr(one, "n_min", None) == 40)


def test_whole_numbers_are_added_and_no_shipped_study_has_them():
    assert {name for name in RELEASES if name not in STUDIED} == {"discrete laplace", "discrete gaussian"}
    for name in RELEASES.keys() - set(STUDIED):
        mechanism = calibrate(name, 0.3, 0.05, PAPER)
        noisy = mechanism.noisy(PAPER, rng(6))
        assert noisy.dtype == np.int64
        np.testing.assert_array_equal(mechanism.randomise(PAPER, rng(6)), project_simplex(noisy / 1000))
