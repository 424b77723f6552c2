"""What people release: counted, with the noise asked for, each stream of randomness on its own; what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo import datasets
from privdemo.estimators import pixel_priors
from privdemo.experiments import training
from privdemo.experiments.training import TrainingConfig, draw_release
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.methods import SPREAD
from tests.experiments.training.cases import ADDED, DIGITS, K


def test_people_release_with_the_noise_asked_for():
    X, y, X_noisy, y_noisy, *_ = draw_release(replace(DIGITS, n_train=100, labels=BinaryChannel(0.3, 0.1)))
    assert y.tolist() == [0] * 100 + [1] * 100
    changed, tolerance = (X_noisy != X).mean(), 5 * math.sqrt(0.2 * 0.8 / X.size)
    assert abs(changed - 0.2) <= tolerance < abs(changed - 0.25)
    for truth, p in ((0, 0.3), (1, 0.1)):
        assert abs((y_noisy != y)[y == truth].mean() - p) <= 5 * math.sqrt(p * (1 - p) / 100)
    assert (y_noisy != y)[y == 0].sum() > (y_noisy != y)[y == 1].sum()
    added = draw_release(ADDED)
    sigma = (added.X_noisy - added.X).std()
    assert abs(sigma - 0.3) <= 5 * 0.3 / math.sqrt(2 * added.X.size) < abs(sigma - 0.34)


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


@pytest.mark.mnist
def test_sizes_of_mnist_keep_to_the_publishers_parts(mnist):
    assert training.sizes("mnist", ("7", "9")) == (5949, 900)
    assert training.sizes("mnist", ("9", "5")) == (5421, 892)
    published = {image.tobytes() for image in mnist.test.X}
    pictures = training.test_images(TrainingConfig(n_train=20)).reshape(1800, -1)
    assert all(image.tobytes() in published for image in pictures)


TUMOURS = {"dataset": "breast_cancer", "classes": ("malignant", "benign")}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"classes": ("7", "7")}, r"classes must be two or more different ones, got \('7', '7'\)"),
        ({"classes": ("7", "8", "9"), "labels": RandomisedResponse(0.2, 3)}, "classes must be two, got 3: 7, 8, 9"),
        ({"labels": RandomisedResponse(0.2, 3)}, "labels must be a mechanism on the 2 classes chosen, got one on 3"),
        ({"methods": (SPREAD, "guess")}, "methods must be one or more of clean, naive, .*, published, got guess"),
        ({"n_train": 19}, r"n_train must be a whole number in \[20, 6000\], got 19; people of each class"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"draw": -1}, "draw must be a whole number"),
        ({"n_train": 121}, r"n_train must be a whole number in \[20, 120\], got 121; digits has no more of 7 and 9"),
        ({"pixels": RandomisedResponse(16 / 17, K)}, "a flip probability of 0.9412 draws every pixel afresh"),
        ({"pixels": RandomisedResponse(0.2, 18)}, "pixels must be a mechanism on the 17 states of digits, got .* 18"),
        ({"labels": BinaryChannel(0.3, 0.7)}, r"the lies .* add up to 1 \(7 sent as 9 with 0.3, 9 as 7 with 0.7\)"),
        ({"classes": ("7", "x")}, "unknown class 'x' of digits: name one of 0, 1"),
        (TUMOURS, r"dataset must hold images \(mnist or digits\), got 'breast_cancer'"),
        ({"n_train": 20, "labels": BinaryChannel(0, 0.97)}, "all 40 people happened to send the label 7, and nothing"),
    ],
)
def test_questions_without_an_answer_say_why(change, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        training.run(replace(DIGITS, **change))
