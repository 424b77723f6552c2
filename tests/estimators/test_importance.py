"""The published EM against its own equations written anew, its bound, and the likelihood that it approaches."""

import numpy as np
import pytest
from scipy.special import softmax

from privdemo.estimators import pixel_priors
from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.pixel_priors import PixelPrior
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from tests.estimators.oracles import class_probs, rng

K, D = 3, 4
PIXELS, FLIPS = RandomisedResponse(0.3, K), BinaryChannel(0.1, 0.2)
FREQUENCIES = np.array([[0.6, 0.25, 0.15], [0.1, 0.3, 0.6], [0.45, 0.1, 0.45], [0.15, 0.7, 0.15]])
PRIOR = PixelPrior(np.arange(K), FREQUENCIES)


def released_people(n=60, n_classes=2, seed=0):
    """States and labels of people who answer by `PIXELS` and by a channel T, which comes third."""
    generator = rng(seed)
    states = (generator.random((n, D, 1)) > FREQUENCIES.cumsum(axis=1)[:, :-1]).sum(axis=2).astype(np.uint8)
    scores = (states / (K - 1) - 0.5) @ (4 * rng(99).normal(size=(D, n_classes)))
    classes = (generator.random((n, 1)) > softmax(scores, axis=1).cumsum(axis=1)[:, :-1]).sum(axis=1)
    channel = FLIPS if n_classes == 2 else RandomisedResponse(0.25, n_classes)
    return PIXELS.randomise(states, generator), channel.randomise(classes, generator), channel


def sampled(channel, prior=PRIOR, **settings):
    return ImportanceSampledLogisticRegression(channel, PIXELS, prior, **settings)


def proposal(channel, y):
    """ρ(c | c̃) of every person, cumulated, (n, K)."""
    rows = channel.channel_matrix[y]
    return (rows / rows.sum(axis=1, keepdims=True)).cumsum(axis=1)


@pytest.mark.parametrize(("n_classes", "learning_rate"), [(2, None), (3, None), (3, 0.7)])
def test_one_step_follows_the_published_equations(n_classes, learning_rate):
    """Weights (59) and gradient (60) of the samples that the estimator itself takes, in plain loops."""
    n, n_samples, C = 7, 5, 2.0
    released, y, channel = released_people(n, n_classes)
    y[:n_classes] = np.arange(n_classes)
    settings = {"n_samples": n_samples, "C": C, "resample": False, "learning_rate": learning_rate}
    one, two = (sampled(channel, n_steps=s, **settings).fit(released, y) for s in (1, 2))
    samples = next(iter(two._sample(released, proposal(channel, y), rng(0))))
    x, gradient, level, bound, norm = samples.X / (K - 1), 0 * one.coef_, 0 * one.intercept_, 0.0, 0.0
    for person in range(n):
        p = class_probs(x[person], one.coef_.T, one.intercept_)
        chosen = p[np.arange(n_samples), samples.y[person]]
        weights = chosen / chosen.sum()
        assert two.effective_sample_size_[person] == pytest.approx(1 / (weights**2).sum(), rel=1e-6)
        bound += np.log(chosen.mean()) / n
        norm += weights @ (x[person] ** 2).sum(axis=1) / n
        for s, c in enumerate(samples.y[person]):
            error = weights[s] * (np.eye(n_classes)[c] - p[s]) / n
            error = error[1:] if n_classes == 2 else error
            gradient += np.outer(error, x[person, s])
            level += error
    rate = learning_rate or 1 / ((0.25 if n_classes == 2 else 0.5) * (norm + 1) + 1 / (C * n))
    # in single precision, relative to entries of size 1
    assert two.bounds_[1] == pytest.approx(bound - (one.coef_**2).sum() / (2 * C * n), abs=1e-6)
    np.testing.assert_allclose(two.coef_ - one.coef_, rate * (gradient - one.coef_ / (C * n)), atol=1e-6)
    np.testing.assert_allclose(two.intercept_ - one.intercept_, rate * level, atol=1e-6)
    assert two.bounds_[0] == pytest.approx(-np.log(n_classes), abs=1e-12)  # weights of 0 call all classes alike
    np.testing.assert_allclose(one.effective_sample_size_, n_samples, rtol=1e-12)
    assert (two.n_iter_, two.C_) == (2, C)


def test_samples_of_a_person_are_truths_that_the_release_allows():
    """(58): T's column rule for classes, and p(x | x̃) for pixels, at the right people beyond one chunk."""
    released, y, channel = released_people(1100)
    fit = sampled(channel, n_samples=4, n_steps=1).fit(released, y)
    assert (fit.effective_sample_size_ == 4).all()
    chances = proposal(channel, y)
    parts = list(fit._sample(released, chances, rng(5)))
    assert [part.people for part in parts] == [slice(0, 500), slice(500, 1000), slice(1000, 1100)]
    classes, x = np.concatenate([p.y for p in parts]), np.concatenate([p.X for p in parts])
    for label in (0, 1):
        share = (classes[y == label] == 0).mean()
        assert abs(share - chances[y == label][0, 0]) < 5 * np.sqrt(0.25 / (4 * (y == label).sum()))
    for pixel in range(D):
        for state in range(K):
            shown = released[:, pixel] == state
            kept = (x[shown, :, pixel] == state).mean()
            joint = FREQUENCIES[pixel] * PIXELS.channel_matrix[state]
            error = np.sqrt(0.25 / (4 * shown.sum()))
            assert abs(kept - joint[state] / joint.sum()) < 5 * error
    assert abs(kept - (1 - PIXELS.flip_prob)) > 5 * error  # which it would be for a flat prior


def test_the_prior_becomes_the_weighted_share_of_the_samples():
    """With weights of 0 all samples count alike: eq. (65) is their share of each state, sampled from the flat prior."""
    n = 4000
    released, y, channel = released_people(n)
    fit = sampled(channel, "learned", n_samples=5, n_steps=1).fit(released, y)
    observed = np.array([(released == s).mean(axis=0) for s in range(K)]).T
    # one EM step from the flat prior: the mean posterior, which for a flat prior is the channel itself
    expected = observed @ PIXELS.channel_matrix
    np.testing.assert_allclose(fit.prior_.probs.sum(axis=1), 1, atol=1e-12)
    error = np.sqrt(expected * (1 - expected) / (5 * n))
    assert (np.abs(fit.prior_.probs - expected) < 5 * error).all()
    assert (np.abs(fit.prior_.probs - observed) > 5 * error).any()


def test_gaussian_pixels_have_their_own_prior():
    """Two pixels' means and variances are learned from noisy ones, to five standard errors."""
    n, mean, variance = 400, np.array([0.3, 0.6]), np.array([0.1, 0.2])
    released = mean + np.sqrt(variance + 0.16) * rng(1).standard_normal((n, 2))
    fit = ImportanceSampledLogisticRegression(FLIPS, GaussianNoise(0.4), C=0.1, n_samples=5, n_steps=40)
    found = fit.fit(released, rng(2).integers(0, 2, n)).prior_
    np.testing.assert_allclose(found.mean, mean, atol=5 * 0.6 / np.sqrt(n))
    np.testing.assert_allclose(found.variance, variance, atol=5 * 0.36 * np.sqrt(2 / n))


@pytest.mark.parametrize(
    ("settings", "error", "sentence"),
    [
        ({"pixels": None}, ValueError, "pixels must be a mechanism: with clean X the likelihood needs no samples"),
        *[({name: 0}, ValueError, f"{name} must be .*, got 0") for name in ("n_samples", "n_steps", "learning_rate")],
        ({"C": "cv"}, ValueError, 'C must be a number above 0, got "cv": the published EM chooses no penalty'),
        ({"prior": pixel_priors.flat_gaussian_prior(D)}, TypeError, "a GaussianPrior goes with GaussianNoise"),
    ],
)
def test_what_cannot_be_sampled_is_refused(settings, error, sentence):
    released, y, channel = released_people(20)
    with pytest.raises(error, match=sentence):
        ImportanceSampledLogisticRegression(**{"channel": channel, "pixels": PIXELS, **settings}).fit(released, y)
