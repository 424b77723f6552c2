"""ε and δ of label counts against quadrature, Monte Carlo on whole releases, and brute force over all neighbours."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats
from scipy.special import betaln, gammaln

from privdemo import accounting, limits
from privdemo.accounting import (
    NoSuchNoise,
    dirichlet_delta,
    dirichlet_sigma,
    dirichlet_smallest_count,
    gaussian_counts_sigma,
    laplace_counts_delta,
    laplace_counts_scale,
    moves_away,
    neighbouring_moves,
    public_moves,
    published_dirichlet_delta,
    published_gaussian_counts_sigma,
    published_laplace_counts_scale,
)

EPSILONS = (0.001, 0.01, 0.05, 0.3, 1.0, 5.0, 20.0)
DELTAS = (1e-10, 1e-6, 1e-4, 0.01, 0.05, 0.3)
SWEEP = list(itertools.product(EPSILONS, DELTAS))
BILLION = 10**9


def rng(seed=0):
    return np.random.default_rng(seed)


def gaussian_delta(sigma, epsilon):
    return accounting.gaussian_delta(sigma, epsilon, math.sqrt(2))


def integral(f, points):
    """∫ f from the first of `points` to the last, each piece between two of them by itself."""
    return sum(integrate.quad(f, low, high, epsabs=1e-22, epsrel=1e-9)[0] for low, high in itertools.pairwise(points))


def estimated_delta(losses, epsilon):
    """E[(1 − e^{ε − L})₊] from draws of the loss L, and its standard error."""
    values = np.maximum(0, -np.expm1(epsilon - losses))
    return values.mean(), values.std() / math.sqrt(len(values))


# --- Laplace noise -----------------------------------------------------------------------------


def laplace_delta_by_quadrature(scale, epsilon):
    """E[(1 − e^{ε − L(x) − L(y)})₊] over two independent coordinates that move by 1 each.

    L(x) = (|x − 1| − |x|)/b is constant below 0 and above 1: two atoms, and (0, 1) between them.
    """

    def loss(x):
        return (abs(x - 1) - abs(x)) / scale

    def expected(value, kinks=()):
        def density(x):
            return value(x) * math.exp(-x / scale) / (2 * scale)

        inside = integral(density, sorted({0.0, 1.0, *(k for k in kinks if 0 < k < 1)}))
        return 0.5 * value(-1.0) + 0.5 * math.exp(-1 / scale) * value(2.0) + inside

    def inner(x):
        kink = (1 - scale * (epsilon - loss(x))) / 2  # L(x) + L(y) = ε there
        return expected(lambda y: -math.expm1(min(0.0, epsilon - loss(x) - loss(y))), [kink])

    # the inner kink enters or leaves (0, 1) where L(x) = ε ∓ 1/b
    kinks = [(1 - scale * (epsilon + end / scale)) / 2 for end in (-1, 1)]
    return expected(inner, kinks)


@pytest.mark.parametrize("scale", [0.1, 0.5, 2.0, 40.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999, 1.0, 1.5])
def test_the_laplace_profile_is_two_losses_convolved(scale, share):
    epsilon = share * 2 / scale
    truth = laplace_delta_by_quadrature(scale, epsilon)
    # quadrature of pieces to 1e-9 at worst, of at most 1 in all
    assert laplace_counts_delta(scale, epsilon) == pytest.approx(truth, abs=1e-9)
    if share < 0.9:  # and another scale has another profile
        for wrong in (0.99 * scale, 1.01 * scale):
            assert abs(laplace_counts_delta(wrong, epsilon) - truth) > 1e-5


@pytest.mark.parametrize(("scale", "epsilon"), [(4.0, 0.05), (2.0, 0.3), (1.0, 1.2)])
def test_the_laplace_profile_of_whole_releases(scale, epsilon):
    counts, neighbour = np.array([30, 20, 50, 1]), np.array([30, 19, 50, 2])
    noisy = counts + rng().laplace(scale=scale, size=(400_000, 4))
    losses = (stats.laplace.logpdf(noisy, counts, scale) - stats.laplace.logpdf(noisy, neighbour, scale)).sum(axis=1)
    found, error = estimated_delta(losses, epsilon)
    assert abs(laplace_counts_delta(scale, epsilon) - found) < 5 * error
    for wrong in (0.9 * scale, 1.1 * scale):
        assert abs(laplace_counts_delta(wrong, epsilon) - found) > 5 * error


def test_without_laplace_noise_there_is_no_privacy_and_beyond_two_over_b_no_loss():
    assert laplace_counts_delta(0.0, 20.0) == 1
    for scale in (0.01, 1.0, 1e6):
        assert laplace_counts_delta(scale, 2.001 / scale) == 0
        assert laplace_counts_delta(scale, 1.999 / scale) > 0
        assert laplace_counts_delta(scale, math.inf) == 0


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_laplace_noise_just_meets_its_promise(epsilon, delta):
    scale = laplace_counts_scale(epsilon, delta)
    assert laplace_counts_delta(scale, epsilon) <= delta
    assert laplace_counts_delta(0.98 * scale, epsilon) > delta
    assert scale <= published_laplace_counts_scale(epsilon)


# 0.013 and others: 2/(2/ε) is rounded to one digit above ε
@pytest.mark.parametrize("epsilon", [*EPSILONS, 0.013, 0.41, 0.47, 0.73, 1.46, 3.7])
def test_pure_laplace_noise_is_two_over_epsilon_and_never_fails(epsilon):
    for scale in (published_laplace_counts_scale(epsilon), laplace_counts_scale(epsilon, 0.0)):
        assert scale == pytest.approx(2 / epsilon, rel=1e-12)
        assert laplace_counts_delta(scale, epsilon) == 0
        assert laplace_counts_delta(0.98 * scale, epsilon) > 0


# --- Gaussian noise ----------------------------------------------------------------------------


@pytest.mark.parametrize(("sigma", "epsilon"), [(8.0, 0.05), (2.0, 0.5), (0.8, 2.0)])
def test_the_gaussian_profile_of_whole_releases(sigma, epsilon):
    counts, neighbour = np.array([30, 20, 50, 1]), np.array([31, 20, 50, 0])
    noisy = counts + sigma * rng().standard_normal((400_000, 4))
    losses = (((noisy - neighbour) ** 2 - (noisy - counts) ** 2) / (2 * sigma**2)).sum(axis=1)
    found, error = estimated_delta(losses, epsilon)
    assert abs(gaussian_delta(sigma, epsilon) - found) < 5 * error
    for wrong in (0.9 * sigma, 1.1 * sigma):
        assert abs(gaussian_delta(wrong, epsilon) - found) > 5 * error


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_gaussian_noise_just_meets_its_promise(epsilon, delta):
    sigma = gaussian_counts_sigma(epsilon, delta)
    assert gaussian_delta(sigma, epsilon) <= delta
    assert gaussian_delta(0.98 * sigma, epsilon) > delta


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_published_gaussian_noise_meets_its_promise_below_one_but_not_at_twenty(epsilon, delta):
    sigma = published_gaussian_counts_sigma(epsilon, delta)
    assert sigma == pytest.approx(2 * math.sqrt(math.log(1.25 / delta)) / epsilon, rel=1e-14)
    if epsilon < 1:
        assert gaussian_delta(sigma, epsilon) <= delta
        assert sigma > gaussian_counts_sigma(epsilon, delta)
    if epsilon == 20:
        assert gaussian_delta(sigma, epsilon) > 3 * delta  # proved for ε < 1 only, and void here


# --- scaled Dirichlet: one move ----------------------------------------------------------------


def log_density(h, p, q):
    """log density of h = log B/(1 − B) − log p/q for B ~ Beta(p, q), short of a constant; 0 at h = 0."""
    if p > q:
        return log_density(-h, q, p)
    share = p / (p + q)
    if h < 30:
        return p * h - (p + q) * math.log1p(share * math.expm1(h))
    return p * h - (p + q) * (h + math.log(share) + math.log1p((1 - share) / share * math.exp(-h)))


def log_odds_points(p, q):
    """Where to cut integrals over h: steps that double from half a standard deviation to far out in both tails."""
    step = min(1.0, math.sqrt(1 / p + 1 / q)) / 2

    def side(tail):
        reach = 60 * (1 / tail + 1 / math.sqrt(p) + 1 / math.sqrt(q))
        return step * 2.0 ** np.arange(max(1, math.ceil(math.log2(reach / step))) + 1)

    points = np.concatenate([-side(p), [0.0], side(q), np.arange(-8, 9) - math.log(p / q)])
    return points[(points >= -side(p)[-1]) & (points <= side(q)[-1])]


def by_quadrature(sigma, move, epsilon):
    """P(loss > ε), δ(ε) and the log odds where the loss is ε, without Γ: E[(θ_i/θ_j)^−σ] = 1/Λ is an integral too."""
    a, b = move
    p, q = sigma * a, sigma * b
    centre = math.log(p / q)
    points = log_odds_points(p, q)
    of_neighbour = log_odds_points(p - sigma, q + sigma) + math.log((p - sigma) / (q + sigma)) - centre

    def f(h):
        return math.exp(log_density(h, p, q))

    def back(h):  # f(h) (e^{−σh} − 1)
        if sigma * h > -1:
            return f(h) * math.expm1(-sigma * h)
        return math.exp(log_density(h, p, q) - sigma * h) - f(h)

    mass = integral(f, np.unique(points))
    threshold = (epsilon - math.log1p(integral(back, np.unique(np.concatenate([points, of_neighbour]))) / mass)) / sigma
    beyond = threshold + np.concatenate([[0.0], points[points > 0]])
    beyond = np.unique(np.concatenate([beyond, points[points > threshold]]))
    exceeds = integral(f, beyond) / mass
    delta = integral(lambda h: f(h) * -math.expm1(-sigma * (h - threshold)), beyond) / mass
    return exceeds, delta, threshold + centre


def typical_loss(sigma, move):
    """The standard deviation of the loss where it is nearly Gaussian."""
    return math.sqrt(sigma * (1 / move[0] + 1 / move[1]))


MOVES = [
    *[(2, 1), (3, 2), (2, 5), (5, 2), (51, 50), (50, 51), (50, 800), (800, 50), (1_000_001, 10**6)],
    *[(2, BILLION), (BILLION, 2), (50, BILLION), (BILLION, 50), (10**5, BILLION), (BILLION, 10**5)],
    *[(10**6, BILLION), (BILLION, 10**6), (BILLION, BILLION - 1), (BILLION - 1, BILLION)],
]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 0.1, 1.0, 50.0])
def test_dirichlet_delta_is_the_integral(sigma, move):
    spread = typical_loss(sigma, move)
    for epsilon in {0.05} | {min(20.0, max(0.001, z * spread + spread**2 / 2)) for z in (0.5, 2.5, 5.5)}:
        exceeds, truth, _ = by_quadrature(sigma, move, epsilon)
        found = dirichlet_delta(sigma, move, epsilon)
        # P and e^ε Q agree in up to five digits: of their eleven good ones six remain; 1e-13 is what e^ε Q may lose
        assert found == pytest.approx(truth, rel=1e-5, abs=1e-13)
        # tails of expansions and quadrature
        assert published_dirichlet_delta(sigma, move, epsilon) == pytest.approx(exceeds, abs=1e-7)
        if 1e-8 < truth < 0.99 and sigma > 0.01:  # smaller σ are near the limit, where σ hardly matters
            for wrong in (0.99 * sigma, 1.01 * sigma):
                assert dirichlet_delta(wrong, move, epsilon) != pytest.approx(truth, rel=1e-4)


@pytest.mark.parametrize("level", [-20, -28, -32, -34, -35, -36, -36.5, -37, -38, -39, -39.9, -40.1, -45, -60, -2000])
@pytest.mark.parametrize("move", [(2, 1000), (3, 17), (10, 10**4), (50, BILLION)])
def test_dirichlet_delta_where_a_share_would_round_to_one(level, move):
    """A label leaves the smaller class: Λ e^ε < 1, and the log odds (ε + log Λ)/σ lie far below 0."""
    a, b = move
    epsilon = 0.1 / a

    def level_at(log_sigma):
        after = gammaln(np.array([a - 1, b + 1]) * math.exp(log_sigma)).sum()
        return (epsilon - after + gammaln(np.array([a, b]) * math.exp(log_sigma)).sum()) / math.exp(log_sigma)

    sigma = math.exp(optimize.brentq(lambda log_sigma: level_at(log_sigma) - level, -15, 1))
    exceeds, truth, seen = by_quadrature(sigma, move, epsilon)
    assert abs(seen - level) < 0.01  # the case is what it is meant to be
    assert 0.001 < truth < exceeds < 0.99
    # betainc has eleven digits at least; its argument has as many
    assert dirichlet_delta(sigma, move, epsilon) == pytest.approx(truth, rel=1e-6)
    assert published_dirichlet_delta(sigma, move, epsilon) == pytest.approx(exceeds, rel=1e-6)


@pytest.mark.parametrize(
    ("sigma", "move", "epsilon"),
    [
        # Beta parameters on both sides of 10⁷, from which on tails are computed in another way
        (0.6285614398329367, (15909344, 16737489), 0.0012853514947111736),
        (0.5916306267624125, (19603793, 16902438), 0.0011461354972783064),
        (1e7 / 19_999_999.5, (20_000_000, 20_000_000), 0.001),
    ],
)
def test_dirichlet_delta_does_not_jump_where_its_method_changes(sigma, move, epsilon):
    truth = by_quadrature(sigma, move, epsilon)[1]
    assert truth > 5e-11
    # 0.01 % of δ, a hundredth of what 2 % of noise make
    assert dirichlet_delta(sigma, move, epsilon) == pytest.approx(truth, rel=1e-4, abs=0)


@pytest.mark.parametrize("sigma", [0.011, 0.02, 0.028])
def test_far_out_in_the_tail_of_huge_counts_delta_is_nothing(sigma):
    # ε is more than 10⁴ standard deviations of the loss
    for epsilon in (10.0, 20.0):
        assert dirichlet_delta(sigma, (BILLION, BILLION - 1), epsilon) == 0
        assert published_dirichlet_delta(sigma, (BILLION, BILLION - 1), epsilon) == 0


def log_odds_density(u, p, q):
    """log density of u = log B/(1 − B), B ~ Beta(p, q)."""
    return p * u - (p + q) * np.logaddexp(0, u) - betaln(p, q)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("move", [(2, 1), (4, 2), (3, 9), (30, 25)])
def test_both_directions_are_integrals_of_two_beta_densities(sigma, move):
    a, b = move
    epsilon, before, after = 0.4, (sigma * a, sigma * b), (sigma * (a - 1), sigma * (b + 1))
    for f, g, way, up in ((before, after, move, 1), (after, before, (b + 1, a - 1), -1)):

        def excess(u, f=f, g=g):
            return math.exp(log_odds_density(u, *f)) - math.exp(epsilon + log_odds_density(u, *g))

        # the density ratio is monotone in u
        crossing = optimize.brentq(
            lambda u, f=f, g=g: log_odds_density(u, *f) - epsilon - log_odds_density(u, *g), -200, 200, xtol=1e-13
        )
        steps = np.concatenate([[0], 2.0 ** np.arange(-4, 9)])
        truth = up * integral(excess, crossing + up * steps)
        # brentq's xtol moves the end, where the integrand is 0; beyond it are e^{−0.3 · 256}
        assert dirichlet_delta(sigma, way, epsilon) == pytest.approx(truth, rel=1e-8, abs=1e-12)
        for wrong in (0.99 * sigma, 1.01 * sigma):
            assert dirichlet_delta(wrong, way, epsilon) != pytest.approx(truth, rel=1e-4)


def dirichlet_losses(sigma, counts, neighbour, n=400_000):
    """log f₀/f_ij of whole releases, by the Dirichlet densities of all classes."""
    alpha, beta = sigma * np.asarray(counts), sigma * np.asarray(neighbour)
    log_theta = np.log(rng(7).dirichlet(alpha, n))
    constant = gammaln(beta).sum() - gammaln(alpha).sum()  # the sum of counts is the same
    return log_theta @ (alpha - beta) + constant


@pytest.mark.parametrize("sigma", [0.5, 2.0])
@pytest.mark.parametrize(
    ("counts", "neighbour", "move"),
    [
        ((6, 4, 9, 30), (5, 5, 9, 30), (6, 4)),
        ((5, 5, 9, 30), (6, 4, 9, 30), (5, 5)),
        ((6, 4, 9, 30), (6, 5, 9, 29), (30, 4)),
        ((6, 2, 9, 30), (6, 1, 9, 31), (2, 30)),
    ],
)
def test_dirichlet_profile_and_published_criterion_of_whole_releases(sigma, counts, neighbour, move):
    losses = dirichlet_losses(sigma, counts, neighbour)
    epsilon = 0.5 * typical_loss(sigma, move)
    found, error = estimated_delta(losses, epsilon)
    exceeds = (losses > epsilon).mean()
    exceeds_error = math.sqrt(exceeds * (1 - exceeds) / len(losses))
    assert abs(dirichlet_delta(sigma, move, epsilon) - found) < 5 * error
    assert abs(published_dirichlet_delta(sigma, move, epsilon) - exceeds) < 5 * exceeds_error
    for wrong in (0.85 * sigma, 1.15 * sigma):
        assert abs(dirichlet_delta(wrong, move, epsilon) - found) > 5 * error
    for wrong in (0.7 * epsilon, 1.3 * epsilon):
        assert abs(published_dirichlet_delta(sigma, move, wrong) - exceeds) > 5 * exceeds_error


def vanishing_sigma(move, epsilon):
    """P(X > x) and δ(ε) for σ → 0: the loss is X + x₀, X a difference of exponentials of means 1/b and 1/a."""
    a, b = move
    x = epsilon + math.log((a - 1) * (b + 1) / (a * b))

    def tail(a, b):
        return a / (a + b) * math.exp(-b * x) if x >= 0 else 1 - b / (a + b) * math.exp(a * x)

    return tail(a, b), tail(a, b) - math.exp(epsilon) * tail(a - 1, b + 1)


@pytest.mark.parametrize("move", [(2, 1), (3, 2), (2, 700), (51, 50), (50, 700), (700, 50), (10**4, 10**4)])
@pytest.mark.parametrize("sigma", [1e-9, 1e-12, 1e-15])
def test_dirichlet_delta_as_sigma_vanishes(sigma, move):
    for epsilon in (0.001, 0.02, 0.5):
        exceeds, truth = vanishing_sigma(move, epsilon)
        # Γ at σ · 10⁴ departs by that much from its pole; (ε + log Λ)/σ of logs up to 35 has fourteen digits, times 10⁴
        assert dirichlet_delta(sigma, move, epsilon) == pytest.approx(truth, rel=1e-5, abs=1e-11)
        assert published_dirichlet_delta(sigma, move, epsilon) == pytest.approx(exceeds, rel=1e-5, abs=1e-11)
        if truth > 1e-6:
            assert dirichlet_delta(sigma, move, 1.01 * epsilon + 1e-4) < truth * (1 - 1e-5)
            assert dirichlet_delta(sigma, move, 0.99 * epsilon - 1e-4) > truth * (1 + 1e-5)
    # the spec's case: no σ helps at ε = 0.02 and counts of 50
    assert published_dirichlet_delta(sigma, (50, 50), 0.02) == pytest.approx(0.188, abs=5e-3)


@pytest.mark.parametrize("sigma", [1e-6, 0.5, 50.0])
def test_an_empty_class_before_or_after_gives_itself_away(sigma):
    for move in ((1, 5), (1, 0), (5, 0), (1, 1), (0, 3)):
        assert dirichlet_delta(sigma, move, 20.0) == 1
        assert published_dirichlet_delta(sigma, move, 20.0) == 1
    # and the emptied class does so in whole releases: its share is 0 under one and never under the other
    assert 0 < dirichlet_delta(sigma, (2, 1), 1.0) < 1


@given(
    sigma=st.floats(1e-6, 50),
    a=st.integers(2, 10**6),
    b=st.integers(1, 10**6),
    epsilon=st.floats(0.001, 20),
)
def test_a_profile_is_a_decreasing_probability_below_the_published_one(sigma, a, b, epsilon):
    found, later = (dirichlet_delta(sigma, (a, b), e) for e in (epsilon, 1.1 * epsilon))
    # eleven digits of tails that agree
    assert 0 <= later <= found + 1e-10
    assert found <= published_dirichlet_delta(sigma, (a, b), epsilon) + 1e-10 <= 1 + 2e-10
    # losing at least ε₁ costs (1 − e^{ε − ε₁}) each time
    exceeds = published_dirichlet_delta(sigma, (a, b), 1.1 * epsilon)
    assert found >= -math.expm1(-0.1 * epsilon) * exceeds - 1e-10


# --- the worst move ----------------------------------------------------------------------------


def all_moves(counts, both_ways=True):
    """(a, b) of every neighbour of `counts`, and back."""
    moves = []
    for a, b in itertools.permutations(counts, 2):
        moves += [(a, b), (b + 1, a - 1)] if both_ways else [(a, b)]
    return moves


counts_of_any_size = st.integers(2, 8).flatmap(
    lambda c: st.lists(st.one_of(st.integers(1, 6), st.integers(1, 100), st.integers(1, 10**6)), min_size=c, max_size=c)
)


@given(counts=counts_of_any_size, sigma=st.floats(-6, 1.7), z=st.floats(0, 5))
def test_the_two_smallest_classes_have_the_worst_neighbours(counts, sigma, z):
    sigma = 10**sigma
    worst = typical_loss(sigma, sorted(counts)[:2])
    epsilon = min(20.0, max(0.001, z * worst))
    over_all = max(dirichlet_delta(sigma, move, epsilon) for move in all_moves(counts))
    found = max(dirichlet_delta(sigma, move, epsilon) for move in neighbouring_moves(counts))
    # eleven digits of tails that agree
    assert found == pytest.approx(over_all, rel=1e-6, abs=1e-11)
    assert set(neighbouring_moves(counts)) <= set(all_moves(counts))
    assert set(moves_away(counts)) <= set(all_moves(counts, both_ways=False))


@pytest.mark.parametrize("n_min", [1, 2, 3, 10, 50])
def test_among_counts_of_n_min_the_worst_move_is_the_public_one(n_min):
    assert public_moves(n_min) == ((n_min + 1, n_min),)
    (public,) = public_moves(n_min)
    more = [0, 1, 2, 5, 20, 100, 1000]
    for sigma in np.geomspace(1e-6, 50, 9):
        spread = typical_loss(sigma, public)
        for epsilon in (0.001, 0.05, 1.0, 0.5 * spread, 3 * spread):
            # rows: a grows; columns: b grows
            grid = np.array([[dirichlet_delta(sigma, (n_min + 1 + i, n_min + j), epsilon) for j in more] for i in more])
            # eleven digits of tails that agree
            slack = 1e-11 + 1e-7 * grid
            assert grid.max() <= grid[0, 0] + slack[0, 0]
            assert (np.diff(grid, axis=0) <= slack[1:]).all()
            assert (np.diff(grid, axis=1) <= slack[:, 1:]).all()


def test_no_other_move_would_do_for_n_min():
    sigma, epsilon, n = 1.0, 0.3, 5
    worst = dirichlet_delta(sigma, (n + 1, n), epsilon)
    for other in ((n + 2, n), (n + 1, n + 1), (n, n + 1)):
        assert (dirichlet_delta(sigma, other, epsilon) > worst) == (min(other[0] - 1, other[1]) < n)


@pytest.mark.parametrize("move", [m for m in MOVES if m[0] >= m[1]] + [(2, 1000), (10, 10**4)])
def test_delta_grows_with_sigma(move):
    sigmas = np.geomspace(1e-8, 1e3, 67)
    for epsilon in (0.001, 0.05, min(20.0, 10 * typical_loss(1.0, move))):
        deltas = np.array([dirichlet_delta(sigma, move, epsilon) for sigma in sigmas])
        # huge parameters keep five digits
        assert (np.diff(deltas) >= -1e-5 * deltas[1:] - 1e-12).all()
        assert deltas[-1] > deltas[0]


def published_over(moves, sigma, epsilon):
    return max(published_dirichlet_delta(sigma, move, epsilon) for move in moves)


@given(counts=counts_of_any_size.filter(lambda counts: min(counts) > 1), sigma=st.floats(-6, 1.7), z=st.floats(0, 5))
def test_the_published_criterion_is_worst_for_the_two_smallest_where_it_is_small(counts, sigma, z):
    sigma = 10**sigma
    epsilon = min(20.0, max(0.001, z * typical_loss(sigma, sorted(counts)[:2])))
    found = published_over(moves_away(counts), sigma, epsilon)
    # as σ → 0 it is not from 0.127 on, for counts of 2 and many: 1 − y/4 = 4/(9y) with y = e^{2ε}
    if found < 0.12:
        over_all = published_over(all_moves(counts, both_ways=False), sigma, epsilon)
        assert found == pytest.approx(over_all, rel=1e-6, abs=1e-11)


@pytest.mark.parametrize(
    ("counts", "sigma", "epsilon"),
    [
        ((39, 107, 1380), 4.367996143740201e-06, 0.020068509910832914),
        ((10, 37, 50, 3546), 0.003380408317079205, 0.08502937426580758),
        ((3, 9, 38, 43), 0.011858243716204838, 0.3235090199559857),
        ((3, 19, 21), 1.082706420842645e-05, 0.34678778655766856),
    ],
)
def test_the_published_criterion_is_worst_among_the_two_smallest_and_the_largest(counts, sigma, epsilon):
    found = published_over(moves_away(counts), sigma, epsilon)
    assert found < limits.RELEASE_DELTA.high
    assert found == pytest.approx(published_over(all_moves(counts, both_ways=False), sigma, epsilon), rel=1e-6)


@pytest.mark.parametrize("counts", [(2, 2), (2, 55), (6, 11543), (50, 50), (50, 800)])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.1587, 0.3])
def test_by_the_published_criterion_no_larger_sigma_will_do_though_it_may_fall_with_sigma(counts, delta):
    sigmas, moves = np.geomspace(1e-8, 1e6, 281), moves_away(counts)
    for epsilon in (0.02, 0.6065, 2.0):
        allowed = [sigma for sigma in sigmas if published_over(moves, sigma, epsilon) <= delta]
        if allowed:
            found = dirichlet_sigma(epsilon, delta, moves, published_dirichlet_delta)
            assert published_over(moves, found, epsilon) <= delta
            assert found >= max(allowed) * (1 - 1e-9)


# --- calibration -------------------------------------------------------------------------------

COUNTS = ((50, 50, 50, 50, 800), (50, 237, 238), (2, 3), (1000, 2000, 10**6), (BILLION, BILLION))


@pytest.mark.parametrize("n_min", [1, 3, 50, 1000, 10**6, BILLION - 1])
@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_dirichlet_noise_just_meets_its_promise(epsilon, delta, n_min):
    moves = public_moves(n_min)
    (limit,) = {vanishing_sigma(move, epsilon)[1] for move in moves}
    if limit > delta:
        with pytest.raises(NoSuchNoise, match=f"no σ meets ε = {epsilon:g}, δ = {delta:g} with counts of {n_min}$"):
            dirichlet_sigma(epsilon, delta, moves)
        return
    sigma = dirichlet_sigma(epsilon, delta, moves)
    assert dirichlet_delta(sigma, moves[0], epsilon) <= delta
    # its noise is ∝ 1/√σ: this is 0.05 % less
    assert dirichlet_delta(1.001 * sigma, moves[0], epsilon) > delta


# at Beta parameters of 10¹⁹ the density itself has six digits only
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize(
    ("n_min", "epsilon", "delta"),
    [
        *[(50, 0.05, 0.05), (3, 1.0, 0.01), (1, 5.0, 0.3), (10**6, 0.001, 1e-10), (10**6, 0.05, 1e-4)],
        *[(BILLION - 1, 0.001, 1e-10), (BILLION - 1, 0.05, 1e-4), (BILLION - 1, 20.0, 0.3), (10**8, 20.0, 1e-10)],
    ],
)
def test_the_promise_is_met_by_quadrature_too(n_min, epsilon, delta):
    (move,) = public_moves(n_min)
    sigma = dirichlet_sigma(epsilon, delta, [move])
    # huge parameters keep five digits
    assert by_quadrature(sigma, move, epsilon)[1] <= delta * (1 + 1e-5)
    assert by_quadrature(1.001 * sigma, move, epsilon)[1] > delta


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("profile", [dirichlet_delta, published_dirichlet_delta])
def test_sigma_for_given_counts_is_the_largest_over_all_neighbours(counts, profile):
    exact = profile is dirichlet_delta
    chosen = neighbouring_moves(counts) if exact else moves_away(counts)
    every = all_moves(counts, both_ways=exact)
    found = 0
    for epsilon, delta in itertools.product((0.01, 0.05, 1.0, 20.0), (1e-10, 1e-4, 0.05, 0.1)):
        try:
            sigma = dirichlet_sigma(epsilon, delta, chosen, profile)
        except NoSuchNoise:
            assert max(profile(1e-9, move, epsilon) for move in every) > delta
            continue
        found += 1
        # last digits of other neighbours
        assert max(profile(sigma, move, epsilon) for move in every) <= delta * (1 + 1e-6)
        for more in (1.001, 1.02, 2, 10, 1000):
            assert max(profile(more * sigma, move, epsilon) for move in every) > delta
    assert found or min(counts) <= 2


@pytest.mark.parametrize(("counts", "epsilon", "delta"), [((2, 55), 0.6065038365321566, 0.1587)])
def test_a_sigma_is_found_wherever_there_is_one(counts, epsilon, delta):
    """The published criterion falls, before it rises: some σ meets it though the smallest does not."""
    sigmas = np.geomspace(1e-9, 10, 400)
    meets = np.array([published_over(moves_away(counts), sigma, epsilon) <= delta for sigma in sigmas])
    assert meets.any()
    sigma = dirichlet_sigma(epsilon, delta, moves_away(counts), published_dirichlet_delta)
    assert sigma >= sigmas[meets].max()


def test_choosing_sigma_from_the_counts_leaks():
    counts, neighbour = (50, 50, 50, 50, 800), (49, 51, 50, 50, 800)
    sigma = dirichlet_sigma(0.05, 0.05, neighbouring_moves(counts))

    def worst(of):
        return max(dirichlet_delta(sigma, move, 0.05) for move in all_moves(of))

    assert worst(counts) == pytest.approx(0.05, abs=1e-9)
    assert worst(neighbour) == pytest.approx(0.0504, abs=5e-5)  # as the spec has it, to its four digits
    public = dirichlet_sigma(0.05, 0.05, public_moves(49))
    assert public < sigma
    covered = [move for of in (counts, neighbour) for move in all_moves(of) if move[0] > 49 <= move[1]]
    assert max(dirichlet_delta(public, move, 0.05) for move in covered) <= 0.05


@pytest.mark.parametrize(("epsilon", "delta"), [*SWEEP, (1.0, 1e-300), (0.001, 1e-300)])
def test_the_smallest_count_is_the_smallest(epsilon, delta):
    n = dirichlet_smallest_count(epsilon, delta)
    # Γ at 10⁻⁹ · n, n up to 10⁶, departs by up to 10⁻³ from its pole; that moves n by less than one in 10⁴
    slack = n // 10_000
    assert vanishing_sigma((n + 1 + slack, n + slack), epsilon)[1] <= delta
    dirichlet_sigma(epsilon, delta, public_moves(n))
    if n > 1:
        assert n - 1 - slack < 1 or vanishing_sigma((n - slack, n - 1 - slack), epsilon)[1] > delta
        with pytest.raises(NoSuchNoise):
            dirichlet_sigma(epsilon, delta, public_moves(n - 1))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.05, 1e-4), (0.3, 1e-6), (1.0, 0.05), (0.01, 0.2), (20.0, 0.3)])
@pytest.mark.parametrize(
    ("of_both", "profile"), [(neighbouring_moves, dirichlet_delta), (moves_away, published_dirichlet_delta)]
)
def test_the_smallest_count_of_equal_counts(epsilon, delta, of_both, profile):
    n = dirichlet_smallest_count(epsilon, delta, lambda n: of_both((n, n)), profile)
    possible = []
    for count in range(1, n + 20):
        try:
            dirichlet_sigma(epsilon, delta, of_both((count, count)), profile)
            possible.append(count)
        except NoSuchNoise:
            pass
    assert possible == list(range(n, n + 20))


@pytest.mark.parametrize(
    "calibrated",
    [
        published_gaussian_counts_sigma,
        gaussian_counts_sigma,
        lambda epsilon, delta: dirichlet_sigma(epsilon, delta, public_moves(50)),
        laplace_counts_scale,
    ],
)
def test_what_is_out_of_range_is_refused(calibrated):
    for epsilon in (0.0009, 20.1, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"^epsilon must be in \[0.001, 20\], got {epsilon:.10g}; "):
            calibrated(epsilon, 0.05)
    for delta in (0.31, -0.1, math.nan):
        with pytest.raises(ValueError, match=rf"^delta must be in \[0, 0.3\], got {delta:.10g}; "):
            calibrated(1.0, delta)
    if calibrated is not laplace_counts_scale:
        with pytest.raises(ValueError, match=r"^delta must be above 0 for .*never meets δ = 0; use Laplace noise$"):
            calibrated(1.0, 0.0)


def test_n_min_out_of_range_is_refused():
    for n_min in (0, -3, 2.5, BILLION + 1):
        with pytest.raises(ValueError, match=rf"^n_min must be a whole number in \[1, 1000000000\], got {n_min}; "):
            public_moves(n_min)


def test_a_scale_that_is_none_has_no_delta():
    for sigma in (0.0, -1.0, math.nan):
        for profile in (dirichlet_delta, published_dirichlet_delta):
            with pytest.raises(ValueError, match="sigma must be in"):
                profile(sigma, (3, 2), 0.5)
