"""What the live dial draws from: the very pictures and draws of a result, and which labels were flipped."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from pages.topics.images.controls import LEVELS
from pages.topics.images.dial import captions, dial_data
from privdemo.experiments import images
from privdemo.mechanisms.pixels import FAMILIES


@pytest.fixture(params=list(FAMILIES))
def family(request):
    return FAMILIES[request.param]


@pytest.fixture
def result(family):
    return images.run(images.Config("digits", pixels=family.make(0.3, 17), per_class=4, n_people=100, seed=3))


def decoded(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def test_pixels_released_from_the_dials_draws_are_the_released_ones(family, result):
    data = dial_data(result, family, 0.3, LEVELS[family.name].step)
    states = decoded(data["states"], np.uint8).reshape(result.states.shape)
    np.testing.assert_array_equal(states, result.states)
    np.testing.assert_array_equal(decoded(data["clean"], np.uint8), result.clean.ravel())
    for sent, guess in zip(data["guesses"], result.guesses.values(), strict=True):
        np.testing.assert_array_equal(decoded(sent, np.uint8), guess.ravel())
    if "noise" in data:
        np.testing.assert_array_equal(decoded(data["noise"], np.float32), result.draws.ravel())
    else:
        replaced = decoded(data["uniform"], np.float32) < np.ceil(0.3 * 17 / 16 * 2**24) / 2**24
        released = np.where(replaced, decoded(data["replacement"], np.uint8), states.ravel())
        np.testing.assert_array_equal(np.floor(released.astype(float) * 255 / 16 + 0.5), result.released.ravel())


def test_only_another_picture_changes_the_token(family, result):
    here, there = (dial_data(result, family, level, LEVELS[family.name].step) for level in (0.2, 0.3))
    assert here["token"] == there["token"]
    assert (here["level"], there["level"]) == (0.2, 0.3)
    finer = dial_data(result, family, 0.2, 0.001)
    assert finer["token"] != here["token"]


def test_a_flipped_label_shows_what_it_was(result, family):
    data = dial_data(result, family, 0.3, LEVELS[family.name].step)
    flipped = list(result.labels != result.released_labels)
    assert [caption["flipped"] for caption in data["captions"]] == flipped
    assert [" → " in words for words in captions(result)] == flipped
    assert [words.split(" → ")[-1] for words in captions(result)] == [
        result.class_names[sent] for sent in result.released_labels
    ]
