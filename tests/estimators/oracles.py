"""What estimators are held against: definitions in plain loops, enumeration, optimisers, finite differences."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from decimal import Decimal, localcontext

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import softmax

from privdemo.estimators.inputs import EnumeratedInputs, GaussianInputs, KnownInputs
from privdemo.estimators.many_classes import ManyScores, quasi_random
from privdemo.mechanisms import GaussianNoise, RandomisedResponse

Z = 1.959963984540054  # the normal distribution's 97.5 % point


def rng(seed=0):
    return np.random.default_rng(seed)


def peak(work):
    """The most memory in use while `work` runs, in bytes."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def finite_differences(f, at, step=1e-5):
    """Central differences of f in every direction."""
    return np.array([(f(at + move) - f(at - move)) / (2 * step) for move in step * np.eye(len(at))])


def answer_prob(theta, channel):
    """P(answer A) by the law of total probability."""
    return theta * (1 - channel.p01) + (1 - theta) * channel.p10


def share_likelihood(theta, share, channel):
    """Barber's eq. (22): f̃₀ ln p̃(0) + f̃₁ ln p̃(1), with 0 ln 0 = 0."""
    says_a = answer_prob(theta, channel)
    with np.errstate(divide="ignore"):
        return sum(float(f * np.log(p)) for f, p in ((share, says_a), (1 - share, 1 - says_a)) if f)


def reconstruction(theta, share, channel):
    """Barber's J of eq. (36)–(38), by Bayes' rule for each answer, and dJ/dθ by a complex step."""
    t, total = np.asarray(theta) + 1e-40j, 0
    for like_a, like_b, weight in ((1 - channel.p01, channel.p10, share), (channel.p01, 1 - channel.p10, 1 - share)):
        if max(like_a, like_b) > 0:
            posterior = like_a * t / (like_a * t + like_b * (1 - t))
            total = total + weight * (posterior * np.log(t) + (1 - posterior) * np.log(1 - t))
    return np.real(total), np.imag(total) / 1e-40


LOG_ODDS = np.linspace(-25, 25, 5001)


def climb_reconstruction(share, channel):
    """Log-odds of the first level point uphill from where the ascent starts, to a step of `LOG_ODDS`; ±∞ for the ends.

    Where only one grid point is level, and it is uphill again behind it, there is an inflection and no maximum.
    """
    with np.errstate(divide="ignore"):
        start = np.clip(np.log(share) - np.log1p(-share), -25, 25) * (1 if channel.contrast > 0 else -1)
    rising = reconstruction(1 / (1 + np.exp(-LOG_ODDS)), share, channel)[1] > 0
    if reconstruction(1 / (1 + np.exp(-start)), share, channel)[1] > 0:
        stops = LOG_ODDS[(start < LOG_ODDS) & ~rising & ~np.append(rising[1:], False)]
        return stops[0] if len(stops) else math.inf
    stops = LOG_ODDS[(start > LOG_ODDS) & rising & np.append(True, rising[:-1])]
    return stops[-1] if len(stops) else -math.inf


def wilson_half_width(n, p, share):
    """Half the distance of the shares x of answers at which |x − q| = z √(x(1−x)/n), over 1 − 2p.

    With w = z²/n these are the roots of (1+w) x² − (2q+w) x + q² = 0, whose discriminant is w² + 4w q(1−q).
    """
    says_a = share * (1 - p) + (1 - share) * p
    w = Z**2 / n
    return math.sqrt(w**2 + 4 * w * says_a * (1 - says_a)) / (2 * (1 + w)) / (1 - 2 * p)


def mean_log_likelihood(counts, matrix, frequencies):
    """Σ_b f_b ln(channel·π)_b; −∞ where something seen is impossible."""
    shares, expected = counts / counts.sum(), matrix @ frequencies
    seen = shares > 0
    with np.errstate(divide="ignore"):
        return float(shares[seen] @ np.log(expected[seen]))


def likelihood_slopes(counts, matrix, frequencies):
    """The derivative of the mean log-likelihood with respect to every frequency."""
    shares, expected = counts / counts.sum(), matrix @ frequencies
    seen = shares > 0
    return (shares[seen] / expected[seen]) @ matrix[seen]


def one_em_iteration(counts, matrix):
    """From the uniform start: two EM steps, Varadhan & Roland's leap, and a third from the better of the two."""
    shares = counts / counts.sum()

    def step(pi):
        return pi * ((shares / (matrix @ pi)) @ matrix)

    start = np.full(matrix.shape[1], 1 / matrix.shape[1])
    once = step(start)
    twice = step(once)
    r, v = once - start, (twice - once) - (once - start)
    stride = max(np.linalg.norm(r) / np.linalg.norm(v), 1)
    leap = np.maximum(start + 2 * stride * r + stride**2 * v, 1e-12)
    leap /= leap.sum()
    better = mean_log_likelihood(counts, matrix, leap) >= mean_log_likelihood(counts, matrix, once)
    return step(leap) if better else twice


def frequency_deviations(matrix, frequencies, n):
    """Standard deviations of the best unbiased estimate from n observations: the inverse Fisher information.

    One frequency is 1 minus the others.
    """
    k = len(frequencies)
    free = np.vstack((np.eye(k - 1), -np.ones(k - 1)))
    seen = matrix @ free
    information = n * seen.T @ (seen / (matrix @ frequencies)[:, None])
    return np.sqrt(np.diag(free @ np.linalg.inv(information) @ free.T))


def pixel_likelihood(mechanism, released, support):
    """P(released | support) up to a constant factor, from the textbook formula."""
    released = np.asarray(released, dtype=float)
    if isinstance(mechanism, RandomisedResponse):
        p, k = mechanism.flip_prob, mechanism.n_states
        return np.where(released == support, 1 - p, p / (k - 1))
    if isinstance(mechanism, GaussianNoise):
        return np.exp(-((released - support) ** 2) / (2 * mechanism.sigma**2))
    return np.exp(-np.abs(released - support) / mechanism.scale)


def pixel_moments(mechanism, released, prior):
    """E and Var of every clean pixel given `released` (n, d), each (n, d): Bayes' rule over the prior's support."""
    found = []
    for image in released:
        weights = prior.probs * [pixel_likelihood(mechanism, x, prior.support) for x in image]
        weights /= weights.sum(axis=1, keepdims=True)
        mean = weights @ prior.support
        found.append((mean, (weights * np.square(prior.support - mean[:, None])).sum(axis=1)))
    return np.array(found).transpose(1, 0, 2)


INPUTS = ["dense", "sparse", "Gaussian", "Gaussian, same variance for all", "enumerated"]


def some_inputs(kind, n=6, d=4):
    """Inputs of a kind, and the mean (n, d) and covariance (n, d, d) of every value by other means."""
    mean, variance = rng(1).random((n, d)), rng(2).random((n, d))
    known, values, weights = mean * (mean > 0.5), rng(3).random((5, d)), rng(4).dirichlet(np.ones(5), n)
    about = values - (weights @ values)[:, None]
    return {
        "dense": (KnownInputs(mean), mean, np.zeros((n, d, d))),
        "sparse": (KnownInputs(csr_array(known)), known, np.zeros((n, d, d))),
        "Gaussian": (GaussianInputs(mean, variance), mean, variance[:, None] * np.eye(d)),
        INPUTS[3]: (GaussianInputs(mean, variance[:1]), mean, np.tile(np.diag(variance[0]), (n, 1, 1))),
        "enumerated": (
            *(EnumeratedInputs(values, np.log(weights)), weights @ values),
            np.einsum("nq,nqd,nqe->nde", weights, about, about),
        ),
    }[kind]


def class_probs(x, coef, intercept):
    """p(c | x), (..., K), of scores x @ coef + intercept: one score is that of the second of two classes."""
    scores = x @ coef + intercept
    return softmax(scores if scores.shape[-1] > 1 else np.concatenate((0 * scores, scores), axis=-1), axis=-1)


def truths(coef, intercept, rows, image, prior, channel_matrix):
    """Every truth (x, c) of one person: (p(c̃, x̃, c, x), p(x̃, x)/K, p(c | x)), classes within inputs.

    `rows` (K,) is T[c̃ | c] of the label, `image` the released states, `channel_matrix` that of a pixel.
    """
    k = len(prior.support)
    for states in itertools.product(range(k), repeat=len(image)):
        of_x = math.prod(
            prior.probs[d, s] * channel_matrix[z, s] for d, (s, z) in enumerate(zip(states, image, strict=True))
        )
        chances = class_probs(np.array(states) / (k - 1), coef, intercept)
        for row, chance in zip(rows, chances, strict=True):
            yield row * chance * of_x, of_x / len(rows), chance


def bag_log_likelihood(scores, names, proportions, weights):
    """The slides' loss of each bag, negated, and the slopes of their sum: with 50 digits, record by record."""
    with localcontext() as context:
        context.prec = 50
        values, slopes = [], [Decimal(0)] * len(scores)
        p = [1 / (1 + (-Decimal(float(a))).exp()) for a in scores]
        q = [1 / (1 + Decimal(float(a)).exp()) for a in scores]
        for bag, share in enumerate(map(Decimal, map(float, proportions))):
            rows = [i for i, name in enumerate(names) if name == bag]
            size = sum(Decimal(float(weights[i])) for i in rows)
            mean_p, mean_q = (sum(Decimal(float(weights[i])) * r[i] for i in rows) / size for r in (p, q))
            values.append(share * mean_p.ln() + (1 - share) * mean_q.ln())
            for i in rows:
                slopes[i] = Decimal(float(weights[i])) / size * p[i] * q[i] * (share / mean_p - (1 - share) / mean_q)
        return np.array(values, dtype=float), np.array(slopes, dtype=float)


def bag_sizes(bags, weights, n_bags):
    return [sum(w for w, b in zip(weights, bags, strict=True) if b == bag) for bag in range(n_bags)]


def mean_map_loss(a, bags, proportions, weights, X, coef, intercept):
    """Logistic loss with Σ over positives of x from the least-squares class means (Quadrianto et al. 2009)."""
    sizes = bag_sizes(bags, weights, len(proportions))
    means = [
        sum(w * x for w, x, b in zip(weights, X, bags, strict=True) if b == g) / sizes[g] for g in range(len(sizes))
    ]
    design = np.sqrt(sizes)[:, None] * np.stack((1 - proportions, proportions), axis=1)
    positive = np.linalg.lstsq(design, np.sqrt(sizes)[:, None] * np.array(means))[0][1]
    total = sum(w * math.log1p(math.exp(s)) for w, s in zip(weights, a, strict=True))
    return total - sum(m * s for m, s in zip(sizes, proportions, strict=True)) * float(positive @ coef + intercept)


def labelled_loss(scores, labels, weights):
    """The logistic loss of labels in [0, 1]."""
    return weights @ (np.logaddexp(0, scores) - labels * scores)


def svm_loss(w, X, y, C):
    """‖w‖²/2 + C Σ max(0, 1 − y(wᵀx + b))² and its gradient, y ±1, b the last of `w`."""
    hinge = np.maximum(0, 1 - y * (X @ w[:-1] + w[-1]))
    slope = -2 * C * y * hinge
    return w[:-1] @ w[:-1] / 2 + C * hinge @ hinge, np.append(w[:-1] + X.T @ slope, slope.sum())


def best_machine(X, labels, C):
    """The weights of least loss for labels 0 and 1, and that loss: a convex problem."""
    centre = X.mean(axis=0)
    found = minimize(
        svm_loss, np.zeros(X.shape[1] + 1), args=(X - centre, 2 * labels - 1, C), jac=True, options={"gtol": 1e-9}
    )
    return np.append(found.x[:-1], found.x[-1] - centre @ found.x[:-1]), found.fun


def labellings(bags, counts):
    """Every labelling that gives each bag as many positives."""
    each = [itertools.combinations(np.flatnonzero(bags == bag), int(n)) for bag, n in enumerate(counts)]
    for chosen in itertools.product(*each):
        labels = np.zeros(len(bags), dtype=int)
        labels[list(itertools.chain(*chosen))] = 1
        yield labels


def spelt_out(inputs, coef, intercept):
    """The scores (n, q, J) of every person at all nodes, and their log weights (n, q)."""
    nodes = inputs.nodes(coef, intercept)
    if not isinstance(nodes, ManyScores):
        return nodes.scores, nodes.log_weights
    z = quasi_random(coef.shape[1] - 1, nodes.n_nodes)
    scores = nodes.mean.T[:, None] + np.einsum("kcn,qc->nqk", nodes.root, z)
    return scores, np.full((1, len(z)), -np.log(len(z)))


def spelt_out_back(inputs, coef, intercept, d_scores):
    """From derivatives (n, q, J) of the scores that are `spelt_out` those of coef (D, J)."""
    nodes = inputs.nodes(coef, intercept)
    if not isinstance(nodes, ManyScores):
        return nodes.pull_back(d_scores)[0]
    z = quasi_random(coef.shape[1] - 1, nodes.n_nodes)
    d_root = np.einsum("nqk,qc->kcn", d_scores, z)
    return nodes.pull_back(
        d_scores.sum(axis=1).T, d_root.sum(axis=2, keepdims=True) if nodes.root.shape[2] == 1 else d_root
    )[0]
