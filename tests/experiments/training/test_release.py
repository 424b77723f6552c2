"""What people release: counted, with the noise asked for, each stream of randomness on its own."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo import datasets
from privdemo.estimators import pixel_priors
from privdemo.experiments import training
from privdemo.experiments.training import draw_release
from privdemo.mechanisms import RandomisedResponse
from tests.experiments.training.cases import ADDED, DIGITS, K


@pytest.mark.parametrize("config", [DIGITS, ADDED])
def test_people_release_with_the_noise_asked_for(config):
    released = draw_release(config)
    assert released.y.tolist() == [0] * 30 + [1] * 30
    streams = (np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0, i))) for i in (1, 2))
    np.testing.assert_array_equal(released.X_noisy, config.pixels.randomise(released.X, next(streams)))
    np.testing.assert_array_equal(released.y_noisy, config.labels.randomise(released.y, next(streams)))


def test_streams_of_randomness_move_on_their_own():
    first, again = draw_release(DIGITS), draw_release(replace(DIGITS))
    more = draw_release(replace(DIGITS, pixels=RandomisedResponse(0.5, K)))
    lies = draw_release(replace(DIGITS, labels=RandomisedResponse(0.4)))
    for name in ("X", "y", "y_noisy", "X_test", "y_test"):
        np.testing.assert_array_equal(getattr(more, name), getattr(first, name))
    np.testing.assert_array_equal(again.X_noisy, first.X_noisy)
    np.testing.assert_array_equal(lies.X_noisy, first.X_noisy)
    assert (first.X_noisy != more.X_noisy).any()
    assert (lies.y_noisy != first.y_noisy).any()
    for change in ({"draw": 1}, {"seed": 1}):
        other = draw_release(replace(DIGITS, **change))
        for name in ("X", "X_noisy", "y_noisy", "X_test"):
            assert not np.array_equal(getattr(other, name), getattr(first, name))


def test_the_true_prior_is_that_of_the_clean_pixels():
    X = draw_release(DIGITS).X
    expected = pixel_priors.true_prior(DIGITS.pixels, pixel_priors.state_frequencies(X, K))
    np.testing.assert_array_equal(draw_release(DIGITS).true_prior.probs, expected.probs)
    added = draw_release(ADDED)
    np.testing.assert_array_equal(added.true_prior.mean, pixel_priors.true_gaussian_prior(added.X).mean)


@pytest.mark.parametrize("classes", [("7", "9"), ("1", "8")])
def test_sizes_share_out_the_digits(classes):
    source = datasets.load("digits")
    smaller = min(int((source.y == int(c)).sum()) for c in classes)
    most, n_test = training.sizes("digits", classes)
    assert (most + n_test, n_test) == (smaller, smaller // 3)
    config = replace(DIGITS, classes=classes, n_train=most)
    released, pictures = draw_release(config), training.test_images(config)
    assert (pictures.shape, pictures.dtype) == ((2 * n_test, 8, 8), np.uint8)
    np.testing.assert_array_equal(np.round(pictures.reshape(len(pictures), -1) / 255 * (K - 1)), released.X_test)
    class_of = {image.tobytes(): str(c) for image, c in zip(source.X, source.y, strict=True)}
    assert len(class_of) == len(source.X)  # no image twice, so that sets of images are sets of people
    for X, y in ((released.X, released.y), (released.X_test, released.y_test)):
        assert [class_of[image.tobytes()] for image in X] == [classes[c] for c in y]
    assert len({image.tobytes() for image in (*released.X, *released.X_test)}) == 2 * smaller
