"""The curator's classifier: how far one person moves its weights, and what its noise betrays, from both sides."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import chi, gamma, kstest, norm, uniform
from sklearn.utils.estimator_checks import check_estimator

from privdemo.accounting import gaussian_sigma
from privdemo.estimators import curator
from privdemo.estimators.curator import CuratorLogisticRegression, weight_noise, weight_sensitivity


def weights_of(people, penalty):
    """The optimum for people u = y z, (n, D), by Newton's method."""
    u = np.asarray(people, dtype=float)
    n, size = u.shape

    def loss(w):
        return np.logaddexp(0, -u @ w).mean() + penalty / 2 * w @ w

    def gradient(w):
        return penalty * w - u.T @ expit(-u @ w) / n

    def hessian(w):
        slope = expit(u @ w) * expit(-u @ w)
        return penalty * np.eye(size) + (u.T * slope) @ u / n

    return minimize(loss, np.zeros(size), jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-12}).x


def worst_neighbours(n, penalty):
    """People who hold the weights long, and two who pull them apart where the others leave them free."""

    def length(theta):
        return weights_of([(math.cos(theta), 0, math.sin(theta)), (math.cos(theta), 0, -math.sin(theta))], penalty)[0]

    theta = max(np.linspace(0, 1.5, 16), key=length)
    others = np.array([(math.cos(theta), 0, side * math.sin(theta)) for side in (-1, 1)] * (n // 2))[:-1]
    longest = length(theta)
    c = max(np.linspace(0, 1, 101), key=lambda c: expit(longest * c) * math.sqrt(1 - c * c))
    return [np.vstack((others, (-c, side * math.sqrt(1 - c * c), 0))) for side in (-1, 1)]


@pytest.mark.parametrize("penalty", [0.01, 0.1, 1.0, 20.0])
def test_one_person_moves_the_weights_as_far_as_is_said_and_no_farther(penalty):
    n, rng = 400, np.random.default_rng(0)
    one, other = (weights_of(people, penalty) for people in worst_neighbours(n, penalty))
    said = weight_sensitivity(n, penalty)
    assert 0.97 * said < np.linalg.norm(one - other) <= said
    assert said <= 2.01 / (n * penalty)
    for size, n in ((1, 1), (2, 1), (2, 3), (3, 2)):
        for _ in range(5):
            people = rng.standard_normal((n + 1, size))
            people /= np.linalg.norm(people, axis=1, keepdims=True)
            moved = weights_of(people[1:], penalty) - weights_of(people[:-1], penalty)
            assert np.linalg.norm(moved) <= weight_sensitivity(n, penalty)


@pytest.mark.parametrize("penalty", [0.1, 1.0, 20.0])
def test_a_single_person_moves_the_weights_by_no_more_than_their_diameter(penalty):
    person = np.array([[1.0]])
    moved = np.linalg.norm(weights_of(person, penalty) - weights_of(-person, penalty))
    assert 0.97 * weight_sensitivity(1, penalty) < moved <= weight_sensitivity(1, penalty)


def seen_and_betrayed(noise, centres, event, epsilon):
    """log P/P′ of an event and P − e^ε P′, each with its standard error, from two samples of releases."""
    seen = [event(centre + one) for centre, one in zip(centres, noise, strict=True)]
    p, q = (one.mean() for one in seen)
    n = len(seen[0])
    gap_error = math.sqrt((p * (1 - p) + math.exp(2 * epsilon) * q * (1 - q)) / n)
    return (math.log(p / q), math.sqrt((1 - p) / (p * n) + (1 - q) / (q * n))), (p - math.exp(epsilon) * q, gap_error)


# One person, of whom the weights say as much as they can; two neighbours.
PENALTY = 20.0
ENDS = [np.array([weights_of([(side, 0.0)], PENALTY)[0], 0.0]) for side in (1, -1)]


def test_the_pure_release_betrays_epsilon_and_no_more():
    """Where the release lies beyond one neighbour's weights, as seen from the other's."""
    epsilon, n, rng = 2.0, 400_000, np.random.default_rng(1)
    distance = np.linalg.norm(ENDS[0] - ENDS[1])

    def beyond(released):
        far, near = (np.linalg.norm(released - end, axis=1) for end in ENDS[::-1])
        return far - near > 0.99 * distance

    angle, length = rng.uniform(0, 2 * math.pi, (2, n)), gamma(2).ppf(rng.random((2, n)))
    noise = np.stack((np.cos(angle), np.sin(angle)), axis=2) * length[..., None] / epsilon
    for factor, private in ((1.0, True), (0.93, False)):
        scaled = factor * weight_sensitivity(1, PENALTY) * noise
        (ratio, error), _ = seen_and_betrayed(scaled, ENDS, beyond, epsilon)
        assert (ratio < epsilon) if private else (ratio > epsilon + 3 * error)


def test_the_gaussian_release_betrays_epsilon_and_delta_and_no_more():
    epsilon, delta, n, rng = 1.0, 0.05, 400_000, np.random.default_rng(2)
    distance = ENDS[0][0] - ENDS[1][0]
    sigma, noise = gaussian_sigma(epsilon, delta, weight_sensitivity(1, PENALTY)), rng.standard_normal((2, n, 2))
    for factor, private in ((1.0, True), (0.95, False)):
        bound = epsilon * (factor * sigma) ** 2 / distance
        _, (gap, error) = seen_and_betrayed(
            factor * sigma * noise, ENDS, lambda released, bound=bound: released[:, 0] > bound, epsilon
        )
        assert (gap < delta + 2 * error) if private else (gap > delta + 3 * error)
        assert gap > 0.9 * delta


def test_noise_has_the_distribution_that_the_guarantee_needs():
    rng = np.random.default_rng(3)
    pure = np.array([weight_noise(3, 0.5, 2.0, 0.0, rng) for _ in range(5000)])
    sigma = gaussian_sigma(2.0, 1e-3, 0.5)
    gaussian = np.array([weight_noise(9, 0.5, 2.0, 1e-3, rng) for _ in range(1000)])
    lengths = np.linalg.norm(pure, axis=1)
    for sample, law in ((lengths * 2 / 0.5, gamma(3)), (np.linalg.norm(gaussian, axis=1) / sigma, chi(9))):
        assert kstest(sample, law.cdf).pvalue > 1e-2
        assert kstest(0.95 * sample, law.cdf).pvalue < 1e-4
    assert kstest(pure[:, 1] / lengths, uniform(-1, 2).cdf).pvalue > 1e-2  # so lie points on a sphere in space
    assert np.corrcoef(pure[:, 1], lengths)[0, 1] == pytest.approx(0, abs=0.06)
    assert kstest(gaussian.ravel() / sigma, norm.cdf).pvalue > 1e-2
    assert np.abs(np.corrcoef(gaussian.T) - np.eye(9)).max() < 0.15


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_the_published_weights_are_the_optimum_with_that_noise(delta):
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((60, 4)) + 0.5, rng.integers(2, size=60)
    X[3] = 0
    model = CuratorLogisticRegression(8.0, delta, penalty=0.1, random_state=np.random.default_rng(5)).fit(X, y)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    records = np.hstack((math.sqrt(1 - 0.3**2) * X / np.maximum(lengths, 1e-9), np.where(lengths > 0, 0.3, 1.0)))
    assert np.linalg.norm(records, axis=1) == pytest.approx(1)
    noise = weight_noise(5, model.sensitivity_, 8.0, delta, np.random.default_rng(5))
    expected = weights_of(records * (2 * y[:, None] - 1), 0.1) + noise
    assert model.sensitivity_ == weight_sensitivity(60, 0.1)
    # an optimum within a thousandth of what one person does
    assert np.append(model.coef_, model.intercept_ / 0.3) == pytest.approx(expected, abs=1e-3 * model.sensitivity_)
    assert model.decision_function(X) == pytest.approx(records @ expected, abs=1e-3)
    assert model.predict_proba(X)[:, 1] == pytest.approx(expit(records @ expected), abs=1e-3)


def test_only_public_numbers_choose_the_penalty_and_no_record_is_longer_than_another():
    rng = np.random.default_rng(6)
    X, y = rng.random((50, 6)), np.arange(50) % 2
    first = CuratorLogisticRegression(2.0, 1e-3, random_state=0).fit(X, y)
    longer = CuratorLogisticRegression(2.0, 1e-3, random_state=0).fit(X * rng.uniform(1, 9, (50, 1)), y)
    sparse = CuratorLogisticRegression(2.0, 1e-3, random_state=0).fit(csr_array(X), y)
    for other in (longer, sparse):
        np.testing.assert_allclose(other.coef_, first.coef_, atol=1e-3 * first.sensitivity_)
        np.testing.assert_allclose(other.predict_proba(csr_array(X)), first.predict_proba(X), atol=1e-3)
    assert CuratorLogisticRegression(2.0, 1e-3).fit(rng.random((50, 6)), 1 - y).penalty_ == first.penalty_
    more = CuratorLogisticRegression(2.0, 1e-3).fit(rng.random((500, 6)), np.arange(500) % 2)
    assert more.penalty_ == pytest.approx(first.penalty_ / 10)


@pytest.mark.filterwarnings("ignore:Skipping check")
def test_scikit_learn_takes_it_and_bad_input_is_refused():
    check_estimator(CuratorLogisticRegression())
    X, y = np.eye(3), [0, 1, 0]
    for model, labels, words in (
        (CuratorLogisticRegression(penalty=0.0), y, "penalty must be"),
        (CuratorLogisticRegression(epsilon=0.0), y, "epsilon must be"),
        (CuratorLogisticRegression(delta=0.5), y, "delta must be"),
        (CuratorLogisticRegression(), [0, 1, 2], "two classes, got 3"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(X, labels)


def test_weights_that_are_not_found_are_not_published(monkeypatch):
    monkeypatch.setattr(curator, "minimize", lambda loss, start, **_: type("Found", (), {"x": start + 1.0}))
    with pytest.raises(ArithmeticError, match="no ε holds"):
        CuratorLogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
