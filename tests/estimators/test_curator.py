"""The curator's classifier: how far one person moves its weights, and what its noise betrays, from both sides."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import chi, gamma, kstest, norm, uniform
from sklearn.utils.estimator_checks import check_estimator

from privdemo.accounting import gaussian_sigma, perturbed_objective_sigma
from privdemo.estimators import curator
from privdemo.estimators.curator import CuratorLogisticRegression, best_rule, weight_noise, weight_sensitivity
from tests.benchmarks import bench_curator
from tests.documents import ROOT


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
    for rule in ("output", "objective", "gradient"):
        check_estimator(CuratorLogisticRegression(rule=rule))
    X, y = np.eye(3), [0, 1, 0]
    for model, labels, words in (
        (CuratorLogisticRegression(penalty=0.0), y, "penalty must be"),
        (CuratorLogisticRegression(epsilon=0.0), y, "epsilon must be"),
        (CuratorLogisticRegression(delta=0.5), y, "delta must be"),
        (
            CuratorLogisticRegression(rule="input"),
            y,
            "rule must be one of output, objective, gradient, best, got 'input'",
        ),
        (CuratorLogisticRegression(dimensions=1), y, "dimensions must be a whole number in"),
        (CuratorLogisticRegression(0.1, penalty=1e-4, rule="objective"), y, "penalty must be above 0.801 where"),
        (CuratorLogisticRegression(0.1, 1e-6, penalty=1e-4, rule="objective"), y, "penalty must be above 0.801 where"),
        (CuratorLogisticRegression(), [0, 1, 2], "two classes, got 3"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(X, labels)


def test_weights_that_are_not_found_are_not_published(monkeypatch):
    monkeypatch.setattr(curator, "minimize", lambda loss, start, **_: type("Found", (), {"x": start + 1.0}))
    for rule in ("output", "objective"):
        with pytest.raises(ArithmeticError, match="no ε holds"):
            CuratorLogisticRegression(rule=rule).fit(np.eye(4), [0, 1, 0, 1])


# --- noise on the objective and on gradients ----------------------------------------------------------------------


def clipped_weights_of(people, penalty, tilt):
    """The exact minimiser of Σ ℓ(w·u) + (nλ/2) ‖w‖² + tilt·w with gradients of at most ½, by Newton's method."""
    u = np.asarray(people, dtype=float)
    n, size = u.shape
    w = -tilt / (n * penalty)
    for _ in range(200):
        m = u @ w
        slope = n * penalty * w + tilt - u.T @ np.minimum(expit(-m), 0.5)
        curved = n * penalty * np.eye(size) + (u.T * np.where(m > 0, expit(m) * expit(-m), 0)) @ u
        step = np.linalg.solve(curved, slope)
        w = w - (step if np.linalg.norm(slope) < 1e-3 else step / 2)
    assert np.linalg.norm(slope) < 1e-9
    return w


def people_of(X, y):
    """The records of length 1 times their classes."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return np.hstack((math.sqrt(1 - 0.3**2) * X / lengths, np.full((len(X), 1), 0.3))) * (2 * y[:, None] - 1)


def two_classes(n=60, size=4, seed=4):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.standard_normal((n, size)) + 0.7 * y[:, None], y


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("penalty", [0.05, 2.0])
def test_the_objective_is_tilted_by_noise_and_its_minimiser_gets_a_little_more(delta, penalty):
    X, y = two_classes()
    epsilon = 2.0
    model = CuratorLogisticRegression(
        epsilon, delta, penalty=penalty, rule="objective", random_state=np.random.default_rng(5)
    ).fit(X, y)
    rng = np.random.default_rng(5)
    if delta:
        tilt = perturbed_objective_sigma(0.99 * epsilon, 0.99 * delta, 60, penalty) * rng.standard_normal(5)
    else:
        tilt = weight_noise(5, 1.0, 0.99 * epsilon - math.log1p(0.25 / (60 * penalty)), 0.0, rng)
    inexact = 1e-3 / (60 * penalty)  # two neighbours, each as far as a gradient of 5·10⁻⁴ lets it be
    little = weight_noise(5, inexact, 0.01 * epsilon, 0.01 * delta, rng)
    found = np.append(model.coef_, model.intercept_ / 0.3) - little
    exact = clipped_weights_of(people_of(X, y), penalty, tilt)
    assert np.linalg.norm(found - exact) <= inexact / 2
    assert np.linalg.norm(little) < 0.1 * np.linalg.norm(tilt) / (60 * penalty)
    assert model.sensitivity_ == 1
    assert model.penalty_ == penalty


@pytest.mark.parametrize(("delta", "steps"), [(0.0, 1), (1e-3, 10)])
def test_descent_follows_noisy_sums_of_gradients(delta, steps):
    X, y = two_classes()
    model = CuratorLogisticRegression(2.0, delta, rule="gradient", random_state=np.random.default_rng(6)).fit(X, y)
    u, rng, w = people_of(X, y), np.random.default_rng(6), np.zeros(5)
    for _ in range(steps):
        if delta:  # ten sums, each of which one person moves by 1, tell as much as one of √10 times less noise
            noise = math.sqrt(10) * gaussian_sigma(2.0, delta, 1.0) * rng.standard_normal(5)
        else:
            noise = weight_noise(5, 1.0, 2.0, 0.0, rng)
        pulls = np.minimum(expit(-u @ w), 0.5)[:, None] * u
        assert np.linalg.norm(pulls, axis=1).max() <= 0.5 + 1e-12
        w = w + 2 * ((pulls.sum(axis=0) + noise) / 60 - 0.01 * w)
    assert np.append(model.coef_, model.intercept_ / 0.3) == pytest.approx(w)


def test_one_person_moves_a_sum_of_gradients_by_one_at_most():
    rng, worst = np.random.default_rng(7), 0.0
    for _ in range(2000):
        u, other = rng.standard_normal((2, 3))
        u, other = u / np.linalg.norm(u), (-u if rng.random() < 0.5 else other)
        other = other / np.linalg.norm(other)
        w = 10 ** rng.uniform(-3, 3) * rng.standard_normal(3)
        one, two = (min(expit(-v @ w), 0.5) * v for v in (u, other))
        worst = max(worst, np.linalg.norm(one - two))
    assert 0.99 < worst <= 1 + 1e-12


@pytest.mark.parametrize("delta", [0.0, 0.02])
@pytest.mark.parametrize("weights", [curator.perturbed_weights, curator.descended_weights])
def test_a_rule_betrays_no_more_than_epsilon_and_delta(weights, delta):
    """Of one person's class, with two others known: in many fits, at any of forty bounds of a score."""
    epsilon, n, records = 1.0, 800, np.array([[0.8, 0.6]] * 3)
    seen = []
    for last in (-1.0, 1.0):
        signs = np.array([-1.0, 1.0, last])
        found = [
            weights(records, signs, 1.0, epsilon, delta, np.random.default_rng((i, 1 + int(last)))) for i in range(n)
        ]
        seen.append(np.array(found) @ records[0])
    for bound in np.quantile(np.concatenate(seen), np.linspace(0.02, 0.98, 40)):
        for pair in ([(s > bound).mean() for s in seen[::-1]], [(s < bound).mean() for s in seen]):
            error = math.sqrt((pair[0] + math.exp(2 * epsilon) * pair[1]) / n)
            assert pair[0] - math.exp(epsilon) * pair[1] < delta + 4 * error


def test_the_best_rule_depends_on_public_numbers_alone():
    assert best_rule(500, 785, 1.0, 0.0) == ("objective", 31)
    assert best_rule(500, 785, 0.01, 0.0) == ("objective", 10)
    assert best_rule(500, 8, 0.01, 0.0) == ("objective", None)
    assert best_rule(100_000, 785, 1.0, 0.0) == ("objective", None)
    assert best_rule(500, 785, 4.0, 1e-6) == ("objective", None)
    assert best_rule(500, 785, 0.25, 1e-6) == best_rule(500, 8, 1.0, 1e-6) == ("gradient", None)
    assert best_rule(5000, 785, 0.25, 1e-6) == ("objective", None)
    X, y = two_classes(40, 30)
    for epsilon, delta in ((0.5, 0.0), (0.5, 1e-6), (20.0, 1e-3)):
        rule, dimensions = best_rule(40, 31, epsilon, delta)
        best = CuratorLogisticRegression(epsilon, delta, rule="best", random_state=1).fit(X, y)
        same = CuratorLogisticRegression(epsilon, delta, rule=rule, dimensions=dimensions, random_state=1).fit(X, y)
        assert best.rule_ == rule
        assert best.coef_.shape == (1, (dimensions or 31) - 1)
        np.testing.assert_array_equal(best.coef_, same.coef_)
        other = CuratorLogisticRegression(epsilon, delta, rule="best", random_state=1).fit(9 * X[::-1] - 2, y)
        assert (other.rule_, other.penalty_, other.coef_.shape) == (best.rule_, best.penalty_, best.coef_.shape)


def test_projected_records_are_of_length_one_again_and_sparse_ones_are_the_same():
    X, y = two_classes(80, 12)
    X = np.where(np.abs(X) > 0.5, X, 0)
    X[7] = 0
    model = CuratorLogisticRegression(20.0, 1e-3, rule="objective", dimensions=6, random_state=3).fit(X, y)
    assert model.projection_.shape == (12, 5)
    projected = X @ model.projection_
    lengths = np.linalg.norm(projected, axis=1)
    scores = math.sqrt(0.91) * (projected / np.where(lengths > 0, lengths, 1)[:, None]) @ model.coef_[0]
    expected = scores + np.where(lengths > 0, 1, 1 / 0.3) * model.intercept_
    assert model.decision_function(X) == pytest.approx(expected)
    sparse = CuratorLogisticRegression(20.0, 1e-3, rule="objective", dimensions=6, random_state=3).fit(csr_array(X), y)
    assert sparse.decision_function(csr_array(X)) == pytest.approx(model.decision_function(X), abs=1e-3)
    whole = CuratorLogisticRegression(20.0, 1e-3, dimensions=13, random_state=3).fit(X, y)
    np.testing.assert_array_equal(whole.coef_, CuratorLogisticRegression(20.0, 1e-3, random_state=3).fit(X, y).coef_)


@pytest.mark.parametrize("rule", ["objective", "gradient", "best"])
@pytest.mark.parametrize("delta", [0.0, 1e-12, 0.3])
def test_every_rule_has_weights_at_the_ends_of_its_ranges(rule, delta):
    for n, size in ((2, 3), (300, 40)):
        X, y = two_classes(n, size)
        for epsilon in (0.001, 20.0):
            model = CuratorLogisticRegression(epsilon, delta, rule=rule, random_state=0).fit(X, y)
            assert np.isfinite(model.coef_).all()
            assert np.log1p(0.25 / (n * model.penalty_)) <= 0.1001 * epsilon or model.rule_ == "gradient"


@pytest.mark.mnist
def test_the_table_in_the_documents_is_what_the_script_makes(mnist):
    """One row of it; all rows are of the same form."""
    text = (ROOT / "docs/curator.md").read_text(encoding="utf-8")
    people = [bench_curator.people_of("mnist", trial) for trial in range(bench_curator.TRIALS)]
    found = {
        rule: np.array([100 * bench_curator.accuracy(one, rule, 1.0, 0.0) for one in people])
        for rule in ("output", "best")
    }
    cells = [bench_curator._half(marks) for marks in found.values()]
    row = next(line for line in text.splitlines() if line.startswith("| 7 against 9 | 0 | 1 |"))
    assert [row.split(" | ")[3], row.split(" | ")[6].removesuffix(" |")] == cells
    assert f"| {bench_curator._gap(found['best'] - found['output'])} |" in text
    rules = {
        (*key, rule): found["best"]
        for key in itertools.product(bench_curator.DATASETS, bench_curator.DELTAS, bench_curator.EPSILONS)
        for rule in bench_curator.RULES
    }
    for name, made in bench_curator.markdown(rules).items():
        shipped = text.split(f"<!-- table: {name} -->")[1].split("<!-- end -->")[0].strip()
        assert [line.split(" | ")[:3] for line in made.splitlines()] == [
            line.split(" | ")[:3] for line in shipped.splitlines()
        ]
