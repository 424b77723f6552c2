"""Releases of label counts: their noise against its laws, the simplex against an optimiser, promises by an audit."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from privdemo import accounting as account
from privdemo.mechanisms.label_counts import (
    RELEASES,
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

BILLION = 10**9
PAPER = np.array([50, 50, 50, 50, 800])  # c = 5, m = 1000, ρ₁ = 0.05


def rng(seed=0):
    return np.random.default_rng(seed)


def any_mechanisms(noise=1.0):
    """One of each, for any counts above 0."""
    return [LaplaceCounts(noise), GaussianCounts(noise), LaplacePrior(noise), ScaledDirichlet(1 / noise, ((2, 1),))]


any_counts = st.integers(2, 8).flatmap(
    lambda c: st.lists(st.one_of(st.integers(0, 3), st.integers(0, 1000), st.just(BILLION)), min_size=c, max_size=c)
)


def on_the_simplex(theta):
    # c ≤ 1000 roundings
    return np.isfinite(theta).all() and (theta >= 0).all() and np.allclose(theta.sum(axis=-1), 1, rtol=0, atol=1e-12)


# --- the noise ---------------------------------------------------------------------------------

N = 20_000


def test_noisy_counts_are_projected_in_shares():
    """Seen in the noise itself, drawn once more from the same seed."""
    counts = np.array([[3, 0, 9], [1, 1, 500]])
    for make, draw in ((LaplaceCounts, rng(5).laplace), (GaussianCounts, rng(5).normal)):
        noisy = counts + draw(scale=7.0, size=(2, 3))
        shares = project_simplex(noisy / counts.sum(axis=1, keepdims=True))
        # the same draw, scaled before or after
        np.testing.assert_allclose(make(7.0).randomise(counts, rng(5)), shares, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sigma", [0.01, 0.5, 3.0])
def test_scaled_dirichlet_has_the_means_and_marginals_of_dir(sigma):
    counts = np.array([5, 12, 3, 40])
    theta = ScaledDirichlet(sigma, ((4, 3),)).randomise(np.tile(counts, (N, 1)), rng(1))
    rho = counts / 60
    mean_error = theta.std(axis=0) / math.sqrt(N)
    assert (np.abs(theta.mean(axis=0) - rho) < 5 * mean_error).all()
    assert (np.abs(theta.mean(axis=0) - (counts + 1) / 64) > 5 * mean_error).any()
    for i, j in itertools.permutations(range(4) if sigma > 0.01 else (), 2):  # shares that do not round to 1
        pair = theta[:, i] / (theta[:, i] + theta[:, j])
        for assumed in (0.8 * sigma, sigma, 1.25 * sigma):
            # 20 % of σ, 10 % of a standard deviation, move the distribution by more than the 0.02 that N values resolve
            fits = stats.kstest(pair, stats.beta(assumed * counts[i], assumed * counts[j]).cdf).pvalue > 1e-6
            assert fits == (assumed == sigma)


@pytest.mark.parametrize("sigma", [1e-15, 1e-9, 1e-6])
def test_dirichlet_of_tiny_shapes_gives_all_to_one_class_by_its_share(sigma):
    counts = np.array([5, 12, 3, 40])
    theta = ScaledDirichlet(sigma, ((4, 3),)).randomise(np.tile(counts, (N, 1)), rng(1))
    assert on_the_simplex(theta)
    share, rho = (theta > 0.5).mean(axis=0), counts / 60
    # all else has a chance of less than 60 σ log(2) of being seen
    error = np.sqrt(rho * (1 - rho) / N)
    assert (np.abs(share - rho) < 5 * error).all()
    assert (np.abs(share - np.array([5, 12, 4, 39]) / 60) > 5 * error).any()


@pytest.mark.parametrize("scale", [0.0, 3.0])
def test_the_laplace_prior_draws_from_the_noisy_counts(scale):
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
        n = len(score)
        assert abs(score.mean()) < 5 / math.sqrt(n)
        error = (score**2).std() / math.sqrt(n)
        assert abs((score**2).mean() - 1) < 5 * error
        for wrong in (0.8, 1.25):
            assert abs((score**2).mean() - wrong) > 5 * error


def test_the_laplace_prior_of_counts_that_are_all_lost_in_noise_is_even():
    theta = LaplacePrior(1e6).randomise(np.tile([1, 1], (N, 1)), rng(2))
    lost = (rng(2).laplace(size=(N, 2)) * 1e6 + 1 <= 0).all(axis=1)
    assert 0.2 < lost.mean() < 0.3
    assert (theta[lost] == 0.5).all()
    assert ((theta != 0.5).all(axis=1) >= ~lost).all()


# --- what every mechanism does -----------------------------------------------------------------


@given(counts=any_counts.filter(any), noise=st.sampled_from([0.0, 1e-6, 1.0, 40.0, 1e6]), seed=st.integers(0, 99))
@example(counts=[1, 0], noise=1e6, seed=0)
@example(counts=[BILLION] * 1000, noise=1e6, seed=0)
def test_releases_are_proportions_of_any_counts(counts, noise, seed):
    for mechanism in (LaplaceCounts(noise), GaussianCounts(noise), LaplacePrior(noise)):
        theta = mechanism.randomise(counts, rng(seed))
        assert theta.shape == (len(counts),)
        assert on_the_simplex(theta)
    for sigma in (1e-6, 0.01, 1.0, 50.0):
        positive = [max(1, n) for n in counts]
        assert on_the_simplex(ScaledDirichlet(sigma, ((2, 1),)).randomise(positive, rng(seed)))


@pytest.mark.parametrize("shape", [(3,), (1, 3), (5, 3), (2, 4, 3), (0, 3)])
@pytest.mark.parametrize("mechanism", any_mechanisms())
def test_batches_keep_their_shape_and_every_set_has_noise_of_its_own(mechanism, shape):
    counts = np.full(shape, 7)
    before = counts.copy()
    theta = mechanism.randomise(counts, rng(3))
    assert theta.shape == shape
    assert on_the_simplex(theta)
    np.testing.assert_array_equal(counts, before)
    np.testing.assert_array_equal(theta, mechanism.randomise(counts.tolist() if counts.size else counts, rng(3)))
    assert counts.size == 0 or (theta != mechanism.randomise(counts, rng(4))).any()
    assert len(np.unique(theta.reshape(-1, 3), axis=0)) == theta.size // 3


def test_without_noise_counts_become_their_shares():
    counts = [[1, 0, 3], [5, 5, 0]]
    for mechanism in (LaplaceCounts(0.0), GaussianCounts(0.0)):
        np.testing.assert_allclose(mechanism.randomise(counts, rng()), [[0.25, 0, 0.75], [0.5, 0.5, 0]], atol=1e-15)
        assert mechanism.delta_at(20.0) == 1
    np.testing.assert_array_equal(proportions(counts), [[0.25, 0, 0.75], [0.5, 0.5, 0]])
    emptied = LaplacePrior(0.0).randomise(counts, rng())
    assert (emptied[[0, 1], [1, 2]] == 0).all()


# --- counts ------------------------------------------------------------------------------------

NOT_WHOLE = r"^counts must be whole numbers in \[0, 1,000,000,000\], got {} for class {}; give how many records"


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([3, -1], NOT_WHOLE.format("-1", 2)),
        ([0.5, 0.5], NOT_WHOLE.format("0.5", 1)),
        ([3, 4, 2.5], NOT_WHOLE.format("2.5", 3)),
        ([math.inf, 3], NOT_WHOLE.format("inf", 1)),
        ([3, BILLION + 1], NOT_WHOLE.format("1000000001", 2)),
        ([3, 10**12], NOT_WHOLE.format("1e.12", 2)),
        ([[3, 4], [5, -2]], NOT_WHOLE.format("-2", "2 of set 2")),
        ("abc", "^counts must be a list of whole numbers, one for each class, got 'abc'"),
        (7, "^counts must be a list of whole numbers, one for each class, got 7"),
        ([True, False], "^counts must be a list of whole numbers"),
        ([[3, 4], [5]], "^counts must be "),
        ([0, 0, 0], "^counts are all 0: an empty set has no proportions; leave it out, or merge it"),
        ([[3, 4], [0, 0]], "^counts are all 0: an empty set has no proportions; leave it out, or merge it"),
        ([7], r"^number of classes must be a whole number in \[2, 1000\], got 1; one class hides nothing"),
        ([], r"^number of classes must be a whole number in \[2, 1000\], got 0; "),
        ([1] * 1001, r"^number of classes must be a whole number in \[2, 1000\], got 1001; "),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_are_no_counts_is_refused_by_everything(counts, sentence):
    calls = [check_counts, proportions, *(lambda c, m=m: m.randomise(c, rng()) for m in any_mechanisms())]
    calls += [lambda c, name=name: calibrate(name, 1.0, 0.05, c) for name in RELEASES]
    for call in calls:
        with pytest.raises(ValueError, match=sentence):
            call(counts)


def test_good_counts_come_back_as_whole_numbers():
    for good in ([0, BILLION], [[3.0, 4.0], [5.0, 0.0]], np.uint8([255, 1]), np.ones((2, 3, 1000))):
        checked = check_counts(good)
        assert checked.dtype == np.int64
        np.testing.assert_array_equal(checked, good)


def test_scaled_dirichlet_refuses_an_empty_class_and_counts_below_its_public_bound():
    some = ScaledDirichlet(1.0, ((6, 5),), n_min=5)
    assert on_the_simplex(some.randomise([5, 6], rng()))
    with pytest.raises(ValueError, match=r"^class 2 has 4 labels, fewer than the public bound n_min = 5.*lower n_min"):
        some.randomise([5, 4], rng())
    with pytest.raises(ValueError, match=r"^class 1 of set 2 has 1 label, fewer"):
        some.randomise([[5, 5], [1, 9]], rng())
    for mechanism in (some, ScaledDirichlet(1.0, ((6, 5),))):
        with pytest.raises(ValueError, match=r"^class 3 has 0 labels, .* no share for an empty class; merge it"):
            mechanism.randomise([5, 6, 0], rng())
    for name in ("dirichlet public", "dirichlet local", "dirichlet published"):
        with pytest.raises(ValueError, match=r"^class 3 has 0 labels, .* no share for an empty class; merge it"):
            calibrate(name, 1.0, 0.05, [5, 6, 0])
    with pytest.raises(ValueError, match=r"^class 2 has 20 labels, fewer than the public bound n_min = 25"):
        calibrate("dirichlet public", 1.0, 0.05, [30, 20], 25)
    for name in set(RELEASES) - {"dirichlet public"}:  # no other has a bound
        calibrate(name, 1.0, 0.05, [30, 20], 25)


@pytest.mark.parametrize("make", [LaplaceCounts, GaussianCounts, LaplacePrior, lambda s: ScaledDirichlet(s, ((3, 2),))])
def test_noise_that_is_none_is_refused(make):
    for bad in (-1.0, math.nan, "3"):
        with pytest.raises(ValueError, match=r"^(scale|sigma) must be .*, got "):
            make(bad)
    if make not in (LaplaceCounts, GaussianCounts, LaplacePrior):
        with pytest.raises(ValueError, match=r"sigma must be in \[1e-15, 1e\+15\], got 0"):
            make(0.0)


# --- calibration -------------------------------------------------------------------------------

NOISE = {LaplaceCounts: "scale", LaplacePrior: "scale", GaussianCounts: "sigma", ScaledDirichlet: "sigma"}


def with_noise(mechanism, factor):
    """`mechanism` with `factor` times the standard deviation of its noise."""
    if isinstance(mechanism, ScaledDirichlet):
        return ScaledDirichlet(mechanism.sigma / factor**2, mechanism.moves, mechanism.n_min)
    return type(mechanism)(factor * getattr(mechanism, NOISE[type(mechanism)]))


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("counts", [PAPER, [3, 4, 5], [BILLION] * 1000, [1000, 2000, 10**6]])
def test_every_release_meets_what_it_was_calibrated_for_and_tight_ones_just_so(name, counts):
    n_min, met = int(min(counts)), 0
    for epsilon, delta in itertools.product((0.01, 0.05, 0.9, 20.0), (1e-6, 0.05, 0.3)):
        try:
            mechanism = calibrate(name, epsilon, delta, counts, n_min)
        except NoSuchNoise:
            continue
        met += 1
        if name == "dirichlet published":  # its criterion looks one way only
            one_way = max(
                account.published_dirichlet_delta(mechanism.sigma, m, epsilon) for m in account.moves_away(counts)
            )
            assert one_way <= delta
        elif name != "gaussian published" or epsilon < 1:
            assert mechanism.delta_at(epsilon) <= delta
        if RELEASES[name].tight:
            assert with_noise(mechanism, 0.98).delta_at(epsilon) > delta
    assert met >= 5
    assert calibrate(name, 0.9, 0.05, counts, n_min) == calibrate(name, 0.9, 0.05, list(counts), n_min)
    assert calibrate(name, 0.9, 0.05, [counts, counts], n_min) == calibrate(name, 0.9, 0.05, counts, n_min)


def exact_delta_around(counts, sigma, epsilon):
    """Over all neighbours of `counts`, and both directions."""
    moves = [move for a, b in itertools.permutations(counts, 2) for move in ((a, b), (b + 1, a - 1))]
    return max(account.dirichlet_delta(sigma, move, epsilon) for move in moves)


@pytest.mark.parametrize("name", ["dirichlet published", "dirichlet local"])
@pytest.mark.parametrize(
    ("counts", "epsilon", "delta"),
    [(PAPER, 0.05, 0.05), ((200, 300, 500), 1.0, 0.01), ((2, 46, 105), 14.26, 1.2e-6), ((4, 6, 9), 2.0, 0.05)],
)
def test_delta_from_private_counts_is_that_of_the_worst_neighbour_in_either_direction(name, counts, epsilon, delta):
    mechanism = calibrate(name, epsilon, delta, counts)
    truth = exact_delta_around(counts, mechanism.sigma, epsilon)
    # eleven digits of tails that agree
    assert mechanism.delta_at(epsilon) == pytest.approx(truth, rel=1e-6)


def test_of_several_sets_the_worst_chooses_the_noise():
    sets = [[50, 60, 900], [40, 400, 570], [45, 46, 919]]
    for name in ("dirichlet local", "dirichlet published"):
        together = calibrate(name, 0.3, 0.05, sets).sigma
        alone = [calibrate(name, 0.3, 0.05, one).sigma for one in sets]
        # bisection ends within 1e-13
        assert together == pytest.approx(min(alone), rel=1e-9)
        assert max(alone) > 1.01 * min(alone)


def test_only_data_dependent_releases_look_at_the_counts():
    for name, release in RELEASES.items():
        one, other = (calibrate(name, 0.3, 0.05, counts, 40) for counts in ([50, 60, 900], [40, 400, 570]))
        assert (one == other) == (not release.data_dependent)
    assert [name for name, release in RELEASES.items() if release.public_bound] == ["dirichlet public"]


@pytest.mark.parametrize("name", RELEASES)
def test_settings_out_of_range_are_refused(name):
    for epsilon in (0.0009, 20.1):
        with pytest.raises(ValueError, match=rf"^epsilon must be in \[0.001, 20\], got {epsilon:.10g}; "):
            calibrate(name, epsilon, 0.05, [50, 60])
    for delta in (0.31, -0.1):
        with pytest.raises(ValueError, match=rf"^delta must be in \[0, 0.3\], got {delta:.10g}; "):
            calibrate(name, 1.0, delta, [50, 60])
    for n_min in (0, BILLION + 1):
        with pytest.raises(ValueError, match=rf"^n_min must be a whole number in \[1, 1000000000\], got {n_min}; "):
            calibrate(name, 1.0, 0.05, [50, 60], n_min)


def test_an_unknown_release_is_refused_with_those_there_are():
    for bad in ("laplace", "", "Laplace tight", None):
        with pytest.raises(
            ValueError, match=r"^release must be one of laplace published, .*dirichlet public, got "
        ) as e:
            calibrate(bad, 1.0, 0.05, [50, 60])
        assert repr(bad) in str(e.value)


@pytest.mark.parametrize("name", RELEASES)
def test_at_delta_zero_there_is_laplace_noise_only(name):
    if name.startswith("laplace"):
        mechanism = calibrate(name, 0.5, 0.0, [50, 60])
        assert mechanism.scale == pytest.approx(4.0, rel=1e-12)
        assert mechanism.delta_at(0.5) == 0
        assert mechanism.delta_at(0.49) > 0
    else:
        with pytest.raises(
            ValueError, match=r"^delta must be above 0 for .*, which never meets δ = 0; use Laplace noise$"
        ):
            calibrate(name, 0.5, 0.0, [50, 60])


def test_where_no_sigma_will_do_the_sentence_names_the_class_and_what_is_needed():
    found = r"class {} has {} labels; with {} or more in every class it has; merge classes, or allow a larger ε or δ$"
    for name, needed in (("dirichlet local", 83), ("dirichlet published", 171)):
        with pytest.raises(NoSuchNoise, match=found.format(1, 50, needed)):
            calibrate(name, 0.05, 1e-4, PAPER)
        calibrate(name, 0.05, 1e-4, [needed, needed, 9999])
        with pytest.raises(NoSuchNoise, match=found.format(2, needed - 1, needed)):
            calibrate(name, 0.05, 1e-4, [needed, needed - 1, needed])
    with pytest.raises(NoSuchNoise, match=r"n_min = 50 at ε = 0.05, δ = 0.0001: it needs n_min ≥ 83; merge classes"):
        calibrate("dirichlet public", 0.05, 1e-4, PAPER, 50)
    calibrate("dirichlet public", 0.05, 1e-4, [83, 84, 99], 83)
    assert issubclass(NoSuchNoise, ValueError)


def test_an_empty_list_of_sets_is_calibrated_or_refused_in_words():
    for name in RELEASES:
        said = "counts"
        try:
            calibrate(name, 0.3, 0.05, np.ones((0, 3)), 50)
        except ValueError as refused:
            said = str(refused)
        assert "counts" in said, name


# --- the spec's figures ------------------------------------------------------------------------


# --- an audit ----------------------------------------------------------------------------------

DRAWS = 300_000


def excess(mechanism, epsilon, counts, neighbour, statistic, seed=0):
    """max over t of P(T > t) − e^ε P′(T > t), T of a release of `counts` or of its neighbour, and its standard error.

    The thresholds come from draws of their own, so that none is chosen by the draws that are counted.
    """
    draw = rng(seed)
    pilot, p, q = (
        statistic(mechanism.randomise(np.tile(of, (n, 1)), draw))
        for of, n in ((counts, 20_000), (counts, DRAWS), (neighbour, DRAWS))
    )
    best = (-math.inf, 0.0)
    for t in np.quantile(pilot, np.linspace(0.002, 0.998, 60)):
        above, neighbours = (p >= t).mean(), (q >= t).mean()
        variance = above * (1 - above) + math.exp(2 * epsilon) * neighbours * (1 - neighbours)
        best = max(best, (above - math.exp(epsilon) * neighbours, math.sqrt(variance / DRAWS)))
    return best


def difference(theta):
    return theta[:, 0] - theta[:, 1]


def log_ratio(theta):
    return np.log(theta[:, 0]) - np.log(theta[:, 1])


AUDITS = {
    "laplace published": (0.5, 0.05, [300, 300, 400], difference, 0.5),
    "laplace tight": (0.5, 0.05, [300, 300, 400], difference, 0.5),
    "gaussian published": (0.5, 0.05, [300, 300, 400], difference, 0.3),
    "gaussian tight": (0.5, 0.05, [300, 300, 400], difference, 0.9),
    "laplace prior": (0.5, 0.05, [2, 0, 0], difference, 0.1),
    "dirichlet published": (0.5, 0.05, [20, 20, 30], log_ratio, 0.5),
    "dirichlet local": (0.5, 0.05, [20, 20, 30], log_ratio, 0.9),
    "dirichlet public": (0.5, 0.05, [21, 20, 30], log_ratio, 0.9),
}


@pytest.mark.parametrize("name", AUDITS)
def test_no_event_tells_neighbours_apart_by_more_than_the_promise(name):
    epsilon, delta, counts, statistic, too_little = AUDITS[name]
    mechanism = calibrate(name, epsilon, delta, counts, 20 if "public" in name else 1)
    neighbour = [counts[0] - 1, counts[1] + 1, *counts[2:]]
    promised = mechanism.delta_at(epsilon)
    found, error = excess(mechanism, epsilon, counts, neighbour, statistic)
    # 60 thresholds: five standard errors are exceeded once in 60,000 audits
    assert found < promised + 5 * error
    assert promised <= delta
    # and noise that is too small is found out
    exposed, error = excess(with_noise(mechanism, too_little), epsilon, counts, neighbour, statistic)
    assert exposed > delta + 5 * error
    if name in ("gaussian tight", "dirichlet public"):  # here T is as good as the whole release
        assert found > promised - 5 * error - 0.002  # between two of 60 quantiles
        hidden, error = excess(with_noise(mechanism, 1.1), epsilon, counts, neighbour, statistic)
        assert hidden < delta - 5 * error


def test_the_audit_finds_the_published_gaussian_out_at_eight():
    """Its formula is proved for ε < 1: at ε = 8 an event exceeds δ = 0.3, and with tight noise none."""
    counts, neighbour = [300, 300, 400], [299, 301, 400]
    for name, sound in (("gaussian published", False), ("gaussian tight", True)):
        found, error = excess(calibrate(name, 8.0, 0.3, counts), 8.0, counts, neighbour, difference)
        assert (found < 0.3 + 5 * error) == sound
