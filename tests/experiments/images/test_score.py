"""Pixel errors, linkage and privacy guarantees, recomputed step by step and against exact expectations."""

import math

import numpy as np
import pytest

from privdemo import datasets, intervals
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig, score
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse, to_unit
from privdemo.mechanisms.pixels import FAMILIES
from tests.experiments.images.oracles import DIGITS_K, MNIST_K, streams


@pytest.mark.parametrize(
    ("classes", "n_candidates"), [(("1", "2", "3"), 100), (tuple("0123456789"), 12), (("4", "7"), 3)]
)
def test_there_are_as_many_candidates_as_asked_for(classes, n_candidates):
    config = CurveConfig("digits", classes, n_candidates=n_candidates)
    candidates, _ = score.candidates(config)
    clear, useless = images.measure(config, 0.0), images.measure(config, 16 / 17)
    assert len(candidates) == useless.n_candidates == n_candidates
    assert (clear.linked.mean, useless.linked.mean) == (1, pytest.approx(1 / n_candidates, rel=1e-12))
    assert clear.absolute == (0, 0, 0)
    source = datasets.load("digits")
    labels = {image.tobytes(): label for image, label in zip(source.X, source.y, strict=True)}
    each = np.bincount([labels[image.tobytes()] for image in candidates], minlength=10)
    assert np.ptp(each[[int(c) for c in classes]]) <= 1 + (len(classes) > 2)  # as even as equal steps can be
    assert each.sum() == n_candidates


@pytest.mark.parametrize("family", FAMILIES)
def test_a_measure_recomputed_step_by_step(family):
    level = 0.4
    point = images.measure(CurveConfig("digits", family=family, n_candidates=20, seed=5), level)
    people_rng, pixel_rng, _ = streams(5)
    people = datasets.load("digits").select_classes(("7", "9")).draw(10, people_rng)
    mechanism = FAMILIES[family].make(level, DIGITS_K)
    values = people.X if family == "randomised_response" else to_unit(people.X, DIGITS_K)
    sent = np.repeat(values, 10, axis=0)  # each candidate sends ten
    released = mechanism.randomise(sent, pixel_rng)
    scale = 16 if family == "randomised_response" else 1
    errors = np.abs(released.astype(float) - sent) / scale
    assert point.absolute.mean == pytest.approx(errors.mean(), rel=1e-6)
    assert point.squared.mean == pytest.approx((errors**2).mean(), rel=1e-6)
    distance = np.abs(sent[..., None] - np.arange(DIGITS_K)) / 16
    expected = {
        "randomised_response": (level / 16 * distance.sum(-1).mean(), level / 16 * (distance**2).sum(-1).mean()),
        "gaussian": (level * math.sqrt(2 / math.pi), level**2),
        "laplace": (level, 2 * level**2),
    }[family]
    assert point.expected == pytest.approx(expected, rel=1e-9)
    for estimate, power in ((point.absolute, 1), (point.squared, 2)):  # one image is one observation
        half = 1.971957 * (errors**power).mean(axis=1).std(ddof=1) / math.sqrt(200)
        assert estimate.high - estimate.mean == pytest.approx(half, rel=1e-5)
        assert estimate.mean - estimate.low == pytest.approx(half, rel=1e-5)
    scores = np.array([[mechanism.log_likelihood(r, c).sum() for c in values] for r in released.astype(float)])
    top = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    hits = (top[np.arange(200), np.arange(200) // 10] / top.sum(axis=1)).sum()
    assert point.linked == pytest.approx(intervals.wilson_interval(hits, 200), rel=1e-9)
    assert point.linked.mean > 0.2


@pytest.mark.parametrize(
    "mechanism", [RandomisedResponse(0.2, MNIST_K), GaussianNoise(0.7), LaplaceNoise(0.9)], ids=repr
)
def test_privacy_is_the_accounting_of_the_mechanisms(mechanism):
    labels = BinaryChannel(0.1, 0.3)
    promise = images.privacy(Config(pixels=mechanism, labels=labels), 1e-5, 784)
    assert (promise.delta, promise.n_pixels) == (1e-5, 784)
    assert promise.pixel == mechanism.epsilon
    assert promise.image == 784 * mechanism.epsilon
    assert promise.pixel_at_delta == mechanism.epsilon_at(1e-5)
    assert promise.image_at_delta == mechanism.epsilon_at(1e-5, 784)
    assert promise.label == labels.epsilon == pytest.approx(math.log(0.7 / 0.1))
    assert mechanism.delta_at(promise.image_at_delta, 784) <= 1e-5 * (1 + 1e-9)
    assert mechanism.delta_at(0.99 * promise.image_at_delta, 784) > 1e-5


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (RandomisedResponse(0.0, 2), (1, 1)),
        (RandomisedResponse(0.3, 4), (0.7, 0.7, 0.7, 0.7)),
        (BinaryChannel(0.1, 0.4), (0.9 / 1.3, 0.6 / 0.7)),
        (BinaryChannel(0.0, 0.4), (1 / 1.4, 1)),
        (BinaryChannel(1.0, 0.0), (None, 0.5)),  # nobody sends 0
    ],
    ids=repr,
)
def test_label_truth_is_bayes_by_hand(labels, expected):
    classes = tuple("0123456789"[: labels.n_states])
    found = images.privacy(Config(labels=labels, classes=classes), 1e-5, 784).label_truth
    assert [share is None for share in found] == [share is None for share in expected]
    assert [s for s in found if s is not None] == pytest.approx([s for s in expected if s is not None], abs=1e-12)
