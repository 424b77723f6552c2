"""Profiles by enumeration, quadrature and fine convolution, without the formulas that the package uses."""

import itertools
import math
from collections import Counter
from functools import cache, reduce

import numpy as np
from scipy import integrate, stats

from privdemo.mechanisms import RandomisedResponse

EPS = np.finfo(float).eps
# Between far-apart losses a profile is flat to more digits than floats have: there a δ cannot be told
# from the plateau beside it, and a cautious ε may lie anywhere along it.
PLATEAU = 1e-12
BILLION = 10**9


def hockey_stick(p, q, epsilon):
    """Σ max(0, P − e^ε Q) over every output, summed exactly."""
    return math.fsum(np.maximum(0.0, np.asarray(p) - math.exp(epsilon) * np.asarray(q)).ravel())


def released(channel, record):
    """The probability of every possible release of `record`, by enumeration."""
    return reduce(np.kron, [channel[:, value] for value in record])


def worst_delta(channel, n_values, epsilon, states):
    """The largest hockey-stick divergence over every ordered pair of records, by enumeration."""
    records = list(itertools.product(range(states), repeat=n_values))
    outputs = [released(channel, record) for record in records]
    return max(hockey_stick(p, q, epsilon) for p in outputs for q in outputs)


def integral(f, points):
    """∫ f from the first of `points` to the last, each piece between two of them by itself."""
    return sum(integrate.quad(f, low, high, epsabs=1e-22, epsrel=1e-9)[0] for low, high in itertools.pairwise(points))


def gaussian_quadrature(sigma, epsilon, sensitivity):
    """∫ (p − e^ε q)₊ dx for N(Δ, σ²) and N(0, σ²); positive right of x* = εσ²/Δ + Δ/2."""
    start = epsilon * sigma**2 / sensitivity + sensitivity / 2
    middle = max(start, sensitivity)

    def integrand(x):
        log_ratio = epsilon - (x * sensitivity - sensitivity**2 / 2) / sigma**2
        return stats.norm.pdf(x, sensitivity, sigma) * -math.expm1(min(0.0, log_ratio))

    return integral(integrand, sorted({start, middle, middle + 3 * sigma, middle + 12 * sigma}))


def laplace_counts_quadrature(scale, epsilon):
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


def dirichlet_quadrature(sigma, move, epsilon):
    """P(loss > ε) and δ(ε), without Γ: E[(θ_i/θ_j)^−σ] = 1/Λ is an integral too."""
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
    return exceeds, delta


def vanishing_sigma(move, epsilon):
    """P(X > x) and δ(ε) for σ → 0: the loss is X + x₀, X a difference of exponentials of means 1/b and 1/a."""
    a, b = move
    x = epsilon + math.log((a - 1) * (b + 1) / (a * b))

    def tail(a, b):
        return a / (a + b) * math.exp(-b * x) if x >= 0 else 1 - b / (a + b) * math.exp(a * x)

    return tail(a, b), tail(a, b) - math.exp(epsilon) * tail(a - 1, b + 1)


def typical_loss(sigma, move):
    """The standard deviation of the loss where it is nearly Gaussian."""
    return math.sqrt(sigma * (1 / move[0] + 1 / move[1]))


def all_moves(counts, both_ways=True):
    """(a, b) of every neighbour of `counts`, and back."""
    moves = []
    for a, b in itertools.permutations(counts, 2):
        moves += [(a, b), (b + 1, a - 1)] if both_ways else [(a, b)]
    return moves


def shuffled(channel, truths):
    """The probability of every multiset of answers of people with these true answers, by enumeration."""
    probs = Counter()
    for answers in itertools.product(range(len(channel)), repeat=len(truths)):
        prob = math.prod(channel[answer, truth] for answer, truth in zip(answers, truths, strict=True))
        probs[tuple(sorted(answers))] += prob
    return probs


@cache
def shuffled_neighbours(local_epsilon, n_states, n_voters):
    """The probabilities of all that can be seen for two truths of one person, for all others' truths and both orders.

    The two are the answers 0 and 1; for two others it is the same, as no answer differs from another.
    """
    channel = RandomisedResponse.from_epsilon(local_epsilon, n_states).channel_matrix
    found = []
    for others in itertools.combinations_with_replacement(range(n_states), n_voters - 1):
        one, other = (shuffled(channel, (*others, own)) for own in (0, 1))
        pair = [np.array([released[seen] for seen in one]) for released in (one, other)]
        found += [pair, pair[::-1]]
    return found


def worst_shuffled(local_epsilon, n_states, n_voters, epsilon):
    """The exact δ(ε) of shuffled answers: the largest hockey-stick divergence of all neighbours, in both directions."""
    return max(hockey_stick(*pair, epsilon) for pair in shuffled_neighbours(local_epsilon, n_states, n_voters))


def two_counts(local_epsilon, n_states, n_voters, epsilon):
    """δ(ε) of the numbers of the two answers that one person may have, if nobody else has either of them.

    That is less than what can be seen, and so never above the exact δ.
    """
    q, n = 1 / (math.exp(local_epsilon) + n_states - 1), n_voters - 1
    low, high = (int(end) for end in stats.binom.ppf([1e-13, 1 - 1e-13], n, q))
    first, second = np.meshgrid(*2 * [np.arange(max(0, low - 2), min(n, high + 2) + 2)], indexing="ij")

    def others(first, second):
        return stats.binom.pmf(first + second, n, 2 * q) * stats.binom.pmf(first, np.maximum(first + second, 0), 0.5)

    likely, neither = math.exp(local_epsilon) * q, (n_states - 2) * q * others(first, second)
    one, other = others(first - 1, second), others(first, second - 1)
    return hockey_stick(likely * one + q * other + neither, q * one + likely * other + neither, epsilon)
